//! HMAC, HKDF and PBKDF2: the vectors of the documents that define them, exact limits, and what must be refused.

mod common;

use std::{ops::ControlFlow, slice};

use common::{on_every_engine, painted};
use hashloom::{
    Engine, Error,
    hash::{FixedHash, Hash},
    hkdf, hmac,
    hmac::HmacKey,
    keccak::{Sha3_224, Sha3_256, Sha3_384, Sha3_512},
    pbkdf2::{self, Derivation, Progress},
    sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256},
};
use hkdf::Prk;

macro_rules! for_each_fixed {
    ($test:ident($($arg:expr),*)) => {
        $test::<Sha224>($($arg),*);
        $test::<Sha256>($($arg),*);
        $test::<Sha384>($($arg),*);
        $test::<Sha512>($($arg),*);
        $test::<Sha512_224>($($arg),*);
        $test::<Sha512_256>($($arg),*);
        $test::<Sha3_224>($($arg),*);
        $test::<Sha3_256>($($arg),*);
        $test::<Sha3_384>($($arg),*);
        $test::<Sha3_512>($($arg),*);
    };
}

fn hex(digits: &str) -> Vec<u8> {
    hex::decode(digits.split_whitespace().collect::<String>()).unwrap()
}

/// RFC 4231 section 4: key, data, and the tag of SHA-256 and SHA-512.
#[test]
fn hmac_of_rfc_4231() {
    let cases: [(Vec<u8>, &[u8], &str, &str); 4] = [
        (
            vec![0x0b; 20],
            b"Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde
             daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
        ),
        (
            b"Jefe".to_vec(),
            b"what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554
             9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
        ),
        (
            vec![0xaa; 131],
            b"Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352
             6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
        ),
        (
            vec![0xaa; 131],
            b"This is a test using a larger than block-size key and a larger than block-size data. \
              The key needs to be hashed before being used by the HMAC algorithm.",
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
            "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944
             b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58",
        ),
    ];
    on_every_engine(|engine| {
        for (key, data, sha256, sha512) in &cases {
            let mut tag = [0; 32];
            hmac::mac(Sha256::on(engine), key, &[data], &mut tag).unwrap();
            assert_eq!(tag[..], hex(sha256));
            let mut tag = [0; 64];
            hmac::mac(Sha512::on(engine), key, &[data], &mut tag).unwrap();
            assert_eq!(tag[..], hex(sha512));
        }
        // section 4.6: a tag of 128 bits
        let tag = hex("a3b6167473100ee06e0c796c2955552b");
        let (key, data) = ([0x0c; 20], b"Test With Truncation");
        hmac::verify(Sha256::on(engine), &key, &[data], &tag).unwrap();
    });
}

/// RFC 5869 appendix A.1 to A.3.
#[test]
fn hkdf_of_rfc_5869() {
    let count = |from: u8, to: u8| (from..=to).collect::<Vec<u8>>();
    let cases = [
        (
            vec![0x0b; 22],
            count(0, 0x0c),
            count(0xf0, 0xf9),
            "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
        ),
        (
            count(0, 0x4f),
            count(0x60, 0xaf),
            count(0xb0, 0xff),
            "06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244",
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09
             da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87",
        ),
        (
            vec![0x0b; 22],
            vec![],
            vec![],
            "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
        ),
    ];
    on_every_engine(|engine| {
        let hash = Sha256::on(engine);
        for (ikm, salt, info, prk, okm) in &cases {
            let (prk, okm) = (hex(prk), hex(okm));
            let mut made = [0; 32];
            hkdf::extract(hash, salt, &[ikm], &mut made).unwrap();
            assert_eq!(made[..], prk);
            let mut out = vec![0xa5; okm.len()];
            hkdf::derive(hash, salt, &[ikm], &[info], &mut out).unwrap();
            assert_eq!(out, okm);
            let keys = [Prk::extract(hash, salt, &[&ikm[..5], &ikm[5..]]), Prk::from_bytes(hash, &prk).unwrap()];
            for key in &keys {
                let mut out = vec![0xa5; okm.len()];
                key.expand(&[info], &mut out).unwrap();
                assert_eq!(out, okm);
            }
            let mut out = vec![0xa5; 2 * okm.len()];
            hkdf::expand_many(&keys, &[info, info], &mut out).unwrap();
            assert_eq!(out, okm.repeat(2));
        }
    });
}

