#![no_main]
//! Runs [`hashloom_fuzz::ml_dsa_hint`].

libfuzzer_sys::fuzz_target!(|data: &[u8]| hashloom_fuzz::ml_dsa_hint::run(data));
