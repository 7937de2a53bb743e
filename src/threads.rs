//! Independent pieces of work, on the threads of the current rayon pool where that feature is on.

use alloc::vec::Vec;

use crate::secret::wipe_stack;

/// `work`, and nothing of it left on the stack of the thread that did it.
fn wiping<P, R>(work: impl Fn(P) -> R + Send + Sync) -> impl Fn(P) -> R + Send + Sync {
    #[inline(never)]
    fn below<P, R>(work: &impl Fn(P) -> R, piece: P) -> R {
        work(piece)
    }
    move |piece| {
        let result = below(&work, piece);
        wipe_stack();
        result
    }
}

/// How many pieces run at once.
pub(crate) fn count() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    1
}

/// Does `work` on every piece, in any order.
pub(crate) fn for_each<P: Send>(pieces: Vec<P>, work: impl Fn(P) + Send + Sync) {
    let work = wiping(work);
    #[cfg(feature = "rayon")]
    {
        use rayon::iter::{IntoParallelIterator, ParallelIterator};
        pieces.into_par_iter().for_each(work);
    }
    #[cfg(not(feature = "rayon"))]
    pieces.into_iter().for_each(work);
}

/// `work` on every piece, results in the order of the pieces.
pub(crate) fn map<P: Send, R: Send>(pieces: Vec<P>, work: impl Fn(P) -> R + Send + Sync) -> Vec<R> {
    let work = wiping(work);
    #[cfg(feature = "rayon")]
    {
        use rayon::iter::{IntoParallelIterator, ParallelIterator};
        pieces.into_par_iter().map(work).collect()
    }
    #[cfg(not(feature = "rayon"))]
    pieces.into_iter().map(work).collect()
}
