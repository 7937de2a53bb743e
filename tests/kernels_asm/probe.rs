//! Instantiates what the library itself leaves generic, the hash functions, so that their jobs exist as code too.

use hashloom::{
    Engine,
    hash::{Hash, Incremental},
    keccak::{Sha3_256, Shake256},
    sha2::{Sha256, Sha512},
};

/// One message and many.
pub fn hash<H: Hash>(engine: &Engine, msgs: &[&[u8]], out: &mut [u8]) {
    let h = H::on(engine);
    let mut hasher = h.hasher();
    for msg in msgs {
        hasher.update(msg);
    }
    hasher.finish(out);
    let _ = h.hash_many(msgs, out);
}

/// Names the instances.
pub static HASHES: [fn(&Engine, &[&[u8]], &mut [u8]); 4] =
    [hash::<Sha256>, hash::<Sha512>, hash::<Sha3_256>, hash::<Shake256>];
