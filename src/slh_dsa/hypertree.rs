//! XMSS and the hypertree (FIPS 205 sections 6 and 7). Every tree on a signature's way to the top is known before the
//! first hash, so all of them are built together.

use alloc::vec::Vec;

use super::{
    family::{Family, Suite},
    merkle::{Forest, climb},
    params::Params,
    scheme::Candidate,
    threads,
    wots::{self, KeyPair},
};
use crate::adrs::TreeAdrs;

/// WOTS+ public keys that are computed as one batch: enough chains to keep any number of lanes busy, few enough to
/// stay in the cache.
const LEAF_BATCH: usize = 32;

/// The leaves that sign on the way from a FORS key pair to the root of the hypertree, from the bottom (Alg. 12 lines 1
/// to 10).
pub(crate) fn path(params: &Params, tree: u64, leaf: u32) -> impl Iterator<Item = KeyPair> {
    let (d, hp) = (params.d, params.hp);
    (0..d).scan((tree, leaf), move |(tree, leaf), layer| {
        let pair = KeyPair { tree: TreeAdrs { layer, tree: *tree }, leaf: *leaf };
        *leaf = (*tree & ((1 << hp) - 1)) as u32;
        *tree >>= hp;
        Some(pair)
    })
}

/// All nodes of the XMSS trees at the given places (Alg. 9 `xmss_node` for every node).
fn trees<const N: usize, X: Family>(
    params: &Params,
    suite: &Suite<X>,
    sk_seed: &[u8; N],
    at: &[TreeAdrs],
) -> Forest<N> {
    let mut forest = Forest::new(at.len(), params.hp);
    let pairs: Vec<KeyPair> =
        at.iter().flat_map(|&tree| (0..1 << params.hp).map(move |leaf| KeyPair { tree, leaf })).collect();
    let batches = pairs.chunks(LEAF_BATCH).zip(forest.leaves_mut().chunks_mut(LEAF_BATCH)).collect();
    threads::for_each(batches, |(pairs, leaves)| wots::public_keys(suite, sk_seed, pairs, leaves));
    forest.grow(suite, |tree, height, index| at[tree].node(height, index));
    forest
}

/// PK.root, the root of the top tree (Alg. 18 lines 1 to 3).
pub(crate) fn root<const N: usize, X: Family>(params: &Params, suite: &Suite<X>, sk_seed: &[u8; N]) -> [u8; N] {
    trees(params, suite, sk_seed, &[TreeAdrs { layer: params.d - 1, tree: 0 }]).roots()[0]
}

/// Signs `message` with the key pairs of `path` (Alg. 12 `ht_sign`, Alg. 10 `xmss_sign`) into `out`, the hypertree
/// part of a signature.
pub(crate) fn sign<const N: usize, X: Family>(
    params: &Params,
    suite: &Suite<X>,
    sk_seed: &[u8; N],
    path: &[KeyPair],
    message: [u8; N],
    out: &mut [[u8; N]],
) {
    let at: Vec<TreeAdrs> = path.iter().map(|pair| pair.tree).collect();
    let forest = trees(params, suite, sk_seed, &at);
    // each layer signs the root below it
    let messages: Vec<[u8; N]> =
        core::iter::once(message).chain(forest.roots().iter().copied()).take(path.len()).collect();
    let wots = wots::sign(suite, sk_seed, path, &messages);
    for (layer, xmss) in out.chunks_exact_mut(params.xmss_nodes()).enumerate() {
        let (values, auth) = xmss.split_at_mut(params.len());
        values.copy_from_slice(&wots[layer * params.len()..][..params.len()]);
        for (slot, node) in auth.iter_mut().zip(forest.auth_path(layer, path[layer].leaf)) {
            *slot = *node;
        }
    }
}

/// Roots of the hypertree from many signatures in lock-step (Alg. 13 `ht_verify`, Alg. 11 `xmss_pkFromSig`). `nodes`
/// holds the signed messages and becomes the roots.
pub(crate) fn roots_from_signatures<const N: usize, X: Family>(
    params: &Params,
    suite: &Suite<X>,
    candidates: &[Candidate<'_, N>],
    nodes: &mut [[u8; N]],
) {
    for layer in 0..params.d as usize {
        let xmss = |item: usize| &candidates[item].hypertree[layer * params.xmss_nodes()..][..params.xmss_nodes()];
        let pairs: Vec<KeyPair> = candidates.iter().map(|candidate| candidate.selection.path[layer]).collect();
        let values: Vec<[u8; N]> = (0..pairs.len()).flat_map(|item| &xmss(item)[..params.len()]).copied().collect();
        let messages = nodes.to_vec();
        wots::public_keys_from_signatures(suite, &pairs, &messages, values, nodes);
        climb(
            suite,
            nodes,
            params.hp,
            |item| pairs[item].leaf,
            |item, level| &xmss(item)[params.len() + level as usize],
            |item, height, index| pairs[item].tree.node(height, index),
        );
    }
}
