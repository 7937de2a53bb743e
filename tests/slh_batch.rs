//! Batches: order kept, a verdict or signature per item as the single call gives it, bad items beside good ones.

mod common;

use common::{
    on_every_engine,
    slh::{CONTEXT, MESSAGE, MODE, Rng, SMALL, fast_sets, is_fast, key, key_for, signed},
};
use hashloom::{
    Engine, Error,
    slh_dsa::{Item, Mode, ParameterSet, PreHash, Randomness, SigningKey, VerifyingKey, verify_batch},
};
use proptest::prelude::*;

/// What an [`Item`] borrows.
#[derive(Clone)]
struct Owned {
    key: VerifyingKey,
    message: Vec<u8>,
    mode: Mode<'static>,
    signature: Vec<u8>,
}

impl Owned {
    fn item(&self) -> Item<'_> {
        let Self { key, message, mode, signature } = self;
        Item { key, message, mode: *mode, signature }
    }

    fn single(&self) -> Result<(), Error> {
        self.key.verify(&self.message[..], &self.mode, &self.signature)
    }
}

const LONG: &[u8] = &[0x61; 256];

/// Items of one set with the verdict that each must get: good ones in every mode, and everything that can be wrong.
fn items(set: ParameterSet, engine: &Engine, label: &str) -> Vec<(Owned, Result<(), Error>)> {
    let key = key_for(set, engine, label);
    let public = key.verifying_key();
    let sign = |message: &[u8], mode: Mode<'static>| {
        let signature = key.sign(message, &mode, Randomness::Deterministic).unwrap().as_ref().to_vec();
        Owned { key: public, message: message.to_vec(), mode, signature }
    };
    let digest = &[0x33; 48];
    let function = PreHash::Sha3_384;
    let good = [
        sign(MESSAGE, Mode::default()),
        sign(b"", Mode::Pure { context: CONTEXT }),
        sign(MESSAGE, Mode::Internal),
        sign(MESSAGE, Mode::PreHash { context: CONTEXT, function }),
        sign(digest, Mode::Digest { context: b"", function }),
    ];
    let mut items: Vec<_> = good.iter().map(|good| (good.clone(), Ok(()))).collect();
    let wrong = |at: usize, change: &dyn Fn(&mut Owned), error| {
        let mut wrong = good[at].clone();
        change(&mut wrong);
        (wrong, Err(error))
    };
    let invalid = Error::InvalidSignature;
    let last = set.signature_len() - 1;
    items.extend([
        wrong(0, &|item| item.signature[0] ^= 1, invalid),
        wrong(1, &|item| item.signature[last] ^= 0x80, invalid),
        wrong(2, &|item| item.message.push(0), invalid),
        wrong(3, &|item| item.mode = Mode::Pure { context: CONTEXT }, invalid),
        wrong(4, &|item| item.message[0] ^= 1, invalid),
        wrong(0, &|item| _ = item.signature.pop(), invalid),
        wrong(0, &|item| item.signature.clear(), invalid),
        wrong(0, &|item| item.signature.push(0), invalid),
        wrong(0, &|item| item.mode = Mode::Pure { context: LONG }, Error::ContextTooLong { length: 256 }),
        wrong(4, &|item| _ = item.message.pop(), Error::WrongLength { expected: 48, actual: 47 }),
        wrong(0, &|item| item.key = common::slh::key(set, &Engine::get()).verifying_key(), invalid),
    ]);
    items
}

fn check(items: &[(Owned, Result<(), Error>)], what: &str) {
    let batch: Vec<Item<'_>> = items.iter().map(|(owned, _)| owned.item()).collect();
    let want: Vec<Result<(), Error>> = items.iter().map(|(_, want)| *want).collect();
    assert_eq!(verify_batch(&batch), want, "{what}");
}

