//! Arithmetic in Z_q[X]/(X^256 + 1), q = 8380417 (FIPS 204 section 2.3), on whole polynomials.
//!
//! Polynomials in the NTT domain are in the standard's order and, as everything that is multiplied, without a factor:
//! [`Ring::product`] and [`Ring::row`] leave one of 2^-32, which [`Ring::inverse`] takes away.

use crate::engine::Engine;

/// The modulus.
const Q: i32 = 8_380_417;
/// q^-1 modulo 2^32.
const Q_INV: i32 = 58_728_449;
/// Bits dropped by Power2Round.
const D: u32 = 13;

/// 256 coefficients.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Poly(pub(crate) [i32; 256]);

impl Default for Poly {
    fn default() -> Self {
        Self([0; 256])
    }
}

const fn pow(base: i64, mut exponent: u32) -> i64 {
    let (mut power, mut square) = (1, base);
    while exponent > 0 {
        if exponent % 2 == 1 {
            power = power * square % Q as i64;
        }
        square = square * square % Q as i64;
        exponent /= 2;
    }
    power
}

/// 1753^BitRev8(i) 2^32 (appendix B), between -q/2 and q/2.
const ZETAS: [i32; 256] = {
    let mut zetas = [0; 256];
    let mut i = 0;
    while i < 256 {
        let zeta = (pow(1753, (i as u8).reverse_bits() as u32) << 32) % Q as i64;
        zetas[i] = (if zeta > Q as i64 / 2 { zeta - Q as i64 } else { zeta }) as i32;
        i += 1;
    }
    zetas
};

/// 2^64 / 256.
const INVERSE: i32 = ((pow(2, 56) + Q as i64) % Q as i64) as i32;

/// a 2^-32 modulo q, between -q and q, for |a| < 2^31 q (Alg. 49).
#[inline(always)]
const fn montgomery(a: i64) -> i32 {
    let t = (a as i32).wrapping_mul(Q_INV);
    ((a - t as i64 * Q as i64) >> 32) as i32
}

/// Modulo q, |x| <= 6283008, for a <= 2^31 - 2^22 - 1.
#[inline(always)]
const fn reduce(a: i32) -> i32 {
    a - ((a + (1 << 22)) >> 23) * Q
}

/// Between 0 and q, for |a| < q.
#[inline(always)]
const fn canonical(a: i32) -> i32 {
    a + ((a >> 31) & Q)
}

/// `Decompose` (Alg. 36) of 0 <= r < q.
#[inline(always)]
const fn decompose(r: i32, gamma2: i32) -> (i32, i32) {
    let up = (r + 127) >> 7;
    let r1 = if gamma2 == (Q - 1) / 32 {
        ((up * 1025 + (1 << 21)) >> 22) & 15
    } else {
        let r1 = (up * 11275 + (1 << 23)) >> 24;
        r1 ^ ((43 - r1) >> 31) & r1
    };
    let r0 = r - r1 * 2 * gamma2;
    (r1, r0 - ((((Q - 1) / 2 - r0) >> 31) & Q))
}

/// The arithmetic on an engine's choice of backend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring;

impl Ring {
    pub(crate) fn on(_: &Engine) -> Self {
        Self
    }

    /// `NTT` (Alg. 41) of |x| < q; |result| < 9 q.
    pub(crate) fn ntt(self, p: &mut Poly) {
        let mut i = 0;
        let mut len = 128;
        while len > 0 {
            for block in p.0.chunks_exact_mut(2 * len) {
                i += 1;
                let (low, high) = block.split_at_mut(len);
                for (a, b) in low.iter_mut().zip(high) {
                    let t = montgomery(i64::from(ZETAS[i]) * i64::from(*b));
                    (*a, *b) = (*a + t, *a - t);
                }
            }
            len /= 2;
        }
    }

