//! Private keys encrypted under a passphrase: round trips, what others have written, damage, limits, and what is refused.

mod common;

use std::ops::ControlFlow;

use common::{
    on_every_engine,
    slh::{Broken, DRAWN, Failing, Rng},
};
use hashloom::{
    Engine, Error,
    at_rest::{self, DEFAULT_ITERATIONS, MAX_ITERATIONS, Prf, Protection},
    slh_dsa::{ParameterSet, SigningKey},
};

const PASSPHRASE: &[u8] = b"passphrase";

/// An Ed25519 key, made with those below.
const PLAIN: &str = "302e020100300506032b6570042204209a928f87b0c5423f3d1e060e9d0fae5a5337725b87198772ef727c6d6247f940";

/// By OpenSSL 3.0.19: `openssl pkcs8 -topk8 -v2 aes-256-cbc -v2prf hmacWithSHA256 -iter 1000` and so on.
const THEIRS: [(&str, &str); 4] = [
    (
        "HMAC-SHA-256, AES-256",
        "30819b305706092a864886f70d01050d304a302906092a864886f70d01050c301c040827cebece28b643bb020203e830\
         0c06082a864886f70d02090500301d060960864801650304012a04102ce369a27a3ece3725820dfb70220db104400cef\
         4ca9b09418b6b6cb16e7d840e2bce47102e22cd56b16043ff7e37e61ace9328afa8606bd2a38d1f2a3dc328587cb893b\
         846bcb1f74cf2d74aaaeaaaabfe7",
    ),
    (
        "HMAC-SHA-512, AES-256",
        "30819b305706092a864886f70d01050d304a302906092a864886f70d01050c301c040807ceafc002aa28cd020203e830\
         0c06082a864886f70d020b0500301d060960864801650304012a0410b61c5d96dadc8e2a1f1afcf7fb2356ed0440ffd1\
         a25b4782184afb35f8cc1fef5b17f8814439d5fef9cdabfd3f139f994650cc249c763d8a00b551a3b244f5c2fbdba637\
         1e3d1f5200ecff66e9314c4c6964",
    ),
    (
        "HMAC-SHA-384, AES-192",
        "30819b305706092a864886f70d01050d304a302906092a864886f70d01050c301c0408fc5a271cca089088020203e830\
         0c06082a864886f70d020a0500301d06096086480165030401160410ae4fa1f1688246f3eb70a740b60d5f9c04404f6e\
         01695e5d1b1ca383421e6ee16ad141b156b2632f34622bef3e6ccfe2af1f961004d315516f0f74843ba1a0c380f26af1\
         315d2af993c4aa0d861e466dbf74",
    ),
    (
        "HMAC-SHA-224, AES-128",
        "30819b305706092a864886f70d01050d304a302906092a864886f70d01050c301c040800a6c1ebf4b536ae020203e830\
         0c06082a864886f70d02080500301d06096086480165030401020410fbfe264c76548219a680e5fd273ea55d04409e23\
         57d2ad5a1feb69aadaa592a4e9ca0d3e90bdf7eb7dcfc8e6d3f6c6b2599eb40b57523261ee03121c7845ba78ab8d4002\
         7c60fe9da2b94c927310fc735482",
    ),
];

