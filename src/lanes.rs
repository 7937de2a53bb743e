//! What a backend provides: vector operations, lane states, kernels, and the jobs that run on them.
//!
//! State is plain word-major memory: `state[word][lane]`. Refilling a lane is ordinary indexing, a kernel is a
//! function over arrays, and wiping has one target. Every state wipes itself when it is dropped, once per job.

mod ring;

use core::ops::Range;

pub use ring::{Poly, RingTable};

use crate::{adrs::Adrs, secret::wipe};

/// A SHA-2 word: `u32` for SHA-224/256, `u64` for the SHA-512 family (FIPS 180-4 section 4).
///
/// The constants are the ones that differ between the two halves of the standard, so that one round text serves both.
pub trait Word: Copy + Default + From<u16> + Send + Sync + 'static {
    /// One message block as bytes.
    type Block: AsRef<[u8]> + AsMut<[u8]> + Copy + Send + Sync;
    /// A block of zero bytes.
    const ZERO_BLOCK: Self::Block;
    /// Bytes of a word.
    const BYTES: usize;
    /// Bytes of the message length at the end of the padding (FIPS 180-4 section 5.1).
    const LENGTH_BYTES: usize;
    /// Round constants K (FIPS 180-4 section 4.2), by sixteen rounds.
    const K: &'static [[Self; 16]];
    /// Right rotations of Sigma0 (FIPS 180-4 section 4.1).
    const BIG0: [u32; 3];
    /// Right rotations of Sigma1.
    const BIG1: [u32; 3];
    /// Two right rotations and a right shift of sigma0.
    const SMALL0: [u32; 3];
    /// Two right rotations and a right shift of sigma1.
    const SMALL1: [u32; 3];
    /// All bits of the upper half.
    const UPPER: Self;
    /// The first bit of the padding where a word begins, and where its lower half does.
    const PAD: [Self; 2];
    /// Writes the leading `out.len()` of the word's big-endian bytes.
    fn to_be(self, out: &mut [u8]);
    /// The word of these leading big-endian bytes, zeros after them.
    fn from_be(bytes: &[u8]) -> Self;
}

