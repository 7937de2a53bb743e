//! Message authentication and key derivation with every hash function, keys and passwords marked.

use hashloom::{
    Engine, Error, ct,
    hash::FixedHash,
    hkdf::{self, Prk},
    hmac::{self, HmacKey},
    keccak::{Sha3_224, Sha3_256, Sha3_384, Sha3_512},
    pbkdf2::{self, Derivation},
    sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256},
};

use super::{Counter, MESSAGE, Program, Scope, all_secret};

/// Hash functions, each of which a program is run with.
#[derive(Clone, Copy)]
pub enum Family {
    Sha2,
    Sha3,
}

pub const FAMILIES: [(Family, Scope); 2] = [(Family::Sha2, Scope::Backends), (Family::Sha3, Scope::Backends)];

pub const PROGRAMS: [Program<Family>; 3] = [
    ("hmac", |family, engine| family.each::<Hmac>(engine)),
    ("hkdf", |family, engine| family.each::<Hkdf>(engine)),
    ("pbkdf2", |family, engine| family.each::<Pbkdf2>(engine)),
];

const SALT: &[u8] = b"a salt, which is public";
const INFOS: [&[u8]; 3] = [b"client", b"", b"what an exporter is for, told at some length"];
const ITERATIONS: u32 = 3;

/// A program that is generic over the hash function.
trait Generic {
    fn run<H: FixedHash>(hash: H, reference: H);
}

impl Family {
    pub fn name(self) -> &'static str {
        match self {
            Self::Sha2 => "SHA-2",
            Self::Sha3 => "SHA-3",
        }
    }

    fn each<P: Generic>(self, engine: &Engine) {
        fn run<P: Generic, H: FixedHash>(engine: &Engine) {
            P::run(H::on(engine), H::on(&Engine::portable()));
        }
        let all: &[fn(&Engine)] = match self {
            Self::Sha2 => &[
                run::<P, Sha224>,
                run::<P, Sha256>,
                run::<P, Sha384>,
                run::<P, Sha512>,
                run::<P, Sha512_224>,
                run::<P, Sha512_256>,
            ],
            Self::Sha3 => &[run::<P, Sha3_224>, run::<P, Sha3_256>, run::<P, Sha3_384>, run::<P, Sha3_512>],
        };
        all.iter().for_each(|run| run(engine));
    }
}

/// Secrets of a few lengths, the last longer than a block of any hash function, twice: marked, and as they are.
fn secrets() -> [Vec<Vec<u8>>; 2] {
    [true, false].map(|marked| {
        let mut counter = Counter { next: 5, marked };
        let mut secrets = [7, 32, 150].map(|len| vec![0; len]);
        secrets.iter_mut().for_each(|secret| counter.give(secret));
        secrets.to_vec()
    })
}

/// What was made of secrets is marked, and is what another backend makes of the same bytes without marks.
fn check(mut made: Vec<u8>, want: &[u8]) {
    assert!(all_secret(&made), "a byte lost its mark");
    ct::reveal(&mut made);
    assert_eq!(made, want);
}

struct Hmac;

impl Generic for Hmac {
    fn run<H: FixedHash>(hash: H, reference: H) {
        let [secrets, known] = secrets();
        let messages: [&[u8]; 3] = [MESSAGE, b"", &[0xa5; 300]];
        let mut want = vec![0; 3 * H::LEN];
        for ((key, message), want) in known.iter().zip(messages).zip(want.chunks_mut(H::LEN)) {
            hmac::mac(reference, key, &[message], want).expect("a whole tag");
        }

        let mut one = vec![0; 3 * H::LEN];
        for ((key, message), tag) in secrets.iter().zip(messages).zip(one.chunks_mut(H::LEN)) {
            let key = HmacKey::new(hash, key);
            key.mac(&[&message[..message.len() / 2], &message[message.len() / 2..]], tag).expect("a whole tag");
            // what a tag is compared with has been sent
            let mut sent = tag.to_vec();
            ct::reveal(&mut sent);
            key.verify(&[message], &sent).expect("the tag is right");
            sent[0] ^= 1;
            assert_eq!(key.verify(&[message], &sent), Err(Error::InvalidTag));
        }
        check(one, &want);

        let slices: Vec<&[u8]> = secrets.iter().map(Vec::as_slice).collect();
        let mut many = vec![0; 3 * H::LEN];
        hmac::mac_many(&HmacKey::many(hash, &slices), &messages, &mut many).expect("a key for every message");
        check(many, &want);
    }
}

struct Hkdf;

impl Generic for Hkdf {
    fn run<H: FixedHash>(hash: H, reference: H) {
        let [secrets, known] = secrets();
        let len = 2 * H::LEN + 3;
        for (secret, known) in secrets.iter().zip(&known) {
            let mut want = vec![0; INFOS.len() * len];
            for (info, want) in INFOS.iter().zip(want.chunks_mut(len)) {
                hkdf::derive(reference, SALT, &[known], &[info], want).expect("three blocks");
            }
            let prk = Prk::extract(hash, SALT, &[&secret[..3], &secret[3..]]);
            let mut one = vec![0; INFOS.len() * len];
            for (info, out) in INFOS.iter().zip(one.chunks_mut(len)) {
                prk.expand(&[info], out).expect("three blocks");
            }
            check(one, &want);
            let mut many = vec![0; INFOS.len() * len];
            hkdf::expand_many(&[prk], &INFOS, &mut many).expect("one key for all");
            check(many, &want);
        }
    }
}

struct Pbkdf2;

impl Generic for Pbkdf2 {
    fn run<H: FixedHash>(hash: H, reference: H) {
        let [secrets, known] = secrets();
        let derive = |hash: H, passwords: &[Vec<u8>]| {
            // more than one block of some
            let mut outs: Vec<Vec<u8>> = passwords.iter().map(|password| vec![0; password.len() + 20]).collect();
            let both = passwords.iter().zip(&mut outs);
            let mut derivations: Vec<_> =
                both.map(|(password, out)| Derivation { password, salt: SALT, out }).collect();
            pbkdf2::derive_many(hash, ITERATIONS, &mut derivations).expect("something is asked for");
            outs.concat()
        };
        check(derive(hash, &secrets), &derive(reference, &known));
    }
}
