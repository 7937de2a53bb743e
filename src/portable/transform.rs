//! The number-theoretic transform and products over any token's operations.
//!
//! A transform makes three passes: two of two layers each on coefficients that are far apart, and one on squares of W
//! rows, whose last layers, on coefficients that share a row, run between two transpositions.

use super::ring::{INVERSE, Q, Q_INV, ZETAS, centred};
use crate::lanes::{Ops, Poly};

/// Operations on `W` signed 32-bit words, beside those of [`Ops`].
pub trait RingOps<const W: usize>: Ops<u32, W> {
    /// Reads a row.
    fn get(self, row: &[i32; W]) -> Self::V;
    /// Writes a row.
    fn put(self, v: Self::V, row: &mut [i32; W]);
    /// `a - b`
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    /// Lower halves of the products.
    fn mul_low(self, a: Self::V, b: Self::V) -> Self::V;
    /// Upper halves of the products; a factor may not be -2^31.
    #[inline(always)]
    fn mul_high(self, a: Self::V, b: Self::V) -> Self::V {
        self.high(self.mul_wide(a, b))
    }
    /// Whole products, in the order that a backend has for 64-bit words.
    fn mul_wide(self, a: Self::V, b: Self::V) -> [Self::V; 2];
    /// `a + b` on 64-bit words.
    fn add_wide(self, a: [Self::V; 2], b: [Self::V; 2]) -> [Self::V; 2];
    /// `a - b` on 64-bit words.
    fn sub_wide(self, a: [Self::V; 2], b: [Self::V; 2]) -> [Self::V; 2];
    /// Lower halves of 64-bit words, back in their places.
    fn low(self, wide: [Self::V; 2]) -> Self::V;
    /// Upper halves of 64-bit words, back in their places.
    fn high(self, wide: [Self::V; 2]) -> Self::V;
}

/// z 2^32 / q, rounded: with it a product by z is reduced by two multiplications. For |a| < 2^31 and |z| <= q/2,
/// `a z - q floor(a z' / 2^32)` lies between -q/4 and 5q/4, since z' is off by 1/2 at most.
const fn barrett(z: i32) -> i32 {
    let scaled = (z as i64) << 32;
    let half = if z < 0 { -(Q as i64) / 2 } else { Q as i64 / 2 };
    ((scaled + half) / Q as i64) as i32
}

/// Rows of twiddles for all squares of the narrowest backend, W = 4.
const ROWS: usize = 48;

/// Twiddles of the layers within rows, with their Barrett factors: W - 1 rows for each square of W x W coefficients,
/// one row for the first of these layers, two for the second and so on.
struct Twiddles<const W: usize>;

impl<const W: usize> Twiddles<W> {
    const FORWARD: &[[[i32; W]; 2]; ROWS] = &Self::table(true);
    const INVERSE: &[[[i32; W]; 2]; ROWS] = &Self::table(false);

    const fn table(forward: bool) -> [[[i32; W]; 2]; ROWS] {
        let mut rows = [[[0; W]; 2]; ROWS];
        let mut square = 0;
        while square < 256 / (W * W) {
            // h is the distance of the coefficients of a butterfly, t the butterfly's place in a row
            let mut h = W / 2;
            while h > 0 {
                let mut t = 0;
                while t < W / (2 * h) {
                    let row = square * (W - 1) + W / (2 * h) - 1 + t;
                    let mut lane = 0;
                    while lane < W {
                        let block = (square * W + lane) * W / (2 * h) + t;
                        let zeta = ZETAS[if forward { 128 / h + block } else { 256 / h - 1 - block }];
                        (rows[row][0][lane], rows[row][1][lane]) = (zeta, barrett(zeta));
                        lane += 1;
                    }
                    t += 1;
                }
                h /= 2;
            }
            square += 1;
        }
        rows
    }
}

/// A factor in all lanes, and its Barrett factor.
#[derive(Clone, Copy)]
struct Factor<V>(V, V);

