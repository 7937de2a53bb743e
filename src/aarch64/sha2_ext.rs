//! The SHA-2 extension: SHA-256 by instruction, four streams interleaved to hide its latency, or one.
//!
//! The instructions want a state as two registers, A B C D and E F G H from the low word up, and the message as four
//! registers of four words. States are word-major outside, so they are turned on the way in and out, which is what
//! loads and stores of structures do; a chain is turned once for all its steps.

#[allow(clippy::wildcard_imports)]
use core::arch::aarch64::*;
use core::ops::Range;

use super::enter_streams;
use crate::{
    adrs::PRF,
    lanes::{Sha2Iterations, Sha2Lanes, Sha2State, Sha256Chains, Sha256Job, Sha256Lanes, Word},
};

/// Proof that this CPU has the SHA-256 instructions, and NEON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sha2Ext(());

/// Streams that are interleaved: a state and a window of the message take six registers, so that four fill 24 of 32.
pub(crate) const STREAMS: usize = 4;

impl Sha2Ext {
    /// The token, if the operating system reports the extension.
    pub(crate) fn detect(found: super::Features) -> Option<Self> {
        found.sha2.then_some(Self(()))
    }
}

/// A stream's state: A B C D and E F G H.
#[derive(Clone, Copy)]
struct State {
    abcd: uint32x4_t,
    efgh: uint32x4_t,
}

/// Four rows of words, from row `at` on, as one register per stream.
///
/// # Safety
/// Needs NEON.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn gather<const W: usize>(rows: &[[u32; W]], at: usize) -> [uint32x4_t; W] {
    let rows = &rows[at..at + 4];
    // SAFETY: NEON by the contract; four rows of four words are 64 readable bytes, and `words` is 16.
    unsafe {
        let mut out = [vdupq_n_u32(0); W];
        if W == 4 {
            let square = vld4q_u32(rows.as_ptr().cast());
            let square = [square.0, square.1, square.2, square.3];
            for lane in 0..W {
                out[lane] = square[lane];
            }
        } else {
            for lane in 0..W {
                let words = [rows[0][lane], rows[1][lane], rows[2][lane], rows[3][lane]];
                out[lane] = vld1q_u32(words.as_ptr());
            }
        }
        out
    }
}

/// The reverse of [`gather`].
///
/// # Safety
/// Needs NEON.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn scatter<const W: usize>(streams: &[uint32x4_t; W], rows: &mut [[u32; W]], at: usize) {
    let rows = &mut rows[at..at + 4];
    // SAFETY: NEON by the contract; four rows of four words are 64 writable bytes, and `words` is 16.
    unsafe {
        if W == 4 {
            vst4q_u32(rows.as_mut_ptr().cast(), uint32x4x4_t(streams[0], streams[1], streams[2], streams[3]));
        } else {
            for lane in 0..W {
                let mut words = [0; 4];
                vst1q_u32(words.as_mut_ptr(), streams[lane]);
                for i in 0..4 {
                    rows[i][lane] = words[i];
                }
            }
        }
    }
}

/// # Safety
/// Needs NEON.
#[inline(always)]
unsafe fn states<const W: usize>(s: &[[u32; W]; 8]) -> [State; W] {
    // SAFETY: NEON by the contract.
    unsafe {
        let (abcd, efgh) = (gather(s, 0), gather(s, 4));
        let mut out = [State { abcd: abcd[0], efgh: efgh[0] }; W];
        for lane in 0..W {
            out[lane] = State { abcd: abcd[lane], efgh: efgh[lane] };
        }
        out
    }
}

/// Four rounds of every stream, number `i` of sixteen such groups, on the message words in `m[i % 4]`.
///
/// # Safety
/// Needs the SHA-256 instructions and NEON.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn rounds<const W: usize>(v: &mut [State; W], m: &[[uint32x4_t; W]; 4], i: usize) {
    // SAFETY: the instructions by the contract; a quarter of a row of constants is 16 readable bytes.
    unsafe {
        let k = vld1q_u32(u32::K[i / 4].as_chunks::<4>().0[i % 4].as_ptr());
        for lane in 0..W {
            let State { abcd, efgh } = v[lane];
            let kw = vaddq_u32(m[i % 4][lane], k);
            v[lane] = State { abcd: vsha256hq_u32(abcd, efgh, kw), efgh: vsha256h2q_u32(efgh, abcd, kw) };
        }
    }
}

