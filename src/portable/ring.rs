//! Arithmetic modulo q (FIPS 204 section 7), one coefficient at a time, in a shape that compilers turn into vector code
//! where a backend's features allow it.

use crate::lanes::{Poly, RingTable};

/// The modulus.
pub const Q: i32 = 8_380_417;
/// q^-1 modulo 2^32.
pub const Q_INV: i32 = 58_728_449;
/// Bits dropped by `Power2Round`.
const D: u32 = 13;
/// Coefficients.
const N: usize = 256;

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

/// The representative between -q/2 and q/2.
pub const fn centred(a: i64) -> i64 {
    let a = a % Q as i64;
    if a > Q as i64 / 2 {
        a - Q as i64
    } else if a < -(Q as i64) / 2 {
        a + Q as i64
    } else {
        a
    }
}

/// 1753^BitRev8(i) (Alg. 43, appendix B), centred.
pub const ZETAS: [i32; N] = {
    let mut zetas = [0; N];
    let mut i = 0;
    while i < N {
        zetas[i] = centred(pow(1753, (i as u8).reverse_bits() as u32)) as i32;
        i += 1;
    }
    zetas
};

/// The same from 0 to q - 1, times 2^32.
const MONTGOMERY_ZETAS: [u32; N] = {
    let mut zetas = [0; N];
    let mut i = 0;
    while i < N {
        zetas[i] = shifted(ZETAS[i]);
        i += 1;
    }
    zetas
};

/// z 2^32 modulo q, from 0 to q - 1.
const fn shifted(z: i32) -> u32 {
    ((z as i64) << 32).rem_euclid(Q as i64) as u32
}

/// 2^32 / 256, which the inverse transform multiplies by.
pub const INVERSE: i32 = 1 << 24;

/// a 2^-32 modulo q (Alg. 49, without signs, which baseline x86-64 multiplies faster): result <= a 2^-32 + q.
#[inline(always)]
const fn montgomery(a: u64) -> u32 {
    let t = (a as u32).wrapping_mul(Q_INV.wrapping_neg().cast_unsigned());
    ((a + t as u64 * Q_UNSIGNED as u64) >> 32) as u32
}

/// Q, to be added to numbers without sign.
const Q_UNSIGNED: u32 = Q.cast_unsigned();

/// a z modulo q, less than 2q, by z as [`shifted`].
#[inline(always)]
const fn times(a: u32, z: u32) -> u32 {
    montgomery(a as u64 * z as u64)
}

/// x + `lift`, which is not negative.
#[inline(always)]
const fn lifted(x: i32, lift: i32) -> u32 {
    (x + lift).cast_unsigned()
}

/// Each layer adds less than 2q to numbers from 0 to 2q.
#[inline(always)]
pub fn ntt(p: &mut Poly) {
    let mut x = p.0.map(|x| lifted(x, Q));
    let mut i = 0;
    let mut len = 128;
    while len > 0 {
        for block in x.chunks_exact_mut(2 * len) {
            i += 1;
            let (low, high) = block.split_at_mut(len);
            for (a, b) in low.iter_mut().zip(high) {
                let t = times(*b, MONTGOMERY_ZETAS[i]);
                (*a, *b) = (*a + t, *a + 2 * Q_UNSIGNED - t);
            }
        }
        len /= 2;
    }
    p.0 = x.map(|x| x.cast_signed() - 9 * Q);
}

/// Each layer at most doubles numbers that begin below 2q, so that all are below 512 q < 2^32.
#[inline(always)]
pub fn inverse(p: &mut Poly) {
    let mut x = p.0.map(|x| lifted(x, Q));
    let mut i = N;
    let mut len = 1;
    while len < N {
        let bound = 2 * Q_UNSIGNED * len as u32;
        for block in x.chunks_exact_mut(2 * len) {
            i -= 1;
            let (low, high) = block.split_at_mut(len);
            for (a, b) in low.iter_mut().zip(high) {
                let difference = *b + (bound - *a);
                *a += *b;
                *b = times(difference, MONTGOMERY_ZETAS[i]);
            }
        }
        len *= 2;
    }
    p.0 = x.map(|x| {
        let x = times(x, const { shifted(INVERSE) }).cast_signed() - Q;
        x + ((x >> 31) & Q)
    });
}

/// Of numbers up to 11 q; eight products of them, and Alg. 49 of the sum, are less than 9 q.
#[inline(always)]
pub fn row(a: &[Poly], y: &[Poly], out: &mut Poly) {
    let mut sums = [0; N];
    for (a, y) in a.iter().zip(y) {
        for ((sum, a), y) in sums.iter_mut().zip(&a.0).zip(&y.0) {
            *sum += u64::from(lifted(*a, 11 * Q)) * u64::from(lifted(*y, 11 * Q));
        }
    }
    for (out, sum) in out.0.iter_mut().zip(sums) {
        *out = montgomery(sum).cast_signed();
    }
    reduce(out);
}

