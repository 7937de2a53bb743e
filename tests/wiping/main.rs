//! What is left in memory of secrets: every block that is given back to the allocator while an operation runs is
//! searched, and so are the stacks of the threads that ran it.
//!
//! Searched for are SK.seed and SK.prf in the orders in which hash functions load them, SK.prf as HMAC pads it and what
//! becomes of that, opt_rand, and the values that PRF makes of SK.seed, except what the signature shows. Controls plant
//! the same bytes and must be found.
#![cfg(all(unix, feature = "rayon"))]
#![allow(unsafe_code)] // an allocator that looks at what it gets back; threads on stacks that the test owns

#[path = "../common/mod.rs"]
mod common;

mod heap;
mod keyed;
mod lattice;
mod needles;
mod operations;
mod residue;
mod stack;
mod watch;