#[inline(always)]
fn splat<const W: usize, O: RingOps<W>>(o: O, z: i32) -> Factor<O::V> {
    Factor(o.splat(z.cast_unsigned()), o.splat(barrett(z).cast_unsigned()))
}

#[inline(always)]
fn twiddles<const W: usize, O: RingOps<W>>(o: O, row: &[[i32; W]; 2]) -> Factor<O::V> {
    Factor(o.get(&row[0]), o.get(&row[1]))
}

/// a z modulo q, between -q/4 and 5q/4.
#[inline(always)]
fn times<const W: usize, O: RingOps<W>>(o: O, a: O::V, z: Factor<O::V>) -> O::V {
    let quotient = o.mul_high(a, z.1);
    o.sub(o.mul_low(a, z.0), o.mul_low(quotient, o.splat(Q.cast_unsigned())))
}

/// `x[i] + z x[j]` and `x[i] - z x[j]`.
#[inline(always)]
fn forward<const W: usize, const M: usize, O: RingOps<W>>(
    o: O,
    x: &mut [O::V; M],
    i: usize,
    j: usize,
    z: Factor<O::V>,
) {
    let t = times(o, x[j], z);
    (x[i], x[j]) = (o.add(x[i], t), o.sub(x[i], t));
}

/// `x[i] + x[j]` and `z (x[j] - x[i])`.
#[inline(always)]
fn backward<const W: usize, const M: usize, O: RingOps<W>>(
    o: O,
    x: &mut [O::V; M],
    i: usize,
    j: usize,
    z: Factor<O::V>,
) {
    let difference = o.sub(x[j], x[i]);
    (x[i], x[j]) = (o.add(x[i], x[j]), times(o, difference, z));
}

/// The rows of a polynomial.
#[inline(always)]
fn rows<const W: usize>(p: &mut Poly) -> &mut [[i32; W]] {
    p.0.as_chunks_mut().0
}

/// Layers of distance 2 `apart` and `apart` rows on the block of 4 `apart` rows that begins at `first`.
#[inline(always)]
fn two_forward<const W: usize, O: RingOps<W>>(
    o: O,
    rows: &mut [[i32; W]],
    first: usize,
    apart: usize,
    z: [Factor<O::V>; 3],
) {
    for i in first..first + apart {
        let mut x =
            [o.get(&rows[i]), o.get(&rows[i + apart]), o.get(&rows[i + 2 * apart]), o.get(&rows[i + 3 * apart])];
        forward(o, &mut x, 0, 2, z[0]);
        forward(o, &mut x, 1, 3, z[0]);
        forward(o, &mut x, 0, 1, z[1]);
        forward(o, &mut x, 2, 3, z[2]);
        o.put(x[0], &mut rows[i]);
        o.put(x[1], &mut rows[i + apart]);
        o.put(x[2], &mut rows[i + 2 * apart]);
        o.put(x[3], &mut rows[i + 3 * apart]);
    }
}

/// One layer on coefficients that share a row, distance `H`, of a transposed square.
#[inline(always)]
fn within_forward<const W: usize, const H: usize, O: RingOps<W>>(o: O, x: &mut [O::V; W], table: &[[[i32; W]; 2]]) {
    if H < W {
        for t in 0..W / (2 * H) {
            let z = twiddles(o, &table[W / (2 * H) - 1 + t]);
            for j in 0..H {
                forward(o, x, 2 * H * t + j, 2 * H * t + j + H, z);
            }
        }
    }
}

/// One layer on whole rows of a square, distance `LEN` coefficients, unless they share a row.
#[inline(always)]
fn across_forward<const W: usize, const LEN: usize, O: RingOps<W>>(o: O, x: &mut [O::V; W], square: usize) {
    if LEN >= W {
        let apart = LEN / W;
        for block in 0..W / (2 * apart) {
            let z = splat(o, ZETAS[128 / LEN + square * (W * W) / (2 * LEN) + block]);
            for j in 0..apart {
                forward(o, x, 2 * apart * block + j, 2 * apart * block + j + apart, z);
            }
        }
    }
}

