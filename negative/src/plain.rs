//! FIPS 205 in its plainest form, one hash after the other, with other crates' hash functions: a second opinion on what
//! is signed here, and a signer that can be told to make a mistake.

use std::{cell::RefCell, collections::HashMap};

use hashloom::slh_dsa::ParameterSet;
use sha2::{Digest, Sha256, Sha512};
use shake::{ExtendableOutput, Shake256, Update, XofReader};

use crate::flaw::{KeyFlaw, SignFlaw};

/// A hash value: its first n bytes count, the others are zero.
pub type Node = [u8; 32];

/// The numbers of a set (table 2).
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub shake: bool,
    pub n: usize,
    pub d: u32,
    pub hp: u32,
    pub a: u32,
    pub k: u32,
    pub m: usize,
}

impl Shape {
    pub fn of(set: ParameterSet) -> Self {
        let name = set.name();
        let (n, d, hp, a, k, m) = match &name[name.len() - 4..] {
            "128s" => (16, 7, 9, 12, 14, 30),
            "128f" => (16, 22, 3, 6, 33, 34),
            "192s" => (24, 7, 9, 14, 17, 39),
            "192f" => (24, 22, 3, 8, 33, 42),
            "256s" => (32, 8, 8, 14, 22, 47),
            _ => (32, 17, 4, 9, 35, 49),
        };
        Self { shake: name.contains("SHAKE"), n, d, hp, a, k, m }
    }

    /// Chains of a WOTS+ key.
    pub fn len(&self) -> usize {
        2 * self.n + 3
    }

    /// Bits of the index of a tree of the lowest layer.
    fn tree_bits(&self) -> u32 {
        (self.d - 1) * self.hp
    }

    /// Bytes of the digest that select FORS leaves.
    fn md_len(&self) -> usize {
        (self.k * self.a).div_ceil(8) as usize
    }
}

/// An address (section 4.2), all 32 bytes.
#[derive(Clone, Copy)]
struct Address([u8; 32]);

/// Its types.
const WOTS_HASH: u32 = 0;
const WOTS_PK: u32 = 1;
const TREE: u32 = 2;
const FORS_TREE: u32 = 3;
const FORS_ROOTS: u32 = 4;
const WOTS_PRF: u32 = 5;
const FORS_PRF: u32 = 6;

impl Address {
    fn new(layer: u32, tree: u64, kind: u32, words: [u32; 3]) -> Self {
        let mut bytes = [0; 32];
        bytes[..4].copy_from_slice(&layer.to_be_bytes());
        bytes[8..16].copy_from_slice(&tree.to_be_bytes());
        for (word, place) in [kind, words[0], words[1], words[2]].iter().zip(bytes[16..].chunks_mut(4)) {
            place.copy_from_slice(&word.to_be_bytes());
        }
        Self(bytes)
    }

    fn clear(&mut self, bytes: std::ops::Range<usize>) {
        self.0[bytes].fill(0);
    }

    fn set_type(&mut self, kind: u32) {
        self.0[16..20].copy_from_slice(&kind.to_be_bytes());
    }

    /// ADRSc (section 11.2), 22 bytes.
    fn compressed(&self) -> [u8; 22] {
        let mut bytes = [0; 22];
        bytes[0] = self.0[3];
        bytes[1..9].copy_from_slice(&self.0[8..16]);
        bytes[9] = self.0[19];
        bytes[10..].copy_from_slice(&self.0[20..]);
        bytes
    }
}

/// Which of a family's functions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Function {
    /// PRF and F.
    Short,
    /// H and T_l.
    Long,
}

/// What a digest selects.
#[derive(Clone, Debug)]
pub struct Selection {
    /// A leaf of each FORS tree.
    pub indices: Vec<u32>,
    /// The tree of the lowest layer, and the leaf in it.
    pub tree: u64,
    pub leaf: u32,
    /// The bits of the digest that do not count, those above the tree's and those above the leaf's index.
    pub ignored: [u64; 2],
}

