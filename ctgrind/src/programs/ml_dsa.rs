//! Everything that a private key of ML-DSA does, with xi, the expanded key and fresh randomness marked.

use hashloom::{
    Engine, Error, at_rest, ct,
    ml_dsa::{Mode, ParameterSet, PreHash, PrivateKeyForm, Randomness, Signature, SigningKey},
};

use super::{Counter, MESSAGE, PURE, Program, Scope, all_secret};

/// All three run the same compiled code, and the first the other branch of every choice by eta and gamma2 than the last.
pub const SETS: [(ParameterSet, Scope); 3] = [
    (ParameterSet::MlDsa44, Scope::Backends),
    (ParameterSet::MlDsa65, Scope::Automatic),
    (ParameterSet::MlDsa87, Scope::Automatic),
];

pub const PROGRAMS: [Program<ParameterSet>; 8] = [
    ("keygen", keygen),
    ("sign-hedged-pure", sign_hedged_pure),
    ("sign-deterministic-pure", sign_deterministic_pure),
    ("sign-prehash", sign_prehash),
    ("sign-batch", sign_batch),
    ("sign-expanded", sign_expanded),
    ("import", import),
    ("encrypt", encrypt),
];

/// Messages of a batch: a hundred attempts, of which some fail at every test.
const BATCH: usize = 20;

/// A key from a marked seed.
pub fn key(set: ParameterSet, engine: &Engine) -> SigningKey {
    let mut seed = [0; 32];
    Counter { next: 1, marked: true }.give(&mut seed);
    SigningKey::from_seed(set, engine, &seed).expect("a seed has 32 bytes")
}

/// Where s1, s2 and t0 begin in an expanded key, behind rho, K and tr.
pub const S1: usize = 128;

/// Marks are where they belong: on every byte of xi, K, s1, s2 and t0, on none of rho, tr and the public key.
fn check_key(key: &SigningKey) {
    let bytes = key.to_bytes();
    assert!(all_secret(&bytes[32..64]) && all_secret(&bytes[S1..]), "a private byte lost its mark");
    assert!(key.seed().is_none_or(|seed| all_secret(&seed)), "the seed lost a mark");
    assert!(!ct::is_secret(&bytes[..32]) && !ct::is_secret(&bytes[64..S1]), "rho or tr is marked");
    assert!(!ct::is_secret(key.verifying_key().as_bytes()), "the public key is marked");
}

/// What `key` has signed verifies, where the tool sees if a mark is left, and the key has kept its own.
fn check(key: &SigningKey, message: &[u8], mode: &Mode<'_>, signature: Result<Signature, Error>) {
    let signature: Vec<u8> = signature.expect("signing succeeds").into();
    key.verifying_key().verify(message, mode, &signature).expect("the signature verifies");
    assert!(!ct::is_secret(&signature), "the signature is marked");
    check_key(key);
}

fn keygen(set: ParameterSet, engine: &Engine) {
    let mut rng = Counter { next: 1, marked: false };
    let generated = SigningKey::generate(set, engine, &mut rng).expect("the generator does not fail");
    assert_eq!(generated.verifying_key(), key(set, engine).verifying_key());
    check_key(&generated);
}

fn sign_hedged_pure(set: ParameterSet, engine: &Engine) {
    let key = key(set, engine);
    let mut rng = Counter { next: 2, marked: true };
    check(&key, MESSAGE, &PURE, key.sign(MESSAGE, &PURE, Randomness::Hedged(&mut rng)));
}

fn sign_deterministic_pure(set: ParameterSet, engine: &Engine) {
    let key = key(set, engine);
    check(&key, MESSAGE, &PURE, key.sign(MESSAGE, &PURE, Randomness::Deterministic));
}

