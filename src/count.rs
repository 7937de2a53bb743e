//! Counts the hashing that algorithms ask for: calls of each primitive for items, not for idle lanes. Every verb adds
//! its share; without the feature `count` there is nothing to add to.

#[cfg(feature = "count")]
use core::sync::atomic::{AtomicU64, Ordering};

use crate::{
    hash::{Chain, Start},
    lanes::Word,
};

/// Calls of each primitive by all threads of the process.
#[cfg(feature = "count")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Blocks compressed by SHA-256.
    pub sha256: u64,
    /// Blocks compressed by SHA-512.
    pub sha512: u64,
    /// Permutations of `Keccak-f[1600]`.
    pub keccak: u64,
}

#[cfg(feature = "count")]
static CALLS: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];

/// What has been counted since the last time, or since the program began.
#[cfg(feature = "count")]
pub fn take() -> Counts {
    let [sha256, sha512, keccak] = CALLS.each_ref().map(|calls| calls.swap(0, Ordering::Relaxed));
    Counts { sha256, sha512, keccak }
}

/// Adds blocks of the SHA-2 function with words `T`.
#[inline(always)]
pub(crate) fn sha2<T: Word>(blocks: impl FnOnce() -> usize) {
    add(usize::from(T::BYTES == 8), blocks);
}

/// Adds permutations.
#[inline(always)]
pub(crate) fn keccak(permutations: impl FnOnce() -> usize) {
    add(2, permutations);
}

#[inline(always)]
fn add(primitive: usize, calls: impl FnOnce() -> usize) {
    #[cfg(feature = "count")]
    CALLS[primitive].fetch_add(calls() as u64, Ordering::Relaxed);
    #[cfg(not(feature = "count"))]
    let _ = (primitive, calls);
}

/// Hashes along chains: F at each step, and PRF where they start from it.
pub(crate) fn steps<const N: usize>(chains: &[Chain], start: Start<'_, N>) -> usize {
    let prf = u32::from(matches!(start, Start::Prf(_)));
    chains.iter().map(|chain| (chain.steps + prf) as usize).sum()
}
