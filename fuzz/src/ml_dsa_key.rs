//! ML-DSA's keys in every form: what is read is consistent and is written as it was, and other implementations read it
//! alike where they read it at all.

use std::sync::OnceLock;

use hashloom::{
    Engine, Error,
    ml_dsa::{ParameterSet, PrivateKeyForm, SigningKey, VerifyingKey},
};
use pkcs8::{PrivateKeyInfoRef, der::Decode, spki::SubjectPublicKeyInfoRef};
use seeds::Reader;

use crate::{
    common::{engines, portable},
    rivals,
};

const FORMS: [PrivateKeyForm; 3] = [PrivateKeyForm::Seed, PrivateKeyForm::Expanded, PrivateKeyForm::Both];

/// A key of each set.
fn keys() -> &'static [SigningKey] {
    static KEYS: OnceLock<Vec<SigningKey>> = OnceLock::new();
    KEYS.get_or_init(|| {
        let key = |set| SigningKey::from_seed(set, &Engine::get(), &[7; 32]).expect("seeds have 32 bytes");
        ParameterSet::ALL.into_iter().map(key).collect()
    })
}

/// Input: form, set, engine, the key's bytes or changes to a good key's.
pub fn run(data: &[u8]) {
    let mut input = Reader::new(data);
    let form = input.byte();
    let good = &keys()[input.below(3)];
    let engine = &input.pick(engines());
    match form % 8 {
        0 => private_der(engine, input.rest()),
        1 => match SigningKey::from_pkcs8_pem(engine, &String::from_utf8_lossy(input.rest())) {
            Ok(key) => every_private_form(&key),
            Err(error) => known(error),
        },
        2 => {
            expanded(engine, good.set(), input.rest());
        }
        3 => {
            let form = input.pick(&FORMS);
            let der = changed(&mut input, good.to_pkcs8_der(form).expect("there is a seed").to_vec());
            private_der(engine, &der);
        }
        4 => {
            let bytes = changed(&mut input, good.to_bytes().to_vec());
            if expanded(engine, good.set(), &bytes) {
                // K is the one part that nothing can be checked against
                let but_k = |bytes: &[u8]| [&bytes[..32], &bytes[64..]].concat();
                assert_eq!(but_k(&bytes), but_k(&good.to_bytes()), "read a key with other parts");
            }
        }
        5 => public_der(engine, input.rest()),
        6 => match VerifyingKey::from_spki_pem(engine, &String::from_utf8_lossy(input.rest())) {
            Ok(key) => every_public_form(&key),
            Err(error) => known(error),
        },
        _ => public_der(engine, &changed(&mut input, good.verifying_key().to_spki_der())),
    }
}

/// Bytes with a few changes; long ones are mostly changed at their beginning, where DER has its headers.
fn changed(input: &mut Reader<'_>, mut bytes: Vec<u8>) -> Vec<u8> {
    for _ in 0..4 {
        if input.is_empty() {
            break;
        }
        let bound = if input.byte().is_multiple_of(2) { 200 } else { 65_536 };
        let at = input.below(bound.min(bytes.len() + 1));
        match input.below(4) {
            0 if at < bytes.len() => bytes[at] = input.byte(),
            1 => {
                let piece = input.field();
                bytes.splice(at..at, piece.iter().copied());
            }
            2 => {
                let end = (at + input.below(16)).min(bytes.len());
                bytes.drain(at..end);
            }
            // a length that follows a tag, a coefficient
            _ if at < bytes.len() => bytes[at] = bytes[at].wrapping_add(1),
            _ => {}
        }
    }
    bytes
}

