#![no_main]
//! Runs [`hashloom_fuzz::chain_many`].

libfuzzer_sys::fuzz_target!(|data: &[u8]| hashloom_fuzz::chain_many::run(data));
