#![no_main]
//! Runs [`hashloom_fuzz::vectors`].

libfuzzer_sys::fuzz_target!(|data: &[u8]| hashloom_fuzz::vectors::run(data));
