//! MGF1 (RFC 8017 appendix B.2.1), as SLH-DSA's SHA2 sets use it.

use crate::hash::{FixedHash, Incremental};

/// `out` from the hashes of `seed || counter`.
pub(crate) fn mgf1<H: FixedHash>(hash: H, seed: &[&[u8]], out: &mut [u8]) {
    for (counter, chunk) in (0u32..).zip(out.chunks_mut(H::LEN)) {
        let mut hasher = hash.hasher();
        seed.iter().for_each(|part| hasher.update(part));
        hasher.update(&counter.to_be_bytes());
        hasher.finish(chunk);
    }
}
