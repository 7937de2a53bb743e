//! SLH-DSA against the crates slh-dsa and fips205: equal keys, equal signatures, each verifies the others', and all say
//! the same of the negative vectors.

#[path = "../common/mod.rs"]
mod common;
mod negative;
mod references;

use common::slh::{Rng, SMALL};
use hashloom::{
    Engine,
    slh_dsa::{Mode, ParameterSet, PreHash, Randomness, SigningKey, VerifyingKey},
};
use references::{Reference, digest, references};

fn randomness(opt_rand: Option<&[u8]>) -> Randomness<'_> {
    opt_rand.map_or(Randomness::Deterministic, Randomness::Given)
}

/// A key made here on every engine and by every reference, all equal.
fn same_keys(set: ParameterSet, engines: &[(String, Engine)], references: &[Reference], rng: &mut Rng) -> SigningKey {
    let seeds = [(); 3].map(|()| rng.bytes(set.n()));
    let seeds = seeds.each_ref().map(Vec::as_slice);
    let [sk_seed, sk_prf, pk_seed] = seeds;
    let key = SigningKey::from_seeds(set, &Engine::get(), sk_seed, sk_prf, pk_seed).unwrap();
    for (name, engine) in engines {
        let on = SigningKey::from_seeds(set, engine, sk_seed, sk_prf, pk_seed).unwrap();
        assert_eq!(on.to_bytes(), key.to_bytes(), "{set} on {name}");
    }
    for reference in references {
        assert_eq!((reference.key)(seeds), key.to_bytes()[..], "{set} by {}", reference.name);
    }
    key
}

/// One signature made here on every engine and by every reference, all equal; all verify all.
fn same_signature(
    key: &SigningKey,
    engines: &[(String, Engine)],
    references: &[Reference],
    message: &[u8],
    mode: &Mode<'_>,
    opt_rand: Option<&[u8]>,
) {
    let set = key.set();
    let signature = key.sign(message, mode, randomness(opt_rand)).unwrap();
    let signature = signature.as_ref();
    let public = key.verifying_key();
    let mut bad = signature.to_vec();
    bad[set.n()] ^= 1;
    for (name, engine) in engines {
        let on = key.clone().with_engine(engine).sign(message, mode, randomness(opt_rand)).unwrap();
        assert!(on.as_ref() == signature, "{set} on {name}, {mode:?}");
        let public = VerifyingKey::from_bytes(set, engine, public.as_bytes()).unwrap();
        assert_eq!(public.verify(message, mode, signature), Ok(()), "{set} on {name}, {mode:?}");
    }
    for reference in references {
        let name = reference.name;
        let theirs = (reference.sign)(&key.to_bytes(), message, mode, opt_rand);
        // equal bytes, so theirs verify here as well
        assert!(theirs.is_none_or(|theirs| theirs == signature), "{set} by {name}, {mode:?}");
        let verdict = |signature| (reference.verify)(public.as_bytes(), message, mode, signature);
        assert!(verdict(signature).is_none_or(|good| good), "{name} refuses {set}, {mode:?}");
        assert!(verdict(&bad).is_none_or(|good| !good), "{name} takes anything for {set}, {mode:?}");
    }
}

/// Every interface, deterministic and not, contexts from empty to longest.
fn whole_set(set: ParameterSet) {
    let (engines, references) = (common::engines(), references(set));
    let mut rng = Rng::new(&format!("differential {set}"));
    let key = same_keys(set, &engines, &references, &mut rng);
    let longest = rng.bytes(255);
    let contexts: [&[u8]; 3] = [b"", b"a context", &longest];
    for (i, context) in contexts.into_iter().enumerate() {
        let message = rng.bytes([0, 33, 1000][i]);
        let opt_rand = rng.bytes(set.n());
        let opt_rand = [Some(&opt_rand[..]), None][i % 2];
        let function = PreHash::ALL[(set as usize + i) % 12];
        for mode in [Mode::Internal, Mode::Pure { context }, Mode::PreHash { context, function }] {
            same_signature(&key, &engines, &references, &message, &mode, opt_rand);
        }
    }
}

macro_rules! fast {
    ($($name:ident $set:ident)*) => { $(
        #[test]
        fn $name() {
            whole_set(ParameterSet::$set);
        }
    )* };
}
fast! {
    sha2_128f Sha2_128f sha2_192f Sha2_192f sha2_256f Sha2_256f
    shake_128f Shake128f shake_192f Shake192f shake_256f Shake256f
}

/// One key and one signature, on the automatic engine alone.
fn one_signature(set: ParameterSet) {
    let (engines, references) = ([("automatic".to_owned(), Engine::get())], references(set));
    let mut rng = Rng::new(&format!("differential {set}"));
    let key = same_keys(set, &engines, &references, &mut rng);
    let (message, opt_rand) = (rng.bytes(100), rng.bytes(set.n()));
    same_signature(&key, &engines, &references, &message, &Mode::Pure { context: b"small" }, Some(&opt_rand));
}

macro_rules! slow {
    ($($name:ident $set:ident)*) => { $(
        #[test]
        #[ignore = "18 s for all six on two cores, most of it signing by the other crates"]
        fn $name() {
            one_signature(ParameterSet::$set);
        }
    )* };
}
slow! {
    sha2_128s Sha2_128s sha2_192s Sha2_192s sha2_256s Sha2_256s
    shake_128s Shake128s shake_192s Shake192s shake_256s Shake256s
}

#[test]
fn every_pre_hash_function_and_its_digest() {
    let engines = common::engines();
    for set in SMALL {
        let references = references(set);
        let mut rng = Rng::new(&format!("pre-hash {set}"));
        let key = same_keys(set, &engines, &references, &mut rng);
        for function in PreHash::ALL {
            let (message, context) = (rng.bytes(200), rng.bytes(20));
            let opt_rand = rng.bytes(set.n());
            let mode = Mode::PreHash { context: &context, function };
            same_signature(&key, &engines[..1], &references, &message, &mode, Some(&opt_rand));

            let given = Mode::Digest { context: &context, function };
            let by_message = key.sign(&message[..], &mode, Randomness::Given(&opt_rand)).unwrap();
            let digest = digest(function, &message);
            let by_digest = key.sign(&digest[..], &given, Randomness::Given(&opt_rand)).unwrap();
            assert!(by_message == by_digest, "{set}, {function}");
            assert_eq!(key.verifying_key().verify(&digest[..], &given, by_message.as_ref()), Ok(()));
            assert_eq!(key.verifying_key().verify(&message[..], &mode, by_digest.as_ref()), Ok(()));
        }
    }
}

#[test]
fn many_messages_of_random_lengths() {
    let engines = common::engines();
    for set in SMALL {
        let references = references(set);
        let mut rng = Rng::new(&format!("many {set}"));
        for _ in 0..3 {
            let key = same_keys(set, &engines, &references, &mut rng);
            let len = rng.below(700);
            let message = rng.bytes(len);
            let len = rng.below(256);
            let context = rng.bytes(len);
            same_signature(&key, &engines, &references[..1], &message, &Mode::Pure { context: &context }, None);
        }
    }
}
