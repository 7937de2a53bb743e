//! Keys that keep upper trees between signatures sign the same bytes; keys that check their signatures notice faults.

mod common;

use common::{
    on_every_engine,
    slh::{CONTEXT, MESSAGE, MODE, Rng, SMALL, fast_sets, key, signed},
};
use hashloom::{
    Engine, Error,
    slh_dsa::{Message, Mode, ParameterSet, PreHash, Randomness, SigningKey},
};

const KIB: usize = 1024;

/// Signatures of a few messages.
fn signatures(key: &SigningKey) -> Vec<Vec<u8>> {
    let sign = |i: u8| key.sign(&[i; 3], &MODE, Randomness::Deterministic).unwrap().as_ref().to_vec();
    (0..4).map(sign).collect()
}

#[test]
fn expanded_keys_sign_the_same_bytes() {
    on_every_engine(|engine| {
        for set in SMALL {
            let plain = key(set, engine);
            let want = signatures(&plain);
            for budget in [0, KIB, 32 * KIB, 2048 * KIB] {
                let expanded = plain.clone().expand(budget);
                // the second time from what the first has kept
                for _ in 0..2 {
                    assert!(signatures(&expanded) == want, "{set}, {budget} bytes");
                }
            }
            let filled = plain.clone().expand(64 * KIB);
            filled.fill();
            assert!(signatures(&filled) == want, "{set}, filled");
        }
    });
}

#[test]
fn all_fast_sets_and_a_small_one_expanded() {
    for set in fast_sets().chain([ParameterSet::Sha2_128s]) {
        let plain = key(set, &Engine::get());
        let expanded = plain.clone().expand(40 * KIB);
        assert!(expanded.kept_layers() >= 1, "{set}");
        for i in 0..3_u8 {
            let [a, b] = [&plain, &expanded].map(|key| key.sign(&[i], &MODE, Randomness::Deterministic).unwrap());
            assert!(a == b, "{set}, message {i}");
        }
    }
}

#[test]
fn kept_trees_serve_clones_other_engines_and_threads() {
    for set in SMALL {
        let plain = key(set, &Engine::get());
        let expanded = plain.clone().expand(64 * KIB);
        let messages: Vec<[u8; 1]> = (0..12).map(|i| [i]).collect();
        let messages: Vec<&[u8]> = messages.iter().map(|message| &message[..]).collect();
        let batch = expanded.sign_batch(&messages, &MODE, Randomness::Deterministic);
        assert!(batch == plain.sign_batch(&messages, &MODE, Randomness::Deterministic), "{set}");
        on_every_engine(|engine| {
            let moved = expanded.clone().with_engine(engine);
            assert_eq!(moved.kept_layers(), expanded.kept_layers());
            assert!(moved.sign_batch(&messages, &MODE, Randomness::Deterministic) == batch, "{set}");
        });
        assert_eq!(expanded.to_bytes(), plain.to_bytes());
        assert_eq!(expanded.to_pkcs8_der(), plain.to_pkcs8_der());
    }
}

#[test]
fn budgets_are_kept_to() {
    for set in ParameterSet::ALL {
        let plain = key(set, &Engine::get());
        assert_eq!(plain.kept_layers(), 0, "{set}");
        assert_eq!(plain.clone().expand(0).kept_layers(), 0, "{set}");
        let mut before = 0;
        for budget in (0..24).map(|bits| 1 << bits) {
            let kept = plain.clone().expand(budget).kept_layers();
            assert!(kept >= before, "{set}: {budget} bytes keep {kept} layers, fewer keep {before}");
            // layer `i` from the top has 2^(i h') trees of 2^(h' + 1) - 1 nodes
            let height = common::slh::Layout::of(set).hp as u32;
            let trees: usize = (0..kept).map(|layer| 1 << (layer * height)).sum();
            assert!(trees * ((2 << height) - 1) * set.n() <= budget, "{set}: {budget} bytes keep {kept} layers");
            before = kept;
        }
        assert!(before >= 1, "{set}: 8 MiB keep nothing");
        // a budget beyond any memory is no reason to take it
        let unbounded = plain.expand(usize::MAX);
        assert!(unbounded.kept_layers() >= before, "{set}");
    }
}

#[test]
fn checked_signatures_are_the_same() {
    on_every_engine(|engine| {
        for set in SMALL {
            let checked = key(set, engine).verify_after_sign(true);
            assert!(checked.sign(MESSAGE, &MODE, Randomness::Deterministic).unwrap().as_ref() == signed(set));
            for mode in [Mode::Internal, Mode::PreHash { context: CONTEXT, function: PreHash::Sha3_224 }] {
                let signature = checked.sign(MESSAGE, &mode, Randomness::Hedged(&mut Rng::new("checked"))).unwrap();
                assert_eq!(checked.verifying_key().verify(MESSAGE, &mode, signature.as_ref()), Ok(()));
            }
        }
    });
}

#[test]
fn a_key_that_does_not_hold_together_is_a_fault() {
    for set in SMALL {
        let mut bytes = key(set, &Engine::get()).to_bytes();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        let damaged = SigningKey::from_bytes_unchecked(set, &Engine::get(), &bytes).unwrap();
        assert!(damaged.sign(MESSAGE, &MODE, Randomness::Deterministic).is_ok());
        let checked = damaged.verify_after_sign(true);
        assert_eq!(checked.sign(MESSAGE, &MODE, Randomness::Deterministic), Err(Error::Fault), "{set}");
        let batch = checked.sign_batch(&[MESSAGE; 2], &MODE, Randomness::Deterministic);
        assert_eq!(batch, [Err(Error::Fault), Err(Error::Fault)], "{set}");
        assert!(checked.verify_after_sign(false).sign(MESSAGE, &MODE, Randomness::Deterministic).is_ok());
    }
}

/// A message with the same length but other bytes in one of its readings.
struct Changing {
    reading: u32,
    changes: u32,
}

impl Message for Changing {
    fn feed(&mut self, sink: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
        self.reading += 1;
        sink(if self.reading == self.changes { b"changed" } else { b"message" });
        Ok(())
    }
}

#[test]
fn a_message_that_changed_does_not_leave_a_checked_key() {
    for set in SMALL {
        let key = key(set, &Engine::get());
        let public = key.verifying_key();
        let checked = key.verify_after_sign(true);
        let sign = |changes| checked.sign(Changing { reading: 0, changes }, &MODE, Randomness::Deterministic);
        assert!(sign(0).is_ok());
        // PRF_msg saw other bytes: R is unusual, the signature still is one of what H_msg saw
        let signature = sign(1).unwrap();
        assert_eq!(public.verify(b"message", &MODE, signature.as_ref()), Ok(()), "{set}");
        for changes in [2, 3] {
            assert_eq!(sign(changes), Err(Error::Fault), "{set}, reading {changes}");
        }
    }
}