    /// `NTT^-1` (Alg. 42), times 2^32, of |x| < q; |result| < q.
    pub(crate) fn inverse(self, p: &mut Poly) {
        let mut i = 256;
        let mut len = 1;
        while len < 256 {
            for block in p.0.chunks_exact_mut(2 * len) {
                i -= 1;
                let (low, high) = block.split_at_mut(len);
                for (a, b) in low.iter_mut().zip(high) {
                    let difference = *b - *a;
                    *a += *b;
                    *b = montgomery(i64::from(ZETAS[i]) * i64::from(difference));
                }
            }
            len *= 2;
        }
        p.0.iter_mut().for_each(|x| *x = montgomery(i64::from(INVERSE) * i64::from(*x)));
    }

    /// The sum of products in the NTT domain, times 2^-32; |result| < q.
    pub(crate) fn row(self, a: &[Poly], y: &[Poly], out: &mut Poly) {
        let mut sums = [0; 256];
        for (a, y) in a.iter().zip(y) {
            for ((sum, a), y) in sums.iter_mut().zip(&a.0).zip(&y.0) {
                *sum += i64::from(*a) * i64::from(*y);
            }
        }
        for (out, sum) in out.0.iter_mut().zip(sums) {
            *out = montgomery(sum);
        }
    }

    /// A product in the NTT domain, times 2^-32; |result| < q.
    pub(crate) fn product(self, a: &Poly, b: &Poly, out: &mut Poly) {
        for ((out, a), b) in out.0.iter_mut().zip(&a.0).zip(&b.0) {
            *out = montgomery(i64::from(*a) * i64::from(*b));
        }
    }

    pub(crate) fn add(self, a: &mut Poly, b: &Poly) {
        a.0.iter_mut().zip(&b.0).for_each(|(a, b)| *a += b);
    }

    pub(crate) fn sub(self, a: &mut Poly, b: &Poly) {
        a.0.iter_mut().zip(&b.0).for_each(|(a, b)| *a -= b);
    }

    /// Modulo q, |result| <= 6283008.
    pub(crate) fn reduce(self, p: &mut Poly) {
        p.0.iter_mut().for_each(|x| *x = reduce(*x));
    }

    /// Modulo q, between 0 and q, of |x| < q.
    pub(crate) fn canonical(self, p: &mut Poly) {
        p.0.iter_mut().for_each(|x| *x = canonical(*x));
    }

    /// Whether a coefficient has |x| >= bound, as 0 or 1.
    pub(crate) fn exceeds(self, p: &Poly, bound: i32) -> u8 {
        let largest = p.0.iter().fold(0, |largest, x| largest.max(x.abs()));
        ((bound - 1 - largest) >> 31) as u8 & 1
    }

    /// `Power2Round` (Alg. 35) of 0 <= t < q: t becomes t1.
    pub(crate) fn power2round(self, t: &mut Poly, t0: &mut Poly) {
        for (t, t0) in t.0.iter_mut().zip(&mut t0.0) {
            let t1 = (*t + (1 << (D - 1)) - 1) >> D;
            (*t, *t0) = (t1, *t - (t1 << D));
        }
    }

    /// Times 2^d.
    pub(crate) fn shift(self, p: &mut Poly) {
        p.0.iter_mut().for_each(|x| *x <<= D);
    }

    /// `Decompose` (Alg. 36) of 0 <= w < q: w becomes w0.
    pub(crate) fn decompose(self, gamma2: i32, w: &mut Poly, w1: &mut Poly) {
        for (w, w1) in w.0.iter_mut().zip(&mut w1.0) {
            (*w1, *w) = decompose(*w, gamma2);
        }
    }

