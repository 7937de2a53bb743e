//! PBKDF2 (RFC 8018 section 5.2) with HMAC over every SHA-2 and SHA-3 function: one password or many.
//!
//! The blocks of one long output and the blocks of many derivations are the same to the engine: independent items that
//! fill its lanes. With SHA-2 each stays in registers over its iterations, at two blocks of the hash per iteration. With
//! the feature `rayon` what exceeds the lanes goes to the threads of the current pool. Memory does not grow with the
//! number of derivations, nor with what they ask for.
//!
//! ```
//! use hashloom::{Engine, hash::Hash, pbkdf2::{self, Derivation}, sha2::Sha256};
//!
//! let hash = Sha256::on(&Engine::get());
//! let mut key = [0; 32];
//! pbkdf2::derive(hash, b"password", b"salt", 1000, &mut key)?;
//!
//! let (mut one, mut two) = ([0; 32], [0; 48]);
//! let mut derivations = [
//!     Derivation { password: b"password", salt: b"salt", out: &mut one },
//!     Derivation { password: b"another", salt: b"its salt", out: &mut two },
//! ];
//! pbkdf2::derive_many(hash, 1000, &mut derivations)?;
//! assert_eq!(one, key);
//! # Ok::<(), hashloom::Error>(())
//! ```

use alloc::vec::Vec;
use core::{fmt, ops::ControlFlow};

use crate::{
    error::Error,
    hash::FixedHash,
    hmac,
    secret::{Wiped, wipe, wipe_stack},
    threads,
};

/// Iterations between two reports of progress: some milliseconds.
const BURST: u32 = 1 << 14;

/// What is derived, and where it goes.
pub struct Derivation<'a> {
    /// The password, of any length.
    pub password: &'a [u8],
    /// The salt, of any length.
    pub salt: &'a [u8],
    /// The derived key: at least one byte, at most [`max_len`].
    pub out: &'a mut [u8],
}

impl fmt::Debug for Derivation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Derivation({} bytes)", self.out.len())
    }
}

/// How far a computation is, in iterations of all blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is done. Never less than it was before.
    pub completed: u64,
    /// What there is to do.
    pub total: u64,
}

/// The most bytes that can be derived, 2^32 - 1 digests (RFC 8018 section 5.2 step 1), as far as memory could hold them.
pub const fn max_len<H: FixedHash>() -> usize {
    H::LEN.saturating_mul(u32::MAX as usize)
}

/// Derives `out.len()` bytes, at most [`max_len`], from a password.
///
/// # Errors
/// [`Error::NothingToDerive`] if there are no iterations or no bytes, [`Error::OutputTooLong`].
pub fn derive<H: FixedHash>(
    hash: H,
    password: &[u8],
    salt: &[u8],
    iterations: u32,
    out: &mut [u8],
) -> Result<(), Error> {
    derive_many(hash, iterations, &mut [Derivation { password, salt, out }])
}

