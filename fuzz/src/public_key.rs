//! Public keys in every form: what is read is written again as it was.

use hashloom::{Error, slh_dsa::VerifyingKey};
use seeds::Reader;

use crate::common::{engines, portable, set};

/// Input: form, set, engine, the key's bytes.
pub fn run(data: &[u8]) {
    let mut input = Reader::new(data);
    let form = input.byte();
    let set = set(&mut input);
    let engine = &input.pick(engines());
    let bytes = input.rest();
    match form % 3 {
        0 => match VerifyingKey::from_spki_der(engine, bytes) {
            // nothing of a SubjectPublicKeyInfo is optional, and DER has one form
            Ok(key) => assert_eq!(key.to_spki_der(), bytes, "DER that is not the key's own"),
            Err(error) => check(error),
        },
        1 => match VerifyingKey::from_spki_pem(engine, &String::from_utf8_lossy(bytes)) {
            Ok(key) => every_form(&key),
            Err(error) => check(error),
        },
        _ => match VerifyingKey::from_bytes(set, engine, bytes) {
            Ok(key) => {
                assert_eq!((key.set(), key.as_bytes()), (set, bytes));
                every_form(&key);
            }
            Err(error) => {
                assert_eq!(error, Error::WrongLength { expected: set.verifying_key_len(), actual: bytes.len() });
            }
        },
    }
}

fn every_form(key: &VerifyingKey) {
    let engine = &portable();
    assert_eq!(VerifyingKey::from_spki_der(engine, &key.to_spki_der()), Ok(*key));
    assert_eq!(VerifyingKey::from_spki_pem(engine, &key.to_spki_pem()), Ok(*key));
    assert_eq!(VerifyingKey::from_bytes(key.set(), engine, key.as_bytes()), Ok(*key));
}

fn check(error: Error) {
    assert!(matches!(error, Error::InvalidEncoding | Error::WrongLength { .. }), "{error:?}");
}
