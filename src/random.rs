//! Where randomness comes from.

#[cfg(feature = "getrandom")]
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

use crate::error::Error;

/// A source of random bytes: every cryptographic generator of `rand_core` is one.
pub trait Random {
    /// Fills `out`.
    ///
    /// # Errors
    /// [`Error::Randomness`] if the generator fails.
    fn fill(&mut self, out: &mut [u8]) -> Result<(), Error>;
}

impl<R: TryCryptoRng + ?Sized> Random for R {
    fn fill(&mut self, out: &mut [u8]) -> Result<(), Error> {
        self.try_fill_bytes(out).map_err(|_| Error::Randomness)
    }
}

/// Where the randomness of a signature comes from: opt_rand of SLH-DSA (FIPS 205 section 9.2), n bytes, and rnd of ML-DSA
/// (FIPS 204 section 3.4), 32 bytes.
pub enum Randomness<'a> {
    /// Fresh for each signature: the default of the standard, which also hinders fault and side-channel attacks.
    Hedged(&'a mut dyn Random),
    /// PK.seed in SLH-DSA, zeros in ML-DSA: equal messages make equal signatures.
    Deterministic,
    /// The caller's bytes; for a batch, as many for each message. For tests.
    Given(&'a [u8]),
}

#[cfg(feature = "getrandom")]
impl Randomness<'static> {
    /// Hedged, from the operating system.
    pub fn os() -> Self {
        // a generator without fields: nothing is allocated, so nothing leaks
        Self::Hedged(Box::leak(Box::new(getrandom::SysRng)))
    }
}

impl Randomness<'_> {
    /// n bytes for each of `count` signatures, or `None`: what stands for them in deterministic signing.
    pub(crate) fn draw(self, n: usize, count: usize) -> Result<Option<Zeroizing<Vec<u8>>>, Error> {
        let mut bytes = Zeroizing::new(alloc::vec![0; n * count]);
        match self {
            Self::Deterministic => return Ok(None),
            Self::Hedged(rng) => rng.fill(&mut bytes)?,
            Self::Given(given) => {
                check_len(bytes.len(), given)?;
                bytes.copy_from_slice(given);
            }
        }
        Ok(Some(bytes))
    }
}

impl fmt::Debug for Randomness<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hedged(_) => "Hedged",
            Self::Deterministic => "Deterministic",
            Self::Given(_) => "Given",
        })
    }
}

/// Checks the length of an input.
pub(crate) fn check_len(expected: usize, bytes: &[u8]) -> Result<(), Error> {
    if bytes.len() == expected { Ok(()) } else { Err(Error::WrongLength { expected, actual: bytes.len() }) }
}
