//! SHA-NI: SHA-256 by instruction, four streams interleaved to hide its latency, or one.
//!
//! The instructions want a state as two registers, F E B A and H G D C from the low word up, and the message as four
//! registers of four words. States are word-major outside, so they are turned on the way in and out; a chain is turned
//! once for all its steps.

#[allow(clippy::wildcard_imports)]
use core::arch::x86_64::*;
use core::ops::Range;

use super::{
    align_frame,
    transpose::{reverse32, words32x4},
};
use crate::{
    adrs::PRF,
    lanes::{Sha2Iterations, Sha2Lanes, Sha2State, Sha256Chains, Sha256Job, Sha256Lanes, Word},
};

cpufeatures::new!(cpu, "sha", "sse2", "ssse3", "sse4.1");

/// Proof that this CPU has SHA-NI, SSSE3 and SSE4.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShaNi(());

/// Streams that are interleaved.
pub(crate) const STREAMS: usize = 4;

impl ShaNi {
    /// The token, if the CPU supports it.
    pub(crate) fn detect() -> Option<Self> {
        cpu::get().then_some(Self(()))
    }

    /// A token that proves nothing, for tests that look at choices and run no kernel.
    #[cfg(test)]
    pub(crate) const fn unproven() -> Self {
        Self(())
    }

    /// Runs a job on four streams; a last item that would be alone there runs on one.
    pub(crate) fn enter_sha256<J: Sha256Job>(self, job: &mut J, items: Range<usize>) {
        #[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
        fn enter_sha256<J: Sha256Job>(k: ShaNi, job: &mut J, items: Range<usize>) {
            let alone = usize::from(items.len() % STREAMS == 1);
            let cut = items.end - alone;
            if items.start < cut {
                job.run::<STREAMS, _>(k, items.start..cut);
            }
            if cut < items.end {
                job.run::<1, _>(k, cut..items.end);
            }
        }
        // SAFETY: `self` proves the target features.
        unsafe { enter_sha256(self, job, items) }
    }
}

/// A stream's state: A B E F and C D G H.
#[derive(Clone, Copy)]
struct State {
    abef: __m128i,
    cdgh: __m128i,
}

/// Four rows of words as one register per stream.
///
/// # Safety
/// Needs SSE2, which every x86-64 CPU has.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn gather<const W: usize>(rows: [&[u32; W]; 4]) -> [__m128i; W] {
    // SAFETY: SSE2 by the contract; a row of four words is 16 readable bytes.
    unsafe {
        let mut out = [_mm_setzero_si128(); W];
        if W == 4 {
            let mut square = [_mm_setzero_si128(); 4];
            for i in 0..4 {
                square[i] = _mm_loadu_si128(rows[i].as_ptr().cast());
            }
            let square = words32x4(square);
            for lane in 0..W {
                out[lane] = square[lane];
            }
        } else {
            for lane in 0..W {
                let word = |i: usize| rows[i][lane].cast_signed();
                out[lane] = _mm_set_epi32(word(3), word(2), word(1), word(0));
            }
        }
        out
    }
}

/// The reverse of [`gather`].
///
/// # Safety
/// Needs SSE2, which every x86-64 CPU has.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn scatter<const W: usize>(streams: &[__m128i; W]) -> [[u32; W]; 4] {
    let mut rows = [[0; W]; 4];
    // SAFETY: SSE2 by the contract; a row of four words is 16 writable bytes, and so is `words`.
    unsafe {
        if W == 4 {
            let mut square = [_mm_setzero_si128(); 4];
            for lane in 0..W {
                square[lane] = streams[lane];
            }
            let square = words32x4(square);
            for i in 0..4 {
                _mm_storeu_si128(rows[i].as_mut_ptr().cast(), square[i]);
            }
        } else {
            for lane in 0..W {
                let mut words = [0; 4];
                _mm_storeu_si128(words.as_mut_ptr().cast(), streams[lane]);
                for i in 0..4 {
                    rows[i][lane] = words[i];
                }
            }
        }
    }
    rows
}

/// # Safety
/// Needs SSE2, which every x86-64 CPU has.
#[inline(always)]
unsafe fn states<const W: usize>(s: &[[u32; W]; 8]) -> [State; W] {
    // SAFETY: SSE2 by the contract.
    unsafe {
        let (abef, cdgh) = (gather([&s[5], &s[4], &s[1], &s[0]]), gather([&s[7], &s[6], &s[3], &s[2]]));
        let mut out = [State { abef: abef[0], cdgh: cdgh[0] }; W];
        for lane in 0..W {
            out[lane] = State { abef: abef[lane], cdgh: cdgh[lane] };
        }
        out
    }
}

