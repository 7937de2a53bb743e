//! The hash functions of `mac` and `kdf`, by their names.

use std::io::{self, ErrorKind, Read};

use hashloom::{
    Engine,
    hash::FixedHash,
    hkdf,
    hmac::{self, HmacKey},
    keccak::{Sha3_224, Sha3_256, Sha3_384, Sha3_512},
    pbkdf2::{self, Derivation},
    sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256},
};

use super::hash::is_name_of;
use crate::{args::Named, secrets::Watch};

const PIECE: usize = 64 << 10;

/// A hash function and what is built of it.
pub struct Keyed {
    /// The function's name.
    pub name: &'static str,
    /// Bytes of its digest.
    pub len: usize,
    /// Bytes that a tag must at least have to be accepted.
    pub min_tag: usize,
    /// Tags of many messages.
    pub mac_many: MacMany,
    /// The tag of one that is read.
    pub mac_stream: MacStream,
    /// Extract, and expand with many infos.
    pub hkdf: Hkdf,
    /// PBKDF2 of many passwords.
    pub pbkdf2: Pbkdf2,
}

/// Key, messages, tags.
type MacMany = fn(&Engine, &[u8], &[&[u8]], &mut [u8]) -> Result<(), hashloom::Error>;
/// Key, message, tag.
type MacStream = fn(&Engine, &[u8], &mut dyn Read, &mut [u8]) -> io::Result<()>;
/// Salt, input keying material, infos, keys.
type Hkdf = fn(&Engine, &[u8], &[u8], &[&[u8]], &mut [u8]) -> Result<(), hashloom::Error>;
/// Iterations, what to derive, progress.
type Pbkdf2 = fn(&Engine, u32, &mut [Derivation<'_>], Watch<'_>) -> Result<(), hashloom::Error>;

static FUNCTIONS: [Keyed; 10] = [
    keyed::<Sha224>(),
    keyed::<Sha256>(),
    keyed::<Sha384>(),
    keyed::<Sha512>(),
    keyed::<Sha512_224>(),
    keyed::<Sha512_256>(),
    keyed::<Sha3_224>(),
    keyed::<Sha3_256>(),
    keyed::<Sha3_384>(),
    keyed::<Sha3_512>(),
];

const fn keyed<H: FixedHash>() -> Keyed {
    Keyed {
        name: H::NAME,
        len: H::LEN,
        min_tag: hmac::min_tag_len::<H>(),
        mac_many: |engine, key, messages, out| hmac::mac_many(&[HmacKey::new(H::on(engine), key)], messages, out),
        mac_stream: |engine, key, reader, out| {
            let mut hmac = hmac::Hmac::new(H::on(engine), key);
            let mut piece = vec![0; PIECE];
            loop {
                match reader.read(&mut piece) {
                    Ok(0) => break,
                    Ok(read) => hmac.update(&piece[..read]),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            hmac.finish(out).map_err(io::Error::other)
        },
        hkdf: |engine, salt, input, infos, out| {
            hkdf::expand_many(&[hkdf::Prk::extract(H::on(engine), salt, &[input])], infos, out)
        },
        pbkdf2: |engine, iterations, derivations, watch| {
            pbkdf2::derive_many_with(H::on(engine), iterations, derivations, watch)
        },
    }
}

fn names() -> Vec<&'static str> {
    FUNCTIONS.iter().map(|function| function.name).collect()
}

fn find(name: &str) -> Option<&'static Keyed> {
    FUNCTIONS.iter().find(|function| is_name_of(name, function.name))
}

/// Reads a function's name.
pub const fn parser() -> Named<&'static Keyed> {
    Named::new(names, find)
}
