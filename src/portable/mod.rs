//! The round texts, written once over a token's vector operations, and the backend that runs them on plain words.

pub mod keccak;
pub mod ring;
pub mod sha2;
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(hashloom_portable_only)))]
pub mod transform;

use crate::lanes::{
    KeccakChains, KeccakLanes, KeccakState, MAX_BLOCK, Ops, Sha2Iterations, Sha2Lanes, Sha2State, Sha256Chains,
    Sha256Lanes, Word,
};

/// A local that forces the alignment of the frame it lives in. Without it a kernel spills to where its caller's frame
/// happens to end: a register across a page boundary costs up to 60 %, at random per process, and a scalar chain that is
/// unluckily placed up to 80 %.
#[repr(align(64))]
pub struct Pad(pub [u8; 1]);

macro_rules! align_frame {
    () => {
        let mut pad = crate::portable::Pad([0]);
        core::hint::black_box(&mut pad.0);
    };
}
#[cfg(all(target_arch = "x86_64", not(hashloom_portable_only)))]
pub(crate) use align_frame;

/// The portable backend: one lane, no assumption about the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar;

macro_rules! scalar_ops {
    ($($word:ty),*) => { $(
        impl Ops<$word, 1> for Scalar {
            type V = $word;
            const INVERT: bool = cfg!(all(target_arch = "x86_64", not(target_feature = "bmi1")));
            #[inline(always)]
            fn load(self, row: &[$word; 1]) -> $word {
                row[0]
            }
            #[inline(always)]
            fn store(self, v: $word, row: &mut [$word; 1]) {
                row[0] = v;
            }
            #[inline(always)]
            fn load_le(self, bytes: &[u8]) -> $word {
                let mut word = [0; size_of::<$word>()];
                word.copy_from_slice(&bytes[..size_of::<$word>()]);
                <$word>::from_le_bytes(word)
            }
            #[inline(always)]
            fn swap_bytes(self, v: $word) -> $word {
                v.swap_bytes()
            }
            #[inline(always)]
            fn transpose(self, rows: [$word; 1]) -> [$word; 1] {
                rows
            }
            #[inline(always)]
            fn splat(self, x: $word) -> $word {
                x
            }
            #[inline(always)]
            fn add(self, a: $word, b: $word) -> $word {
                a.wrapping_add(b)
            }
            #[inline(always)]
            fn xor(self, a: $word, b: $word) -> $word {
                a ^ b
            }
            #[inline(always)]
            fn and(self, a: $word, b: $word) -> $word {
                a & b
            }
            #[inline(always)]
            fn andn(self, a: $word, b: $word) -> $word {
                !a & b
            }
            #[inline(always)]
            fn ror(self, a: $word, n: u32) -> $word {
                a.rotate_right(n)
            }
            #[inline(always)]
            fn shr(self, a: $word, n: u32) -> $word {
                a >> n
            }
        }
    )* };
}
scalar_ops!(u32, u64);

// One copy of each kernel, called from every job: small code and stable timing.

#[inline(never)]
fn permute(s: &mut KeccakState<1>) {
    keccak::permute(Scalar, s);
}

#[inline(never)]
fn keccak_chain<const N: usize>(c: &mut KeccakChains<1>, prf: bool, steps: u32) {
    keccak::chain::<1, N, _>(Scalar, c, prf, steps);
}

#[inline(never)]
fn compress<T: Word>(s: &mut Sha2State<T, 1>, blocks: &[T::Block; 1])
where
    Scalar: Ops<T, 1>,
{
    sha2::compress(Scalar, s, blocks);
}

#[inline(never)]
fn iterate<T: Word, const LEN: usize>(c: &mut Sha2Iterations<T, 1>, count: u32)
where
    Scalar: Ops<T, 1>,
{
    sha2::iterate::<T, 1, LEN, _>(Scalar, c, count);
}

#[inline(never)]
fn sha256_chain<const N: usize>(c: &mut Sha256Chains<1>, prf: bool, steps: u32) {
    align_frame!();
    sha2::chain::<1, N, _>(Scalar, c, prf, steps);
}

impl KeccakLanes<1> for Scalar {
    #[inline(always)]
    fn permute(self, s: &mut KeccakState<1>) {
        permute(s);
    }
    #[inline(always)]
    fn chain<const N: usize>(self, c: &mut KeccakChains<1>, prf: bool, steps: u32) {
        keccak_chain::<N>(c, prf, steps);
    }
    #[inline(always)]
    fn absorb(self, s: &mut KeccakState<1>, at: usize, rows: &[&[u8]; 1]) {
        keccak::absorb(self, s, at, rows);
    }
    #[inline(always)]
    fn squeeze(self, s: &KeccakState<1>, blocks: &mut [[u64; MAX_BLOCK]; 1]) {
        keccak::squeeze(self, s, blocks);
    }
}

impl<T: Word> Sha2Lanes<T, 1> for Scalar
where
    Scalar: Ops<T, 1>,
{
    #[inline(always)]
    fn compress(self, s: &mut Sha2State<T, 1>, blocks: &[T::Block; 1]) {
        compress(s, blocks);
    }
    #[inline(always)]
    fn iterate<const LEN: usize>(self, c: &mut Sha2Iterations<T, 1>, count: u32) {
        iterate::<T, LEN>(c, count);
    }
}

impl Sha256Lanes<1> for Scalar {
    #[inline(always)]
    fn chain<const N: usize>(self, c: &mut Sha256Chains<1>, prf: bool, steps: u32) {
        sha256_chain::<N>(c, prf, steps);
    }
}
