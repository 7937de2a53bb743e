//! ML-DSA's keys as bytes, DER and PEM (RFC 9881): exact encodings in all three forms, round trips, and every
//! malformation refused.

mod common;

use common::{
    der::{BIT_STRING, NULL, OCTET_STRING, OID, SEQUENCE, V1, V2, element, oid, pkcs8, spki},
    engines,
    ml::{MESSAGE, MODE, key, key_for, signed},
    on_every_engine,
    slh::{Failing, Rng},
};
use hashloom::{
    Engine, Error,
    ml_dsa::{ParameterSet, PrivateKeyForm, Randomness, SigningKey, VerifyingKey},
};
use pkcs8::{DecodePrivateKey, EncodePrivateKey};
use spki::{DecodePublicKey, EncodePublicKey};

const FORMS: [PrivateKeyForm; 3] = [PrivateKeyForm::Seed, PrivateKeyForm::Expanded, PrivateKeyForm::Both];
/// `[0]`, primitive.
const SEED: u8 = 0x80;

/// 2.16.840.1.101.3.4.3.17 for ML-DSA-44 to .19 for ML-DSA-87.
fn set_oid(set: ParameterSet) -> Vec<u8> {
    oid([3, 17 + set as u8])
}

/// A form by hand.
fn form(form: PrivateKeyForm, seed: &[u8], expanded: &[u8]) -> Vec<u8> {
    match form {
        PrivateKeyForm::Seed => element(SEED, &[seed]),
        PrivateKeyForm::Expanded => element(OCTET_STRING, &[expanded]),
        PrivateKeyForm::Both => {
            element(SEQUENCE, &[&element(OCTET_STRING, &[seed]), &element(OCTET_STRING, &[expanded])])
        }
    }
}

fn read_private(der: &[u8]) -> Result<SigningKey, Error> {
    SigningKey::from_pkcs8_der(&Engine::get(), der)
}

fn read_public(der: &[u8]) -> Result<VerifyingKey, Error> {
    VerifyingKey::from_spki_der(&Engine::get(), der)
}

fn refused_private(der: &[u8], want: Error, what: &str) {
    assert_eq!(read_private(der).map(|_| ()), Err(want), "{what}");
    assert!(<SigningKey as DecodePrivateKey>::from_pkcs8_der(der).is_err(), "{what}, by the pkcs8 crate's trait");
}

fn refused_public(der: &[u8], want: Error, what: &str) {
    assert_eq!(read_public(der).map(|_| ()), Err(want), "{what}");
    assert!(VerifyingKey::from_public_key_der(der).is_err(), "{what}, by the spki crate's trait");
}

#[test]
fn names_sizes_and_identifiers_of_the_sets() {
    let sizes = [(2560, 1312, 2420), (4032, 1952, 3309), (4896, 2592, 4627)];
    for ((set, sizes), number) in ParameterSet::ALL.into_iter().zip(sizes).zip([44, 65, 87]) {
        let name = format!("ML-DSA-{number}");
        assert_eq!((set.name(), set.to_string()), (&name[..], name.clone()));
        assert_eq!((name.parse(), name.to_lowercase().parse()), (Ok(set), Ok(set)));
        assert_eq!((set.signing_key_len(), set.verifying_key_len(), set.signature_len()), sizes, "{set}");
        assert_eq!(set.oid().to_string(), format!("2.16.840.1.101.3.4.3.{}", 17 + set as u8));
        assert_eq!(set.oid().as_bytes(), &set_oid(set)[2..], "{set}");
        assert_eq!(ParameterSet::from_oid(set.oid()), Some(set));
    }
    for name in ["", "ML-DSA", "ML-DSA-4", "ML-DSA-65 ", "ML_DSA_65", "Dilithium3"] {
        assert_eq!(name.parse::<ParameterSet>(), Err(Error::UnknownName), "{name:?}");
    }
    for arc in [16, 20, 31, 32] {
        let other = const_oid::ObjectIdentifier::from_bytes(&oid([3, arc])[2..]).unwrap();
        assert_eq!(ParameterSet::from_oid(other), None);
    }
}

