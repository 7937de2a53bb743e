//! Memory that holds secrets: wiped when dropped, never printed.

use alloc::vec::Vec;
use core::{
    fmt,
    ops::{Deref, DerefMut},
};

/// Overwrites `words` with their zero value in a way that the compiler keeps.
#[inline]
pub(crate) fn wipe<T: Copy + Default>(words: &mut [T]) {
    words.fill(T::default());
    zeroize::optimization_barrier(words);
}

/// Bytes of stack that [`wipe_stack`] overwrites: more than hashing takes in an optimised build.
const SCRUBBED: usize = 16 * 1024;

/// Overwrites the stack below the caller: what kernels spilled, and the old places of hashers that were moved. To be
/// called once per piece of work, where it costs nothing that can be measured.
#[inline(never)]
pub(crate) fn wipe_stack() {
    let mut below = [0_u64; SCRUBBED / 8];
    wipe(&mut below);
}

/// Does work that handles secrets in a frame of its own, and overwrites that frame and the ones below it.
pub(crate) fn scrubbed<T>(work: impl FnOnce() -> T) -> T {
    #[inline(never)]
    fn below<T>(work: impl FnOnce() -> T) -> T {
        work()
    }
    let result = below(work);
    wipe_stack();
    result
}

/// Values on the heap, wiped on drop.
#[derive(Clone)]
pub(crate) struct Wiped<T: Copy + Default>(Vec<T>);

impl<T: Copy + Default> Wiped<T> {
    /// `len` default values.
    pub(crate) fn zeroed(len: usize) -> Self {
        Self(alloc::vec![T::default(); len])
    }
}

impl<T: Copy + Default> Deref for Wiped<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Copy + Default> DerefMut for Wiped<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: Copy + Default> Drop for Wiped<T> {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

impl<T: Copy + Default> fmt::Debug for Wiped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Wiped({} values)", self.0.len())
    }
}

/// Hash values of `N` bytes on the heap, wiped on drop.
#[derive(Clone)]
pub(crate) struct Nodes<const N: usize>(Vec<[u8; N]>);

impl<const N: usize> Nodes<N> {
    /// `len` zero nodes.
    pub(crate) fn zeroed(len: usize) -> Self {
        Self(alloc::vec![[0; N]; len])
    }
}

impl<const N: usize> Deref for Nodes<N> {
    type Target = [[u8; N]];
    fn deref(&self) -> &[[u8; N]] {
        &self.0
    }
}

impl<const N: usize> DerefMut for Nodes<N> {
    fn deref_mut(&mut self) -> &mut [[u8; N]] {
        &mut self.0
    }
}

impl<const N: usize> Drop for Nodes<N> {
    fn drop(&mut self) {
        wipe(self.0.as_flattened_mut());
    }
}

impl<const N: usize> fmt::Debug for Nodes<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Nodes({} x {N} bytes)", self.0.len())
    }
}
