#![no_main]
//! Runs [`hashloom_fuzz::keyed`].

libfuzzer_sys::fuzz_target!(|data: &[u8]| hashloom_fuzz::keyed::run(data));
