//! What must hold of ML-DSA on every engine: what is signed verifies, whatever is changed does not, all ways to sign and
//! to verify agree, and the edges of what a verifier takes are where the standard puts them.

mod common;

use common::{
    engines,
    ml::{CONTEXT, Layout, MESSAGE, MODE, key, key_for, signed},
    on_every_engine,
    slh::{Failing, Rng},
};
use hashloom::{
    Engine, Error,
    ml_dsa::{
        Item, Mode, Mu, ParameterSet, PreHash, Randomness, Reader, Signature, SigningKey, VerifyingKey, verify_batch,
    },
};
use signature::{
    Keypair, MultipartSigner, MultipartVerifier, RandomizedMultipartSigner, RandomizedSigner, Signer, Verifier,
};

const INVALID: Result<(), Error> = Err(Error::InvalidSignature);

/// The verdict of every function that verifies, which must be one.
fn verdict(key: &VerifyingKey, message: &[u8], mode: &Mode<'_>, signature: &[u8]) -> Result<(), Error> {
    let verdict = key.verify(message, mode, signature);
    let expanded = key.expand();
    assert_eq!(expanded.verify(message, mode, signature), verdict);
    assert_eq!(key.verify_reader(message, mode, signature), verdict);
    assert_eq!(expanded.verify_reader(message, mode, signature), verdict);
    assert_eq!(verify_batch(&[Item { key, message, mode: *mode, signature }]), [verdict]);
    assert_eq!(expanded.verify_batch(&[(message, signature)], mode), [verdict]);
    match key.mu(mode) {
        Err(error) => assert_eq!(verdict, Err(error)),
        Ok(mut hasher) => {
            let (start, end) = message.split_at(message.len() / 3);
            hasher.update(start);
            hasher.update(end);
            let mu = hasher.finish().unwrap();
            assert_eq!(key.verify_mu(&mu, signature), verdict);
            assert_eq!(expanded.verify_mu(&mu, signature), verdict);
        }
    }
    verdict
}

/// The signature that every function makes.
fn signature(key: &SigningKey, message: &[u8], mode: &Mode<'_>, rnd: &[u8]) -> Signature {
    let given = || Randomness::Given(rnd);
    let signature = key.sign(message, mode, given()).unwrap();
    let (expanded, public) = (key.expand(), key.verifying_key());
    let mut hasher = public.mu(mode).unwrap();
    message.chunks(50).for_each(|part| hasher.update(part));
    let mu = hasher.finish().unwrap();
    assert_eq!(Mu::from_bytes(*mu.as_bytes()), mu);
    let others = [
        key.sign_reader(message, mode, given()),
        key.sign(Reader::new(std::io::Cursor::new(message)).unwrap(), mode, given()),
        key.sign(&[&message[..message.len() / 2], &message[message.len() / 2..]][..], mode, given()),
        key.sign_mu(&mu, given()),
        expanded.sign(message, mode, given()),
        expanded.sign_reader(message, mode, given()),
        expanded.sign_mu(&mu, given()),
        key.sign_batch(&[message], mode, given()).remove(0),
        expanded.sign_batch(&[message], mode, given()).remove(0),
    ];
    for (i, other) in others.into_iter().enumerate() {
        assert!(other.unwrap() == signature, "{}, way {i}", key.set());
    }
    signature
}

#[test]
fn every_way_to_sign_and_to_verify() {
    let longest = [7; 255];
    let mut rng = Rng::new("every way");
    for set in ParameterSet::ALL {
        let mut first: Vec<Signature> = Vec::new();
        let contexts: [&[u8]; 3] = [b"", b"c", &longest];
        let function = PreHash::Sha3_384;
        let modes = contexts.map(|context| [Mode::Pure { context }, Mode::PreHash { context, function }]);
        let modes = [&modes.concat()[..], &[Mode::Internal]].concat();
        let (message, rnd) = (rng.bytes(300), rng.bytes(32));
        on_every_engine(|engine| {
            let key = key(set, engine);
            for (i, mode) in modes.iter().enumerate() {
                let made = signature(&key, &message, mode, &rnd);
                assert_eq!(verdict(&key.verifying_key(), &message, mode, made.as_ref()), Ok(()), "{set}, {mode:?}");
                for (j, other) in modes.iter().enumerate().filter(|&(j, _)| j != i) {
                    let taken = key.verifying_key().verify(&message[..], other, made.as_ref());
                    assert_eq!(taken, INVALID, "{set}: {mode:?} as {other:?}, {j}");
                }
            }
        });
        for mode in &modes {
            let signatures = engines()
                .into_iter()
                .map(|(_, engine)| key(set, &engine).sign(&message[..], mode, Randomness::Given(&rnd)).unwrap());
            first.clear();
            first.extend(signatures);
            assert!(first.iter().all(|other| *other == first[0]), "{set}, {mode:?}");
        }
    }
}

