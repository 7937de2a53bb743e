//! HMAC, HKDF and PBKDF2 against other crates: all functions, every engine.

mod common;

use ::hkdf::SimpleHkdf;
use ::hmac::SimpleHmac;
use common::{on_every_engine, painted};
use digest::{KeyInit, Mac};
use hashloom::{
    Engine,
    hash::{FixedHash, Hash},
    hkdf, hmac,
    hmac::{Hmac, HmacKey},
    keccak::{Sha3_224, Sha3_256, Sha3_384, Sha3_512},
    pbkdf2::{self, Derivation},
    sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256},
};
use proptest::prelude::*;

const LARGEST_BATCH: usize = 33;

/// Another crate's HMAC, HKDF and PBKDF2 with one hash.
#[derive(Clone, Copy)]
struct Oracle {
    /// Key, message.
    hmac: fn(&[u8], &[u8]) -> Vec<u8>,
    hkdf: Expand,
    /// Password, salt, iterations.
    pbkdf2: fn(&[u8], &[u8], u32, &mut [u8]),
}

/// Salt, input keying material, info.
type Expand = fn(&[u8], &[u8], &[u8], &mut [u8]);

/// The tag of a message by another implementation.
fn tag<M: Mac + KeyInit>(key: &[u8], msg: &[u8]) -> Vec<u8> {
    <M as KeyInit>::new_from_slice(key).unwrap().chain_update(msg).finalize().into_bytes().to_vec()
}

macro_rules! oracle {
    ($hash:ty) => {
        Oracle {
            hmac: tag::<SimpleHmac<$hash>>,
            hkdf: |salt, ikm, info, out| SimpleHkdf::<$hash>::new(Some(salt), ikm).expand(info, out).unwrap(),
            pbkdf2: |password, salt, iterations, out| {
                ::pbkdf2::pbkdf2::<SimpleHmac<$hash>>(password, salt, iterations, out).unwrap();
            },
        }
    };
}

macro_rules! for_each_fixed {
    ($test:ident($engine:expr)) => {
        $test::<Sha224>(oracle!(sha2::Sha224), $engine);
        $test::<Sha256>(oracle!(sha2::Sha256), $engine);
        $test::<Sha384>(oracle!(sha2::Sha384), $engine);
        $test::<Sha512>(oracle!(sha2::Sha512), $engine);
        $test::<Sha512_224>(oracle!(sha2::Sha512_224), $engine);
        $test::<Sha512_256>(oracle!(sha2::Sha512_256), $engine);
        $test::<Sha3_224>(oracle!(sha3::Sha3_224), $engine);
        $test::<Sha3_256>(oracle!(sha3::Sha3_256), $engine);
        $test::<Sha3_384>(oracle!(sha3::Sha3_384), $engine);
        $test::<Sha3_512>(oracle!(sha3::Sha3_512), $engine);
    };
}

/// Lengths around the ends of a block and of its padding.
fn around_blocks<H: FixedHash>() -> Vec<usize> {
    let block = H::BLOCK_LEN;
    let near = [0, 1, H::LEN - 1, H::LEN, H::LEN + 1, block - 17, block - 9, block - 8, block - 1, block, block + 1];
    near.into_iter().chain([2 * block - 1, 2 * block, 2 * block + 1, 3 * block + 5]).collect()
}

fn macs<H: FixedHash>(oracle: Oracle, engine: &Engine) {
    let hash = H::on(engine);
    let lengths = around_blocks::<H>();
    let paint = painted(1000);
    for key in lengths.iter().map(|&len| &paint[3..3 + len]) {
        for msg in lengths.iter().map(|&len| &paint[7..7 + len]) {
            let want = (oracle.hmac)(key, msg);
            let mut tag = vec![0xa5; H::LEN];
            hmac::mac(hash, key, &[&msg[..msg.len() / 3], &msg[msg.len() / 3..]], &mut tag).unwrap();
            assert_eq!(tag, want, "{}: key of {} bytes, message of {}", H::NAME, key.len(), msg.len());
            let key = HmacKey::new(hash, key);
            let mut tag = vec![0xa5; H::LEN / 2];
            key.mac(&[msg], &mut tag).unwrap();
            assert_eq!(tag, want[..H::LEN / 2]);
            key.verify(&[msg], &want).unwrap();
            let mut hmac = key.hmac();
            msg.chunks(13).for_each(|piece| hmac.update(piece));
            hmac.clone().verify(&want).unwrap();
            hmac.reset();
            hmac.update(msg);
            hmac.verify(&want).unwrap();
        }
    }
}

