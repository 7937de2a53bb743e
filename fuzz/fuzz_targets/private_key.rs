#![no_main]
//! Runs [`hashloom_fuzz::private_key`].

libfuzzer_sys::fuzz_target!(|data: &[u8]| hashloom_fuzz::private_key::run(data));