/// And by mu.
fn sign_prehash(set: ParameterSet, engine: &Engine) {
    let key = key(set, engine);
    let mode = Mode::PreHash { context: &[], function: PreHash::Sha2_512 };
    let mut rng = Counter { next: 3, marked: true };
    check(&key, MESSAGE, &mode, key.sign(MESSAGE, &mode, Randomness::Hedged(&mut rng)));
    let mut hasher = key.verifying_key().mu(&mode).expect("the context is short");
    hasher.update(MESSAGE);
    let mu = hasher.finish().expect("a message may have any length");
    check(&key, MESSAGE, &mode, key.sign_mu(&mu, Randomness::Hedged(&mut rng)));
}

fn sign_batch(set: ParameterSet, engine: &Engine) {
    let key = key(set, engine);
    let messages: Vec<[u8; 50]> = (0..BATCH).map(|i| [i as u8; 50]).collect();
    let messages: Vec<&[u8]> = messages.iter().map(|message| &message[..]).collect();
    let mut rng = Counter { next: 4, marked: true };
    let signatures = key.sign_batch(&messages, &PURE, Randomness::Hedged(&mut rng));
    assert_eq!(signatures.len(), messages.len());
    for (message, signature) in messages.into_iter().zip(signatures) {
        check(&key, message, &PURE, signature);
    }
}

fn sign_expanded(set: ParameterSet, engine: &Engine) {
    let (key, expanded) = (key(set, engine), key(set, engine).expand());
    for message in [MESSAGE, &[0xa5; 300]] {
        check(&key, message, &Mode::Internal, expanded.sign(message, &Mode::Internal, Randomness::Deterministic));
    }
}

/// The encodings of RFC 9881 out and in again, the expanded key alone, and keys that fail each of the checks.
fn import(set: ParameterSet, engine: &Engine) {
    let key = key(set, engine);
    for form in [PrivateKeyForm::Seed, PrivateKeyForm::Expanded, PrivateKeyForm::Both] {
        let der = key.to_pkcs8_der(form).expect("the key knows its seed");
        assert!(ct::is_secret(&der), "the encoding lost its marks");
        let read = SigningKey::from_pkcs8_der(engine, &der).expect("what has been written can be read");
        assert_eq!(read.verifying_key(), key.verifying_key());
        check(&read, MESSAGE, &PURE, read.sign(MESSAGE, &PURE, Randomness::Deterministic));
    }

    let mut both = key.to_pkcs8_der(PrivateKeyForm::Both).expect("the key knows its seed");
    *both.last_mut().expect("it is not empty") ^= 1;
    assert_eq!(SigningKey::from_pkcs8_der(engine, &both).err(), Some(Error::InconsistentKey));
    // s1 out of range, t0 and tr of another key
    let wrong =
        [(S1, 0x0f, Error::InvalidEncoding), (S1 + 3000, 1, Error::InconsistentKey), (64, 1, Error::InconsistentKey)];
    for (at, bits, error) in wrong {
        let mut bytes = key.to_bytes();
        let at = at.min(bytes.len() - 1);
        bytes[at] = if bits == 1 { bytes[at] ^ 1 } else { bytes[at] | bits };
        assert_eq!(SigningKey::from_bytes(set, engine, &bytes).err(), Some(error));
    }
}

/// The key under a passphrase, which is marked as well.
fn encrypt(set: ParameterSet, engine: &Engine) {
    const ITERATIONS: u32 = 3;
    let key = key(set, engine);
    for prf in [at_rest::Prf::HmacSha256, at_rest::Prf::HmacSha512] {
        let mut passphrase = *b"passphrase";
        ct::secret(&mut passphrase);
        let mut der = key.to_pkcs8_der(PrivateKeyForm::Both).expect("the key knows its seed");
        let protection = at_rest::Protection { prf, iterations: ITERATIONS };
        let mut rng = Counter { next: 5, marked: false };
        let mut locked =
            at_rest::encrypt(engine, &passphrase, &der, &protection, &mut rng).expect("it is a private key");
        assert!(all_secret(&locked[locked.len() - der.len()..]), "the encrypted key lost a mark");
        [&mut locked[..], &mut passphrase, &mut der].into_iter().for_each(ct::reveal);
        let opened = at_rest::decrypt(engine, &passphrase, &locked, ITERATIONS).expect("the passphrase is right");
        assert_eq!(opened, der);
    }
}