fn private_der(engine: &Engine, der: &[u8]) {
    let result = SigningKey::from_pkcs8_der(engine, der);
    let info = PrivateKeyInfoRef::from_der(der).ok();
    if let Some(info) = info.filter(|info| info.public_key.is_none()) {
        let set = ParameterSet::from_oid(info.algorithm.oid);
        let theirs = set.and_then(|set| rivals::seed(set, &info));
        let ours = result.as_ref().ok().filter(|_| info.private_key.as_bytes()[0] == 0x80).and_then(SigningKey::seed);
        assert_eq!(ours.map(|seed| seed.to_vec()), theirs, "ml-dsa reads another seed");
    }
    match result {
        Ok(key) => {
            let info = PrivateKeyInfoRef::from_der(der).expect("what was read is PKCS#8");
            let forms = FORMS.map(|form| key.to_pkcs8_der(form).map(|der| der.to_vec()).unwrap_or_default());
            // around the key there may be attributes and the public key
            let inner = |der: &[u8]| {
                PrivateKeyInfoRef::from_der(der)
                    .is_ok_and(|found| (found.algorithm, found.private_key) == (info.algorithm, info.private_key))
            };
            let form = forms.iter().find(|form| inner(form)).expect("another encoding of a key");
            assert!(form == der || form.len() < der.len(), "another encoding of PKCS#8");
            every_private_form(&key);
        }
        Err(error) => known(error),
    }
}

/// Whether the bytes are a key.
fn expanded(engine: &Engine, set: ParameterSet, bytes: &[u8]) -> bool {
    match SigningKey::from_bytes(set, engine, bytes) {
        Ok(key) => {
            assert_eq!((key.set(), &key.to_bytes()[..], key.seed()), (set, bytes, None));
            let theirs = rivals::public_of(set, bytes);
            assert_eq!(theirs.as_deref(), Some(key.verifying_key().as_bytes()), "fips204, public key");
            every_private_form(&key);
            true
        }
        Err(Error::WrongLength { expected, actual }) => {
            assert!((expected, actual) == (set.signing_key_len(), bytes.len()) && expected != actual);
            false
        }
        Err(error) => {
            known(error);
            assert_eq!(bytes.len(), set.signing_key_len());
            false
        }
    }
}

fn every_private_form(key: &SigningKey) {
    let engine = &Engine::get();
    let same = |read: Result<SigningKey, Error>| {
        let read = read.expect("what was written is read");
        assert_eq!(
            (read.set(), read.to_bytes(), read.verifying_key()),
            (key.set(), key.to_bytes(), key.verifying_key())
        );
    };
    match key.seed() {
        Some(seed) => same(SigningKey::from_seed(key.set(), engine, &seed)),
        None => assert_eq!(key.to_pkcs8_der(PrivateKeyForm::Both), Err(Error::NoSeed)),
    }
    for form in FORMS {
        if let Ok(pem) = key.to_pkcs8_pem(form) {
            same(SigningKey::from_pkcs8_pem(engine, &pem));
        }
    }
    same(SigningKey::from_bytes(key.set(), engine, &key.to_bytes()));
    every_public_form(&key.verifying_key());
}

fn public_der(engine: &Engine, der: &[u8]) {
    let result = VerifyingKey::from_spki_der(engine, der);
    if let Ok(info) = SubjectPublicKeyInfoRef::from_der(der) {
        let theirs = ParameterSet::from_oid(info.algorithm.oid).and_then(|set| rivals::public(set, &info));
        assert_eq!(result.as_ref().ok().map(|key| key.as_bytes().to_vec()), theirs, "ml-dsa reads another key");
    }
    match result {
        Ok(key) => {
            // nothing of a SubjectPublicKeyInfo is optional, and DER has one form
            assert_eq!(key.to_spki_der(), der, "DER that is not the key's own");
            every_public_form(&key);
        }
        Err(error) => known(error),
    }
}

fn every_public_form(key: &VerifyingKey) {
    let engine = &portable();
    assert_eq!(VerifyingKey::from_spki_der(engine, &key.to_spki_der()).as_ref(), Ok(key));
    assert_eq!(VerifyingKey::from_spki_pem(engine, &key.to_spki_pem()).as_ref(), Ok(key));
    assert_eq!(VerifyingKey::from_bytes(key.set(), engine, key.as_bytes()).as_ref(), Ok(key));
}

fn known(error: Error) {
    let known = matches!(error, Error::InvalidEncoding | Error::WrongLength { .. } | Error::InconsistentKey);
    assert!(known, "{error:?}");
}
