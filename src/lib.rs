//! Multiway SIMD hashing and hash-based signatures.
#![cfg_attr(not(test), no_std)]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

pub mod adrs;
mod engine;
mod error;
pub mod hash;
pub mod keccak;
mod lanes;
mod mac;
mod portable;
mod schedule;
mod secret;
pub mod sha2;
pub mod slh_dsa;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86;

pub use engine::{Backend, Choice, Engine};
pub use error::Error;