#[test]
fn contexts_above_255_bytes_and_digests_of_another_length_are_refused() {
    let long = [0; 256];
    for set in ParameterSet::ALL {
        let (key, signature) = (key(set, &Engine::get()), signed(set));
        let public = key.verifying_key();
        for mode in [
            Mode::Pure { context: &long },
            Mode::PreHash { context: &long, function: PreHash::Sha2_256 },
            Mode::Digest { context: &long, function: PreHash::Sha2_256 },
        ] {
            let want = Error::ContextTooLong { length: 256 };
            assert_eq!(key.sign(MESSAGE, &mode, Randomness::Deterministic), Err(want));
            assert_eq!(key.sign_batch(&[MESSAGE], &mode, Randomness::Deterministic), [Err(want)]);
            assert_eq!(verdict(&public, MESSAGE, &mode, &signature), Err(want));
        }
        let mode = Mode::Digest { context: CONTEXT, function: PreHash::Sha2_256 };
        for len in [0, 31, 33] {
            let want = Error::WrongLength { expected: 32, actual: len };
            let digest = &long[..len];
            assert_eq!(key.sign(digest, &mode, Randomness::Deterministic), Err(want));
            assert_eq!(public.verify(digest, &mode, &signature), Err(want));
            let mut hasher = public.mu(&mode).unwrap();
            hasher.update(digest);
            assert_eq!(hasher.finish(), Err(want));
        }
    }
}

#[test]
fn nothing_may_be_changed() {
    let mut rng = Rng::new("changes");
    for set in ParameterSet::ALL {
        let (layout, good) = (Layout::of(set), signed(set));
        for (name, engine) in engines() {
            let public = key(set, &engine).verifying_key();
            assert_eq!(verdict(&public, MESSAGE, &MODE, &good), Ok(()), "{set} on {name}");
            // every byte of c~ and of the hint, and some of z
            let places = (0..layout.z).chain(layout.hint..good.len());
            let some = [(); 40].map(|()| layout.z + rng.below(layout.hint - layout.z));
            for place in places.chain(some).chain([layout.z, layout.hint - 1]) {
                let mut bad = good.clone();
                bad[place] ^= 1 << rng.below(8);
                assert_eq!(public.verify(MESSAGE, &MODE, &bad), INVALID, "{set} on {name}, byte {place}");
            }
            for len in [0, 1, good.len() - 1, good.len() + 1] {
                let mut bad = good.clone();
                bad.resize(len, 0);
                assert_eq!(verdict(&public, MESSAGE, &MODE, &bad), INVALID, "{set} on {name}, {len} bytes");
            }
            assert_eq!(verdict(&public, b"another", &MODE, &good), INVALID);
            assert_eq!(verdict(&public, MESSAGE, &Mode::Pure { context: b"other" }, &good), INVALID);
            let other = key_for(set, &engine, "other").verifying_key();
            assert_eq!(verdict(&other, MESSAGE, &MODE, &good), INVALID);
            for place in [0, 31, 32, public.as_bytes().len() - 1] {
                let mut bytes = public.as_bytes().to_vec();
                bytes[place] ^= 1;
                let other = VerifyingKey::from_bytes(set, &engine, &bytes).unwrap();
                assert_eq!(verdict(&other, MESSAGE, &MODE, &good), INVALID, "{set} on {name}, byte {place} of the key");
            }
        }
    }
}

