//! Many independent inputs hashed at once, and the post-quantum signatures that this makes fast.
//!
//! - [`Engine`] chooses a backend for each primitive, once, by what the CPU has; it can be forced and printed.
//! - [`hash`] has the traits: one message, many messages, tweakable hashes and chains. [`sha2`] and [`keccak`] have the
//!   functions of FIPS 180-4 and FIPS 202.
//! - [`hmac`], [`hkdf`] and [`pbkdf2`] are message authentication and key derivation, one at a time and many.
//! - `at_rest`, with the feature `encryption`, encrypts private keys under a passphrase.
//! - [`slh_dsa`] is SLH-DSA (FIPS 205): all twelve parameter sets, all interfaces, batches, keys in standard encodings.
//! - [`ml_dsa`] is ML-DSA (FIPS 204): all three parameter sets, all interfaces, external mu, expanded keys, batches, keys in
//!   the three forms of RFC 9881.
//!
//! Every backend makes the same bytes. Features never change results: `std` adds message sources over `std::io`,
//! `getrandom` the randomness of the operating system, `rayon` threads.
#![cfg_attr(not(test), no_std)]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

#[cfg(all(target_arch = "aarch64", not(hashloom_portable_only)))]
#[allow(unsafe_code)]
mod aarch64;
pub mod adrs;
#[cfg(feature = "encryption")]
pub mod at_rest;
#[cfg(feature = "count")]
pub mod count;
#[cfg(not(feature = "count"))]
mod count;
#[cfg(not(hashloom_ct))]
mod ct;
#[cfg(hashloom_ct)]
pub mod ct;
mod engine;
mod error;
pub mod hash;
pub mod hkdf;
pub mod hmac;
pub mod keccak;
mod lanes;
mod message;
mod mgf1;
pub mod ml_dsa;
pub mod pbkdf2;
mod portable;
mod prehash;
mod random;
mod ring;
mod schedule;
mod secret;
pub mod sha2;
pub mod slh_dsa;
mod threads;
#[cfg(all(target_arch = "x86_64", not(hashloom_portable_only)))]
#[allow(unsafe_code)]
mod x86;

pub use engine::{Backend, Choice, Engine};
pub use error::Error;

/// The README's examples, compiled and run as tests.
#[cfg(all(doctest, feature = "getrandom"))]
#[doc = include_str!("../README.md")]
struct Readme;
