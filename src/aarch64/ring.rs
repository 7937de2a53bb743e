//! Arithmetic modulo q with NEON: the vector operations behind the transforms, and rejection sampling. Everything else
//! is the portable text, of which the compiler makes NEON code there as well: it is part of the target.

#[allow(clippy::wildcard_imports)]
use core::arch::aarch64::*;

use super::{Neon, op};
use crate::{
    lanes::{Poly, RingTable},
    portable::{
        ring::{self as text, Q},
        transform::{self, RingOps},
    },
};

impl RingOps<4> for Neon {
    #[cfg_attr(unoptimised, inline(never))]
    #[cfg_attr(not(unoptimised), inline(always))]
    fn get(self, row: &[i32; 4]) -> uint32x4_t {
        // SAFETY: `self` proves NEON; the row is 16 readable bytes.
        unsafe { vreinterpretq_u32_s32(vld1q_s32(row.as_ptr())) }
    }
    #[cfg_attr(unoptimised, inline(never))]
    #[cfg_attr(not(unoptimised), inline(always))]
    fn put(self, v: uint32x4_t, row: &mut [i32; 4]) {
        // SAFETY: `self` proves NEON; the row is 16 writable bytes.
        unsafe { vst1q_s32(row.as_mut_ptr(), vreinterpretq_s32_u32(v)) }
    }
    op!(sub(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vsubq_u32(a, b));
    op!(mul_low(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vmulq_u32(a, b));
    // doubled and halved, where `mul_wide` needs two products: exact, but for the square of -2^31
    op!(mul_high(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vreinterpretq_u32_s32(vshrq_n_s32::<1>(vqdmulhq_s32(
        vreinterpretq_s32_u32(a),
        vreinterpretq_s32_u32(b)
    ))));
    op!(mul_wide(a: uint32x4_t, b: uint32x4_t) -> [uint32x4_t; 2] = {
        let (a, b) = (vreinterpretq_s32_u32(a), vreinterpretq_s32_u32(b));
        [
            vreinterpretq_u32_s64(vmull_s32(vget_low_s32(a), vget_low_s32(b))),
            vreinterpretq_u32_s64(vmull_high_s32(a, b)),
        ]
    });
    op!(add_wide(a: [uint32x4_t; 2], b: [uint32x4_t; 2]) -> [uint32x4_t; 2] = [
        vreinterpretq_u32_u64(vaddq_u64(vreinterpretq_u64_u32(a[0]), vreinterpretq_u64_u32(b[0]))),
        vreinterpretq_u32_u64(vaddq_u64(vreinterpretq_u64_u32(a[1]), vreinterpretq_u64_u32(b[1]))),
    ]);
    op!(sub_wide(a: [uint32x4_t; 2], b: [uint32x4_t; 2]) -> [uint32x4_t; 2] = [
        vreinterpretq_u32_u64(vsubq_u64(vreinterpretq_u64_u32(a[0]), vreinterpretq_u64_u32(b[0]))),
        vreinterpretq_u32_u64(vsubq_u64(vreinterpretq_u64_u32(a[1]), vreinterpretq_u64_u32(b[1]))),
    ]);
    op!(low(wide: [uint32x4_t; 2]) -> uint32x4_t = vuzp1q_u32(wide[0], wide[1]));
    op!(high(wide: [uint32x4_t; 2]) -> uint32x4_t = vuzp2q_u32(wide[0], wide[1]));
}

/// For each mask of items the numbers of the chosen ones' bytes, in order, then numbers for which a look-up gives 0.
const fn chosen<const ITEMS: usize, const MASKS: usize, const BYTES: usize>() -> [[u8; BYTES]; MASKS] {
    let len = BYTES / ITEMS;
    let mut chosen = [[u8::MAX; BYTES]; MASKS];
    let mut mask = 0;
    while mask < MASKS {
        let (mut byte, mut at) = (0, 0);
        while byte < BYTES {
            if (mask >> (byte / len)) & 1 == 1 {
                chosen[mask][at] = byte as u8;
                at += 1;
            }
            byte += 1;
        }
        mask += 1;
    }
    chosen
}

/// Four words.
static WORDS: [[u8; 16]; 16] = chosen::<4, 16, 16>();
/// Eight bytes.
static BYTES: [[u8; 8]; 256] = chosen::<8, 256, 8>();

/// `RejNTTPoly` (Alg. 30), four candidates at a time; the last ones, and what is left of the bytes, one by one.
#[inline(never)]
fn reject_uniform(bytes: &[u8], p: &mut Poly) -> usize {
    // three bytes to a word
    static SPREAD: [u8; 16] = [0, 1, 2, 255, 3, 4, 5, 255, 6, 7, 8, 255, 9, 10, 11, 255];
    static WEIGHTS: [u32; 4] = [1, 2, 4, 8];
    let mut at = 0;
    let mut done = 0;
    // SAFETY: this target has NEON; both arrays are 16 readable bytes.
    let (spread, weights) = unsafe { (vld1q_u8(SPREAD.as_ptr()), vld1q_u32(WEIGHTS.as_ptr())) };
    while at + 4 <= 256 && done + 16 <= bytes.len() {
        // SAFETY: this target has NEON; 16 bytes from `done` on are within the slice, a row of the table is 16 bytes, and
        // four words from `at` on are within the polynomial.
        let mask = unsafe {
            let v = vreinterpretq_u32_u8(vqtbl1q_u8(vld1q_u8(bytes.as_ptr().add(done)), spread));
            let v = vandq_u32(v, vdupq_n_u32(0x7f_ffff));
            let below = vcltq_u32(v, vdupq_n_u32(Q.cast_unsigned()));
            let mask = vaddvq_u32(vandq_u32(below, weights));
            let order = vld1q_u8(WORDS[mask as usize & 15].as_ptr());
            let v = vqtbl1q_u8(vreinterpretq_u8_u32(v), order);
            vst1q_s32(p.0.as_mut_ptr().add(at), vreinterpretq_s32_u8(v));
            mask
        };
        at += mask.count_ones() as usize;
        done += 12;
    }
    text::reject_uniform_from(&bytes[done..], at, p)
}

/// `RejBoundedPoly` (Alg. 31), eight half bytes at a time.
#[inline(never)]
fn reject_bounded(eta: i32, bytes: &[u8], accepted: &[u8], p: &mut Poly) -> usize {
    static VALUES: [[i8; 16]; 2] =
        [[2, 1, 0, -1, -2, 2, 1, 0, -1, -2, 2, 1, 0, -1, -2, 0], [4, 3, 2, 1, 0, -1, -2, -3, -4, 0, 0, 0, 0, 0, 0, 0]];
    let mut at = 0;
    let mut done = 0;
    // SAFETY: this target has NEON; the array is 16 readable bytes.
    let values = unsafe { vld1q_s8(VALUES[usize::from(eta != 2)].as_ptr()) };
    for (four, mask) in bytes.as_chunks::<4>().0.iter().zip(accepted) {
        if at + 8 > 256 {
            break;
        }
        // SAFETY: this target has NEON; a row of the table is 8 bytes, and eight words from `at` on are within the
        // polynomial.
        unsafe {
            let four = vreinterpret_u8_u32(vdup_n_u32(u32::from_le_bytes(*four)));
            let halves = vzip1_u8(vand_u8(four, vdup_n_u8(15)), vshr_n_u8::<4>(four));
            let order = vld1_s8(BYTES[usize::from(*mask)].as_ptr().cast());
            let v = vmovl_s8(vtbl1_s8(vqtbl1_s8(values, halves), order));
            vst1q_s32(p.0.as_mut_ptr().add(at), vmovl_s16(vget_low_s16(v)));
            vst1q_s32(p.0.as_mut_ptr().add(at + 4), vmovl_high_s16(v));
        }
        at += mask.count_ones() as usize;
        done += 4;
    }
    text::reject_bounded_from(eta, &bytes[done..], &accepted[done / 4..], at, p)
}

/// The token in functions that only its holder can reach.
const PROVEN: Neon = Neon::detect();

#[inline(never)]
fn ntt(p: &mut Poly) {
    transform::ntt(PROVEN, p);
}

#[inline(never)]
fn inverse(p: &mut Poly) {
    transform::inverse(PROVEN, p);
}

#[inline(never)]
fn row(a: &[Poly], y: &[Poly], out: &mut Poly) {
    transform::row(PROVEN, a, y, out);
}

#[inline(never)]
fn product(a: &Poly, b: &Poly, out: &mut Poly) {
    transform::product(PROVEN, a, b, out);
}

#[allow(clippy::unused_self)] // it is what proves the features
impl Neon {
    /// The arithmetic of this backend.
    pub(crate) fn ring(self) -> &'static RingTable {
        static TABLE: RingTable =
            RingTable { ntt, inverse, row, product, reject_uniform, reject_bounded, ..text::TABLE };
        &TABLE
    }
}