/// Hints with a second encoding, by hand: the standard's Alg. 21 takes one.
#[test]
fn hints_have_one_encoding() {
    for set in ParameterSet::ALL {
        let layout = Layout::of(set);
        let public = key(set, &Engine::get()).verifying_key();
        let refused = |signature: &[u8], what: &str| {
            assert_eq!(verdict(&public, MESSAGE, &MODE, signature), INVALID, "{set}: {what}");
        };
        let good = signed(set);
        let ends = good.len() - layout.k;
        let total = usize::from(good[good.len() - 1]);
        assert!(total > layout.k && total < layout.omega, "{set}: a usual hint");
        let (i, end) = (0..layout.k).map(|i| (i, usize::from(good[ends + i]))).find(|&(_, end)| end >= 2).unwrap();
        let start = if i == 0 { 0 } else { usize::from(good[ends + i - 1]) };

        if end - start >= 2 {
            let mut swapped = good.clone();
            swapped.swap(layout.hint + start, layout.hint + start + 1);
            refused(&swapped, "places that decrease");
            let mut twice = good.clone();
            twice[layout.hint + start + 1] = twice[layout.hint + start];
            refused(&twice, "a place twice");
        }
        for place in [total, layout.omega - 1] {
            let mut padded = good.clone();
            padded[layout.hint + place] = 1;
            refused(&padded, "padding that is not zero");
        }
        let mut many = good.clone();
        many[ends + layout.k - 1] = layout.omega as u8 + 1;
        refused(&many, "more than omega");
        let mut back = good.clone();
        back[ends + layout.k - 1] = 0;
        refused(&back, "ends that decrease");
    }
}

/// A coefficient of z beyond the bound is refused whatever the rest; whether one at the bound would be taken shows in
/// what is hashed, which the vectors test.
#[test]
fn z_has_a_bound() {
    for set in ParameterSet::ALL {
        let layout = Layout::of(set);
        let good = signed(set);
        let limit = layout.gamma1 - layout.beta;
        let count = (layout.hint - layout.z) * 8 / layout.z_bits;
        let largest = (0..count).map(|i| layout.coefficient(&good, i).abs()).max().unwrap();
        assert!(largest < limit, "{set}: {largest}");
        on_every_engine(|engine| {
            let public = key(set, engine).verifying_key();
            for i in [0, 1, 7, 8, 255, 256, count - 1] {
                for x in [limit, -limit, layout.gamma1, 1 - layout.gamma1] {
                    let mut bad = good.clone();
                    layout.set_coefficient(&mut bad, i, x);
                    assert_eq!(layout.coefficient(&bad, i), x);
                    assert_eq!(verdict(&public, MESSAGE, &MODE, &bad), INVALID, "{set}, coefficient {i} = {x}");
                }
            }
        });
    }
}

#[test]
fn randomness() {
    for set in ParameterSet::ALL {
        let key = key(set, &Engine::get());
        let sign = |randomness: Randomness<'_>| key.sign(MESSAGE, &MODE, randomness);
        let deterministic = sign(Randomness::Deterministic).unwrap();
        assert!(deterministic == sign(Randomness::Given(&[0; 32])).unwrap(), "{set}: zeros");
        let mut rng = Rng::new("hedged");
        let hedged = sign(Randomness::Hedged(&mut rng)).unwrap();
        assert!(hedged != sign(Randomness::Hedged(&mut rng)).unwrap());
        assert!(hedged == sign(Randomness::Given(&Rng::new("hedged").bytes(32))).unwrap());
        assert!(sign(Randomness::os()).unwrap() != sign(Randomness::os()).unwrap());
        for len in [0, 31, 33] {
            let want = Error::WrongLength { expected: 32, actual: len };
            assert_eq!(sign(Randomness::Given(&vec![0; len])), Err(want));
        }
        assert_eq!(sign(Randomness::Hedged(&mut Failing(&[1; 31]))), Err(Error::Randomness));
        let batch = key.sign_batch(&[MESSAGE; 3], &MODE, Randomness::Hedged(&mut Failing(&[1; 95])));
        assert_eq!(batch, [const { Err(Error::Randomness) }; 3]);
    }
}

