//! Polynomials with coefficients modulo q = 8380417 (FIPS 204 section 2.3), and what a backend provides for them.

/// 256 coefficients.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Poly(pub [i32; 256]);

impl Default for Poly {
    fn default() -> Self {
        Self([0; 256])
    }
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
