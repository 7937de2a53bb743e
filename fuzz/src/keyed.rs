//! HMAC, HKDF and PBKDF2 on every backend, one at a time and many: what other crates make.

use digest::{KeyInit, Mac};
use hashloom::{
    Engine, Error,
    hash::FixedHash,
    hkdf,
    hmac::{self, Hmac, HmacKey},
    keccak, pbkdf2,
    pbkdf2::Derivation,
    sha2,
};
use oracle_hkdf::SimpleHkdf;
use oracle_hmac::SimpleHmac;
use seeds::Reader;

use crate::common::{engines, stretched};

/// Keys, messages and salts are shorter.
const LONGEST: usize = 400;
/// Items of one call.
const MANY: usize = 40;

/// Another crate's functions.
struct Oracle {
    hmac: fn(&[u8], &[u8]) -> Vec<u8>,
    hkdf: fn(&[u8], &[u8], &[u8], &mut [u8]) -> bool,
    pbkdf2: fn(&[u8], &[u8], u32, &mut [u8]),
}

fn tag<M: Mac + KeyInit>(key: &[u8], msg: &[u8]) -> Vec<u8> {
    <M as KeyInit>::new_from_slice(key).expect("a key of any length").chain_update(msg).finalize().into_bytes().to_vec()
}

macro_rules! check {
    ($what:ident, $input:expr, $ours:ty, $theirs:ty) => {{
        let oracle = Oracle {
            hmac: tag::<SimpleHmac<$theirs>>,
            hkdf: |salt, ikm, info, out| SimpleHkdf::<$theirs>::new(Some(salt), ikm).expand(info, out).is_ok(),
            pbkdf2: |password, salt, iterations, out| {
                oracle_pbkdf2::pbkdf2::<SimpleHmac<$theirs>>(password, salt, iterations, out).expect("any length");
            },
        };
        $what::<$ours>(&oracle, $input)
    }};
}

macro_rules! with_function {
    ($number:expr, $what:ident, $input:expr) => {
        match $number {
            0 => check!($what, $input, sha2::Sha224, oracle_sha2::Sha224),
            1 => check!($what, $input, sha2::Sha256, oracle_sha2::Sha256),
            2 => check!($what, $input, sha2::Sha384, oracle_sha2::Sha384),
            3 => check!($what, $input, sha2::Sha512, oracle_sha2::Sha512),
            4 => check!($what, $input, sha2::Sha512_224, oracle_sha2::Sha512_224),
            5 => check!($what, $input, sha2::Sha512_256, oracle_sha2::Sha512_256),
            6 => check!($what, $input, keccak::Sha3_224, oracle_sha3::Sha3_224),
            7 => check!($what, $input, keccak::Sha3_256, oracle_sha3::Sha3_256),
            8 => check!($what, $input, keccak::Sha3_384, oracle_sha3::Sha3_384),
            _ => check!($what, $input, keccak::Sha3_512, oracle_sha3::Sha3_512),
        }
    };
}

/// Input: operation, function, number of items, for each the lengths and places of its two inputs, then their bytes.
pub fn run(data: &[u8]) {
    let mut input = Reader::new(data);
    let (operation, function) = (input.below(3), input.below(10));
    match operation {
        0 => with_function!(function, macs, &mut input),
        1 => with_function!(function, expansions, &mut input),
        _ => with_function!(function, derivations, &mut input),
    }
}

/// Pairs of inputs, cut out of the same bytes.
struct Items {
    bytes: Vec<u8>,
    places: Vec<[(usize, usize); 2]>,
}

impl Items {
    fn read(input: &mut Reader<'_>) -> Self {
        let mut place = |input: &mut Reader<'_>| (input.below(LONGEST), input.below(256));
        let places = (0..input.below(MANY)).map(|_| [place(input), place(input)]).collect();
        Self { bytes: stretched(input.rest(), LONGEST + 256), places }
    }

    fn all(&self, which: usize) -> Vec<&[u8]> {
        self.places.iter().map(|places| places[which]).map(|(len, at)| &self.bytes[at..at + len]).collect()
    }
}

fn each(mut test: impl FnMut(&Engine)) {
    engines().iter().for_each(&mut test);
}