/// RFC 7914 section 11.
#[test]
fn pbkdf2_of_rfc_7914() {
    on_every_engine(|engine| {
        let (mut one, mut many) = ([0; 64], [0; 64]);
        pbkdf2::derive(Sha256::on(engine), b"passwd", b"salt", 1, &mut one).unwrap();
        pbkdf2::derive(Sha256::on(engine), b"Password", b"NaCl", 80_000, &mut many).unwrap();
        assert_eq!(
            one[..],
            hex("55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc
                 49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783")
        );
        assert_eq!(
            many[..],
            hex("4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56
                 a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d")
        );
    });
}

fn tags<H: FixedHash>(engine: &Engine) {
    let hash = H::on(engine);
    let minimum = H::LEN.div_ceil(2).max(10);
    assert_eq!(hmac::min_tag_len::<H>(), minimum);
    let key = HmacKey::new(hash, b"key");
    let mut tag = vec![0; H::LEN];
    key.mac(&[b"mess", b"age"], &mut tag).unwrap();
    for len in 0..=H::LEN + 1 {
        let mut given = tag.clone();
        given.resize(H::LEN + 1, 0);
        let given = &mut given[..len];
        let want = match len {
            _ if len < minimum => Err(Error::TagTooShort { minimum }),
            _ if len > H::LEN => Err(Error::InvalidTag),
            _ => Ok(()),
        };
        assert_eq!(key.verify(&[b"message"], given), want, "{} tag of {len} bytes", H::NAME);
        assert_eq!(hmac::verify(hash, b"key", &[b"message"], given), want);
        if want.is_err() {
            continue;
        }
        for (key, message) in [(&b"kez"[..], &b"message"[..]), (b"key", b"massage"), (b"key", b"messag"), (b"", b"")] {
            assert_eq!(hmac::verify(hash, key, &[message], given), Err(Error::InvalidTag));
        }
        for bit in 0..8 * len {
            given[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(key.verify(&[b"message"], given), Err(Error::InvalidTag), "{} bit {bit}", H::NAME);
            given[bit / 8] ^= 1 << (bit % 8);
        }
    }
    let mut out = vec![0xa5; H::LEN + 1];
    assert_eq!(key.mac(&[], &mut out), Err(Error::OutputTooLong { limit: H::LEN }));
    assert_eq!(hmac::mac(hash, b"", &[], &mut out), Err(Error::OutputTooLong { limit: H::LEN }));
    assert_eq!(hmac::mac_many(slice::from_ref(&key), &[b""], &mut out), Err(Error::OutputTooLong { limit: H::LEN }));
    assert_eq!(out, vec![0xa5; H::LEN + 1]);
    let two = [key.clone(), key];
    let mut out = vec![0xa5; 3 * H::LEN];
    assert_eq!(hmac::mac_many(&two, &[b"", b"", b""], &mut out), Err(Error::WrongCount { expected: 3, actual: 2 }));
    assert_eq!(hmac::mac_many::<H>(&[], &[b""], &mut out), Err(Error::WrongCount { expected: 1, actual: 0 }));
    let wrong = Err(Error::WrongLength { expected: 3 * H::LEN - 1, actual: 3 * H::LEN });
    if 3 * H::LEN % 2 == 1 {
        assert_eq!(hmac::mac_many(&two, &[b"", b""], &mut out), wrong);
    }
    assert_eq!(out, vec![0xa5; 3 * H::LEN]);
    assert_eq!(hmac::mac_many(&two[..1], &[], &mut []), Ok(()));
    assert_eq!(hmac::mac_many::<H>(&[], &[], &mut []), Ok(()));
}

#[test]
fn tags_that_are_short_or_wrong_are_refused() {
    on_every_engine(|engine| {
        for_each_fixed!(tags(engine));
    });
}

fn expansions<H: FixedHash>(engine: &Engine) {
    let hash = H::on(engine);
    let limit = 255 * H::LEN;
    assert_eq!(hkdf::max_len::<H>(), limit);
    let minimum = H::LEN;
    let bytes = painted(H::LEN + 1);
    assert_eq!(Prk::from_bytes(hash, &bytes[..H::LEN - 1]).err(), Some(Error::KeyTooShort { minimum }));
    let prk = Prk::from_bytes(hash, &bytes).unwrap();
    let (mut most, mut few) = (vec![0; limit], vec![0; 100]);
    prk.expand(&[b"info"], &mut most).unwrap();
    prk.expand(&[b"in", b"fo"], &mut few).unwrap();
    assert_eq!(few, most[..100], "a shorter key is a prefix");
    let mut many = vec![0; 2 * limit];
    hkdf::expand_many(slice::from_ref(&prk), &[b"info", b"other"], &mut many).unwrap();
    assert!(many[..limit] == most && many[limit..] != most);
    // one block is made like HMAC of T(254) || info || 255
    let last = [&most[253 * H::LEN..254 * H::LEN], b"info\xff"].concat();
    let mut block = vec![0; H::LEN];
    hmac::mac(hash, &bytes, &[&last], &mut block).unwrap();
    assert_eq!(block, most[254 * H::LEN..]);

    let mut out = vec![0xa5; limit + 1];
    assert_eq!(prk.expand(&[], &mut out), Err(Error::OutputTooLong { limit }));
    assert_eq!(hkdf::derive(hash, b"", &[b""], &[], &mut out), Err(Error::OutputTooLong { limit }));
    let prks = [prk];
    assert_eq!(hkdf::expand_many(&prks, &[b""], &mut out), Err(Error::OutputTooLong { limit }));
    assert_eq!(hkdf::expand_many::<H>(&[], &[b""], &mut out[..9]), Err(Error::WrongCount { expected: 1, actual: 0 }));
    let wrong = Err(Error::WrongLength { expected: 8, actual: 9 });
    assert_eq!(hkdf::expand_many(&prks, &[b"", b""], &mut out[..9]), wrong);
    assert_eq!(out, vec![0xa5; limit + 1]);
    assert_eq!(hkdf::expand_many(&prks, &[b"", b""], &mut []), Ok(()));
    assert_eq!(hkdf::expand_many(&prks, &[], &mut []), Ok(()));
}

#[test]
fn hkdf_stops_at_255_blocks() {
    on_every_engine(|engine| {
        for_each_fixed!(expansions(engine));
    });
}

#[test]
fn pbkdf2_refuses_nothing_and_too_much() {
    let hash = Sha256::on(&Engine::get());
    let mut out = [0xa5; 8];
    assert_eq!(pbkdf2::derive(hash, b"p", b"s", 0, &mut out), Err(Error::NothingToDerive));
    assert_eq!(pbkdf2::derive(hash, b"p", b"s", 1, &mut []), Err(Error::NothingToDerive));
    let (mut good, mut bad) = ([0xa5; 8], []);
    let mut derivations = [
        Derivation { password: b"p", salt: b"s", out: &mut good },
        Derivation { password: b"p", salt: b"s", out: &mut bad },
    ];
    assert_eq!(pbkdf2::derive_many(hash, 1, &mut derivations), Err(Error::NothingToDerive));
    assert_eq!(pbkdf2::derive_many(hash, 1, &mut []), Ok(()));
    assert_eq!([good, out], [[0xa5; 8]; 2]);
    if usize::BITS == 64 {
        assert_eq!(pbkdf2::max_len::<Sha256>() as u64, 32 * u64::from(u32::MAX));
        assert_eq!(pbkdf2::max_len::<Sha3_512>() as u64, 64 * u64::from(u32::MAX));
    }
}

#[test]
fn progress_counts_up_and_stops() {
    on_every_engine(|engine| {
        let hash = Sha256::on(engine);
        let (mut short, mut long) = ([0xa5; 20], [0xa5; 1000]);
        let mut run = |stop_after: usize| {
            let mut reports = Vec::new();
            let mut derivations = [
                Derivation { password: b"p", salt: b"s", out: &mut short },
                Derivation { password: b"q", salt: b"t", out: &mut long },
            ];
            let result = pbkdf2::derive_many_with(hash, 20_000, &mut derivations, &mut |progress| {
                reports.push(progress);
                if reports.len() < stop_after { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            (result, reports)
        };
        let total = 33 * 20_000;
        let (result, reports) = run(usize::MAX);
        assert_eq!(result, Ok(()));
        assert!(reports.iter().all(|report| report.total == total));
        assert!(reports.is_sorted_by(|a, b| a.completed < b.completed), "{reports:?}");
        assert_eq!(reports.last(), Some(&Progress { completed: total, total }));
        let (result, reports) = run(2);
        assert_eq!((result, reports.len()), (Err(Error::Cancelled), 2));
        assert_eq!((short, long), ([0; 20], [0; 1000]));
    });
}

#[test]
fn what_is_printed() {
    let hash = Sha256::on(&Engine::get());
    let key = HmacKey::new(hash, b"key");
    assert_eq!(format!("{key:?}"), format!("HMAC-{} key", Sha256::NAME));
    assert_eq!(format!("{:?}", key.hmac()), format!("HMAC-{}", Sha256::NAME));
    let prk = Prk::extract(hash, b"salt", &[b"key"]);
    assert_eq!(format!("{prk:?}"), format!("HKDF-{} pseudorandom key", Sha256::NAME));
    let derivation = Derivation { password: b"password", salt: b"salt", out: &mut [0; 7] };
    assert_eq!(format!("{derivation:?}"), "Derivation(7 bytes)");
}
