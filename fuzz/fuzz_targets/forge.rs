#![no_main]
//! Runs [`hashloom_fuzz::forge`].

libfuzzer_sys::fuzz_target!(|data: &[u8]| hashloom_fuzz::forge::run(data));
