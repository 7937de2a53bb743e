//! Independent pieces of work, on the threads of the current rayon pool where that feature is on.

use alloc::vec::Vec;

/// Does `work` on every piece, in any order.
pub(crate) fn for_each<P: Send>(pieces: Vec<P>, work: impl Fn(P) + Send + Sync) {
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
    #[cfg(feature = "rayon")]
    {
        use rayon::iter::{IntoParallelIterator, ParallelIterator};
        pieces.into_par_iter().map(work).collect()
    }
    #[cfg(not(feature = "rayon"))]
    pieces.into_iter().map(work).collect()
}