/// By the same, forms that are not read here.
const UNSUPPORTED: [(&str, &str); 4] = [
    (
        "HMAC-SHA-1",
        "30818d304906092a864886f70d01050d303c301b06092a864886f70d01050c300e0408c32733890d458cd4020203e830\
         1d060960864801650304012a0410bf8c38b3f8c57e1d2621cd05bc88c8e904405cb660af84316b2bb9584c87476c605d\
         282cdd36eb44f58d63f298b472d1d1134b35de88d75c2cfce9869558d316a0687ec019fb4bec28401749b340c771d0a6",
    ),
    (
        "3DES",
        "30818a304e06092a864886f70d01050d3041302906092a864886f70d01050c301c0408318cb4413148a491020203e830\
         0c06082a864886f70d02090500301406082a864886f70d0307040837df9b3a6d6ee48b04384dd96503d7cc37f1884e7d\
         1e4a3158140615d742923d29b3f31dd34c6c2366e37d760aa560e0f6ed3113f4c82add579846a6627d65e30d7d",
    ),
    (
        "scrypt",
        "308192304e06092a864886f70d01050d3041302006092b06010401da47040b301304089e74d9d2e1f2a1570201100201\
         08020101301d060960864801650304012a0410d21d0d05eec5796bd0b5d7208d248ea604408d2879b03425260493f9da\
         bdc30341556bfb921348c2c7b4c144a738fb0018ca770eee8a95b45351dccfb2524fe1aa43523ef22b70391997028621\
         3430fef482",
    ),
    (
        "PBES1",
        "3058301c060a2a864886f70d010c0103300e040865029add4af991ff020203e80438025a659cecb15a29662fba0ed9d3\
         6f6b32ba7d4988d8308f365dbf3245b8de6d1504c4594b95c50e511654ddff3a9735d660c94ca602dd5e",
    ),
];

fn protection(iterations: u32) -> Protection {
    Protection { iterations, ..Protection::default() }
}

fn key(engine: &Engine) -> SigningKey {
    SigningKey::generate(ParameterSet::Shake128f, engine, &mut Rng::new("at rest")).unwrap()
}

fn locked(engine: &Engine, protection: Protection) -> (SigningKey, Vec<u8>) {
    let key = key(engine);
    let der = key.to_pkcs8_der();
    let locked = at_rest::encrypt(engine, PASSPHRASE, &der, &protection, &mut Rng::new("salt")).unwrap();
    (key, locked)
}

fn open(engine: &Engine, passphrase: &[u8], der: &[u8]) -> Result<Vec<u8>, Error> {
    at_rest::decrypt(engine, passphrase, der, MAX_ITERATIONS).map(|key| key.to_vec())
}

/// A DER value of up to 65,535 bytes.
fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let len = content.len();
    let mut out = vec![tag];
    match len {
        0..0x80 => out.push(len as u8),
        0x80..0x100 => out.extend([0x81, len as u8]),
        _ => out.extend([0x82, (len >> 8) as u8, len as u8]),
    }
    out.extend_from_slice(content);
    out
}

fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    tlv(0x30, &parts.concat())
}

/// EncryptedPrivateKeyInfo in parts, to be put together with one of them changed.
struct Parts {
    scheme: Vec<u8>,
    kdf: Vec<u8>,
    salt: Vec<u8>,
    iterations: Vec<u8>,
    key_length: Vec<u8>,
    prf: Vec<u8>,
    cipher: Vec<u8>,
    iv: Vec<u8>,
    data: Vec<u8>,
}

impl Parts {
    /// Those of the first file of `THEIRS`.
    fn of_theirs() -> Self {
        let file = hex::decode(THEIRS[0].1).unwrap();
        Self {
            scheme: file[5..16].to_vec(),
            kdf: file[20..31].to_vec(),
            salt: file[33..43].to_vec(),
            iterations: file[43..47].to_vec(),
            key_length: Vec::new(),
            prf: file[47..61].to_vec(),
            cipher: file[63..74].to_vec(),
            iv: file[74..92].to_vec(),
            data: file[92..].to_vec(),
        }
    }

    fn with(edit: impl FnOnce(&mut Self)) -> Vec<u8> {
        let mut parts = Self::of_theirs();
        edit(&mut parts);
        let pbkdf2 = sequence(&[&parts.salt, &parts.iterations, &parts.key_length, &parts.prf]);
        let kdf = sequence(&[&parts.kdf, &pbkdf2]);
        let cipher = sequence(&[&parts.cipher, &parts.iv]);
        let scheme = sequence(&[&parts.scheme, &sequence(&[&kdf, &cipher])]);
        sequence(&[&scheme, &parts.data])
    }
}

