//! Keys as bytes, DER and PEM (RFC 9909): exact encodings, round trips, and every malformation refused.

mod common;

use common::{
    der::{BIT_STRING, NULL, OCTET_STRING, OID, SEQUENCE, V1, V2, element, oid, pkcs8, spki},
    engines,
    slh::{DRAWN, Failing, MESSAGE, MODE, Rng, SMALL, key, key_for, seeds, signed},
};
use hashloom::{
    Engine, Error,
    slh_dsa::{ParameterSet, Randomness, SigningKey, VerifyingKey},
};
use pkcs8::{DecodePrivateKey, EncodePrivateKey};
use spki::{DecodePublicKey, EncodePublicKey};

/// 2.16.840.1.101.3.4.3.20 for SHA2-128s to .31 for SHAKE-256f.
fn set_oid(set: ParameterSet) -> Vec<u8> {
    oid([3, 20 + ParameterSet::ALL.iter().position(|other| *other == set).unwrap() as u8])
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
    let sizes = [7856, 17088, 16224, 35664, 29792, 49856];
    for (i, set) in ParameterSet::ALL.into_iter().enumerate() {
        let family = ["SHA2", "SHAKE"][i / 6];
        let size = ["128s", "128f", "192s", "192f", "256s", "256f"][i % 6];
        let n = [16, 24, 32][i % 6 / 2];
        let name = format!("SLH-DSA-{family}-{size}");
        assert_eq!((set.name(), set.to_string()), (&name[..], name.clone()));
        assert_eq!((name.parse(), name.to_lowercase().parse()), (Ok(set), Ok(set)));
        assert_eq!((set.n(), set.signature_len()), (n, sizes[i % 6]), "{set}");
        assert_eq!((set.signing_key_len(), set.verifying_key_len()), (4 * n, 2 * n), "{set}");
        assert_eq!(set.oid().to_string(), format!("2.16.840.1.101.3.4.3.{}", 20 + i), "{set}");
        assert_eq!(set.oid().as_bytes(), &set_oid(set)[2..], "{set}");
        assert_eq!(ParameterSet::from_oid(set.oid()), Some(set));
    }
    for name in ["", "SLH-DSA", "SLH-DSA-SHA2-128", "SHA2-128f", "SLH-DSA-SHA2-128f ", "SLH_DSA_SHA2_128F"] {
        assert_eq!(name.parse::<ParameterSet>(), Err(Error::UnknownName), "{name:?}");
    }
    for arc in [17, 18, 19, 32, 33] {
        let other = const_oid::ObjectIdentifier::from_bytes(&oid([3, arc])[2..]).unwrap();
        assert_eq!(ParameterSet::from_oid(other), None);
    }
}

#[test]
fn private_keys_are_the_seeds_and_the_root_in_order() {
    for set in ParameterSet::ALL {
        let key = key(set, &Engine::get());
        let bytes = key.to_bytes();
        let [sk_seed, sk_prf, pk_seed] = seeds(set, "key");
        assert_eq!(bytes[..3 * set.n()], [sk_seed, sk_prf, pk_seed].concat());
        let public = key.verifying_key();
        assert_eq!(bytes[2 * set.n()..], *public.as_bytes());
        assert_eq!((key.set(), public.set()), (set, set));
    }
}

#[test]
fn generated_keys_take_three_seeds_from_the_generator() {
    for set in SMALL {
        let key = SigningKey::generate(set, &Engine::get(), &mut Failing(&DRAWN[..3 * set.n()])).unwrap();
        assert!(key.to_bytes()[..3 * set.n()].iter().all(|&byte| byte == 0x5a));
        let other = SigningKey::generate(set, &Engine::get(), &mut Rng::new("generate")).unwrap();
        assert_ne!(key.verifying_key(), other.verifying_key());
    }
}

