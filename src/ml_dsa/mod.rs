//! ML-DSA, the module-lattice-based digital signature algorithm (FIPS 204): all three parameter sets, the internal, pure
//! and pre-hash interfaces, external mu, expanded keys, batches, and keys in the encodings of RFC 9881.
//!
//! | set | category | seed | private key, expanded form | public key | signature |
//! |---|---|---|---|---|---|
//! | ML-DSA-44 | 2 | 32 | 2560 | 1312 | 2420 |
//! | ML-DSA-65 | 3 | 32 | 4032 | 1952 | 3309 |
//! | ML-DSA-87 | 5 | 32 | 4896 | 2592 | 4627 |
//!
//! Sizes are in bytes, categories those of FIPS 204 table 1. What expanded keys take in memory is said with
//! [`ExpandedSigningKey`] and [`ExpandedVerifyingKey`].

mod batch;
mod encoding;
mod expanded;
mod functions;
mod hint;
mod keys;
mod mu;
mod params;
mod private;
mod sample;
mod sign;
mod traits;
mod verify;

pub use batch::{Item, verify_batch};
pub use encoding::PrivateKeyForm;
pub use expanded::{ExpandedSigningKey, ExpandedVerifyingKey};
pub use keys::{Signature, SigningKey, VerifyingKey};
pub use mu::{Mu, MuHasher};
pub use params::ParameterSet;

#[cfg(feature = "std")]
pub use crate::message::Reader;
pub use crate::{
    message::Message,
    prehash::{Mode, PreHash},
    random::{Random, Randomness},
};
