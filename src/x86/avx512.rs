//! AVX-512: sixteen 32-bit or eight 64-bit lanes in a 512-bit register, and half of each in a 256-bit one with the same
//! instructions (VL), which suits small batches.

#[allow(clippy::wildcard_imports)]
use core::arch::x86_64::*;
use core::ops::Range;

use super::{
    Avx2, align_frame, backend, op,
    transpose::{self, reverse32, reverse64},
};
use crate::{
    lanes::{
        KeccakChains, KeccakJob, KeccakLanes, KeccakState, MAX_BLOCK, Ops, Sha2Iterations, Sha2Job, Sha2Lanes,
        Sha2State, Sha256Chains, Sha256Job, Sha256Lanes,
    },
    portable::{keccak, sha2},
};

cpufeatures::new!(cpu, "avx512f", "avx512bw", "avx512vl", "bmi1", "bmi2");

/// The operations on one register width and word size, from the intrinsics that differ.
macro_rules! ops {
    ($token:ident, $word:ty, $lanes:literal, $v:ty, $bytes:literal, $transpose:path,
     $load:ident, $store:ident, $xor:ident, $and:ident, $andnot:ident, $ternary:ident, $shuffle:ident,
     $splat:ident, $add:ident, $ror:ident, $shr:ident, $reversed:expr) => {
        impl Ops<$word, $lanes> for $token {
            type V = $v;
            // one round per iteration: two cost 1 to 2 %
            const TWO_ROUNDS: bool = false;

            #[cfg_attr(unoptimised, inline(never))]
            #[cfg_attr(not(unoptimised), inline(always))]
            fn load(self, row: &[$word; $lanes]) -> $v {
                // SAFETY: `self` proves AVX-512; the row is a whole register of readable bytes.
                unsafe { $load(row.as_ptr().cast()) }
            }
            #[cfg_attr(unoptimised, inline(never))]
            #[cfg_attr(not(unoptimised), inline(always))]
            fn store(self, v: $v, row: &mut [$word; $lanes]) {
                // SAFETY: `self` proves AVX-512; the row is a whole register of writable bytes.
                unsafe { $store(row.as_mut_ptr().cast(), v) }
            }
            #[cfg_attr(unoptimised, inline(never))]
            #[cfg_attr(not(unoptimised), inline(always))]
            fn load_le(self, bytes: &[u8]) -> $v {
                let bytes = &bytes[..$bytes];
                // SAFETY: `self` proves AVX-512; the slice is a whole register of readable bytes.
                unsafe { $load(bytes.as_ptr().cast()) }
            }
            op!(splat(x: $word) -> $v = $splat(x.cast_signed()));
            op!(add(a: $v, b: $v) -> $v = $add(a, b));
            op!(xor(a: $v, b: $v) -> $v = $xor(a, b));
            op!(and(a: $v, b: $v) -> $v = $and(a, b));
            op!(andn(a: $v, b: $v) -> $v = $andnot(a, b));
            // counts are constants after inlining: these become immediate rotations and shifts
            op!(ror(a: $v, n: u32) -> $v = $ror(a, $splat(n.cast_signed().into())));
            op!(shr(a: $v, n: u32) -> $v = $shr(a, _mm_cvtsi32_si128(n.cast_signed())));
            op!(swap_bytes(v: $v) -> $v = $shuffle(v, $reversed));
            op!(transpose(rows: [$v; $lanes]) -> [$v; $lanes] = $transpose(rows));
            // truth tables of the three inputs. MemorySanitizer does not know the instruction and reports every marked
            // input; its build gets the provided methods, the same functions from and and xor
            #[cfg(not(hashloom_msan))]
            op!(xor3(a: $v, b: $v, c: $v) -> $v = $ternary::<0x96>(a, b, c));
            #[cfg(not(hashloom_msan))]
            op!(chi(a: $v, b: $v, c: $v) -> $v = $ternary::<0xd2>(a, b, c));
            #[cfg(not(hashloom_msan))]
            op!(ch(e: $v, f: $v, g: $v) -> $v = $ternary::<0xca>(e, f, g));
            #[cfg(not(hashloom_msan))]
            op!(maj(a: $v, b: $v, c: $v, _bc: &mut $v) -> $v = $ternary::<0xe8>(a, b, c));
        }
    };
}

/// Proof that this CPU has AVX-512 F, BW and VL, BMI1 and BMI2: 512-bit registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx512(());

/// The same proof, for 256-bit registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx512Vl(());

impl Avx512 {
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

impl From<Avx512> for Avx512Vl {
    fn from(_: Avx512) -> Self {
        Self(())
    }
}

impl From<Avx512Vl> for Avx2 {
    /// AVX-512 F includes AVX2.
    fn from(_: Avx512Vl) -> Self {
        Self::held()
    }
}

mod zmm {
    #[allow(clippy::wildcard_imports)]
    use super::*;

    ops!(
        Avx512,
        u64,
        8,
        __m512i,
        64,
        transpose::words64x8,
        _mm512_loadu_si512,
        _mm512_storeu_si512,
        _mm512_xor_si512,
        _mm512_and_si512,
        _mm512_andnot_si512,
        _mm512_ternarylogic_epi64,
        _mm512_shuffle_epi8,
        _mm512_set1_epi64,
        _mm512_add_epi64,
        _mm512_rorv_epi64,
        _mm512_srl_epi64,
        _mm512_broadcast_i32x4(reverse64())
    );
    ops!(
        Avx512,
        u32,
        16,
        __m512i,
        64,
        transpose::words32x16,
        _mm512_loadu_si512,
        _mm512_storeu_si512,
        _mm512_xor_si512,
        _mm512_and_si512,
        _mm512_andnot_si512,
        _mm512_ternarylogic_epi32,
        _mm512_shuffle_epi8,
        _mm512_set1_epi32,
        _mm512_add_epi32,
        _mm512_rorv_epi32,
        _mm512_srl_epi32,
        _mm512_broadcast_i32x4(reverse32())
    );
    backend!(Avx512, "avx512f,avx512bw,avx512vl,bmi1,bmi2", words32 16, words64 8);
}

mod ymm {
    #[allow(clippy::wildcard_imports)]
    use super::*;

    ops!(
        Avx512Vl,
        u64,
        4,
        __m256i,
        32,
        transpose::words64x4,
        _mm256_loadu_si256,
        _mm256_storeu_si256,
        _mm256_xor_si256,
        _mm256_and_si256,
        _mm256_andnot_si256,
        _mm256_ternarylogic_epi64,
        _mm256_shuffle_epi8,
        _mm256_set1_epi64x,
        _mm256_add_epi64,
        _mm256_rorv_epi64,
        _mm256_srl_epi64,
        _mm256_broadcastsi128_si256(reverse64())
    );
    ops!(
        Avx512Vl,
        u32,
        8,
        __m256i,
        32,
        transpose::words32x8,
        _mm256_loadu_si256,
        _mm256_storeu_si256,
        _mm256_xor_si256,
        _mm256_and_si256,
        _mm256_andnot_si256,
        _mm256_ternarylogic_epi32,
        _mm256_shuffle_epi8,
        _mm256_set1_epi32,
        _mm256_add_epi32,
        _mm256_rorv_epi32,
        _mm256_srl_epi32,
        _mm256_broadcastsi128_si256(reverse32())
    );
    backend!(Avx512Vl, "avx512f,avx512bw,avx512vl,bmi1,bmi2", words32 8, words64 4);
}
