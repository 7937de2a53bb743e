//! HMAC, HKDF and PBKDF2 on every backend, one at a time and many: what the crates `hmac`, `hkdf` and `pbkdf2` make.

use ::hkdf::SimpleHkdf;
use ::hmac::SimpleHmac;
use digest::{KeyInit, Mac};
use hashloom::{
    hash::FixedHash,
    hkdf::{self, Prk},
    hmac::{self, HmacKey},
    keccak,
    pbkdf2::{self, Derivation},
    sha2,
};
use seeds::Reader;

use crate::common::{engines, stretched};

/// Messages, keys, passwords and salts are shorter.
const LONGEST: usize = 400;

/// Other crates' functions with one hash.
struct Oracle {
    hmac: fn(&[u8], &[u8]) -> Vec<u8>,
    hkdf: fn(&[u8], &[u8], &[u8], &mut [u8]),
    pbkdf2: fn(&[u8], &[u8], u32, &mut [u8]),
}

/// The tag of a message by another implementation.
fn tag<M: Mac + KeyInit>(key: &[u8], msg: &[u8]) -> Vec<u8> {
    <M as KeyInit>::new_from_slice(key).expect("any length").chain_update(msg).finalize().into_bytes().to_vec()
}

/// Input: function, algorithm, numbers, lengths and places of messages, then their bytes.
pub fn run(data: &[u8]) {
    macro_rules! checks {
        ($($ours:ty = $theirs:ty),*) => { [$(|input: &mut Reader<'_>| {
            let oracle = Oracle {
                hmac: tag::<SimpleHmac<$theirs>>,
                hkdf: |salt, ikm, info, out| SimpleHkdf::<$theirs>::new(Some(salt), ikm).expand(info, out).expect("a short output"),
                pbkdf2: |password, salt, iterations, out| {
                    ::pbkdf2::pbkdf2::<SimpleHmac<$theirs>>(password, salt, iterations, out).expect("any key");
                },
            };
            check::<$ours>(&oracle, input);
        }),*] };
    }
    let checks: [fn(&mut Reader<'_>); 10] = checks!(
        sha2::Sha256 = ::sha2::Sha256,
        sha2::Sha512 = ::sha2::Sha512,
        sha2::Sha224 = ::sha2::Sha224,
        sha2::Sha384 = ::sha2::Sha384,
        sha2::Sha512_224 = ::sha2::Sha512_224,
        sha2::Sha512_256 = ::sha2::Sha512_256,
        keccak::Sha3_224 = ::sha3::Sha3_224,
        keccak::Sha3_256 = ::sha3::Sha3_256,
        keccak::Sha3_384 = ::sha3::Sha3_384,
        keccak::Sha3_512 = ::sha3::Sha3_512
    );
    let mut input = Reader::new(data);
    checks[input.below(checks.len())](&mut input);
}

fn check<H: FixedHash>(oracle: &Oracle, input: &mut Reader<'_>) {
    let algorithm = input.byte();
    let (len, iterations) = (input.below(200), input.below(50) as u32);
    let one_key = input.byte() & 1 == 0;
    let places: Vec<[usize; 4]> = (0..input.below(36))
        .map(|_| [input.below(LONGEST), input.below(256), input.below(LONGEST), input.below(256)])
        .collect();
    let bytes = stretched(input.rest(), LONGEST + 256);
    let messages: Vec<&[u8]> = places.iter().map(|&[len, at, ..]| &bytes[at..at + len]).collect();
    let mut secrets: Vec<&[u8]> = places.iter().map(|&[.., len, at]| &bytes[at..at + len]).collect();
    if one_key {
        secrets.truncate(1);
    }
    let secret = |i: usize| secrets[if one_key { 0 } else { i }];
    match algorithm % 3 {
        0 => {
            let len = len % (H::LEN + 1);
            let want: Vec<Vec<u8>> =
                messages.iter().enumerate().map(|(i, msg)| (oracle.hmac)(secret(i), msg)).collect();
            let all: Vec<u8> = want.iter().flat_map(|tag| &tag[..len]).copied().collect();
            for engine in engines() {
                let hash = H::on(engine);
                let keys = HmacKey::many(hash, &secrets);
                let mut out = vec![0xa5; all.len()];
                let fits = keys.len() == 1 || keys.len() == messages.len();
                assert_eq!(hmac::mac_many(&keys, &messages, &mut out).is_ok(), fits);
                assert!(!fits || out == all, "HMAC-{} on {engine}", H::NAME);
                for (i, tag) in want.iter().enumerate() {
                    hmac::verify(hash, secret(i), &[messages[i]], tag).expect("the tag of this message");
                    let mut other = tag.clone();
                    other[i % H::LEN] ^= 1 << (i % 8);
                    assert!(hmac::verify(hash, secret(i), &[messages[i]], &other).is_err());
                }
            }
        }
        1 => {
            let mut want = vec![0; len * messages.len()];
            for (i, info) in messages.iter().enumerate() {
                let out = &mut want[i * len..(i + 1) * len];
                (oracle.hkdf)(info, secret(i), info, out);
            }
            for engine in engines() {
                let hash = H::on(engine);
                let prks: Vec<_> =
                    messages.iter().enumerate().map(|(i, salt)| Prk::extract(hash, salt, &[secret(i)])).collect();
                let mut out = vec![0xa5; want.len()];
                if !prks.is_empty() {
                    hkdf::expand_many(&prks, &messages, &mut out).expect("one key for each");
                }
                assert_eq!(out, want, "HKDF-{} on {engine}", H::NAME);
            }
        }
        _ => {
            let want: Vec<Vec<u8>> = messages
                .iter()
                .enumerate()
                .map(|(i, salt)| {
                    let mut out = vec![0; len];
                    if iterations > 0 {
                        (oracle.pbkdf2)(secret(i), salt, iterations, &mut out);
                    }
                    out
                })
                .collect();
            for engine in engines() {
                let mut outs = vec![vec![0; len]; messages.len()];
                let mut derivations: Vec<_> = (outs.iter_mut().enumerate())
                    .map(|(i, out)| Derivation { password: secret(i), salt: messages[i], out })
                    .collect();
                let made = pbkdf2::derive_many(H::on(engine), iterations, &mut derivations);
                assert_eq!(made.is_ok(), messages.is_empty() || iterations > 0 && len > 0);
                assert_eq!(outs, want, "PBKDF2-HMAC-{} on {engine}", H::NAME);
            }
        }
    }
}