/// The message schedule: `m[j]` becomes the four words sixteen later.
///
/// # Safety
/// Needs the SHA-256 instructions and NEON.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn expand<const W: usize>(m: &mut [[uint32x4_t; W]; 4], j: usize) {
    // SAFETY: the instructions by the contract.
    unsafe {
        for lane in 0..W {
            let w = vsha256su0q_u32(m[j][lane], m[(j + 1) % 4][lane]);
            m[j][lane] = vsha256su1q_u32(w, m[(j + 2) % 4][lane], m[(j + 3) % 4][lane]);
        }
    }
}

/// All groups of rounds from the given first one.
macro_rules! all_rounds {
    ($v:ident, $m:ident, $($first:literal)*) => {
        $(rounds(&mut $v, &$m, $first);)*
        let mut i = 4;
        while i < 16 {
            expand(&mut $m, 0);
            rounds(&mut $v, &$m, i);
            expand(&mut $m, 1);
            rounds(&mut $v, &$m, i + 1);
            expand(&mut $m, 2);
            rounds(&mut $v, &$m, i + 2);
            expand(&mut $m, 3);
            rounds(&mut $v, &$m, i + 3);
            i += 4;
        }
    };
}

/// One block into each state.
#[target_feature(enable = "neon,sha2")]
#[inline(never)]
fn compress<const W: usize>(_: Sha2Ext, s: &mut Sha2State<u32, W>, blocks: &[[u8; 64]; W]) {
    // SAFETY: the features are this function's own; a quarter of a block is 16 readable bytes.
    unsafe {
        let before = states(&s.0);
        let mut v = before;
        let mut m = [[vdupq_n_u32(0); W]; 4];
        for lane in 0..W {
            let quarters = blocks[lane].as_chunks::<16>().0;
            for j in 0..4 {
                m[j][lane] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(quarters[j].as_ptr())));
            }
        }
        all_rounds!(v, m, 0 1 2 3);
        let (mut abcd, mut efgh) = ([v[0].abcd; W], [v[0].efgh; W]);
        for lane in 0..W {
            abcd[lane] = vaddq_u32(v[lane].abcd, before[lane].abcd);
            efgh[lane] = vaddq_u32(v[lane].efgh, before[lane].efgh);
        }
        scatter(&abcd, &mut s.0, 0);
        scatter(&efgh, &mut s.0, 4);
    }
}

/// HMAC iterated, as `portable::sha2::iterate`: a digest is the next message as it is.
#[target_feature(enable = "neon,sha2")]
#[inline(never)]
fn iterate<const W: usize, const LEN: usize>(_: Sha2Ext, c: &mut Sha2Iterations<u32, W>, count: u32) {
    // SAFETY: the features are this function's own; literals of four words are 16 readable bytes.
    unsafe {
        macro_rules! words {
            ($($word:expr),*) => { vld1q_u32([$($word),*].as_ptr()) };
        }
        let keys = [states(&c.keys[0]), states(&c.keys[1])];
        let mut u = [gather(&c.u, 0), gather(&c.u, 4)];
        let mut sum = [gather(&c.sum, 0), gather(&c.sum, 4)];
        let mut n = 0;
        while n < count {
            let mut pass = 0;
            while pass < 2 {
                let mut m = [u[0], u[1], [vdupq_n_u32(0); W], [words!(0, 0, 0, 8 * (64 + LEN as u32)); W]];
                for lane in 0..W {
                    if LEN == 28 {
                        m[1][lane] = vsetq_lane_u32::<3>(u32::PAD[0], m[1][lane]);
                    } else {
                        m[2][lane] = words!(u32::PAD[0], 0, 0, 0);
                    }
                }
                let mut v = keys[pass];
                all_rounds!(v, m, 0 1 2 3);
                for lane in 0..W {
                    u[0][lane] = vaddq_u32(v[lane].abcd, keys[pass][lane].abcd);
                    u[1][lane] = vaddq_u32(v[lane].efgh, keys[pass][lane].efgh);
                }
                pass += 1;
            }
            for i in 0..2 {
                for lane in 0..W {
                    sum[i][lane] = veorq_u32(sum[i][lane], u[i][lane]);
                }
            }
            n += 1;
        }
        for i in 0..2 {
            scatter(&u[i], &mut c.u, 4 * i);
            scatter(&sum[i], &mut c.sum, 4 * i);
        }
    }
}

