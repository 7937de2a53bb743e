//! ML-DSA, the module-lattice-based digital signature algorithm (FIPS 204): all three parameter sets, the internal, pure
//! and pre-hash interfaces, external mu, expanded keys, batches, and keys in the encodings of RFC 9881.

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
