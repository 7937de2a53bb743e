//! What must not verify, must not be signed, and must not panic.

mod common;

use common::{
    engines, on_every_engine,
    slh::{Block, CONTEXT, DRAWN, Failing, Layout, MESSAGE, MODE, Rng, SMALL, key, key_for, signed},
};
use hashloom::{
    Engine, Error,
    slh_dsa::{Item, Mode, ParameterSet, PreHash, Randomness, Signature, SigningKey, VerifyingKey, verify_batch},
};
use signature::RandomizedSigner;

const INVALID: Result<(), Error> = Err(Error::InvalidSignature);

fn public(set: ParameterSet) -> VerifyingKey {
    key(set, &Engine::get()).verifying_key()
}

fn flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[bit / 8] ^= 1 << (bit % 8);
    bytes
}

#[test]
fn a_bit_in_every_block_of_a_signature() {
    on_every_engine(|engine| {
        for set in SMALL {
            let (public, signature, n) = (public(set).with_engine(engine), signed(set), set.n());
            assert_eq!(public.verify(MESSAGE, &MODE, &signature), Ok(()), "{set}");
            for (i, block) in Layout::of(set).blocks().enumerate() {
                let bit = 8 * n * i + 7 * i % (8 * n);
                assert_eq!(public.verify(MESSAGE, &MODE, &flipped(&signature, bit)), INVALID, "{set}, {block:?}");
            }
        }
    });
}

/// Blocks enough to reach every kind, tree, layer and level.
fn sample(layout: &Layout) -> impl Iterator<Item = (usize, Block)> {
    layout.blocks().enumerate().filter(|(_, block)| match *block {
        Block::Randomizer | Block::Fors(_) | Block::Auth(..) => true,
        Block::ForsAuth(tree, level) => tree == level || tree + 1 == layout.k,
        Block::Wots(_, chain) => [0, layout.n, 2 * layout.n, layout.len - 1].contains(&chain),
    })
}

#[test]
fn a_bit_in_every_field_of_the_other_sets() {
    for set in ParameterSet::ALL.into_iter().filter(|set| !SMALL.contains(set)) {
        let (key, signature, n) = (public(set), signed(set), set.n());
        let layout = Layout::of(set);
        let blocks: Vec<(usize, Block)> = sample(&layout).collect();
        let forged: Vec<Vec<u8>> =
            blocks.iter().map(|(i, _)| flipped(&signature, 8 * n * i + 7 * i % (8 * n))).collect();
        // the genuine one stands between
        let item = |signature| Item { key: &key, message: MESSAGE, mode: MODE, signature };
        let items: Vec<Item<'_>> = forged.iter().flat_map(|forged| [item(forged), item(&signature)]).collect();
        for (pair, (_, block)) in verify_batch(&items).chunks(2).zip(blocks) {
            assert_eq!(pair, [INVALID, Ok(())], "{set}, {block:?}");
        }
    }
}

#[test]
fn a_forged_block_in_place_of_another() {
    for set in SMALL {
        let (key, signature, n) = (public(set), signed(set), set.n());
        for (i, block) in sample(&Layout::of(set)) {
            let mut forged = signature.clone();
            let other = if i == 0 { 1 } else { i - 1 };
            forged.copy_within(n * other..n * (other + 1), n * i);
            assert_eq!(key.verify(MESSAGE, &MODE, &forged), INVALID, "{set}, {block:?} replaced");
            forged[n * i..n * (i + 1)].fill(0);
            assert_eq!(key.verify(MESSAGE, &MODE, &forged), INVALID, "{set}, {block:?} zeroed");
        }
    }
}

#[test]
fn signatures_of_wrong_lengths() {
    let message: &[u8] = MESSAGE;
    for set in ParameterSet::ALL {
        let (key, signature) = (public(set), signed(set));
        let (len, n) = (signature.len(), set.n());
        let twice = [&signature[..], &signature].concat();
        for wrong in [0, 1, n - 1, n, n + 1, len / 2, len - n, len - 1, len + 1, len + n, 2 * len] {
            let cut = &twice[..wrong];
            assert_eq!(key.verify(message, &MODE, cut), INVALID, "{set}, {wrong} bytes");
            let items = [cut, &signature, cut].map(|signature| Item { key: &key, message, mode: MODE, signature });
            assert_eq!(verify_batch(&items), [INVALID, Ok(()), INVALID], "{set}, {wrong} bytes");
            let known = ParameterSet::ALL.iter().any(|set| set.signature_len() == wrong);
            assert_eq!(Signature::try_from(cut).is_ok(), known, "{wrong} bytes");
        }
    }
}