/// The trees of the hypertree that have been made, by layer and index.
type Made = HashMap<(u32, u64), Vec<Vec<Node>>>;

/// A key.
pub struct Plain {
    pub shape: Shape,
    flaw: Option<KeyFlaw>,
    sk_seed: Vec<u8>,
    pub pk_seed: Vec<u8>,
    pub pk_root: Vec<u8>,
    sha256: Sha256,
    sha512: Sha512,
    made: RefCell<Made>,
}

impl Plain {
    /// Makes a key (Alg. 18).
    pub fn new(set: ParameterSet, sk_seed: &[u8], pk_seed: &[u8], flaw: Option<KeyFlaw>) -> Self {
        let shape = Shape::of(set);
        let mut block = [0; 128];
        block[..shape.n].copy_from_slice(pk_seed);
        if flaw == Some(KeyFlaw::SeedLeftOut) {
            block.fill(0);
        }
        let [short, long] = if flaw == Some(KeyFlaw::SeedNotPadded) { [shape.n; 2] } else { [64, 128] };
        let mut key = Self {
            shape,
            flaw,
            sk_seed: sk_seed.to_vec(),
            pk_seed: pk_seed.to_vec(),
            pk_root: Vec::new(),
            sha256: Sha256::new_with_prefix(&block[..short]),
            sha512: Sha512::new_with_prefix(&block[..long]),
            made: RefCell::default(),
        };
        let tree = key.tree(shape.d - 1, 0);
        key.pk_root = tree[shape.hp as usize][0][..shape.n].to_vec();
        key
    }

    /// PK.seed || PK.root.
    pub fn public(&self) -> Vec<u8> {
        [&self.pk_seed[..], &self.pk_root].concat()
    }

    /// PRF, F, H or T_l of a family.
    fn hash(&self, function: Function, mut address: Address, inputs: &[&[u8]]) -> Node {
        if let Some(word) = self.flaw.and_then(KeyFlaw::cleared) {
            address.clear(word);
        }
        let n = self.shape.n;
        let mut out = [0; 32];
        if self.shape.shake {
            let mut hash = Shake256::default();
            if self.flaw != Some(KeyFlaw::SeedLeftOut) {
                hash.update(&self.pk_seed);
            }
            if self.flaw == Some(KeyFlaw::OtherAddressForm) {
                hash.update(&address.compressed());
            } else {
                hash.update(&address.0);
            }
            inputs.iter().for_each(|input| hash.update(input));
            hash.finalize_xof().read(&mut out[..n]);
            return out;
        }
        let long = match self.flaw {
            Some(KeyFlaw::Sha256Everywhere) => false,
            Some(KeyFlaw::Sha512Everywhere) => true,
            _ => n > 16 && function == Function::Long,
        };
        let compressed = address.compressed();
        let address = if self.flaw == Some(KeyFlaw::OtherAddressForm) { &address.0[..] } else { &compressed };
        if long {
            let mut hash = self.sha512.clone();
            Digest::update(&mut hash, address);
            inputs.iter().for_each(|input| Digest::update(&mut hash, input));
            out[..n].copy_from_slice(&hash.finalize()[..n]);
        } else {
            let mut hash = self.sha256.clone();
            Digest::update(&mut hash, address);
            inputs.iter().for_each(|input| Digest::update(&mut hash, input));
            out[..n].copy_from_slice(&hash.finalize()[..n]);
        }
        out
    }

    /// A hash over nodes.
    fn over(&self, function: Function, address: Address, nodes: &[Node]) -> Node {
        let inputs: Vec<&[u8]> = nodes.iter().map(|node| &node[..self.shape.n]).collect();
        self.hash(function, address, &inputs)
    }

