//! SLH-DSA, the stateless hash-based digital signature algorithm (FIPS 205): all twelve parameter sets, the internal,
//! pure and pre-hash interfaces, batches, and keys in the encodings of RFC 9909.

mod batch;
mod cache;
mod encoding;
mod family;
mod fors;
mod hypertree;
mod keys;
mod merkle;
mod params;
mod scheme;
mod wots;

pub use batch::{Item, verify_batch};
pub use keys::{Signature, SigningKey, VerifyingKey};
pub use params::ParameterSet;

#[cfg(feature = "std")]
pub use crate::message::Reader;
pub use crate::{
    message::Message,
    prehash::{Mode, PreHash},
    random::{Random, Randomness},
};
