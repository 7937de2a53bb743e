//! Properties over random messages, contexts and seeds, and the signature crate's traits.

mod common;

use common::{
    on_every_engine,
    slh::{MESSAGE, Rng, SMALL, fast_sets, key},
};
use hashloom::{
    Engine, Error,
    slh_dsa::{Mode, ParameterSet, PreHash, Randomness, Signature, SigningKey, VerifyingKey},
};
use proptest::prelude::*;
use signature::{Keypair, MultipartVerifier, RandomizedMultipartSigner, RandomizedSigner, SignatureEncoding, Verifier};

fn set() -> impl Strategy<Value = ParameterSet> {
    prop::sample::select(&SMALL[..])
}

fn bytes(len: impl Into<prop::collection::SizeRange>) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), len)
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(24))]

    /// What is signed verifies, on any engine; nothing else does.
    #[test]
    fn signatures_verify_and_tampered_ones_do_not(
        set in set(),
        message in bytes(0..600),
        context in bytes(0..=255),
        opt_rand in bytes(16),
        function in prop::sample::select(&PreHash::ALL[..]),
        hashed in any::<bool>(),
        at in any::<prop::sample::Index>(),
        change in 1..=255_u8,
    ) {
        let context = &context[..];
        let mode = if hashed { Mode::PreHash { context, function } } else { Mode::Pure { context } };
        let key = key(set, &Engine::get());
        let signature = key.sign(&message[..], &mode, Randomness::Given(&opt_rand)).unwrap();
        let signature = signature.as_ref();
        prop_assert_eq!(signature.len(), set.signature_len());
        on_every_engine(|engine| {
            let public = key.verifying_key().with_engine(engine);
            assert_eq!(public.verify(&message[..], &mode, signature), Ok(()));

            let mut forged = signature.to_vec();
            forged[at.index(signature.len())] ^= change;
            assert_eq!(public.verify(&message[..], &mode, &forged), Err(Error::InvalidSignature));

            let mut other = message.clone();
            other.insert(at.index(message.len() + 1), change);
            assert_eq!(public.verify(&other[..], &mode, signature), Err(Error::InvalidSignature));

            if !context.is_empty() {
                let mut other = context.to_vec();
                other[at.index(context.len())] ^= change;
                let context = &other[..];
                let mode = if hashed { Mode::PreHash { context, function } } else { Mode::Pure { context } };
                assert_eq!(public.verify(&message[..], &mode, signature), Err(Error::InvalidSignature));
            }
        });
    }

    /// Bytes that nobody signed do not verify, whatever they are, and nothing panics.
    #[test]
    fn noise_is_no_signature(set in set(), seed in any::<u64>(), message in bytes(0..100)) {
        let public = key(set, &Engine::get()).verifying_key();
        let noise = Rng::new(&format!("noise {seed}")).bytes(set.signature_len());
        prop_assert_eq!(public.verify(&message[..], &Mode::default(), &noise), Err(Error::InvalidSignature));
    }

    /// Any 2n bytes are a public key; noise verifies under none.
    #[test]
    fn noise_is_a_public_key(
        set in prop::sample::select(&ParameterSet::ALL[..]),
        seed in any::<u64>(),
    ) {
        let mut rng = Rng::new(&format!("public {seed}"));
        let public = rng.bytes(set.verifying_key_len());
        let public = VerifyingKey::from_bytes(set, &Engine::get(), &public).unwrap();
        let noise = rng.bytes(set.signature_len());
        prop_assert_eq!(public.verify(MESSAGE, &Mode::default(), &noise), Err(Error::InvalidSignature));
        prop_assert_eq!(VerifyingKey::from_spki_der(&Engine::get(), &public.to_spki_der()), Ok(public));
        prop_assert_eq!(VerifyingKey::from_spki_pem(&Engine::get(), &public.to_spki_pem()), Ok(public));
    }

    /// Keys of any seeds survive every encoding.
    #[test]
    fn key_encodings_round_trip(set in set(), sk_seed in bytes(16), sk_prf in bytes(16), pk_seed in bytes(16)) {
        let engine = &Engine::get();
        let key = SigningKey::from_seeds(set, engine, &sk_seed, &sk_prf, &pk_seed).unwrap();
        let bytes = key.to_bytes();
        prop_assert_eq!(&bytes[..48], &[sk_seed, sk_prf, pk_seed].concat()[..]);
        for read in [
            SigningKey::from_bytes(set, engine, &bytes),
            SigningKey::from_pkcs8_der(engine, &key.to_pkcs8_der()),
            SigningKey::from_pkcs8_pem(engine, &key.to_pkcs8_pem()),
        ] {
            let read = read.unwrap();
            prop_assert_eq!(read.set(), set);
            prop_assert_eq!(read.to_bytes(), bytes.clone());
            prop_assert_eq!(read.verifying_key(), key.verifying_key());
        }
    }

    /// Decoders of hostile bytes refuse or accept; they do not panic.
    #[test]
    fn noise_is_no_encoding(noise in bytes(0..300), text in ".{0,200}") {
        let engine = &Engine::get();
        _ = SigningKey::from_pkcs8_der(engine, &noise);
        _ = VerifyingKey::from_spki_der(engine, &noise);
        prop_assert!(SigningKey::from_pkcs8_pem(engine, &text).is_err());
        prop_assert!(VerifyingKey::from_spki_pem(engine, &text).is_err());
        _ = text.parse::<ParameterSet>();
        _ = text.parse::<PreHash>();
        _ = text.parse::<hashloom::Backend>();
    }
}