    /// The digest of a message (H_msg).
    pub fn digest(&self, flaw: Option<SignFlaw>, r: &[u8], framed: &[u8]) -> Vec<u8> {
        let or_nothing = |part, left_out| if flaw == Some(left_out) { &[][..] } else { part };
        let r = or_nothing(r, SignFlaw::DigestWithoutR);
        let seed = or_nothing(&self.pk_seed, SignFlaw::DigestWithoutSeed);
        let root = or_nothing(&self.pk_root, SignFlaw::DigestWithoutRoot);
        let mut digest = vec![0; self.shape.m];
        if self.shape.shake {
            let hash = Shake256::default().chain(r).chain(seed).chain(root).chain(framed);
            hash.finalize_xof().read(&mut digest);
            return digest;
        }
        let prefix = if flaw == Some(SignFlaw::MaskWithoutPrefix) { Vec::new() } else { [r, seed].concat() };
        let message = [r, seed, root, framed].concat();
        if self.shape.n == 16 || flaw == Some(SignFlaw::DigestBySha256) {
            mask::<Sha256>(&prefix, &message, &mut digest);
        } else {
            mask::<Sha512>(&prefix, &message, &mut digest);
        }
        digest
    }

    /// What a digest selects (Alg. 19 lines 6 to 10, Alg. 4).
    pub fn select(&self, flaw: Option<SignFlaw>, digest: &[u8]) -> Selection {
        let shape = &self.shape;
        let (md, rest) = digest.split_at(shape.md_len());
        let (tree, leaf) = rest.split_at(shape.tree_bits().div_ceil(8) as usize);
        let number = |bytes: &[u8]| bytes.iter().fold(0, |x: u64, &byte| x << 8 | u64::from(byte));
        let backwards = |bytes: &[u8]| bytes.iter().rev().fold(0, |x: u64, &byte| x << 8 | u64::from(byte));
        let kept = |x: u64, bits: u32| x & (u64::MAX >> (64 - bits));
        let spare = |bytes: &[u8], bits: u32| 8 * bytes.len() as u32 - bits;
        let ignored = |bytes: &[u8], bits: u32| number(bytes).checked_shr(bits).unwrap_or_default();

        let mut indices: Vec<u32> = (0..shape.k * shape.a)
            .collect::<Vec<u32>>()
            .chunks(shape.a as usize)
            .map(|bits| {
                let bit = |bit: u32| u32::from(md[bit as usize / 8] >> (7 - bit % 8) & 1);
                let low_first = |bit: u32| u32::from(md[bit as usize / 8] >> (bit % 8) & 1);
                match flaw {
                    Some(SignFlaw::LowBitsFirst) => bits.iter().rev().fold(0, |x, &i| x << 1 | low_first(i)),
                    _ => bits.iter().fold(0, |x, &i| x << 1 | bit(i)),
                }
            })
            .collect();
        if flaw == Some(SignFlaw::TreesBackwards) {
            indices.reverse();
        }
        let (tree_bits, leaf_bits) = (shape.tree_bits(), shape.hp);
        let mut selection = Selection {
            indices,
            tree: kept(number(tree), tree_bits),
            leaf: kept(number(leaf), leaf_bits) as u32,
            ignored: [ignored(tree, tree_bits), ignored(leaf, leaf_bits)],
        };
        match flaw {
            Some(SignFlaw::TreeFromHighBits) => selection.tree = number(tree) >> spare(tree, tree_bits),
            Some(SignFlaw::TreeLittleEndian) => selection.tree = kept(backwards(tree), tree_bits),
            Some(SignFlaw::LeafFromHighBits) => selection.leaf = (number(leaf) >> spare(leaf, leaf_bits)) as u32,
            Some(SignFlaw::LeafLittleEndian) => selection.leaf = kept(backwards(leaf), leaf_bits) as u32,
            Some(SignFlaw::NeighbourTree) => selection.tree ^= 1,
            Some(SignFlaw::NeighbourLeaf) => selection.leaf ^= 1,
            _ => {}
        }
        selection
    }

    /// Signs M' (Alg. 19) with a given R.
    pub fn sign(&self, flaw: Option<SignFlaw>, r: &[u8], framed: &[u8]) -> Vec<u8> {
        let selection = self.select(flaw, &self.digest(flaw, r, framed));
        let mut nodes = Vec::new();
        let public = self.fors(flaw, &selection, &mut nodes);
        self.hypertree(flaw, &selection, public, &mut nodes);
        let bytes: Vec<u8> = nodes.iter().flat_map(|node| &node[..self.shape.n]).copied().collect();
        [r, &bytes].concat()
    }

