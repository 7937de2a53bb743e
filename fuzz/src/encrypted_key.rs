//! Encrypted private keys: what is opened is PKCS#8, a limit is kept, and every backend agrees.

use std::sync::OnceLock;

use hashloom::{
    Engine, Error,
    at_rest::{self, Prf, Protection},
    slh_dsa::{ParameterSet, SigningKey},
};
use pkcs8::PrivateKeyInfoRef;
use seeds::Reader;

use crate::common::engines;

/// Files that ask for more iterations are refused, so that inputs are quick.
const LIMIT: u32 = 64;
const PASSPHRASE: &[u8] = b"passphrase";

/// Input: form, engine, then a file or changes to a good one.
pub fn run(data: &[u8]) {
    let mut input = Reader::new(data);
    let form = input.byte();
    let engine = &input.pick(engines());
    match form % 3 {
        0 => open(engine, input.rest()),
        1 => {
            let text = String::from_utf8_lossy(input.rest());
            match at_rest::from_pem(&text) {
                Ok(der) => {
                    assert!(at_rest::is_pem(&text));
                    let written = at_rest::to_pem(&der).expect("DER that was PEM");
                    assert_eq!(at_rest::from_pem(&written), Ok(der.clone()));
                    open(engine, &der);
                }
                Err(error) => assert_eq!(error, Error::InvalidEncoding),
            }
        }
        _ => changed(engine, &mut input),
    }
}

fn open(engine: &Engine, der: &[u8]) {
    let opened = at_rest::decrypt(engine, PASSPHRASE, der, LIMIT);
    match &opened {
        Ok(key) => {
            assert!(at_rest::is_der(der));
            assert!(PrivateKeyInfoRef::try_from(&key[..]).is_ok(), "opened something that is no key");
        }
        Err(error) => assert!(
            matches!(
                error,
                Error::WrongPassphrase
                    | Error::InvalidEncoding
                    | Error::UnsupportedEncryption
                    | Error::TooManyIterations { limit: LIMIT }
            ),
            "{error:?}"
        ),
    }
    assert_eq!(at_rest::decrypt(&Engine::portable(), PASSPHRASE, der, LIMIT), opened);
}

/// A key's file under each function.
fn good() -> &'static [Vec<u8>; 2] {
    static GOOD: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
    GOOD.get_or_init(|| {
        let engine = Engine::get();
        let key = SigningKey::from_seeds(ParameterSet::Sha2_128f, &engine, &[1; 16], &[2; 16], &[3; 16]);
        let key = key.expect("seeds of 16 bytes");
        let lock = |prf| {
            let protection = Protection { prf, iterations: 3 };
            let der = key.to_pkcs8_der();
            at_rest::encrypt(&engine, PASSPHRASE, &der, &protection, &mut getrandom::SysRng)
                .expect("the system's bytes")
        };
        [lock(Prf::HmacSha256), lock(Prf::HmacSha512)]
    })
}

/// CBC does not authenticate, so that what comes out of changes may be another key; it is PKCS#8 or nothing.
fn changed(engine: &Engine, input: &mut Reader<'_>) {
    let mut der = good()[input.below(2)].clone();
    while !input.is_empty() {
        let at = input.below(der.len());
        match input.below(3) {
            0 => der[at] = input.byte(),
            1 => {
                let piece = input.take(4);
                der.splice(at..at, piece.iter().copied());
            }
            _ => {
                let end = (at + 1 + input.below(8)).min(der.len());
                der.drain(at..end);
            }
        }
        if der.is_empty() {
            return;
        }
    }
    if let Ok(key) = at_rest::decrypt(engine, PASSPHRASE, &der, LIMIT) {
        assert!(PrivateKeyInfoRef::try_from(&key[..]).is_ok(), "opened something that is no key");
    }
}
