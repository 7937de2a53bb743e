#![no_main]
//! Runs [`hashloom_fuzz::encrypted_key`].

libfuzzer_sys::fuzz_target!(|data: &[u8]| hashloom_fuzz::encrypted_key::run(data));
