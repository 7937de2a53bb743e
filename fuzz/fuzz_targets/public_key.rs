#![no_main]
//! Runs [`hashloom_fuzz::public_key`].

libfuzzer_sys::fuzz_target!(|data: &[u8]| hashloom_fuzz::public_key::run(data));
