//! What HMAC, HKDF, PBKDF2 and encrypted keys leave in memory: keys, padded and as the states after their pads,
//! pseudorandom keys, T, passwords, every U, what is derived, and the private key in an encrypted file.

use std::{collections::BTreeMap, sync::Arc};

use hashloom::{
    Engine, Error,
    hash::FixedHash,
    hkdf::{self, Prk},
    hmac::{self, Hmac, HmacKey},
    keccak::Sha3_256,
    pbkdf2::{self, Derivation},
    sha2::{Sha256, Sha512},
};
use rayon::ThreadPoolBuilder;
use zeroize::Zeroizing;

use crate::{
    common::{engines, loud},
    needles::Needles,
    stack::Thread,
    watch::{Seen, alone, during},
};

const MESSAGE: &[u8] = b"what is authenticated";
const SALT: &[u8] = b"a salt, which is public";
const INFO: &[u8] = b"what it is for";
const ITERATIONS: u32 = 3;
/// Messages and derivations side by side.
const MANY: usize = 20;

/// Bytes that HMAC's pads repeat.
const PADS: [u8; 2] = [0x36, 0x5c];

/// A hash function whose states can be looked at.
trait Keyed: FixedHash + 'static {
    /// A state as memory holds it.
    fn bytes(state: &Self::State) -> Vec<u8>;

    /// The state after a block.
    fn state_of(self, block: &[u8]) -> Vec<u8> {
        let mut states = [Self::State::default()];
        self.begin_many(block, &mut states);
        Self::bytes(&states[0])
    }
}

impl Keyed for Sha256 {
    fn bytes(state: &[u32; 8]) -> Vec<u8> {
        state.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }
}

impl Keyed for Sha512 {
    fn bytes(state: &[u64; 8]) -> Vec<u8> {
        state.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }
}

impl Keyed for Sha3_256 {
    fn bytes(state: &[u64; 25]) -> Vec<u8> {
        state.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }
}

/// Secrets of a hash function, on an engine.
struct Case<H> {
    hash: H,
    /// Shorter and longer than a block.
    keys: [Vec<u8>; 2],
    tag: Vec<u8>,
}

fn zeros(len: usize) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(vec![0; len])
}

