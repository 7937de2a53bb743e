//! Which bytes a tool takes for undefined: client requests of Valgrind's memcheck, or MemorySanitizer's interface.

/// Marks bytes as undefined without changing them.
pub(crate) fn make_undefined(bytes: &mut [u8]) {
    tool::make_undefined(bytes);
}

/// Marks bytes as defined without changing them.
pub(crate) fn make_defined(bytes: &mut [u8]) {
    tool::make_defined(bytes);
}

/// Whether any of the bytes is marked as undefined.
pub(crate) fn is_undefined(bytes: &[u8]) -> bool {
    tool::is_undefined(bytes)
}

/// Whether any of the words is marked.
#[cfg(hashloom_msan)]
pub(crate) fn is_marked(words: &[i32]) -> bool {
    // SAFETY: the bytes of the words, which have no padding.
    is_undefined(unsafe { core::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) })
}

/// Marks words without changing them.
#[cfg(hashloom_msan)]
pub(crate) fn mark(words: &mut [i32]) {
    // SAFETY: the bytes of the words, any of which are words.
    make_undefined(unsafe { core::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) });
}

/// Valgrind manual, section 3.1 and memcheck's 4.7. A request is six words whose address is in RAX, announced by an
/// instruction sequence that does nothing on a CPU; the answer comes in RDX, which keeps its value without Valgrind.
#[cfg(not(hashloom_msan))]
mod tool {
    use core::arch::asm;

    /// The numbers of memcheck's requests begin with its two letters.
    const MEMCHECK: usize = (b'M' as usize) << 24 | (b'C' as usize) << 16;
    const MAKE_MEM_UNDEFINED: usize = MEMCHECK + 1;
    const MAKE_MEM_DEFINED: usize = MEMCHECK + 2;
    const GET_VBITS: usize = MEMCHECK + 8;

    /// # Safety
    /// `arguments` are what `number` expects, and name memory that it may access.
    unsafe fn request(number: usize, arguments: [usize; 3]) -> usize {
        let words = [number, arguments[0], arguments[1], arguments[2], 0, 0];
        let mut answer = 0;
        // SAFETY: the rotations of RDI add up to two whole turns, the exchange is of a register with itself; under
        // Valgrind the request accesses what the caller vouches for.
        unsafe {
            asm!(
                "rol rdi, 3",
                "rol rdi, 13",
                "rol rdi, 61",
                "rol rdi, 51",
                "xchg rbx, rbx",
                in("rax") &raw const words,
                inout("rdx") answer,
                options(nostack),
            );
        }
        answer
    }

    pub(super) fn make_undefined(bytes: &mut [u8]) {
        // SAFETY: the range is the slice's.
        unsafe { request(MAKE_MEM_UNDEFINED, [bytes.as_mut_ptr() as usize, bytes.len(), 0]) };
    }

    pub(super) fn make_defined(bytes: &mut [u8]) {
        // SAFETY: the range is the slice's.
        unsafe { request(MAKE_MEM_DEFINED, [bytes.as_mut_ptr() as usize, bytes.len(), 0]) };
    }

    pub(super) fn is_undefined(bytes: &[u8]) -> bool {
        bytes.iter().any(|byte| {
            let mut undefined_bits = 0_u8;
            let arguments = [&raw const *byte as usize, &raw mut undefined_bits as usize, 1];
            // SAFETY: one byte is looked at, one is written.
            let answer = unsafe { request(GET_VBITS, arguments) };
            answer == 1 && undefined_bits != 0
        })
    }
}

/// `sanitizer/msan_interface.h` of LLVM's compiler-rt.
#[cfg(hashloom_msan)]
mod tool {
    use core::ffi::c_void;

    unsafe extern "C" {
        fn __msan_poison(start: *const c_void, size: usize);
        fn __msan_unpoison(start: *const c_void, size: usize);
        fn __msan_test_shadow(start: *const c_void, size: usize) -> isize;
    }

    pub(super) fn make_undefined(bytes: &mut [u8]) {
        // SAFETY: the range is the slice's.
        unsafe { __msan_poison(bytes.as_mut_ptr().cast(), bytes.len()) };
    }

    pub(super) fn make_defined(bytes: &mut [u8]) {
        // SAFETY: the range is the slice's.
        unsafe { __msan_unpoison(bytes.as_mut_ptr().cast(), bytes.len()) };
    }

    pub(super) fn is_undefined(bytes: &[u8]) -> bool {
        // SAFETY: the range is the slice's. The answer is the offset of the first undefined byte, or -1.
        unsafe { __msan_test_shadow(bytes.as_ptr().cast(), bytes.len()) >= 0 }
    }
}
