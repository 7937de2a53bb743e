//! One module per command.

pub mod bench;
pub mod completions;
pub mod engine;
pub mod hash;
pub mod kat;
pub mod key;
pub mod keygen;
pub mod sign;
pub mod verify;
