#![no_main]
//! Runs [`hashloom_fuzz::chunking`].

libfuzzer_sys::fuzz_target!(|data: &[u8]| hashloom_fuzz::chunking::run(data));