/// `NTT` (Alg. 41) of |x| <= q: |result| <= 11 q, since each layer adds 5q/4 at most.
#[inline(always)]
pub fn ntt<const W: usize, O: RingOps<W>>(o: O, p: &mut Poly) {
    let rows = rows::<W>(p);
    let zetas = |i: usize| [splat(o, ZETAS[i]), splat(o, ZETAS[2 * i]), splat(o, ZETAS[2 * i + 1])];
    two_forward(o, rows, 0, 64 / W, zetas(1));
    for block in 0..4 {
        two_forward(o, rows, block * 64 / W, 16 / W, zetas(4 + block));
    }
    for (square, rows) in rows.as_chunks_mut::<W>().0.iter_mut().enumerate() {
        let mut x = [o.splat(0); W];
        for i in 0..W {
            x[i] = o.get(&rows[i]);
        }
        across_forward::<W, 8, O>(o, &mut x, square);
        across_forward::<W, 4, O>(o, &mut x, square);
        let mut x = o.transpose(x);
        let table = &Twiddles::<W>::FORWARD[square * (W - 1)..];
        within_forward::<W, 8, O>(o, &mut x, table);
        within_forward::<W, 4, O>(o, &mut x, table);
        within_forward::<W, 2, O>(o, &mut x, table);
        within_forward::<W, 1, O>(o, &mut x, table);
        let x = o.transpose(x);
        for i in 0..W {
            o.put(x[i], &mut rows[i]);
        }
    }
}

/// The inverse of [`within_forward`], but for factors.
#[inline(always)]
fn within_backward<const W: usize, const H: usize, O: RingOps<W>>(o: O, x: &mut [O::V; W], table: &[[[i32; W]; 2]]) {
    if H < W {
        for t in 0..W / (2 * H) {
            let z = twiddles(o, &table[W / (2 * H) - 1 + t]);
            for j in 0..H {
                backward(o, x, 2 * H * t + j, 2 * H * t + j + H, z);
            }
        }
    }
}

/// The inverse of [`across_forward`], but for factors.
#[inline(always)]
fn across_backward<const W: usize, const LEN: usize, O: RingOps<W>>(o: O, x: &mut [O::V; W], square: usize) {
    if LEN >= W {
        let apart = LEN / W;
        for block in 0..W / (2 * apart) {
            let z = splat(o, ZETAS[256 / LEN - 1 - square * (W * W) / (2 * LEN) - block]);
            for j in 0..apart {
                backward(o, x, 2 * apart * block + j, 2 * apart * block + j + apart, z);
            }
        }
    }
}

/// The factor that the last layer gives all coefficients, 2^32 / 256, and its twiddle with it.
const LAST: [i32; 2] = [centred(INVERSE as i64) as i32, centred(ZETAS[1] as i64 * INVERSE as i64) as i32];