fn macs<H: FixedHash>(oracle: &Oracle, input: &mut Reader<'_>) {
    let (len, cut, spoilt) = (1 + input.below(H::LEN), input.below(LONGEST), input.byte());
    let items = Items::read(input);
    let (keys, messages) = (items.all(0), items.all(1));
    let want: Vec<Vec<u8>> = keys.iter().zip(&messages).map(|(key, message)| (oracle.hmac)(key, message)).collect();
    each(|engine| {
        let hash = H::on(engine);
        let own = HmacKey::many(hash, &keys);
        let mut tags = vec![0xa5; len * keys.len()];
        hmac::mac_many(&own, &messages, &mut tags).expect("a key for each message");
        for (tag, want) in tags.chunks_exact(len).zip(&want) {
            assert_eq!(tag, &want[..len], "{} on {engine}", H::NAME);
        }
        let (Some(key), Some(message), Some(want)) = (keys.first(), messages.first(), want.first()) else { return };
        let (one, two) = message.split_at(cut.min(message.len()));
        let mut whole = vec![0; H::LEN];
        hmac::mac(hash, key, &[one, two], &mut whole).expect("the digest's length");
        assert_eq!(whole, *want);
        let mut hmac = Hmac::new(hash, key);
        hmac.update(one);
        hmac.update(two);
        let accepted = hmac.verify(&want[..len]);
        let minimum = hmac::min_tag_len::<H>();
        assert_eq!(accepted, if len < minimum { Err(Error::TagTooShort { minimum }) } else { Ok(()) });
        whole[usize::from(spoilt) % H::LEN] ^= 1 << (spoilt % 8);
        assert_eq!(hmac::verify(hash, key, &[message], &whole), Err(Error::InvalidTag));
    });
}

fn expansions<H: FixedHash>(oracle: &Oracle, input: &mut Reader<'_>) {
    let len = input.below(256 * H::LEN);
    let items = Items::read(input);
    let (inputs, infos) = (items.all(0), items.all(1));
    let Some(salt) = infos.first() else { return };
    let want: Vec<Option<Vec<u8>>> = inputs
        .iter()
        .zip(&infos)
        .map(|(ikm, info)| {
            let mut out = vec![0; len];
            (oracle.hkdf)(salt, ikm, info, &mut out).then_some(out)
        })
        .collect();
    each(|engine| {
        let hash = H::on(engine);
        let prks: Vec<_> = inputs.iter().map(|ikm| hkdf::Prk::extract(hash, salt, &[ikm])).collect();
        let mut out = vec![0xa5; len * prks.len()];
        let made = hkdf::expand_many(&prks, &infos, &mut out);
        assert_eq!(made.is_ok(), want.iter().all(Option::is_some), "{len} bytes");
        for (i, want) in want.iter().enumerate() {
            match want {
                Some(want) => assert_eq!(out[i * len..(i + 1) * len], want[..], "{} on {engine}", H::NAME),
                None => assert!(out.iter().all(|&byte| byte == 0xa5 || byte == 0)),
            }
        }
        let mut one = vec![0; len];
        let made = hkdf::derive(hash, salt, &[inputs[0]], &[infos[0]], &mut one);
        assert_eq!(made.ok().map(|()| one), want[0]);
    });
}

fn derivations<H: FixedHash>(oracle: &Oracle, input: &mut Reader<'_>) {
    let (iterations, len, stride) = (1 + input.below(20) as u32, 1 + input.below(200), input.below(50));
    let items = Items::read(input);
    let (passwords, salts) = (items.all(0), items.all(1));
    let lengths: Vec<usize> = (0..passwords.len()).map(|i| 1 + (len + i * stride) % 200).collect();
    let want: Vec<Vec<u8>> = (0..passwords.len())
        .map(|i| {
            let mut out = vec![0; lengths[i]];
            (oracle.pbkdf2)(passwords[i], salts[i], iterations, &mut out);
            out
        })
        .collect();
    each(|engine| {
        let hash = H::on(engine);
        let mut outs: Vec<Vec<u8>> = lengths.iter().map(|&len| vec![0xa5; len]).collect();
        let mut batch: Vec<_> = passwords
            .iter()
            .zip(&salts)
            .zip(&mut outs)
            .map(|((password, salt), out)| Derivation { password, salt, out })
            .collect();
        pbkdf2::derive_many(hash, iterations, &mut batch).expect("something to derive");
        assert_eq!(outs, want, "{} on {engine}", H::NAME);
        if let Some(want) = want.first() {
            let mut out = vec![0; lengths[0]];
            pbkdf2::derive(hash, passwords[0], salts[0], iterations, &mut out).expect("something to derive");
            assert_eq!(out, *want);
        }
    });
}