#[inline(always)]
pub fn product(a: &Poly, b: &Poly, out: &mut Poly) {
    for ((out, a), b) in out.0.iter_mut().zip(&a.0).zip(&b.0) {
        *out = montgomery(u64::from(lifted(*a, 11 * Q)) * u64::from(lifted(*b, 11 * Q))).cast_signed();
    }
    reduce(out);
}

#[inline(always)]
pub fn add(a: &mut Poly, b: &Poly) {
    for (a, b) in a.0.iter_mut().zip(&b.0) {
        *a += b;
    }
}

#[inline(always)]
pub fn sub(a: &mut Poly, b: &Poly) {
    for (a, b) in a.0.iter_mut().zip(&b.0) {
        *a -= b;
    }
}

#[inline(always)]
pub fn reduce(p: &mut Poly) {
    for x in &mut p.0 {
        *x -= ((*x + (1 << 22)) >> 23) * Q;
    }
}

#[inline(always)]
pub fn canonical(p: &mut Poly) {
    for x in &mut p.0 {
        *x += (*x >> 31) & Q;
    }
}

#[inline(always)]
pub fn exceeds(p: &Poly, bound: i32) -> u8 {
    let mut largest = 0;
    for x in &p.0 {
        largest = largest.max(x.abs());
    }
    (bound - 1 - largest).is_negative().into()
}

#[inline(always)]
pub fn power2round(t: &mut Poly, t0: &mut Poly) {
    for (t, t0) in t.0.iter_mut().zip(&mut t0.0) {
        let t1 = (*t + (1 << (D - 1)) - 1) >> D;
        (*t, *t0) = (t1, *t - (t1 << D));
    }
}

#[inline(always)]
pub fn shift(p: &mut Poly) {
    for x in &mut p.0 {
        *x <<= D;
    }
}

/// gamma2 of ML-DSA-65 and 87; that of 44 is (q - 1) / 88.
const LARGE: i32 = (Q - 1) / 32;

/// `Decompose` (Alg. 36) of 0 <= r < q. 2 gamma2 is 2^7 times 1488 or 4092: dividing by it is rounding up to 2^7, then a
/// product by the rounded reciprocal, right for all r (all are tested).
#[inline(always)]
const fn parts<const GAMMA2: i32>(r: i32) -> (i32, i32) {
    let up = (r + 127) >> 7;
    let r1 = if GAMMA2 == LARGE {
        ((up * 1025 + (1 << 21)) >> 22) & 15
    } else {
        let r1 = (up * 11275 + (1 << 23)) >> 24;
        r1 ^ (((43 - r1) >> 31) & r1)
    };
    let r0 = r - r1 * 2 * GAMMA2;
    (r1, r0 - ((((Q - 1) / 2 - r0) >> 31) & Q))
}

#[inline(always)]
pub fn decompose(gamma2: i32, w: &mut Poly, w1: &mut Poly) {
    #[inline(always)]
    fn decompose<const GAMMA2: i32>(w: &mut Poly, w1: &mut Poly) {
        for (w, w1) in w.0.iter_mut().zip(&mut w1.0) {
            (*w1, *w) = parts::<GAMMA2>(*w);
        }
    }
    if gamma2 == LARGE { decompose::<LARGE>(w, w1) } else { decompose::<{ (Q - 1) / 88 }>(w, w1) }
}

#[inline(always)]
pub fn make_hint(gamma2: i32, low: &mut Poly, w1: &Poly) -> u32 {
    let mut ones = 0;
    for (low, w1) in low.0.iter_mut().zip(&w1.0) {
        let above = gamma2 - *low;
        let below = *low + gamma2;
        let edge = !(below | -below) & (*w1 | -*w1);
        *low = ((above | below | edge) >> 31) & 1;
        ones += low.cast_unsigned();
    }
    ones
}

#[inline(always)]
pub fn use_hint(gamma2: i32, r: &mut Poly, hint: &Poly) {
    #[inline(always)]
    fn use_hint<const GAMMA2: i32>(r: &mut Poly, hint: &Poly) {
        let m = (Q - 1) / (2 * GAMMA2);
        for (r, h) in r.0.iter_mut().zip(&hint.0) {
            let (r1, r0) = parts::<GAMMA2>(*r);
            // r0 > 0: one up, else one down; modulo m
            let down = !(-r0 >> 31);
            let moved = r1 + ((h ^ down) - down);
            *r = if m == 16 {
                moved & 15
            } else {
                let moved = moved + ((moved >> 31) & m);
                moved & !((m - 1 - moved) >> 31)
            };
        }
    }
    if gamma2 == LARGE { use_hint::<LARGE>(r, hint) } else { use_hint::<{ (Q - 1) / 88 }>(r, hint) }
}