    /// A FORS signature and the public key that it is of (Alg. 16 and 17).
    fn fors(&self, flaw: Option<SignFlaw>, selection: &Selection, out: &mut Vec<Node>) -> Node {
        let Shape { k, a, .. } = self.shape;
        let Selection { tree, leaf, .. } = *selection;
        let flawed = |kind, words| fors_address(flaw, tree, kind, words);
        let mut roots = Vec::new();
        for (i, &index) in selection.indices.iter().enumerate() {
            let base = if flaw == Some(SignFlaw::ForsIndexPerTree) { 0 } else { (i as u32) << a };
            let secrets: Vec<Node> = (0..1 << a)
                .map(|j| {
                    let number = ((i as u32) << a) + j;
                    self.hash(Function::Short, Address::new(0, tree, FORS_PRF, [leaf, 0, number]), &[&self.sk_seed])
                })
                .collect();
            let leaves = (0..)
                .zip(&secrets)
                .map(|(j, secret)| match flaw {
                    Some(SignFlaw::SecretAsLeaf) => *secret,
                    _ => self.over(Function::Short, flawed(FORS_TREE, [leaf, 0, base + j]), &[*secret]),
                })
                .collect();
            let levels = self.grow(leaves, |height, j| flawed(FORS_TREE, [leaf, height, (base >> height) + j]));
            out.push(secrets[index as usize]);
            out.extend(siblings(&levels, index));
            roots.push(levels[a as usize][0]);
        }
        assert_eq!(roots.len(), k as usize);
        self.over(Function::Long, flawed(FORS_ROOTS, [leaf, 0, 0]), &roots)
    }

    /// All levels of a tree over `leaves`, each node under the address of its height and index.
    fn grow(&self, leaves: Vec<Node>, address: impl Fn(u32, u32) -> Address) -> Vec<Vec<Node>> {
        let mut levels = vec![leaves];
        for height in 1.. {
            let below = &levels[height as usize - 1];
            if below.len() == 1 {
                break;
            }
            let level = (0..).zip(below.chunks(2)).map(|(j, pair)| self.over(Function::Long, address(height, j), pair));
            levels.push(level.collect());
        }
        levels
    }

    /// All chains of a key pair from step 0, to the steps that `digits` says.
    fn chains(&self, layer: u32, tree: u64, leaf: u32, digits: &[u32]) -> Vec<Node> {
        (0..)
            .zip(digits)
            .map(|(chain, &digit)| {
                let secret = Address::new(layer, tree, WOTS_PRF, [leaf, chain, 0]);
                let start = self.hash(Function::Short, secret, &[&self.sk_seed]);
                (0..digit).fold(start, |node, step| {
                    self.over(Function::Short, Address::new(layer, tree, WOTS_HASH, [leaf, chain, step]), &[node])
                })
            })
            .collect()
    }

    /// The levels of an XMSS tree (Alg. 9).
    fn tree(&self, layer: u32, tree: u64) -> Vec<Vec<Node>> {
        if let Some(levels) = self.made.borrow().get(&(layer, tree)) {
            return levels.clone();
        }
        let leaves = (0..1 << self.shape.hp)
            .map(|leaf| {
                let ends = self.chains(layer, tree, leaf, &vec![15; self.shape.len()]);
                self.over(Function::Long, Address::new(layer, tree, WOTS_PK, [leaf, 0, 0]), &ends)
            })
            .collect();
        let levels = self.grow(leaves, |height, j| Address::new(layer, tree, TREE, [0, height, j]));
        self.made.borrow_mut().insert((layer, tree), levels.clone());
        levels
    }

