#![no_main]
//! Runs [`hashloom_fuzz::hash_many`].

libfuzzer_sys::fuzz_target!(|data: &[u8]| hashloom_fuzz::hash_many::run(data));