/// F iterated, as `portable::sha2::chain`, values kept by stream.
///
/// ADRSc is 22 bytes, so every word of x straddles two words of the block: a register of the message has the low
/// halves of one window over (ADRSc, x, padding) above the high halves of the window one word further. The window
/// begins with the end of ADRSc laid out in the same way: its fifth word, then that word's low half and the hash
/// address.
#[target_feature(enable = "neon,sha2")]
#[inline(never)]
fn chain<const W: usize, const N: usize>(_: Sha2Ext, c: &mut Sha256Chains<W>, prf: bool, steps: u32) {
    // SAFETY: the features are this function's own; literals of four words are 16 readable bytes.
    unsafe {
        macro_rules! windows {
            ($low:expr, $high:expr) => {
                vsriq_n_u32::<16>(vshlq_n_u32::<16>(vextq_u32::<2>($low, $high)), vextq_u32::<3>($low, $high))
            };
        }
        macro_rules! words {
            ($($word:expr),*) => { vld1q_u32([$($word),*].as_ptr()) };
        }
        const FIRST_PAD: u32 = 0x8000_0000;
        let bits = 8 * (64 + 22 + N as u32);
        let mid = states(&c.mid);
        let adrs = gather(&c.adrs, 0);
        let mut before = [vdupq_n_u32(0); W];
        for lane in 0..W {
            let (last, hash) = (c.adrs[4][lane], c.hash[0][lane]);
            before[lane] = words!(0, 0, last >> 16, last << 16 | hash >> 16);
        }
        let (mut x0, mut x1) = (gather(&c.x, 0), gather(&c.x, 4));
        let passes = [(PRF << 16, 0, 1), (0, 1, steps)];
        let mut pass = usize::from(!prf);
        while pass < passes.len() {
            let (kind, stride, steps) = passes[pass];
            let mut head = adrs;
            for lane in 0..W {
                head[lane] = veorq_u32(adrs[lane], words!(0, 0, kind, 0));
            }
            let mut first = mid;
            rounds(&mut first, &[head, head, head, head], 0);

            let mut step = 0;
            while step < steps {
                let mut m = [head, head, head, head];
                for lane in 0..W {
                    let after = match N {
                        16 => words!(FIRST_PAD, 0, 0, 0),
                        24 => vcombine_u32(vget_low_u32(x1[lane]), vcreate_u32(u64::from(FIRST_PAD))),
                        _ => x1[lane],
                    };
                    m[1][lane] = windows!(before[lane], x0[lane]);
                    m[2][lane] = windows!(x0[lane], after);
                    m[3][lane] = match N {
                        32 => windows!(after, words!(FIRST_PAD, 0, bits << 16, 0)),
                        _ => words!(0, 0, 0, bits),
                    };
                }
                let mut v = first;
                all_rounds!(v, m, 1 2 3);
                for lane in 0..W {
                    x0[lane] = vaddq_u32(v[lane].abcd, mid[lane].abcd);
                    x1[lane] = vaddq_u32(v[lane].efgh, mid[lane].efgh);
                    before[lane] = vaddq_u32(before[lane], words!(0, 0, 0, stride));
                }
                step += 1;
            }
            pass += 1;
        }

        scatter(&x0, &mut c.x, 0);
        scatter(&x1, &mut c.x, 4);
        for lane in 0..W {
            c.hash[0][lane] = c.hash[0][lane].wrapping_add(steps << 16);
        }
    }
}

impl<const W: usize> Sha2Lanes<u32, W> for Sha2Ext {
    #[inline(always)]
    fn compress(self, s: &mut Sha2State<u32, W>, blocks: &[[u8; 64]; W]) {
        // SAFETY: `self` proves the kernel's target features.
        unsafe { compress(self, s, blocks) }
    }
    #[inline(always)]
    fn iterate<const LEN: usize>(self, c: &mut Sha2Iterations<u32, W>, count: u32) {
        // SAFETY: `self` proves the kernel's target features.
        unsafe { iterate::<W, LEN>(self, c, count) }
    }
}

impl<const W: usize> Sha256Lanes<W> for Sha2Ext {
    #[inline(always)]
    fn chain<const N: usize>(self, c: &mut Sha256Chains<W>, prf: bool, steps: u32) {
        // SAFETY: `self` proves the kernel's target features.
        unsafe { chain::<W, N>(self, c, prf, steps) }
    }
}

enter_streams!(Sha2Ext, "neon,sha2", enter_sha256: Sha256Job);