#[test]
fn batches_of_every_size() {
    let mut rng = Rng::new("batches");
    for set in ParameterSet::ALL {
        for (name, engine) in engines() {
            let key = key(set, &engine);
            let public = key.verifying_key();
            for count in [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 40] {
                let messages: Vec<Vec<u8>> = (0..count).map(|i| rng.bytes(i * 7)).collect();
                let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
                let rnd = rng.bytes(32 * count);
                let batch = key.sign_batch(&messages, &MODE, Randomness::Given(&rnd));
                assert_eq!(batch.len(), count);
                let mut signatures = Vec::new();
                for (i, signature) in batch.into_iter().enumerate() {
                    let alone = key.sign(messages[i], &MODE, Randomness::Given(&rnd[32 * i..32 * i + 32])).unwrap();
                    assert!(signature.as_ref() == Ok(&alone), "{set} on {name}, {i} of {count}");
                    signatures.push(Vec::from(alone));
                }
                // every third is bad, and must not touch its neighbours
                signatures.iter_mut().step_by(3).for_each(|signature| signature[40] ^= 1);
                let pairs: Vec<_> = messages.iter().copied().zip(signatures.iter().map(Vec::as_slice)).collect();
                let items =
                    pairs.iter().map(|&(message, signature)| Item { key: &public, message, mode: MODE, signature });
                let want: Vec<_> = (0..count).map(|i| if i % 3 == 0 { INVALID } else { Ok(()) }).collect();
                assert_eq!(verify_batch(&items.collect::<Vec<_>>()), want, "{set} on {name}");
                assert_eq!(public.expand().verify_batch(&pairs, &MODE), want, "{set} on {name}");
            }
        }
    }
}

#[test]
fn a_batch_of_different_keys_sets_and_modes() {
    let long = [0; 256];
    let keys: Vec<_> = ParameterSet::ALL
        .into_iter()
        .flat_map(|set| engines().into_iter().map(move |(_, engine)| (key(set, &engine).verifying_key(), signed(set))))
        .collect();
    let mut items = Vec::new();
    for (key, signature) in &keys {
        items.push(Item { key, message: MESSAGE, mode: MODE, signature });
        items.push(Item { key, message: MESSAGE, mode: Mode::Pure { context: &long }, signature });
        items.push(Item { key, message: b"another", mode: MODE, signature });
        items.push(Item { key, message: MESSAGE, mode: MODE, signature: &signature[1..] });
    }
    let alone: Vec<_> = items.iter().map(|item| item.key.verify(item.message, &item.mode, item.signature)).collect();
    assert_eq!(alone[..4], [Ok(()), Err(Error::ContextTooLong { length: 256 }), INVALID, INVALID]);
    assert_eq!(verify_batch(&items), alone);
}

/// A message of the batch that is at fault, and what is around the batch.
#[test]
fn batches_with_errors() {
    let mode = Mode::Digest { context: CONTEXT, function: PreHash::Sha2_256 };
    let digests = [[1; 40], [2; 40], [3; 40]];
    for set in ParameterSet::ALL {
        on_every_engine(|engine| {
            let key = key(set, engine);
            let public = key.verifying_key();
            let messages = [&digests[0][..32], &digests[1][..31], &digests[2][..32], &[]];
            let length = |actual| Error::WrongLength { expected: 32, actual };
            let mut signed = key.sign_batch(&messages, &mode, Randomness::Deterministic);
            assert_eq!((signed.len(), signed.pop()), (4, Some(Err(length(0)))));
            assert_eq!(signed[1], Err(length(31)));
            for (i, signature) in [0, 2].map(|i| (i, signed[i].as_ref().unwrap())) {
                assert_eq!(*signature, key.sign(messages[i], &mode, Randomness::Deterministic).unwrap());
                assert_eq!(public.verify(messages[i], &mode, signature.as_ref()), Ok(()));
            }
            let signature = signed[0].as_ref().unwrap().as_ref();
            let items = messages.map(|message| (message, signature));
            let want = [Ok(()), Err(length(31)), INVALID, Err(length(0))];
            assert_eq!(public.expand().verify_batch(&items, &mode), want);
            assert_eq!(
                verify_batch(&items.map(|(message, signature)| Item { key: &public, message, mode, signature })),
                want
            );

            assert_eq!(verify_batch(&[]), []);
            assert_eq!(public.expand().verify_batch(&[], &mode), []);
            assert_eq!(key.sign_batch(&[], &mode, Randomness::Given(&[])), []);
            for len in [0, 32, 95, 97, 128] {
                let want = Error::WrongLength { expected: 96, actual: len };
                let batch = key.sign_batch(&[MESSAGE; 3], &MODE, Randomness::Given(&vec![0; len]));
                assert_eq!(batch, vec![Err(want); 3]);
            }
        });
    }
}

