//! ML-DSA against the crates ml-dsa and fips204: equal keys, equal signatures, and each verifies the others'.

mod common;

use std::{fs::File, path::Path};

use common::{
    engines,
    oracle::{fixed, xof},
    slh::Rng,
};
use fips204::traits::{KeyGen, SerDes, Signer, Verifier};
use flate2::read::GzDecoder;
use hashloom::{
    Engine,
    ml_dsa::{Mode, Mu, ParameterSet, PreHash, Randomness, SigningKey, verify_batch},
};
use ml_dsa::{B32, EncodedVerifyingKey, KeyExport, Keypair, MlDsaParams};
use serde_json::Value;

type Key = fn(seed: &[u8]) -> (Vec<u8>, Vec<u8>);
type Sign = fn(seed: &[u8], message: &[u8], mode: &Mode<'_>, rnd: &[u8]) -> Option<Vec<u8>>;
type Verify = fn(public: &[u8], message: &[u8], mode: &Mode<'_>, signature: &[u8]) -> Option<bool>;

/// Another implementation of one parameter set, keys and signatures as bytes.
struct Reference {
    name: &'static str,
    /// Private and public key of a seed.
    key: Key,
    /// Both answer `None` where the crate has no such interface, or no type for such a length.
    sign: Sign,
    verify: Verify,
}

/// The DER encoding of a function's object identifier (FIPS 204 section 5.4), by hand.
fn oid(function: PreHash) -> Vec<u8> {
    let number = match function {
        PreHash::Sha2_256 => 1,
        PreHash::Sha2_384 => 2,
        PreHash::Sha2_512 => 3,
        PreHash::Sha2_224 => 4,
        PreHash::Sha2_512_224 => 5,
        PreHash::Sha2_512_256 => 6,
        PreHash::Sha3_224 => 7,
        PreHash::Sha3_256 => 8,
        PreHash::Sha3_384 => 9,
        PreHash::Sha3_512 => 10,
        PreHash::Shake128 => 11,
        PreHash::Shake256 => 12,
    };
    vec![6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, number]
}

fn digest(function: PreHash, message: &[u8]) -> Vec<u8> {
    match function {
        PreHash::Sha2_224 => fixed::<sha2::Sha224>(message, 28),
        PreHash::Sha2_256 => fixed::<sha2::Sha256>(message, 32),
        PreHash::Sha2_384 => fixed::<sha2::Sha384>(message, 48),
        PreHash::Sha2_512 => fixed::<sha2::Sha512>(message, 64),
        PreHash::Sha2_512_224 => fixed::<sha2::Sha512_224>(message, 28),
        PreHash::Sha2_512_256 => fixed::<sha2::Sha512_256>(message, 32),
        PreHash::Sha3_224 => fixed::<sha3::Sha3_224>(message, 28),
        PreHash::Sha3_256 => fixed::<sha3::Sha3_256>(message, 32),
        PreHash::Sha3_384 => fixed::<sha3::Sha3_384>(message, 48),
        PreHash::Sha3_512 => fixed::<sha3::Sha3_512>(message, 64),
        PreHash::Shake128 => xof::<shake::Shake128>(message, 32),
        PreHash::Shake256 => xof::<shake::Shake256>(message, 64),
    }
}

/// M' by hand (FIPS 204 Alg. 2 to 5).
fn framed(message: &[u8], mode: &Mode<'_>) -> Vec<u8> {
    match *mode {
        Mode::Internal => message.to_vec(),
        Mode::Pure { context } => [&[0, context.len() as u8], context, message].concat(),
        Mode::PreHash { context, function } => {
            [&[1, context.len() as u8], context, &oid(function), &digest(function, message)].concat()
        }
        Mode::Digest { context, function } => [&[1, context.len() as u8], context, &oid(function), message].concat(),
    }
}

/// The crate ml-dsa, by its internal interface.
#[allow(deprecated)] // keys in their expanded form
fn rust_crypto<P: MlDsaParams>() -> Reference {
    Reference {
        name: "ml-dsa",
        key: |seed| {
            let key = ml_dsa::SigningKey::<P>::from_seed(&B32::try_from(seed).unwrap());
            (key.expanded_key().to_expanded().to_vec(), key.verifying_key().to_bytes().to_vec())
        },
        sign: |seed, message, mode, rnd| {
            let key = ml_dsa::SigningKey::<P>::from_seed(&B32::try_from(seed).unwrap());
            let rnd = B32::try_from(rnd).unwrap();
            Some(key.expanded_key().sign_internal(&[&framed(message, mode)], &rnd).encode().to_vec())
        },
        verify: |public, message, mode, signature| {
            let public = EncodedVerifyingKey::<P>::try_from(public).unwrap();
            let public = ml_dsa::VerifyingKey::<P>::decode(&public);
            let signature = ml_dsa::Signature::<P>::try_from(signature);
            Some(signature.is_ok_and(|signature| public.verify_internal(&framed(message, mode), &signature)))
        },
    }
}

/// The crate fips204, which has no internal interface.
macro_rules! integrity_chain {
    ($set:ident) => {{
        use fips204::$set::{KG, PrivateKey, PublicKey};
        fn private(seed: &[u8]) -> PrivateKey {
            KG::keygen_from_seed(seed.try_into().unwrap()).1
        }
        Reference {
            name: "fips204",
            key: |seed| {
                let (public, private) = KG::keygen_from_seed(seed.try_into().unwrap());
                (private.into_bytes().to_vec(), public.into_bytes().to_vec())
            },
            sign: |seed, message, mode, rnd| {
                let (key, rnd) = (private(seed), rnd.try_into().unwrap());
                let signature = match *mode {
                    Mode::Pure { context } => key.try_sign_with_seed(rnd, message, context),
                    Mode::PreHash { context, function } => {
                        key.try_hash_sign_with_seed(rnd, &digest(function, message), context, &oid(function))
                    }
                    _ => return None,
                };
                Some(signature.unwrap().to_vec())
            },
            verify: |public, message, mode, signature| {
                let public = PublicKey::try_from_bytes(public.try_into().unwrap()).unwrap();
                let signature = signature.try_into().ok()?;
                match *mode {
                    Mode::Pure { context } => Some(public.verify(message, signature, context)),
                    Mode::PreHash { context, function } => {
                        Some(public.hash_verify(&digest(function, message), signature, context, &oid(function)))
                    }
                    _ => None,
                }
            },
        }
    }};
}

fn references(set: ParameterSet) -> [Reference; 2] {
    match set {
        ParameterSet::MlDsa44 => [rust_crypto::<ml_dsa::MlDsa44>(), integrity_chain!(ml_dsa_44)],
        ParameterSet::MlDsa65 => [rust_crypto::<ml_dsa::MlDsa65>(), integrity_chain!(ml_dsa_65)],
        ParameterSet::MlDsa87 => [rust_crypto::<ml_dsa::MlDsa87>(), integrity_chain!(ml_dsa_87)],
    }
}

/// A key and a signature made here on every engine and by every reference, all equal; all verify all.
fn same(set: ParameterSet, seed: &[u8], message: &[u8], mode: &Mode<'_>, rnd: &[u8]) {
    let key = SigningKey::from_seed(set, &Engine::get(), seed).unwrap();
    let public = key.verifying_key();
    let signature = key.sign(message, mode, Randomness::Given(rnd)).unwrap();
    let signature = signature.as_ref();
    let mut bad = signature.to_vec();
    bad[100] ^= 1;
    for (name, engine) in engines() {
        let on = SigningKey::from_seed(set, &engine, seed).unwrap();
        assert_eq!(on.to_bytes(), key.to_bytes(), "{set} on {name}");
        assert!(on.sign(message, mode, Randomness::Given(rnd)).unwrap().as_ref() == signature, "{set} on {name}");
        assert_eq!(on.verifying_key().verify(message, mode, signature), Ok(()), "{set} on {name}");
        assert!(on.verifying_key().verify(message, mode, &bad).is_err(), "{set} on {name}");
    }
    for Reference { name, key: make, sign, verify } in references(set) {
        assert_eq!(make(seed), (key.to_bytes().to_vec(), public.as_bytes().to_vec()), "{set} by {name}");
        let theirs = sign(seed, message, mode, rnd);
        assert!(theirs.is_none_or(|theirs| theirs == signature), "{set} by {name}, {mode:?}");
        let verdict = |signature| verify(public.as_bytes(), message, mode, signature);
        assert!(verdict(signature).is_none_or(|good| good), "{name} refuses {set}, {mode:?}");
        assert!(verdict(&bad).is_none_or(|good| !good), "{name} takes anything for {set}, {mode:?}");
    }
}

#[test]
fn every_interface() {
    for set in ParameterSet::ALL {
        let mut rng = Rng::new(&format!("differential {set}"));
        let longest = rng.bytes(255);
        for (i, context) in [&b""[..], b"a context", &longest].into_iter().enumerate() {
            let (seed, message, rnd) = (rng.bytes(32), rng.bytes([0, 33, 1000][i]), rng.bytes(32));
            let function = PreHash::ALL[(set as usize + i) % 12];
            for mode in [Mode::Internal, Mode::Pure { context }, Mode::PreHash { context, function }] {
                same(set, &seed, &message, &mode, &rnd);
            }
            same(set, &seed, &message, &Mode::Pure { context }, &[0; 32]);
        }
    }
}

#[test]
fn every_pre_hash_function_and_its_digest() {
    let set = ParameterSet::MlDsa44;
    let mut rng = Rng::new("pre-hash");
    for function in PreHash::ALL {
        let (seed, message, context, rnd) = (rng.bytes(32), rng.bytes(200), rng.bytes(20), rng.bytes(32));
        let mode = Mode::PreHash { context: &context, function };
        same(set, &seed, &message, &mode, &rnd);

        let key = SigningKey::from_seed(set, &Engine::get(), &seed).unwrap();
        let given = Mode::Digest { context: &context, function };
        let digest = digest(function, &message);
        let by_digest = key.sign(&digest[..], &given, Randomness::Given(&rnd)).unwrap();
        assert!(by_digest == key.sign(&message[..], &mode, Randomness::Given(&rnd)).unwrap(), "{function}");
        assert_eq!(key.verifying_key().verify(&digest[..], &given, by_digest.as_ref()), Ok(()));
    }
}

/// Two blocks of the stream of a polynomial of s2 have 248 coefficients: a third must be made.
#[test]
fn every_secret_is_complete() {
    let mut seed = [0; 32];
    seed[..2].copy_from_slice(&10_063_u16.to_le_bytes());
    same(ParameterSet::MlDsa65, &seed, b"a message", &Mode::default(), &[0; 32]);
}

/// A bit changed anywhere in a signature, another message, context or key: nobody takes it.
#[test]
fn every_refusal_is_shared() {
    for set in ParameterSet::ALL {
        let mut rng = Rng::new(&format!("refusals {set}"));
        let (seed, other, message, context) = (rng.bytes(32), rng.bytes(32), rng.bytes(50), rng.bytes(9));
        let mode = Mode::Pure { context: &context };
        let key = SigningKey::from_seed(set, &Engine::get(), &seed).unwrap();
        let public = key.verifying_key();
        let stranger = SigningKey::from_seed(set, &Engine::get(), &other).unwrap().verifying_key();
        let signature = key.sign(&message[..], &mode, Randomness::Deterministic).unwrap();
        let signature = signature.as_ref();

        let last = signature.len() - 1;
        let flip = |place: usize, bit: u8| {
            let mut bad = signature.to_vec();
            bad[place] ^= 1 << bit;
            bad
        };
        // c~, z and the hint have their ends among these
        let places = [0, 31, 32, 47, 48, 63, 64, last - 90, last - 60, last - 8, last - 4, last];
        let random: Vec<usize> = rng.bytes(200).chunks_exact(2).map(|b| b[0] as usize * 256 + b[1] as usize).collect();
        let places = places.into_iter().chain(random.into_iter().map(|place| place % signature.len()));
        let mut cases: Vec<_> =
            places.enumerate().map(|(i, at)| (flip(at, i as u8 % 8), &public, &message, mode)).collect();
        let another = [&message[..], &[0]].concat();
        let own = || signature.to_vec();
        cases.push((own(), &public, &another, mode));
        cases.push((own(), &public, &message, Mode::default()));
        cases.push((own(), &public, &message, Mode::PreHash { context: &context, function: PreHash::Sha2_512 }));
        cases.push((own(), &stranger, &message, mode));
        assert_eq!(cases.len(), 116);
        for (i, (signature, public, message, mode)) in cases.iter().enumerate() {
            for (name, engine) in engines() {
                let public = (*public).clone().with_engine(&engine);
                assert!(public.verify(&message[..], mode, signature).is_err(), "{set} on {name}, case {i}");
            }
            for Reference { name, verify, .. } in references(set) {
                assert_eq!(
                    verify(public.as_bytes(), message, mode, signature),
                    Some(false),
                    "{set} by {name}, case {i}"
                );
            }
        }
    }
}

/// mu and signatures of it, both ways, by the crate ml-dsa; fips204 does not have the interface.
fn external_mu_with<P: MlDsaParams>(set: ParameterSet) {
    let mut rng = Rng::new(&format!("external mu {set}"));
    let seed = rng.bytes(32);
    let theirs = ml_dsa::SigningKey::<P>::from_seed(&B32::try_from(&seed[..]).unwrap());
    for len in [0, 1, 135, 136, 700] {
        let (message, context) = (rng.bytes(len), rng.bytes(len % 256));
        let mode = Mode::Pure { context: &context };
        for (name, engine) in engines() {
            let key = SigningKey::from_seed(set, &engine, &seed).unwrap();
            let public = key.verifying_key();
            let mut hasher = public.mu(&mode).unwrap();
            message.chunks(13).for_each(|part| hasher.update(part));
            let mu = hasher.finish().unwrap();
            let signature = key.sign_mu(&mu, Randomness::Deterministic).unwrap();
            let their_mu = (*mu.as_bytes()).into();
            let their_signature = theirs.expanded_key().sign_mu_deterministic(&their_mu);
            assert!(their_signature.encode()[..] == *signature.as_ref(), "{set} on {name}, {len} bytes");
            // the same as without mu
            let whole = theirs.expanded_key().sign_deterministic(&message, &context).unwrap();
            assert!(whole == their_signature, "{set} on {name}, {len} bytes");
            assert!(theirs.verifying_key().verify_mu(&their_mu, &their_signature));
            assert_eq!(public.verify_mu(&mu, signature.as_ref()), Ok(()));

            let mut bad = *mu.as_bytes();
            bad[len % 64] ^= 1;
            assert!(!theirs.verifying_key().verify_mu(&bad.into(), &their_signature));
            assert!(public.verify_mu(&Mu::from_bytes(bad), signature.as_ref()).is_err(), "{set} on {name}");
        }
    }
}

#[test]
fn external_mu() {
    external_mu_with::<ml_dsa::MlDsa44>(ParameterSet::MlDsa44);
    external_mu_with::<ml_dsa::MlDsa65>(ParameterSet::MlDsa65);
    external_mu_with::<ml_dsa::MlDsa87>(ParameterSet::MlDsa87);
}

/// So many signatures that every reason for a rejected attempt occurs: batches here, single signatures there.
#[test]
fn many_signatures() {
    for set in ParameterSet::ALL {
        let mut rng = Rng::new(&format!("many {set}"));
        let [reference, _] = references(set);
        let seed = rng.bytes(32);
        let messages: Vec<Vec<u8>> = (0..200).map(|len| rng.bytes(len)).collect();
        let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        let rnd = rng.bytes(32 * messages.len());
        let theirs: Vec<Vec<u8>> = messages
            .iter()
            .zip(rnd.chunks_exact(32))
            .map(|(message, rnd)| (reference.sign)(&seed, message, &Mode::Internal, rnd).unwrap())
            .collect();
        for (name, engine) in engines() {
            let key = SigningKey::from_seed(set, &engine, &seed).unwrap();
            let ours = key.sign_batch(&messages, &Mode::Internal, Randomness::Given(&rnd));
            for (i, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
                assert!(ours.as_ref().unwrap().as_ref() == theirs, "{set} on {name}, message {i}");
            }
            let public = key.verifying_key();
            let items: Vec<_> = messages
                .iter()
                .zip(&theirs)
                .map(|(message, signature)| hashloom::ml_dsa::Item {
                    key: &public,
                    message,
                    mode: Mode::Internal,
                    signature,
                })
                .collect();
            assert!(verify_batch(&items).iter().all(Result::is_ok), "{set} on {name}");
        }
    }
}

/// How many of the negative vectors of a set each crate has judged, as the file says, and how many are valid.
fn judged(set: ParameterSet) -> [(usize, usize); 2] {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("vectors/negative-{set}.json.gz"));
    let file: Value = serde_json::from_reader(GzDecoder::new(File::open(path).unwrap())).unwrap();
    let bytes = |value: &Value| hex::decode(value.as_str().unwrap_or_default()).unwrap();
    let references = references(set);
    let mut judged = [(0, 0); 2];
    for group in file["testGroups"].as_array().unwrap() {
        let public = bytes(&group["publicKey"]);
        for test in group["tests"].as_array().unwrap() {
            let (message, context, signature) = (bytes(&test["msg"]), bytes(&test["ctx"]), bytes(&test["sig"]));
            // keys have a type of their length; of a longer context `framed` would cut the length
            if public.len() != set.verifying_key_len() || context.len() > 255 {
                continue;
            }
            let context = &context[..];
            let mode = match group["type"].as_str().unwrap() {
                "MlDsaVerify" => Mode::Pure { context },
                "MlDsaInternalVerify" => Mode::Internal,
                "MlDsaPreHashVerify" => {
                    Mode::PreHash { context, function: group["hash"].as_str().unwrap().parse().unwrap() }
                }
                other => panic!("{other}"),
            };
            let valid = test["result"] == "valid";
            for (Reference { name, verify, .. }, judged) in references.iter().zip(&mut judged) {
                if let Some(verdict) = verify(&public, &message, &mode, &signature) {
                    assert_eq!(verdict, valid, "{set}, tcId {}, {} by {name}", test["tcId"], test["comment"]);
                    *judged = (judged.0 + 1, judged.1 + usize::from(valid));
                }
            }
        }
    }
    judged
}

#[test]
fn negative_vectors() {
    let expected = [[(286, 33), (264, 30)], [(190, 22), (171, 20)], [(204, 22), (185, 20)]];
    for (set, expected) in ParameterSet::ALL.into_iter().zip(expected) {
        assert_eq!(judged(set), expected, "{set}");
    }
}