#[test]
fn encodings_are_those_of_the_rfc() {
    for set in ParameterSet::ALL {
        let key = key(set, &Engine::get());
        let public = key.verifying_key();
        let der = pkcs8(V1, &set_oid(set), &[], &key.to_bytes(), &[]);
        assert_eq!(key.to_pkcs8_der()[..], der, "{set}");
        assert_eq!(EncodePrivateKey::to_pkcs8_der(&key).unwrap().as_bytes(), der, "{set}");
        let der = spki(&set_oid(set), &[], 0, public.as_bytes());
        assert_eq!(public.to_spki_der(), der, "{set}");
        assert_eq!(public.to_public_key_der().unwrap().as_bytes(), der, "{set}");

        let pem = key.to_pkcs8_pem();
        assert!(pem.starts_with("-----BEGIN PRIVATE KEY-----\n") && pem.ends_with("\n-----END PRIVATE KEY-----\n"));
        let pem = public.to_spki_pem();
        assert!(pem.starts_with("-----BEGIN PUBLIC KEY-----\n") && pem.ends_with("\n-----END PUBLIC KEY-----\n"));
    }
}

/// What is written is read again, through every door, on every engine that is given.
fn round_trip(set: ParameterSet, engines: &[(String, Engine)]) {
    let original = key(set, &Engine::get());
    let original_public = original.verifying_key();
    let bytes = original.to_bytes();
    let same = |key: SigningKey, engine: &Engine, door: &str| {
        assert_eq!((key.set(), key.engine()), (set, engine), "{door}");
        assert_eq!(key.to_bytes(), bytes, "{set}, {door}");
        assert_eq!(key.verifying_key(), original_public, "{set}, {door}");
    };
    let same_public = |key: VerifyingKey, engine: &Engine, door: &str| {
        assert_eq!((key.set(), key.engine()), (set, engine), "{door}");
        assert_eq!(key.as_bytes(), original_public.as_bytes(), "{set}, {door}");
        assert_eq!(key, original_public, "{set}, {door}");
    };
    for (_, engine) in engines {
        same(SigningKey::from_bytes(set, engine, &bytes).unwrap(), engine, "bytes");
        same(SigningKey::from_bytes_unchecked(set, engine, &bytes).unwrap(), engine, "unchecked bytes");
        same(SigningKey::from_pkcs8_der(engine, &original.to_pkcs8_der()).unwrap(), engine, "DER");
        same(SigningKey::from_pkcs8_pem(engine, &original.to_pkcs8_pem()).unwrap(), engine, "PEM");
        let public = original_public;
        same_public(VerifyingKey::from_bytes(set, engine, public.as_bytes()).unwrap(), engine, "bytes");
        same_public(VerifyingKey::from_spki_der(engine, &public.to_spki_der()).unwrap(), engine, "DER");
        same_public(VerifyingKey::from_spki_pem(engine, &public.to_spki_pem()).unwrap(), engine, "PEM");
    }
    let engine = &Engine::get();
    let pem = original.to_pkcs8_pem();
    same(DecodePrivateKey::from_pkcs8_pem(&pem).unwrap(), engine, "PEM by the pkcs8 crate's trait");
    let pem = original_public.to_spki_pem();
    same_public(DecodePublicKey::from_public_key_pem(&pem).unwrap(), engine, "PEM by the spki crate's trait");
}

#[test]
fn keys_round_trip() {
    for set in ParameterSet::ALL {
        round_trip(set, &engines());
    }
}

#[test]
fn keys_read_again_still_sign() {
    for set in SMALL {
        let key = SigningKey::from_pkcs8_pem(&Engine::get(), &key(set, &Engine::get()).to_pkcs8_pem()).unwrap();
        let signature = key.sign(MESSAGE, &MODE, Randomness::Deterministic).unwrap();
        assert!(signature.as_ref() == signed(set));
    }
}

#[test]
fn other_implementations_read_our_keys_and_we_theirs() {
    fn check<P: slh_dsa::ParameterSet>(set: ParameterSet) {
        let ours = key(set, &Engine::get());
        let theirs = slh_dsa::SigningKey::<P>::from_pkcs8_pem(&ours.to_pkcs8_pem()).unwrap();
        assert_eq!(theirs.to_vec(), ours.to_bytes()[..]);
        let der = EncodePrivateKey::to_pkcs8_der(&theirs).unwrap();
        assert_eq!(der.as_bytes(), &ours.to_pkcs8_der()[..]);
        assert_eq!(read_private(der.as_bytes()).unwrap().to_bytes(), ours.to_bytes());

        let ours = ours.verifying_key();
        let theirs = slh_dsa::VerifyingKey::<P>::from_public_key_pem(&ours.to_spki_pem()).unwrap();
        assert_eq!(theirs.to_vec(), ours.as_bytes());
        let der = theirs.to_public_key_der().unwrap();
        assert_eq!(der.as_bytes(), ours.to_spki_der());
        assert_eq!(read_public(der.as_bytes()), Ok(ours));
    }
    check::<slh_dsa::Sha2_128f>(ParameterSet::Sha2_128f);
    check::<slh_dsa::Sha2_192f>(ParameterSet::Sha2_192f);
    check::<slh_dsa::Sha2_256f>(ParameterSet::Sha2_256f);
    check::<slh_dsa::Shake128f>(ParameterSet::Shake128f);
    check::<slh_dsa::Shake192f>(ParameterSet::Shake192f);
    check::<slh_dsa::Shake256f>(ParameterSet::Shake256f);
}

