//! Binary hash trees, many of one height at once (FIPS 205 Alg. 9, 11, 15, 17).

use alloc::vec::Vec;

use super::family::{Family, Suite};
use crate::{adrs::Adrs, secret::Nodes};

/// Hashes that are asked for in one call: enough to keep any number of lanes busy, few enough for their addresses and
/// values to stay in the cache.
pub(crate) const BATCH: usize = 1024;

/// All nodes of `count` equal trees, level by level from the leaves, each level's trees in order.
pub(crate) struct Forest<const N: usize> {
    count: usize,
    height: u32,
    nodes: Nodes<N>,
}

/// Where the nodes of a level begin in a forest.
const fn level_start(count: usize, height: u32, level: u32) -> usize {
    count * ((2 << height) - (2 << (height - level)))
}

impl<const N: usize> Forest<N> {
    /// Room for `count` trees.
    pub(crate) fn new(count: usize, height: u32) -> Self {
        Self { count, height, nodes: Nodes::zeroed(count * ((2 << height) - 1)) }
    }

    /// The leaves, to be filled before [`Forest::grow`].
    pub(crate) fn leaves_mut(&mut self) -> &mut [[u8; N]] {
        &mut self.nodes[..self.count << self.height]
    }

    /// Computes all inner nodes, a level of all trees at once. `adrs` names the node of a tree at a height and index.
    pub(crate) fn grow<X: Family>(&mut self, suite: &Suite<X>, adrs: impl Fn(usize, u32, u32) -> Adrs) {
        for height in 1..=self.height {
            let (children, parents) = self.nodes.split_at_mut(level_start(self.count, self.height, height));
            let width = 1 << (self.height - height);
            let parents = &mut parents[..self.count * width];
            let children = &children[children.len() - 2 * parents.len()..];
            for (batch, (children, parents)) in children.chunks(2 * BATCH).zip(parents.chunks_mut(BATCH)).enumerate() {
                let place = |i: usize| batch * BATCH + i;
                let adrs: Vec<Adrs> =
                    (0..parents.len()).map(|i| adrs(place(i) / width, height, (place(i) % width) as u32)).collect();
                suite.compress(&adrs, children, parents);
            }
        }
    }

    /// The trees in order.
    pub(crate) fn trees(&self) -> impl Iterator<Item = Tree<'_, N>> {
        (0..self.count).map(|index| Tree { index, count: self.count, height: self.height, nodes: &self.nodes })
    }
}

/// One grown tree of a forest.
#[derive(Clone, Copy)]
pub(crate) struct Tree<'a, const N: usize> {
    index: usize,
    count: usize,
    height: u32,
    nodes: &'a [[u8; N]],
}

impl<'a, const N: usize> Tree<'a, N> {
    /// The tree whose nodes are given, level by level, as [`Tree::nodes`] gives them.
    pub(crate) fn from_nodes(height: u32, nodes: &'a [[u8; N]]) -> Self {
        Self { index: 0, count: 1, height, nodes }
    }

    fn level(self, level: u32) -> &'a [[u8; N]] {
        let width = 1 << (self.height - level);
        &self.nodes[level_start(self.count, self.height, level) + self.index * width..][..width]
    }

    /// All nodes, level by level from the leaves.
    pub(crate) fn nodes(self) -> impl Iterator<Item = [u8; N]> {
        (0..=self.height).flat_map(move |level| self.level(level)).copied()
    }

    pub(crate) fn root(self) -> [u8; N] {
        self.level(self.height)[0]
    }

    /// The siblings on the way from a leaf to the root, from the bottom (Alg. 10 lines 1 to 4, Alg. 16 lines 5 to 8).
    pub(crate) fn auth_path(self, leaf: u32) -> impl Iterator<Item = &'a [u8; N]> {
        (0..self.height).map(move |level| &self.level(level)[((leaf >> level) ^ 1) as usize])
    }
}

/// Climbs from many leaves to their roots by their authentication paths, in lock-step (Alg. 11 lines 8 to 18, Alg. 17
/// lines 7 to 17). `index` and `auth` give an item's leaf index and its sibling at a level; `adrs` names an item's node
/// at a height and index.
pub(crate) fn climb<'a, const N: usize, X: Family>(
    suite: &Suite<X>,
    nodes: &mut [[u8; N]],
    height: u32,
    index: impl Fn(usize) -> u32,
    auth: impl Fn(usize, u32) -> &'a [u8; N],
    adrs: impl Fn(usize, u32, u32) -> Adrs,
) {
    let mut pairs = Vec::with_capacity(2 * nodes.len());
    for level in 0..height {
        pairs.clear();
        for (item, node) in nodes.iter().enumerate() {
            let sibling = *auth(item, level);
            pairs.extend(if index(item) >> level & 1 == 0 { [*node, sibling] } else { [sibling, *node] });
        }
        let adrs: Vec<Adrs> = (0..nodes.len()).map(|item| adrs(item, level + 1, index(item) >> (level + 1))).collect();
        suite.compress(&adrs, &pairs, nodes);
    }
}
