//! Private keys: generation (FIPS 204 Alg. 6), encoding (Alg. 24, 25), and what signing needs of them.

use alloc::vec::Vec;

use subtle::{Choice, ConstantTimeEq};
use zeroize::Zeroizing;

use super::{
    functions::{H, stream_many},
    mu::tr,
    params::{D, ParameterSet, Params, SEED, T1_BITS, WIDE, poly_bytes},
    sample::{Bounded, Matrix},
};
use crate::{
    ct,
    engine::Engine,
    error::Error,
    ring::{Poly, Ring},
    secret::Wiped,
};

/// Half of t0's range, and the offset of its encoding.
const T0_OFFSET: i32 = 1 << (D - 1);

/// Where the parts of an expanded private key are: rho, K, tr, s1, s2, t0.
struct Layout {
    s1: usize,
    s2: usize,
    t0: usize,
}

const K: core::ops::Range<usize> = SEED..2 * SEED;
const TR: core::ops::Range<usize> = 2 * SEED..2 * SEED + WIDE;

impl Layout {
    fn of(params: &Params) -> Self {
        let s1 = TR.end;
        let s2 = s1 + params.l * params.eta_bytes();
        Self { s1, s2, t0: s2 + params.k * params.eta_bytes() }
    }
}

/// `ML-DSA.KeyGen_internal` (Alg. 6) of the seed xi: the private key and the public key as bytes.
pub(crate) fn generate(set: ParameterSet, engine: &Engine, xi: &[u8]) -> (Zeroizing<Vec<u8>>, Vec<u8>) {
    let (params, ring) = (set.params(), Ring::on(engine));
    let mut input = Wiped::zeroed(SEED + 2);
    input[..SEED].copy_from_slice(xi);
    (input[SEED], input[SEED + 1]) = (params.k as u8, params.l as u8);
    let mut seeds = Wiped::zeroed(2 * SEED + WIDE);
    stream_many(engine, &mut [H::stream(&input, &mut seeds)]);
    let (rho, rest) = seeds.split_at_mut(SEED);
    let (rho_prime, k_seed) = rest.split_at_mut(WIDE);
    // the public key begins with it (Alg. 6 line 8)
    ct::public(ct::Value::Rho, rho);

    let (mut matrix, mut bounded) = (Matrix::new(params, rho), Bounded::new(params, rho_prime));
    stream_many(engine, &mut matrix.streams().chain(bounded.streams()).collect::<Vec<_>>());
    let a = matrix.polys(engine, ring, 0);
    let s = bounded.polys(engine, ring, params.eta);
    let (t1, t0) = rounded(params, ring, &a, &s);

    let public = encode_public(set, ring, rho, &t1);
    let at = Layout::of(params);
    let mut private = Zeroizing::new(alloc::vec![0; set.signing_key_len()]);
    private[..SEED].copy_from_slice(rho);
    private[K].copy_from_slice(k_seed);
    private[TR].copy_from_slice(&tr(engine, set, &public));
    for (poly, out) in s.iter().zip(private[at.s1..at.t0].chunks_exact_mut(params.eta_bytes())) {
        ring.pack(poly, params.eta_bits(), Some(params.eta), out);
    }
    for (poly, out) in t0.iter().zip(private[at.t0..].chunks_exact_mut(poly_bytes(D))) {
        ring.pack(poly, D, Some(T0_OFFSET), out);
    }
    (private, public)
}

/// t = A s1 + s2, rounded to t1 and t0 (Alg. 6 lines 5 and 6).
fn rounded(params: &Params, ring: Ring, a: &[Poly], s: &[Poly]) -> (Wiped<Poly>, Wiped<Poly>) {
    let (s1, s2) = s.split_at(params.l);
    let mut s1_ntt = Wiped::zeroed(params.l);
    s1_ntt.copy_from_slice(s1);
    s1_ntt.iter_mut().for_each(|poly| ring.ntt(poly));
    let (mut t1, mut t0) = (Wiped::<Poly>::zeroed(params.k), Wiped::<Poly>::zeroed(params.k));
    for (i, (t, t0)) in t1.iter_mut().zip(t0.iter_mut()).enumerate() {
        ring.row(&a[i * params.l..(i + 1) * params.l], &s1_ntt, t);
        ring.inverse(t);
        ring.add(t, &s2[i]);
        ring.reduce(t);
        ring.canonical(t);
        ring.power2round(t, t0);
    }
    (t1, t0)
}