#[test]
fn malformed_private_keys() {
    let set = ParameterSet::Sha2_128f;
    let (key, n) = (key(set, &Engine::get()), set.n());
    let (bytes, id) = (key.to_bytes(), set_oid(set));
    let public = key.verifying_key();
    let encoding = |der: &[u8], what: &str| refused_private(der, Error::InvalidEncoding, what);
    let good = pkcs8(V1, &id, &[], &bytes, &[]);
    assert!(read_private(&good).is_ok());

    // the algorithm
    encoding(&pkcs8(V1, &id, NULL, &bytes, &[]), "NULL parameters");
    encoding(&pkcs8(V1, &id, &element(OCTET_STRING, &[]), &bytes, &[]), "other parameters");
    encoding(&pkcs8(V1, &id, &element(SEQUENCE, &[]), &bytes, &[]), "empty parameters");
    for other in [oid([3, 17]), oid([3, 19]), oid([3, 32]), oid([2, 1]), element(OID, &[&[0x2a, 3]])] {
        encoding(&pkcs8(V1, &other, &[], &bytes, &[]), "another algorithm");
    }
    encoding(&pkcs8(V1, &[], &[], &bytes, &[]), "no algorithm");
    let relabelled = pkcs8(V1, &set_oid(ParameterSet::Shake128f), &[], &bytes, &[]);
    refused_private(&relabelled, Error::InconsistentKey, "another set of the same size");

    // the version
    for version in [&[2][..], &[3], &[0xff], &[], &[0, 0], &[1, 0]] {
        encoding(&pkcs8(version, &id, &[], &bytes, &[]), &format!("version {version:?}"));
    }

    // the key itself
    for len in [0, 1, n, 2 * n, 3 * n, 4 * n - 1, 4 * n + 1, 8 * n] {
        let wrong = &bytes.repeat(2)[..len];
        let error = Error::WrongLength { expected: 4 * n, actual: len };
        refused_private(&pkcs8(V1, &id, &[], wrong, &[]), error, &format!("{len} bytes"));
    }
    let wrapped = element(OCTET_STRING, &[&bytes]);
    let error = Error::WrongLength { expected: 4 * n, actual: 4 * n + 2 };
    refused_private(&pkcs8(V1, &id, &[], &wrapped, &[]), error, "wrapped twice");
    for bit in [0, 8 * 2 * n, 8 * 3 * n] {
        let mut wrong = bytes.to_vec();
        wrong[bit / 8] ^= 1;
        refused_private(&pkcs8(V1, &id, &[], &wrong, &[]), Error::InconsistentKey, "a flipped bit");
    }

    // a public key that comes along
    let along = |public: &[u8]| element(0x81, &[&[0], public]);
    assert!(read_private(&pkcs8(V2, &id, &[], &bytes, &along(public.as_bytes()))).is_ok(), "with its public key");
    let another = key_for(set, &Engine::get(), "another").verifying_key();
    for public in [another.as_bytes(), &public.as_bytes()[1..], &[]] {
        refused_private(&pkcs8(V2, &id, &[], &bytes, &along(public)), Error::InconsistentKey, "another's public key");
    }

    // the frame
    for len in 0..good.len() {
        encoding(&good[..len], &format!("cut to {len} bytes"));
    }
    for tail in [&[0][..], NULL, &[0; 64], &good] {
        encoding(&[&good, tail].concat(), "trailing bytes");
    }
    encoding(&pkcs8(V1, &id, &[], &bytes, NULL), "trailing element");
    encoding(&element(SEQUENCE, &[&good]), "wrapped in another sequence");
    let mut set_tag = good.clone();
    set_tag[0] = 0x31;
    encoding(&set_tag, "a SET");
    // BER that is not DER: an indefinite length, and a length in more bytes than it takes
    let body = &good[2..];
    encoding(&[&[SEQUENCE, 0x80], body, &[0, 0]].concat(), "an indefinite length");
    encoding(&[&[SEQUENCE, 0x81, body.len() as u8], body].concat(), "a long length");
    encoding(&public.to_spki_der(), "a public key");
}

