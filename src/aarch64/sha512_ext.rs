//! The SHA-512 extension: SHA-512 by instruction, two streams interleaved to hide its latency, or one.
//!
//! The instructions do two rounds at once. They want a state as four registers of two words, A B to G H from the low
//! word up, and the message as eight.

#[allow(clippy::wildcard_imports)]
use core::arch::aarch64::*;
use core::ops::Range;

use super::{enter_streams, neon::words64x2};
use crate::lanes::{Sha2Iterations, Sha2Job, Sha2Lanes, Sha2State, Word};

/// Proof that this CPU has the SHA-512 and SHA-3 extensions, which Rust knows as one feature, and NEON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sha512Ext(());

/// Streams that are interleaved: a state and a window of the message take twelve registers, so that two fill 24 of 32.
pub(crate) const STREAMS: usize = 2;

impl Sha512Ext {
    /// The token, if the operating system reports the extensions.
    pub(crate) fn detect(found: super::Features) -> Option<Self> {
        found.sha3.then_some(Self(()))
    }
}

/// A stream's state: A B, C D, E F and G H.
type State = [uint64x2_t; 4];

/// # Safety
/// Needs NEON.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn states<const W: usize>(s: &[[u64; W]; 8]) -> [State; W] {
    // SAFETY: NEON by the contract; a row of two words is 16 readable bytes, and so is a literal.
    unsafe {
        let mut out = [[vdupq_n_u64(0); 4]; W];
        for i in 0..4 {
            let (even, odd) = (&s[2 * i], &s[2 * i + 1]);
            if W == 2 {
                let square = words64x2([vld1q_u64(even.as_ptr()), vld1q_u64(odd.as_ptr())]);
                for lane in 0..W {
                    out[lane][i] = square[lane];
                }
            } else {
                for lane in 0..W {
                    out[lane][i] = vld1q_u64([even[lane], odd[lane]].as_ptr());
                }
            }
        }
        out
    }
}

/// The sum of both states.
///
/// # Safety
/// Needs NEON.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn feed_forward<const W: usize>(v: &[State; W], before: &[State; W]) -> [State; W] {
    let mut out = *before;
    for lane in 0..W {
        for i in 0..4 {
            // SAFETY: NEON by the contract.
            out[lane][i] = unsafe { vaddq_u64(v[lane][i], before[lane][i]) };
        }
    }
    out
}

/// The reverse of [`states`].
///
/// # Safety
/// Needs NEON.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn rows<const W: usize>(v: &[State; W], s: &mut [[u64; W]; 8]) {
    // SAFETY: NEON by the contract; a row of two words is 16 writable bytes, and so is `words`.
    unsafe {
        for i in 0..4 {
            if W == 2 {
                let square = words64x2([v[0][i], v[1][i]]);
                vst1q_u64(s[2 * i].as_mut_ptr(), square[0]);
                vst1q_u64(s[2 * i + 1].as_mut_ptr(), square[1]);
            } else {
                for lane in 0..W {
                    let mut words = [0; 2];
                    vst1q_u64(words.as_mut_ptr(), v[lane][i]);
                    (s[2 * i][lane], s[2 * i + 1][lane]) = (words[0], words[1]);
                }
            }
        }
    }
}

/// Two rounds of every stream, number `i` of eight such pairs, on constants `k` and the message words in `m[i]`.
///
/// # Safety
/// Needs the SHA-512 instructions and NEON.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn rounds<const W: usize>(v: &mut [State; W], m: &[[uint64x2_t; W]; 8], k: &[u64; 16], i: usize) {
    // SAFETY: the instructions by the contract; an eighth of a row of constants is 16 readable bytes.
    unsafe {
        let k = vld1q_u64(k.as_chunks::<2>().0[i].as_ptr());
        for lane in 0..W {
            let [ab, cd, ef, gh] = v[lane];
            // the first round adds to H, the second to G
            let kw = vaddq_u64(m[i][lane], k);
            let sum = vaddq_u64(gh, vextq_u64::<1>(kw, kw));
            let t1 = vsha512hq_u64(sum, vextq_u64::<1>(ef, gh), vextq_u64::<1>(cd, ef));
            v[lane] = [vsha512h2q_u64(t1, cd, ab), ab, vaddq_u64(cd, t1), ef];
        }
    }
}

