#![no_main]
//! Panics on an input that only coverage leads to in reasonable time.

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if data.first() == Some(&b'l') && data.get(1) == Some(&b'o') && data.get(2) == Some(&b'o') {
        assert_ne!(data.get(3), Some(&b'm'), "planted crash");
    }
});
