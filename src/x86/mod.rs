//! Backends for x86-64. A token is a value that only detection makes, or `held` in functions that only a holder reaches:
//! it proves that the CPU, and the operating system, support its features, so safe methods may call the code compiled for
//! them.

mod avx2;
mod avx512;
#[cfg(hashloom_ct)]
pub(crate) mod marks;
mod ring;
mod sha_ni;
mod transpose;

pub use avx2::{Avx2, Avx2One};
pub use avx512::{Avx512, Avx512Vl};
pub use sha_ni::ShaNi;

use crate::portable::align_frame;

/// A safe operation of a token from one intrinsic or an expression of several.
macro_rules! op {
    ($name:ident($($arg:ident: $type:ty),*) -> $ret:ty = $body:expr) => {
        #[cfg_attr(unoptimised, inline(never))]
        #[cfg_attr(not(unoptimised), inline(always))]
        fn $name(self, $($arg: $type),*) -> $ret {
            // SAFETY: `self` proves the features that the intrinsics need; they touch no memory.
            unsafe { $body }
        }
    };
}

/// Stamps a vector backend from its token and operations: kernels (one copy each, in an aligned frame), the lanes
/// traits, and the entries through which jobs run inside the backend's target features.
macro_rules! backend {
    ($token:ident, $features:literal, words32 $w32:literal, words64 $w64:literal) => {
        #[target_feature(enable = $features)]
        #[inline(never)]
        fn permute(k: $token, s: &mut KeccakState<$w64>) {
            align_frame!();
            keccak::permute(k, s);
        }

        #[target_feature(enable = $features)]
        #[inline(never)]
        fn keccak_chain<const N: usize>(k: $token, c: &mut KeccakChains<$w64>, prf: bool, steps: u32) {
            align_frame!();
            keccak::chain::<$w64, N, _>(k, c, prf, steps);
        }

        #[target_feature(enable = $features)]
        #[inline(never)]
        fn iterate256<const LEN: usize>(k: $token, c: &mut Sha2Iterations<u32, $w32>, count: u32) {
            align_frame!();
            sha2::iterate::<u32, $w32, LEN, _>(k, c, count);
        }

        #[target_feature(enable = $features)]
        #[inline(never)]
        fn compress256(k: $token, s: &mut Sha2State<u32, $w32>, blocks: &[[u8; 64]; $w32]) {
            align_frame!();
            sha2::compress(k, s, blocks);
        }

        #[target_feature(enable = $features)]
        #[inline(never)]
        fn sha256_chain<const N: usize>(k: $token, c: &mut Sha256Chains<$w32>, prf: bool, steps: u32) {
            align_frame!();
            sha2::chain::<$w32, N, _>(k, c, prf, steps);
        }

        #[target_feature(enable = $features)]
        #[inline(never)]
        fn iterate512<const LEN: usize>(k: $token, c: &mut Sha2Iterations<u64, $w64>, count: u32) {
            align_frame!();
            sha2::iterate::<u64, $w64, LEN, _>(k, c, count);
        }

        #[target_feature(enable = $features)]
        #[inline(never)]
        fn compress512(k: $token, s: &mut Sha2State<u64, $w64>, blocks: &[[u8; 128]; $w64]) {
            align_frame!();
            sha2::compress(k, s, blocks);
        }

        impl KeccakLanes<$w64> for $token {
            #[inline(always)]
            fn permute(self, s: &mut KeccakState<$w64>) {
                // SAFETY: `self` proves the kernel's target features.
                unsafe { permute(self, s) }
            }
            #[inline(always)]
            fn chain<const N: usize>(self, c: &mut KeccakChains<$w64>, prf: bool, steps: u32) {
                // SAFETY: `self` proves the kernel's target features.
                unsafe { keccak_chain::<N>(self, c, prf, steps) }
            }
            #[inline(always)]
            fn absorb(self, s: &mut KeccakState<$w64>, at: usize, rows: &[&[u8]; $w64]) {
                keccak::absorb(self, s, at, rows);
            }
            #[inline(always)]
            fn squeeze(self, s: &KeccakState<$w64>, blocks: &mut [[u64; MAX_BLOCK]; $w64]) {
                keccak::squeeze(self, s, blocks);
            }
        }

        impl Sha2Lanes<u32, $w32> for $token {
            #[inline(always)]
            fn compress(self, s: &mut Sha2State<u32, $w32>, blocks: &[[u8; 64]; $w32]) {
                // SAFETY: `self` proves the kernel's target features.
                unsafe { compress256(self, s, blocks) }
            }
            #[inline(always)]
            fn iterate<const LEN: usize>(self, c: &mut Sha2Iterations<u32, $w32>, count: u32) {
                // SAFETY: `self` proves the kernel's target features.
                unsafe { iterate256::<LEN>(self, c, count) }
            }
        }

        impl Sha256Lanes<$w32> for $token {
            #[inline(always)]
            fn chain<const N: usize>(self, c: &mut Sha256Chains<$w32>, prf: bool, steps: u32) {
                // SAFETY: `self` proves the kernel's target features.
                unsafe { sha256_chain::<N>(self, c, prf, steps) }
            }
        }

        impl Sha2Lanes<u64, $w64> for $token {
            #[inline(always)]
            fn compress(self, s: &mut Sha2State<u64, $w64>, blocks: &[[u8; 128]; $w64]) {
                // SAFETY: `self` proves the kernel's target features.
                unsafe { compress512(self, s, blocks) }
            }
            #[inline(always)]
            fn iterate<const LEN: usize>(self, c: &mut Sha2Iterations<u64, $w64>, count: u32) {
                // SAFETY: `self` proves the kernel's target features.
                unsafe { iterate512::<LEN>(self, c, count) }
            }
        }

        impl $token {
            /// Runs a job on Keccak lanes.
            pub(crate) fn enter_keccak<J: KeccakJob>(self, job: &mut J, items: Range<usize>) {
                #[target_feature(enable = $features)]
                fn enter_keccak<J: KeccakJob>(k: $token, job: &mut J, items: Range<usize>) {
                    job.run(k, items);
                }
                // SAFETY: `self` proves the target features.
                unsafe { enter_keccak(self, job, items) }
            }

            /// Runs a job on SHA-256 lanes.
            pub(crate) fn enter_sha256<J: Sha256Job>(self, job: &mut J, items: Range<usize>) {
                #[target_feature(enable = $features)]
                fn enter_sha256<J: Sha256Job>(k: $token, job: &mut J, items: Range<usize>) {
                    job.run(k, items);
                }
                // SAFETY: `self` proves the target features.
                unsafe { enter_sha256(self, job, items) }
            }

            /// Runs a job on SHA-512 lanes.
            pub(crate) fn enter_sha512<J: Sha2Job<u64>>(self, job: &mut J, items: Range<usize>) {
                #[target_feature(enable = $features)]
                fn enter_sha512<J: Sha2Job<u64>>(k: $token, job: &mut J, items: Range<usize>) {
                    job.run(k, items);
                }
                // SAFETY: `self` proves the target features.
                unsafe { enter_sha512(self, job, items) }
            }
        }
    };
}

use {backend, op};