/// No length but one is taken, and none is looked at beyond its end.
#[test]
fn every_length_of_a_signature() {
    for set in ParameterSet::ALL {
        let good = signed(set);
        let public = key(set, &Engine::get()).verifying_key();
        let expanded = public.expand();
        let twice = good.repeat(2);
        for len in (0..twice.len()).filter(|&len| len != good.len()) {
            assert_eq!(expanded.verify(MESSAGE, &MODE, &twice[..len]), INVALID, "{set}, {len} bytes");
        }
        let lens = [1, 31, 32, 33, 64, good.len() - 81, good.len() - 1, good.len(), good.len() + 1, twice.len()];
        let items = lens.map(|len| Item { key: &public, message: MESSAGE, mode: MODE, signature: &twice[..len] });
        assert_eq!(verify_batch(&items), lens.map(|len| if len == good.len() { Ok(()) } else { INVALID }), "{set}");
    }
}

/// Nothing about an unusual key, message or context is special.
#[test]
fn extremes() {
    let long = vec![0x5a; 200_000];
    let contexts = [&long[..0], &long[..1], &long[..254], &long[..255]];
    for set in ParameterSet::ALL {
        for (name, engine) in engines() {
            for seed in [[0; 32], [0xff; 32]] {
                let key = SigningKey::from_seed(set, &engine, &seed).unwrap();
                let public = key.verifying_key();
                assert_eq!(SigningKey::from_bytes(set, &engine, &key.to_bytes()).unwrap().verifying_key(), public);
                for context in contexts {
                    let mode = Mode::Pure { context };
                    let signed = key.sign(&b""[..], &mode, Randomness::Given(&[0xff; 32])).unwrap();
                    assert_eq!(verdict(&public, b"", &mode, signed.as_ref()), Ok(()), "{set} on {name}");
                    assert_eq!(verdict(&public, &[0], &mode, signed.as_ref()), INVALID, "{set} on {name}");
                }
            }
            let key = key(set, &engine);
            let signed = key.sign(&long[..], &MODE, Randomness::Deterministic).unwrap();
            assert_eq!(verdict(&key.verifying_key(), &long, &MODE, signed.as_ref()), Ok(()), "{set} on {name}");
            assert_eq!(verdict(&key.verifying_key(), &long[1..], &MODE, signed.as_ref()), INVALID, "{set} on {name}");
        }
    }
}

/// Pieces of any size, none at all among them, are the message; a hasher that is dropped leaves nothing behind.
#[test]
fn mu_in_pieces() {
    let message: Vec<u8> = (0..=255).cycle().take(700).collect();
    for set in ParameterSet::ALL {
        let keys = engines().into_iter().map(|(_, engine)| key(set, &engine).verifying_key());
        for key in keys {
            let modes = [
                Mode::Internal,
                MODE,
                Mode::PreHash { context: CONTEXT, function: PreHash::Shake256 },
                Mode::Digest { context: CONTEXT, function: PreHash::Sha2_512 },
            ];
            for mode in &modes {
                let message = if matches!(mode, Mode::Digest { .. }) { &message[..64] } else { &message[..] };
                let mu = |size: usize| {
                    let mut hasher = key.mu(mode).unwrap();
                    for piece in message.chunks(size) {
                        hasher.update(&[]);
                        hasher.update(piece);
                    }
                    hasher.finish().unwrap()
                };
                let whole = mu(1000);
                for size in [1, 7, 63, 64, 135, 136, 137, 272] {
                    drop(key.mu(mode));
                    assert_eq!(mu(size), whole, "{set}, {mode:?}, pieces of {size}");
                }
                assert_ne!(key.expand().mu(mode).unwrap().finish(), Ok(whole), "of no message");
            }
        }
    }
}

