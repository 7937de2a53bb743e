//! Which item sits on which lane. Looks at counts, lengths and public indices only.

use alloc::vec::Vec;
use core::{cmp::Reverse, ops::Range};

use crate::{
    hash::{Chain, Start},
    lanes::{ChainLanes, Items},
};

/// Steps of a chain: positions are a byte in the kernels.
const MAX_STEPS: usize = 255;

/// The order in which lanes take items: longest first, so that the last group of lanes ends together.
pub struct Order(Option<Vec<usize>>);

impl Order {
    /// Orders `len` items by `cost`; items that are in order, the common case, need no sorting and no memory.
    pub(crate) fn longest_first(len: usize, cost: impl Fn(usize) -> usize) -> Self {
        if (1..len).all(|i| cost(i) <= cost(i - 1)) {
            return Self(None);
        }
        let mut order: Vec<usize> = (0..len).collect();
        order.sort_unstable_by_key(|&i| Reverse(cost(i)));
        Self(Some(order))
    }

    /// As `longest_first` for costs that are steps of chains, by counting.
    fn most_steps_first(len: usize, cost: impl Fn(usize) -> usize) -> Self {
        let (mut counts, mut highest) = ([0; MAX_STEPS + 1], 0);
        for i in 0..len {
            counts[cost(i)] += 1;
            highest = highest.max(cost(i));
        }
        if counts[highest] == len {
            return Self(None);
        }
        // where the items of each cost begin
        let (mut starts, mut start) = (counts, 0);
        for at in (0..=highest).rev() {
            starts[at] = start;
            start += counts[at];
        }
        let mut order = alloc::vec![0; len];
        for i in 0..len {
            let start = &mut starts[cost(i)];
            order[*start] = i;
            *start += 1;
        }
        Self(Some(order))
    }

    /// The item at place `i`.
    #[inline(always)]
    pub(crate) fn at(&self, i: usize) -> usize {
        match &self.0 {
            Some(order) => order[i],
            None => i,
        }
    }
}

/// The prefix of item `i` when `items` items share `prefixes` evenly.
#[inline(always)]
pub(crate) fn shared<P>(prefixes: &[P], items: usize, i: usize) -> &P {
    &prefixes[if prefixes.len() == 1 { 0 } else { i / (items / prefixes.len()) }]
}

/// Chains to be run on lanes of any family.
pub(crate) struct ChainJob<'a, P, const N: usize> {
    prefixes: &'a [P],
    chains: &'a [Chain],
    order: Order,
    start: Start<'a, N>,
    nodes: &'a mut [[u8; N]],
}

/// What a lane is doing.
#[derive(Clone, Copy)]
struct Lane {
    item: Option<usize>,
    /// Steps until the lane needs attention.
    left: u32,
}

impl<'a, P, const N: usize> ChainJob<'a, P, N> {
    pub(crate) fn new(prefixes: &'a [P], chains: &'a [Chain], start: Start<'a, N>, nodes: &'a mut [[u8; N]]) -> Self {
        const { assert!(matches!(N, 16 | 24 | 32), "n of FIPS 205") };
        assert_eq!(chains.len(), nodes.len(), "one node per chain");
        assert!(!prefixes.is_empty() && chains.len().is_multiple_of(prefixes.len()), "prefixes are shared evenly");
        let order = Order::most_steps_first(chains.len(), |i| chains[i].steps as usize);
        Self { prefixes, chains, order, start, nodes }
    }

    /// Runs the items at places `items` of the order on the lanes of `c`: lanes whose value is complete are refilled,
    /// then all advance together by as many steps as the shortest needs. Where chains start from PRF, which is another
    /// hash than the steps of running ones, lanes wait for each other and are refilled together.
    #[inline(always)]
    pub(crate) fn drive<const W: usize, C: ChainLanes<N, Prefix = P>>(
        &mut self,
        c: &mut C,
        mut items: Range<usize>,
        mut advance: impl FnMut(&mut C, bool, u32),
    ) {
        let mut lanes = [Lane { item: None, left: 0 }; W];
        if let [prefix] = self.prefixes {
            for lane in 0..W {
                c.set_prefix(lane, prefix);
            }
        }
        loop {
            let mut idle = true;
            for (i, lane) in lanes.iter_mut().enumerate() {
                if lane.left > 0 {
                    idle = false;
                } else if let Some(item) = lane.item.take() {
                    c.value(i, &mut self.nodes[item]);
                }
            }
            let prf = match self.start {
                Start::Prf(sk_seed) if idle => {
                    c.set_values(sk_seed);
                    true
                }
                _ => false,
            };
            let refill = prf || matches!(self.start, Start::Nodes);
            let mut burst = u32::MAX;
            for (i, lane) in lanes.iter_mut().enumerate() {
                if refill && lane.item.is_none() {
                    self.refill(i, lane, c, &mut items);
                }
                if lane.item.is_none() {
                    c.set_value(i, &[0; N]);
                } else if lane.left < burst {
                    burst = lane.left;
                }
            }
            if burst == u32::MAX {
                return;
            }
            advance(c, prf, burst);
            for lane in &mut lanes {
                lane.left = lane.left.saturating_sub(burst);
            }
        }
    }

