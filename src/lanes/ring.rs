//! Polynomials with coefficients modulo q = 8380417 (FIPS 204 section 2.3), and what a backend provides for them.

use super::Ops;

/// 256 coefficients.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Poly(pub [i32; 256]);

impl Default for Poly {
    fn default() -> Self {
        Self([0; 256])
    }
}

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

/// One backend's arithmetic; what each function does and takes is said at the methods of `ring::Ring`.
#[derive(Debug)]
pub struct RingTable {
    pub(crate) ntt: fn(&mut Poly),
    pub(crate) inverse: fn(&mut Poly),
    pub(crate) row: fn(&[Poly], &[Poly], &mut Poly),
    pub(crate) product: fn(&Poly, &Poly, &mut Poly),
    pub(crate) add: fn(&mut Poly, &Poly),
    pub(crate) sub: fn(&mut Poly, &Poly),
    pub(crate) reduce: fn(&mut Poly),
    pub(crate) canonical: fn(&mut Poly),
    pub(crate) exceeds: fn(&Poly, i32) -> u8,
    pub(crate) power2round: fn(&mut Poly, &mut Poly),
    pub(crate) shift: fn(&mut Poly),
    pub(crate) decompose: fn(i32, &mut Poly, &mut Poly),
    pub(crate) make_hint: fn(i32, &mut Poly, &Poly) -> u32,
    pub(crate) use_hint: fn(i32, &mut Poly, &Poly),
    pub(crate) pack: fn(&Poly, u32, Option<i32>, &mut [u8]),
    pub(crate) unpack: fn(&[u8], u32, Option<i32>, &mut Poly),
    pub(crate) reject_uniform: fn(&[u8], &mut Poly) -> usize,
    pub(crate) reject_bounded: fn(i32, &[u8], &[u8], &mut Poly) -> usize,
}
