//! Everything that a private key of SLH-DSA does, with SK.seed, SK.prf and fresh randomness marked.

use hashloom::{
    Engine, Error, ct,
    slh_dsa::{Mode, ParameterSet, PreHash, Random, Randomness, Signature, SigningKey},
};

use super::{Counter, MESSAGE, PURE, Program, Scope};

/// The fast set of every pair of family and n: each is a compilation of its own, which the small sets share. The first
/// four have every way of hashing in them and are what runs by default.
pub const SETS: [(ParameterSet, Scope); 6] = [
    (ParameterSet::Sha2_128f, Scope::Backends),
    (ParameterSet::Sha2_192f, Scope::Backends),
    (ParameterSet::Shake128f, Scope::Backends),
    (ParameterSet::Shake256f, Scope::Backends),
    (ParameterSet::Sha2_256f, Scope::All),
    (ParameterSet::Shake192f, Scope::All),
];

pub const PROGRAMS: [Program<ParameterSet>; 8] = [
    ("keygen", keygen),
    ("sign-hedged-pure", sign_hedged_pure),
    ("sign-deterministic-pure", sign_deterministic_pure),
    ("sign-prehash", sign_prehash),
    ("sign-checked", sign_checked),
    ("sign-batch", sign_batch),
    ("sign-expanded", sign_expanded),
    ("import", import),
];

/// A key from marked seeds.
fn key(set: ParameterSet, engine: &Engine) -> SigningKey {
    let mut seeds = vec![0; 3 * set.n()];
    Counter { next: 1, marked: false }.give(&mut seeds);
    ct::secret(&mut seeds[..2 * set.n()]);
    let (sk_seed, rest) = seeds.split_at(set.n());
    let (sk_prf, pk_seed) = rest.split_at(set.n());
    SigningKey::from_seeds(set, engine, sk_seed, sk_prf, pk_seed).expect("seeds have n bytes")
}

/// Marks are where they belong: on every byte of SK.seed and SK.prf, on none of the public key.
fn check_key(key: &SigningKey) {
    let bytes = key.to_bytes();
    let (private, public) = bytes.split_at(2 * key.set().n());
    assert!(private.chunks(1).all(ct::is_secret), "a private byte lost its mark");
    assert!(!ct::is_secret(public) && !ct::is_secret(key.verifying_key().as_bytes()), "the public key is marked");
}

/// What `key` has signed verifies, and marks reached its parts: R has none any more; the first FORS secret and every
/// layer's WOTS+ values and authentication path, which nothing may look at before they are out, have theirs.
fn check(key: &SigningKey, message: &[u8], mode: &Mode<'_>, signature: Result<Signature, Error>) {
    let n = key.set().n();
    let mut bytes: Vec<u8> = signature.expect("signing succeeds").into();
    assert!(!ct::is_secret(&bytes[..n]), "R is marked");
    assert!(bytes[n..].chunks(n).all(ct::is_secret), "a part of the signature lost its mark");
    ct::reveal(&mut bytes);
    key.verifying_key().verify(message, mode, &bytes).expect("the signature verifies");
}

fn keygen(set: ParameterSet, engine: &Engine) {
    let mut rng = Counter { next: 1, marked: false };
    let generated = SigningKey::generate(set, engine, &mut rng).expect("the generator does not fail");
    check_key(&generated);
    assert_eq!(generated.verifying_key(), key(set, engine).verifying_key());
}

fn sign_hedged_pure(set: ParameterSet, engine: &Engine) {
    let key = key(set, engine);
    let mut rng = Counter { next: 2, marked: true };
    let rng: &mut dyn Random = &mut rng;
    check(&key, MESSAGE, &PURE, key.sign(MESSAGE, &PURE, Randomness::Hedged(rng)));
}

fn sign_deterministic_pure(set: ParameterSet, engine: &Engine) {
    let key = key(set, engine);
    check(&key, MESSAGE, &PURE, key.sign(MESSAGE, &PURE, Randomness::Deterministic));
}

fn sign_prehash(set: ParameterSet, engine: &Engine) {
    let key = key(set, engine);
    let function = if set.name().contains("SHA2") { PreHash::Sha2_512 } else { PreHash::Shake256 };
    let mode = Mode::PreHash { context: &[], function };
    let mut rng = Counter { next: 3, marked: true };
    check(&key, MESSAGE, &mode, key.sign(MESSAGE, &mode, Randomness::Hedged(&mut rng)));
}

/// Verifies what is not out yet.
fn sign_checked(set: ParameterSet, engine: &Engine) {
    let key = key(set, engine).verify_after_sign(true);
    check(&key, MESSAGE, &Mode::Internal, key.sign(MESSAGE, &Mode::Internal, Randomness::Deterministic));
}

fn sign_batch(set: ParameterSet, engine: &Engine) {
    let key = key(set, engine);
    let messages = [MESSAGE, &[0xa5; 300]];
    let mut rng = Counter { next: 4, marked: true };
    let signatures = key.sign_batch(&messages, &PURE, Randomness::Hedged(&mut rng));
    assert_eq!(signatures.len(), messages.len());
    for (message, signature) in messages.into_iter().zip(signatures) {
        check(&key, message, &PURE, signature);
    }
}

/// Upper trees are kept: filled beforehand, met while signing, and used again.
fn sign_expanded(set: ParameterSet, engine: &Engine) {
    let key = key(set, engine).expand(32 << 10);
    assert!(key.kept_layers() > 0, "a layer is kept");
    check(&key, MESSAGE, &PURE, key.sign(MESSAGE, &PURE, Randomness::Deterministic));
    key.fill();
    check(&key, MESSAGE, &PURE, key.sign(MESSAGE, &PURE, Randomness::Deterministic));
}

/// PKCS#8 out and in again, and the check that PK.root is what the seeds make.
fn import(set: ParameterSet, engine: &Engine) {
    let key = key(set, engine);
    let der = key.to_pkcs8_der();
    assert!(ct::is_secret(&der), "the encoding lost its marks");
    let read = SigningKey::from_pkcs8_der(engine, &der).expect("what has been written can be read");
    check_key(&read);
    assert_eq!(read.verifying_key(), key.verifying_key());

    let mut wrong = key.to_bytes();
    let last = wrong.len() - 1;
    wrong[last] ^= 1;
    assert_eq!(SigningKey::from_bytes(set, engine, &wrong).err(), Some(Error::InconsistentKey));
}