#[test]
fn round_trips() {
    on_every_engine(|engine| {
        for prf in [Prf::HmacSha256, Prf::HmacSha512] {
            let (key, der) = locked(engine, Protection { prf, iterations: 100 });
            assert!(at_rest::is_der(&der) && !at_rest::is_der(&key.to_pkcs8_der()));
            let opened = open(engine, PASSPHRASE, &der).unwrap();
            assert_eq!(opened, *key.to_pkcs8_der());
            assert_eq!(SigningKey::from_pkcs8_der(engine, &opened).unwrap().to_bytes(), key.to_bytes());
            let pem = at_rest::to_pem(&der).unwrap();
            assert!(pem.starts_with("-----BEGIN ENCRYPTED PRIVATE KEY-----\n") && at_rest::is_pem(&pem));
            assert_eq!(at_rest::from_pem(&pem).unwrap(), der);
            assert!(!at_rest::is_pem(&key.to_pkcs8_pem()));
            assert_eq!(at_rest::from_pem(&key.to_pkcs8_pem()), Err(Error::InvalidEncoding));
        }
    });
}

#[test]
fn every_engine_writes_the_same() {
    let (_, portable) = locked(&Engine::portable(), protection(321));
    on_every_engine(|engine| assert_eq!(locked(engine, protection(321)).1, portable));
}

#[test]
fn reads_what_openssl_writes() {
    let plain = hex::decode(PLAIN).unwrap();
    on_every_engine(|engine| {
        for (name, file) in THEIRS {
            let file = hex::decode(file).unwrap();
            assert_eq!(open(engine, PASSPHRASE, &file).as_ref(), Ok(&plain), "{name}");
            assert_eq!(open(engine, b"another", &file), Err(Error::WrongPassphrase), "{name}");
        }
    });
    for (name, file) in UNSUPPORTED {
        let file = hex::decode(file).unwrap();
        assert_eq!(open(&Engine::get(), PASSPHRASE, &file), Err(Error::UnsupportedEncryption), "{name}");
    }
}

#[test]
fn default_is_what_is_written() {
    assert_eq!(Protection::default(), Protection { prf: Prf::HmacSha256, iterations: 600_000 });
    assert_eq!((DEFAULT_ITERATIONS, MAX_ITERATIONS), (600_000, 10_000_000));
    let (_, der) = locked(&Engine::get(), Protection::default());
    // PBES2, PBKDF2, a salt of 16 bytes, 600,000, HMAC-SHA-256; AES-256-CBC
    let head = "306006092a864886f70d01050d3053303206092a864886f70d01050c30250410";
    assert_eq!(hex::encode(&der[3..35]), head);
    let text = hex::encode(&der);
    assert!(text.contains("02030927c0300c06082a864886f70d02090500"), "{text}");
    assert!(text.contains("301d060960864801650304012a0410"), "{text}");
}

/// Salts and initialization vectors are never used again.
#[test]
fn every_file_is_different() {
    let (engine, mut rng) = (Engine::get(), Rng::new("files"));
    let der = key(&engine).to_pkcs8_der();
    let mut file = || at_rest::encrypt(&engine, PASSPHRASE, &der, &protection(1), &mut rng).unwrap();
    let (one, other) = (file(), file());
    assert_eq!(one.len(), other.len());
    assert_ne!(one[35..51], other[35..51]);
    assert_ne!(one[one.len() - 96..], other[other.len() - 96..]);
}

#[test]
fn a_broken_generator_is_an_error() {
    let engine = Engine::get();
    let der = key(&engine).to_pkcs8_der();
    for given in 0..32 {
        let mut rng = Failing(&DRAWN[..given]);
        let result = at_rest::encrypt(&engine, PASSPHRASE, &der, &protection(1), &mut rng);
        assert_eq!(result, Err(Error::Randomness), "{given} bytes: {Broken}");
    }
    assert!(at_rest::encrypt(&engine, PASSPHRASE, &der, &protection(1), &mut Failing(&DRAWN[..32])).is_ok());
}