#[test]
fn other_sets_round_trip_and_refuse_tampering() {
    let mut rng = Rng::new("other sets");
    for set in fast_sets() {
        let key = SigningKey::generate(set, &Engine::get(), &mut rng).unwrap();
        let signature = key.sign(MESSAGE, &Mode::default(), Randomness::Hedged(&mut rng)).unwrap();
        let public = key.verifying_key();
        assert_eq!(Verifier::verify(&public, MESSAGE, &signature).map_err(drop), Ok(()));
        for _ in 0..8 {
            let mut forged = signature.as_ref().to_vec();
            let at = rng.below(forged.len());
            forged[at] ^= 1 << rng.below(8);
            assert_eq!(public.verify(MESSAGE, &Mode::default(), &forged), Err(Error::InvalidSignature), "{set}");
        }
    }
}

#[test]
fn deterministic_signatures_repeat_and_hedged_ones_do_not() {
    fn sign(key: &SigningKey, randomness: Randomness<'_>) -> Signature {
        key.sign(MESSAGE, &Mode::default(), randomness).unwrap()
    }
    for set in SMALL {
        let (key, n) = (&key(set, &Engine::get()), set.n());
        let deterministic = sign(key, Randomness::Deterministic);
        assert!(deterministic == sign(key, Randomness::Deterministic));
        // opt_rand is PK.seed (FIPS 205 section 9.2)
        assert!(deterministic == sign(key, Randomness::Given(&key.verifying_key().as_bytes()[..n])));

        let mut rng = Rng::new("hedged");
        let first = sign(key, Randomness::Hedged(&mut rng));
        let second = sign(key, Randomness::Hedged(&mut rng));
        assert!(first != second && first != deterministic);
        // hedging is given randomness from the generator
        let opt_rand = Rng::new("hedged").bytes(2 * n);
        assert!(first == sign(key, Randomness::Given(&opt_rand[..n])));
        assert!(second == sign(key, Randomness::Given(&opt_rand[n..])));
        #[cfg(feature = "getrandom")]
        assert!(sign(key, Randomness::os()) != sign(key, Randomness::os()));
    }
}

/// Through nothing but the signature crate's traits.
fn by_traits<S>(signer: &S)
where
    S: RandomizedSigner<Signature> + RandomizedMultipartSigner<Signature> + Keypair,
    S::VerifyingKey: Verifier<Signature> + MultipartVerifier<Signature>,
{
    let public = signer.verifying_key();
    let mut rng = Rng::new("traits");
    let signature = signer.sign_with_rng(&mut rng, MESSAGE);
    let (a, b) = MESSAGE.split_at(10);
    let in_parts = signer.multipart_sign_with_rng(&mut Rng::new("traits"), &[a, b]);
    assert!(signature == in_parts);
    assert!(signature != signer.sign_with_rng(&mut rng, MESSAGE));
    assert!(public.verify(MESSAGE, &signature).is_ok());
    assert!(public.verify(&MESSAGE[1..], &signature).is_err());
    assert!(public.multipart_verify(&[a, b], &signature).is_ok());
    assert!(public.multipart_verify(&[b, a], &signature).is_err());

    assert_eq!(signature.to_bytes(), signature.to_vec());
    assert_eq!(signature.encoded_len(), signature.to_vec().len());
    assert!(Signature::try_from(&signature.to_vec()[..]).unwrap() == signature);
    assert!(Signature::try_from(&signature.to_vec()[1..]).is_err());
}

