//! XMSS and the hypertree (FIPS 205 sections 6 and 7). Every tree on a signature's way to the top is known before the
//! first hash, so all of them are built together.

use alloc::vec::Vec;

use super::{
    cache::Cache,
    family::{Family, Suite},
    merkle::{Forest, Tree, climb},
    params::Params,
    scheme::Candidate,
    wots::{self, KeyPair, Trace},
};
use crate::{adrs::TreeAdrs, ct, error::Error, secret::Nodes, threads};

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

/// The key pairs of the trees at the given places, tree by tree.
fn key_pairs(params: &Params, at: &[TreeAdrs]) -> impl Iterator<Item = KeyPair> {
    at.iter().flat_map(|&tree| (0..1 << params.hp).map(move |leaf| KeyPair { tree, leaf }))
}

/// Public keys of many key pairs, in batches on all threads.
fn leaves<const N: usize, X: Family>(suite: &Suite<X>, sk_seed: &[u8; N], pairs: &[KeyPair], out: &mut [[u8; N]]) {
    let batches = pairs.chunks(LEAF_BATCH).zip(out.chunks_mut(LEAF_BATCH)).collect();
    threads::for_each(batches, |(pairs, out)| wots::public_keys(suite, sk_seed, pairs, out));
}

/// The trees at the given places (Alg. 9 `xmss_node` for every node).
fn grow<const N: usize, X: Family>(suite: &Suite<X>, sk_seed: &[u8; N], at: &[TreeAdrs]) -> Forest<N> {
    let params = suite.params;
    let mut forest = Forest::new(at.len(), params.hp);
    leaves(suite, sk_seed, &key_pairs(params, at).collect::<Vec<_>>(), forest.leaves_mut());
    forest.grow(suite, |tree, height, index| at[tree].node(height, index));
    forest
}

/// PK.root, the root of the top tree (Alg. 18 lines 1 to 3).
pub(crate) fn root<const N: usize, X: Family>(suite: &Suite<X>, sk_seed: &[u8; N]) -> [u8; N] {
    let forest = grow(suite, sk_seed, &[TreeAdrs { layer: suite.params.d - 1, tree: 0 }]);
    let mut root = forest.trees().map(Tree::root).next().unwrap_or([0; N]);
    // half of the public key (Alg. 18 line 3)
    ct::public(ct::Value::PkRoot, &mut root);
    root
}

/// Fills a cache.
pub(crate) fn fill<const N: usize, X: Family>(suite: &Suite<X>, sk_seed: &[u8; N], cache: &Cache) {
    let missing: Vec<TreeAdrs> = cache.missing().collect();
    for at in missing.chunks((LEAF_BATCH >> suite.params.hp).max(1)) {
        for (at, tree) in at.iter().zip(grow(suite, sk_seed, at).trees()) {
            cache.keep(&suite.engine, *at, tree.nodes());
        }
    }
}

/// As [`grow`] for the trees of key pairs that are to sign: their chains leave a trace.
fn grow_traced<const N: usize, X: Family>(
    suite: &Suite<X>,
    sk_seed: &[u8; N],
    signing: &[KeyPair],
) -> (Forest<N>, Trace<N>) {
    let params = suite.params;
    let at: Vec<TreeAdrs> = signing.iter().map(|pair| pair.tree).collect();
    let signs = |(i, _): &(usize, KeyPair)| signing[i >> params.hp].leaf as usize == i & ((1 << params.hp) - 1);
    let (slots, others): (Vec<usize>, Vec<KeyPair>) =
        key_pairs(params, &at).enumerate().filter(|pair| !signs(pair)).unzip();

    let mut forest = Forest::new(at.len(), params.hp);
    let mut public = Nodes::<N>::zeroed(signing.len() + others.len());
    let (traced, plain) = public.split_at_mut(signing.len());
    let trace = Trace::new(suite, sk_seed, signing, traced);
    leaves(suite, sk_seed, &others, plain);
    for (tree, (pair, leaf)) in signing.iter().zip(traced).enumerate() {
        forest.leaves_mut()[(tree << params.hp) + pair.leaf as usize] = *leaf;
    }
    for (slot, leaf) in slots.into_iter().zip(plain) {
        forest.leaves_mut()[slot] = *leaf;
    }
    forest.grow(suite, |tree, height, index| at[tree].node(height, index));
    (forest, trace)
}

