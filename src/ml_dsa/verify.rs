//! Verification: `ML-DSA.Verify_internal` (FIPS 204 Alg. 8). A public key, a signature and mu meet in three steps that
//! depend on ever more of them, so that what is hashed for many signatures can be hashed side by side.

use alloc::vec::Vec;

use super::{
    functions::{H, stream_many},
    hint::Hint,
    keys::VerifyingKey,
    mu::{Mu, tr},
    params::{MAX_C, ParameterSet, Params, SEED, T1_BITS, WIDE, poly_bytes},
    sample::{BALL, Matrix, in_ball},
};
use crate::{
    engine::Engine,
    error::Error,
    ring::{Poly, Ring},
};

/// What verification needs of a public key.
#[derive(Clone)]
pub(crate) struct Public {
    params: &'static Params,
    set: ParameterSet,
    engine: Engine,
    tr: [u8; WIDE],
    /// A, with t1, in the NTT domain.
    a_t1: Vec<Poly>,
}

impl Public {
    pub(crate) fn expand(key: &VerifyingKey) -> Self {
        let (set, engine) = (key.set(), *key.engine());
        let (params, ring) = (set.params(), Ring::on(&engine));
        let mut matrix = Matrix::new(params, &key.as_bytes()[..SEED]);
        let mut tr = [0; WIDE];
        let streams = [H::stream(key.as_bytes(), &mut tr)].into_iter().chain(matrix.streams());
        stream_many(&engine, &mut streams.collect::<Vec<_>>());
        Self { params, set, engine, tr, a_t1: with_t1(ring, key, matrix.polys(&engine, ring, 1)) }
    }

    /// tr, the hash of the key.
    pub(crate) fn tr(&self) -> &[u8] {
        &self.tr
    }
}

/// A and, behind each row, its element of t1 2^d (Alg. 23), all in the NTT domain, so that A z - c t1 2^d is one product
/// (Alg. 8 line 9).
fn with_t1(ring: Ring, key: &VerifyingKey, mut a: Vec<Poly>) -> Vec<Poly> {
    let rows = a.chunks_exact_mut(key.set().params().l + 1);
    for (row, bytes) in rows.zip(key.as_bytes()[SEED..].chunks_exact(poly_bytes(T1_BITS))) {
        let t1 = &mut row[key.set().params().l];
        ring.unpack(bytes, T1_BITS, None, t1);
        ring.shift(t1);
        ring.ntt(t1);
    }
    a
}

/// The three parts of a signature (Alg. 27), of which z and the hint have been checked.
struct Decoded<'a> {
    c_tilde: &'a [u8],
    /// z, with room for -c, in the NTT domain.
    z: Vec<Poly>,
    hint: Hint<'a>,
}

impl<'a> Decoded<'a> {
    /// Nothing if the length is wrong, z is out of bounds (Alg. 8 line 13) or the hint has another encoding.
    fn of(set: ParameterSet, ring: Ring, signature: &'a [u8]) -> Option<Self> {
        let params = set.params();
        if signature.len() != set.signature_len() {
            return None;
        }
        let (c_tilde, rest) = signature.split_at(params.c_bytes());
        let (packed, hint) = rest.split_at(params.l * params.z_bytes());
        let hint = Hint::unpack(params, hint)?;
        let mut z = alloc::vec![Poly::default(); params.l + 1];
        for (poly, bytes) in z.iter_mut().zip(packed.chunks_exact(params.z_bytes())) {
            ring.unpack(bytes, params.z_bits(), Some(params.gamma1), poly);
            if ring.exceeds(poly, params.gamma1 - params.beta) != 0 {
                return None;
            }
            ring.ntt(poly);
        }
        Some(Self { c_tilde, z, hint })
    }
}

/// mu and the commitment that a signature leads to, to be hashed and compared with c~.
struct Recomputed<'a> {
    c_tilde: &'a [u8],
    hashed: Vec<u8>,
}

impl<'a> Recomputed<'a> {
    /// Alg. 8 lines 8 to 10 and the encoding of line 12; the place of mu is left free.
    fn of(params: &Params, engine: &Engine, a_t1: &[Poly], mut signature: Decoded<'a>, ball: &[u8; BALL]) -> Self {
        let ring = Ring::on(engine);
        let (mut c, minus_c) = (Poly::default(), &mut signature.z[params.l]);
        in_ball(params, engine, signature.c_tilde, ball, &mut c);
        ring.sub(minus_c, &c);
        ring.ntt(minus_c);
        ring.reduce(minus_c);

        let mut hashed = alloc::vec![0; WIDE + params.k * params.w1_bytes()];
        let encoded = hashed[WIDE..].chunks_exact_mut(params.w1_bytes());
        let (mut w, mut hint) = (Poly::default(), Poly::default());
        for (i, (row, encoded)) in a_t1.chunks_exact(params.l + 1).zip(encoded).enumerate() {
            ring.row(row, &signature.z, &mut w);
            ring.inverse(&mut w);
            ring.canonical(&mut w);
            let places = signature.hint.places(i);
            places.iter().for_each(|&place| hint.0[usize::from(place)] = 1);
            ring.use_hint(params.gamma2, &mut w, &hint);
            places.iter().for_each(|&place| hint.0[usize::from(place)] = 0);
            ring.pack(&w, params.w1_bits(), None, encoded);
        }
        Self { c_tilde: signature.c_tilde, hashed }
    }
}