#[test]
fn keys_come_from_a_seed_of_32_bytes() {
    for set in ParameterSet::ALL {
        let engine = Engine::get();
        let key = SigningKey::generate(set, &engine, &mut Failing(&[0x5a; 32])).unwrap();
        assert_eq!(key.seed().unwrap()[..], [0x5a; 32]);
        assert_eq!(key.to_bytes(), SigningKey::from_seed(set, &engine, &[0x5a; 32]).unwrap().to_bytes());
        let other = SigningKey::generate(set, &engine, &mut Rng::new("generate")).unwrap();
        assert_ne!(key.verifying_key(), other.verifying_key());
        let broken = SigningKey::generate(set, &engine, &mut Failing(&[0x5a; 31]));
        assert_eq!(broken.map(|_| ()), Err(Error::Randomness));
        for len in [0, 31, 33, 64] {
            let error = Error::WrongLength { expected: 32, actual: len };
            assert_eq!(SigningKey::from_seed(set, &engine, &vec![0; len]).map(|_| ()), Err(error));
        }
    }
}

#[test]
fn encodings_are_those_of_the_rfc() {
    for set in ParameterSet::ALL {
        let key = key(set, &Engine::get());
        let (seed, expanded) = (key.seed().unwrap(), key.to_bytes());
        assert_eq!((seed.len(), expanded.len()), (32, set.signing_key_len()));
        for kind in FORMS {
            let der = pkcs8(V1, &set_oid(set), &[], &form(kind, &seed, &expanded), &[]);
            assert_eq!(key.to_pkcs8_der(kind).unwrap()[..], der, "{set}, {kind:?}");
            let pem = key.to_pkcs8_pem(kind).unwrap();
            assert!(pem.starts_with("-----BEGIN PRIVATE KEY-----\n") && pem.ends_with("\n-----END PRIVATE KEY-----\n"));
        }
        assert_eq!(PrivateKeyForm::default(), PrivateKeyForm::Seed);
        let usual = EncodePrivateKey::to_pkcs8_der(&key).unwrap();
        assert_eq!(usual.as_bytes(), &key.to_pkcs8_der(PrivateKeyForm::Seed).unwrap()[..]);

        let public = key.verifying_key();
        let der = spki(&set_oid(set), &[], 0, public.as_bytes());
        assert_eq!(public.to_spki_der(), der, "{set}");
        assert_eq!(public.to_public_key_der().unwrap().as_bytes(), der, "{set}");
        let pem = public.to_spki_pem();
        assert!(pem.starts_with("-----BEGIN PUBLIC KEY-----\n") && pem.ends_with("\n-----END PUBLIC KEY-----\n"));
    }
}

#[test]
fn keys_round_trip() {
    for set in ParameterSet::ALL {
        let original = key(set, &Engine::get());
        let original_public = original.verifying_key();
        for (_, engine) in engines() {
            let same = |key: SigningKey, kind: PrivateKeyForm, door: &str| {
                assert_eq!((key.set(), *key.engine()), (set, engine), "{door}");
                assert_eq!(key.to_bytes(), original.to_bytes(), "{set}, {door}");
                assert_eq!(key.verifying_key(), original_public, "{set}, {door}");
                let seed = if kind == PrivateKeyForm::Expanded { None } else { original.seed() };
                assert_eq!(key.seed(), seed, "{set}, {door}");
                let signature = key.sign(MESSAGE, &MODE, Randomness::Deterministic).unwrap();
                assert!(signature.as_ref() == signed(set), "{set}, {door}");
            };
            same(
                SigningKey::from_bytes(set, &engine, &original.to_bytes()).unwrap(),
                PrivateKeyForm::Expanded,
                "expanded bytes",
            );
            for kind in FORMS {
                let (der, pem) = (original.to_pkcs8_der(kind).unwrap(), original.to_pkcs8_pem(kind).unwrap());
                same(SigningKey::from_pkcs8_der(&engine, &der).unwrap(), kind, "DER");
                same(SigningKey::from_pkcs8_pem(&engine, &pem).unwrap(), kind, "PEM");
            }
            for public in [
                VerifyingKey::from_bytes(set, &engine, original_public.as_bytes()),
                VerifyingKey::from_spki_der(&engine, &original_public.to_spki_der()),
                VerifyingKey::from_spki_pem(&engine, &original_public.to_spki_pem()),
            ] {
                let public = public.unwrap();
                assert_eq!((public.set(), *public.engine()), (set, engine));
                assert_eq!(public, original_public);
                assert_eq!(*public.expand().verifying_key(), original_public);
            }
        }
        let pem = original.to_pkcs8_pem(PrivateKeyForm::Both).unwrap();
        let read: SigningKey = DecodePrivateKey::from_pkcs8_pem(&pem).unwrap();
        assert_eq!(read.seed(), original.seed());
        let read: VerifyingKey = DecodePublicKey::from_public_key_pem(&original_public.to_spki_pem()).unwrap();
        assert_eq!(read, original_public);
    }
}