/// `NTT^-1` (Alg. 42) times 2^32 of |x| < q: |result| <= 2^22. A layer at most doubles, so that all sums
/// are less than 256 q < 2^31.
#[inline(always)]
pub fn inverse<const W: usize, O: RingOps<W>>(o: O, p: &mut Poly) {
    let rows = rows::<W>(p);
    for (square, rows) in rows.as_chunks_mut::<W>().0.iter_mut().enumerate() {
        let mut x = [o.splat(0); W];
        for i in 0..W {
            x[i] = o.get(&rows[i]);
        }
        let mut x = o.transpose(x);
        let table = &Twiddles::<W>::INVERSE[square * (W - 1)..];
        within_backward::<W, 1, O>(o, &mut x, table);
        within_backward::<W, 2, O>(o, &mut x, table);
        within_backward::<W, 4, O>(o, &mut x, table);
        within_backward::<W, 8, O>(o, &mut x, table);
        let mut x = o.transpose(x);
        across_backward::<W, 4, O>(o, &mut x, square);
        across_backward::<W, 8, O>(o, &mut x, square);
        for i in 0..W {
            o.put(x[i], &mut rows[i]);
        }
    }
    for block in 0..4 {
        let apart = 16 / W;
        let z = [splat(o, ZETAS[15 - 2 * block]), splat(o, ZETAS[14 - 2 * block]), splat(o, ZETAS[7 - block])];
        for i in block * 64 / W..block * 64 / W + apart {
            let mut x =
                [o.get(&rows[i]), o.get(&rows[i + apart]), o.get(&rows[i + 2 * apart]), o.get(&rows[i + 3 * apart])];
            backward(o, &mut x, 0, 1, z[0]);
            backward(o, &mut x, 2, 3, z[1]);
            backward(o, &mut x, 0, 2, z[2]);
            backward(o, &mut x, 1, 3, z[2]);
            o.put(x[0], &mut rows[i]);
            o.put(x[1], &mut rows[i + apart]);
            o.put(x[2], &mut rows[i + 2 * apart]);
            o.put(x[3], &mut rows[i + 3 * apart]);
        }
    }
    let (z, factor, last) = ([splat(o, ZETAS[3]), splat(o, ZETAS[2])], splat(o, LAST[0]), splat(o, LAST[1]));
    let apart = 64 / W;
    for i in 0..apart {
        let mut x =
            [o.get(&rows[i]), o.get(&rows[i + apart]), o.get(&rows[i + 2 * apart]), o.get(&rows[i + 3 * apart])];
        backward(o, &mut x, 0, 1, z[0]);
        backward(o, &mut x, 2, 3, z[1]);
        backward(o, &mut x, 0, 2, last);
        backward(o, &mut x, 1, 3, last);
        let (a, b) = (times(o, x[0], factor), times(o, x[1], factor));
        o.put(reduced(o, a), &mut rows[i]);
        o.put(reduced(o, b), &mut rows[i + apart]);
        o.put(reduced(o, x[2]), &mut rows[i + 2 * apart]);
        o.put(reduced(o, x[3]), &mut rows[i + 3 * apart]);
    }
}

/// Modulo q, |result| <= 2^22, of -q/4 <= x <= 5q/4: what is 2^22 or more loses q.
#[inline(always)]
fn reduced<const W: usize, O: RingOps<W>>(o: O, x: O::V) -> O::V {
    let above = o.shr(o.sub(o.splat((1 << 22) - 1), x), 31);
    o.sub(x, o.mul_low(above, o.splat(Q.cast_unsigned())))
}

/// The sum of 64-bit products times 2^-32, modulo q (Alg. 49).
#[inline(always)]
fn montgomery<const W: usize, O: RingOps<W>>(o: O, sum: [O::V; 2]) -> O::V {
    let t = o.mul_low(o.low(sum), o.splat(Q_INV.cast_unsigned()));
    o.high(o.sub_wide(sum, o.mul_wide(t, o.splat(Q.cast_unsigned()))))
}

/// The sum of products, times 2^-32: |result| < 3q/4 for products of which all together are less than 128 q^2.
#[inline(always)]
pub fn row<const W: usize, O: RingOps<W>>(o: O, a: &[Poly], y: &[Poly], out: &mut Poly) {
    for (i, out) in rows::<W>(out).iter_mut().enumerate() {
        let mut sum = [o.splat(0); 2];
        for (a, y) in a.iter().zip(y) {
            let (a, y) = (o.get(&a.0.as_chunks().0[i]), o.get(&y.0.as_chunks().0[i]));
            sum = o.add_wide(sum, o.mul_wide(a, y));
        }
        o.put(montgomery(o, sum), out);
    }
}

/// As [`row`] with one product.
#[inline(always)]
pub fn product<const W: usize, O: RingOps<W>>(o: O, a: &Poly, b: &Poly, out: &mut Poly) {
    for (i, out) in rows::<W>(out).iter_mut().enumerate() {
        let (a, b) = (o.get(&a.0.as_chunks().0[i]), o.get(&b.0.as_chunks().0[i]));
        o.put(montgomery(o, o.mul_wide(a, b)), out);
    }
}