/// Whether each commitment hashes to its c~ (Alg. 8 lines 12 and 13).
fn judge(engine: &Engine, mut items: Vec<(Mu, Recomputed<'_>)>) -> Vec<Result<(), Error>> {
    let mut hashes = alloc::vec![[0; MAX_C]; items.len()];
    items.iter_mut().for_each(|(mu, item)| item.hashed[..WIDE].copy_from_slice(mu.as_bytes()));
    let streams =
        items.iter().zip(&mut hashes).map(|((_, item), hash)| H::stream(&item.hashed, &mut hash[..item.c_tilde.len()]));
    stream_many(engine, &mut streams.collect::<Vec<_>>());
    let verdict = |((_, item), hash): (&(Mu, Recomputed<'_>), &[u8; MAX_C])| {
        if hash.starts_with(item.c_tilde) { Ok(()) } else { Err(Error::InvalidSignature) }
    };
    items.iter().zip(&hashes).map(verdict).collect()
}

/// The verdicts of [`judge`] on what has come so far, and the errors of the rest, in their places.
fn judge_some(engine: &Engine, items: Vec<Result<(Mu, Recomputed<'_>), Error>>) -> Vec<Result<(), Error>> {
    let mut errors = Vec::with_capacity(items.len());
    let mut good = Vec::with_capacity(items.len());
    for item in items {
        errors.push(item.map(|item| good.push(item)));
    }
    let mut verdicts = judge(engine, good).into_iter();
    errors
        .into_iter()
        .map(|known| known.and_then(|()| verdicts.next().unwrap_or(Err(Error::InvalidSignature))))
        .collect()
}

/// One signature by an expanded key.
pub(crate) fn expanded(public: &Public, mu: &Mu, signature: &[u8]) -> Result<(), Error> {
    expanded_many(public, alloc::vec![(Ok(*mu), signature)]).pop().unwrap_or(Err(Error::InvalidSignature))
}

/// Many signatures by one expanded key, of messages whose mu may have failed: a verdict for each, in order.
pub(crate) fn expanded_many(public: &Public, items: Vec<(Result<Mu, Error>, &[u8])>) -> Vec<Result<(), Error>> {
    let (params, engine) = (public.params, &public.engine);
    let decode = |(mu, signature): (Result<Mu, Error>, _)| {
        let decoded = Decoded::of(public.set, Ring::on(engine), signature).ok_or(Error::InvalidSignature);
        mu.and_then(|mu| decoded.map(|decoded| (mu, decoded)))
    };
    let decoded: Vec<Result<(Mu, Decoded<'_>), Error>> = items.into_iter().map(decode).collect();
    let mut balls = alloc::vec![[0; BALL]; decoded.len()];
    let streams = decoded
        .iter()
        .zip(&mut balls)
        .filter_map(|(item, ball)| item.as_ref().ok().map(|(_, decoded)| H::stream(decoded.c_tilde, ball)));
    stream_many(engine, &mut streams.collect::<Vec<_>>());
    let recomputed = decoded.into_iter().zip(&balls).map(|(item, ball)| {
        item.map(|(mu, decoded)| (mu, Recomputed::of(params, engine, &public.a_t1, decoded, ball)))
    });
    judge_some(engine, recomputed.collect())
}

/// A signature by a key as it is written; `mu` is asked for mu, given tr.
pub(crate) fn from_bytes(
    key: &VerifyingKey,
    signature: &[u8],
    mu: impl FnOnce(&[u8]) -> Result<Mu, Error>,
) -> Result<(), Error> {
    let item = recompute(key, signature, mu);
    judge_some(key.engine(), alloc::vec![item]).pop().unwrap_or(Err(Error::InvalidSignature))
}

/// Many signatures by keys of one engine, as [`from_bytes`]: a verdict for each, in order.
pub(crate) fn many<'a, M: FnOnce(&[u8]) -> Result<Mu, Error>>(
    engine: &Engine,
    items: impl Iterator<Item = (&'a VerifyingKey, &'a [u8], M)>,
) -> Vec<Result<(), Error>> {
    judge_some(engine, items.map(|(key, signature, mu)| recompute(key, signature, mu)).collect())
}

/// The steps before the last hash: tr and c are hashed beside A, in lanes that would be idle.
fn recompute<'a>(
    key: &VerifyingKey,
    signature: &'a [u8],
    mu: impl FnOnce(&[u8]) -> Result<Mu, Error>,
) -> Result<(Mu, Recomputed<'a>), Error> {
    let (params, engine) = (key.set().params(), key.engine());
    let ring = Ring::on(engine);
    let Some(decoded) = Decoded::of(key.set(), ring, signature) else {
        // an error of the message comes before that of the signature
        mu(&tr(engine, key.set(), key.as_bytes()))?;
        return Err(Error::InvalidSignature);
    };
    let mut matrix = Matrix::new(params, &key.as_bytes()[..SEED]);
    let (mut tr, mut ball) = ([0; WIDE], [0; BALL]);
    // the longest first
    let (first, last) = ([H::stream(key.as_bytes(), &mut tr)], [H::stream(decoded.c_tilde, &mut ball)]);
    stream_many(engine, &mut first.into_iter().chain(matrix.streams()).chain(last).collect::<Vec<_>>());
    let mu = mu(&tr)?;
    let a_t1 = with_t1(ring, key, matrix.polys(engine, ring, 1));
    Ok((mu, Recomputed::of(params, engine, &a_t1, decoded, &ball)))
}
