//! Arithmetic in Z_q[X]/(X^256 + 1), q = 8380417 (FIPS 204 section 2.3), on whole polynomials and an engine's backend.
//!
//! Polynomials in the NTT domain are in the standard's order and without a factor. Products leave one of 2^-32, which
//! the inverse transform takes away. Bounds are on absolute values.

#[cfg(test)]
mod tests;

use crate::{ct, engine::Engine, lanes::RingTable};

pub(crate) use crate::lanes::Poly;

/// The arithmetic on an engine's choice of backend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring(&'static RingTable);

impl Ring {
    pub(crate) fn on(engine: &Engine) -> Self {
        Self(engine.ring.table())
    }

    /// `NTT` (Alg. 41): from q to 11 q.
    pub(crate) fn ntt(self, p: &mut Poly) {
        let marked = ct::is_marked(&p.0);
        (self.0.ntt)(p);
        ct::spread(marked, &mut p.0);
    }

    /// `NTT^-1` (Alg. 42) times 2^32: from less than q to less than q.
    pub(crate) fn inverse(self, p: &mut Poly) {
        let marked = ct::is_marked(&p.0);
        (self.0.inverse)(p);
        ct::spread(marked, &mut p.0);
    }

    /// The sum of up to eight products in the NTT domain (Alg. 44, 45, 48) times 2^-32: from factors of up to 11 q, whose
    /// products are less than 128 q^2 in all, to less than 3q/4 or, portably, than q.
    pub(crate) fn row(self, a: &[Poly], y: &[Poly], out: &mut Poly) {
        (self.0.row)(a, y, out);
        ct::spread(a.iter().chain(y).any(|p| ct::is_marked(&p.0)), &mut out.0);
    }

    /// A product in the NTT domain (Alg. 45, 47) times 2^-32, with the bounds of [`Ring::row`].
    pub(crate) fn product(self, a: &Poly, b: &Poly, out: &mut Poly) {
        (self.0.product)(a, b, out);
        ct::spread(ct::is_marked(&a.0) || ct::is_marked(&b.0), &mut out.0);
    }

    /// `a + b`
    pub(crate) fn add(self, a: &mut Poly, b: &Poly) {
        (self.0.add)(a, b);
    }

    /// `a - b`
    pub(crate) fn sub(self, a: &mut Poly, b: &Poly) {
        (self.0.sub)(a, b);
    }

    /// Modulo q: from 2^31 - 2^22 - 1 to 6283008, and from less than q to 2^22.
    pub(crate) fn reduce(self, p: &mut Poly) {
        (self.0.reduce)(p);
    }

    /// Modulo q: from less than q to 0 up to q - 1.
    pub(crate) fn canonical(self, p: &mut Poly) {
        (self.0.canonical)(p);
    }

    /// Whether a coefficient is `bound` or more in absolute value, as 0 or 1.
    pub(crate) fn exceeds(self, p: &Poly, bound: i32) -> u8 {
        (self.0.exceeds)(p, bound)
    }

    /// `Power2Round` (Alg. 35) of t from 0 to q - 1, which becomes t1.
    pub(crate) fn power2round(self, t: &mut Poly, t0: &mut Poly) {
        (self.0.power2round)(t, t0);
    }

    /// Times 2^d.
    pub(crate) fn shift(self, p: &mut Poly) {
        (self.0.shift)(p);
    }

    /// `Decompose` (Alg. 36, and 37 and 38) of w from 0 to q - 1, which becomes w0.
    pub(crate) fn decompose(self, gamma2: i32, w: &mut Poly, w1: &mut Poly) {
        (self.0.decompose)(gamma2, w, w1);
    }

    /// `MakeHint` (Alg. 39) by w1, and w0 - c s2 + c t0, which becomes the hint: ones where it leaves the range of a lower
    /// part. Returns how many.
    pub(crate) fn make_hint(self, gamma2: i32, low: &mut Poly, w1: &Poly) -> u32 {
        (self.0.make_hint)(gamma2, low, w1)
    }

    /// `UseHint` (Alg. 40) of r from 0 to q - 1, which becomes the corrected upper part.
    pub(crate) fn use_hint(self, gamma2: i32, r: &mut Poly, hint: &Poly) {
        (self.0.use_hint)(gamma2, r, hint);
    }

    /// `SimpleBitPack` (Alg. 16), or, with an offset, `BitPack` (Alg. 17): offset - x.
    pub(crate) fn pack(self, p: &Poly, bits: u32, offset: Option<i32>, out: &mut [u8]) {
        (self.0.pack)(p, bits, offset, out);
    }

    /// `SimpleBitUnpack` (Alg. 18), or, with an offset, `BitUnpack` (Alg. 19): offset - x.
    pub(crate) fn unpack(self, bytes: &[u8], bits: u32, offset: Option<i32>, p: &mut Poly) {
        (self.0.unpack)(bytes, bits, offset, p);
    }

    /// `RejNTTPoly` (Alg. 14, 30) on whole groups of three bytes: how many coefficients there are now, 256 at most.
    pub(crate) fn reject_uniform(self, bytes: &[u8], p: &mut Poly) -> usize {
        (self.0.reject_uniform)(bytes, p)
    }

    /// `RejBoundedPoly` (Alg. 15, 31) of the half bytes that are accepted, one bit for each: how many coefficients there
    /// are now, 256 at most. The bits are public, the bytes are not.
    pub(crate) fn reject_bounded(self, eta: i32, bytes: &[u8], accepted: &[u8], p: &mut Poly) -> usize {
        (self.0.reject_bounded)(eta, bytes, accepted, p)
    }
}