    /// `MakeHint` (Alg. 39) of w with high part w1 and the low part that is left after c s2 is taken away and c t0 added:
    /// ones where the high part changes. Returns how many.
    pub(crate) fn make_hint(self, gamma2: i32, low: &mut Poly, w1: &Poly) -> u32 {
        let mut ones = 0;
        for (low, w1) in low.0.iter_mut().zip(&w1.0) {
            let over = (gamma2 - *low) >> 31;
            let under = (*low + gamma2) >> 31;
            let edge = !(((*low + gamma2) | -(*low + gamma2)) >> 31) & ((*w1 | -*w1) >> 31);
            *low = (over | under | edge) & 1;
            ones += low.cast_unsigned();
        }
        ones
    }

    /// `UseHint` (Alg. 40) of 0 <= r < q: r becomes the corrected high part.
    pub(crate) fn use_hint(self, gamma2: i32, r: &mut Poly, hint: &Poly) {
        let m = (Q - 1) / (2 * gamma2);
        for (r, h) in r.0.iter_mut().zip(&hint.0) {
            let (r1, r0) = decompose(*r, gamma2);
            let step = if r0 > 0 { *h } else { -*h };
            let moved = r1 + step;
            *r = if moved < 0 {
                moved + m
            } else if moved >= m {
                moved - m
            } else {
                moved
            };
        }
    }

    /// `SimpleBitPack` (Alg. 16), or, with an offset, `BitPack` (Alg. 17) of offset - x.
    pub(crate) fn pack(self, p: &Poly, bits: u32, offset: Option<i32>, out: &mut [u8]) {
        for (values, bytes) in p.0.as_chunks::<8>().0.iter().zip(out.chunks_exact_mut(bits as usize)) {
            let (mut word, mut filled, mut at) = (0_u64, 0, 0);
            for value in values {
                let value = offset.map_or(*value, |offset| offset - value);
                word |= u64::from(value.cast_unsigned()) << filled;
                filled += bits;
                while filled >= 8 {
                    bytes[at] = word as u8;
                    (word, filled, at) = (word >> 8, filled - 8, at + 1);
                }
            }
        }
    }

    /// `SimpleBitUnpack` (Alg. 18), or, with an offset, `BitUnpack` (Alg. 19): offset - x.
    pub(crate) fn unpack(self, bytes: &[u8], bits: u32, offset: Option<i32>, p: &mut Poly) {
        for (values, bytes) in p.0.as_chunks_mut::<8>().0.iter_mut().zip(bytes.chunks_exact(bits as usize)) {
            let (mut word, mut filled, mut at) = (0_u64, 0, 0);
            for value in values {
                while filled < bits {
                    word |= u64::from(bytes[at]) << filled;
                    (filled, at) = (filled + 8, at + 1);
                }
                let x = (word & ((1 << bits) - 1)) as i32;
                *value = offset.map_or(x, |offset| offset - x);
                (word, filled) = (word >> bits, filled - bits);
            }
        }
    }

    /// `RejNTTPoly` (Alg. 30) on whole groups of three bytes: coefficients from place `from` on, and where they end.
    pub(crate) fn reject_uniform(self, bytes: &[u8], from: usize, p: &mut Poly) -> usize {
        let mut at = from;
        for three in bytes.as_chunks::<3>().0 {
            if at == 256 {
                break;
            }
            let x = i32::from_le_bytes([three[0], three[1], three[2] & 0x7f, 0]);
            p.0[at] = x;
            at += usize::from(x < Q);
        }
        at
    }

    /// `RejBoundedPoly` (Alg. 31): coefficients from place `from` on, and where they end.
    pub(crate) fn reject_bounded(self, eta: i32, bytes: &[u8], from: usize, p: &mut Poly) -> usize {
        let mut at = from;
        for half in bytes.iter().flat_map(|byte| [i32::from(byte & 15), i32::from(byte >> 4)]) {
            if at == 256 {
                break;
            }
            let (limit, x) = if eta == 2 { (15, 2 - (half - (half * 205 >> 10) * 5)) } else { (9, 4 - half) };
            p.0[at] = x;
            at += usize::from(half < limit);
        }
        at
    }
}