#[cfg(feature = "getrandom")]
fn by_system_traits<S>(signer: &S)
where
    S: signature::Signer<Signature> + signature::MultipartSigner<Signature> + Keypair,
    S::VerifyingKey: Verifier<Signature>,
{
    let public = signer.verifying_key();
    let (a, b) = MESSAGE.split_at(10);
    let signatures = [signer.sign(MESSAGE), signer.sign(MESSAGE), signer.multipart_sign(&[a, b])];
    for (i, signature) in signatures.iter().enumerate() {
        assert!(public.verify(MESSAGE, signature).is_ok());
        assert!(!signatures[..i].contains(signature), "hedged by the operating system");
    }
}

#[test]
fn traits_of_the_signature_crate() {
    on_every_engine(|engine| {
        for set in SMALL {
            let key = key(set, engine);
            by_traits(&key);
            #[cfg(feature = "getrandom")]
            by_system_traits(&key);

            // the traits are pure mode with an empty context
            let mut rng = Rng::new("pure");
            let signature = key.sign_with_rng(&mut rng, MESSAGE);
            let public = key.verifying_key();
            assert_eq!(public.verify(MESSAGE, &Mode::Pure { context: b"" }, signature.as_ref()), Ok(()));
            assert_eq!(Vec::from(signature.clone()), signature.as_ref());
        }
    });
}

#[test]
fn names_of_pre_hash_functions() {
    let lens = [32, 48, 64, 28, 28, 32, 28, 32, 48, 64, 32, 64];
    let names = [
        "SHA2-256",
        "SHA2-384",
        "SHA2-512",
        "SHA2-224",
        "SHA2-512/224",
        "SHA2-512/256",
        "SHA3-224",
        "SHA3-256",
        "SHA3-384",
        "SHA3-512",
        "SHAKE128",
        "SHAKE256",
    ];
    for ((function, name), len) in PreHash::ALL.into_iter().zip(names).zip(lens) {
        assert_eq!((function.name(), function.to_string(), function.digest_len()), (name, name.to_owned(), len));
        let mut spellings = vec![name.to_owned(), name.to_lowercase(), name.replacen("SHAKE", "SHAKE-", 1)];
        if let Some(rest) = name.strip_prefix("SHA2") {
            spellings.push(format!("SHA{rest}"));
        }
        for spelling in spellings {
            assert_eq!(spelling.parse(), Ok(function), "{spelling}");
        }
    }
    for name in ["", "SHA", "SHA1", "MD5", "SHA2", "SHAKE", "SHA3-128", "SHA2-256 ", "256"] {
        assert_eq!(name.parse::<PreHash>(), Err(Error::UnknownName), "{name:?}");
    }
}

#[test]
fn errors_print_and_become_the_signature_crates() {
    let errors = [
        Error::UnknownName,
        Error::InvalidSignature,
        Error::ContextTooLong { length: 300 },
        Error::WrongLength { expected: 1, actual: 2 },
        Error::OutputTooLong { limit: 3 },
        Error::InconsistentKey,
        Error::InvalidEncoding,
        Error::Randomness,
        Error::MessageChanged,
        Error::Fault,
        #[cfg(feature = "std")]
        Error::Read(std::io::ErrorKind::NotFound),
        Error::BackendUnavailable(hashloom::Backend::Portable),
    ];
    let mut texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    #[cfg(feature = "std")]
    for error in errors {
        let source = signature::Error::from(error);
        let source = std::error::Error::source(&source).expect("the cause is kept");
        assert_eq!(source.downcast_ref::<Error>(), Some(&error));
    }
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), errors.len(), "each says something of its own");
    assert!(texts.iter().all(|text| !text.is_empty()));
}
