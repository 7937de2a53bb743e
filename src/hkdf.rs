//! HKDF (RFC 5869) with every SHA-2 and SHA-3 function: extract and expand, one key or many.
//!
//! ```
//! use hashloom::{Engine, hash::Hash, hkdf::{Prk, expand_many}, sha2::Sha256};
//!
//! let prk = Prk::extract(Sha256::on(&Engine::get()), b"salt", &[b"shared secret"]);
//! let mut key = [0; 42];
//! prk.expand(&[b"what it is for"], &mut key)?;
//!
//! let mut keys = [0; 3 * 32];
//! expand_many(&[prk], &[b"client", b"server", b"exporter"], &mut keys)?;
//! # Ok::<(), hashloom::Error>(())
//! ```

use alloc::vec::Vec;
use core::fmt;

use crate::{
    error::Error,
    hash::FixedHash,
    hmac::{self, HmacKey, check_keys, mac_many_by},
    secret::{Wiped, scrubbed, wipe, wipe_stack},
};

/// Largest digest, SHA-512's.
const MAX_DIGEST: usize = 64;
/// Blocks that one expansion can make: they are numbered by a byte (RFC 5869 section 2.3).
const MAX_BLOCKS: usize = 255;

/// The most bytes that one expansion can make: 255 digests (RFC 5869 section 2.3).
pub const fn max_len<H: FixedHash>() -> usize {
    MAX_BLOCKS * H::LEN
}

/// A pseudorandom key, ready to be expanded.
#[derive(Clone)]
pub struct Prk<H: FixedHash>(HmacKey<H>);

impl<H: FixedHash> Prk<H> {
    /// HKDF-Extract (RFC 5869 section 2.2) of input keying material, given in parts. An empty salt stands for HashLen
    /// zeros.
    pub fn extract(hash: H, salt: &[u8], ikm: &[&[u8]]) -> Self {
        let mut this = Self(HmacKey::blank(hash));
        scrubbed(|| {
            let states = this.0.states_mut();
            let mut prk = [0; MAX_DIGEST];
            let prk = &mut prk[..H::LEN];
            hmac::begin(hash, salt, states);
            hmac::tag(hash, states, ikm, prk);
            hmac::begin(hash, prk, states);
            wipe(prk);
        });
        this
    }

    /// A pseudorandom key of at least HashLen bytes.
    ///
    /// # Errors
    /// [`Error::KeyTooShort`] if it is shorter (RFC 5869 section 2.3).
    pub fn from_bytes(hash: H, prk: &[u8]) -> Result<Self, Error> {
        if prk.len() < H::LEN {
            return Err(Error::KeyTooShort { minimum: H::LEN });
        }
        Ok(Self(HmacKey::new(hash, prk)))
    }

    /// HKDF-Expand (RFC 5869 section 2.3): `out.len()` bytes, at most [`max_len`], for the purpose that `info`, given
    /// in parts, names.
    ///
    /// # Errors
    /// [`Error::OutputTooLong`].
    pub fn expand(&self, info: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
        check::<H>(out.len())?;
        scrubbed(|| {
            let mut t = [0; MAX_DIGEST];
            let t = &mut t[..H::LEN];
            let mut hmac = self.0.hmac();
            for (i, chunk) in (1..=u8::MAX).zip(out.chunks_mut(H::LEN)) {
                if i > 1 {
                    hmac.update(t);
                }
                info.iter().for_each(|part| hmac.update(part));
                hmac.update(&[i]);
                hmac.tag(t);
                chunk.copy_from_slice(&t[..chunk.len()]);
            }
            wipe(t);
        });
        Ok(())
    }
}

impl<H: FixedHash> zeroize::ZeroizeOnDrop for Prk<H> {}

impl<H: FixedHash> fmt::Debug for Prk<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HKDF-{} pseudorandom key", H::NAME)
    }
}

/// HKDF-Extract (RFC 5869 section 2.2) into the leading `prk.len()` bytes of the pseudorandom key, which has HashLen.
///
/// # Errors
/// [`Error::OutputTooLong`] if the digest has fewer bytes.
pub fn extract<H: FixedHash>(hash: H, salt: &[u8], ikm: &[&[u8]], prk: &mut [u8]) -> Result<(), Error> {
    hmac::mac(hash, salt, ikm, prk)
}

/// Extract and expand in one (RFC 5869 section 2).
///
/// # Errors
/// [`Error::OutputTooLong`] if more than [`max_len`] bytes are asked for.
pub fn derive<H: FixedHash>(hash: H, salt: &[u8], ikm: &[&[u8]], info: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
    check::<H>(out.len())?;
    Prk::extract(hash, salt, ikm).expand(info, out)
}

/// HKDF-Expand of many keys, side by side, on the engine of the first: under one pseudorandom key, or each under its
/// own. `out` holds `infos.len()` keys of equal length, back to back.
///
/// # Errors
/// [`Error::WrongCount`] if there is neither one pseudorandom key nor one for each info, [`Error::WrongLength`] if `out`
/// is not a multiple of the number of infos, [`Error::OutputTooLong`] if a key is to have more than [`max_len`] bytes.
pub fn expand_many<H: FixedHash>(prks: &[Prk<H>], infos: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
    let len = out.len().checked_div(infos.len()).unwrap_or(0);
    if len * infos.len() != out.len() {
        return Err(Error::WrongLength { expected: len * infos.len(), actual: out.len() });
    }
    check::<H>(len)?;
    check_keys(prks.len(), infos.len())?;
    // T(i - 1) || info || i of every item, back to back
    let lens = infos.iter().map(|info| H::LEN + info.len() + 1);
    let mut text = Wiped::zeroed(lens.clone().sum());
    let mut digests = Wiped::zeroed(infos.len() * H::LEN);
    let mut at = 0;
    for (info, len) in infos.iter().zip(lens.clone()) {
        text[at + H::LEN..at + len - 1].copy_from_slice(info);
        at += len;
    }
    for i in 0..len.div_ceil(H::LEN) {
        let mut at = 0;
        for (len, t) in lens.clone().zip(digests.chunks_exact(H::LEN)) {
            text[at..at + H::LEN].copy_from_slice(t);
            text[at + len - 1] = i as u8 + 1;
            at += len;
        }
        let mut rest = &text[..];
        let msgs: Vec<&[u8]> = lens
            .clone()
            .map(|len| {
                let (msg, after) = rest.split_at(len);
                rest = after;
                // T(0) is empty
                &msg[if i == 0 { H::LEN } else { 0 }..]
            })
            .collect();
        mac_many_by(prks, |prk| &prk.0, &msgs, &mut digests)?;
        for (out, t) in out.chunks_exact_mut(len).zip(digests.chunks_exact(H::LEN)) {
            let chunk = &mut out[i * H::LEN..len.min((i + 1) * H::LEN)];
            chunk.copy_from_slice(&t[..chunk.len()]);
        }
    }
    wipe_stack();
    Ok(())
}

fn check<H: FixedHash>(len: usize) -> Result<(), Error> {
    let limit = max_len::<H>();
    if len > limit { Err(Error::OutputTooLong { limit }) } else { Ok(()) }
}
