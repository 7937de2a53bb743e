//! SLH-DSA's tweakable hashes and chains against a naive reading of FIPS 205 sections 4.2, 5 and 11 over other crates.

mod common;

use common::{on_every_engine, oracle, painted};
use hashloom::{
    Engine,
    adrs::{Adrs, TreeAdrs},
    hash::{Chain, Chains, Start, Tweak},
    keccak::Shake256,
    sha2::{Sha256, Sha512},
};
use proptest::prelude::*;

const LARGEST_BATCH: usize = 33;

/// The fields of an address, laid out here once more, by hand.
#[derive(Clone, Copy, Debug)]
struct Fields {
    layer: u32,
    tree: u64,
    kind: u32,
    words: [u32; 3],
}

impl Fields {
    fn full(&self) -> Vec<u8> {
        let [a, b, c] = self.words.map(u32::to_be_bytes);
        [&self.layer.to_be_bytes()[..], &[0; 4], &self.tree.to_be_bytes(), &self.kind.to_be_bytes(), &a, &b, &c]
            .concat()
    }

    /// ADRSc: one byte of layer and type, the lower eight of the tree (section 11.2).
    fn compressed(&self) -> Vec<u8> {
        let full = self.full();
        [&full[3..4], &full[8..16], &full[19..20], &full[20..]].concat()
    }

    fn adrs(&self) -> Adrs {
        let at = TreeAdrs { layer: self.layer, tree: self.tree };
        let [a, b, c] = self.words;
        match self.kind {
            0 => at.wots_hash(a, b, c),
            1 => at.wots_pk(a),
            2 => at.node(b, c),
            3 => at.fors_node(a, b, c),
            4 => at.fors_roots(a),
            kind => panic!("type {kind} has no constructor"),
        }
    }

    /// The i-th of a series of addresses that differ in every field that their type has.
    fn nth(i: usize, kind: u32) -> Self {
        let i = i as u32;
        let words = match kind {
            0 => [0x1_0203 + 77 * i, 3 + i, i % 16],
            1 | 4 => [0x0102_0304 + i, 0, 0],
            2 => [0, 1 + i % 9, 0x0403_0201 + i],
            // indices count over all FORS trees: more than 16 bits
            3 => [0x1ff + i, i % 15, 0x2_ffff + i],
            kind => panic!("type {kind} has no constructor"),
        };
        Self { layer: i % 22, tree: 0x8182_8384_8586_8788 ^ u64::from(i) << 7, kind, words }
    }
}

/// The hash of PK.seed, an address and a message, to `n` bytes, as section 11 writes it.
trait Naive: Tweak {
    fn naive(pk_seed: &[u8], at: &Fields, message: &[u8], n: usize) -> Vec<u8>;
}

impl Naive for Shake256 {
    fn naive(pk_seed: &[u8], at: &Fields, message: &[u8], n: usize) -> Vec<u8> {
        oracle::xof::<shake::Shake256>(&[pk_seed, &at.full(), message].concat(), n)
    }
}

impl Naive for Sha256 {
    fn naive(pk_seed: &[u8], at: &Fields, message: &[u8], n: usize) -> Vec<u8> {
        let pad = vec![0; 64 - n];
        oracle::fixed::<sha2::Sha256>(&[pk_seed, &pad, &at.compressed(), message].concat(), n)
    }
}

impl Naive for Sha512 {
    fn naive(pk_seed: &[u8], at: &Fields, message: &[u8], n: usize) -> Vec<u8> {
        let pad = vec![0; 128 - n];
        oracle::fixed::<sha2::Sha512>(&[pk_seed, &pad, &at.compressed(), message].concat(), n)
    }
}

/// Alg. 5, one F at a time; PRF first if SK.seed is given (section 11: PRF is F's hash at an address of its own type).
fn naive_chain<H: Naive>(pk_seed: &[u8], at: &Fields, steps: u32, x: &[u8], prf: bool) -> Vec<u8> {
    let n = pk_seed.len();
    let mut x = x.to_vec();
    if prf {
        let kind = if at.kind == 0 { 5 } else { 6 };
        x = H::naive(pk_seed, &Fields { kind, ..*at }, &x, n);
    }
    for i in 0..steps {
        let [a, b, c] = at.words;
        x = H::naive(pk_seed, &Fields { words: [a, b, c + i], ..*at }, &x, n);
    }
    x
}

fn nodes<const N: usize>(count: usize, salt: usize) -> Vec<[u8; N]> {
    painted(count * N + salt)[salt..].as_chunks().0.to_vec()
}