#[test]
fn hmac_agrees() {
    on_every_engine(|engine| {
        for_each_fixed!(macs(engine));
    });
}

fn many_macs<H: FixedHash>(oracle: Oracle, engine: &Engine) {
    let hash = H::on(engine);
    let lengths = around_blocks::<H>();
    let paint = painted(2000);
    let slice = |i: usize, stride: usize| &paint[11 * i..][..lengths[(i * stride) % lengths.len()]];
    for batch in 0..=LARGEST_BATCH {
        let raw: Vec<&[u8]> = (0..batch).map(|i| slice(i, 4)).collect();
        let msgs: Vec<&[u8]> = (0..batch).map(|i| slice(i, 7)).collect();
        let keys = HmacKey::many(hash, &raw);
        let len = H::LEN - batch % 3;
        let mut own = vec![0xa5; batch * len];
        hmac::mac_many(&keys, &msgs, &mut own).unwrap();
        let mut one = vec![0xa5; batch * len];
        hmac::mac_many(&[HmacKey::new(hash, b"one")], &msgs, &mut one).unwrap();
        for i in 0..batch {
            let got = &own[i * len..(i + 1) * len];
            assert_eq!(got, &(oracle.hmac)(raw[i], msgs[i])[..len], "{} {i} of {batch}", H::NAME);
            assert_eq!(
                one[i * len..(i + 1) * len],
                (oracle.hmac)(b"one", msgs[i])[..len],
                "{} {i} of {batch}",
                H::NAME
            );
        }
    }
}

#[test]
fn many_macs_agree() {
    on_every_engine(|engine| {
        for_each_fixed!(many_macs(engine));
    });
}

fn expansions<H: FixedHash>(oracle: Oracle, engine: &Engine) {
    let hash = H::on(engine);
    let paint = painted(2000);
    for (i, len) in [1, H::LEN - 1, H::LEN, H::LEN + 1, 3 * H::LEN + 5, 255 * H::LEN].into_iter().enumerate() {
        let (salt, ikm, info) = (&paint[..60 * i], &paint[5..5 + 37 * i], &paint[9..9 + 29 * i]);
        let (mut want, mut out) = (vec![0; len], vec![0xa5; len]);
        (oracle.hkdf)(salt, ikm, info, &mut want);
        hkdf::derive(hash, salt, &[ikm], &[info], &mut out).unwrap();
        assert_eq!(out, want, "{} {len} bytes", H::NAME);
    }
    for batch in 0..=LARGEST_BATCH {
        let len = [H::LEN, 2 * H::LEN + 7, 20][batch % 3];
        let ikms: Vec<&[u8]> = (0..batch).map(|i| &paint[i..3 * i]).collect();
        let infos: Vec<&[u8]> = (0..batch).map(|i| &paint[i..i + 17 * i % 200]).collect();
        let prks: Vec<_> = ikms.iter().map(|ikm| hkdf::Prk::extract(hash, b"salt", &[ikm])).collect();
        let mut own = vec![0xa5; batch * len];
        hkdf::expand_many(&prks, &infos, &mut own).unwrap();
        let mut one = vec![0xa5; batch * len];
        hkdf::expand_many(&[hkdf::Prk::extract(hash, b"salt", &[b"ikm"])], &infos, &mut one).unwrap();
        for i in 0..batch {
            let mut want = vec![0; len];
            (oracle.hkdf)(b"salt", ikms[i], infos[i], &mut want);
            assert_eq!(own[i * len..(i + 1) * len], want, "{} {i} of {batch}", H::NAME);
            (oracle.hkdf)(b"salt", b"ikm", infos[i], &mut want);
            assert_eq!(one[i * len..(i + 1) * len], want, "{} {i} of {batch}", H::NAME);
        }
    }
}

#[test]
fn hkdf_agrees() {
    on_every_engine(|engine| {
        for_each_fixed!(expansions(engine));
    });
}

