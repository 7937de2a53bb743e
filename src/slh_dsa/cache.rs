//! Upper trees of the hypertree, kept between signatures of one key.
//!
//! The top tree takes part in every signature, each tree below it in one of 2^h', and so on. A kept tree need not be
//! computed again; its WOTS+ signature, which differs with the message below, still is.

use alloc::{boxed::Box, vec::Vec};

use once_cell::race::OnceBox;
use subtle::ConstantTimeEq;

use super::{family::checksum, params::Params};
use crate::{adrs::TreeAdrs, ct, engine::Engine, error::Error};

/// log2 of the trees of the lowest layer that is ever kept: the places for them, 8 bytes each, are made at once.
const MAX_HEIGHT: u32 = 20;

/// All nodes of one tree, which are public, and their digest.
struct Kept {
    nodes: Vec<u8>,
    digest: [u8; 32],
}

/// Places for all trees of the upper layers, filled as signing meets them.
pub(crate) struct Cache {
    /// The lowest layer that is kept.
    first: u32,
    /// Trees by layer from the first, and by index.
    layers: Vec<Vec<OnceBox<Kept>>>,
}

/// Bytes of a kept tree and its place.
const fn tree_bytes(params: &Params) -> usize {
    ((2 << params.hp) - 1) * params.n + size_of::<Kept>() + size_of::<OnceBox<Kept>>()
}

/// Trees of a layer, unless they are more than a signer will meet again.
fn trees(params: &Params, layer: u32) -> Option<usize> {
    let height = (params.d - 1 - layer) * params.hp;
    (height <= MAX_HEIGHT).then(|| 1 << height)
}

/// Bytes that the trees of the top `layers` layers take, if these can be kept.
pub(crate) fn bytes(params: &Params, layers: u32) -> Option<usize> {
    (params.d - layers..params.d)
        .try_fold(0_usize, |sum, layer| sum.checked_add(trees(params, layer)?.checked_mul(tree_bytes(params))?))
}

impl Cache {
    /// Places for as many whole layers as fit into `budget` bytes once they are filled.
    pub(crate) fn new(params: &Params, budget: usize) -> Self {
        let fits = |layers: &u32| bytes(params, *layers).is_some_and(|bytes| bytes <= budget);
        let kept = (0..=params.d).take_while(fits).last().unwrap_or(0);
        let first = params.d - kept;
        let layer = |layer| (0..trees(params, layer).unwrap_or(0)).map(|_| OnceBox::new()).collect();
        Self { first, layers: (first..params.d).map(layer).collect() }
    }

    /// Layers that are kept.
    pub(crate) fn layers(&self) -> u32 {
        self.layers.len() as u32
    }

    fn place(&self, at: TreeAdrs) -> Option<&OnceBox<Kept>> {
        let layer = self.layers.get(at.layer.checked_sub(self.first)? as usize)?;
        layer.get(usize::try_from(at.tree).ok()?)
    }

    /// Places that are still empty.
    pub(crate) fn missing(&self) -> impl Iterator<Item = TreeAdrs> {
        (self.first..).zip(&self.layers).flat_map(|(layer, trees)| {
            (0..).zip(trees).filter(|(_, kept)| kept.get().is_none()).map(move |(tree, _)| TreeAdrs { layer, tree })
        })
    }

    /// The nodes of a tree, if they have been kept and are still what they were.
    ///
    /// A changed node must never be signed: two signatures by one WOTS+ key over different roots let anybody forge.
    pub(crate) fn get(&self, engine: &Engine, at: TreeAdrs) -> Result<Option<&[u8]>, Error> {
        let Some(kept) = self.place(at).and_then(OnceBox::get) else { return Ok(None) };
        // nodes that no signature has shown yet are nobody's to see, that they are unchanged is
        let unchanged = digest(engine, at, &kept.nodes)[..].ct_eq(&kept.digest);
        if ct::verdict(unchanged) { Ok(Some(&kept.nodes)) } else { Err(Error::Fault) }
    }

    /// Keeps a tree if its layer is one of those that are.
    pub(crate) fn keep<const N: usize>(&self, engine: &Engine, at: TreeAdrs, nodes: impl Iterator<Item = [u8; N]>) {
        if let Some(place) = self.place(at) {
            let nodes: Vec<u8> = nodes.flatten().collect();
            let digest = digest(engine, at, &nodes);
            // another thread may have been faster, with the same nodes
            let _ = place.set(Box::new(Kept { nodes, digest }));
        }
    }
}

/// What ties a tree's nodes to its place.
fn digest(engine: &Engine, at: TreeAdrs, nodes: &[u8]) -> [u8; 32] {
    checksum(engine, &[&at.layer.to_be_bytes(), &at.tree.to_be_bytes(), nodes])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slh_dsa::ParameterSet;

    #[test]
    fn a_changed_node_is_a_fault() {
        let engine = Engine::portable();
        let params = ParameterSet::Sha2_128f.params();
        let cache = Cache::new(params, 1 << 20);
        let at = TreeAdrs { layer: params.d - 1, tree: 0 };
        assert_eq!(cache.get(&engine, at), Ok(None));
        let nodes = vec![7; 15 * 16];
        let mut digest = digest(&engine, at, &nodes);
        digest[31] ^= 1;
        assert!(cache.place(at).unwrap().set(Box::new(Kept { nodes, digest })).is_ok());
        assert_eq!(cache.get(&engine, at), Err(Error::Fault));
    }

    #[test]
    fn a_tree_is_kept_once_and_only_in_upper_layers() {
        let engine = Engine::portable();
        let params = ParameterSet::Shake128s.params();
        let cache = Cache::new(params, 20_000);
        assert_eq!(cache.layers(), 1);
        let (top, below) = (TreeAdrs { layer: 6, tree: 0 }, TreeAdrs { layer: 5, tree: 0 });
        assert_eq!(cache.missing().collect::<Vec<_>>(), [top]);
        for (at, byte) in [(top, 1), (top, 2), (below, 3)] {
            cache.keep(&engine, at, core::iter::repeat_n([byte; 16], 1023));
        }
        assert_eq!(cache.get(&engine, top), Ok(Some(&[1; 1023 * 16][..])));
        assert_eq!(cache.get(&engine, below), Ok(None));
        assert_eq!(cache.missing().count(), 0);
    }

    #[test]
    fn budgets_buy_whole_layers() {
        for set in ParameterSet::ALL {
            let params = set.params();
            assert_eq!(Cache::new(params, 0).layers(), 0);
            for layers in 1..3 {
                let bytes = bytes(params, layers).unwrap();
                assert_eq!(Cache::new(params, bytes).layers(), layers, "{set}");
                assert_eq!(Cache::new(params, bytes - 1).layers(), layers - 1, "{set}");
            }
        }
    }
}