/// PK.seed number `i`.
fn seed<const N: usize>(i: usize) -> [u8; N] {
    nodes(1, 100 + 13 * i)[0]
}

/// Numbers of prefixes that `items` items can share evenly.
fn prefix_counts(items: usize) -> impl Iterator<Item = usize> {
    (1..=items.max(1)).filter(move |count| items.is_multiple_of(*count))
}

/// The prefix of item `i`, and the seed it is made of.
fn seed_of<const N: usize>(i: usize, items: usize, prefixes: usize) -> [u8; N] {
    seed(i * prefixes / items.max(1))
}

fn prefixes<H: Tweak, const N: usize>(h: &H, count: usize) -> Vec<H::Prefix> {
    (0..count).map(|i| h.prefix(&seed::<N>(i))).collect()
}

fn tweaks<H: Naive, const N: usize>(engine: &Engine) {
    let h = H::on(engine);
    let len = 2 * N + 3;
    // H, T_len, T_k of every set, and a sweep over both hashes' block boundaries
    for group in (1..=12).chain([14, 17, 22, 33, len]) {
        let all: Vec<[u8; N]> = nodes(LARGEST_BATCH * group, group);
        for batch in 0..=LARGEST_BATCH {
            let ats: Vec<Fields> = (0..batch).map(|i| Fields::nth(i + group, [1, 2, 3, 4][(i + group) % 4])).collect();
            let adrs: Vec<Adrs> = ats.iter().map(Fields::adrs).collect();
            let all = &all[..batch * group];
            // every way of sharing where one group is enough to tell, the two ends elsewhere
            for count in prefix_counts(batch).filter(|&count| group == 2 || count == 1 || count == batch) {
                let mut out = vec![[0xa5; N]; batch];
                h.tweak_many(&prefixes::<H, N>(&h, count), &adrs, all, &mut out);
                for (i, (at, body)) in ats.iter().zip(all.chunks(group)).enumerate() {
                    let want = H::naive(&seed_of::<N>(i, batch, count), at, body.as_flattened(), N);
                    assert_eq!(out[i][..], want, "{} N={N}, item {i} of {batch} x {group} nodes, {at:?}", H::NAME);
                }
            }
        }
    }
}

#[test]
fn tweak_many_is_the_hash_of_seed_address_and_nodes() {
    on_every_engine(|engine| {
        tweaks::<Shake256, 16>(engine);
        tweaks::<Shake256, 24>(engine);
        tweaks::<Shake256, 32>(engine);
        tweaks::<Sha256, 16>(engine);
        tweaks::<Sha256, 24>(engine);
        tweaks::<Sha256, 32>(engine);
        tweaks::<Sha512, 16>(engine);
        tweaks::<Sha512, 24>(engine);
        tweaks::<Sha512, 32>(engine);
    });
}

/// Runs chains on `engine` and compares them with the naive ones.
fn check_chains<H: Naive + Chains, const N: usize>(
    engine: &Engine,
    prefix_count: usize,
    ats: &[(Fields, u32)],
    sk_seed: Option<&[u8; N]>,
) {
    let h = H::on(engine);
    let chains: Vec<Chain> = ats.iter().map(|(at, steps)| Chain { adrs: at.adrs(), steps: *steps }).collect();
    let begin: Vec<[u8; N]> = nodes(ats.len(), 1);
    let mut values = begin.clone();
    h.chain_many(&prefixes::<H, N>(&h, prefix_count), &chains, sk_seed.map_or(Start::Nodes, Start::Prf), &mut values);
    for (i, (at, steps)) in ats.iter().enumerate() {
        let pk_seed = seed_of::<N>(i, ats.len(), prefix_count);
        let want = naive_chain::<H>(&pk_seed, at, *steps, sk_seed.unwrap_or(&begin[i]), sk_seed.is_some());
        let of = ats.len();
        assert_eq!(values[i][..], want, "{} N={N}, {prefix_count} prefixes, chain {i} of {of}: {ats:?}", H::NAME);
    }
}