#[test]
fn signatures_of_other_sets() {
    for set in ParameterSet::ALL {
        for other in ParameterSet::ALL.into_iter().filter(|other| *other != set) {
            let signature = signed(other);
            assert_eq!(public(set).verify(MESSAGE, &MODE, &signature), INVALID, "{other} by the key of {set}");
            // the very key that signed, taken for one of another set
            let bytes = public(other);
            match VerifyingKey::from_bytes(set, &Engine::get(), bytes.as_bytes()) {
                Ok(relabelled) => {
                    assert_eq!(set.n(), other.n());
                    assert_eq!(relabelled.verify(MESSAGE, &MODE, &signature), INVALID, "{other} taken for {set}");
                }
                Err(error) => {
                    let (expected, actual) = (2 * set.n(), 2 * other.n());
                    assert_eq!(error, Error::WrongLength { expected, actual });
                }
            }
        }
    }
}

#[test]
fn signatures_by_other_keys() {
    on_every_engine(|engine| {
        for set in SMALL {
            let (good, signature) = (public(set).with_engine(engine), signed(set));
            let other = key_for(set, engine, "another").verifying_key();
            assert_eq!(other.verify(MESSAGE, &MODE, &signature), INVALID, "{set}");
            let bytes = good.as_bytes();
            for bit in (0..8 * bytes.len()).step_by(3) {
                let wrong = VerifyingKey::from_bytes(set, engine, &flipped(bytes, bit)).unwrap();
                assert_ne!(wrong, good);
                assert_eq!(wrong.verify(MESSAGE, &MODE, &signature), INVALID, "{set}, bit {bit} of the public key");
            }
        }
    });
}

#[test]
fn other_messages_and_contexts() {
    on_every_engine(|engine| {
        for set in SMALL {
            let (key, signature) = (public(set).with_engine(engine), signed(set));
            for bit in (0..8 * MESSAGE.len()).step_by(37) {
                assert_eq!(key.verify(&flipped(MESSAGE, bit)[..], &MODE, &signature), INVALID, "bit {bit}");
            }
            for message in [&MESSAGE[1..], &MESSAGE[..MESSAGE.len() - 1], b"", &[MESSAGE, &[0]].concat()] {
                assert_eq!(key.verify(message, &MODE, &signature), INVALID);
            }
            for context in [&b""[..], b"contex", b"contexT", b"context\0", b"\0context", &[b'c'; 255]] {
                assert_eq!(key.verify(MESSAGE, &Mode::Pure { context }, &signature), INVALID, "{context:?}");
            }
            // where the context ends and the message begins is bound too
            for cut in 0..CONTEXT.len() {
                let (context, rest) = CONTEXT.split_at(cut);
                let message = [rest, MESSAGE].concat();
                assert_eq!(key.verify(&message[..], &Mode::Pure { context }, &signature), INVALID, "cut at {cut}");
            }
        }
    });
}

#[test]
fn other_interfaces() {
    // a message that could be a digest of 32 bytes
    let message = &MESSAGE[..32];
    let modes = [
        Mode::Internal,
        Mode::Pure { context: CONTEXT },
        Mode::Pure { context: b"" },
        Mode::PreHash { context: CONTEXT, function: PreHash::Sha2_256 },
        Mode::PreHash { context: CONTEXT, function: PreHash::Sha3_256 },
        Mode::PreHash { context: b"", function: PreHash::Sha2_256 },
        Mode::Digest { context: CONTEXT, function: PreHash::Sha2_256 },
        Mode::Digest { context: CONTEXT, function: PreHash::Shake128 },
        Mode::Digest { context: CONTEXT, function: PreHash::Sha2_512_256 },
    ];
    for set in SMALL {
        let key = key(set, &Engine::get());
        for signed in modes {
            let signature = key.sign(message, &signed, Randomness::Deterministic).unwrap();
            for verified in modes {
                let verdict = key.verifying_key().verify(message, &verified, signature.as_ref());
                let want = if signed == verified { Ok(()) } else { INVALID };
                assert_eq!(verdict, want, "{set}, signed as {signed:?}, verified as {verified:?}");
            }
        }
    }
}

