//! SLH-DSA itself (FIPS 205 section 9): key generation, signing and verification on M'.

use alloc::vec::Vec;

use super::{
    cache::Cache,
    family::{Family, Suite},
    fors, hypertree,
    params::{Op, ParameterSet, Params},
    wots::KeyPair,
};
use crate::{ct, engine::Engine, error::Error, message::Message, secret::wipe_stack};

/// The four parts of a private key (section 9.1, figure 15), n bytes each.
#[derive(Clone, Copy)]
pub(crate) struct KeyParts<'a> {
    pub(crate) sk_seed: &'a [u8],
    pub(crate) sk_prf: &'a [u8],
    pub(crate) pk_seed: &'a [u8],
    pub(crate) pk_root: &'a [u8],
}

impl<'a> KeyParts<'a> {
    /// Cuts 4n bytes.
    pub(crate) fn new(n: usize, bytes: &'a [u8]) -> Self {
        let part = |i: usize| &bytes[i * n..(i + 1) * n];
        Self { sk_seed: part(0), sk_prf: part(1), pk_seed: part(2), pk_root: part(3) }
    }
}

/// A value of n bytes whose length its owner has checked.
fn array<const N: usize>(bytes: &[u8]) -> &[u8; N] {
    bytes.first_chunk().expect("key parts have n bytes")
}

/// What H_msg selects (Alg. 19 lines 6 to 10).
pub(crate) struct Selection {
    /// One leaf of each FORS tree.
    pub(crate) indices: Vec<u32>,
    /// The key pairs that sign, from the bottom; the first also names the FORS trees.
    pub(crate) path: Vec<KeyPair>,
}

impl Selection {
    /// Splits a digest of m bytes; all of it is public.
    fn new(params: &Params, digest: &[u8]) -> Self {
        let (md, rest) = digest.split_at((params.k as u32 * params.a).div_ceil(8) as usize);
        let tree_bits = params.h - params.hp;
        let (tree, leaf) = rest.split_at(tree_bits.div_ceil(8) as usize);
        let number = |bytes: &[u8]| bytes.iter().fold(0, |x: u64, &byte| x << 8 | u64::from(byte));
        let tree = number(tree) & (u64::MAX >> (64 - tree_bits));
        let leaf = (number(leaf) & ((1 << params.hp) - 1)) as u32;
        Self { indices: fors::indices(params, md), path: hypertree::path(params, tree, leaf).collect() }
    }
}

/// `slh_keygen_internal` (Alg. 18): PK.root from SK.seed and PK.seed.
pub(crate) fn root(set: ParameterSet, engine: &Engine, sk_seed: &[u8], pk_seed: &[u8], out: &mut [u8]) {
    struct Root<'a>(&'static Params, &'a Engine, &'a [u8], &'a [u8], &'a mut [u8]);
    impl Op for Root<'_> {
        type Out = ();
        fn run<const N: usize, X: Family>(self) {
            let Self(params, engine, sk_seed, pk_seed, out) = self;
            let suite = Suite::<X>::new(params, engine, [pk_seed]);
            out.copy_from_slice(&hypertree::root::<N, X>(&suite, array(sk_seed)));
        }
    }
    set.visit(Root(set.params(), engine, sk_seed, pk_seed, out));
    wipe_stack();
}

/// Computes every tree that a cache has an empty place for.
pub(crate) fn fill(set: ParameterSet, engine: &Engine, key: KeyParts<'_>, cache: &Cache) {
    struct Fill<'a>(&'static Params, &'a Engine, KeyParts<'a>, &'a Cache);
    impl Op for Fill<'_> {
        type Out = ();
        fn run<const N: usize, X: Family>(self) {
            let Self(params, engine, key, cache) = self;
            let suite = Suite::<X>::new(params, engine, [key.pk_seed]);
            hypertree::fill::<N, X>(&suite, array(key.sk_seed), cache);
        }
    }
    set.visit(Fill(set.params(), engine, key, cache));
    wipe_stack();
}

