//! Work on the threads of the pool, begun in order.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs `f` on every item; it says whether to go on. Threads take items in order, so that what must wait for its turn
/// to be printed waits briefly.
pub fn for_each<T: Sync>(items: &[T], f: impl Fn(&T) -> bool + Sync) {
    let next = AtomicUsize::new(0);
    rayon::broadcast(|_| {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            if !f(item) {
                next.store(items.len(), Ordering::Relaxed);
            }
        }
    });
}
