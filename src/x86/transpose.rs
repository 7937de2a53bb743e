//! Squares of words transposed in registers, lanes to words and back, and byte orders for shuffles. Unsafe because they
//! are inlined into code whose token proves the features they need.
#![allow(clippy::large_types_passed_by_value)] // these are registers

#[allow(clippy::wildcard_imports)]
use core::arch::x86_64::*;

/// Shuffles that reverse the bytes of 32-bit words.
///
/// # Safety
/// Needs SSE2, which every x86-64 CPU has.
#[inline(always)]
pub(super) unsafe fn reverse32() -> __m128i {
    // SAFETY: SSE2 by the contract.
    unsafe { _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203) }
}

/// Shuffles that reverse the bytes of 64-bit words.
///
/// # Safety
/// Needs SSE2, which every x86-64 CPU has.
#[inline(always)]
pub(super) unsafe fn reverse64() -> __m128i {
    // SAFETY: SSE2 by the contract.
    unsafe { _mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607) }
}

/// 4 x 4 words of 32 bits.
///
/// # Safety
/// Needs SSE2, which every x86-64 CPU has.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) unsafe fn words32x4(r: [__m128i; 4]) -> [__m128i; 4] {
    // SAFETY: SSE2 by the contract.
    unsafe {
        let (a0, a1) = (_mm_unpacklo_epi32(r[0], r[1]), _mm_unpackhi_epi32(r[0], r[1]));
        let (a2, a3) = (_mm_unpacklo_epi32(r[2], r[3]), _mm_unpackhi_epi32(r[2], r[3]));
        [_mm_unpacklo_epi64(a0, a2), _mm_unpackhi_epi64(a0, a2), _mm_unpacklo_epi64(a1, a3), _mm_unpackhi_epi64(a1, a3)]
    }
}

/// 4 x 4 words of 64 bits.
///
/// # Safety
/// Needs AVX2.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) unsafe fn words64x4(r: [__m256i; 4]) -> [__m256i; 4] {
    // SAFETY: AVX2 by the contract.
    unsafe {
        let (a, b) = (_mm256_unpacklo_epi64(r[0], r[1]), _mm256_unpackhi_epi64(r[0], r[1]));
        let (c, d) = (_mm256_unpacklo_epi64(r[2], r[3]), _mm256_unpackhi_epi64(r[2], r[3]));
        [
            _mm256_permute2x128_si256::<0x20>(a, c),
            _mm256_permute2x128_si256::<0x20>(b, d),
            _mm256_permute2x128_si256::<0x31>(a, c),
            _mm256_permute2x128_si256::<0x31>(b, d),
        ]
    }
}

/// 8 x 8 words of 32 bits: pairs of words, pairs of pairs, halves of the register.
///
/// # Safety
/// Needs AVX2.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) unsafe fn words32x8(r: [__m256i; 8]) -> [__m256i; 8] {
    // SAFETY: AVX2 by the contract.
    unsafe {
        let (a0, a1) = (_mm256_unpacklo_epi32(r[0], r[1]), _mm256_unpackhi_epi32(r[0], r[1]));
        let (a2, a3) = (_mm256_unpacklo_epi32(r[2], r[3]), _mm256_unpackhi_epi32(r[2], r[3]));
        let (a4, a5) = (_mm256_unpacklo_epi32(r[4], r[5]), _mm256_unpackhi_epi32(r[4], r[5]));
        let (a6, a7) = (_mm256_unpacklo_epi32(r[6], r[7]), _mm256_unpackhi_epi32(r[6], r[7]));
        let (b0, b1) = (_mm256_unpacklo_epi64(a0, a2), _mm256_unpackhi_epi64(a0, a2));
        let (b2, b3) = (_mm256_unpacklo_epi64(a1, a3), _mm256_unpackhi_epi64(a1, a3));
        let (b4, b5) = (_mm256_unpacklo_epi64(a4, a6), _mm256_unpackhi_epi64(a4, a6));
        let (b6, b7) = (_mm256_unpacklo_epi64(a5, a7), _mm256_unpackhi_epi64(a5, a7));
        [
            _mm256_permute2x128_si256::<0x20>(b0, b4),
            _mm256_permute2x128_si256::<0x20>(b1, b5),
            _mm256_permute2x128_si256::<0x20>(b2, b6),
            _mm256_permute2x128_si256::<0x20>(b3, b7),
            _mm256_permute2x128_si256::<0x31>(b0, b4),
            _mm256_permute2x128_si256::<0x31>(b1, b5),
            _mm256_permute2x128_si256::<0x31>(b2, b6),
            _mm256_permute2x128_si256::<0x31>(b3, b7),
        ]
    }
}

