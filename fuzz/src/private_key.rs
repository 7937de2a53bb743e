//! Private keys in every form: what is read is consistent and is written again as it was.

use hashloom::{
    Engine, Error,
    slh_dsa::{ParameterSet, SigningKey},
};
use pkcs8::SecretDocument;
use seeds::Reader;

use crate::common::{engines, set, stretched};

/// Input: form, set, engine, the key's bytes.
pub fn run(data: &[u8]) {
    let mut input = Reader::new(data);
    let form = input.byte();
    let set = set(&mut input);
    let engine = &input.pick(engines());
    match form % 4 {
        0 => read(SigningKey::from_pkcs8_der(engine, input.rest())),
        1 => read(SigningKey::from_pkcs8_pem(engine, &String::from_utf8_lossy(input.rest()))),
        2 => {
            let bytes = input.rest();
            read(SigningKey::from_bytes(set, engine, bytes));
            match SigningKey::from_bytes_unchecked(set, engine, bytes) {
                Ok(key) => assert_eq!((key.set(), &key.to_bytes()[..]), (set, bytes)),
                Err(error) => {
                    assert_eq!(error, Error::WrongLength { expected: set.signing_key_len(), actual: bytes.len() });
                }
            }
        }
        _ => changed(&mut input, engine),
    }
}

/// A good key's DER with changes: refused, or read as that key.
fn changed(input: &mut Reader<'_>, engine: &Engine) {
    let set = input.pick(&[ParameterSet::Sha2_128f, ParameterSet::Shake128f]);
    let seed = stretched(input.take(4), set.n());
    let key = SigningKey::from_seeds(set, engine, &seed, &seed, &seed).expect("seeds have n bytes");
    let mut der = key.to_pkcs8_der().to_vec();
    for _ in 0..4 {
        if input.is_empty() {
            break;
        }
        let at = input.below(der.len() + 1);
        match input.below(4) {
            0 if at < der.len() => der[at] = input.byte(),
            1 => {
                let piece = input.field();
                der.splice(at..at, piece.iter().copied());
            }
            2 => {
                let end = (at + input.below(16)).min(der.len());
                der.drain(at..end);
            }
            // a length that follows a tag
            _ if at < der.len() => der[at] = der[at].wrapping_add(1),
            _ => {}
        }
    }
    if let Ok(found) = SigningKey::from_pkcs8_der(engine, &der) {
        // SK.prf is the one part that nothing can be checked against
        let part = |key: &SigningKey, i: usize| key.to_bytes()[i * 16..(i + 1) * 16].to_vec();
        let same_seeds = [0, 2].iter().all(|&i| part(&found, i) == part(&key, i)) && found.set() == set;
        assert!(same_seeds, "a key with other seeds and the same root");
    }
    read(SigningKey::from_pkcs8_der(engine, &der));
}

fn read(result: Result<SigningKey, Error>) {
    // the roots of some sets take so long that all is made twice at most, on the fastest engine
    let engine = &Engine::get();
    match result {
        Ok(key) => {
            let bytes = key.to_bytes();
            let n = key.set().n();
            let made = SigningKey::from_seeds(key.set(), engine, &bytes[..n], &bytes[n..2 * n], &bytes[2 * n..3 * n]);
            assert_eq!(made.map(|made| made.to_bytes()), Ok(bytes.clone()), "read a key with a wrong root");
            let same = |result: Result<SigningKey, Error>| {
                assert_eq!(result.map(|again| (again.set(), again.to_bytes())), Ok((key.set(), bytes.clone())));
            };
            same(SigningKey::from_pkcs8_pem(engine, &key.to_pkcs8_pem()));
            let der = SecretDocument::from_pem(&key.to_pkcs8_pem()).map(|(_, document)| document.to_bytes());
            assert_eq!(der.ok(), Some(key.to_pkcs8_der()), "PEM and DER differ");
            same(SigningKey::from_bytes_unchecked(key.set(), engine, &bytes));
            assert_eq!(key.verifying_key().as_bytes(), &bytes[2 * n..]);
        }
        Err(error) => {
            let known = matches!(error, Error::InvalidEncoding | Error::WrongLength { .. } | Error::InconsistentKey);
            assert!(known, "{error:?}");
        }
    }
}
