//! The other crates behind one face.

use hashloom::slh_dsa::{Mode, ParameterSet, PreHash};

use crate::common::oracle::{fixed, xof};

pub type Sign = fn(key: &[u8], message: &[u8], mode: &Mode<'_>, opt_rand: Option<&[u8]>) -> Option<Vec<u8>>;
pub type Verify = fn(public: &[u8], message: &[u8], mode: &Mode<'_>, signature: &[u8]) -> Option<bool>;

/// Another implementation of one parameter set, keys and signatures as bytes.
pub struct Reference {
    pub name: &'static str,
    /// The private key, 4n bytes, that three seeds make.
    pub key: fn(seeds: [&[u8]; 3]) -> Vec<u8>,
    /// Both answer `None` where the crate has no such interface.
    pub sign: Sign,
    pub verify: Verify,
}

/// The digest by other crates again.
pub fn digest(function: PreHash, message: &[u8]) -> Vec<u8> {
    let len = function.digest_len();
    match function {
        PreHash::Sha2_224 => fixed::<sha2::Sha224>(message, len),
        PreHash::Sha2_256 => fixed::<sha2::Sha256>(message, len),
        PreHash::Sha2_384 => fixed::<sha2::Sha384>(message, len),
        PreHash::Sha2_512 => fixed::<sha2::Sha512>(message, len),
        PreHash::Sha2_512_224 => fixed::<sha2::Sha512_224>(message, len),
        PreHash::Sha2_512_256 => fixed::<sha2::Sha512_256>(message, len),
        PreHash::Sha3_224 => fixed::<sha3::Sha3_224>(message, len),
        PreHash::Sha3_256 => fixed::<sha3::Sha3_256>(message, len),
        PreHash::Sha3_384 => fixed::<sha3::Sha3_384>(message, len),
        PreHash::Sha3_512 => fixed::<sha3::Sha3_512>(message, len),
        PreHash::Shake128 => xof::<shake::Shake128>(message, len),
        PreHash::Shake256 => xof::<shake::Shake256>(message, len),
    }
}

fn oid(function: PreHash) -> &'static [u8] {
    use fips205::pre_hash as oid;
    match function {
        PreHash::Sha2_224 => &oid::SHA2_224,
        PreHash::Sha2_256 => &oid::SHA2_256,
        PreHash::Sha2_384 => &oid::SHA2_384,
        PreHash::Sha2_512 => &oid::SHA2_512,
        PreHash::Sha2_512_224 => &oid::SHA2_512_224,
        PreHash::Sha2_512_256 => &oid::SHA2_512_256,
        PreHash::Sha3_224 => &oid::SHA3_224,
        PreHash::Sha3_256 => &oid::SHA3_256,
        PreHash::Sha3_384 => &oid::SHA3_384,
        PreHash::Sha3_512 => &oid::SHA3_512,
        PreHash::Shake128 => &oid::SHAKE_128,
        PreHash::Shake256 => &oid::SHAKE_256,
    }
}

/// M' by hand (FIPS 205 Alg. 22 to 25), for crates that offer the internal interface.
fn framed(message: &[u8], mode: &Mode<'_>) -> Vec<u8> {
    match *mode {
        Mode::Internal => message.to_vec(),
        Mode::Pure { context } => [&[0, context.len() as u8], context, message].concat(),
        Mode::PreHash { context, function } => {
            [&[1, context.len() as u8], context, oid(function), &digest(function, message)].concat()
        }
        Mode::Digest { context, function } => [&[1, context.len() as u8], context, oid(function), message].concat(),
    }
}

mod rust_crypto {
    use super::{Mode, Reference, framed};
    use slh_dsa::{ParameterSet, Signature, SigningKey, VerifyingKey};

    pub fn reference<P: ParameterSet>() -> Reference {
        Reference {
            name: "slh-dsa",
            key: |[sk_seed, sk_prf, pk_seed]| SigningKey::<P>::slh_keygen_internal(sk_seed, sk_prf, pk_seed).to_vec(),
            sign: |key, message, mode, opt_rand| {
                let key = SigningKey::<P>::try_from(key).unwrap();
                let signature = match *mode {
                    Mode::Pure { context } => key.try_sign_with_context(message, context, opt_rand).unwrap(),
                    _ => key.slh_sign_internal(&[&framed(message, mode)], opt_rand),
                };
                Some(signature.to_vec())
            },
            verify: |public, message, mode, signature| {
                let Ok(key) = VerifyingKey::<P>::try_from(public) else { return Some(false) };
                let Ok(signature) = Signature::<P>::try_from(signature) else { return Some(false) };
                let verdict = match *mode {
                    Mode::Pure { context } => key.try_verify_with_context(message, context, &signature),
                    _ => key.slh_verify_internal(&[&framed(message, mode)], &signature),
                };
                Some(verdict.is_ok())
            },
        }
    }
}

mod fips {
    use fips205::{CryptoRng, RngCore, RngError};

    /// Hands out given bytes once.
    pub struct Given<'a>(pub &'a [u8]);

    impl RngCore for Given<'_> {
        fn next_u32(&mut self) -> u32 {
            unreachable!("signing draws bytes")
        }
        fn next_u64(&mut self) -> u64 {
            unreachable!("signing draws bytes")
        }
        fn fill_bytes(&mut self, out: &mut [u8]) {
            out.copy_from_slice(self.0);
        }
        fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), RngError> {
            self.fill_bytes(out);
            Ok(())
        }
    }

    impl CryptoRng for Given<'_> {}
}

