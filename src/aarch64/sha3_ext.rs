//! The SHA-3 extension: EOR3, RAX1, XAR and BCAX are Keccak's three xors, theta's rotation, rho and chi, on two lanes.

#[allow(clippy::wildcard_imports)]
use core::arch::aarch64::*;
use core::ops::Range;

use super::{Neon, enter, immediate, keccak_kernels, op};
use crate::{
    lanes::{KeccakChains, KeccakJob, KeccakLanes, KeccakState, MAX_BLOCK, Ops},
    portable::keccak,
};

/// Proof that this CPU has the SHA-3 and SHA-512 extensions, which Rust knows as one feature, and NEON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sha3Ext(Neon);

impl Sha3Ext {
    /// The token, if the operating system reports the extensions.
    pub(crate) fn detect(found: super::Features) -> Option<Self> {
        found.sha3.then_some(Self(Neon::detect()))
    }
}

/// An operation for which NEON's is the best.
macro_rules! neon {
    ($($name:ident($($arg:ident: $type:ty),*) -> $ret:ty;)*) => { $(
        #[cfg_attr(unoptimised, inline(never))]
        #[cfg_attr(not(unoptimised), inline(always))]
        fn $name(self, $($arg: $type),*) -> $ret {
            Ops::<u64, 2>::$name(self.0, $($arg),*)
        }
    )* };
}

impl Ops<u64, 2> for Sha3Ext {
    type V = uint64x2_t;
    neon! {
        load(row: &[u64; 2]) -> uint64x2_t;
        load_le(bytes: &[u8]) -> uint64x2_t;
        swap_bytes(v: uint64x2_t) -> uint64x2_t;
        transpose(rows: [uint64x2_t; 2]) -> [uint64x2_t; 2];
        splat(x: u64) -> uint64x2_t;
        add(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t;
        xor(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t;
        and(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t;
        andn(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t;
        ror(a: uint64x2_t, n: u32) -> uint64x2_t;
        shr(a: uint64x2_t, n: u32) -> uint64x2_t;
    }
    #[cfg_attr(unoptimised, inline(never))]
    #[cfg_attr(not(unoptimised), inline(always))]
    fn store(self, v: uint64x2_t, row: &mut [u64; 2]) {
        self.0.store(v, row);
    }
    op!(xor3(a: uint64x2_t, b: uint64x2_t, c: uint64x2_t) -> uint64x2_t = veor3q_u64(a, b, c));
    op!(chi(a: uint64x2_t, b: uint64x2_t, c: uint64x2_t) -> uint64x2_t = vbcaxq_u64(a, c, b));
    op!(xor_rol1(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t = vrax1q_u64(a, b));
    op!(xor_ror(a: uint64x2_t, b: uint64x2_t, n: u32) -> uint64x2_t = immediate!(n:
        1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40
        41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 => N, vxarq_u64::<N>(a, b)));
}

keccak_kernels!(Sha3Ext, "neon,sha3", 2);
enter!(Sha3Ext, "neon,sha3", enter_keccak: KeccakJob);