    /// What signing and verification do before each layer (Alg. 12 lines 7 and 8, Alg. 13 lines 6 and 7): the tree and
    /// the leaf in it that sign `signed`.
    fn enter(&self, flaw: Option<SignFlaw>, layer: u32, (tree, leaf): (&mut u64, &mut u32), signed: &mut Node) {
        let Shape { d, hp, .. } = self.shape;
        if layer > 0 {
            if flaw != Some(SignFlaw::SameLeafInEveryLayer) {
                *leaf = (*tree & ((1 << hp) - 1)) as u32;
            }
            *tree >>= hp;
        }
        match flaw {
            Some(SignFlaw::ForsNotSigned) if layer == 0 => *signed = [0; 32],
            Some(SignFlaw::RootNotSigned) if layer == d - 1 => *signed = [0; 32],
            _ => {}
        }
    }

    /// A hypertree signature (Alg. 12) of a FORS public key.
    fn hypertree(&self, flaw: Option<SignFlaw>, selection: &Selection, public: Node, out: &mut Vec<Node>) {
        let Shape { d, hp, .. } = self.shape;
        let Selection { mut tree, mut leaf, .. } = *selection;
        let mut signed = public;
        for layer in 0..d {
            self.enter(flaw, layer, (&mut tree, &mut leaf), &mut signed);
            out.extend(self.chains(layer, tree, leaf, &self.digits(flaw, &signed)));
            let levels = self.tree(layer, tree);
            let mut path = siblings(&levels, leaf);
            if flaw == Some(SignFlaw::PathFromTop) {
                path.reverse();
            }
            out.extend(path);
            signed = levels[hp as usize][0];
        }
    }

    /// Verifies a signature of M' (Alg. 20), which has the right length, with the mistakes that its signer makes.
    pub fn verify(&self, flaw: Option<SignFlaw>, framed: &[u8], signature: &[u8]) -> bool {
        let Shape { n, d, hp, a, .. } = self.shape;
        let mut nodes = signature.chunks(n).map(|bytes| {
            let mut node = [0; 32];
            node[..n].copy_from_slice(bytes);
            node
        });
        let mut take = |count: usize| nodes.by_ref().take(count).collect::<Vec<Node>>();
        let r = take(1)[0];
        let selection = self.select(flaw, &self.digest(flaw, &r[..n], framed));
        let Selection { mut tree, mut leaf, .. } = selection;

        let flawed = |kind, words| fors_address(flaw, tree, kind, words);
        let mut roots = Vec::new();
        for (i, &index) in (0..).zip(&selection.indices) {
            let base = if flaw == Some(SignFlaw::ForsIndexPerTree) { 0 } else { i << a };
            let mut node = take(1)[0];
            if flaw != Some(SignFlaw::SecretAsLeaf) {
                node = self.over(Function::Short, flawed(FORS_TREE, [leaf, 0, base + index]), &[node]);
            }
            let address = |height, j| flawed(FORS_TREE, [leaf, height, (base >> height) + j]);
            roots.push(self.climb(node, index, &take(a as usize), address));
        }
        let mut signed = self.over(Function::Long, flawed(FORS_ROOTS, [leaf, 0, 0]), &roots);

        for layer in 0..d {
            self.enter(flaw, layer, (&mut tree, &mut leaf), &mut signed);
            let mut ends = take(self.shape.len());
            for ((chain, node), digit) in (0..).zip(&mut ends).zip(self.digits(flaw, &signed)) {
                for step in digit..15 {
                    let address = Address::new(layer, tree, WOTS_HASH, [leaf, chain, step]);
                    *node = self.over(Function::Short, address, &[*node]);
                }
            }
            let public = self.over(Function::Long, Address::new(layer, tree, WOTS_PK, [leaf, 0, 0]), &ends);
            let mut path = take(hp as usize);
            if flaw == Some(SignFlaw::PathFromTop) {
                path.reverse();
            }
            signed = self.climb(public, leaf, &path, |height, j| Address::new(layer, tree, TREE, [0, height, j]));
        }
        signed[..n] == self.pk_root
    }