/// Every door through which a context comes in.
fn every_door(key: &SigningKey, mode: Mode<'_>, message: &[u8]) -> Vec<Error> {
    let (public, signature) = (key.verifying_key(), signed(key.set()));
    let mut errors = vec![
        key.sign(message, &mode, Randomness::Deterministic).unwrap_err(),
        key.sign(message, &mode, Randomness::Hedged(&mut Rng::new("door"))).unwrap_err(),
        public.verify(message, &mode, &signature).unwrap_err(),
        // an error of the caller, whatever the signature is
        public.verify(message, &mode, b"").unwrap_err(),
        #[cfg(feature = "std")]
        public.verify_reader(message, &mode, &signature).unwrap_err(),
    ];
    for result in key.sign_batch(&[message, message], &mode, Randomness::Deterministic) {
        errors.push(result.unwrap_err());
    }
    let item = |mode, message| Item { key: &public, message, mode, signature: &signature };
    let verdicts = verify_batch(&[item(MODE, MESSAGE), item(mode, message), item(MODE, MESSAGE)]);
    assert_eq!([verdicts[0], verdicts[2]], [Ok(()), Ok(())], "neighbours in a batch");
    errors.push(verdicts[1].unwrap_err());
    errors
}

#[test]
fn contexts_beyond_255_bytes_are_refused_everywhere() {
    let long = vec![0x61; 65536];
    for set in SMALL {
        let key = key(set, &Engine::get());
        for length in [256, 257, 511, 512, 65535, 65536] {
            let context = &long[..length];
            let function = PreHash::Sha2_256;
            for mode in
                [Mode::Pure { context }, Mode::PreHash { context, function }, Mode::Digest { context, function }]
            {
                let errors = every_door(&key, mode, &MESSAGE[..32]);
                assert!(errors.len() >= 7);
                for error in errors {
                    assert_eq!(error, Error::ContextTooLong { length }, "{set}");
                }
            }
        }
        let mode = Mode::Pure { context: &long[..255] };
        let signature = key.sign(MESSAGE, &mode, Randomness::Deterministic).unwrap();
        assert_eq!(key.verifying_key().verify(MESSAGE, &mode, signature.as_ref()), Ok(()), "255 bytes are fine");
    }
}

/// M' as a signer would build it who writes the length of a long context into one byte.
#[test]
fn context_lengths_that_wrapped() {
    let long: Vec<u8> = (0..=255_u8).chain(0..=255).chain([1; 600]).collect();
    for set in SMALL {
        let key = key(set, &Engine::get());
        let public = key.verifying_key();
        for length in [256, 257, 300, 511, 512] {
            let context = &long[..length];
            let wrapped = length % 256;
            let digest = &MESSAGE[..32];
            let oid = [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01];
            let function = PreHash::Sha2_256;

            let pure = [&[0, wrapped as u8], context, MESSAGE].concat();
            let hashed = [&[1, wrapped as u8], context, &oid, digest].concat();
            let sign = |framed: &[u8]| key.sign(framed, &Mode::Internal, Randomness::Deterministic).unwrap();
            let (pure, hashed) = (sign(&pure), sign(&hashed));

            let too_long = Err(Error::ContextTooLong { length });
            assert_eq!(public.verify(MESSAGE, &Mode::Pure { context }, pure.as_ref()), too_long, "{set}, {length}");
            let mode = Mode::Digest { context, function };
            assert_eq!(public.verify(digest, &mode, hashed.as_ref()), too_long, "{set}, {length}");
            for context in [&context[..wrapped], &context[..255], b""] {
                assert_eq!(public.verify(MESSAGE, &Mode::Pure { context }, pure.as_ref()), INVALID, "{set}, {length}");
                let mode = Mode::Digest { context, function };
                assert_eq!(public.verify(digest, &mode, hashed.as_ref()), INVALID, "{set}, {length}");
            }
            // read as the bytes say, the pure one is a signature of a longer message: the test signs what it means to
            let message = [&context[wrapped..], MESSAGE].concat();
            let mode = Mode::Pure { context: &context[..wrapped] };
            assert_eq!(public.verify(&message[..], &mode, pure.as_ref()), Ok(()), "{set}, {length}");
        }
    }
}

