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
mod message;
mod params;
mod prehash;
mod scheme;
mod wots;

pub use batch::{Item, verify_batch};
pub use keys::{Random, Randomness, Signature, SigningKey, VerifyingKey};
pub use message::Message;
#[cfg(feature = "std")]
pub use message::Reader;
pub use params::ParameterSet;
pub use prehash::{Mode, PreHash};