    /// The root that a leaf and its path lead to.
    fn climb(&self, leaf: Node, index: u32, path: &[Node], address: impl Fn(u32, u32) -> Address) -> Node {
        (1..).zip(path).fold(leaf, |node, (height, &sibling)| {
            let pair = if index >> (height - 1) & 1 == 0 { [node, sibling] } else { [sibling, node] };
            self.over(Function::Long, address(height, index >> height), &pair)
        })
    }

    /// The digits of a hash value and of its checksum (Alg. 7).
    fn digits(&self, flaw: Option<SignFlaw>, node: &Node) -> Vec<u32> {
        let mut digits: Vec<u32> = node[..self.shape.n]
            .iter()
            .flat_map(|byte| match flaw {
                Some(SignFlaw::LowDigitFirst) => [byte & 15, byte >> 4],
                _ => [byte >> 4, byte & 15],
            })
            .map(u32::from)
            .collect();
        let sum = match flaw {
            Some(SignFlaw::ChecksumZero) => 0,
            Some(SignFlaw::ChecksumOfDigits) => digits.iter().sum::<u32>(),
            _ => digits.iter().map(|digit| 15 - digit).sum(),
        };
        let checksum = match flaw {
            // the three digits are cut from the left of two bytes, so that the sum has to be shifted there
            Some(SignFlaw::ChecksumNotShifted) => [sum >> 12 & 15, sum >> 8 & 15, sum >> 4 & 15],
            Some(SignFlaw::ChecksumBackwards) => [sum & 15, sum >> 4 & 15, sum >> 8 & 15],
            _ => [sum >> 8 & 15, sum >> 4 & 15, sum & 15],
        };
        digits.extend(checksum);
        digits
    }

    /// The root that a node of the topmost authentication path leads to, if it is the last one, and its sibling the
    /// tree's own.
    pub fn root_with(&self, selection: &Selection, last: &[u8]) -> Vec<u8> {
        let Shape { n, d, hp, .. } = self.shape;
        let levels = self.tree(d - 1, 0);
        let leaf = selection.tree >> ((d - 2) * hp);
        let side = (leaf >> (hp - 1) & 1) as usize;
        let own = &levels[hp as usize - 1][side];
        let pair = if side == 0 { [&own[..n], last] } else { [last, &own[..n]] };
        self.hash(Function::Long, Address::new(d - 1, 0, TREE, [0, hp, 0]), &pair)[..n].to_vec()
    }
}

/// The address of a FORS node or of its roots.
fn fors_address(flaw: Option<SignFlaw>, tree: u64, kind: u32, words: [u32; 3]) -> Address {
    let mut address = Address::new(0, tree, kind, words);
    match flaw {
        Some(SignFlaw::ForsWithoutTree) => address.clear(4..16),
        Some(SignFlaw::ForsWithoutKeyPair) => address.clear(20..24),
        Some(SignFlaw::ForsWithoutHeight) => address.clear(24..28),
        Some(SignFlaw::ForsWithoutIndex) => address.clear(28..32),
        Some(SignFlaw::ForsAsTree) if kind == FORS_TREE => address.set_type(TREE),
        Some(SignFlaw::RootsAsTree) if kind == FORS_ROOTS => address.set_type(FORS_TREE),
        _ => {}
    }
    address
}

/// MGF1 of `prefix` and the hash of `message` (section 11.2).
fn mask<D: Digest>(prefix: &[u8], message: &[u8], out: &mut [u8]) {
    let inner = D::digest(message);
    for (counter, block) in (0_u32..).zip(out.chunks_mut(<D as Digest>::output_size())) {
        let hash = D::new().chain_update(prefix).chain_update(&inner).chain_update(counter.to_be_bytes());
        block.copy_from_slice(&hash.finalize()[..block.len()]);
    }
}

/// The authentication path of a leaf, from the bottom.
fn siblings(levels: &[Vec<Node>], leaf: u32) -> Vec<Node> {
    (0..).zip(&levels[..levels.len() - 1]).map(|(height, level)| level[(leaf >> height ^ 1) as usize]).collect()
}
