//! Pseudorandom sampling (FIPS 204 section 7.3). Every sampler is made of streams first and of polynomials afterwards, so
//! that the streams of several run side by side.
//!
//! A stream is made as long as practically all are needed. One that turns out too short, as one of s1 and s2 does for one
//! key of ML-DSA-65 in 13,000, is made once more, longer.

use alloc::vec::Vec;

use super::{
    functions::{G, H, Stream, stream_many},
    params::{N, Params, SEED, WIDE},
};
use crate::{
    ct,
    engine::Engine,
    hash::Hash,
    ring::{Poly, Ring},
    secret::Wiped,
};

/// Bytes of the streams of A: five blocks of G, of which 10^-40 of the polynomials need a sixth.
const UNIFORM: usize = 5 * G::BLOCK_LEN;
/// Bytes of the streams of s1 and s2: two blocks of H, of which 7 10^-6 of the polynomials with eta = 4 need a third.
const BOUNDED: usize = 2 * H::BLOCK_LEN;

/// A seed of the matrix: rho and two indices.
type UniformSeed = [u8; SEED + 2];
/// Bytes of a seed of a secret polynomial or a mask: rho' or rho'' and a counter.
const WIDE_SEED: usize = WIDE + 2;

/// `ExpandA` (Alg. 32) in progress.
pub(crate) struct Matrix {
    l: usize,
    seeds: Vec<UniformSeed>,
    bytes: Vec<u8>,
}

impl Matrix {
    /// The matrix of rho, rows one after the other.
    pub(crate) fn new(params: &Params, rho: &[u8]) -> Self {
        let seed = |i: usize| {
            let mut seed = [0; SEED + 2];
            seed[..SEED].copy_from_slice(rho);
            (seed[SEED], seed[SEED + 1]) = ((i % params.l) as u8, (i / params.l) as u8);
            seed
        };
        let seeds: Vec<_> = (0..params.k * params.l).map(seed).collect();
        let bytes = alloc::vec![0; seeds.len() * UNIFORM];
        Self { l: params.l, seeds, bytes }
    }

    pub(crate) fn streams(&mut self) -> impl Iterator<Item = Stream<'_>> {
        self.seeds.iter().zip(self.bytes.chunks_exact_mut(UNIFORM)).map(|(seed, out)| G::stream(seed, out))
    }

    /// The polynomials, when the streams have been made, with room for `more` behind each row.
    pub(crate) fn polys(&self, engine: &Engine, ring: Ring, more: usize) -> Vec<Poly> {
        let rows = self.seeds.len() / self.l;
        let mut polys = alloc::vec![Poly::default(); rows * (self.l + more)];
        let places = polys.chunks_exact_mut(self.l + more).flat_map(|row| &mut row[..self.l]);
        for ((poly, seed), bytes) in places.zip(&self.seeds).zip(self.bytes.chunks_exact(UNIFORM)) {
            if ring.reject_uniform(bytes, poly) < N {
                longer(engine, G::stream, seed, UNIFORM, |bytes| ring.reject_uniform(bytes, poly) == N);
            }
        }
        polys
    }
}

/// `ExpandS` (Alg. 33) in progress.
pub(crate) struct Bounded {
    seeds: Wiped<u8>,
    bytes: Wiped<u8>,
}

impl Bounded {
    /// s1 and s2 of rho'.
    pub(crate) fn new(params: &Params, rho_prime: &[u8]) -> Self {
        let count = params.k + params.l;
        Self { seeds: wide_seeds(rho_prime, count, 0..), bytes: Wiped::zeroed(count * BOUNDED) }
    }

    pub(crate) fn streams(&mut self) -> impl Iterator<Item = Stream<'_>> {
        let seeds = self.seeds.chunks_exact(WIDE_SEED);
        seeds.zip(self.bytes.chunks_exact_mut(BOUNDED)).map(|(seed, out)| H::stream(seed, out))
    }

    /// The polynomials, when the streams have been made.
    pub(crate) fn polys(&self, engine: &Engine, ring: Ring, eta: i32) -> Wiped<Poly> {
        let mut polys = Wiped::zeroed(self.bytes.len() / BOUNDED);
        let reject = |bytes: &[u8], poly: &mut Poly| {
            let mut accepted = accepted(eta, bytes);
            // Alg. 31 lines 8 and 12: which half bytes are skipped tells nothing about the values of the others
            ct::public(ct::Value::Accepted, &mut accepted);
            ring.reject_bounded(eta, bytes, &accepted, poly)
        };
        let streams = self.seeds.chunks_exact(WIDE_SEED).zip(self.bytes.chunks_exact(BOUNDED));
        for (poly, (seed, bytes)) in polys.iter_mut().zip(streams) {
            if reject(bytes, poly) < N {
                longer(engine, H::stream, seed, BOUNDED, |bytes| reject(bytes, poly) == N);
            }
        }
        polys
    }
}

/// Which half bytes of a stream `CoeffFromHalfByte` (Alg. 15) makes a coefficient of, one bit for each: below 15 if eta
/// is 2, else below 9.
fn accepted(eta: i32, bytes: &[u8]) -> Vec<u8> {
    let mut accepted = Vec::with_capacity(bytes.len() / 4);
    for eight in bytes.as_chunks().0 {
        let x = u64::from_le_bytes(*eight);
        let refused = (x >> 3) & if eta == 2 { x & (x >> 1) & (x >> 2) } else { x | (x >> 1) | (x >> 2) };
        // the lowest bit of every half byte, moved together
        let mut bits = !refused & 0x1111_1111_1111_1111;
        bits = (bits | (bits >> 3)) & 0x0303_0303_0303_0303;
        bits = (bits | (bits >> 6)) & 0x000f_000f_000f_000f;
        bits = (bits | (bits >> 12)) & 0x0000_00ff_0000_00ff;
        bits |= bits >> 24;
        accepted.extend_from_slice(&(bits as u16).to_le_bytes());
    }
    accepted
}

