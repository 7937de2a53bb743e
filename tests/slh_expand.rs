//! Keys that keep upper trees, and keys that verify what they sign: the same signatures, on every engine.

mod common;

use std::thread;

use common::{
    on_every_engine,
    slh::{MODE, SMALL, fast_sets, seeds},
};
use hashloom::{
    Engine, Error,
    slh_dsa::{Message, Mode, ParameterSet, Randomness, SigningKey},
};

fn key(set: ParameterSet, engine: &Engine) -> SigningKey {
    let [sk_seed, sk_prf, pk_seed] = seeds(set, "expand");
    SigningKey::from_seeds(set, engine, &sk_seed, &sk_prf, &pk_seed).unwrap()
}

fn sign(key: &SigningKey, message: u8) -> Vec<u8> {
    key.sign(&[message], &MODE, Randomness::Deterministic).unwrap().into()
}

#[test]
fn kept_trees_change_no_signature() {
    on_every_engine(|engine| {
        for set in SMALL {
            let plain = key(set, engine);
            for (budget, layers) in [(0, 0), (303, 0), (304, 1), (25_000, 3), (200_000, 4)] {
                let lazy = plain.clone().expand(budget);
                assert_eq!(lazy.kept_layers(), layers, "{set}, {budget} bytes");
                let filled = plain.clone().expand(budget);
                filled.fill();
                for message in 0..3 {
                    let expected = sign(&plain, message);
                    // the first signature keeps trees, the second of the same message finds them all
                    for key in [&lazy, &lazy, &filled] {
                        assert!(sign(key, message) == expected, "{set}, {budget} bytes, message {message}");
                    }
                }
            }
        }
    });
}

#[test]
fn other_sets_keep_trees_too() {
    for set in fast_sets() {
        let plain = key(set, &Engine::get());
        let expanded = plain.clone().expand(100_000);
        expanded.fill();
        assert!(expanded.kept_layers() > 1);
        assert!(sign(&expanded, 9) == sign(&plain, 9), "{set}");
    }
}

#[test]
fn threads_share_kept_trees() {
    let plain = key(ParameterSet::Sha2_128f, &Engine::get());
    let expected: Vec<Vec<u8>> = (0..8).map(|message| sign(&plain, message)).collect();
    let shared = plain.expand(25_000);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let clone = shared.clone();
                (0..8).for_each(|message| assert!(sign(&clone, message) == expected[usize::from(message)]));
            });
        }
    });
}

#[test]
fn signatures_that_do_not_verify_are_not_handed_out() {
    let good = key(ParameterSet::Shake128f, &Engine::get()).verify_after_sign(true);
    assert_eq!(sign(&good, 1), sign(&good.clone().verify_after_sign(false), 1));
    let prehash = Mode::PreHash { context: b"c", function: hashloom::slh_dsa::PreHash::Sha3_256 };
    assert!(good.sign(b"message", &prehash, Randomness::Deterministic).is_ok());

    // a wrong PK.root stands for a fault: what is signed does not verify under it
    let mut bytes = good.to_bytes();
    *bytes.last_mut().unwrap() ^= 1;
    let faulty = SigningKey::from_bytes_unchecked(good.set(), &Engine::get(), &bytes).unwrap();
    assert!(faulty.sign(b"message", &MODE, Randomness::Deterministic).is_ok());
    let faulty = faulty.verify_after_sign(true);
    assert_eq!(faulty.sign(b"message", &MODE, Randomness::Deterministic).unwrap_err(), Error::Fault);
    let batch = faulty.sign_batch(&[b"a", b"b"], &MODE, Randomness::Deterministic);
    assert!(batch.into_iter().all(|result| result == Err(Error::Fault)));
}

/// Reads differently from the third time on.
struct Fickle(u32);

impl Message for Fickle {
    fn feed(&mut self, sink: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
        self.0 += 1;
        sink(if self.0 < 3 { b"first" } else { b"third" });
        Ok(())
    }
}

#[test]
fn the_check_reads_the_message_again() {
    let key = key(ParameterSet::Sha2_128f, &Engine::get());
    assert!(key.sign(Fickle(0), &MODE, Randomness::Deterministic).is_ok());
    let key = key.verify_after_sign(true);
    assert_eq!(key.sign(Fickle(0), &MODE, Randomness::Deterministic).unwrap_err(), Error::Fault);
}
