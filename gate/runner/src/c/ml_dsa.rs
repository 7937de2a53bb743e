//! The C rival of ML-DSA.

use std::{ffi::c_int, ptr};

use hashloom::ml_dsa::ParameterSet;

use super::{check, prepare};
use crate::{
    contender::{Contender, Outcome, fold},
    ml_dsa::{Input, Inputs, no_signatures},
};

/// PQClean's functions for one parameter set, as its `api.h` declares them.
struct Functions {
    keypair: unsafe extern "C" fn(*mut u8, *mut u8) -> c_int,
    signature: unsafe extern "C" fn(*mut u8, *mut usize, *const u8, usize, *const u8, usize, *const u8) -> c_int,
    verify: unsafe extern "C" fn(*const u8, usize, *const u8, usize, *const u8, usize, *const u8) -> c_int,
}

macro_rules! pqclean {
    ($($set:ident $name:literal,)*) => {
        fn functions(set: ParameterSet) -> Functions {
            // named so that its archives are linked
            use pqcrypto_mldsa as _;
            match set { $(
                ParameterSet::$set => {
                    unsafe extern "C" {
                        #[link_name = concat!("PQCLEAN_", $name, "_CLEAN_crypto_sign_keypair")]
                        fn keypair(public: *mut u8, secret: *mut u8) -> c_int;
                        #[link_name = concat!("PQCLEAN_", $name, "_CLEAN_crypto_sign_signature_ctx")]
                        fn signature(out: *mut u8, len: *mut usize, message: *const u8, message_len: usize, context: *const u8, context_len: usize, secret: *const u8) -> c_int;
                        #[link_name = concat!("PQCLEAN_", $name, "_CLEAN_crypto_sign_verify_ctx")]
                        fn verify(signature: *const u8, len: usize, message: *const u8, message_len: usize, context: *const u8, context_len: usize, public: *const u8) -> c_int;
                    }
                    Functions { keypair, signature, verify }
                }
            )* }
        }
    };
}
pqclean! {
    MlDsa44 "MLDSA44",
    MlDsa65 "MLDSA65",
    MlDsa87 "MLDSA87",
}

/// PQClean's `clean` implementation of ML-DSA.
pub struct MlDsa {
    functions: Functions,
    inputs: Inputs,
    secret: Vec<u8>,
    public: Vec<u8>,
    signatures: Vec<Vec<u8>>,
}

impl MlDsa {
    pub fn new(inputs: &Inputs) -> Self {
        let set = inputs.set;
        Self {
            functions: functions(set),
            inputs: inputs.clone(),
            secret: vec![0; set.signing_key_len()],
            public: vec![0; set.verifying_key_len()],
            signatures: no_signatures(set),
        }
    }
}

impl Contender for MlDsa {
    fn keygen(&mut self, at: usize) -> Outcome<u64> {
        let mut live = 0;
        for Input { seed, .. } in self.inputs.turn(at) {
            prepare(seed);
            // SAFETY: both buffers have the length that the set defines.
            let status = unsafe { (self.functions.keypair)(self.public.as_mut_ptr(), self.secret.as_mut_ptr()) };
            check(status == 0, "PQClean made no key")?;
            live ^= fold(&self.public);
        }
        Ok(live)
    }

    fn sign(&mut self, at: usize) -> Outcome<u64> {
        let signature_len = self.inputs.set.signature_len();
        let mut live = 0;
        for (input, out) in self.inputs.turn(at).iter().zip(self.signatures[at].chunks_exact_mut(signature_len)) {
            prepare(&input.randomness);
            let mut len = 0;
            // SAFETY: the set's signature length to write; the message, no context and the set's key length to read.
            let status = unsafe {
                (self.functions.signature)(
                    out.as_mut_ptr(),
                    &raw mut len,
                    input.message.as_ptr(),
                    input.message.len(),
                    ptr::null(),
                    0,
                    self.secret.as_ptr(),
                )
            };
            check(status == 0 && len == out.len(), "PQClean did not sign")?;
            live ^= fold(out);
        }
        Ok(live)
    }

    fn verify(&mut self, at: usize) -> Outcome<u64> {
        let signature_len = self.inputs.set.signature_len();
        let mut live = 0;
        for (input, signature) in self.inputs.turn(at).iter().zip(self.signatures[at].chunks_exact(signature_len)) {
            // SAFETY: signature and message to read with their lengths, no context, and the set's key length.
            let status = unsafe {
                (self.functions.verify)(
                    signature.as_ptr(),
                    signature.len(),
                    input.message.as_ptr(),
                    input.message.len(),
                    ptr::null(),
                    0,
                    self.public.as_ptr(),
                )
            };
            check(status == 0, "PQClean refused its own signature")?;
            live += 1;
        }
        Ok(live)
    }

    fn public(&self) -> &[u8] {
        &self.public
    }

    fn signatures(&self, at: usize) -> &[u8] {
        &self.signatures[at]
    }
}
