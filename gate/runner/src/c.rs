//! The C rivals. Calls into C are the only `unsafe` code: every buffer has the length that the parameter set defines.

use std::{cell::Cell, hint::black_box};

use pqcrypto_internals::PQCRYPTO_RUST_randombytes;

pub use self::{
    ml_dsa::MlDsa,
    slh_dsa::{SlhdsaC, Sphincs},
};
use crate::contender::{Outcome, now};

mod ml_dsa;
mod slh_dsa;

/// Bytes of the longest draw.
const MAX_RANDOM: usize = 32;

thread_local! {
    /// What PQClean's generator gives next.
    static RANDOM: Cell<[u8; MAX_RANDOM]> = const { Cell::new([0; MAX_RANDOM]) };
}

/// The getrandom crate's custom backend, which the driver selects: PQClean has the same randomness as the others, and
/// so makes the same R in SLH-DSA, the same keys in ML-DSA, and as many attempts at a signature.
///
/// # Safety
/// `dest` must be valid for writes of `len` bytes.
#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(dest: *mut u8, len: usize) -> Result<(), getrandom::Error> {
    if len > MAX_RANDOM {
        return Err(getrandom::Error::UNSUPPORTED);
    }
    // SAFETY: the caller promises `len` writable bytes, and there are as many to read.
    unsafe { dest.copy_from_nonoverlapping(RANDOM.get().as_ptr(), len) };
    Ok(())
}

/// Nanoseconds that PQClean spends when it draws `len` bytes in this build: the mean of many draws, because one is
/// shorter than a look at the clock.
pub fn randomness_nanos(len: usize) -> u64 {
    const DRAWS: u64 = 10_000;
    let mut bytes = [0; MAX_RANDOM];
    let start = now();
    for _ in 0..DRAWS {
        // SAFETY: the slice holds `len` bytes.
        unsafe { PQCRYPTO_RUST_randombytes(bytes[..len].as_mut_ptr(), len) };
        black_box(&mut bytes);
    }
    (now() - start) / DRAWS
}

/// What PQClean draws next.
fn prepare(random: &[u8]) {
    let mut next = [0; MAX_RANDOM];
    next[..random.len()].copy_from_slice(random);
    RANDOM.set(next);
}

fn check(ok: bool, what: &'static str) -> Outcome<()> {
    if ok { Ok(()) } else { Err(what.into()) }
}