#[test]
fn verdicts_are_those_of_single_verification() {
    on_every_engine(|engine| {
        for set in SMALL {
            let items = items(set, engine, "batch");
            for (owned, want) in &items {
                assert_eq!(owned.single(), *want, "{set}, {:?}", owned.mode);
                check(&[(owned.clone(), *want)], "a batch of one");
            }
            check(&items, "the whole batch");
        }
    });
}

#[test]
fn an_empty_batch_has_no_verdicts() {
    assert_eq!(verify_batch(&[]), []);
}

#[test]
fn every_batch_size() {
    on_every_engine(|engine| {
        for set in SMALL {
            let items = items(set, engine, "sizes");
            // good and bad alternate in ever other ways
            for size in 0..=33 {
                let batch: Vec<_> = (0..size).map(|i| items[(i * 7 + size) % items.len()].clone()).collect();
                check(&batch, &format!("{set}, {size} items"));
            }
        }
    });
}

#[test]
fn more_items_than_one_group_of_any_size() {
    let mut items: Vec<_> = SMALL.into_iter().flat_map(|set| items(set, &Engine::get(), "many")).collect();
    let mut rng = Rng::new("shuffle");
    while items.len() < 150 {
        let copy = items[rng.below(items.len())].clone();
        items.insert(rng.below(items.len()), copy);
    }
    check(&items, "150 items");
}

#[test]
fn keys_sets_and_engines_mixed() {
    let engines = common::engines();
    let mut batch = Vec::new();
    for (i, set) in fast_sets().enumerate() {
        let (_, engine) = &engines[i % engines.len()];
        batch.extend(items(set, engine, "one key"));
        let (_, engine) = &engines[(i + 1) % engines.len()];
        batch.extend(items(set, engine, "another key"));
    }
    for set in ParameterSet::ALL.into_iter().filter(|set| !is_fast(*set)) {
        let owned = Owned {
            key: key(set, &Engine::get()).verifying_key(),
            message: MESSAGE.to_vec(),
            mode: MODE,
            signature: signed(set),
        };
        batch.push((owned, Ok(())));
    }
    let mut rng = Rng::new("mixed");
    for i in (1..batch.len()).rev() {
        batch.swap(i, rng.below(i + 1));
    }
    check(&batch, "everything at once");
    batch.reverse();
    check(&batch, "everything at once, the other way round");
}

#[test]
fn signatures_swapped_between_items() {
    for set in SMALL {
        let items = items(set, &Engine::get(), "swapped");
        let mut swapped = items[..5].to_vec();
        for i in 0..5 {
            swapped[i].0.signature.clone_from(&items[(i + 1) % 5].0.signature);
            swapped[i].1 = Err(Error::InvalidSignature);
        }
        check(&swapped, "each with its neighbour's signature");
        let items: Vec<_> = items.iter().cloned().chain(swapped).collect();
        check(&items, "beside their owners");
    }
}

fn messages(count: usize) -> Vec<Vec<u8>> {
    let mut rng = Rng::new("messages");
    (0..count).map(|i| rng.bytes(i * 37 % 300)).collect()
}

/// Batches of several sizes against signatures one by one.
fn signed_one_by_one(set: ParameterSet, engine: &Engine, mode: &Mode<'_>) {
    let (key, n) = (key(set, engine), set.n());
    let owned = messages(5);
    let messages: Vec<&[u8]> = owned.iter().map(Vec::as_slice).collect();
    let opt_rand = Rng::new("opt_rand").bytes(5 * n);
    let deterministic: Vec<_> =
        messages.iter().map(|message| key.sign(*message, mode, Randomness::Deterministic)).collect();
    let given = |(message, given): (&&[u8], _)| key.sign(*message, mode, Randomness::Given(given));
    let randomized: Vec<_> = messages.iter().zip(opt_rand.chunks(n)).map(given).collect();
    assert!(deterministic.iter().zip(&randomized).all(|(a, b)| a.is_ok() && b.is_ok() && a != b));
    for size in [0, 1, 2, 5] {
        let batch = key.sign_batch(&messages[..size], mode, Randomness::Deterministic);
        assert!(batch == deterministic[..size], "{set}, {mode:?}, {size} messages");
        let batch = key.sign_batch(&messages[..size], mode, Randomness::Given(&opt_rand[..size * n]));
        assert!(batch == randomized[..size], "{set}, {mode:?}, {size} messages");
    }
}