/// 4 x 4 quarters of a 512-bit register.
///
/// # Safety
/// Needs AVX-512 F.
#[inline(always)]
unsafe fn quarters(r: [__m512i; 4]) -> [__m512i; 4] {
    // SAFETY: AVX-512 F by the contract.
    unsafe {
        let (a, b) = (_mm512_shuffle_i64x2::<0x44>(r[0], r[1]), _mm512_shuffle_i64x2::<0x44>(r[2], r[3]));
        let (c, d) = (_mm512_shuffle_i64x2::<0xee>(r[0], r[1]), _mm512_shuffle_i64x2::<0xee>(r[2], r[3]));
        [
            _mm512_shuffle_i64x2::<0x88>(a, b),
            _mm512_shuffle_i64x2::<0xdd>(a, b),
            _mm512_shuffle_i64x2::<0x88>(c, d),
            _mm512_shuffle_i64x2::<0xdd>(c, d),
        ]
    }
}

/// 8 x 8 words of 64 bits.
///
/// # Safety
/// Needs AVX-512 F.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) unsafe fn words64x8(r: [__m512i; 8]) -> [__m512i; 8] {
    // SAFETY: AVX-512 F by the contract.
    unsafe {
        macro_rules! pairs {
            ($unpack:ident) => {
                quarters([$unpack(r[0], r[1]), $unpack(r[2], r[3]), $unpack(r[4], r[5]), $unpack(r[6], r[7])])
            };
        }
        let (even, odd) = (pairs!(_mm512_unpacklo_epi64), pairs!(_mm512_unpackhi_epi64));
        [even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3]]
    }
}

/// 16 x 16 words of 32 bits: squares of four within the quarters, then the quarters.
///
/// # Safety
/// Needs AVX-512 F.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) unsafe fn words32x16(r: [__m512i; 16]) -> [__m512i; 16] {
    // SAFETY: AVX-512 F by the contract.
    unsafe {
        macro_rules! square {
            ($i:literal) => {{
                let (a0, a1) = (_mm512_unpacklo_epi32(r[$i], r[$i + 1]), _mm512_unpackhi_epi32(r[$i], r[$i + 1]));
                let (a2, a3) =
                    (_mm512_unpacklo_epi32(r[$i + 2], r[$i + 3]), _mm512_unpackhi_epi32(r[$i + 2], r[$i + 3]));
                [
                    _mm512_unpacklo_epi64(a0, a2),
                    _mm512_unpackhi_epi64(a0, a2),
                    _mm512_unpacklo_epi64(a1, a3),
                    _mm512_unpackhi_epi64(a1, a3),
                ]
            }};
        }
        let (a, b, c, d) = (square!(0), square!(4), square!(8), square!(12));
        let columns0 = quarters([a[0], b[0], c[0], d[0]]);
        let columns1 = quarters([a[1], b[1], c[1], d[1]]);
        let columns2 = quarters([a[2], b[2], c[2], d[2]]);
        let columns3 = quarters([a[3], b[3], c[3], d[3]]);
        [
            columns0[0],
            columns1[0],
            columns2[0],
            columns3[0],
            columns0[1],
            columns1[1],
            columns2[1],
            columns3[1],
            columns0[2],
            columns1[2],
            columns2[2],
            columns3[2],
            columns0[3],
            columns1[3],
            columns2[3],
            columns3[3],
        ]
    }
}