/// Vector operations on `W` words at once, as methods of a backend's token: holding the token proves that the CPU
/// can execute them, so they are safe to call.
///
/// Everything here must inline into a kernel: `#[inline(always)]` on every implementation.
pub trait Ops<T: Word, const W: usize>: Copy {
    /// `W` words.
    type V: Copy;
    /// Two Keccak rounds per loop iteration where that measures faster than one.
    const TWO_ROUNDS: bool = true;
    /// Keccak with inverted words, where and-not is not one instruction.
    const INVERT: bool = false;
    /// Reads one word-major row.
    fn load(self, row: &[T; W]) -> Self::V;
    /// Writes one word-major row.
    fn store(self, v: Self::V, row: &mut [T; W]);
    /// Reads `W` consecutive little-endian words of one lane; `bytes` holds at least `W * T::BYTES`.
    fn load_le(self, bytes: &[u8]) -> Self::V;
    /// Reverses the bytes of each word.
    fn swap_bytes(self, v: Self::V) -> Self::V;
    /// Turns `W` lanes of `W` words into `W` words of `W` lanes.
    fn transpose(self, rows: [Self::V; W]) -> [Self::V; W];
    /// `x` in every lane.
    fn splat(self, x: T) -> Self::V;
    /// Addition modulo 2^32 or 2^64.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a ^ b`
    fn xor(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a & b`
    fn and(self, a: Self::V, b: Self::V) -> Self::V;
    /// `!a & b`
    fn andn(self, a: Self::V, b: Self::V) -> Self::V;
    /// Rotation to the right by a constant 0 < n < word size.
    fn ror(self, a: Self::V, n: u32) -> Self::V;
    /// Shift to the right by a constant 0 < n < word size.
    fn shr(self, a: Self::V, n: u32) -> Self::V;
    /// `a ^ b ^ c`
    #[inline(always)]
    fn xor3(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V {
        self.xor(self.xor(a, b), c)
    }
    /// `a ^ b` rotated to the left by one, b alone: Keccak's theta.
    #[inline(always)]
    fn xor_rol1(self, a: Self::V, b: Self::V) -> Self::V {
        self.xor(a, self.ror(b, 8 * T::BYTES as u32 - 1))
    }
    /// The rotation of `a ^ b` to the right by a constant 0 < n < word size: Keccak's rho.
    #[inline(always)]
    fn xor_ror(self, a: Self::V, b: Self::V, n: u32) -> Self::V {
        self.ror(self.xor(a, b), n)
    }
    /// Keccak's chi: `a ^ (!b & c)`
    #[inline(always)]
    fn chi(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V {
        self.xor(a, self.andn(b, c))
    }
    /// SHA-2's Ch: `e` chooses between `f` and `g`.
    #[inline(always)]
    fn ch(self, e: Self::V, f: Self::V, g: Self::V) -> Self::V {
        self.xor(g, self.and(e, self.xor(f, g)))
    }
    /// SHA-2's Maj of a, b and c. `bc` carries b ^ c in and a ^ b, the next round's b ^ c, out.
    #[inline(always)]
    fn maj(self, a: Self::V, b: Self::V, _c: Self::V, bc: &mut Self::V) -> Self::V {
        let ab = self.xor(a, b);
        let r = self.xor(self.and(ab, *bc), b);
        *bc = ab;
        r
    }
}

/// Words of the longest Keccak block, SHAKE128's.
pub const MAX_BLOCK: usize = 21;

/// `W` Keccak states, `[word][lane]`, word x + 5y as in FIPS 202 section 3.1.2.
#[repr(C, align(64))]
pub struct KeccakState<const W: usize>(pub [[u64; W]; 25]);

/// `W` SHAKE256 chains between two steps: the words of PK.seed, ADRS and the node (FIPS 205 section 11.1).
/// Words are little-endian loads of the bytes; a lane's hash address is the top byte of `adrs[3]`.
#[repr(C, align(64))]
pub struct KeccakChains<const W: usize> {
    pub(crate) seed: [[u64; W]; 4],
    pub(crate) adrs: [[u64; W]; 4],
    pub(crate) x: [[u64; W]; 4],
}

/// `W` SHA-2 states, `[word][lane]`.
#[repr(C, align(64))]
pub struct Sha2State<T: Word, const W: usize>(pub [[T; W]; 8]);

/// `W` SHA-256 chains between two steps: the state after the block PK.seed || 0.., the words of the compressed ADRS
/// and the node (FIPS 205 section 11.2). The hash address stands alone because it changes with every step: the low
/// half of the ADRS' last word, in the upper half of `hash`.
#[repr(C, align(64))]
pub struct Sha256Chains<const W: usize> {
    pub(crate) mid: [[u32; W]; 8],
    pub(crate) adrs: [[u32; W]; 5],
    pub(crate) hash: [[u32; W]; 1],
    pub(crate) x: [[u32; W]; 8],
}

/// `W` blocks of PBKDF2 between two iterations of HMAC with a SHA-2 function (RFC 8018 section 5.2): the states after
/// the two padded keys, inner and outer, U_i as words, and the sum of all U so far. Of a digest that is shorter than the
/// state, what follows is ignored.
#[repr(C, align(64))]
pub struct Sha2Iterations<T: Word, const W: usize> {
    pub(crate) keys: [[[T; W]; 8]; 2],
    pub(crate) u: [[T; W]; 8],
    pub(crate) sum: [[T; W]; 8],
}

impl<const W: usize> KeccakState<W> {
    pub(crate) fn new() -> Self {
        Self([[0; W]; 25])
    }
}

impl<const W: usize> KeccakChains<W> {
    pub(crate) fn new() -> Self {
        Self { seed: [[0; W]; 4], adrs: [[0; W]; 4], x: [[0; W]; 4] }
    }
}

impl<T: Word, const W: usize> Sha2State<T, W> {
    pub(crate) fn new() -> Self {
        Self([[T::default(); W]; 8])
    }
}

impl<const W: usize> Sha256Chains<W> {
    pub(crate) fn new() -> Self {
        Self { mid: [[0; W]; 8], adrs: [[0; W]; 5], hash: [[0; W]; 1], x: [[0; W]; 8] }
    }
}

impl<const W: usize> Drop for KeccakState<W> {
    fn drop(&mut self) {
        wipe(self.0.as_flattened_mut());
    }
}

impl<const W: usize> Drop for KeccakChains<W> {
    fn drop(&mut self) {
        wipe(self.x.as_flattened_mut());
    }
}

impl<T: Word, const W: usize> Sha2Iterations<T, W> {
    pub(crate) fn new() -> Self {
        Self { keys: [[[T::default(); W]; 8]; 2], u: [[T::default(); W]; 8], sum: [[T::default(); W]; 8] }
    }
}

impl<T: Word, const W: usize> Drop for Sha2Iterations<T, W> {
    fn drop(&mut self) {
        wipe(self.keys.as_flattened_mut().as_flattened_mut());
        wipe(self.u.as_flattened_mut());
        wipe(self.sum.as_flattened_mut());
    }
}

impl<T: Word, const W: usize> Drop for Sha2State<T, W> {
    fn drop(&mut self) {
        wipe(self.0.as_flattened_mut());
    }
}

impl<const W: usize> Drop for Sha256Chains<W> {
    fn drop(&mut self) {
        wipe(self.x.as_flattened_mut());
    }
}

/// `Keccak-f[1600]` on `W` states.
pub trait KeccakLanes<const W: usize>: Copy {
    /// One permutation of each state (FIPS 202 section 3.3).
    fn permute(self, s: &mut KeccakState<W>);
    /// PRF of each lane if `prf`, then `steps` applications of SHAKE256's F, hash addresses counting up (FIPS 205
    /// section 5, Alg. 5).
    fn chain<const N: usize>(self, c: &mut KeccakChains<W>, prf: bool, steps: u32);
    /// XORs `rows[lane]`, little-endian words, into the words of that lane from `at` on. All rows have one length,
    /// a multiple of 8 bytes that ends within the state.
    fn absorb(self, s: &mut KeccakState<W>, at: usize, rows: &[&[u8]; W]);
    /// The words of SHAKE128's block, the longest, of each lane.
    fn squeeze(self, s: &KeccakState<W>, blocks: &mut [[u64; MAX_BLOCK]; W]);
}

/// A SHA-2 compression function on `W` states.
pub trait Sha2Lanes<T: Word, const W: usize>: Copy {
    /// One block into each state (FIPS 180-4 section 6).
    fn compress(self, s: &mut Sha2State<T, W>, blocks: &[T::Block; W]);
    /// `count` times U <- HMAC(password, U) and sum <- sum ^ U, with a digest of `LEN` bytes (RFC 8018 section 5.2).
    fn iterate<const LEN: usize>(self, c: &mut Sha2Iterations<T, W>, count: u32);
}

/// SHA-256 with SLH-DSA's chains.
pub trait Sha256Lanes<const W: usize>: Sha2Lanes<u32, W> {
    /// PRF of each lane if `prf`, then `steps` applications of SHA-256's F, hash addresses counting up (FIPS 205
    /// section 5, Alg. 5).
    fn chain<const N: usize>(self, c: &mut Sha256Chains<W>, prf: bool, steps: u32);
}

/// Work on many independent items, generic over the lanes that will run it.
pub trait Items {
    /// How many items there are.
    fn len(&self) -> usize;
}

/// Work for Keccak lanes. `run` is instantiated once per backend, inside that backend's target features.
pub trait KeccakJob: Items {
    /// Does the given items.
    fn run<const W: usize, K: KeccakLanes<W>>(&mut self, k: K, items: Range<usize>);
}

/// Work for SHA-2 lanes of either word size.
pub trait Sha2Job<T: Word>: Items {
    /// Does the given items.
    fn run<const W: usize, K: Sha2Lanes<T, W>>(&mut self, k: K, items: Range<usize>);
}

/// Work for SHA-256 lanes that may use chains.
pub trait Sha256Job: Items {
    /// Does the given items.
    fn run<const W: usize, K: Sha256Lanes<W>>(&mut self, k: K, items: Range<usize>);
}

impl<J: Sha2Job<u32>> Sha256Job for J {
    #[inline(always)]
    fn run<const W: usize, K: Sha256Lanes<W>>(&mut self, k: K, items: Range<usize>) {
        Sha2Job::run(self, k, items);
    }
}

/// A lane-major view of chain states, so that one scheduler drives both families.
pub trait ChainLanes<const N: usize> {
    /// What PK.seed has become for this hash.
    type Prefix;
    /// Gives a lane its prefix.
    fn set_prefix(&mut self, lane: usize, prefix: &Self::Prefix);
    /// Gives a lane its address, whose hash field is where the chain starts.
    fn set_adrs(&mut self, lane: usize, adrs: &Adrs);
    /// Gives all lanes one value.
    fn set_values(&mut self, x: &[u8; N]);
    /// Gives a lane its value.
    fn set_value(&mut self, lane: usize, x: &[u8; N]);
    /// The value that a lane has reached.
    fn value(&self, lane: usize, x: &mut [u8; N]);
}
