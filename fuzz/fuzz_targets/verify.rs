#![no_main]
//! Runs [`hashloom_fuzz::verify`].

libfuzzer_sys::fuzz_target!(|data: &[u8]| hashloom_fuzz::verify::run(data));