/// A name and what is done.
type Operation<H> = (&'static str, fn(&Case<H>));

fn operations<H: Keyed>() -> Vec<Operation<H>> {
    vec![
        ("one message", |case| {
            for key in &case.keys {
                hmac::mac(case.hash, key, &[MESSAGE], &mut zeros(H::LEN)).unwrap();
            }
        }),
        ("a message in pieces", |case| {
            let mut hmac = Hmac::new(case.hash, &case.keys[0]);
            hmac.update(&MESSAGE[..5]);
            let other = hmac.clone();
            hmac.update(&MESSAGE[5..]);
            hmac.finish(&mut zeros(H::LEN)).unwrap();
            for mut moved in [other, hmac] {
                moved.finish(&mut zeros(H::LEN)).unwrap();
            }
        }),
        ("tags that are checked", |case| {
            let key = HmacKey::new(case.hash, &case.keys[0]);
            assert_eq!(key.verify(&[MESSAGE], &case.tag), Ok(()));
            assert_eq!(key.clone().verify(&[MESSAGE, b"!"], &case.tag), Err(Error::InvalidTag));
            assert_eq!(hmac::verify(case.hash, &case.keys[0], &[MESSAGE], &case.tag), Ok(()));
        }),
        ("many messages", |case| {
            let slices: Vec<&[u8]> = (0..MANY).map(|i| &case.keys[i % 2][..]).collect();
            let keys = HmacKey::many(case.hash, &slices);
            hmac::mac_many(&keys, &[MESSAGE; MANY], &mut zeros(MANY * H::LEN)).unwrap();
            hmac::mac_many(&keys[..1], &[MESSAGE; MANY], &mut zeros(MANY * H::LEN)).unwrap();
            assert!(hmac::mac_many(&keys[..2], &[MESSAGE; MANY], &mut zeros(MANY * H::LEN)).is_err());
        }),
        ("extraction and expansion", |case| {
            let prk = Prk::extract(case.hash, SALT, &[&case.keys[0]]);
            prk.expand(&[INFO], &mut zeros(3 * H::LEN)).unwrap();
            hkdf::derive(case.hash, SALT, &[&case.keys[0]], &[INFO], &mut zeros(3 * H::LEN)).unwrap();
            hkdf::extract(case.hash, SALT, &[&case.keys[0]], &mut zeros(H::LEN)).unwrap();
        }),
        ("many expansions", |case| {
            let prk = Prk::extract(case.hash, SALT, &[&case.keys[0]]);
            hkdf::expand_many(&[prk], &[INFO; MANY], &mut zeros(MANY * 3 * H::LEN)).unwrap();
        }),
        ("a password", |case| {
            pbkdf2::derive(case.hash, &case.keys[0], SALT, ITERATIONS, &mut zeros(2 * H::LEN)).unwrap();
        }),
        ("many passwords", |case| {
            let mut outs: Vec<_> = (0..MANY).map(|_| zeros(H::LEN)).collect();
            let derivation = |(i, out): (usize, _)| Derivation { password: &case.keys[i % 2][..], salt: SALT, out };
            let mut derivations: Vec<_> = outs.iter_mut().map(|out| &mut out[..]).enumerate().map(derivation).collect();
            pbkdf2::derive_many(case.hash, ITERATIONS, &mut derivations).unwrap();
        }),
        ("passwords given up", |case| {
            let mut out = zeros(2 * H::LEN);
            let mut one = [Derivation { password: &case.keys[0], salt: SALT, out: &mut out }];
            let stopped =
                pbkdf2::derive_many_with(case.hash, 1 << 15, &mut one, &mut |_| std::ops::ControlFlow::Break(()));
            assert_eq!(stopped, Err(Error::Cancelled));
        }),
    ]
}

impl<H: Keyed> Case<H> {
    fn new(engine: &Engine) -> Self {
        let hash = H::on(engine);
        let long: Vec<u8> = (0..2 * H::BLOCK_LEN).map(|i| (i * i % 251) as u8).collect();
        let keys = [b"the key or the password".to_vec(), long];
        let mut tag = vec![0; H::LEN];
        hmac::mac(hash, &keys[0], &[MESSAGE], &mut tag).unwrap();
        Self { hash, keys, tag }
    }

    fn needles(&self) -> Needles {
        let mut needles = Needles::default();
        let mut key = |name, padded, state, key: &[u8]| {
            needles.secret(name, key);
            let mut digest = vec![0; H::LEN];
            let key = if key.len() > H::BLOCK_LEN {
                self.hash.hash(&[key], &mut digest).unwrap();
                needles.secret("hashed key", &digest);
                &digest[..]
            } else {
                key
            };
            for pad in PADS {
                let mut block: Vec<u8> = key.iter().map(|byte| byte ^ pad).collect();
                needles.secret(padded, &block);
                block.resize(H::BLOCK_LEN, pad);
                needles.words(state, &self.hash.state_of(&block));
            }
        };
        let mut prk = vec![0; H::LEN];
        hkdf::extract(self.hash, SALT, &[&self.keys[0]], &mut prk).unwrap();
        self.keys.iter().for_each(|bytes| key("key", "padded key", "HMAC state", bytes));
        key("PRK", "padded PRK", "PRK's HMAC state", &prk);

        let mut okm = vec![0; 3 * H::LEN];
        hkdf::derive(self.hash, SALT, &[&self.keys[0]], &[INFO], &mut okm).unwrap();
        needles.secret("T", &okm);
        // RFC 8018 section 5.2 step 3
        let mut salted = [SALT, &1_u32.to_be_bytes()].concat();
        for _ in 0..ITERATIONS {
            let mut u = vec![0; H::LEN];
            hmac::mac(self.hash, &self.keys[0], &[&salted], &mut u).unwrap();
            needles.secret("U", &u);
            salted = u;
        }
        let mut derived = vec![0; 2 * H::LEN];
        pbkdf2::derive(self.hash, &self.keys[0], SALT, ITERATIONS, &mut derived).unwrap();
        needles.secret("derived key", &derived);
        needles.except(&self.tag)
    }
}

/// What is found on the stack of a thread that has done some work.
fn on_a_stack(needles: Needles, work: impl FnOnce() + Send + 'static) -> BTreeMap<&'static str, usize> {
    let mut found = BTreeMap::new();
    let thread = Thread::start(Box::new(move || {
        let pool = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().unwrap();
        pool.install(work);
    }));
    let needles = needles.sorted();
    thread.join(|stack| needles.search(stack, |_, name| *found.entry(name).or_default() += 1));
    found
}

/// Heap and stack of every operation with one hash function on one engine: blocks and bytes of heap that were searched.
fn search<H: Keyed>(name: &str, engine: &Engine, faults: &mut Vec<String>) -> Seen {
    let case = Arc::new(Case::<H>::new(engine));
    let mut total = Seen::default();
    for (what, run) in operations::<H>() {
        let seen = during(case.needles().sorted(), || run(&case));
        if seen.found != 0 {
            faults.push(format!("heap: {what}, {} on {name}: {seen:?}", H::NAME));
        }
        total.blocks += seen.blocks;
        total.bytes += seen.bytes;

        let same = Arc::clone(&case);
        let found = on_a_stack(case.needles(), move || run(&same));
        if !found.is_empty() {
            faults.push(format!("stack: {what}, {} on {name}: {found:?}", H::NAME));
        }
    }
    let plain = during(case.needles().sorted(), || drop(case.keys.clone()));
    assert!(plain.found > 25, "{}: {plain:?}", H::NAME);
    total
}

#[test]
fn nothing_secret_of_a_keyed_hash_stays() {
    let _alone = alone();
    let (mut total, mut faults) = (Seen::default(), Vec::new());
    for (name, engine) in engines() {
        for search in [search::<Sha256>, search::<Sha512>, search::<Sha3_256>] {
            let seen = search(&name, &engine, &mut faults);
            total.blocks += seen.blocks;
            total.bytes += seen.bytes;
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(total.bytes > 100_000, "only {} bytes were searched", total.bytes);
    loud(&format!("heap: {} blocks of {} bytes of keyed hashes searched", total.blocks, total.bytes));
}

/// The passphrase, its states and the private key, which is both in the file and what comes of it.
#[cfg(feature = "encryption")]
#[test]
fn nothing_secret_of_an_encrypted_key_stays() {
    use hashloom::{
        at_rest::{self, MAX_ITERATIONS, Prf, Protection},
        hash::Hash,
        ml_dsa,
    };

    fn run(engine: &Engine, key: &[u8]) {
        for prf in [Prf::HmacSha256, Prf::HmacSha512] {
            let protection = Protection { prf, iterations: ITERATIONS };
            let locked = at_rest::encrypt(engine, PASSPHRASE, key, &protection, &mut getrandom::SysRng).unwrap();
            assert_eq!(at_rest::decrypt(engine, PASSPHRASE, &locked, MAX_ITERATIONS).unwrap()[..], *key);
            assert!(at_rest::decrypt(engine, &PASSPHRASE[1..], &locked, MAX_ITERATIONS).is_err());
        }
    }

    const PASSPHRASE: &[u8] = b"the passphrase, which nobody knows";
    let _alone = alone();
    let mut faults = Vec::new();
    for (name, engine) in engines() {
        let key =
            ml_dsa::SigningKey::from_seed(ml_dsa::ParameterSet::MlDsa44, &engine, b"the seed of thirty-two bytes ...")
                .unwrap();
        let key = Arc::new(key.to_pkcs8_der(ml_dsa::PrivateKeyForm::Seed).unwrap());
        let mut needles = Needles::default();
        needles.secret("passphrase", PASSPHRASE);
        needles.secret("private key", &key[key.len() - 32..]);
        for pad in PADS {
            let block = |len| {
                let mut block: Vec<u8> = PASSPHRASE.iter().map(|byte| byte ^ pad).collect();
                block.resize(len, pad);
                block
            };
            needles.words("HMAC state", &Sha256::on(&engine).state_of(&block(Sha256::BLOCK_LEN)));
            needles.words("HMAC state", &Sha512::on(&engine).state_of(&block(Sha512::BLOCK_LEN)));
        }
        let seen = during(needles.clone().sorted(), || run(&engine, &key));
        assert!(seen.bytes > 1000, "{seen:?}");
        if seen.found != 0 {
            faults.push(format!("heap on {name}: {seen:?}"));
        }
        let found = on_a_stack(needles, move || run(&engine, &key));
        if !found.is_empty() {
            faults.push(format!("stack on {name}: {found:?}"));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