#[test]
fn a_key_without_its_seed_is_written_without_it() {
    for set in ParameterSet::ALL {
        let whole = key(set, &Engine::get());
        let key = SigningKey::from_bytes(set, &Engine::get(), &whole.to_bytes()).unwrap();
        for kind in [PrivateKeyForm::Seed, PrivateKeyForm::Both] {
            assert_eq!(key.to_pkcs8_der(kind), Err(Error::NoSeed));
            assert_eq!(key.to_pkcs8_pem(kind), Err(Error::NoSeed));
        }
        let expanded = whole.to_pkcs8_der(PrivateKeyForm::Expanded).unwrap();
        assert_eq!(key.to_pkcs8_der(PrivateKeyForm::Expanded).unwrap(), expanded);
        assert_eq!(EncodePrivateKey::to_pkcs8_der(&key).unwrap().as_bytes(), &expanded[..]);
    }
}

/// The parts of an expanded key, from FIPS 204 Alg. 24: where s1 begins and t0 begins, and bits of a coefficient of s1.
fn expanded_layout(set: ParameterSet) -> (usize, usize, usize) {
    match set {
        ParameterSet::MlDsa44 => (128, 128 + 8 * 96, 3),
        ParameterSet::MlDsa65 => (128, 128 + 11 * 128, 4),
        ParameterSet::MlDsa87 => (128, 128 + 15 * 96, 3),
    }
}

#[test]
fn expanded_keys_are_checked() {
    for set in ParameterSet::ALL {
        let good = key(set, &Engine::get()).to_bytes();
        let (s1, t0, bits) = expanded_layout(set);
        on_every_engine(|engine| {
            let refused = |bytes: &[u8], want: Error, what: &str| {
                assert_eq!(SigningKey::from_bytes(set, engine, bytes).map(|_| ()), Err(want), "{set}: {what}");
            };
            for len in [0, 32, 64, good.len() - 1, good.len() + 1] {
                let error = Error::WrongLength { expected: good.len(), actual: len };
                refused(&good.repeat(2)[..len], error, "length");
            }
            // coefficients out of range at the ends and in the middle of s1 and s2: all bits set is eta less 7 or 15
            for place in [s1, s1 + (t0 - s1) / 2 / 96 * 96, t0 - 1] {
                let mut bad = good.to_vec();
                if place == t0 - 1 {
                    bad[place] |= 0xff << (8 - bits);
                } else {
                    bad[place] |= (1 << bits) - 1;
                }
                refused(&bad, Error::InvalidEncoding, &format!("range at {place}"));
            }
            // the values just beyond the range, and all others that are
            let count = (t0 - s1) * 8 / bits;
            for i in [0, 1, 7, 8, 100, 255, 256, count / 2, count - 1] {
                for value in if bits == 3 { 5..8 } else { 9..16 } {
                    let mut bad = good.to_vec();
                    for bit in 0..bits {
                        let at = i * bits + bit;
                        let byte = &mut bad[s1 + at / 8];
                        *byte = *byte & !(1 << (at % 8)) | (value >> bit & 1) << (at % 8);
                    }
                    refused(&bad, Error::InvalidEncoding, &format!("coefficient {i} is {value} as written"));
                }
            }
            // rho, tr, t0; a smaller change of s1 and s2
            for place in [0, 31, 64, 127, t0, good.len() - 1] {
                let mut bad = good.to_vec();
                bad[place] ^= 1;
                refused(&bad, Error::InconsistentKey, &format!("byte {place}"));
            }
            for place in [s1, t0 - 96] {
                let mut bad = good.to_vec();
                let mask = (1 << bits) - 1;
                bad[place] = bad[place] & !mask | u8::from(bad[place] & mask == 0);
                refused(&bad, Error::InconsistentKey, &format!("another coefficient at {place}"));
            }
            // nothing tells whether K is the right one
            let mut other = good.to_vec();
            other[40] ^= 1;
            assert!(SigningKey::from_bytes(set, engine, &other).is_ok());
        });
    }
}

