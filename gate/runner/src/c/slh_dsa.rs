//! The C rivals of SLH-DSA.

use std::ffi::c_int;

use hashloom::slh_dsa::ParameterSet;
use slhdsa_c_rs::ffi;

use super::{check, prepare};
use crate::{
    contender::{Contender, Outcome, fold},
    slh_dsa::{Inputs, TURNS},
};

/// PQClean's functions for one parameter set, as its `api.h` declares them.
struct Functions {
    seed_keypair: unsafe extern "C" fn(*mut u8, *mut u8, *const u8) -> c_int,
    signature: unsafe extern "C" fn(*mut u8, *mut usize, *const u8, usize, *const u8) -> c_int,
    verify: unsafe extern "C" fn(*const u8, usize, *const u8, usize, *const u8) -> c_int,
}

macro_rules! pqclean {
    ($($set:ident $name:literal,)*) => {
        fn functions(set: ParameterSet) -> Functions {
            // named so that its archives are linked
            use pqcrypto_sphincsplus as _;
            match set { $(
                ParameterSet::$set => {
                    unsafe extern "C" {
                        #[link_name = concat!("PQCLEAN_SPHINCS", $name, "SIMPLE_CLEAN_crypto_sign_seed_keypair")]
                        fn seed_keypair(public: *mut u8, secret: *mut u8, seed: *const u8) -> c_int;
                        #[link_name = concat!("PQCLEAN_SPHINCS", $name, "SIMPLE_CLEAN_crypto_sign_signature")]
                        fn signature(out: *mut u8, len: *mut usize, message: *const u8, message_len: usize, secret: *const u8) -> c_int;
                        #[link_name = concat!("PQCLEAN_SPHINCS", $name, "SIMPLE_CLEAN_crypto_sign_verify")]
                        fn verify(signature: *const u8, len: usize, message: *const u8, message_len: usize, public: *const u8) -> c_int;
                    }
                    Functions { seed_keypair, signature, verify }
                }
            )* }
        }
    };
}
pqclean! {
    Sha2_128s "SHA2128S",
    Sha2_128f "SHA2128F",
    Sha2_192s "SHA2192S",
    Sha2_192f "SHA2192F",
    Sha2_256s "SHA2256S",
    Sha2_256f "SHA2256F",
    Shake128s "SHAKE128S",
    Shake128f "SHAKE128F",
    Shake192s "SHAKE192S",
    Shake192f "SHAKE192F",
    Shake256s "SHAKE256S",
    Shake256f "SHAKE256F",
}

/// Keys and signatures of one contender.
struct Buffers {
    secret: Vec<u8>,
    public: Vec<u8>,
    signatures: [Vec<u8>; TURNS],
}

impl Buffers {
    fn new(set: ParameterSet) -> Self {
        Self {
            secret: vec![0; set.signing_key_len()],
            public: vec![0; set.verifying_key_len()],
            signatures: [(); TURNS].map(|()| vec![0; set.signature_len()]),
        }
    }
}

/// PQClean's `clean` implementation of SPHINCS+.
pub struct Sphincs {
    functions: Functions,
    inputs: Inputs,
    buffers: Buffers,
}

impl Sphincs {
    pub fn new(inputs: &Inputs) -> Self {
        Self { functions: functions(inputs.set), inputs: inputs.clone(), buffers: Buffers::new(inputs.set) }
    }
}

impl Contender for Sphincs {
    fn keygen(&mut self, _at: usize) -> Outcome<u64> {
        let Buffers { secret, public, .. } = &mut self.buffers;
        // SAFETY: 2n bytes for the public key, 4n for the private one, 3n of seeds.
        let status = unsafe {
            (self.functions.seed_keypair)(public.as_mut_ptr(), secret.as_mut_ptr(), self.inputs.seeds.as_ptr())
        };
        check(status == 0, "PQClean made no key")?;
        Ok(fold(public))
    }

    fn sign(&mut self, at: usize) -> Outcome<u64> {
        let Buffers { secret, signatures, .. } = &mut self.buffers;
        let (message, out, mut len) = (&self.inputs.messages[at], &mut signatures[at], 0);
        prepare(&self.inputs.randomness[at]);
        // SAFETY: the set's signature length to write, the message and 4n bytes of key to read.
        let status = unsafe {
            (self.functions.signature)(out.as_mut_ptr(), &raw mut len, message.as_ptr(), message.len(), secret.as_ptr())
        };
        check(status == 0 && len == out.len(), "PQClean did not sign")?;
        Ok(fold(out))
    }