/// Calls `$f::<BITS>` for the number of bits that a set's encodings have.
macro_rules! by_bits {
    ($bits:expr, $f:ident($($arg:expr),*)) => {
        match $bits {
            3 => $f::<3>($($arg),*),
            4 => $f::<4>($($arg),*),
            6 => $f::<6>($($arg),*),
            10 => $f::<10>($($arg),*),
            13 => $f::<13>($($arg),*),
            18 => $f::<18>($($arg),*),
            20 => $f::<20>($($arg),*),
            bits => unreachable!("no encoding of {bits} bits"),
        }
    };
}
#[cfg(all(target_arch = "x86_64", not(hashloom_portable_only)))]
pub(crate) use by_bits;

/// Eight coefficients to `BITS` bytes: x, or offset - x.
#[inline(always)]
pub fn pack_groups<const BITS: usize>(groups: &[[i32; 8]], offset: Option<i32>, out: &mut [u8]) {
    let (sign, offset) = offset.map_or((1, 0), |offset| (-1, offset));
    for (values, bytes) in groups.iter().zip(out.as_chunks_mut::<BITS>().0) {
        let (mut word, mut filled, mut at) = (0_u64, 0, 0);
        for value in values {
            word |= u64::from((offset + sign * value).cast_unsigned()) << filled;
            filled += BITS;
            while filled >= 8 {
                bytes[at] = word as u8;
                (word, filled, at) = (word >> 8, filled - 8, at + 1);
            }
        }
    }
}

#[inline(always)]
pub fn pack(p: &Poly, bits: u32, offset: Option<i32>, out: &mut [u8]) {
    by_bits!(bits, pack_groups(p.0.as_chunks().0, offset, out));
}

/// The inverse of [`pack_groups`].
#[inline(always)]
pub fn unpack_groups<const BITS: usize>(bytes: &[u8], offset: Option<i32>, groups: &mut [[i32; 8]]) {
    let (sign, offset) = offset.map_or((1, 0), |offset| (-1, offset));
    for (values, bytes) in groups.iter_mut().zip(bytes.as_chunks::<BITS>().0) {
        let (mut word, mut filled, mut at) = (0_u64, 0, 0);
        for value in values {
            while filled < BITS {
                word |= u64::from(bytes[at]) << filled;
                (filled, at) = (filled + 8, at + 1);
            }
            *value = offset + sign * (word & ((1 << BITS) - 1)) as i32;
            (word, filled) = (word >> BITS, filled - BITS);
        }
    }
}

#[inline(always)]
pub fn unpack(bytes: &[u8], bits: u32, offset: Option<i32>, p: &mut Poly) {
    by_bits!(bits, unpack_groups(bytes, offset, p.0.as_chunks_mut().0));
}

/// From place `at` on.
#[inline(always)]
pub fn reject_uniform_from(bytes: &[u8], mut at: usize, p: &mut Poly) -> usize {
    for three in bytes.as_chunks::<3>().0 {
        if at == N {
            break;
        }
        let x = i32::from_le_bytes([three[0], three[1], three[2] & 0x7f, 0]);
        p.0[at] = x;
        at += usize::from(x < Q);
    }
    at
}

#[inline(always)]
pub fn reject_uniform(bytes: &[u8], p: &mut Poly) -> usize {
    reject_uniform_from(bytes, 0, p)
}

/// From place `at` on.
#[inline(always)]
pub fn reject_bounded_from(eta: i32, bytes: &[u8], accepted: &[u8], mut at: usize, p: &mut Poly) -> usize {
    for (four, accepted) in bytes.chunks(4).zip(accepted) {
        let mut accepted = *accepted;
        for half in four.iter().flat_map(|byte| [i32::from(byte & 15), i32::from(byte >> 4)]) {
            if at == N {
                return at;
            }
            // modulo 5 by a product that is exact for numbers below 15
            p.0[at] = if eta == 2 { 2 - (half - ((half * 205) >> 10) * 5) } else { 4 - half };
            at += usize::from(accepted & 1);
            accepted >>= 1;
        }
    }
    at
}

#[inline(always)]
pub fn reject_bounded(eta: i32, bytes: &[u8], accepted: &[u8], p: &mut Poly) -> usize {
    reject_bounded_from(eta, bytes, accepted, 0, p)
}

/// The portable backend's arithmetic.
pub static TABLE: RingTable = RingTable {
    ntt,
    inverse,
    row,
    product,
    add,
    sub,
    reduce,
    canonical,
    exceeds,
    power2round,
    shift,
    decompose,
    make_hint,
    use_hint,
    pack,
    unpack,
    reject_uniform,
    reject_bounded,
};
