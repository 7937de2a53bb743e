//! Polynomials packed and unpacked with AVX2 (FIPS 204 section 7.1), eight coefficients at a time.

#[allow(clippy::wildcard_imports)]
use core::arch::x86_64::*;

use super::Avx2;
use crate::{
    lanes::{Ops, Poly},
    portable::{
        ring::{self as text, by_bits},
        transform::RingOps,
    },
};

/// The token in functions that only its holder can reach.
const AVX2: Avx2 = Avx2::held();

/// A register of bytes.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn bytes32(bytes: &[u8; 32]) -> __m256i {
    Ops::<u32, 8>::load_le(AVX2, bytes)
}

/// Where eight coefficients of `BITS` bits lie in as many bytes. A half register has four of them.
struct Places<const BITS: usize>;

impl<const BITS: usize> Places<BITS> {
    /// The byte in which the upper four begin.
    const HALF: usize = BITS / 2;
    /// Whether all eight fit a half register.
    const JOINED: bool = BITS <= 16;

    /// For each coefficient the four bytes that it lies in, counted in its half; and the bits before it there.
    const SPREAD: ([u8; 32], [i32; 8]) = {
        let (mut bytes, mut shifts) = ([0; 32], [0; 8]);
        let mut i = 0;
        while i < 8 {
            let bit = i * BITS - i / 4 * 8 * Self::HALF;
            let mut j = 0;
            while j < 4 {
                bytes[4 * i + j] = (bit / 8 + j) as u8;
                j += 1;
            }
            shifts[i] = (bit % 8) as u8 as i32;
            i += 1;
        }
        (bytes, shifts)
    };

    /// Where pair `i` of coefficients begins, in bits, counted in what is stored at once.
    const fn pair(i: usize) -> usize {
        2 * BITS * i - if Self::JOINED { 0 } else { i / 2 * 4 * BITS }
    }

    /// For each pair, side by side above `32 - BITS` bits, what to drop of these so that it starts at the right bit of
    /// a byte.
    const ALIGN: [u64; 4] = {
        let mut counts = [0; 4];
        let mut i = 0;
        while i < 4 {
            counts[i] = (32 - BITS - Self::pair(i) % 8) as u64;
            i += 1;
        }
        counts
    };

    /// The shuffle that brings the bytes of each half's first pair to their places, or those of its second.
    const fn gather(second: usize) -> [u8; 32] {
        let mut shuffle = [0x80; 32];
        let mut half = 0;
        while half < 2 {
            let bit = Self::pair(2 * half + second);
            let mut byte = 0;
            while byte < (bit % 8 + 2 * BITS).div_ceil(8) {
                shuffle[16 * half + bit / 8 + byte] = (8 * second + byte) as u8;
                byte += 1;
            }
            half += 1;
        }
        shuffle
    }
    const FIRST: [u8; 32] = Self::gather(0);
    const SECOND: [u8; 32] = Self::gather(1);
}

/// `SimpleBitUnpack` (Alg. 18) and `BitUnpack` (Alg. 19); the last groups, behind which 16 bytes cannot be read, by the
/// portable text.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) fn unpack(bytes: &[u8], bits: u32, offset: Option<i32>, p: &mut Poly) {
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    fn unpack<const BITS: usize>(bytes: &[u8], offset: Option<i32>, p: &mut Poly) {
        let spread = const { Places::<BITS>::SPREAD };
        let (spread, shifts) = (bytes32(&spread.0), AVX2.get(&spread.1));
        let mask = _mm256_set1_epi32((1 << BITS) - 1);
        let groups = p.0.as_chunks_mut().0;
        let mut at = 0;
        while at < groups.len() && at * BITS + Places::<BITS>::HALF + 16 <= bytes.len() {
            let start = &bytes[at * BITS..];
            // SAFETY: 16 bytes from the middle of the group on are within the slice.
            let (low, high) = unsafe {
                (_mm_loadu_si128(start.as_ptr().cast()), _mm_loadu_si128(start[Places::<BITS>::HALF..].as_ptr().cast()))
            };
            let v = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), spread);
            let v = _mm256_and_si256(_mm256_srlv_epi32(v, shifts), mask);
            let v = offset.map_or(v, |offset| _mm256_sub_epi32(_mm256_set1_epi32(offset), v));
            AVX2.put(v, &mut groups[at]);
            at += 1;
        }
        text::unpack_groups::<BITS>(&bytes[at * BITS..], offset, &mut groups[at..]);
    }
    by_bits!(bits, unpack(bytes, offset, p));
}

/// `SimpleBitPack` (Alg. 16) and `BitPack` (Alg. 17); the last groups, behind which 16 bytes cannot be written, by the
/// portable text.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) fn pack(p: &Poly, bits: u32, offset: Option<i32>, out: &mut [u8]) {
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    fn pack<const BITS: usize>(p: &Poly, offset: Option<i32>, out: &mut [u8]) {
        let (first, second) = const { (Places::<BITS>::FIRST, Places::<BITS>::SECOND) };
        let (first, second) = (bytes32(&first), bytes32(&second));
        let lower = _mm256_set1_epi64x(32 - i64::from(BITS as u8));
        let align = AVX2.load(&const { Places::<BITS>::ALIGN });
        let groups = p.0.as_chunks().0;
        let mut at = 0;
        while at < groups.len() && at * BITS + Places::<BITS>::HALF + 16 <= out.len() {
            let v = AVX2.get(&groups[at]);
            let v = offset.map_or(v, |offset| _mm256_sub_epi32(_mm256_set1_epi32(offset), v));
            // the lower coefficient of each pair meets the upper one, then both go down to where they belong
            let v = _mm256_srlv_epi64(_mm256_sllv_epi32(v, lower), align);
            let v = _mm256_or_si256(_mm256_shuffle_epi8(v, first), _mm256_shuffle_epi8(v, second));
            let (low, high) = (_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
            let out = &mut out[at * BITS..];
            // SAFETY: 16 bytes from the start and from the middle of the group on are within the slice.
            unsafe {
                if Places::<BITS>::JOINED {
                    _mm_storeu_si128(out.as_mut_ptr().cast(), _mm_or_si128(low, high));
                } else {
                    _mm_storeu_si128(out.as_mut_ptr().cast(), low);
                    _mm_storeu_si128(out[Places::<BITS>::HALF..].as_mut_ptr().cast(), high);
                }
            }
            at += 1;
        }
        text::pack_groups::<BITS>(&groups[at..], offset, &mut out[at * BITS..]);
    }
    by_bits!(bits, pack(p, offset, out));
}
