//! NEON: two 64-bit or four 32-bit lanes in a 128-bit register.

#[allow(clippy::wildcard_imports)]
use core::arch::aarch64::*;
use core::ops::Range;

use super::{enter, immediate, keccak_kernels, op, sha256_kernels, sha512_kernels};
use crate::{
    lanes::{
        KeccakChains, KeccakJob, KeccakLanes, KeccakState, MAX_BLOCK, Ops, Sha2Iterations, Sha2Job, Sha2Lanes,
        Sha2State, Sha256Chains, Sha256Job, Sha256Lanes,
    },
    portable::{keccak, sha2},
};

/// Proof that this CPU has NEON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neon(());

impl Neon {
    /// The token: a target of this architecture without NEON, or with the other byte order, has a portable build only.
    pub(crate) const fn detect() -> Self {
        Self(())
    }
}

/// The operations on one word size, from the intrinsics that differ.
macro_rules! ops {
    ($token:ident, $word:ty, $lanes:literal, $v:ty, $bits:literal, $transpose:path,
     $load:ident, $store:ident, $from_bytes:ident, $to_bytes:ident, $reverse:ident, $splat:ident,
     $add:ident, $xor:ident, $and:ident, $bic:ident, $select:ident, $shl:ident, $shr:ident, $insert:ident,
     $($count:literal)*) => {
        impl Ops<$word, $lanes> for $token {
            type V = $v;
            #[cfg_attr(unoptimised, inline(never))]
            #[cfg_attr(not(unoptimised), inline(always))]
            fn load(self, row: &[$word; $lanes]) -> $v {
                // SAFETY: `self` proves NEON; the row is 16 readable bytes.
                unsafe { $load(row.as_ptr()) }
            }
            #[cfg_attr(unoptimised, inline(never))]
            #[cfg_attr(not(unoptimised), inline(always))]
            fn store(self, v: $v, row: &mut [$word; $lanes]) {
                // SAFETY: `self` proves NEON; the row is 16 writable bytes.
                unsafe { $store(row.as_mut_ptr(), v) }
            }
            #[cfg_attr(unoptimised, inline(never))]
            #[cfg_attr(not(unoptimised), inline(always))]
            fn load_le(self, bytes: &[u8]) -> $v {
                let bytes = &bytes[..16];
                // SAFETY: `self` proves NEON; the slice is 16 readable bytes.
                unsafe { $from_bytes(vld1q_u8(bytes.as_ptr())) }
            }
            op!(swap_bytes(v: $v) -> $v = $from_bytes($reverse($to_bytes(v))));
            op!(transpose(rows: [$v; $lanes]) -> [$v; $lanes] = $transpose(rows));
            op!(splat(x: $word) -> $v = $splat(x));
            op!(add(a: $v, b: $v) -> $v = $add(a, b));
            op!(xor(a: $v, b: $v) -> $v = $xor(a, b));
            op!(and(a: $v, b: $v) -> $v = $and(a, b));
            op!(andn(a: $v, b: $v) -> $v = $bic(b, a));
            // a shift that keeps the bits which the other one has put there
            op!(ror(a: $v, n: u32) -> $v = immediate!(n: $($count)* => N, $insert::<N>($shl::<{ $bits - N }>(a), a)));
            op!(shr(a: $v, n: u32) -> $v = immediate!(n: $($count)* => N, $shr::<N>(a)));
            op!(ch(e: $v, f: $v, g: $v) -> $v = $select(e, f, g));
        }
    };
}

ops!(
    Neon,
    u64,
    2,
    uint64x2_t,
    64,
    words64x2,
    vld1q_u64,
    vst1q_u64,
    vreinterpretq_u64_u8,
    vreinterpretq_u8_u64,
    vrev64q_u8,
    vdupq_n_u64,
    vaddq_u64,
    veorq_u64,
    vandq_u64,
    vbicq_u64,
    vbslq_u64,
    vshlq_n_u64,
    vshrq_n_u64,
    vsriq_n_u64,
    1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41
    42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
);
ops!(
    Neon,
    u32,
    4,
    uint32x4_t,
    32,
    words32x4,
    vld1q_u32,
    vst1q_u32,
    vreinterpretq_u32_u8,
    vreinterpretq_u8_u32,
    vrev32q_u8,
    vdupq_n_u32,
    vaddq_u32,
    veorq_u32,
    vandq_u32,
    vbicq_u32,
    vbslq_u32,
    vshlq_n_u32,
    vshrq_n_u32,
    vsriq_n_u32,
    1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
);

/// 2 x 2 words of 64 bits.
///
/// # Safety
/// Needs NEON.
#[inline(always)]
pub(super) unsafe fn words64x2(r: [uint64x2_t; 2]) -> [uint64x2_t; 2] {
    // SAFETY: NEON by the contract.
    unsafe { [vtrn1q_u64(r[0], r[1]), vtrn2q_u64(r[0], r[1])] }
}

/// 4 x 4 words of 32 bits: pairs of words, then pairs of pairs.
///
/// # Safety
/// Needs NEON.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn words32x4(r: [uint32x4_t; 4]) -> [uint32x4_t; 4] {
    // SAFETY: NEON by the contract.
    unsafe {
        macro_rules! pairs {
            ($trn:ident, $a:expr, $b:expr) => {
                vreinterpretq_u64_u32($trn($a, $b))
            };
        }
        let [a0, a2] = words64x2([pairs!(vtrn1q_u32, r[0], r[1]), pairs!(vtrn1q_u32, r[2], r[3])]);
        let [a1, a3] = words64x2([pairs!(vtrn2q_u32, r[0], r[1]), pairs!(vtrn2q_u32, r[2], r[3])]);
        [vreinterpretq_u32_u64(a0), vreinterpretq_u32_u64(a1), vreinterpretq_u32_u64(a2), vreinterpretq_u32_u64(a3)]
    }
}

keccak_kernels!(Neon, "neon", 2);
sha256_kernels!(Neon, "neon", 4);
sha512_kernels!(Neon, "neon", 2);
enter!(Neon, "neon", enter_keccak: KeccakJob, enter_sha256: Sha256Job, enter_sha512: Sha2Job<u64>);
