//! Reads the assembly of an optimised build. A round helper that is not inlined makes a vector kernel up to 87 times
//! slower and changes no result, so no other test can see it: kernels must hold no call at all, and the functions
//! through which jobs enter a backend only those listed here.
//!
//! The kernels of aarch64 are read on such a machine, or where `HASHLOOM_CROSS` names the folder that
//! `.ci/setup-aarch64` has filled; there the instructions of a round are counted as well.

#[cfg(not(windows))]
mod aarch64;
#[cfg(not(windows))]
mod asm;
#[cfg(not(windows))]
mod budget;
#[cfg(all(target_arch = "x86_64", not(windows)))]
mod x86_64;