/// Four rounds of every stream, number `i` of sixteen such groups, on the message words in `m[i % 4]`.
///
/// # Safety
/// Needs SHA-NI and SSE2.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn rounds<const W: usize>(v: &mut [State; W], m: &[[__m128i; W]; 4], i: usize) {
    // SAFETY: SHA-NI by the contract; a quarter of a row of constants is 16 readable bytes.
    unsafe {
        let k = _mm_loadu_si128(u32::K[i / 4].as_chunks::<4>().0[i % 4].as_ptr().cast());
        for lane in 0..W {
            let State { abef, cdgh } = v[lane];
            let kw = _mm_add_epi32(m[i % 4][lane], k);
            let cdgh = _mm_sha256rnds2_epu32(cdgh, abef, kw);
            let abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32::<0x0e>(kw));
            v[lane] = State { abef, cdgh };
        }
    }
}

/// The message schedule: `m[j]` becomes the four words sixteen later.
///
/// # Safety
/// Needs SHA-NI and SSSE3.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn expand<const W: usize>(m: &mut [[__m128i; W]; 4], j: usize) {
    // SAFETY: SHA-NI by the contract.
    unsafe {
        for lane in 0..W {
            let last = m[(j + 3) % 4][lane];
            let w = _mm_sha256msg1_epu32(m[j][lane], m[(j + 1) % 4][lane]);
            let w = _mm_add_epi32(w, _mm_alignr_epi8::<4>(last, m[(j + 2) % 4][lane]));
            m[j][lane] = _mm_sha256msg2_epu32(w, last);
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
#[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
#[inline(never)]
fn compress<const W: usize>(_: ShaNi, s: &mut Sha2State<u32, W>, blocks: &[[u8; 64]; W]) {
    align_frame!();
    // SAFETY: the features are this function's own; a quarter of a block is 16 readable bytes.
    unsafe {
        let before = states(&s.0);
        let mut v = before;
        let mut m = [[_mm_setzero_si128(); W]; 4];
        for lane in 0..W {
            for (j, quarter) in blocks[lane].as_chunks::<16>().0.iter().enumerate() {
                m[j][lane] = _mm_shuffle_epi8(_mm_loadu_si128(quarter.as_ptr().cast()), reverse32());
            }
        }
        all_rounds!(v, m, 0 1 2 3);
        let (mut abef, mut cdgh) = ([v[0].abef; W], [v[0].cdgh; W]);
        for lane in 0..W {
            abef[lane] = _mm_add_epi32(v[lane].abef, before[lane].abef);
            cdgh[lane] = _mm_add_epi32(v[lane].cdgh, before[lane].cdgh);
        }
        [s.0[5], s.0[4], s.0[1], s.0[0]] = scatter(&abef);
        [s.0[7], s.0[6], s.0[3], s.0[2]] = scatter(&cdgh);
    }
}

/// What one stream of PBKDF2 works on: the states after both padded keys, U as message words, and the sum of all U.
#[derive(Clone, Copy)]
struct Iteration {
    keys: [State; 2],
    u: [__m128i; 2],
    sum: [__m128i; 2],
}

/// `P` streams of PBKDF2, side by side.
///
/// # Safety
/// Needs SHA-NI, SSSE3 and SSE4.1.
#[cfg_attr(unoptimised, inline(never))]
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn iterate_streams<const P: usize, const LEN: usize>(streams: &mut [Iteration; P], count: u32) {
    // SAFETY: the features by the contract.
    unsafe {
        let pad = u32::PAD[0].cast_signed();
        let bits = (8 * (64 + LEN as u32)).cast_signed();
        let mut u = [[_mm_setzero_si128(); P]; 2];
        for i in 0..2 {
            for lane in 0..P {
                u[i][lane] = streams[lane].u[i];
            }
        }
        let mut n = 0;
        while n < count {
            let mut pass = 0;
            while pass < 2 {
                let mut m = [u[0], u[1], [_mm_setzero_si128(); P], [_mm_set_epi32(bits, 0, 0, 0); P]];
                let mut v = [streams[0].keys[pass]; P];
                for lane in 0..P {
                    v[lane] = streams[lane].keys[pass];
                    if LEN == 28 {
                        m[1][lane] = _mm_blend_epi16::<0xc0>(m[1][lane], _mm_set_epi32(pad, 0, 0, 0));
                    } else {
                        m[2][lane] = _mm_set_epi32(0, 0, 0, pad);
                    }
                }
                all_rounds!(v, m, 0 1 2 3);
                for lane in 0..P {
                    let abef = _mm_add_epi32(v[lane].abef, streams[lane].keys[pass].abef);
                    let cdgh = _mm_add_epi32(v[lane].cdgh, streams[lane].keys[pass].cdgh);
                    // B A D C and F E H G, from the low word up
                    u[0][lane] = _mm_shuffle_epi32::<0xb1>(_mm_unpackhi_epi64(abef, cdgh));
                    u[1][lane] = _mm_shuffle_epi32::<0xb1>(_mm_unpacklo_epi64(abef, cdgh));
                }
                pass += 1;
            }
            for i in 0..2 {
                for lane in 0..P {
                    streams[lane].sum[i] = _mm_xor_si128(streams[lane].sum[i], u[i][lane]);
                }
            }
            n += 1;
        }
        for i in 0..2 {
            for lane in 0..P {
                streams[lane].u[i] = u[i][lane];
            }
        }
    }
}

/// HMAC iterated, as `portable::sha2::iterate`: two streams at a time, whose states and message words are all that
/// sixteen registers hold.
#[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
#[inline(never)]
fn iterate<const W: usize, const LEN: usize>(_: ShaNi, c: &mut Sha2Iterations<u32, W>, count: u32) {
    align_frame!();
    // SAFETY: the features are this function's own.
    unsafe {
        let (inner, outer) = (states(&c.keys[0]), states(&c.keys[1]));
        let (u0, u1) = (gather([&c.u[0], &c.u[1], &c.u[2], &c.u[3]]), gather([&c.u[4], &c.u[5], &c.u[6], &c.u[7]]));
        let (mut sum0, mut sum1) = (
            gather([&c.sum[0], &c.sum[1], &c.sum[2], &c.sum[3]]),
            gather([&c.sum[4], &c.sum[5], &c.sum[6], &c.sum[7]]),
        );
        let (mut next0, mut next1) = (u0, u1);
        let at = |lane: usize| Iteration {
            keys: [inner[lane], outer[lane]],
            u: [u0[lane], u1[lane]],
            sum: [sum0[lane], sum1[lane]],
        };
        let mut streams = [at(0); W];
        for lane in 0..W {
            streams[lane] = at(lane);
        }
        let (pairs, alone) = streams.as_chunks_mut::<2>();
        let mut pair = 0;
        while pair < W / 2 {
            iterate_streams::<2, LEN>(&mut pairs[pair], count);
            pair += 1;
        }
        if W % 2 == 1 {
            iterate_streams::<1, LEN>(&mut alone.as_chunks_mut().0[0], count);
        }
        for lane in 0..W {
            [next0[lane], next1[lane]] = streams[lane].u;
            [sum0[lane], sum1[lane]] = streams[lane].sum;
        }
        [c.u[0], c.u[1], c.u[2], c.u[3]] = scatter(&next0);
        [c.u[4], c.u[5], c.u[6], c.u[7]] = scatter(&next1);
        [c.sum[0], c.sum[1], c.sum[2], c.sum[3]] = scatter(&sum0);
        [c.sum[4], c.sum[5], c.sum[6], c.sum[7]] = scatter(&sum1);
    }
}

/// F iterated, as `portable::sha2::chain`, values kept by stream.
///
/// ADRSc is 22 bytes, so every word of x straddles two words of the block: with the halves of x's words exchanged, a
/// register of the message is the low halves of one window over (ADRSc, x, padding) and the high halves of the window
/// one word before.
#[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
#[inline(never)]
fn chain<const W: usize, const N: usize>(_: ShaNi, c: &mut Sha256Chains<W>, prf: bool, steps: u32) {
    align_frame!();
    // SAFETY: the features are this function's own.
    unsafe {
        macro_rules! windows {
            ($low:expr, $high:expr) => {
                _mm_blend_epi16::<0xaa>(_mm_alignr_epi8::<12>($high, $low), _mm_alignr_epi8::<8>($high, $low))
            };
        }
        let bits = (8 * (64 + 22 + N as u32)).cast_signed();
        // exchanges halves, and words 0 with 1 and 2 with 3: what B A D C needs to become A B C D
        let turn = _mm_set_epi64x(0x0908_0b0a_0d0c_0f0e_u64.cast_signed(), 0x0100_0302_0504_0706);
        let halves = _mm_set_epi64x(0x0d0c_0f0e_0908_0b0a, 0x0504_0706_0100_0302);
        let mid = states(&c.mid);
        let adrs = gather([&c.adrs[0], &c.adrs[1], &c.adrs[2], &c.adrs[3]]);
        let mut before = gather([&c.adrs[4], &c.adrs[4], &c.adrs[4], &c.hash[0]]);
        let (mut x0, mut x1) =
            (gather([&c.x[0], &c.x[1], &c.x[2], &c.x[3]]), gather([&c.x[4], &c.x[5], &c.x[6], &c.x[7]]));
        for lane in 0..W {
            // the window's lowest half belongs to the address, the hash address has only the upper one
            let low = _mm_and_si128(before[lane], _mm_set_epi32(0, 0xffff, 0, 0));
            before[lane] = _mm_or_si128(before[lane], _mm_slli_si128::<4>(low));
            x0[lane] = _mm_shuffle_epi8(x0[lane], halves);
            x1[lane] = _mm_shuffle_epi8(x1[lane], halves);
        }
        let passes = [(PRF.cast_signed() << 16, 0, 1), (0, 1 << 16, steps)];
        let mut pass = usize::from(!prf);
        while pass < passes.len() {
            let (kind, stride, steps) = passes[pass];
            let mut head = adrs;
            for lane in 0..W {
                head[lane] = _mm_xor_si128(adrs[lane], _mm_set_epi32(0, kind, 0, 0));
            }
            let mut first = mid;
            rounds(&mut first, &[head, head, head, head], 0);

            let mut step = 0;
            while step < steps {
                let mut m = [head, head, head, head];
                for lane in 0..W {
                    let after = match N {
                        16 => _mm_set_epi32(0, 0, 0, 0x8000),
                        24 => _mm_blend_epi16::<0xf0>(x1[lane], _mm_set_epi32(0, 0x8000, 0, 0)),
                        _ => x1[lane],
                    };
                    m[1][lane] = windows!(before[lane], x0[lane]);
                    m[2][lane] = windows!(x0[lane], after);
                    m[3][lane] = match N {
                        32 => windows!(after, _mm_set_epi32(0, bits, 0, 0x8000)),
                        _ => _mm_set_epi32(bits, 0, 0, 0),
                    };
                }
                let mut v = first;
                all_rounds!(v, m, 1 2 3);
                for lane in 0..W {
                    let abef = _mm_add_epi32(v[lane].abef, mid[lane].abef);
                    let cdgh = _mm_add_epi32(v[lane].cdgh, mid[lane].cdgh);
                    x0[lane] = _mm_shuffle_epi8(_mm_unpackhi_epi64(abef, cdgh), turn);
                    x1[lane] = _mm_shuffle_epi8(_mm_unpacklo_epi64(abef, cdgh), turn);
                    before[lane] = _mm_add_epi32(before[lane], _mm_set_epi32(stride, 0, 0, 0));
                }
                step += 1;
            }
            pass += 1;
        }

        for lane in 0..W {
            x0[lane] = _mm_shuffle_epi8(x0[lane], halves);
            x1[lane] = _mm_shuffle_epi8(x1[lane], halves);
        }
        [c.x[0], c.x[1], c.x[2], c.x[3]] = scatter(&x0);
        [c.x[4], c.x[5], c.x[6], c.x[7]] = scatter(&x1);
        for lane in 0..W {
            c.hash[0][lane] = c.hash[0][lane].wrapping_add(steps << 16);
        }
    }
}

impl<const W: usize> Sha2Lanes<u32, W> for ShaNi {
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

impl<const W: usize> Sha256Lanes<W> for ShaNi {
    #[inline(always)]
    fn chain<const N: usize>(self, c: &mut Sha256Chains<W>, prf: bool, steps: u32) {
        // SAFETY: `self` proves the kernel's target features.
        unsafe { chain::<W, N>(self, c, prf, steps) }
    }
}