    /// Puts the next item that has anything to do on a lane, if there is one. A lane without an item hashes zeros.
    #[inline(always)]
    fn refill<C: ChainLanes<N, Prefix = P>>(&mut self, i: usize, lane: &mut Lane, c: &mut C, items: &mut Range<usize>) {
        for place in items {
            let item = self.order.at(place);
            let Chain { adrs, steps } = &self.chains[item];
            if let Start::Nodes = self.start {
                if *steps == 0 {
                    continue;
                }
                c.set_value(i, &self.nodes[item]);
            }
            c.set_adrs(i, adrs);
            if self.prefixes.len() > 1 {
                c.set_prefix(i, shared(self.prefixes, self.chains.len(), item));
            }
            *lane = Lane { item: Some(item), left: *steps };
            return;
        }
    }
}

impl<P, const N: usize> Items for ChainJob<'_, P, N> {
    fn len(&self) -> usize {
        self.chains.len()
    }
}

/// Tweakable hashes of equal-sized groups of nodes, to be run in lock-step on lanes of any family.
pub struct TweakJob<'a, P, const N: usize> {
    pub(crate) prefixes: &'a [P],
    pub(crate) adrs: &'a [crate::adrs::Adrs],
    pub(crate) nodes: &'a [[u8; N]],
    pub(crate) out: &'a mut [[u8; N]],
}

impl<'a, P, const N: usize> TweakJob<'a, P, N> {
    pub(crate) fn new(
        prefixes: &'a [P],
        adrs: &'a [crate::adrs::Adrs],
        nodes: &'a [[u8; N]],
        out: &'a mut [[u8; N]],
    ) -> Self {
        const { assert!(matches!(N, 16 | 24 | 32), "n of FIPS 205") };
        assert_eq!(adrs.len(), out.len(), "one output per address");
        assert_eq!(nodes.len() % adrs.len().max(1), 0, "groups are of equal size");
        assert!(!prefixes.is_empty() && adrs.len().is_multiple_of(prefixes.len()), "prefixes are shared evenly");
        Self { prefixes, adrs, nodes, out }
    }

    /// Item `i`'s nodes.
    #[inline(always)]
    pub(crate) fn body(&self, i: usize) -> &'a [[u8; N]] {
        let group = self.nodes.len() / self.adrs.len();
        &self.nodes[i * group..(i + 1) * group]
    }

    /// The prefix of item `i`.
    #[inline(always)]
    pub(crate) fn prefix(&self, i: usize) -> &'a P {
        shared(self.prefixes, self.adrs.len(), i)
    }
}

impl<P, const N: usize> Items for TweakJob<'_, P, N> {
    fn len(&self) -> usize {
        self.adrs.len()
    }
}

/// Whole messages of any lengths, outputs of one length back to back.
pub struct HashJob<'a> {
    pub(crate) msgs: &'a [&'a [u8]],
    pub(crate) out: &'a mut [u8],
    pub(crate) out_len: usize,
    pub(crate) order: Order,
}

impl<'a> HashJob<'a> {
    pub(crate) fn new(msgs: &'a [&'a [u8]], out: &'a mut [u8], out_len: usize) -> Self {
        let order = Order::longest_first(msgs.len(), |i| msgs[i].len());
        Self { msgs, out, out_len, order }
    }

    /// Where item `i`'s output belongs.
    #[inline(always)]
    pub(crate) fn output(&mut self, i: usize) -> &mut [u8] {
        &mut self.out[i * self.out_len..(i + 1) * self.out_len]
    }
}

/// Digests that PBKDF2 iterates, each with the states after its inner and outer pad.
pub struct IterateJob<'a, S> {
    pub(crate) keys: &'a [[S; 2]],
    pub(crate) count: u32,
    /// Bytes of a digest.
    pub(crate) len: usize,
    pub(crate) u: &'a mut [u8],
    pub(crate) sum: &'a mut [u8],
}

impl<'a, S> IterateJob<'a, S> {
    pub(crate) fn new(keys: &'a [[S; 2]], count: u32, len: usize, u: &'a mut [u8], sum: &'a mut [u8]) -> Self {
        assert!(u.len() == keys.len() * len && sum.len() == u.len(), "two digests per key");
        Self { keys, count, len, u, sum }
    }
}
