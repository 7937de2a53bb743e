//! SLH-DSA against the crates slh-dsa and fips205: equal keys, equal signatures, and each verifies the others'.

mod common;

use common::{
    oracle::{fixed, xof},
    slh::{Rng, SMALL},
};
use hashloom::{
    Engine,
    slh_dsa::{Mode, ParameterSet, PreHash, Randomness, SigningKey, VerifyingKey},
};

type Sign = fn(key: &[u8], message: &[u8], mode: &Mode<'_>, opt_rand: Option<&[u8]>) -> Option<Vec<u8>>;
type Verify = fn(public: &[u8], message: &[u8], mode: &Mode<'_>, signature: &[u8]) -> Option<bool>;

/// Another implementation of one parameter set, keys and signatures as bytes.
struct Reference {
    name: &'static str,
    /// The private key, 4n bytes, that three seeds make.
    key: fn(seeds: [&[u8]; 3]) -> Vec<u8>,
    /// Both answer `None` where the crate has no such interface.
    sign: Sign,
    verify: Verify,
}

/// The digest by other crates again.
fn digest(function: PreHash, message: &[u8]) -> Vec<u8> {
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
                let key = VerifyingKey::<P>::try_from(public).unwrap();
                let signature = Signature::<P>::try_from(signature).unwrap();
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
                let key = PublicKey::try_from_bytes(public.try_into().unwrap()).unwrap();
                let signature = signature.try_into().unwrap();
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

fn references(set: ParameterSet) -> [Reference; 2] {
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

fn randomness(opt_rand: Option<&[u8]>) -> Randomness<'_> {
    opt_rand.map_or(Randomness::Deterministic, Randomness::Given)
}

/// A key made here on every engine and by every reference, all equal.
fn same_keys(set: ParameterSet, engines: &[(String, Engine)], references: &[Reference], rng: &mut Rng) -> SigningKey {
    let seeds = [(); 3].map(|()| rng.bytes(set.n()));
    let seeds = seeds.each_ref().map(Vec::as_slice);
    let [sk_seed, sk_prf, pk_seed] = seeds;
    let key = SigningKey::from_seeds(set, &Engine::get(), sk_seed, sk_prf, pk_seed).unwrap();
    for (name, engine) in engines {
        let on = SigningKey::from_seeds(set, engine, sk_seed, sk_prf, pk_seed).unwrap();
        assert_eq!(on.to_bytes(), key.to_bytes(), "{set} on {name}");
    }
    for reference in references {
        assert_eq!((reference.key)(seeds), key.to_bytes()[..], "{set} by {}", reference.name);
    }
    key
}

/// One signature made here on every engine and by every reference, all equal; all verify all.
fn same_signature(
    key: &SigningKey,
    engines: &[(String, Engine)],
    references: &[Reference],
    message: &[u8],
    mode: &Mode<'_>,
    opt_rand: Option<&[u8]>,
) {
    let set = key.set();
    let signature = key.sign(message, mode, randomness(opt_rand)).unwrap();
    let signature = signature.as_ref();
    let public = key.verifying_key();
    let mut bad = signature.to_vec();
    bad[set.n()] ^= 1;
    for (name, engine) in engines {
        let on = key.clone().with_engine(engine).sign(message, mode, randomness(opt_rand)).unwrap();
        assert!(on.as_ref() == signature, "{set} on {name}, {mode:?}");
        let public = VerifyingKey::from_bytes(set, engine, public.as_bytes()).unwrap();
        assert_eq!(public.verify(message, mode, signature), Ok(()), "{set} on {name}, {mode:?}");
    }
    for reference in references {
        let name = reference.name;
        let theirs = (reference.sign)(&key.to_bytes(), message, mode, opt_rand);
        // equal bytes, so theirs verify here as well
        assert!(theirs.is_none_or(|theirs| theirs == signature), "{set} by {name}, {mode:?}");
        let verdict = |signature| (reference.verify)(public.as_bytes(), message, mode, signature);
        assert!(verdict(signature).is_none_or(|good| good), "{name} refuses {set}, {mode:?}");
        assert!(verdict(&bad).is_none_or(|good| !good), "{name} takes anything for {set}, {mode:?}");
    }
}

/// Every interface, deterministic and not, contexts from empty to longest.
fn whole_set(set: ParameterSet) {
    let (engines, references) = (common::engines(), references(set));
    let mut rng = Rng::new(&format!("differential {set}"));
    let key = same_keys(set, &engines, &references, &mut rng);
    let longest = rng.bytes(255);
    let contexts: [&[u8]; 3] = [b"", b"a context", &longest];
    for (i, context) in contexts.into_iter().enumerate() {
        let message = rng.bytes([0, 33, 1000][i]);
        let opt_rand = rng.bytes(set.n());
        let opt_rand = [Some(&opt_rand[..]), None][i % 2];
        let function = PreHash::ALL[(set as usize + i) % 12];
        for mode in [Mode::Internal, Mode::Pure { context }, Mode::PreHash { context, function }] {
            same_signature(&key, &engines, &references, &message, &mode, opt_rand);
        }
    }
}

macro_rules! fast {
    ($($name:ident $set:ident)*) => { $(
        #[test]
        fn $name() {
            whole_set(ParameterSet::$set);
        }
    )* };
}
fast! {
    sha2_128f Sha2_128f sha2_192f Sha2_192f sha2_256f Sha2_256f
    shake_128f Shake128f shake_192f Shake192f shake_256f Shake256f
}

/// One key and one signature, on the automatic engine alone.
fn one_signature(set: ParameterSet) {
    let (engines, references) = ([("automatic".to_owned(), Engine::get())], references(set));
    let mut rng = Rng::new(&format!("differential {set}"));
    let key = same_keys(set, &engines, &references, &mut rng);
    let (message, opt_rand) = (rng.bytes(100), rng.bytes(set.n()));
    same_signature(&key, &engines, &references, &message, &Mode::Pure { context: b"small" }, Some(&opt_rand));
}

macro_rules! slow {
    ($($name:ident $set:ident)*) => { $(
        #[test]
        #[ignore = "18 s for all six on two cores, most of it signing by the other crates"]
        fn $name() {
            one_signature(ParameterSet::$set);
        }
    )* };
}
slow! {
    sha2_128s Sha2_128s sha2_192s Sha2_192s sha2_256s Sha2_256s
    shake_128s Shake128s shake_192s Shake192s shake_256s Shake256s
}

#[test]
fn every_pre_hash_function_and_its_digest() {
    let engines = common::engines();
    for set in SMALL {
        let references = references(set);
        let mut rng = Rng::new(&format!("pre-hash {set}"));
        let key = same_keys(set, &engines, &references, &mut rng);
        for function in PreHash::ALL {
            let (message, context) = (rng.bytes(200), rng.bytes(20));
            let opt_rand = rng.bytes(set.n());
            let mode = Mode::PreHash { context: &context, function };
            same_signature(&key, &engines[..1], &references, &message, &mode, Some(&opt_rand));

            let given = Mode::Digest { context: &context, function };
            let by_message = key.sign(&message[..], &mode, Randomness::Given(&opt_rand)).unwrap();
            let digest = digest(function, &message);
            let by_digest = key.sign(&digest[..], &given, Randomness::Given(&opt_rand)).unwrap();
            assert!(by_message == by_digest, "{set}, {function}");
            assert_eq!(key.verifying_key().verify(&digest[..], &given, by_message.as_ref()), Ok(()));
            assert_eq!(key.verifying_key().verify(&message[..], &mode, by_digest.as_ref()), Ok(()));
        }
    }
}

#[test]
fn many_messages_of_random_lengths() {
    let engines = common::engines();
    for set in SMALL {
        let references = references(set);
        let mut rng = Rng::new(&format!("many {set}"));
        for _ in 0..3 {
            let key = same_keys(set, &engines, &references, &mut rng);
            let len = rng.below(700);
            let message = rng.bytes(len);
            let len = rng.below(256);
            let context = rng.bytes(len);
            same_signature(&key, &engines, &references[..1], &message, &Mode::Pure { context: &context }, None);
        }
    }
}
