#![no_main]
//! Runs [`hashloom_fuzz::ml_dsa_verify`].

libfuzzer_sys::fuzz_target!(|data: &[u8]| hashloom_fuzz::ml_dsa_verify::run(data));