#[test]
fn only_keys_are_encrypted() {
    let engine = Engine::get();
    let der = key(&engine).to_pkcs8_der();
    for bad in [&der[..der.len() - 1], &[&der[..], &[0]].concat(), b"", b"secret"] {
        let result = at_rest::encrypt(&engine, PASSPHRASE, bad, &protection(1), &mut Rng::new("salt"));
        assert_eq!(result, Err(Error::InvalidEncoding));
    }
}

/// One error for a wrong passphrase and for damage to what is encrypted, and never a panic.
#[test]
fn damage_is_told_apart_from_nothing() {
    let engine = Engine::get();
    let (key, der) = locked(&engine, protection(3));
    let whole = key.to_pkcs8_der();
    for at in 0..der.len() {
        for bit in [0x01, 0x80] {
            let mut bad = der.clone();
            bad[at] ^= bit;
            match at_rest::decrypt(&engine, PASSPHRASE, &bad, 1000) {
                Ok(opened) => {
                    // CBC: the initialization vector and the blocks change what is read
                    assert_ne!(*opened, *whole, "byte {at}");
                    let same =
                        SigningKey::from_pkcs8_der(&engine, &opened).is_ok_and(|k| k.to_bytes() == key.to_bytes());
                    assert!(!same, "byte {at}");
                }
                Err(error) => assert!(
                    matches!(
                        error,
                        Error::WrongPassphrase
                            | Error::InvalidEncoding
                            | Error::UnsupportedEncryption
                            | Error::TooManyIterations { .. }
                    ),
                    "byte {at}: {error:?}"
                ),
            }
        }
    }
    for len in 0..der.len() {
        assert_eq!(open(&engine, PASSPHRASE, &der[..len]), Err(Error::InvalidEncoding), "{len} bytes");
    }
    assert_eq!(open(&engine, PASSPHRASE, &[&der[..], &[0]].concat()), Err(Error::InvalidEncoding));
}

/// One in 256 leaves padding that looks right.
#[test]
fn wrong_passphrases_are_one_error() {
    let engine = Engine::get();
    let (_, der) = locked(&engine, protection(1));
    for i in 0..2000 {
        let passphrase = format!("passphrase {i}");
        assert_eq!(open(&engine, passphrase.as_bytes(), &der), Err(Error::WrongPassphrase), "{i}");
    }
    assert_eq!(open(&engine, b"", &der), Err(Error::WrongPassphrase));
    // RFC 2104 pads keys with zeros, so that this one is the same
    assert!(open(&engine, b"passphrase\0", &der).is_ok());
}

#[test]
fn iterations_are_limited_before_any_work() {
    let engine = Engine::get();
    let integers: [(&[u8], u32); 7] = [
        (&[0x00, 0x98, 0x96, 0x81], MAX_ITERATIONS),
        (&[0x05, 0xf5, 0xe1, 0x01], MAX_ITERATIONS),
        (&[0x7f, 0xff, 0xff, 0xff], MAX_ITERATIONS),
        (&[0x00, 0xff, 0xff, 0xff, 0xff], u32::MAX - 1),
        (&[0x01, 0x00, 0x00, 0x00, 0x00], u32::MAX),
        (&[0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], u32::MAX),
        (&[0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], u32::MAX),
    ];
    for (integer, limit) in integers {
        let file = Parts::with(|parts| parts.iterations = tlv(2, integer));
        let result = at_rest::decrypt(&engine, PASSPHRASE, &file, limit);
        assert_eq!(result, Err(Error::TooManyIterations { limit }), "{integer:02x?}");
    }
    let file = Parts::with(|_| ());
    assert_eq!(file, hex::decode(THEIRS[0].1).unwrap());
    assert!(at_rest::decrypt(&engine, PASSPHRASE, &file, 1000).is_ok());
    let result = at_rest::decrypt(&engine, PASSPHRASE, &file, 999);
    assert_eq!(result, Err(Error::TooManyIterations { limit: 999 }));
    for bad in [&[0][..], &[0xff], &[0x80, 0, 0, 0], &[], &[0, 1]] {
        let file = Parts::with(|parts| parts.iterations = tlv(2, bad));
        assert_eq!(open(&engine, PASSPHRASE, &file), Err(Error::InvalidEncoding), "{bad:02x?}");
    }
    let der = key(&engine).to_pkcs8_der();
    let encrypt = |n| at_rest::encrypt(&engine, PASSPHRASE, &der, &protection(n), &mut Rng::new("salt")).map(|_| ());
    assert_eq!(encrypt(0), Err(Error::NothingToDerive));
    assert_eq!(encrypt(MAX_ITERATIONS + 1), Err(Error::TooManyIterations { limit: MAX_ITERATIONS }));
    let most = protection(MAX_ITERATIONS);
    let stopped =
        at_rest::encrypt_with(&engine, PASSPHRASE, &der, &most, &mut Rng::new("salt"), &mut |_| ControlFlow::Break(()));
    assert_eq!(stopped, Err(Error::Cancelled));
}