#[test]
fn batches_are_signed_as_one_by_one() {
    on_every_engine(|engine| SMALL.into_iter().for_each(|set| signed_one_by_one(set, engine, &MODE)));
    let function = PreHash::Shake256;
    for mode in [Mode::Internal, Mode::default(), Mode::PreHash { context: CONTEXT, function }] {
        SMALL.into_iter().for_each(|set| signed_one_by_one(set, &Engine::get(), &mode));
    }
}

#[test]
fn hedged_batches_verify_and_never_repeat() {
    let sign_twice = |key: &SigningKey| {
        let mut rng = Rng::new("hedged");
        let messages = [MESSAGE, MESSAGE, b"another"];
        let mut signatures = key.sign_batch(&messages, &MODE, Randomness::Hedged(&mut rng));
        signatures.extend(key.sign_batch(&messages, &MODE, Randomness::Hedged(&mut rng)));
        #[cfg(feature = "getrandom")]
        signatures.extend(key.sign_batch(&messages, &MODE, Randomness::os()));
        signatures.into_iter().map(Result::unwrap).collect::<Vec<_>>()
    };
    for set in SMALL {
        let key = key(set, &Engine::get());
        let public = key.verifying_key();
        let signatures = sign_twice(&key);
        for (i, signature) in signatures.iter().enumerate() {
            let message: &[u8] = if i % 3 == 2 { b"another" } else { MESSAGE };
            assert_eq!(public.verify(message, &MODE, signature.as_ref()), Ok(()));
            assert!(!signatures[..i].contains(signature), "{set}: signature {i} repeats");
        }
    }
}

#[test]
fn one_bad_digest_spoils_no_neighbour() {
    for set in SMALL {
        let key = key(set, &Engine::get());
        let mode = Mode::Digest { context: CONTEXT, function: PreHash::Sha2_256 };
        let messages = [&[1; 32][..], &[2; 31], &[3; 32], &[]];
        let signatures = key.sign_batch(&messages, &mode, Randomness::Deterministic);
        for (message, signature) in messages.into_iter().zip(signatures) {
            match signature {
                Ok(signature) => assert_eq!(key.verifying_key().verify(message, &mode, signature.as_ref()), Ok(())),
                Err(error) => assert_eq!(error, Error::WrongLength { expected: 32, actual: message.len() }),
            }
            assert_eq!(message.len() == 32, key.sign(message, &mode, Randomness::Deterministic).is_ok());
        }
    }
}

#[test]
fn fast_sets_in_a_batch() {
    for set in fast_sets() {
        let key = key(set, &Engine::get());
        let messages: [&[u8]; 3] = [b"one", b"two", b"three"];
        let signatures = key.sign_batch(&messages, &MODE, Randomness::Deterministic);
        let public = key.verifying_key();
        for (i, signature) in signatures.iter().enumerate() {
            let signature = signature.as_ref().unwrap().as_ref();
            for (j, message) in messages.into_iter().enumerate() {
                let verdict = public.verify(message, &MODE, signature);
                assert_eq!(verdict.is_ok(), i == j, "{set}: signature {i}, message {j}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_choice_of_items_in_any_order(choice in prop::collection::vec(any::<prop::sample::Index>(), 0..70)) {
        let all: Vec<_> = SMALL.into_iter().flat_map(|set| items(set, &Engine::get(), "chosen")).collect();
        let batch: Vec<_> = choice.iter().map(|index| index.get(&all).clone()).collect();
        check(&batch, "chosen");
    }
}
