//! An allocator that searches what is given back to it.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::SeqCst},
    },
};

use crate::needles::Needles;

/// The first so many finds are told one by one.
const TOLD: usize = 8;

struct Watch {
    needles: AtomicPtr<Needles>,
    blocks: AtomicUsize,
    bytes: AtomicUsize,
    found: AtomicUsize,
    telling: AtomicBool,
}

#[global_allocator]
static WATCH: Watch = Watch {
    needles: AtomicPtr::new(std::ptr::null_mut()),
    blocks: AtomicUsize::new(0),
    bytes: AtomicUsize::new(0),
    found: AtomicUsize::new(0),
    telling: AtomicBool::new(false),
};

static FINDS: Mutex<Vec<(usize, usize, &'static str)>> = Mutex::new(Vec::new());

// SAFETY: everything is left to the system's allocator. `realloc` is the trait's own, which allocates, copies and gives
// the old block back, so that it, too, is searched.
unsafe impl GlobalAlloc for Watch {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract. Zeroed, so that a block has no uninitialised bytes when it comes back.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: null, or leaked by `during`.
        if let Some(needles) = unsafe { self.needles.load(SeqCst).as_ref() } {
            // SAFETY: the caller gives this block up and it was zeroed when it was handed out.
            let memory = unsafe { std::slice::from_raw_parts(block, layout.size()) };
            self.blocks.fetch_add(1, SeqCst);
            self.bytes.fetch_add(memory.len(), SeqCst);
            needles.search(memory, |at, name| {
                self.found.fetch_add(1, SeqCst);
                // what the list itself allocates and gives back is not told again
                if !self.telling.swap(true, SeqCst) {
                    if let Ok(mut finds) = FINDS.try_lock()
                        && finds.len() < TOLD
                    {
                        finds.push((memory.len(), at, name));
                    }
                    self.telling.store(false, SeqCst);
                }
            });
        }
        // SAFETY: the caller's contract.
        unsafe { System.dealloc(block, layout) }
    }
}

/// What was given back while an operation ran.
#[derive(Debug, Default)]
pub struct Seen {
    pub blocks: usize,
    pub bytes: usize,
    /// Matches in all.
    pub found: usize,
    /// Length of the block, place and name of the first ones.
    pub first: Vec<(usize, usize, &'static str)>,
}

/// One operation at a time: memory that another test gives back would be searched, too.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` and searches all that is given back meanwhile, by any thread.
pub fn during(needles: Needles, work: impl FnOnce()) -> Seen {
    let finds = || FINDS.lock().unwrap_or_else(PoisonError::into_inner);
    *finds() = Vec::with_capacity(TOLD);
    for counter in [&WATCH.blocks, &WATCH.bytes, &WATCH.found] {
        counter.store(0, SeqCst);
    }
    // leaked: a thread may still be searching when `work` is done
    WATCH.needles.store(Box::leak(Box::new(needles)), SeqCst);
    work();
    WATCH.needles.store(std::ptr::null_mut(), SeqCst);
    Seen {
        blocks: WATCH.blocks.load(SeqCst),
        bytes: WATCH.bytes.load(SeqCst),
        found: WATCH.found.load(SeqCst),
        first: std::mem::take(&mut *finds()),
    }
}
