//! Threads on memory that the test owns and can read when they have ended.

use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    ffi::c_void,
    mem::MaybeUninit,
    slice,
};

const LEN: usize = 1 << 20;
const LAYOUT: Layout = match Layout::from_size_align(LEN, 4096) {
    Ok(layout) => layout,
    Err(_) => panic!("a page is an alignment"),
};

/// A thread that runs on a stack of its own memory.
pub struct Thread {
    memory: *mut u8,
    id: libc::pthread_t,
}

type Work = Box<dyn FnOnce() + Send>;

extern "C" fn start(work: *mut c_void) -> *mut c_void {
    // SAFETY: the pointer that `Thread::start` made of a box, once.
    let work: Box<Work> = unsafe { Box::from_raw(work.cast()) };
    work();
    std::ptr::null_mut()
}

impl Thread {
    pub fn start(work: Work) -> Self {
        // SAFETY: the layout is not empty.
        let memory = unsafe { alloc_zeroed(LAYOUT) };
        assert!(!memory.is_null());
        let work = Box::into_raw(Box::new(work));
        let mut attributes = MaybeUninit::uninit();
        let mut id = MaybeUninit::uninit();
        // SAFETY: the attributes are initialised before they are used; the memory is aligned, of that length, and
        // nobody else's until the thread has been joined; `start` takes over the box.
        let id = unsafe {
            assert_eq!(libc::pthread_attr_init(attributes.as_mut_ptr()), 0);
            assert_eq!(libc::pthread_attr_setstack(attributes.as_mut_ptr(), memory.cast(), LEN), 0);
            assert_eq!(libc::pthread_create(id.as_mut_ptr(), attributes.as_ptr(), start, work.cast()), 0);
            libc::pthread_attr_destroy(attributes.as_mut_ptr());
            id.assume_init()
        };
        Self { memory, id }
    }

    /// Waits for the thread's end and hands its stack, lowest address first, to `look`.
    pub fn join(self, look: impl FnOnce(&[u8])) {
        // SAFETY: the thread was created by `start` and is joined once.
        assert_eq!(unsafe { libc::pthread_join(self.id, std::ptr::null_mut()) }, 0);
        // SAFETY: zeroed when it was allocated and now nobody else's.
        look(unsafe { slice::from_raw_parts(self.memory, LEN) });
        // SAFETY: allocated by `start` with this layout.
        unsafe { dealloc(self.memory, LAYOUT) };
    }
}