/// rho' or rho'' and each of the numbers, as two bytes.
fn wide_seeds(secret: &[u8], count: usize, numbers: impl Iterator<Item = usize>) -> Wiped<u8> {
    let mut seeds = Wiped::zeroed(count * WIDE_SEED);
    for (seed, number) in seeds.chunks_exact_mut(WIDE_SEED).zip(numbers) {
        let (start, end) = seed.split_at_mut(WIDE);
        start.copy_from_slice(secret);
        let number = u16::try_from(number).expect("nobody needs ten thousand attempts");
        end.copy_from_slice(&number.to_le_bytes());
    }
    seeds
}

/// The masks of one message (`ExpandMask`, Alg. 34), packed, in the order of their counters. They may be made before it
/// is known whether they are needed.
pub(crate) struct Masks {
    /// The counter of the next one.
    kappa: usize,
    /// Of those to be made.
    seeds: Wiped<u8>,
    /// Those that are left, then those to be made.
    bytes: Wiped<u8>,
    /// Bytes of one.
    len: usize,
    /// How many of them have been taken.
    taken: usize,
}

impl Masks {
    /// None so far.
    pub(crate) fn new(params: &Params) -> Self {
        Self { kappa: 0, seeds: Wiped::zeroed(0), bytes: Wiped::zeroed(0), len: params.z_bytes(), taken: 0 }
    }

    /// How many are left to be taken.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len() / self.len - self.taken
    }

    /// Prepares `more` of rho''; [`Masks::streams`] makes them.
    pub(crate) fn prepare(&mut self, rho_double_prime: &[u8], more: usize) {
        let left = &self.bytes[self.taken * self.len..];
        let mut bytes = Wiped::zeroed(left.len() + more * self.len);
        bytes[..left.len()].copy_from_slice(left);
        self.seeds = wide_seeds(rho_double_prime, more, self.kappa..);
        (self.bytes, self.taken) = (bytes, 0);
        self.kappa += more;
    }

    pub(crate) fn streams(&mut self) -> impl Iterator<Item = Stream<'_>> {
        let seeds = self.seeds.chunks_exact(WIDE_SEED);
        let made = self.bytes.len() - seeds.len() * self.len;
        seeds.zip(self.bytes[made..].chunks_exact_mut(self.len)).map(|(seed, out)| H::stream(seed, out))
    }

    /// The next `count`.
    pub(crate) fn take(&mut self, count: usize) -> impl Iterator<Item = &[u8]> {
        let first = self.taken;
        self.taken += count;
        self.bytes.chunks_exact(self.len).skip(first).take(count)
    }
}

/// Bytes of the stream of c: one block, of which practically no c needs all.
pub(crate) const BALL: usize = H::BLOCK_LEN;

/// `SampleInBall` (Alg. 29) of the leading bytes of the stream of c~. c~ is public: of a signature because it is part of
/// it, of a rejected attempt as a hash value that nobody sees and that is independent of the next attempt's.
pub(crate) fn in_ball(params: &Params, engine: &Engine, c_tilde: &[u8], bytes: &[u8; BALL], c: &mut Poly) {
    if !try_in_ball(params, bytes, c) {
        longer(engine, H::stream, c_tilde, BALL, |bytes| try_in_ball(params, bytes, c));
    }
}

/// Whether the bytes suffice.
fn try_in_ball(params: &Params, bytes: &[u8], c: &mut Poly) -> bool {
    let Some((signs, bytes)) = bytes.split_first_chunk() else { return false };
    let mut signs = u64::from_le_bytes(*signs);
    let mut bytes = bytes.iter().map(|&byte| usize::from(byte));
    c.0 = [0; N];
    for i in N - params.tau..N {
        let Some(j) = bytes.find(|&j| j <= i) else { return false };
        c.0[i] = c.0[j];
        c.0[j] = 1 - 2 * (signs & 1) as i32;
        signs >>= 1;
    }
    true
}

/// Makes a stream again, longer each time, until it is long enough.
fn longer(
    engine: &Engine,
    stream: for<'a> fn(&'a [u8], &'a mut [u8]) -> Stream<'a>,
    seed: &[u8],
    mut len: usize,
    mut enough: impl FnMut(&[u8]) -> bool,
) {
    loop {
        len *= 2;
        let mut bytes = Wiped::zeroed(len);
        stream_many(engine, &mut [stream(seed, &mut bytes)]);
        if enough(&bytes) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_bytes_are_accepted_as_the_standard_says() {
        for (eta, limit) in [(2, 15), (4, 9)] {
            for byte in 0..=u8::MAX {
                for place in 0..16 {
                    let mut bytes = [0; 16];
                    bytes[place] = byte;
                    let mut want = [0xff; 4];
                    for (i, half) in [byte & 15, byte >> 4].into_iter().enumerate() {
                        want[place / 4] &= !(u8::from(half >= limit) << (place % 4 * 2 + i));
                    }
                    assert_eq!(accepted(eta, &bytes), want, "eta {eta}, {byte:02x} at {place}");
                }
            }
        }
    }
}
