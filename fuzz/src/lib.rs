//! Fuzz targets: each module's `run` takes an input apart and panics if a property of the library does not hold.

pub mod chain_many;
pub mod chunking;
pub mod cli_files;
pub mod encrypted_key;
pub mod forge;
pub mod hash_many;
pub mod keyed;
pub mod ml_dsa_hint;
pub mod ml_dsa_key;
pub mod ml_dsa_verify;
pub mod private_key;
pub mod public_key;
pub mod streams;
pub mod vectors;
pub mod verify;

mod common;
mod rivals;