/// `slh_sign_internal` (Alg. 19) of M' with the given opt_rand, n bytes.
pub(crate) fn sign(
    set: ParameterSet,
    engine: &Engine,
    key: KeyParts<'_>,
    cache: Option<&Cache>,
    message: &mut dyn Message,
    opt_rand: &[u8],
) -> Result<Vec<u8>, Error> {
    struct Sign<'a>(&'static Params, &'a Engine, KeyParts<'a>, Option<&'a Cache>, &'a mut dyn Message, &'a [u8]);
    impl Op for Sign<'_> {
        type Out = Result<Vec<u8>, Error>;
        fn run<const N: usize, X: Family>(self) -> Self::Out {
            let Self(params, engine, key, cache, message, opt_rand) = self;
            let mut r = [0; N];
            X::prf_msg(engine, key.sk_prf, opt_rand, message, &mut r)?;
            // the signature begins with it (Alg. 19 line 4)
            ct::public(ct::Value::R, &mut r);
            let selection = select::<X>(params, engine, &r, key.pk_seed, key.pk_root, message)?;

            let suite = Suite::<X>::new(params, engine, [key.pk_seed]);
            let sk_seed = array(key.sk_seed);
            let path = &selection.path;
            let mut signature = alloc::vec![[0; N]; params.signature_nodes()];
            signature[0] = r;
            let (fors, hypertree) = signature[1..].split_at_mut(params.fors_nodes());
            let public = fors::sign(&suite, sk_seed, path[0], &selection.indices, fors);
            hypertree::sign(&suite, sk_seed, path, cache, public, hypertree)?;
            Ok(signature.into_flattened())
        }
    }
    let signature = set.visit(Sign(set.params(), engine, key, cache, message, opt_rand));
    wipe_stack();
    signature
}

/// H_msg and what it selects (Alg. 19 lines 5 to 10, Alg. 20 lines 5 to 10).
fn select<X: Family>(
    params: &Params,
    engine: &Engine,
    r: &[u8],
    pk_seed: &[u8],
    pk_root: &[u8],
    message: &mut dyn Message,
) -> Result<Selection, Error> {
    let mut digest = [0; 64];
    let digest = &mut digest[..params.m];
    X::h_msg(engine, &[r, pk_seed], pk_root, message, digest)?;
    Ok(Selection::new(params, digest))
}

/// One signature to be verified: a public key's two parts, M', and the signature in hash values.
pub(crate) struct Claim<'a> {
    pub(crate) pk_seed: &'a [u8],
    pub(crate) pk_root: &'a [u8],
    pub(crate) message: &'a mut dyn Message,
    pub(crate) signature: &'a [u8],
}

/// A claim whose message has been hashed.
pub(crate) struct Candidate<'a, const N: usize> {
    /// Its place among the claims.
    item: usize,
    seed: &'a [u8],
    root: &'a [u8],
    pub(crate) selection: Selection,
    /// The FORS part of the signature.
    pub(crate) fors: &'a [[u8; N]],
    /// The hypertree part.
    pub(crate) hypertree: &'a [[u8; N]],
}

/// `slh_verify_internal` (Alg. 20) of many signatures of one set in lock-step: a verdict for each, in order.
pub(crate) fn verify(set: ParameterSet, engine: &Engine, claims: Vec<Claim<'_>>) -> Vec<Result<(), Error>> {
    struct Verify<'a, 'b>(&'static Params, &'a Engine, Vec<Claim<'b>>);
    impl Op for Verify<'_, '_> {
        type Out = Vec<Result<(), Error>>;
        fn run<const N: usize, X: Family>(self) -> Self::Out {
            let Self(params, engine, claims) = self;
            // a claim that cannot be hashed has its verdict at once; the others go on together
            let mut verdicts = Vec::with_capacity(claims.len());
            let mut candidates: Vec<Candidate<'_, N>> = Vec::with_capacity(claims.len());
            for (item, claim) in claims.into_iter().enumerate() {
                let verdict = match claim.signature.as_chunks() {
                    (nodes, []) if nodes.len() == params.signature_nodes() => {
                        let (seed, root) = (claim.pk_seed, claim.pk_root);
                        select::<X>(params, engine, &nodes[0], seed, root, claim.message).map(|selection| {
                            let (fors, hypertree) = nodes[1..].split_at(params.fors_nodes());
                            candidates.push(Candidate { item, seed, root, selection, fors, hypertree });
                        })
                    }
                    _ => Err(Error::InvalidSignature),
                };
                verdicts.push(verdict);
            }
            if candidates.is_empty() {
                return verdicts;
            }

            let suite = Suite::<X>::new(params, engine, candidates.iter().map(|candidate| candidate.seed));
            let mut nodes = fors::public_keys_from_signatures(&suite, &candidates);
            hypertree::roots_from_signatures(&suite, &candidates, &mut nodes);
            for (candidate, node) in candidates.iter().zip(&nodes) {
                if candidate.root != node {
                    verdicts[candidate.item] = Err(Error::InvalidSignature);
                }
            }
            verdicts
        }
    }
    set.visit(Verify(set.params(), engine, claims))
}
