//! FORS (FIPS 205 section 8): all trees of a key pair at once, level by level.

use alloc::vec::Vec;

use super::{
    family::{Family, Suite},
    merkle::{BATCH, Forest, climb},
    params::Params,
    scheme::Candidate,
    wots::KeyPair,
};
use crate::{
    adrs::Adrs,
    ct,
    hash::{Chain, Start},
    secret::Nodes,
    threads,
};

/// Leaves of the trees that are grown together, rounded up to whole trees: enough to keep any number of lanes busy on
/// the upper levels.
const LEAF_BATCH: usize = 4096;

/// The `a`-bit indices that the digest selects, one per tree (Alg. 4 `base_2b`, Alg. 16 line 2). Public, like the
/// signature that shows them.
pub(crate) fn indices(params: &Params, digest: &[u8]) -> Vec<u32> {
    let mut bits = digest.iter().flat_map(|byte| (0..8).rev().map(move |i| u32::from(byte >> i & 1)));
    (0..params.k).map(|_| bits.by_ref().take(params.a as usize).fold(0, |index, bit| index << 1 | bit)).collect()
}

/// Names the nodes of a key pair's trees: indices run over all trees (Alg. 15).
fn node(params: &Params, pair: KeyPair, tree: usize, height: u32, index: u32) -> Adrs {
    pair.tree.fors_node(pair.leaf, height, ((tree as u32) << (params.a - height)) + index)
}

/// Signs with one value and authentication path per tree (Alg. 14 `fors_skGen`, Alg. 16 `fors_sign`) into `out`, and
/// returns PK_FORS, which signing needs next anyway.
pub(crate) fn sign<const N: usize, X: Family>(
    suite: &Suite<X>,
    sk_seed: &[u8; N],
    pair: KeyPair,
    indices: &[u32],
    out: &mut [[u8; N]],
) -> [u8; N] {
    let params = suite.params;
    let per_tree = 1 + params.a as usize;
    let batch = (LEAF_BATCH >> params.a).max(1);
    let mut roots = Nodes::zeroed(params.k);
    let batches = indices
        .chunks(batch)
        .zip(out.chunks_mut(batch * per_tree))
        .zip(roots.chunks_mut(batch))
        .enumerate()
        .map(|(i, ((indices, out), roots))| (i * batch, indices, out, roots))
        .collect();
    threads::for_each(batches, |(first, indices, out, roots)| {
        let leaf = |tree: usize, index| node(params, pair, first + tree, 0, index);
        let mut forest = Forest::<N>::new(indices.len(), params.a);
        let width = 1 << params.a;
        for (batch, leaves) in forest.leaves_mut().chunks_mut(BATCH).enumerate() {
            let place = |i: usize| (batch * BATCH + i) as u32;
            let chains: Vec<Chain> = (0..leaves.len())
                .map(|i| Chain { adrs: leaf((place(i) / width) as usize, place(i) % width), steps: 1 })
                .collect();
            suite.chains(&chains, Start::Prf(sk_seed), leaves);
        }
        forest.grow(suite, |tree, height, index| node(params, pair, first + tree, height, index));

        let revealed: Vec<Chain> =
            indices.iter().enumerate().map(|(tree, &index)| Chain { adrs: leaf(tree, index), steps: 0 }).collect();
        let mut values = Nodes::zeroed(revealed.len());
        suite.chains(&revealed, Start::Prf(sk_seed), &mut values);
        for (i, tree) in forest.trees().enumerate() {
            let part = &mut out[i * per_tree..(i + 1) * per_tree];
            part[0] = values[i];
            for (slot, node) in part[1..].iter_mut().zip(tree.auth_path(indices[i])) {
                *slot = *node;
            }
            roots[i] = tree.root();
        }
    });
    let mut public = [[0; N]];
    suite.compress(&[pair.tree.fors_roots(pair.leaf)], &roots, &mut public);
    // a verifier recomputes it (Alg. 19 line 16)
    ct::public(ct::Value::PkFors, public.as_flattened_mut());
    public[0]
}

/// FORS public keys from many signatures in lock-step (Alg. 17 `fors_pkFromSig`).
pub(crate) fn public_keys_from_signatures<const N: usize, X: Family>(
    suite: &Suite<X>,
    candidates: &[Candidate<'_, N>],
) -> Vec<[u8; N]> {
    let params = suite.params;
    let (k, per_tree) = (params.k, 1 + params.a as usize);
    let pair = |i: usize| candidates[i].selection.path[0];
    let part = |i: usize| &candidates[i / k].fors[i % k * per_tree..][..per_tree];
    let index = |i: usize| candidates[i / k].selection.indices[i % k];
    let adrs = |i: usize, height, index| node(params, pair(i / k), i % k, height, index);

    let mut nodes: Vec<[u8; N]> = (0..candidates.len() * k).map(|i| part(i)[0]).collect();
    let leaves: Vec<Chain> = (0..nodes.len()).map(|i| Chain { adrs: adrs(i, 0, index(i)), steps: 1 }).collect();
    suite.chains(&leaves, Start::Nodes, &mut nodes);
    climb(suite, &mut nodes, params.a, index, |i, level| &part(i)[1 + level as usize], adrs);

    let roots: Vec<Adrs> = (0..candidates.len()).map(|i| pair(i).tree.fors_roots(pair(i).leaf)).collect();
    let mut public = alloc::vec![[0; N]; candidates.len()];
    suite.compress(&roots, &nodes, &mut public);
    // everybody can compute it (Alg. 17), here also a signer who checks a signature that is not out yet
    ct::public(ct::Value::PkFors, public.as_flattened_mut());
    public
}