#[test]
fn malformed_private_keys() {
    for set in ParameterSet::ALL {
        let key = key(set, &Engine::get());
        let (seed, expanded, id) = (key.seed().unwrap(), key.to_bytes(), set_oid(set));
        let public = key.verifying_key();
        let other = key_for(set, &Engine::get(), "another");
        let encoding = |der: &[u8], what: &str| refused_private(der, Error::InvalidEncoding, what);
        for kind in FORMS {
            let inner = form(kind, &seed, &expanded);
            let good = pkcs8(V1, &id, &[], &inner, &[]);
            assert!(read_private(&good).is_ok());

            // the algorithm
            encoding(&pkcs8(V1, &id, NULL, &inner, &[]), "NULL parameters");
            encoding(&pkcs8(V1, &id, &element(OCTET_STRING, &[]), &inner, &[]), "other parameters");
            encoding(&pkcs8(V1, &id, &element(SEQUENCE, &[]), &inner, &[]), "empty parameters");
            for other in [oid([3, 16]), oid([3, 20]), oid([2, 1]), element(OID, &[&[0x2a, 3]])] {
                encoding(&pkcs8(V1, &other, &[], &inner, &[]), "another algorithm");
            }
            encoding(&pkcs8(V1, &[], &[], &inner, &[]), "no algorithm");
            for version in [&[2][..], &[3], &[0xff], &[], &[0, 0], &[1, 0]] {
                encoding(&pkcs8(version, &id, &[], &inner, &[]), &format!("version {version:?}"));
            }
            if kind != PrivateKeyForm::Seed {
                for relabelled in ParameterSet::ALL.into_iter().filter(|&other| other != set) {
                    let der = pkcs8(V1, &set_oid(relabelled), &[], &inner, &[]);
                    let error = Error::WrongLength { expected: relabelled.signing_key_len(), actual: expanded.len() };
                    refused_private(&der, error, "another set");
                }
            }

            // a public key that comes along
            let along = |public: &[u8]| element(0x81, &[&[0], public]);
            let with = |public: &[u8]| pkcs8(V2, &id, &[], &inner, &along(public));
            assert!(read_private(&with(public.as_bytes())).is_ok(), "with its public key");
            for public in [other.verifying_key().as_bytes(), &public.as_bytes()[1..], &[]] {
                refused_private(&with(public), Error::InconsistentKey, "another's public key");
            }

            // the frame
            let ends = 0..good.len().min(80);
            for len in ends.chain((80..good.len()).step_by(97)).chain([good.len() - 1]) {
                encoding(&good[..len], &format!("cut to {len} bytes"));
            }
            for tail in [&[0][..], NULL, &[0; 64], &good] {
                encoding(&[&good, tail].concat(), "trailing bytes");
                encoding(&pkcs8(V1, &id, &[], &[&inner, tail].concat(), &[]), "trailing bytes inside");
            }
            encoding(&pkcs8(V1, &id, &[], &inner, NULL), "trailing element");
            encoding(&element(SEQUENCE, &[&good]), "wrapped in another sequence");
        }

        // the three forms, misspelt
        let inner = |inner: &[u8]| pkcs8(V1, &id, &[], inner, &[]);
        encoding(&inner(&[]), "nothing");
        encoding(&inner(&seed), "a raw seed");
        encoding(&inner(&expanded), "a raw key");
        for tag in [0x81, 0x82, 0xa0, 0x00, 0x03, 0x31, 0xc0, 0x40] {
            encoding(&inner(&element(tag, &[&seed])), &format!("tag {tag:x}"));
        }
        encoding(&inner(&element(0xa0, &[&element(OCTET_STRING, &[&seed])])), "an explicit tag");
        let wrong_seed = |len: usize, der: &[u8]| {
            let error = Error::WrongLength { expected: 32, actual: len };
            refused_private(&inner(der), error, &format!("a seed of {len} bytes"));
        };
        let wrong_expanded = |len: usize, der: &[u8]| {
            let error = Error::WrongLength { expected: expanded.len(), actual: len };
            refused_private(&inner(der), error, &format!("a key of {len} bytes"));
        };
        let long = [&expanded[..], &expanded].concat();
        for len in [0, 1, 31, 33, 64] {
            wrong_seed(len, &form(PrivateKeyForm::Seed, &long[..len], &[]));
            wrong_seed(len, &form(PrivateKeyForm::Both, &long[..len], &expanded));
        }
        for len in [0, 32, expanded.len() - 1, expanded.len() + 1] {
            wrong_expanded(len, &form(PrivateKeyForm::Expanded, &[], &long[..len]));
            wrong_expanded(len, &form(PrivateKeyForm::Both, &seed, &long[..len]));
        }
        let both = [element(OCTET_STRING, &[&seed]), element(OCTET_STRING, &[&expanded])];
        encoding(&inner(&element(SEQUENCE, &[])), "an empty sequence");
        encoding(&inner(&element(SEQUENCE, &[&both[0]])), "a sequence of a seed");
        encoding(&inner(&element(SEQUENCE, &[&both[0], &both[1], NULL])), "three elements");
        encoding(&inner(&element(SEQUENCE, &[&element(SEED, &[&seed]), &both[1]])), "a tagged seed in the sequence");
        wrong_seed(expanded.len(), &element(SEQUENCE, &[&both[1], &both[0]]));
        let disagree = form(PrivateKeyForm::Both, &other.seed().unwrap(), &expanded);
        refused_private(&inner(&disagree), Error::InconsistentKey, "a seed and another's key");
        for place in [0, 40, 64, 200, expanded.len() - 1] {
            let mut changed = expanded.to_vec();
            changed[place] ^= 1;
            let disagree = form(PrivateKeyForm::Both, &seed, &changed);
            refused_private(&inner(&disagree), Error::InconsistentKey, "a seed and a changed key");
        }
        encoding(&public.to_spki_der(), "a public key");
    }
}