fn passwords<H: FixedHash>(oracle: Oracle, engine: &Engine) {
    let hash = H::on(engine);
    let paint = painted(1000);
    let lengths = around_blocks::<H>();
    for (i, &len) in lengths.iter().enumerate() {
        for (iterations, out_len) in [(1, H::LEN), (2, 1), (3, 2 * H::LEN + 1), (7, 40 * H::LEN - 3)] {
            let (password, salt) = (&paint[..len], &paint[5..5 + lengths[(5 * i) % lengths.len()]]);
            let (mut want, mut out) = (vec![0; out_len], vec![0xa5; out_len]);
            (oracle.pbkdf2)(password, salt, iterations, &mut want);
            pbkdf2::derive(hash, password, salt, iterations, &mut out).unwrap();
            assert_eq!(out, want, "{} password of {len} bytes, {iterations} iterations, {out_len} bytes", H::NAME);
        }
    }
}

#[test]
fn pbkdf2_agrees() {
    on_every_engine(|engine| {
        for_each_fixed!(passwords(engine));
    });
}

fn many_passwords<H: FixedHash>(oracle: Oracle, engine: &Engine) {
    let hash = H::on(engine);
    let paint = painted(2000);
    for batch in 0..=LARGEST_BATCH {
        let iterations = 1 + batch as u32 % 4;
        let mut outs: Vec<Vec<u8>> = (0..batch).map(|i| vec![0xa5; 1 + (i * 23) % (3 * H::LEN)]).collect();
        let input = |i: usize| (&paint[i..i + 7 * i], &paint[2 * i..2 * i + 5 * (batch - i)]);
        let mut derivations: Vec<_> = outs
            .iter_mut()
            .enumerate()
            .map(|(i, out)| Derivation { password: input(i).0, salt: input(i).1, out })
            .collect();
        pbkdf2::derive_many(hash, iterations, &mut derivations).unwrap();
        for (i, out) in outs.iter().enumerate() {
            let mut want = vec![0; out.len()];
            (oracle.pbkdf2)(input(i).0, input(i).1, iterations, &mut want);
            assert_eq!(*out, want, "{} {i} of {batch}", H::NAME);
        }
    }
}

#[test]
fn many_passwords_agree() {
    on_every_engine(|engine| {
        for_each_fixed!(many_passwords(engine));
    });
}

/// Enough iterations for several bursts, with a last one that is short.
#[test]
fn long_derivations_agree() {
    on_every_engine(|engine| {
        for iterations in [16_383, 16_384, 16_385, 40_000] {
            let (mut want, mut out) = ([0; 40], [0xa5; 40]);
            (oracle!(sha2::Sha256).pbkdf2)(b"password", b"salt", iterations, &mut want);
            pbkdf2::derive(Sha256::on(engine), b"password", b"salt", iterations, &mut out).unwrap();
            assert_eq!(out, want, "{iterations} iterations");
        }
    });
}

/// The digest crate's trait does what the type itself does.
#[test]
fn the_trait_of_the_digest_crate() {
    let paint = painted(300);
    for len in [0, 5, 64, 65, 136, 300] {
        let key = &paint[..len];
        assert_eq!(tag::<Hmac<Sha256>>(key, b"message"), tag::<SimpleHmac<sha2::Sha256>>(key, b"message"));
        assert_eq!(tag::<Hmac<Sha512>>(key, b"message"), tag::<SimpleHmac<sha2::Sha512>>(key, b"message"));
        assert_eq!(tag::<Hmac<Sha3_256>>(key, b"message"), tag::<SimpleHmac<sha3::Sha3_256>>(key, b"message"));
    }
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(b"key").unwrap();
    Mac::update(&mut mac, b"message");
    let first = mac.finalize_reset().into_bytes();
    Mac::update(&mut mac, b"message");
    Mac::verify(mac, &first).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_message_and_key(key: Vec<u8>, msgs in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..400), 0..40)) {
        let msgs: Vec<&[u8]> = msgs.iter().map(Vec::as_slice).collect();
        for (_, engine) in common::engines() {
            let mut out = vec![0; 32 * msgs.len()];
            hmac::mac_many(&[HmacKey::new(Sha3_256::on(&engine), &key)], &msgs, &mut out).unwrap();
            for (msg, tag) in msgs.iter().zip(out.chunks(32)) {
                prop_assert_eq!(&self::tag::<SimpleHmac<sha3::Sha3_256>>(&key, msg), tag);
            }
        }
    }
}