#[test]
fn malformed_public_keys() {
    let set = ParameterSet::Shake128f;
    let (key, n) = (key(set, &Engine::get()), set.n());
    let (public, id) = (key.verifying_key(), set_oid(set));
    let bytes = public.as_bytes();
    let encoding = |der: &[u8], what: &str| refused_public(der, Error::InvalidEncoding, what);
    let good = spki(&id, &[], 0, bytes);
    assert_eq!(read_public(&good), Ok(public));

    encoding(&spki(&id, NULL, 0, bytes), "NULL parameters");
    encoding(&spki(&id, &element(SEQUENCE, &[]), 0, bytes), "empty parameters");
    for other in [oid([3, 17]), oid([3, 19]), oid([3, 32]), oid([2, 1]), element(OID, &[&[0x2a, 3]])] {
        encoding(&spki(&other, &[], 0, bytes), "another algorithm");
    }
    encoding(&spki(&[], &[], 0, bytes), "no algorithm");
    // nothing in a public key tells the sets of one size apart: it is another key
    let relabelled = read_public(&spki(&set_oid(ParameterSet::Sha2_128f), &[], 0, bytes)).unwrap();
    assert_eq!(relabelled.set(), ParameterSet::Sha2_128f);
    assert_ne!(relabelled, public);

    for len in [0, 1, n, 2 * n - 1, 2 * n + 1, 4 * n] {
        let error = Error::WrongLength { expected: 2 * n, actual: len };
        refused_public(&spki(&id, &[], 0, &bytes.repeat(2)[..len]), error, &format!("{len} bytes"));
    }
    for unused in 1..=8 {
        encoding(&spki(&id, &[], unused, bytes), "bits that are no bytes");
        let mut zeros = bytes.to_vec();
        zeros[2 * n - 1] = 0;
        encoding(&spki(&id, &[], unused, &zeros), "bits that are no bytes, in DER");
    }
    let algorithm = element(SEQUENCE, &[&id]);
    encoding(&element(SEQUENCE, &[&algorithm, &element(OCTET_STRING, &[bytes])]), "an OCTET STRING");
    encoding(&element(SEQUENCE, &[&algorithm, &element(BIT_STRING, &[])]), "an empty BIT STRING");

    for len in 0..good.len() {
        encoding(&good[..len], &format!("cut to {len} bytes"));
    }
    for tail in [&[0][..], NULL, &good] {
        encoding(&[&good, tail].concat(), "trailing bytes");
    }
    encoding(&element(SEQUENCE, &[&algorithm, &element(BIT_STRING, &[&[0], bytes]), NULL]), "trailing element");
    encoding(&element(SEQUENCE, &[&good]), "wrapped in another sequence");
    let body = &good[2..];
    encoding(&[&[SEQUENCE, 0x80], body, &[0, 0]].concat(), "an indefinite length");
    encoding(&[&[SEQUENCE, 0x81, body.len() as u8], body].concat(), "a long length");
    encoding(&key.to_pkcs8_der(), "a private key");
}

/// What is accepted has one encoding: a changed byte is refused, or is another key that writes just these bytes.
#[test]
fn encodings_are_canonical() {
    let set = ParameterSet::Sha2_128f;
    let key = key(set, &Engine::get());
    let mut accepted = 0;
    let der = key.verifying_key().to_spki_der();
    for bit in 0..8 * der.len() {
        let mut changed = der.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        if let Ok(public) = read_public(&changed) {
            assert_eq!(public.to_spki_der(), changed);
            accepted += 1;
        }
    }
    // the key's own bits, and those of its identifier that name other sets of the same size
    let key_bits = 8 * set.verifying_key_len();
    assert!((key_bits..key_bits + 8).contains(&accepted), "{accepted}");

    let der = key.to_pkcs8_der();
    let mut accepted = 0;
    for bit in 0..8 * der.len() {
        let mut changed = der.to_vec();
        changed[bit / 8] ^= 1 << (bit % 8);
        if let Ok(key) = read_private(&changed) {
            assert_eq!(key.to_pkcs8_der()[..], changed);
            accepted += 1;
        }
    }
    assert_eq!(accepted, 8 * set.n(), "the bits of SK.prf and no others");
}