/// Derives from many passwords with the same number of iterations, side by side; outputs may have different lengths.
///
/// # Errors
/// As [`derive()`], if any of the derivations is at fault; then nothing is derived.
pub fn derive_many<H: FixedHash>(hash: H, iterations: u32, derivations: &mut [Derivation<'_>]) -> Result<(), Error> {
    derive_many_with(hash, iterations, derivations, &mut |_| ControlFlow::Continue(()))
}

/// As [`derive_many`], telling `progress` how far it is every few milliseconds, on the calling thread, and stopping if
/// that says so.
///
/// # Errors
/// As [`derive_many`], and [`Error::Cancelled`] if `progress` stopped it; then the outputs are zeros.
pub fn derive_many_with<H: FixedHash>(
    hash: H,
    iterations: u32,
    derivations: &mut [Derivation<'_>],
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<(), Error> {
    derivations.iter().try_for_each(|derivation| check::<H>(iterations, derivation.out.len()))?;
    let result = in_waves(hash, iterations, derivations, progress);
    wipe_stack();
    if result.is_err() {
        derivations.iter_mut().for_each(|derivation| wipe(derivation.out));
    }
    result
}

fn check<H: FixedHash>(iterations: u32, len: usize) -> Result<(), Error> {
    let limit = max_len::<H>();
    match (iterations, len) {
        (0, _) | (_, 0) => Err(Error::NothingToDerive),
        _ if len > limit => Err(Error::OutputTooLong { limit }),
        _ => Ok(()),
    }
}

/// As many blocks at a time as threads have lanes for.
#[inline(never)]
fn in_waves<H: FixedHash>(
    hash: H,
    iterations: u32,
    derivations: &mut [Derivation<'_>],
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<(), Error> {
    let group = hash.choice().wide.1;
    let blocks: u64 = derivations.iter().map(|derivation| derivation.out.len().div_ceil(H::LEN) as u64).sum();
    let total = blocks.saturating_mul(iterations.into());
    let mut completed = 0;
    let mut next = Block { item: 0, number: 1 };
    let mut key = Key { item: None, states: Wiped::zeroed(1) };
    loop {
        let mut wave = Vec::new();
        while wave.len() < group * threads::count() && next.item < derivations.len() {
            wave.push(next);
            next = next.after(derivations[next.item].out.len().div_ceil(H::LEN));
        }
        if wave.is_empty() {
            return Ok(());
        }
        let mut pieces = Vec::new();
        for blocks in wave.chunks(group) {
            pieces.push(Piece::begin(hash, derivations, blocks, &mut key));
        }
        let mut left = iterations;
        while left > 0 {
            let burst = left.min(BURST);
            // the first iteration is what a piece begins with
            let steps = burst - u32::from(left == iterations);
            threads::for_each(pieces.iter_mut().collect(), |piece| piece.advance(hash, steps));
            left -= burst;
            completed += wave.len() as u64 * u64::from(burst);
            if progress(Progress { completed, total }).is_break() {
                return Err(Error::Cancelled);
            }
        }
        for (piece, blocks) in pieces.iter().zip(wave.chunks(group)) {
            for (block, digest) in blocks.iter().zip(piece.sum.chunks_exact(H::LEN)) {
                let out = derivations[block.item].out.chunks_mut(H::LEN).nth(block.number as usize - 1);
                out.into_iter().for_each(|out| out.copy_from_slice(&digest[..out.len()]));
            }
        }
    }
}

/// T_i of RFC 8018 section 5.2 step 3: which derivation it belongs to, and i, from 1.
#[derive(Clone, Copy)]
struct Block {
    item: usize,
    number: u32,
}

impl Block {
    /// The block that follows, where this one's derivation has `count`.
    fn after(self, count: usize) -> Self {
        if (self.number as usize) < count {
            Self { number: self.number + 1, ..self }
        } else {
            Self { item: self.item + 1, number: 1 }
        }
    }
}

/// The password of a derivation as HMAC's key: once for all of its blocks, however many, since it may be long.
struct Key<H: FixedHash> {
    item: Option<usize>,
    states: Wiped<[H::State; 2]>,
}

/// Blocks that run side by side: keys, U and the sums of all U.
struct Piece<H: FixedHash> {
    keys: Wiped<[H::State; 2]>,
    u: Wiped<u8>,
    sum: Wiped<u8>,
}

impl<H: FixedHash> Piece<H> {
    /// The first iteration: U_1 = PRF(P, S || INT(i)).
    fn begin(hash: H, derivations: &[Derivation<'_>], blocks: &[Block], key: &mut Key<H>) -> Self {
        let mut piece = Self {
            keys: Wiped::zeroed(blocks.len()),
            u: Wiped::zeroed(blocks.len() * H::LEN),
            sum: Wiped::zeroed(blocks.len() * H::LEN),
        };
        for (i, (block, u)) in blocks.iter().zip(piece.u.chunks_exact_mut(H::LEN)).enumerate() {
            let Derivation { password, salt, .. } = &derivations[block.item];
            if key.item != Some(block.item) {
                hmac::begin(hash, password, &mut key.states[0]);
                key.item = Some(block.item);
            }
            piece.keys[i] = key.states[0];
            hmac::tag(hash, &piece.keys[i], &[salt, &block.number.to_be_bytes()], u);
        }
        piece.sum.copy_from_slice(&piece.u);
        piece
    }

    fn advance(&mut self, hash: H, count: u32) {
        hash.iterate_many(&self.keys, count, &mut self.u, &mut self.sum);
    }
}
