#![no_main]
//! Runs [`hashloom_fuzz::cli_files`].

libfuzzer_sys::fuzz_target!(|data: &[u8]| hashloom_fuzz::cli_files::run(data));
