//! Signatures of wrong lengths, or with parts changed, exchanged or taken from elsewhere; other keys.

use std::ops::Range;

use hashloom::{
    Engine,
    slh_dsa::{Mode, ParameterSet, SigningKey},
};

use super::{MESSAGE, Maker, Signer, random, sign};
use crate::{
    file::{Case, Flag, Interface},
    plain::Shape,
};

/// Where the parts of a signature are, in bytes.
struct Layout {
    shape: Shape,
}

impl Layout {
    fn blocks(&self, first: usize, count: usize) -> Range<usize> {
        self.shape.n * first..self.shape.n * (first + count)
    }
    fn fors_tree(&self, tree: u32) -> Range<usize> {
        let size = self.shape.a as usize + 1;
        self.blocks(1 + size * tree as usize, size)
    }
    /// The secret value of a tree, or the sibling at a height from 1.
    fn fors(&self, tree: u32, height: u32) -> Range<usize> {
        self.blocks(self.fors_tree(tree).start / self.shape.n + height as usize, 1)
    }
    fn layer(&self, layer: u32) -> Range<usize> {
        let size = self.shape.len() + self.shape.hp as usize;
        let first = 1 + (self.shape.k * (self.shape.a + 1)) as usize;
        self.blocks(first + size * layer as usize, size)
    }
    fn chain(&self, layer: u32, chain: usize) -> Range<usize> {
        self.blocks(self.layer(layer).start / self.shape.n + chain, 1)
    }
    fn path(&self, layer: u32, height: u32) -> Range<usize> {
        self.chain(layer, self.shape.len() + height as usize)
    }
    fn all_fors(&self) -> Range<usize> {
        self.shape.n..self.layer(0).start
    }
}

/// Lengths that cost few bytes.
pub(super) fn short(maker: &mut Maker) {
    let (good, n) = (maker.good.clone(), maker.n());
    for (len, comment) in [(0, "empty signature"), (1, "one byte"), (n, "R alone")] {
        maker.refused(Flag::IncorrectSignatureLength, comment, &good[..len]);
    }
}

pub(super) fn whole(maker: &mut Maker) {
    short(maker);
    lengths(maker);
    let layout = Layout { shape: maker.plain.shape };
    flipped(maker, &layout);
    exchanged(maker, &layout);
    constant(maker, &layout);
    mixed(maker, &layout);
    keys(maker);
}

fn lengths(maker: &mut Maker) {
    let (good, n) = (maker.good.clone(), maker.n());
    let fors = (maker.plain.shape.k * (maker.plain.shape.a + 1)) as usize * n;
    let len = good.len();
    let flag = Flag::IncorrectSignatureLength;
    for (signature, comment) in [
        (&good[..len - 1], "last byte missing"),
        (&good[1..], "first byte missing"),
        (&good[..len - n], "last hash value missing"),
        (&good[n..], "R missing"),
        (&good[..n + fors], "hypertree signature missing"),
        (&[&good[..n], &good[n + fors..]].concat(), "FORS signature missing"),
        (&[&good[..], &[0]].concat(), "a zero byte appended"),
        (&[&[0], &good[..]].concat(), "a zero byte in front"),
        (&[&good[..], &good[len - n..]].concat(), "last hash value twice"),
        (&[&good[..n], &good[..]].concat(), "R twice"),
        (&[&good[..], &good[..]].concat(), "the signature twice"),
        (&[&[0x04, 0x82, (len >> 8) as u8, len as u8], &good[..]].concat(), "wrapped in an OCTET STRING"),
        (&[&good[..], MESSAGE].concat(), "followed by the message"),
    ] {
        maker.refused(flag, comment, signature);
    }
}

/// A bit in every kind of part, in every tree and layer.
fn flipped(maker: &mut Maker, layout: &Layout) {
    let Shape { n, d, hp, a, k, .. } = layout.shape;
    let len = layout.shape.len();
    let mut places = vec![(0..n, "R".to_string())];
    for tree in 0..k {
        places.push((layout.fors(tree, 0), format!("the secret value of FORS tree {tree}")));
        for height in [1 + tree % a, 1 + (tree + 5) % a] {
            places.push((layout.fors(tree, height), format!("FORS tree {tree}, authentication node {height}")));
        }
    }
    for layer in 0..d {
        for chain in [0, n, 2 * n - 1, 2 * n, len - 1] {
            places.push((layout.chain(layer, chain), format!("layer {layer}, WOTS+ chain {chain}")));
        }
        for height in 0..hp {
            places.push((layout.path(layer, height), format!("layer {layer}, authentication node {height}")));
        }
    }
    for (i, (place, name)) in places.into_iter().enumerate() {
        let bit = 37 * i % (8 * n);
        let mut signature = maker.good.clone();
        signature[place.start + bit / 8] ^= 1 << (bit % 8);
        maker.refused(Flag::ModifiedSignature, &format!("bit {bit} flipped in {name}"), &signature);
    }
    let last = maker.good.len() - 1;
    for (byte, mask, name) in [(0, 0x80, "first"), (last, 0x01, "last")] {
        let mut signature = maker.good.clone();
        signature[byte] ^= mask;
        maker.refused(Flag::ModifiedSignature, &format!("the signature's {name} bit flipped"), &signature);
    }
}