#[test]
fn parameters() {
    let engine = Engine::get();
    let result = |edit: fn(&mut Parts)| open(&engine, PASSPHRASE, &Parts::with(edit)).map(|_| ());
    assert_eq!(result(|p| p.prf = sequence(&[&p.prf[2..12]])), Ok(()), "no NULL");
    assert_eq!(result(|p| p.key_length = tlv(2, &[32])), Ok(()));
    let key_lengths: [fn(&mut Parts); 4] = [
        |p| p.key_length = tlv(2, &[16]),
        |p| p.key_length = tlv(2, &[0]),
        |p| p.key_length = tlv(2, &[31]),
        |p| p.key_length = tlv(2, &[1, 0]),
    ];
    for edit in key_lengths {
        assert_eq!(result(edit), Err(Error::InvalidEncoding));
    }
    let unknown: [fn(&mut Parts); 5] = [
        |p| p.scheme[10] ^= 1,
        |p| p.kdf[10] ^= 1,
        |p| p.prf[11] ^= 0x40,
        |p| p.prf.clear(), // HMAC-SHA-1
        |p| p.cipher[10] ^= 0x40,
    ];
    for (i, edit) in unknown.into_iter().enumerate() {
        assert_eq!(result(edit), Err(Error::UnsupportedEncryption), "{i}");
    }
    let malformed: [fn(&mut Parts); 8] = [
        |p| p.prf = sequence(&[&p.prf[2..12], &[2, 1, 0]]),
        |p| p.iv = tlv(4, &[0; 15]),
        |p| p.iv = tlv(4, &[0; 17]),
        |p| p.iv = tlv(5, &[]),
        |p| p.salt = tlv(2, &[1]),
        |p| p.data = tlv(4, &[]),
        |p| p.data = tlv(4, &[0; 63]),
        |p| p.data = tlv(3, &[0; 64]),
    ];
    for (i, edit) in malformed.into_iter().enumerate() {
        assert_eq!(result(edit), Err(Error::InvalidEncoding), "{i}");
    }
    // more of the same data, and less of it
    assert_eq!(result(|p| p.data = tlv(4, &[&p.data[2..], &[0; 16]].concat())), Err(Error::WrongPassphrase));
    assert_eq!(result(|p| p.data = tlv(4, &p.data[2..50])), Err(Error::WrongPassphrase));
}

#[test]
fn progress_is_told_and_can_stop_the_work() {
    let engine = Engine::get();
    let (_, der) = locked(&engine, protection(100_000));
    let mut last = None;
    let opened = at_rest::decrypt_with(&engine, PASSPHRASE, &der, MAX_ITERATIONS, &mut |progress| {
        last = Some(progress);
        ControlFlow::Continue(())
    });
    assert!(opened.is_ok());
    assert!(last.is_some_and(|progress| progress.completed == progress.total && progress.total >= 100_000));
    let stopped = at_rest::decrypt_with(&engine, PASSPHRASE, &der, MAX_ITERATIONS, &mut |_| ControlFlow::Break(()));
    assert_eq!(stopped, Err(Error::Cancelled));
}
