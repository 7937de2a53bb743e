//! Other implementations of ML-DSA, the crates ml-dsa and fips204.

use fips204::traits::{SerDes, Verifier};
use hashloom::ml_dsa::{Mode, ParameterSet};
use ml_dsa::{EncodedVerifyingKey, MlDsaParams};
use pkcs8::{PrivateKeyInfoRef, spki::SubjectPublicKeyInfoRef};

use crate::common::{digest, framed, oid};

/// Calls `$run::<P>($arg...)` with the set as the crate ml-dsa names it.
macro_rules! with_set {
    ($set:expr, $run:ident($($arg:expr),*)) => {
        match $set {
            ParameterSet::MlDsa44 => $run::<ml_dsa::MlDsa44>($($arg),*),
            ParameterSet::MlDsa65 => $run::<ml_dsa::MlDsa65>($($arg),*),
            ParameterSet::MlDsa87 => $run::<ml_dsa::MlDsa87>($($arg),*),
        }
    };
}

/// Runs the expression with `$module` as the set's module of the crate fips204.
macro_rules! with_module {
    ($set:expr, $module:ident, $run:expr) => {
        match $set {
            ParameterSet::MlDsa44 => {
                use fips204::ml_dsa_44 as $module;
                $run
            }
            ParameterSet::MlDsa65 => {
                use fips204::ml_dsa_65 as $module;
                $run
            }
            ParameterSet::MlDsa87 => {
                use fips204::ml_dsa_87 as $module;
                $run
            }
        }
    };
}

/// Panics if another implementation's verdict on a signature is not this one. A context is no longer than 255 bytes, a
/// public key has the right length.
pub(crate) fn agree(
    set: ParameterSet,
    public: &[u8],
    mode: &Mode<'_>,
    message: &[u8],
    signature: &[u8],
    verdict: bool,
) {
    let framed = framed(mode, message).expect("what has no M' is not verified");
    let theirs = with_set!(set, verify(public, &framed, signature));
    assert_eq!(theirs, verdict, "ml-dsa, {set}, {mode:?}");
    let theirs = with_module!(set, module, {
        let public = public.try_into().expect("the key has its length");
        let public = module::PublicKey::try_from_bytes(public).expect("any bytes are a key");
        match (signature.try_into(), mode) {
            (Err(_), _) => Some(false),
            (Ok(signature), Mode::Pure { context }) => Some(public.verify(message, signature, context)),
            (Ok(signature), &Mode::PreHash { context, function }) => {
                Some(public.hash_verify(&digest(function, message), signature, context, &oid(function)))
            }
            // it has no other interfaces
            _ => None,
        }
    });
    assert!(theirs.is_none_or(|theirs| theirs == verdict), "fips204, {set}, {mode:?}: {theirs:?}");
}

fn verify<P: MlDsaParams>(public: &[u8], framed: &[u8], signature: &[u8]) -> bool {
    let public = EncodedVerifyingKey::<P>::try_from(public).expect("the key has its length");
    let public = ml_dsa::VerifyingKey::<P>::decode(&public);
    ml_dsa::Signature::<P>::try_from(signature).is_ok_and(|signature| public.verify_internal(framed, &signature))
}

/// The seed of a private key in the form with the seed alone, which is all that the crate ml-dsa reads.
pub(crate) fn seed(set: ParameterSet, info: &PrivateKeyInfoRef<'_>) -> Option<Vec<u8>> {
    macro_rules! read {
        ($set:ident) => {
            ml_dsa::SigningKey::<ml_dsa::$set>::try_from(info.clone()).ok().map(|key| key.to_seed().to_vec())
        };
    }
    match set {
        ParameterSet::MlDsa44 => read!(MlDsa44),
        ParameterSet::MlDsa65 => read!(MlDsa65),
        ParameterSet::MlDsa87 => read!(MlDsa87),
    }
}

/// A public key that the crate ml-dsa reads.
pub(crate) fn public(set: ParameterSet, info: &SubjectPublicKeyInfoRef<'_>) -> Option<Vec<u8>> {
    macro_rules! read {
        ($set:ident) => {
            ml_dsa::VerifyingKey::<ml_dsa::$set>::try_from(info.clone()).ok().map(|key| key.encode().to_vec())
        };
    }
    match set {
        ParameterSet::MlDsa44 => read!(MlDsa44),
        ParameterSet::MlDsa65 => read!(MlDsa65),
        ParameterSet::MlDsa87 => read!(MlDsa87),
    }
}

/// The public key of a private key in its expanded form, by the crate fips204.
pub(crate) fn public_of(set: ParameterSet, private: &[u8]) -> Option<Vec<u8>> {
    use fips204::traits::Signer;
    with_module!(set, module, {
        let private = module::PrivateKey::try_from_bytes(private.try_into().ok()?).ok()?;
        Some(private.get_public_key().into_bytes().to_vec())
    })
}