#[test]
fn malformed_pem() {
    let engine = Engine::get();
    let key = key(ParameterSet::Shake128f, &engine);
    let (private, public) = (key.to_pkcs8_pem(), key.verifying_key().to_spki_pem());
    let refused = |pem: &str| {
        assert_eq!(SigningKey::from_pkcs8_pem(&engine, pem).map(|_| ()), Err(Error::InvalidEncoding), "{pem}");
        assert_eq!(VerifyingKey::from_spki_pem(&engine, pem), Err(Error::InvalidEncoding), "{pem}");
    };
    for label in ["RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "CERTIFICATE", "private key", "", "X"] {
        refused(&private.replace("PRIVATE KEY", label));
        refused(&public.replace("PUBLIC KEY", label));
    }
    // the other's label
    assert!(SigningKey::from_pkcs8_pem(&engine, &public).is_err());
    assert!(VerifyingKey::from_spki_pem(&engine, &private).is_err());
    refused(&private.replace("PRIVATE", "PUBLIC"));
    refused(&public.replace("PUBLIC", "PRIVATE"));
    for pem in [&private, &public] {
        refused(&pem.replace("-----BEGIN", "----BEGIN"));
        refused(&pem.replacen("KEY", "QUAY", 1));
        refused(&pem.replace("-----END", "----END"));
        refused(&pem.replacen('M', "*", 1));
        refused(&pem.replacen('M', "", 1));
        refused(&pem.replacen('\n', "\nComment: x\n\n", 1));
        for len in (0..pem.len() - 1).step_by(5) {
            refused(&pem[..len]);
        }
    }
    for text in ["", "\n", "-----", "-----BEGIN PRIVATE KEY-----", "no PEM at all", "\u{fffd}\0"] {
        refused(text);
    }
    // other line ends are fine
    let dos = private.replace('\n', "\r\n");
    assert_eq!(SigningKey::from_pkcs8_pem(&engine, &dos).unwrap().to_bytes(), key.to_bytes());
    let dos = public.replace('\n', "\r\n");
    assert_eq!(VerifyingKey::from_spki_pem(&engine, &dos), Ok(key.verifying_key()));
}

#[test]
fn secrets_are_not_printed() {
    for set in SMALL {
        let key = key(set, &Engine::get());
        for text in [format!("{key:?}"), format!("{key:#?}")] {
            let plain: String = text.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
            let bytes = key.to_bytes();
            for secret in [&bytes[..set.n()], &bytes[set.n()..2 * set.n()]] {
                for piece in secret.windows(4) {
                    let decimal: String = piece.iter().map(u8::to_string).collect();
                    assert!(!plain.contains(&hex::encode(piece)) && !plain.contains(&decimal), "{text}");
                }
            }
            assert!(text.contains(set.name()) || text.contains(&format!("{set:?}")), "{text}");
        }
        let public = format!("{:?}", key.verifying_key());
        assert!(public.contains(&hex::encode(key.verifying_key().as_bytes())), "{public}");
    }
}

#[test]
fn engines_are_no_part_of_a_public_key() {
    for (_, engine) in engines() {
        let key = key(ParameterSet::Sha2_128f, &Engine::get());
        let public = key.verifying_key();
        let moved = public.with_engine(&engine);
        assert_eq!((moved, moved.engine()), (public, &engine));
        let moved = key.with_engine(&engine);
        assert_eq!((moved.verifying_key(), moved.engine()), (public, &engine));
        assert_eq!(moved.verifying_key().engine(), &engine);
    }
    let set = ParameterSet::Sha2_128f;
    let bytes = [0x42; 32];
    let one = VerifyingKey::from_bytes(set, &Engine::get(), &bytes).unwrap();
    assert_ne!(one, VerifyingKey::from_bytes(ParameterSet::Shake128f, &Engine::get(), &bytes).unwrap());
}