macro_rules! fips_reference {
    ($module:ident) => {{
        use fips205::{
            traits::{KeyGen, SerDes, Signer, Verifier},
            $module::{KG, N, PrivateKey, PublicKey},
        };
        Reference {
            name: "fips205",
            key: |seeds| {
                let [sk_seed, sk_prf, pk_seed] = seeds.map(|seed| seed.try_into().unwrap());
                KG::keygen_from_seed::<N>(sk_seed, sk_prf, pk_seed).1.into_bytes().to_vec()
            },
            sign: |key, message, mode, opt_rand| {
                let key = PrivateKey::try_from_bytes(key.try_into().unwrap()).unwrap();
                let rng = &mut fips::Given(opt_rand.unwrap_or_default());
                let hedged = opt_rand.is_some();
                let signature = match *mode {
                    Mode::Internal => return None,
                    Mode::Pure { context } => key.try_sign_with_rng(rng, message, context, hedged),
                    Mode::PreHash { context, function } => {
                        key.try_hash_sign_with_rng(rng, &digest(function, message), context, oid(function), hedged)
                    }
                    Mode::Digest { context, function } => {
                        key.try_hash_sign_with_rng(rng, message, context, oid(function), hedged)
                    }
                };
                Some(signature.unwrap().to_vec())
            },
            verify: |public, message, mode, signature| {
                let (Ok(public), Ok(signature)) = (public.try_into(), signature.try_into()) else { return Some(false) };
                let key = PublicKey::try_from_bytes(public).unwrap();
                Some(match *mode {
                    Mode::Internal => return None,
                    Mode::Pure { context } => key.verify(message, signature, context),
                    Mode::PreHash { context, function } => {
                        key.hash_verify(&digest(function, message), signature, context, oid(function))
                    }
                    Mode::Digest { context, function } => key.hash_verify(message, signature, context, oid(function)),
                })
            },
        }
    }};
}

pub fn references(set: ParameterSet) -> [Reference; 2] {
    macro_rules! pair {
        ($set:ident, $module:ident) => {
            [rust_crypto::reference::<slh_dsa::$set>(), fips_reference!($module)]
        };
    }
    match set {
        ParameterSet::Sha2_128s => pair!(Sha2_128s, slh_dsa_sha2_128s),
        ParameterSet::Sha2_128f => pair!(Sha2_128f, slh_dsa_sha2_128f),
        ParameterSet::Sha2_192s => pair!(Sha2_192s, slh_dsa_sha2_192s),
        ParameterSet::Sha2_192f => pair!(Sha2_192f, slh_dsa_sha2_192f),
        ParameterSet::Sha2_256s => pair!(Sha2_256s, slh_dsa_sha2_256s),
        ParameterSet::Sha2_256f => pair!(Sha2_256f, slh_dsa_sha2_256f),
        ParameterSet::Shake128s => pair!(Shake128s, slh_dsa_shake_128s),
        ParameterSet::Shake128f => pair!(Shake128f, slh_dsa_shake_128f),
        ParameterSet::Shake192s => pair!(Shake192s, slh_dsa_shake_192s),
        ParameterSet::Shake192f => pair!(Shake192f, slh_dsa_shake_192f),
        ParameterSet::Shake256s => pair!(Shake256s, slh_dsa_shake_256s),
        ParameterSet::Shake256f => pair!(Shake256f, slh_dsa_shake_256f),
    }
}