    fn verify(&mut self, at: usize) -> Outcome<u64> {
        let Buffers { public, signatures, .. } = &self.buffers;
        let (message, signature) = (&self.inputs.messages[at], &signatures[at]);
        // SAFETY: signature and message to read with their lengths, and 2n bytes of key.
        let status = unsafe {
            (self.functions.verify)(
                signature.as_ptr(),
                signature.len(),
                message.as_ptr(),
                message.len(),
                public.as_ptr(),
            )
        };
        check(status == 0, "PQClean refused its own signature")?;
        Ok(1)
    }

    fn public(&self) -> &[u8] {
        &self.buffers.public
    }

    fn signatures(&self, at: usize) -> &[u8] {
        &self.buffers.signatures[at]
    }
}

/// slhdsa-c, by the internal interfaces of FIPS 205 section 9.
pub struct SlhdsaC {
    parameters: *const ffi::slh_param_s,
    inputs: Inputs,
    buffers: Buffers,
}

impl SlhdsaC {
    pub fn new(inputs: &Inputs) -> Self {
        let parameters = match inputs.set {
            ParameterSet::Sha2_128s => &raw const ffi::slh_dsa_sha2_128s,
            ParameterSet::Sha2_128f => &raw const ffi::slh_dsa_sha2_128f,
            ParameterSet::Sha2_192s => &raw const ffi::slh_dsa_sha2_192s,
            ParameterSet::Sha2_192f => &raw const ffi::slh_dsa_sha2_192f,
            ParameterSet::Sha2_256s => &raw const ffi::slh_dsa_sha2_256s,
            ParameterSet::Sha2_256f => &raw const ffi::slh_dsa_sha2_256f,
            ParameterSet::Shake128s => &raw const ffi::slh_dsa_shake_128s,
            ParameterSet::Shake128f => &raw const ffi::slh_dsa_shake_128f,
            ParameterSet::Shake192s => &raw const ffi::slh_dsa_shake_192s,
            ParameterSet::Shake192f => &raw const ffi::slh_dsa_shake_192f,
            ParameterSet::Shake256s => &raw const ffi::slh_dsa_shake_256s,
            ParameterSet::Shake256f => &raw const ffi::slh_dsa_shake_256f,
        };
        Self { parameters, inputs: inputs.clone(), buffers: Buffers::new(inputs.set) }
    }
}

impl Contender for SlhdsaC {
    fn keygen(&mut self, _at: usize) -> Outcome<u64> {
        let Buffers { secret, public, .. } = &mut self.buffers;
        let [sk_seed, sk_prf, pk_seed] = self.inputs.seeds();
        // SAFETY: 4n bytes for the private key, 2n for the public one, three seeds of n bytes; the parameters are a
        // static of the C code.
        let status = unsafe {
            ffi::slh_keygen_internal(
                secret.as_mut_ptr(),
                public.as_mut_ptr(),
                sk_seed.as_ptr(),
                sk_prf.as_ptr(),
                pk_seed.as_ptr(),
                self.parameters,
            )
        };
        check(status == 0, "slhdsa-c made no key")?;
        Ok(fold(public))
    }

    fn sign(&mut self, at: usize) -> Outcome<u64> {
        let Buffers { secret, signatures, .. } = &mut self.buffers;
        let (message, out) = (&self.inputs.messages[at], &mut signatures[at]);
        // SAFETY: the set's signature length to write; the message, 4n bytes of key and n of randomness to read.
        let len = unsafe {
            ffi::slh_sign_internal(
                out.as_mut_ptr(),
                message.as_ptr(),
                message.len(),
                secret.as_ptr(),
                self.inputs.randomness[at].as_ptr(),
                self.parameters,
            )
        };
        check(len == out.len(), "slhdsa-c did not sign")?;
        Ok(fold(out))
    }

    fn verify(&mut self, at: usize) -> Outcome<u64> {
        let Buffers { public, signatures, .. } = &self.buffers;
        let (message, signature) = (&self.inputs.messages[at], &signatures[at]);
        // SAFETY: message and signature to read with their lengths, and 2n bytes of key.
        let status = unsafe {
            ffi::slh_verify_internal(
                message.as_ptr(),
                message.len(),
                signature.as_ptr(),
                signature.len(),
                public.as_ptr(),
                self.parameters,
            )
        };
        check(status == 1, "slhdsa-c refused its own signature")?;
        Ok(1)
    }

    fn public(&self) -> &[u8] {
        &self.buffers.public
    }

    fn signatures(&self, at: usize) -> &[u8] {
        &self.buffers.signatures[at]
    }
}