/// `pkEncode` (Alg. 22).
fn encode_public(set: ParameterSet, ring: Ring, rho: &[u8], t1: &[Poly]) -> Vec<u8> {
    let mut public = alloc::vec![0; set.verifying_key_len()];
    public[..SEED].copy_from_slice(rho);
    for (poly, out) in t1.iter().zip(public[SEED..].chunks_exact_mut(poly_bytes(T1_BITS))) {
        ring.pack(poly, T1_BITS, None, out);
        // the public key is made of it (Alg. 6 line 8)
        ct::public(ct::Value::T1, out);
    }
    public
}

/// The public key of an expanded private key, if its parts belong together: s1 and s2 within eta, t0 and tr as they
/// follow from rho, s1 and s2.
pub(crate) fn public_key(set: ParameterSet, engine: &Engine, private: &[u8]) -> Result<Vec<u8>, Error> {
    let (params, ring, at) = (set.params(), Ring::on(engine), Layout::of(set.params()));
    let s = unpack(ring, &private[at.s1..at.t0], params.eta_bits(), params.eta);
    let outside = s.iter().fold(0, |outside, poly| outside | ring.exceeds(poly, params.eta + 1));
    if !ct::verdict(outside.ct_eq(&0)) {
        return Err(Error::InvalidEncoding);
    }
    let mut matrix = Matrix::new(params, &private[..SEED]);
    stream_many(engine, &mut matrix.streams().collect::<Vec<_>>());
    let (t1, t0) = rounded(params, ring, &matrix.polys(engine, ring, 0), &s);
    let public = encode_public(set, ring, &private[..SEED], &t1);

    let mut packed = Wiped::zeroed(poly_bytes(D));
    let mut same = Choice::from(1);
    for (poly, bytes) in t0.iter().zip(private[at.t0..].chunks_exact(poly_bytes(D))) {
        ring.pack(poly, D, Some(T0_OFFSET), &mut packed);
        same &= packed.ct_eq(bytes);
    }
    same &= tr(engine, set, &public).ct_eq(&private[TR]);
    if ct::verdict(same) { Ok(public) } else { Err(Error::InconsistentKey) }
}

/// `BitUnpack` (Alg. 19) of polynomials one after the other.
fn unpack(ring: Ring, bytes: &[u8], bits: u32, offset: i32) -> Wiped<Poly> {
    let mut polys = Wiped::zeroed(bytes.len() / poly_bytes(bits));
    for (poly, bytes) in polys.iter_mut().zip(bytes.chunks_exact(poly_bytes(bits))) {
        ring.unpack(bytes, bits, Some(offset), poly);
    }
    polys
}

/// What signing needs of a private key (Alg. 7 lines 1 to 5). Wiped on drop.
#[derive(Clone)]
pub(crate) struct Private {
    pub(crate) params: &'static Params,
    pub(crate) set: ParameterSet,
    pub(crate) engine: Engine,
    pub(crate) k_seed: Wiped<u8>,
    tr: [u8; WIDE],
    /// A, rows one after the other, in the NTT domain, as the following.
    pub(crate) a: Vec<Poly>,
    pub(crate) s1: Wiped<Poly>,
    pub(crate) s2: Wiped<Poly>,
    pub(crate) t0: Wiped<Poly>,
}

impl Private {
    /// Expands a key whose length has been checked.
    pub(crate) fn expand(set: ParameterSet, engine: &Engine, private: &[u8]) -> Self {
        let (params, ring, at) = (set.params(), Ring::on(engine), Layout::of(set.params()));
        let mut matrix = Matrix::new(params, &private[..SEED]);
        stream_many(engine, &mut matrix.streams().collect::<Vec<_>>());
        let polys = |bytes, bits, offset| {
            let mut polys = unpack(ring, bytes, bits, offset);
            polys.iter_mut().for_each(|poly| ring.ntt(poly));
            polys
        };
        let mut k_seed = Wiped::zeroed(SEED);
        k_seed.copy_from_slice(&private[K]);
        let mut tr = [0; WIDE];
        tr.copy_from_slice(&private[TR]);
        Self {
            params,
            set,
            engine: *engine,
            k_seed,
            tr,
            a: matrix.polys(engine, ring, 0),
            s1: polys(&private[at.s1..at.s2], params.eta_bits(), params.eta),
            s2: polys(&private[at.s2..at.t0], params.eta_bits(), params.eta),
            t0: polys(&private[at.t0..], D, T0_OFFSET),
        }
    }

    /// tr, the hash of the public key.
    pub(crate) fn tr(&self) -> &[u8] {
        &self.tr
    }
}
