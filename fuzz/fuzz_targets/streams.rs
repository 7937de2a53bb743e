#![no_main]
//! Runs [`hashloom_fuzz::streams`].

libfuzzer_sys::fuzz_target!(|data: &[u8]| hashloom_fuzz::streams::run(data));