fn swap(signature: &mut [u8], one: Range<usize>, other: Range<usize>) {
    let kept = signature[one.clone()].to_vec();
    signature.copy_within(other.clone(), one.start);
    signature[other].copy_from_slice(&kept);
}

fn exchanged(maker: &mut Maker, layout: &Layout) {
    let Shape { n, d, hp, a, k, .. } = layout.shape;
    let len = layout.shape.len();
    let mut pairs = Vec::new();
    for layer in 1..d {
        pairs.push((layout.layer(layer - 1), layout.layer(layer), format!("layers {} and {layer}", layer - 1)));
    }
    pairs.push((layout.layer(0), layout.layer(d - 1), format!("layers 0 and {}", d - 1)));
    for tree in 1..k {
        pairs.push((layout.fors_tree(tree - 1), layout.fors_tree(tree), format!("FORS trees {} and {tree}", tree - 1)));
    }
    for tree in [0, k - 1] {
        let name = format!("FORS tree {tree}, authentication nodes");
        pairs.push((layout.fors(tree, 1), layout.fors(tree, 2), format!("{name} 1 and 2")));
        pairs.push((layout.fors(tree, 1), layout.fors(tree, a), format!("{name} 1 and {a}")));
        let name = format!("FORS tree {tree}, the secret value and its sibling");
        pairs.push((layout.fors(tree, 0), layout.fors(tree, 1), name));
    }
    for layer in [0, d - 1] {
        let name = format!("layer {layer}, authentication nodes");
        pairs.push((layout.path(layer, 0), layout.path(layer, 1), format!("{name} 0 and 1")));
        pairs.push((layout.path(layer, 0), layout.path(layer, hp - 1), format!("{name} 0 and {}", hp - 1)));
        let name = format!("layer {layer}, WOTS+ chains");
        pairs.push((layout.chain(layer, 0), layout.chain(layer, 1), format!("{name} 0 and 1")));
        pairs.push((layout.chain(layer, 0), layout.chain(layer, len - 1), format!("{name} 0 and {}", len - 1)));
        let name = format!("layer {layer}, the last WOTS+ chain and the first authentication node");
        pairs.push((layout.chain(layer, len - 1), layout.path(layer, 0), name));
    }
    pairs.push((0..n, layout.fors(0, 0), "R and the first FORS secret value".to_string()));
    for (one, other, name) in pairs {
        let mut signature = maker.good.clone();
        swap(&mut signature, one, other);
        maker.refused(Flag::ExchangedParts, &format!("exchanged: {name}"), &signature);
    }

    let good = maker.good.clone();
    let (r, rest) = good.split_at(n);
    let (fors, hypertree) = rest.split_at(layout.all_fors().len());
    let reversed = |bytes: &[u8], size: usize| bytes.rchunks(size).flatten().copied().collect::<Vec<u8>>();
    for (signature, comment) in [
        ([r, hypertree, fors].concat(), "hypertree signature before FORS signature"),
        ([fors, hypertree, r].concat(), "R at the end"),
        ([r, &reversed(fors, (a as usize + 1) * n), hypertree].concat(), "FORS trees in reverse order"),
        ([r, fors, &reversed(hypertree, (len + hp as usize) * n)].concat(), "layers in reverse order"),
        (reversed(&good, n), "hash values in reverse order"),
        (reversed(&good, 1), "bytes in reverse order"),
        (good.chunks(4).flat_map(|word| word.iter().rev()).copied().collect(), "bytes of each word in reverse order"),
    ] {
        maker.refused(Flag::ExchangedParts, comment, &signature);
    }
    for layer in [0, d - 1] {
        let whole = layout.layer(layer);
        let mut signature = good.clone();
        let (chains, path) = good[whole.clone()].split_at(len * n);
        signature[whole].copy_from_slice(&[path, chains].concat());
        maker.refused(Flag::ExchangedParts, &format!("layer {layer}, path before chains"), &signature);
    }
}