#[test]
fn malformed_public_keys() {
    for set in ParameterSet::ALL {
        let key = key(set, &Engine::get());
        let (public, id) = (key.verifying_key(), set_oid(set));
        let bytes = public.as_bytes();
        let encoding = |der: &[u8], what: &str| refused_public(der, Error::InvalidEncoding, what);
        let good = spki(&id, &[], 0, bytes);
        assert_eq!(read_public(&good).as_ref(), Ok(&public));

        encoding(&spki(&id, NULL, 0, bytes), "NULL parameters");
        encoding(&spki(&id, &element(SEQUENCE, &[]), 0, bytes), "empty parameters");
        for other in [oid([3, 16]), oid([3, 20]), oid([2, 1]), element(OID, &[&[0x2a, 3]])] {
            encoding(&spki(&other, &[], 0, bytes), "another algorithm");
        }
        encoding(&spki(&[], &[], 0, bytes), "no algorithm");
        for relabelled in ParameterSet::ALL.into_iter().filter(|&other| other != set) {
            let error = Error::WrongLength { expected: relabelled.verifying_key_len(), actual: bytes.len() };
            refused_public(&spki(&set_oid(relabelled), &[], 0, bytes), error, "another set");
        }
        for len in [0, 1, 32, bytes.len() - 1, bytes.len() + 1] {
            let error = Error::WrongLength { expected: bytes.len(), actual: len };
            refused_public(&spki(&id, &[], 0, &bytes.repeat(2)[..len]), error, &format!("{len} bytes"));
            assert_eq!(VerifyingKey::from_bytes(set, &Engine::get(), &bytes.repeat(2)[..len]), Err(error));
        }
        for unused in 1..=8 {
            encoding(&spki(&id, &[], unused, bytes), "bits that are no bytes");
        }
        let algorithm = element(SEQUENCE, &[&id]);
        encoding(&element(SEQUENCE, &[&algorithm, &element(OCTET_STRING, &[bytes])]), "an OCTET STRING");
        encoding(&element(SEQUENCE, &[&algorithm, &element(BIT_STRING, &[])]), "an empty BIT STRING");
        for len in (0..60).chain((60..good.len()).step_by(97)).chain([good.len() - 1]) {
            encoding(&good[..len], &format!("cut to {len} bytes"));
        }
        for tail in [&[0][..], NULL, &good] {
            encoding(&[&good, tail].concat(), "trailing bytes");
        }
        encoding(&element(SEQUENCE, &[&algorithm, &element(BIT_STRING, &[&[0], bytes]), NULL]), "trailing element");
        encoding(&key.to_pkcs8_der(PrivateKeyForm::Seed).unwrap(), "a private key");
    }
}