#[test]
fn digests_of_wrong_lengths() {
    for set in SMALL {
        let key = key(set, &Engine::get());
        for function in PreHash::ALL {
            let expected = function.digest_len();
            for actual in [0, 1, expected - 1, expected + 1, 2 * expected] {
                let message = &MESSAGE.repeat(2)[..actual];
                let errors = every_door(&key, Mode::Digest { context: CONTEXT, function }, message);
                for error in errors {
                    assert_eq!(error, Error::WrongLength { expected, actual }, "{function}");
                }
            }
        }
    }
}

#[test]
fn given_randomness_of_wrong_lengths() {
    for set in SMALL {
        let key = key(set, &Engine::get());
        let n = set.n();
        let given = Rng::new("given").bytes(4 * n);
        for wrong in [0, 1, n - 1, n + 1, 2 * n] {
            let error = Error::WrongLength { expected: n, actual: wrong };
            assert_eq!(key.sign(MESSAGE, &MODE, Randomness::Given(&given[..wrong])), Err(error));
        }
        for wrong in [0, n, 3 * n - 1, 3 * n + 1, 4 * n] {
            let error = Error::WrongLength { expected: 3 * n, actual: wrong };
            let results = key.sign_batch(&[MESSAGE; 3], &MODE, Randomness::Given(&given[..wrong]));
            assert_eq!(results, vec![Err(error); 3]);
        }
    }
}

#[test]
fn seeds_and_keys_of_wrong_lengths() {
    let bytes = [7; 200];
    for set in ParameterSet::ALL {
        let (engine, n) = (Engine::get(), set.n());
        for wrong in [0, 1, n - 1, n + 1, 2 * n] {
            for place in 0..3 {
                let mut seeds = [&bytes[..n]; 3];
                seeds[place] = &bytes[..wrong];
                let [sk_seed, sk_prf, pk_seed] = seeds;
                let error = SigningKey::from_seeds(set, &engine, sk_seed, sk_prf, pk_seed).unwrap_err();
                assert_eq!(error, Error::WrongLength { expected: n, actual: wrong });
            }
        }
        for wrong in [0, n, 2 * n - 1, 2 * n + 1, 3 * n, 4 * n] {
            let error = VerifyingKey::from_bytes(set, &engine, &bytes[..wrong]).unwrap_err();
            assert_eq!(error, Error::WrongLength { expected: 2 * n, actual: wrong });
        }
        for wrong in [0, 2 * n, 4 * n - 1, 4 * n + 1, 5 * n] {
            let want = Error::WrongLength { expected: 4 * n, actual: wrong };
            assert_eq!(SigningKey::from_bytes(set, &engine, &bytes[..wrong]).unwrap_err(), want);
            assert_eq!(SigningKey::from_bytes_unchecked(set, &engine, &bytes[..wrong]).unwrap_err(), want);
        }
    }
}

/// The quarters of a private key: SK.seed, SK.prf, PK.seed, PK.root. All but SK.prf decide PK.root, so a flip is found
/// by computing it anew. A flip in SK.prf cannot be found by any reader: the key is another one with the same public
/// key, and its signatures are good.
fn flipped_key(set: ParameterSet, engine: &Engine, bit: usize) {
    let key = key(set, engine);
    let bytes = key.to_bytes();
    let quarter = bit / (8 * set.n());
    let flipped = flipped(&bytes, bit);
    match SigningKey::from_bytes(set, engine, &flipped) {
        Ok(read) => {
            assert_eq!(quarter, 1, "{set}, bit {bit} goes unnoticed");
            assert_eq!(read.to_bytes()[..], flipped);
            assert_eq!(read.verifying_key(), key.verifying_key());
        }
        Err(error) => {
            assert_ne!(quarter, 1, "{set}, bit {bit}");
            assert_eq!(error, Error::InconsistentKey, "{set}, bit {bit}");
        }
    }
    let unchecked = SigningKey::from_bytes_unchecked(set, engine, &flipped).unwrap();
    assert_eq!(unchecked.to_bytes()[..], flipped);
}

