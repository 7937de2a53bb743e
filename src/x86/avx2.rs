//! AVX2: four 64-bit or eight 32-bit lanes in a 256-bit register.

#[allow(clippy::wildcard_imports)]
use core::arch::x86_64::*;
use core::ops::Range;

use super::{align_frame, backend};
use crate::{
    lanes::{
        KeccakChains, KeccakJob, KeccakLanes, KeccakState, Ops, Sha2Block, Sha2Job, Sha2Lanes, Sha2State, Sha256Chains,
        Sha256Job, Sha256Lanes,
    },
    portable::{keccak, sha2},
};

cpufeatures::new!(cpu, "avx2", "bmi1", "bmi2");

/// Proof that this CPU has AVX2, BMI1 and BMI2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx2(());

impl Avx2 {
    /// The token, if the CPU and the operating system support it.
    pub(crate) fn detect() -> Option<Self> {
        cpu::get().then_some(Self(()))
    }
}

/// A safe operation of the token from one intrinsic or an expression of several.
macro_rules! op {
    ($name:ident($($arg:ident: $type:ty),*) -> $ret:ty = $body:expr) => {
        #[inline(always)]
        fn $name(self, $($arg: $type),*) -> $ret {
            // SAFETY: `self` proves AVX2; the intrinsics touch no memory.
            unsafe { $body }
        }
    };
}

/// The operations that do not depend on the word size.
macro_rules! common_ops {
    ($word:ty, $lanes:literal) => {
        type V = __m256i;
        #[inline(always)]
        fn load(self, row: &[$word; $lanes]) -> __m256i {
            // SAFETY: `self` proves AVX2; the row is 32 readable bytes.
            unsafe { _mm256_loadu_si256(row.as_ptr().cast()) }
        }
        #[inline(always)]
        fn store(self, v: __m256i, row: &mut [$word; $lanes]) {
            // SAFETY: `self` proves AVX2; the row is 32 writable bytes.
            unsafe { _mm256_storeu_si256(row.as_mut_ptr().cast(), v) }
        }
        #[inline(always)]
        fn load_le(self, bytes: &[u8]) -> __m256i {
            let bytes = &bytes[..32];
            // SAFETY: `self` proves AVX2; the slice is 32 readable bytes.
            unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
        }
        op!(xor(a: __m256i, b: __m256i) -> __m256i = _mm256_xor_si256(a, b));
        op!(and(a: __m256i, b: __m256i) -> __m256i = _mm256_and_si256(a, b));
        op!(andn(a: __m256i, b: __m256i) -> __m256i = _mm256_andnot_si256(a, b));
    };
}

impl Ops<u64, 4> for Avx2 {
    common_ops!(u64, 4);
    op!(splat(x: u64) -> __m256i = _mm256_set1_epi64x(x.cast_signed()));
    op!(add(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi64(a, b));
    // counts are constants after inlining: these become immediate shifts, byte rotations a shuffle
    op!(shr(a: __m256i, n: u32) -> __m256i = _mm256_srl_epi64(a, _mm_cvtsi32_si128(n.cast_signed())));
    op!(ror(a: __m256i, n: u32) -> __m256i = _mm256_or_si256(
        _mm256_srl_epi64(a, _mm_cvtsi32_si128(n.cast_signed())),
        _mm256_sll_epi64(a, _mm_cvtsi32_si128(64 - n.cast_signed()))
    ));
    op!(swap_bytes(v: __m256i) -> __m256i = _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(
        _mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607)
    )));
    op!(transpose(r: [__m256i; 4]) -> [__m256i; 4] = {
        let (a, b) = (_mm256_unpacklo_epi64(r[0], r[1]), _mm256_unpackhi_epi64(r[0], r[1]));
        let (c, d) = (_mm256_unpacklo_epi64(r[2], r[3]), _mm256_unpackhi_epi64(r[2], r[3]));
        [
            _mm256_permute2x128_si256::<0x20>(a, c),
            _mm256_permute2x128_si256::<0x20>(b, d),
            _mm256_permute2x128_si256::<0x31>(a, c),
            _mm256_permute2x128_si256::<0x31>(b, d),
        ]
    });
}

impl Ops<u32, 8> for Avx2 {
    common_ops!(u32, 8);
    op!(splat(x: u32) -> __m256i = _mm256_set1_epi32(x.cast_signed()));
    op!(add(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi32(a, b));
    op!(shr(a: __m256i, n: u32) -> __m256i = _mm256_srl_epi32(a, _mm_cvtsi32_si128(n.cast_signed())));
    op!(ror(a: __m256i, n: u32) -> __m256i = _mm256_or_si256(
        _mm256_srl_epi32(a, _mm_cvtsi32_si128(n.cast_signed())),
        _mm256_sll_epi32(a, _mm_cvtsi32_si128(32 - n.cast_signed()))
    ));
    op!(swap_bytes(v: __m256i) -> __m256i = _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(
        _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203)
    )));
    op!(transpose(r: [__m256i; 8]) -> [__m256i; 8] = {
        // pairs of words, then pairs of pairs, then halves of the register
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
    });
}

backend!(Avx2, "avx2,bmi1,bmi2", words32 8, words64 4);
