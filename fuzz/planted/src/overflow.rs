#![no_main]
//! Reads one byte past the end of a heap allocation: address sanitizer must see what no assertion does.

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let copy = data.to_vec();
    if copy.len() > 2 && copy[0] == b'h' {
        // SAFETY: none; the read is out of bounds on purpose.
        let past = unsafe { std::ptr::read_volatile(copy.as_ptr().add(copy.capacity())) };
        std::hint::black_box(past);
    }
});