/// The message schedule: `m[j]` becomes the two words sixteen later.
///
/// # Safety
/// Needs the SHA-512 instructions and NEON.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn expand<const W: usize>(m: &mut [[uint64x2_t; W]; 8], j: usize) {
    // SAFETY: the instructions by the contract.
    unsafe {
        for lane in 0..W {
            let w = vsha512su0q_u64(m[j][lane], m[(j + 1) % 8][lane]);
            let ninth = vextq_u64::<1>(m[(j + 4) % 8][lane], m[(j + 5) % 8][lane]);
            m[j][lane] = vsha512su1q_u64(w, m[(j + 7) % 8][lane], ninth);
        }
    }
}

/// All rounds of every stream.
///
/// # Safety
/// Needs the SHA-512 instructions and NEON.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn all_rounds<const W: usize>(v: &mut [State; W], m: &mut [[uint64x2_t; W]; 8]) {
    // SAFETY: the instructions by the contract.
    unsafe {
        macro_rules! pairs {
            ($($i:literal)*) => { $(rounds(v, m, &u64::K[0], $i);)* };
            ($k:expr; $($i:literal)*) => { $(
                expand(m, $i);
                rounds(v, m, $k, $i);
            )* };
        }
        pairs!(0 1 2 3 4 5 6 7);
        let mut i = 1;
        while i < u64::K.len() {
            pairs!(&u64::K[i]; 0 1 2 3 4 5 6 7);
            i += 1;
        }
    }
}

/// One block into each state.
#[target_feature(enable = "neon,sha3")]
#[inline(never)]
fn compress<const W: usize>(_: Sha512Ext, s: &mut Sha2State<u64, W>, blocks: &[[u8; 128]; W]) {
    // SAFETY: the features are this function's own; an eighth of a block is 16 readable bytes.
    unsafe {
        let before = states(&s.0);
        let mut v = before;
        let mut m = [[vdupq_n_u64(0); W]; 8];
        for lane in 0..W {
            let eighths = blocks[lane].as_chunks::<16>().0;
            for j in 0..8 {
                m[j][lane] = vreinterpretq_u64_u8(vrev64q_u8(vld1q_u8(eighths[j].as_ptr())));
            }
        }
        all_rounds(&mut v, &mut m);
        rows(&feed_forward(&v, &before), &mut s.0);
    }
}

/// HMAC iterated, as `portable::sha2::iterate`: a digest is the next message as it is.
#[target_feature(enable = "neon,sha3")]
#[inline(never)]
fn iterate<const W: usize, const LEN: usize>(_: Sha512Ext, c: &mut Sha2Iterations<u64, W>, count: u32) {
    // SAFETY: the features are this function's own; literals of two words are 16 readable bytes.
    unsafe {
        macro_rules! words {
            ($even:expr, $odd:expr) => {
                vld1q_u64([$even, $odd].as_ptr())
            };
        }
        let keys = [states(&c.keys[0]), states(&c.keys[1])];
        let (mut u, mut sum) = (states(&c.u), states(&c.sum));
        let mut n = 0;
        while n < count {
            let mut pass = 0;
            while pass < 2 {
                let mut m = [[words!(0, 0); W]; 8];
                for lane in 0..W {
                    for i in 0..LEN.div_ceil(16) {
                        m[i][lane] = u[lane][i];
                    }
                    // SHA-512/224 ends in the middle of a word
                    if LEN == 28 {
                        let word = vgetq_lane_u64::<1>(u[lane][1]) & u64::UPPER | u64::PAD[1];
                        m[1][lane] = vsetq_lane_u64::<1>(word, u[lane][1]);
                    } else {
                        m[LEN / 16][lane] = words!(u64::PAD[0], 0);
                    }
                    m[7][lane] = words!(0, 8 * (128 + LEN as u64));
                }
                let mut v = keys[pass];
                all_rounds(&mut v, &mut m);
                u = feed_forward(&v, &keys[pass]);
                pass += 1;
            }
            for lane in 0..W {
                for i in 0..4 {
                    sum[lane][i] = veorq_u64(sum[lane][i], u[lane][i]);
                }
            }
            n += 1;
        }
        rows(&u, &mut c.u);
        rows(&sum, &mut c.sum);
    }
}

impl<const W: usize> Sha2Lanes<u64, W> for Sha512Ext {
    #[inline(always)]
    fn compress(self, s: &mut Sha2State<u64, W>, blocks: &[[u8; 128]; W]) {
        // SAFETY: `self` proves the kernel's target features.
        unsafe { compress(self, s, blocks) }
    }
    #[inline(always)]
    fn iterate<const LEN: usize>(self, c: &mut Sha2Iterations<u64, W>, count: u32) {
        // SAFETY: `self` proves the kernel's target features.
        unsafe { iterate::<W, LEN>(self, c, count) }
    }
}

enter_streams!(Sha512Ext, "neon,sha3", enter_sha512: Sha2Job<u64>);
