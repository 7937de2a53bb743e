//! HMAC (FIPS 198-1, RFC 2104) and MGF1 (RFC 8017 appendix B.2.1), as SLH-DSA's SHA2 sets use them.

use crate::hash::{Hash, Incremental};
use crate::secret::wipe;

/// Largest block of the hashes that HMAC is used with, SHA-512's.
const MAX_BLOCK: usize = 128;

/// HMAC in progress.
pub(crate) struct Hmac<H: Hash> {
    inner: H::Hasher,
    outer: H::Hasher,
}

impl<H: Hash> Hmac<H> {
    /// `key` is at most one block.
    pub(crate) fn new(hash: H, key: &[u8]) -> Self {
        let mut pad = [0; MAX_BLOCK];
        pad[..key.len()].copy_from_slice(key);
        // keyed where they will stay: a keyed hasher that is moved leaves its state behind
        let mut hmac = Self { inner: hash.hasher(), outer: hash.hasher() };
        pad.iter_mut().for_each(|byte| *byte ^= 0x36);
        hmac.inner.update(&pad[..H::BLOCK_LEN]);
        pad.iter_mut().for_each(|byte| *byte ^= 0x36 ^ 0x5c);
        hmac.outer.update(&pad[..H::BLOCK_LEN]);
        wipe(&mut pad);
        hmac
    }

    pub(crate) fn update(&mut self, data: &[u8]) {
        self.inner.update(data);
    }

    /// The leading `out.len()` bytes of the tag.
    pub(crate) fn finish(mut self, out: &mut [u8]) {
        let mut digest = [0; MAX_BLOCK];
        let len = H::DIGEST_LEN.unwrap_or(H::BLOCK_LEN);
        self.inner.finish(&mut digest[..len]);
        self.outer.update(&digest[..len]);
        self.outer.finish(out);
        wipe(&mut digest);
    }
}

/// MGF1: `out` from the hashes of `seed || counter`.
pub(crate) fn mgf1<H: Hash>(hash: H, seed: &[&[u8]], out: &mut [u8]) {
    let len = H::DIGEST_LEN.unwrap_or(H::BLOCK_LEN);
    for (counter, chunk) in (0u32..).zip(out.chunks_mut(len)) {
        let mut hasher = hash.hasher();
        seed.iter().for_each(|part| hasher.update(part));
        hasher.update(&counter.to_be_bytes());
        hasher.finish(chunk);
    }
}