/// Signs `message` with the key pairs of `path` (Alg. 12 `ht_sign`, Alg. 10 `xmss_sign`) into `out`, the hypertree
/// part of a signature. Trees that the cache has are taken from there, others that it has a place for are put there.
pub(crate) fn sign<const N: usize, X: Family>(
    suite: &Suite<X>,
    sk_seed: &[u8; N],
    path: &[KeyPair],
    cache: Option<&Cache>,
    message: [u8; N],
    out: &mut [[u8; N]],
) -> Result<(), Error> {
    let params = suite.params;
    let kept = |pair: &KeyPair| cache.map_or(Ok(None), |cache| cache.get(&suite.engine, pair.tree));
    let kept: Vec<Option<&[u8]>> = path.iter().map(kept).collect::<Result<_, _>>()?;
    let (known, missing): (Vec<usize>, Vec<usize>) = (0..path.len()).partition(|&layer| kept[layer].is_some());
    let pairs = |layers: &[usize]| layers.iter().map(|&layer| path[layer]).collect::<Vec<_>>();
    let (forest, trace) = grow_traced(suite, sk_seed, &pairs(&missing));
    let mut grown = forest.trees();
    let trees: Vec<Tree<'_, N>> = kept
        .iter()
        .filter_map(|kept| match kept {
            Some(nodes) => Some(Tree::from_nodes(params.hp, nodes.as_chunks().0)),
            None => grown.next(),
        })
        .collect();
    if let Some(cache) = cache {
        missing.iter().for_each(|&layer| cache.keep(&suite.engine, path[layer].tree, trees[layer].nodes()));
    }

    // each layer signs the root below it
    let mut messages: Vec<[u8; N]> =
        core::iter::once(message).chain(trees.iter().map(|tree| tree.root())).take(path.len()).collect();
    // a verifier recomputes the roots (Alg. 12 lines 5 and 14)
    ct::public(ct::Value::XmssRoot, messages[1..].as_flattened_mut());
    let messages = |layers: &[usize]| layers.iter().map(|&layer| messages[layer]).collect::<Vec<_>>();
    let known_values = wots::sign(suite, sk_seed, &pairs(&known), &messages(&known));
    let missing_values = trace.sign(suite, &messages(&missing));
    for (layers, values) in [(known, known_values), (missing, missing_values)] {
        for (layer, values) in layers.into_iter().zip(values.chunks_exact(params.len())) {
            let xmss = &mut out[layer * params.xmss_nodes()..][..params.xmss_nodes()];
            xmss[..params.len()].copy_from_slice(values);
            for (slot, node) in xmss[params.len()..].iter_mut().zip(trees[layer].auth_path(path[layer].leaf)) {
                *slot = *node;
            }
        }
    }
    Ok(())
}

/// Roots of the hypertree from many signatures in lock-step (Alg. 13 `ht_verify`, Alg. 11 `xmss_pkFromSig`). `nodes`
/// holds the signed messages and becomes the roots.
pub(crate) fn roots_from_signatures<const N: usize, X: Family>(
    suite: &Suite<X>,
    candidates: &[Candidate<'_, N>],
    nodes: &mut [[u8; N]],
) {
    let params = suite.params;
    for layer in 0..params.d as usize {
        let xmss = |item: usize| &candidates[item].hypertree[layer * params.xmss_nodes()..][..params.xmss_nodes()];
        let pairs: Vec<KeyPair> = candidates.iter().map(|candidate| candidate.selection.path[layer]).collect();
        let mut values = Vec::with_capacity(pairs.len() * params.len());
        (0..pairs.len()).for_each(|item| values.extend_from_slice(&xmss(item)[..params.len()]));
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
        // everybody can compute them (Alg. 13), here also a signer who checks a signature that is not out yet
        ct::public(ct::Value::XmssRoot, nodes.as_flattened_mut());
    }
}