#[test]
fn what_is_printed() {
    for set in ParameterSet::ALL {
        let key = key(set, &Engine::get());
        let public = key.verifying_key();
        let text = format!("VerifyingKey({set}, {})", hex::encode(public.as_bytes()));
        assert_eq!(format!("{public:?}"), text);
        assert_eq!(format!("{:?}", public.expand()), format!("ExpandedVerifyingKey({text})"));
        assert_eq!(format!("{key:?}"), format!("SigningKey {{ set: {set:?}, public: {text}, .. }}"));
        assert_eq!(format!("{:?}", key.expand()), format!("ExpandedSigningKey {{ public: {text}, .. }}"));
        assert_eq!(format!("{:?}", public.mu(&MODE).unwrap()), "MuHasher { .. }");
    }
    assert_eq!(format!("{:?}", Mu::from_bytes([0xab; 64])), format!("Mu({})", "ab".repeat(64)));
}

/// A key is used by many threads at once.
#[test]
fn threads_share_a_key() {
    for set in ParameterSet::ALL {
        let (key, want) = (key(set, &Engine::get()).expand(), signed(set));
        let public = key.verifying_key().expand();
        std::thread::scope(|scope| {
            let work = || {
                for _ in 0..10 {
                    let made = key.sign(MESSAGE, &MODE, Randomness::Deterministic).unwrap();
                    assert!(made.as_ref() == want);
                    assert_eq!(public.verify(MESSAGE, &MODE, made.as_ref()), Ok(()));
                }
            };
            (0..4).for_each(|_| drop(scope.spawn(work)));
        });
    }
}

#[test]
fn traits_of_the_signature_crate() {
    let mode = Mode::default();
    for set in ParameterSet::ALL {
        let key = key(set, &Engine::get());
        let (public, expanded) = (Keypair::verifying_key(&key), key.expand());
        assert_eq!(Keypair::verifying_key(&expanded), public);
        let parts: &[&[u8]] = &[&MESSAGE[..3], &MESSAGE[3..]];
        let rng = || Rng::new("traits");
        let given = Rng::new("traits").bytes(32);
        let by_rng = key.sign(MESSAGE, &mode, Randomness::Given(&given)).unwrap();
        for (i, other) in [
            RandomizedSigner::sign_with_rng(&key, &mut rng(), MESSAGE),
            RandomizedSigner::sign_with_rng(&expanded, &mut rng(), MESSAGE),
            RandomizedMultipartSigner::multipart_sign_with_rng(&key, &mut rng(), parts),
            RandomizedMultipartSigner::multipart_sign_with_rng(&expanded, &mut rng(), parts),
        ]
        .into_iter()
        .enumerate()
        {
            assert!(other == by_rng, "{set}, way {i}");
        }
        for made in [
            Signer::sign(&key, MESSAGE),
            Signer::sign(&expanded, MESSAGE),
            MultipartSigner::multipart_sign(&key, parts),
            MultipartSigner::multipart_sign(&expanded, parts),
        ] {
            assert_eq!(public.verify(MESSAGE, &mode, made.as_ref()), Ok(()));
            assert!(Verifier::verify(&public, MESSAGE, &made).is_ok());
            assert!(Verifier::verify(&public.expand(), MESSAGE, &made).is_ok());
            assert!(MultipartVerifier::multipart_verify(&public, parts, &made).is_ok());
            assert!(Verifier::verify(&public, b"another", &made).is_err());
            assert_eq!(Signature::try_from(made.as_ref()), Ok(made.clone()));
        }
        assert!(RandomizedSigner::try_sign_with_rng(&key, &mut Failing(&[]), MESSAGE).is_err());
        assert_eq!(Signature::try_from(&[0; 100][..]), Err(Error::InvalidSignature));
    }
}