fn chains<H: Naive + Chains, const N: usize>(engine: &Engine) {
    let sk_seed = nodes(1, 200)[0];
    for batch in 0..=LARGEST_BATCH {
        let equal = |steps: usize| (0..batch).map(|i| (Fields::nth(i, 0), steps as u32)).collect::<Vec<_>>();
        // WOTS+ positions run from 0 to 15: begin at one, end at another
        let mixed: Vec<(Fields, u32)> = (0..batch)
            .map(|i| {
                let mut at = Fields::nth(i, 0);
                at.words[2] = (i * 7 % 16) as u32;
                (at, ((i * 11 + batch) % (16 - i * 7 % 16)) as u32)
            })
            .collect();
        let one_long = (0..batch).map(|i| (Fields::nth(i, 0), if i == batch / 2 { 15 } else { 0 })).collect();
        // F and PRF of FORS leaves
        let fors = (0..batch).map(|i| (Fields { words: [9, 0, 0xff + 0x1_0101 * i as u32], ..Fields::nth(i, 3) }, 1));
        for count in prefix_counts(batch) {
            for start in [None, Some(&sk_seed)] {
                check_chains::<H, N>(engine, count, &mixed, start);
            }
        }
        for ats in [equal(0), equal(1), equal(15), one_long, fors.clone().collect()] {
            for start in [None, Some(&sk_seed)] {
                check_chains::<H, N>(engine, 1, &ats, start);
            }
        }
        check_chains::<H, N>(engine, 1, &fors.map(|(at, _)| (at, 0)).collect::<Vec<_>>(), Some(&sk_seed));
    }
    // eight leaves' worth of chains, each leaf with a seed of its own
    let many: Vec<(Fields, u32)> =
        (0..8 * (2 * N + 3)).map(|i| (Fields { words: [1, 2, 0], ..Fields::nth(i, 0) }, (i * i % 16) as u32)).collect();
    check_chains::<H, N>(engine, 8, &many, None);
    check_chains::<H, N>(engine, 8, &many, Some(&sk_seed));
}

#[test]
fn chain_many_is_f_iterated() {
    on_every_engine(|engine| {
        chains::<Shake256, 16>(engine);
        chains::<Shake256, 24>(engine);
        chains::<Shake256, 32>(engine);
        chains::<Sha256, 16>(engine);
        chains::<Sha256, 24>(engine);
        chains::<Sha256, 32>(engine);
    });
}

/// chain(chain(x, 0, a), a, b) = chain(x, 0, a + b), and PRF then chain = both at once.
fn chains_compose<H: Chains, const N: usize>(engine: &Engine, cuts: &[(u32, u32)], salt: usize) {
    let h = H::on(engine);
    let p = [h.prefix(&seed::<N>(salt))];
    let at = |i: usize, hash| TreeAdrs { layer: 3, tree: salt as u64 }.wots_hash(salt as u32, i as u32, hash);
    let run = |from: &dyn Fn(&(u32, u32)) -> u32, steps: &dyn Fn(&(u32, u32)) -> u32, start, values: &mut [[u8; N]]| {
        let chains: Vec<Chain> =
            cuts.iter().enumerate().map(|(i, cut)| Chain { adrs: at(i, from(cut)), steps: steps(cut) }).collect();
        h.chain_many(&p, &chains, start, values);
    };
    let mut whole: Vec<[u8; N]> = nodes(cuts.len(), salt);
    let mut cut = whole.clone();
    run(&|_| 0, &|(a, b)| a + b, Start::Nodes, &mut whole);
    run(&|_| 0, &|(a, _)| *a, Start::Nodes, &mut cut);
    run(&|(a, _)| *a, &|(_, b)| *b, Start::Nodes, &mut cut);
    assert_eq!(whole, cut, "{} N={N}", H::NAME);

    let sk_seed = seed(salt + 1);
    run(&|_| 0, &|(a, b)| a + b, Start::Prf(&sk_seed), &mut whole);
    run(&|_| 0, &|_| 0, Start::Prf(&sk_seed), &mut cut);
    run(&|_| 0, &|(a, b)| a + b, Start::Nodes, &mut cut);
    assert_eq!(whole, cut, "{} N={N}, PRF", H::NAME);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn chains_can_be_cut_anywhere(
        cuts in prop::collection::vec((0..=15_u32).prop_flat_map(|a| (Just(a), 0..=15 - a)), 1..40),
        salt in 0..251_usize,
    ) {
        on_every_engine(|engine| {
            chains_compose::<Shake256, 16>(engine, &cuts, salt);
            chains_compose::<Shake256, 24>(engine, &cuts, salt);
            chains_compose::<Shake256, 32>(engine, &cuts, salt);
            chains_compose::<Sha256, 16>(engine, &cuts, salt);
            chains_compose::<Sha256, 24>(engine, &cuts, salt);
            chains_compose::<Sha256, 32>(engine, &cuts, salt);
        });
    }
}