/// What is accepted has one encoding: a changed byte is refused, or is another key that writes just these bytes.
#[test]
fn encodings_are_canonical() {
    let set = ParameterSet::MlDsa44;
    let key = key(set, &Engine::get());
    let der = key.to_pkcs8_der(PrivateKeyForm::Seed).unwrap();
    let mut accepted = 0;
    for bit in 0..8 * der.len() {
        let mut changed = der.to_vec();
        changed[bit / 8] ^= 1 << (bit % 8);
        if let Ok(key) = read_private(&changed) {
            assert_eq!(key.to_pkcs8_der(PrivateKeyForm::Seed).unwrap()[..], changed);
            accepted += 1;
        }
    }
    // the seed's own bits, and the one of its identifier that names ML-DSA-87, whose number ends in 0x13 after 0x11
    assert_eq!(accepted, 8 * 32 + 1);
}

#[test]
fn malformed_pem() {
    let engine = Engine::get();
    let key = key(ParameterSet::MlDsa44, &engine);
    let (private, public) = (key.to_pkcs8_pem(PrivateKeyForm::Seed).unwrap(), key.verifying_key().to_spki_pem());
    let refused = |pem: &str| {
        assert_eq!(SigningKey::from_pkcs8_pem(&engine, pem).map(|_| ()), Err(Error::InvalidEncoding), "{pem}");
        assert_eq!(VerifyingKey::from_spki_pem(&engine, pem), Err(Error::InvalidEncoding), "{pem}");
    };
    for label in ["RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "CERTIFICATE", "private key", "", "X"] {
        refused(&private.replace("PRIVATE KEY", label));
        refused(&public.replace("PUBLIC KEY", label));
    }
    assert!(SigningKey::from_pkcs8_pem(&engine, &public).is_err());
    assert!(VerifyingKey::from_spki_pem(&engine, &private).is_err());
    for pem in [&private, &public] {
        refused(&pem.replace("-----BEGIN", "----BEGIN"));
        refused(&pem.replacen('M', "*", 1));
        for len in (0..pem.len() - 1).step_by(13) {
            refused(&pem[..len]);
        }
    }
}

#[test]
fn secrets_are_not_printed() {
    for set in ParameterSet::ALL {
        let key = key(set, &Engine::get());
        for text in [format!("{key:?}"), format!("{key:#?}"), format!("{:?}", key.expand())] {
            let plain: String = text.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
            let (bytes, seed) = (key.to_bytes(), key.seed().unwrap());
            for secret in [&seed[..], &bytes[32..64], &bytes[128..]] {
                for piece in secret.windows(5) {
                    let decimal: String = piece.iter().map(u8::to_string).collect();
                    assert!(!plain.contains(&hex::encode(piece)) && !plain.contains(&decimal), "{text}");
                }
            }
        }
    }
}

#[test]
fn engines_are_no_part_of_a_key() {
    for (_, engine) in engines() {
        let key = key(ParameterSet::MlDsa44, &Engine::get());
        let public = key.verifying_key();
        let moved = public.clone().with_engine(&engine);
        assert_eq!((&moved, moved.engine()), (&public, &engine));
        let moved = key.with_engine(&engine);
        assert_eq!((moved.verifying_key(), moved.engine()), (public, &engine));
        assert_eq!(moved.expand().engine(), &engine);
        assert_eq!(moved.verifying_key().expand().engine(), &engine);
    }
}