fn constant(maker: &mut Maker, layout: &Layout) {
    let (last, end) = (layout.shape.d - 1, maker.good.len());
    let parts = [
        (0..end, "all"),
        (0..layout.shape.n, "R"),
        (layout.all_fors(), "the FORS signature"),
        (layout.layer(0).start..end, "the hypertree signature"),
        (layout.layer(0), "the lowest layer"),
        (layout.layer(last), "the highest layer"),
        (layout.path(last, 0).start..end, "the highest authentication path"),
    ];
    for (part, name) in parts {
        for (value, what) in [(0x00, "zeros"), (0xff, "ones")] {
            let mut signature = maker.good.clone();
            signature[part.clone()].fill(value);
            maker.refused(Flag::ConstantSignature, &format!("{name}: {what}"), &signature);
        }
    }
}

/// Parts of a signature of another message by the same key.
fn mixed(maker: &mut Maker, layout: &Layout) {
    let (last, end) = (layout.shape.d - 1, maker.good.len());
    let other = sign(&maker.key, b"another message", &Mode::default());
    let parts = [
        (0..layout.shape.n, "R"),
        (layout.shape.n..end, "everything but R"),
        (layout.all_fors(), "the FORS signature"),
        (layout.fors_tree(0), "the first FORS tree"),
        (layout.layer(0).start..end, "the hypertree signature"),
        (layout.layer(0), "the lowest layer"),
        (layout.layer(last), "the highest layer"),
        (0..layout.layer(0).start, "everything but the hypertree signature"),
    ];
    for (part, name) in parts {
        let mut signature = maker.good.clone();
        signature[part.clone()].copy_from_slice(&other[part]);
        maker.refused(Flag::MixedSignatures, &format!("of another message's signature: {name}"), &signature);
    }
    maker.refused(Flag::ModifiedMessage, "the signature of another message", &other);
}

/// The signature is the good one; the key is not.
fn keys(maker: &mut Maker) {
    let (n, set) = (maker.n(), maker.set);
    let (good, public) = (maker.good.clone(), maker.public.clone());
    let (seed, root) = public.split_at(n);
    let other = random("negative vectors, other key", 3 * n);
    let other = SigningKey::from_seeds(set, &Engine::get(), &other[..n], &other[n..2 * n], &other[2 * n..]);
    let other = other.expect("seeds of n bytes").verifying_key().as_bytes().to_vec();
    let flipped = |bit: usize| {
        let mut key = public.clone();
        key[bit / 8] ^= 1 << (bit % 8);
        key
    };
    let mut wrong = vec![
        (Flag::WrongPublicKey, "another key".to_string(), other.clone()),
        (Flag::WrongPublicKey, "PK.seed of another key".to_string(), [&other[..n], root].concat()),
        (Flag::WrongPublicKey, "PK.root of another key".to_string(), [seed, &other[n..]].concat()),
        (Flag::WrongPublicKey, "PK.root and PK.seed exchanged".to_string(), [root, seed].concat()),
        (Flag::WrongPublicKey, "PK.seed zero".to_string(), [&vec![0; n], root].concat()),
        (Flag::WrongPublicKey, "PK.root zero".to_string(), [seed, &vec![0; n]].concat()),
        (Flag::WrongPublicKey, "public key zero".to_string(), vec![0; 2 * n]),
    ];
    for (bit, name) in [
        (7, "PK.seed's first"),
        (8 * n - 8, "PK.seed's last"),
        (8 * n + 7, "PK.root's first"),
        (16 * n - 8, "PK.root's last"),
    ] {
        wrong.push((Flag::WrongPublicKey, format!("{name} bit flipped"), flipped(bit)));
    }
    let flag = Flag::IncorrectPublicKeyLength;
    wrong.push((flag, "public key empty".to_string(), Vec::new()));
    wrong.push((flag, "PK.seed alone".to_string(), seed.to_vec()));
    wrong.push((flag, "PK.root alone".to_string(), root.to_vec()));
    wrong.push((flag, "last byte missing".to_string(), public[..2 * n - 1].to_vec()));
    wrong.push((flag, "a zero byte appended".to_string(), [&public[..], &[0]].concat()));
    wrong.push((flag, "a zero byte in front".to_string(), [&[0], &public[..]].concat()));
    wrong.push((flag, "PK.root twice".to_string(), [&public[..], root].concat()));
    for (flag, comment, public) in wrong {
        maker.add(&Case {
            public: &public,
            interface: Interface::Pure,
            flag,
            comment,
            message: MESSAGE,
            context: None,
            signature: &good,
            valid: false,
        });
    }

    let family = |set: ParameterSet| set.name().contains("SHAKE");
    let same = |other: &ParameterSet| other.signature_len() == set.signature_len() && family(*other) != family(set);
    let other = ParameterSet::ALL.into_iter().find(same).expect("each size has both families");
    let theirs = Maker::new(other);
    maker.add(&Case {
        public: &theirs.public,
        interface: Interface::Pure,
        flag: Flag::OtherParameterSet,
        comment: format!("valid in {other}"),
        message: MESSAGE,
        context: None,
        signature: &theirs.good,
        valid: false,
    });
}
