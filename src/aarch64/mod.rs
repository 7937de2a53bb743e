//! Backends for aarch64. A token is a value that only detection makes: holding one proves that the CPU, and the
//! operating system, support its features, so safe methods may call the code compiled for them.
//!
//! `README.md` beside this file has the instructions per round, and why which kernel is the default on which core.

// operations are inlined into a kernel first, and intrinsics then, where the features match; older compilers do not know
// the lint
#![allow(unknown_lints, inline_always_mismatching_target_features)]

mod detect;
mod neon;
mod ring;
mod sha2_ext;
mod sha3_ext;
mod sha512_ext;

pub use detect::{Core, Features};
pub use neon::Neon;
pub use sha2_ext::Sha2Ext;
pub use sha3_ext::Sha3Ext;
pub use sha512_ext::Sha512Ext;

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

/// An expression with an immediate operand for each count, from a count that is constant after inlining.
macro_rules! immediate {
    ($n:ident: $($count:literal)* => $name:ident, $body:expr) => {
        match $n {
            $($count => { const $name: i32 = $count; $body })*
            _ => unreachable!(),
        }
    };
}

/// Stamps kernels for Keccak, one copy each, and their lanes trait from a token and its operations.
macro_rules! keccak_kernels {
    ($token:ident, $features:literal, $lanes:literal) => {
        #[target_feature(enable = $features)]
        #[inline(never)]
        fn permute(k: $token, s: &mut KeccakState<$lanes>) {
            keccak::permute(k, s);
        }

        #[target_feature(enable = $features)]
        #[inline(never)]
        fn keccak_chain<const N: usize>(k: $token, c: &mut KeccakChains<$lanes>, prf: bool, steps: u32) {
            keccak::chain::<$lanes, N, _>(k, c, prf, steps);
        }

        impl KeccakLanes<$lanes> for $token {
            #[inline(always)]
            fn permute(self, s: &mut KeccakState<$lanes>) {
                // SAFETY: `self` proves the kernel's target features.
                unsafe { permute(self, s) }
            }
            #[inline(always)]
            fn chain<const N: usize>(self, c: &mut KeccakChains<$lanes>, prf: bool, steps: u32) {
                // SAFETY: `self` proves the kernel's target features.
                unsafe { keccak_chain::<N>(self, c, prf, steps) }
            }
            #[inline(always)]
            fn absorb(self, s: &mut KeccakState<$lanes>, at: usize, rows: &[&[u8]; $lanes]) {
                keccak::absorb(self, s, at, rows);
            }
            #[inline(always)]
            fn squeeze(self, s: &KeccakState<$lanes>, blocks: &mut [[u64; MAX_BLOCK]; $lanes]) {
                keccak::squeeze(self, s, blocks);
            }
        }
    };
}

/// The same for SHA-256.
macro_rules! sha256_kernels {
    ($token:ident, $features:literal, $lanes:literal) => {
        #[target_feature(enable = $features)]
        #[inline(never)]
        fn iterate256<const LEN: usize>(k: $token, c: &mut Sha2Iterations<u32, $lanes>, count: u32) {
            sha2::iterate::<u32, $lanes, LEN, _>(k, c, count);
        }

        #[target_feature(enable = $features)]
        #[inline(never)]
        fn compress256(k: $token, s: &mut Sha2State<u32, $lanes>, blocks: &[[u8; 64]; $lanes]) {
            sha2::compress(k, s, blocks);
        }

        #[target_feature(enable = $features)]
        #[inline(never)]
        fn sha256_chain<const N: usize>(k: $token, c: &mut Sha256Chains<$lanes>, prf: bool, steps: u32) {
            sha2::chain::<$lanes, N, _>(k, c, prf, steps);
        }

        impl Sha2Lanes<u32, $lanes> for $token {
            #[inline(always)]
            fn compress(self, s: &mut Sha2State<u32, $lanes>, blocks: &[[u8; 64]; $lanes]) {
                // SAFETY: `self` proves the kernel's target features.
                unsafe { compress256(self, s, blocks) }
            }
            #[inline(always)]
            fn iterate<const LEN: usize>(self, c: &mut Sha2Iterations<u32, $lanes>, count: u32) {
                // SAFETY: `self` proves the kernel's target features.
                unsafe { iterate256::<LEN>(self, c, count) }
            }
        }

        impl Sha256Lanes<$lanes> for $token {
            #[inline(always)]
            fn chain<const N: usize>(self, c: &mut Sha256Chains<$lanes>, prf: bool, steps: u32) {
                // SAFETY: `self` proves the kernel's target features.
                unsafe { sha256_chain::<N>(self, c, prf, steps) }
            }
        }
    };
}

/// The same for SHA-512.
macro_rules! sha512_kernels {
    ($token:ident, $features:literal, $lanes:literal) => {
        #[target_feature(enable = $features)]
        #[inline(never)]
        fn iterate512<const LEN: usize>(k: $token, c: &mut Sha2Iterations<u64, $lanes>, count: u32) {
            sha2::iterate::<u64, $lanes, LEN, _>(k, c, count);
        }

        #[target_feature(enable = $features)]
        #[inline(never)]
        fn compress512(k: $token, s: &mut Sha2State<u64, $lanes>, blocks: &[[u8; 128]; $lanes]) {
            sha2::compress(k, s, blocks);
        }

        impl Sha2Lanes<u64, $lanes> for $token {
            #[inline(always)]
            fn compress(self, s: &mut Sha2State<u64, $lanes>, blocks: &[[u8; 128]; $lanes]) {
                // SAFETY: `self` proves the kernel's target features.
                unsafe { compress512(self, s, blocks) }
            }
            #[inline(always)]
            fn iterate<const LEN: usize>(self, c: &mut Sha2Iterations<u64, $lanes>, count: u32) {
                // SAFETY: `self` proves the kernel's target features.
                unsafe { iterate512::<LEN>(self, c, count) }
            }
        }
    };
}

/// Stamps the entries through which jobs run inside a token's target features.
macro_rules! enter {
    ($token:ident, $features:literal, $($name:ident: $job:path),*) => {
        impl $token {
            $(
                /// Runs a job on the token's lanes.
                pub(crate) fn $name<J: $job>(self, job: &mut J, items: Range<usize>) {
                    // NEON is no boundary to inlining: it is part of the target
                    #[target_feature(enable = $features)]
                    #[inline(never)]
                    fn $name<J: $job>(k: $token, job: &mut J, items: Range<usize>) {
                        job.run(k, items);
                    }
                    // SAFETY: `self` proves the target features.
                    unsafe { $name(self, job, items) }
                }
            )*
        }
    };
}

/// The same for kernels that interleave streams: a last item that would be alone there runs on one.
macro_rules! enter_streams {
    ($token:ident, $features:literal, $name:ident: $job:path) => {
        impl $token {
            /// Runs a job on streams.
            pub(crate) fn $name<J: $job>(self, job: &mut J, items: Range<usize>) {
                #[target_feature(enable = $features)]
                fn $name<J: $job>(k: $token, job: &mut J, items: Range<usize>) {
                    let alone = usize::from(items.len() % STREAMS == 1);
                    let cut = items.end - alone;
                    if items.start < cut {
                        job.run::<STREAMS, _>(k, items.start..cut);
                    }
                    if cut < items.end {
                        job.run::<1, _>(k, cut..items.end);
                    }
                }
                // SAFETY: `self` proves the target features.
                unsafe { $name(self, job, items) }
            }
        }
    };
}

use {enter, enter_streams, immediate, keccak_kernels, op, sha256_kernels, sha512_kernels};
