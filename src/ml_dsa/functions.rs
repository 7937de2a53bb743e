//! The functions that ML-DSA is made of (FIPS 204 section 3.7).

pub(crate) use crate::keccak::{Shake128 as G, Shake256 as H, Stream, abreast, side_by_side, stream_many};
