//! Chains and tweakable hashes side by side on every backend: each is what the portable backend makes of it alone, one
//! step at a time.

use hashloom::{
    Engine,
    adrs::{Adrs, TreeAdrs},
    hash::{Chain, Chains, Start, Tweak},
    keccak::Shake256,
    sha2::{Sha256, Sha512},
};
use seeds::Reader;

use crate::common::{engines, portable};

/// Input: hash and n, verb, then what [`chains`] and [`tweaks`] read.
pub fn run(data: &[u8]) {
    let mut input = Reader::new(data);
    match input.below(9) {
        0 => either::<Shake256, 16>(&mut input),
        1 => either::<Shake256, 24>(&mut input),
        2 => either::<Shake256, 32>(&mut input),
        3 => either::<Sha256, 16>(&mut input),
        4 => either::<Sha256, 24>(&mut input),
        5 => either::<Sha256, 32>(&mut input),
        6 => tweaks::<Sha512, 16>(&mut input),
        7 => tweaks::<Sha512, 24>(&mut input),
        _ => tweaks::<Sha512, 32>(&mut input),
    }
}

fn either<H: Chains, const N: usize>(input: &mut Reader<'_>) {
    if input.byte().is_multiple_of(4) { tweaks::<H, N>(input) } else { chains::<H, N>(input) }
}

/// How many items share how many prefixes evenly.
fn counts(input: &mut Reader<'_>, most: usize) -> (usize, usize) {
    let items = input.below(most);
    let shared = 1 + input.below(8);
    (items, if items > 0 && items.is_multiple_of(shared) { shared } else { 1 })
}

fn prefixes<H: Tweak, const N: usize>(engine: &Engine, seeds: &[[u8; N]]) -> Vec<H::Prefix> {
    seeds.iter().map(|seed| H::on(engine).prefix(seed)).collect()
}

/// What a chain is: tree, key pair or tree node, chain, first position, steps.
struct Item {
    at: TreeAdrs,
    fors: bool,
    words: [u32; 3],
    steps: u32,
}

impl Item {
    fn read(input: &mut Reader<'_>) -> Self {
        let at = TreeAdrs { layer: input.byte().into(), tree: input.long() };
        let fors = input.byte().is_multiple_of(4);
        let words = [input.short().into(), input.short().into(), input.byte().into()];
        // FORS leaves have one step, and their index is no position
        let steps = if fors { 1 } else { u32::from(input.byte() % 16).min(255 - words[2]) };
        Self { at, fors, words, steps }
    }

    fn adrs(&self, step: u32) -> Adrs {
        let [a, b, c] = self.words;
        if self.fors { self.at.fors_node(a, 0, b << 8 | c) } else { self.at.wots_hash(a, b, c + step) }
    }
}

/// Number of chains and prefixes, start, seeds, chains, values.
fn chains<H: Chains, const N: usize>(input: &mut Reader<'_>) {
    let (count, shared) = counts(input, 80);
    let sk_seed = (input.byte() % 2 == 1).then(|| input.array::<N>());
    let seeds: Vec<[u8; N]> = (0..shared).map(|_| input.array()).collect();
    let items: Vec<Item> = (0..count).map(|_| Item::read(input)).collect();
    let begin: Vec<[u8; N]> = (0..count).map(|_| input.array()).collect();
    let start = sk_seed.as_ref().map_or(Start::Nodes, Start::Prf);

    let one = H::on(&portable());
    let want: Vec<[u8; N]> = items
        .iter()
        .enumerate()
        .map(|(i, item)| {
            let prefix = [one.prefix(&seeds[i * shared / count])];
            let mut value = [begin[i]];
            if sk_seed.is_some() {
                one.chain_many(&prefix, &[Chain { adrs: item.adrs(0), steps: 0 }], start, &mut value);
            }
            for step in 0..item.steps {
                let chain = Chain { adrs: item.adrs(step), steps: 1 };
                one.chain_many(&prefix, &[chain], Start::Nodes, &mut value);
            }
            value[0]
        })
        .collect();
    let chains: Vec<Chain> = items.iter().map(|item| Chain { adrs: item.adrs(0), steps: item.steps }).collect();
    for engine in engines() {
        let mut values = begin.clone();
        H::on(engine).chain_many(&prefixes::<H, N>(engine, &seeds), &chains, start, &mut values);
        assert_eq!(values, want, "{} N={N} on {engine}, {shared} prefixes", H::NAME);
    }
}

/// Number of groups and prefixes, nodes of a group, seeds, addresses, nodes.
fn tweaks<H: Tweak, const N: usize>(input: &mut Reader<'_>) {
    let (count, shared) = counts(input, 40);
    let group = 1 + input.below(70);
    let seeds: Vec<[u8; N]> = (0..shared).map(|_| input.array()).collect();
    let adrs: Vec<Adrs> = (0..count)
        .map(|_| {
            let at = TreeAdrs { layer: input.byte().into(), tree: input.long() };
            let (kind, index) = (input.byte(), input.long() as u32);
            match kind % 4 {
                0 => at.wots_pk(index),
                1 => at.node(u32::from(kind) >> 2, index),
                2 => at.fors_node(index, u32::from(kind) >> 2, index >> 3),
                _ => at.fors_roots(index),
            }
        })
        .collect();
    let nodes: Vec<[u8; N]> = (0..count * group).map(|_| input.array()).collect();

    let one = H::on(&portable());
    let mut want = vec![[0; N]; count];
    for (i, out) in want.iter_mut().enumerate() {
        let prefix = [one.prefix(&seeds[i * shared / count])];
        let nodes = &nodes[i * group..(i + 1) * group];
        one.tweak_many(&prefix, &adrs[i..=i], nodes, std::slice::from_mut(out));
    }
    for engine in engines() {
        let mut out = vec![[0xa5; N]; count];
        H::on(engine).tweak_many(&prefixes::<H, N>(engine, &seeds), &adrs, &nodes, &mut out);
        assert_eq!(out, want, "{} N={N} on {engine}, {count} x {group} nodes, {shared} prefixes", H::NAME);
    }
}
