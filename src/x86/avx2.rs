//! AVX2: four 64-bit or eight 32-bit lanes in a 256-bit register.

#[allow(clippy::wildcard_imports)]
use core::arch::x86_64::*;
use core::ops::Range;

use super::{
    align_frame, backend, op,
    transpose::{reverse32, reverse64, words32x8, words64x4},
};
use crate::{
    lanes::{
        KeccakChains, KeccakJob, KeccakLanes, KeccakState, MAX_BLOCK, Ops, Sha2Iterations, Sha2Job, Sha2Lanes,
        Sha2State, Sha256Chains, Sha256Job, Sha256Lanes,
    },
    portable::{keccak, sha2},
};

cpufeatures::new!(cpu, "avx2", "bmi1", "bmi2");

/// Proof that this CPU has AVX2, BMI1 and BMI2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx2(());

/// The same proof, for one Keccak state in ordinary registers, whose text gains by BMI: what is not worth four lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx2One(());

impl From<Avx2> for Avx2One {
    fn from(_: Avx2) -> Self {
        Self(())
    }
}

impl Avx2 {
    /// The token, if the CPU and the operating system support it.
    pub(crate) fn detect() -> Option<Self> {
        cpu::get().then_some(Self(()))
    }

    /// The token in functions that only its holder can reach.
    pub(super) const fn held() -> Self {
        Self(())
    }

    /// A token that proves nothing, for tests that look at choices and run no kernel.
    #[cfg(test)]
    pub(crate) const fn unproven() -> Self {
        Self(())
    }
}

/// The operations that do not depend on the word size.
macro_rules! common_ops {
    ($word:ty, $lanes:literal) => {
        type V = __m256i;
        #[cfg_attr(unoptimised, inline(never))]
        #[cfg_attr(not(unoptimised), inline(always))]
        fn load(self, row: &[$word; $lanes]) -> __m256i {
            // SAFETY: `self` proves AVX2; the row is 32 readable bytes.
            unsafe { _mm256_loadu_si256(row.as_ptr().cast()) }
        }
        #[cfg_attr(unoptimised, inline(never))]
        #[cfg_attr(not(unoptimised), inline(always))]
        fn store(self, v: __m256i, row: &mut [$word; $lanes]) {
            // SAFETY: `self` proves AVX2; the row is 32 writable bytes.
            unsafe { _mm256_storeu_si256(row.as_mut_ptr().cast(), v) }
        }
        #[cfg_attr(unoptimised, inline(never))]
        #[cfg_attr(not(unoptimised), inline(always))]
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
    op!(swap_bytes(v: __m256i) -> __m256i = _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(reverse64())));
    op!(transpose(rows: [__m256i; 4]) -> [__m256i; 4] = words64x4(rows));
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
    op!(swap_bytes(v: __m256i) -> __m256i = _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(reverse32())));
    op!(transpose(rows: [__m256i; 8]) -> [__m256i; 8] = words32x8(rows));
}

backend!(Avx2, "avx2,bmi1,bmi2", words32 8, words64 4);

mod one {
    use super::{Avx2One, KeccakChains, KeccakJob, KeccakLanes, KeccakState, MAX_BLOCK, Range, keccak};
    use crate::portable::Scalar;

    #[target_feature(enable = "avx2,bmi1,bmi2")]
    #[inline(never)]
    fn permute(s: &mut KeccakState<1>) {
        keccak::permute(Scalar, s);
    }

    #[target_feature(enable = "avx2,bmi1,bmi2")]
    #[inline(never)]
    fn keccak_chain<const N: usize>(c: &mut KeccakChains<1>, prf: bool, steps: u32) {
        keccak::chain::<1, N, _>(Scalar, c, prf, steps);
    }

    impl KeccakLanes<1> for Avx2One {
        #[inline(always)]
        fn permute(self, s: &mut KeccakState<1>) {
            // SAFETY: `self` proves the kernel's target features.
            unsafe { permute(s) }
        }
        #[inline(always)]
        fn chain<const N: usize>(self, c: &mut KeccakChains<1>, prf: bool, steps: u32) {
            // SAFETY: `self` proves the kernel's target features.
            unsafe { keccak_chain::<N>(c, prf, steps) }
        }
        #[inline(always)]
        fn absorb(self, s: &mut KeccakState<1>, at: usize, rows: &[&[u8]; 1]) {
            keccak::absorb(Scalar, s, at, rows);
        }
        #[inline(always)]
        fn squeeze(self, s: &KeccakState<1>, blocks: &mut [[u64; MAX_BLOCK]; 1]) {
            keccak::squeeze(Scalar, s, blocks);
        }
    }

    impl Avx2One {
        /// Runs a job on one Keccak lane.
        pub(crate) fn enter_keccak<J: KeccakJob>(self, job: &mut J, items: Range<usize>) {
            #[target_feature(enable = "avx2,bmi1,bmi2")]
            fn enter_keccak<J: KeccakJob>(k: Avx2One, job: &mut J, items: Range<usize>) {
                job.run(k, items);
            }
            // SAFETY: `self` proves the target features.
            unsafe { enter_keccak(self, job, items) }
        }
    }
}
