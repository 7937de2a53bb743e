//! What is timed.

use std::{error::Error, hint::black_box};

use rustix::time::{ClockId, clock_gettime};

/// A result, or why nothing can be measured.
pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// An implementation of one parameter set, which has the inputs of every turn. Every operation ends in a word that
/// depends on its result.
pub trait Contender {
    /// Makes the keys of a turn's seeds and keeps the last.
    fn keygen(&mut self, at: usize) -> Outcome<u64>;
    /// Signs the messages of a turn by that key and keeps the signatures.
    fn sign(&mut self, at: usize) -> Outcome<u64>;
    /// Verifies the signatures of a turn.
    fn verify(&mut self, at: usize) -> Outcome<u64>;
    /// The public key.
    fn public(&self) -> &[u8];
    /// The signatures of a turn, one after the other; not valid ones before `sign`.
    fn signatures(&self, at: usize) -> &[u8];
}

/// A word that depends on a result, which as a whole is taken for used.
pub fn fold(bytes: &[u8]) -> u64 {
    let word = |part: Option<&[u8; 8]>| part.map_or(0, |part| u64::from_le_bytes(*part));
    let bytes = black_box(bytes);
    word(bytes.first_chunk()) ^ word(bytes.last_chunk())
}

/// Nanoseconds that this process has had of a CPU. Unlike the time of day it stands still while other programs run, and
/// it counts all threads, so that nobody gains by starting one.
pub fn now() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    u64::try_from(time.tv_sec * 1_000_000_000 + time.tv_nsec).unwrap_or_default()
}
