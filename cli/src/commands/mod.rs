//! One module per command.

pub mod bench;
pub mod completions;
pub mod engine;
pub mod hash;
pub mod kat;
pub mod kdf;
pub mod key;
pub mod keyed;
pub mod keygen;
pub mod mac;
pub mod mu;
pub mod sign;
pub mod verify;