#[test]
fn a_bit_in_every_quarter_of_a_private_key() {
    on_every_engine(|engine| {
        for set in SMALL {
            (0..4 * set.n()).for_each(|byte| flipped_key(set, engine, 8 * byte + byte % 8));
        }
    });
    for set in ParameterSet::ALL {
        (0..4).for_each(|quarter| flipped_key(set, &Engine::get(), (8 * quarter + 4) * set.n()));
    }
}

#[test]
fn signatures_by_a_damaged_key_do_not_verify() {
    for set in SMALL {
        let good = key(set, &Engine::get());
        let n = set.n();
        let genuine = signed(set);
        for quarter in 0..4 {
            let bytes = flipped(&good.to_bytes(), 8 * n * quarter + 3);
            let damaged = SigningKey::from_bytes_unchecked(set, &Engine::get(), &bytes).unwrap();
            let signature = damaged.sign(MESSAGE, &MODE, Randomness::Deterministic).unwrap();
            assert!(signature.as_ref() != genuine, "{set}, quarter {quarter}");
            let want = if quarter == 1 { Ok(()) } else { INVALID };
            let verdict = good.verifying_key().verify(MESSAGE, &MODE, signature.as_ref());
            assert_eq!(verdict, want, "{set}, quarter {quarter}");
        }
    }
}

#[test]
fn generators_that_fail() {
    let engine = Engine::get();
    for set in SMALL {
        let n = set.n();
        for left in [0, 1, n, 3 * n - 1] {
            let error = SigningKey::generate(set, &engine, &mut Failing(&DRAWN[..left])).unwrap_err();
            assert_eq!(error, Error::Randomness, "{set}, after {left} bytes");
        }
        assert!(SigningKey::generate(set, &engine, &mut Failing(&DRAWN[..3 * n])).is_ok());

        let key = key(set, &engine);
        let before = key.to_bytes();
        for left in [0, 1, n - 1] {
            let hedged = key.sign(MESSAGE, &MODE, Randomness::Hedged(&mut Failing(&DRAWN[..left])));
            assert_eq!(hedged, Err(Error::Randomness), "{set}, after {left} bytes");
            assert!(key.try_sign_with_rng(&mut Failing(&DRAWN[..left]), MESSAGE).is_err(), "{set}, after {left} bytes");
        }
        for left in [0, n, 3 * n - 1] {
            let results = key.sign_batch(&[MESSAGE; 3], &MODE, Randomness::Hedged(&mut Failing(&DRAWN[..left])));
            assert_eq!(results, vec![Err(Error::Randomness); 3], "{set}, after {left} bytes");
        }
        assert!(key.sign(MESSAGE, &MODE, Randomness::Hedged(&mut Failing(&DRAWN[..n]))).is_ok());
        assert_eq!(key.to_bytes(), before, "the key is untouched");
        assert!(key.sign(MESSAGE, &MODE, Randomness::Deterministic).unwrap().as_ref() == signed(set));
    }
}

#[test]
fn what_is_refused_leaves_the_generator_useful() {
    // an error that has nothing to do with it does not poison later signatures
    let key = key(ParameterSet::Sha2_128f, &Engine::get());
    let mut rng = Rng::new("useful");
    let mode = Mode::Pure { context: &[0; 300] };
    assert!(key.sign(MESSAGE, &mode, Randomness::Hedged(&mut rng)).is_err());
    let signature = key.sign(MESSAGE, &MODE, Randomness::Hedged(&mut rng)).unwrap();
    assert_eq!(key.verifying_key().verify(MESSAGE, &MODE, signature.as_ref()), Ok(()));
}

#[test]
fn every_engine_gives_the_same_verdicts() {
    // the negative tests above use the automatic engine where they say so; signatures themselves do not depend on it
    for (name, engine) in engines() {
        for set in SMALL {
            let again = key(set, &engine).sign(MESSAGE, &MODE, Randomness::Deterministic).unwrap();
            assert!(again.as_ref() == signed(set), "{set} on {name}");
        }
    }
}
