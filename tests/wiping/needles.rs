//! Eight-byte patterns to search memory for, and the secrets of an SLH-DSA key that they come from.

use std::collections::HashSet;

use hashloom::{
    Engine,
    adrs::TreeAdrs,
    hash::{Chain, Chains, Start},
    keccak::Shake256,
    sha2::Sha256,
    slh_dsa::ParameterSet,
};

use crate::common::slh::Layout;

/// Patterns by their value, each with the name of the secret it is of.
#[derive(Clone, Default)]
pub struct Needles {
    words: Vec<(u64, &'static str)>,
    /// One bit for each value of a pattern's leading two bytes, since most of memory matches none.
    filter: Vec<u64>,
}

impl Needles {
    fn add(&mut self, window: [u8; 8], name: &'static str) {
        if window.iter().any(|byte| *byte != window[0]) {
            self.words.push((u64::from_le_bytes(window), name));
        }
    }

    /// Every window of `bytes` as they are.
    pub fn text(&mut self, name: &'static str, bytes: &[u8]) {
        bytes.windows(8).for_each(|window| self.add(window.try_into().unwrap(), name));
    }

    /// Every window of `bytes` in the orders that they have in lanes and message schedules: as they are, as big-endian
    /// words of four and eight bytes, the former with exchanged halves, and a word of four bytes in neighbouring lanes.
    pub fn secret(&mut self, name: &'static str, bytes: &[u8]) {
        self.text(name, bytes);
        for window in bytes.windows(8) {
            let w: [u8; 8] = window.try_into().unwrap();
            self.add([w[3], w[2], w[1], w[0], w[7], w[6], w[5], w[4]], name);
            self.add([w[7], w[6], w[5], w[4], w[3], w[2], w[1], w[0]], name);
            self.add([w[1], w[0], w[3], w[2], w[5], w[4], w[7], w[6]], name);
        }
        for window in bytes.windows(4) {
            let [a, b, c, d] = window.try_into().unwrap();
            self.add([a, b, c, d, a, b, c, d], name);
            self.add([d, c, b, a, d, c, b, a], name);
        }
    }

    /// A state: words of eight bytes are found at any word's place, those of four bytes at every other.
    pub fn words(&mut self, name: &'static str, state: &[u8]) {
        state.chunks(8).for_each(|window| self.add(window.try_into().unwrap(), name));
    }

    /// A hash value: its ends, as bytes and as big-endian words.
    pub fn value(&mut self, name: &'static str, bytes: &[u8]) {
        for window in [&bytes[..8], &bytes[bytes.len() - 8..]] {
            let w: [u8; 8] = window.try_into().unwrap();
            self.add(w, name);
            self.add([w[3], w[2], w[1], w[0], w[7], w[6], w[5], w[4]], name);
            self.add([w[7], w[6], w[5], w[4], w[3], w[2], w[1], w[0]], name);
        }
    }

    /// Without the patterns that `public` shows.
    pub fn except(mut self, public: &[u8]) -> Self {
        let shown: HashSet<u64> =
            public.windows(8).map(|window| u64::from_le_bytes(window.try_into().unwrap())).collect();
        self.words.retain(|(word, _)| !shown.contains(word));
        self
    }

    /// Without the patterns of this name.
    pub fn without(mut self, name: &str) -> Self {
        self.words.retain(|(_, of)| *of != name);
        self
    }

    /// To be called once, when all patterns are there.
    pub fn sorted(mut self) -> Self {
        self.words.sort_unstable();
        self.filter = vec![0; 1024];
        for (word, _) in &self.words {
            let low = (word & 0xffff) as usize;
            self.filter[low / 64] |= 1 << (low % 64);
        }
        self
    }

    fn named(&self, word: u64) -> Option<&'static str> {
        let low = (word & 0xffff) as usize;
        if self.filter[low / 64] >> (low % 64) & 1 == 0 {
            return None;
        }
        let at = self.words.binary_search_by_key(&word, |(word, _)| *word).ok()?;
        Some(self.words[at].1)
    }

    /// Hands each match's place and name to `found`. Allocates nothing.
    pub fn search(&self, memory: &[u8], mut found: impl FnMut(usize, &'static str)) {
        for (at, window) in memory.windows(8).enumerate() {
            if let Some(name) = self.named(u64::from_le_bytes(window.try_into().unwrap())) {
                found(at, name);
            }
        }
    }
}

/// The seeds of a key, and what HMAC makes of SK.prf.
pub fn of_seeds(set: ParameterSet, sk_seed: &[u8], sk_prf: &[u8]) -> Needles {
    let mut needles = Needles::default();
    needles.secret("SK.seed", sk_seed);
    needles.secret("SK.prf", sk_prf);
    if set.name().contains("SHA2") {
        for pad in [0x36, 0x5c] {
            let padded: Vec<u8> = sk_prf.iter().map(|byte| byte ^ pad).collect();
            needles.secret("padded SK.prf", &padded);
            let state = if set.n() == 16 { keyed256(&padded, pad) } else { keyed512(&padded, pad) };
            needles.words("HMAC state", &state);
        }
    }
    needles
}

/// SHA-256's state after the padded key, as memory holds it.
fn keyed256(padded: &[u8], pad: u8) -> Vec<u8> {
    let mut block = [pad; 64];
    block[..padded.len()].copy_from_slice(padded);
    let mut state =
        [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];
    sha2::block_api::compress256(&mut state, &[block]);
    state.iter().flat_map(|word: &u32| word.to_ne_bytes()).collect()
}

/// SHA-512's, likewise.
fn keyed512(padded: &[u8], pad: u8) -> Vec<u8> {
    let mut block = [pad; 128];
    block[..padded.len()].copy_from_slice(padded);
    let mut state = [
        0x6a09_e667_f3bc_c908,
        0xbb67_ae85_84ca_a73b,
        0x3c6e_f372_fe94_f82b,
        0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1,
        0x9b05_688c_2b3e_6c1f,
        0x1f83_d9ab_fb41_bd6b,
        0x5be0_cd19_137e_2179,
    ];
    sha2::block_api::compress512(&mut state, &[block]);
    state.iter().flat_map(|word: &u64| word.to_ne_bytes()).collect()
}

/// Adds the values of the chains of the top tree, which every signature and key generation computes, at the positions
/// where they are held between two calls, and the FORS secrets that a signature of `message` by [`Mode::Internal`] is
/// made from.
///
/// [`Mode::Internal`]: hashloom::slh_dsa::Mode::Internal
pub fn add_derived(needles: &mut Needles, set: ParameterSet, key: &[u8], message: &[u8], signature: &[u8]) {
    match set {
        ParameterSet::Sha2_128f => derived::<16, Sha256>(needles, set, key, message, signature),
        ParameterSet::Shake128f => derived::<16, Shake256>(needles, set, key, message, signature),
        ParameterSet::Sha2_192f => derived::<24, Sha256>(needles, set, key, message, signature),
        _ => panic!("{set} is not prepared here"),
    }
}

fn derived<const N: usize, F: Chains>(
    needles: &mut Needles,
    set: ParameterSet,
    key: &[u8],
    message: &[u8],
    signature: &[u8],
) {
    let Layout { n, k, a, d, len, hp } = Layout::of(set);
    let parts: Vec<&[u8; N]> = key.chunks(N).map(|part| part.try_into().unwrap()).collect();
    let (sk_seed, pk_seed) = (parts[0], parts[2]);
    let f = F::on(&Engine::get());
    let prefix = [f.prefix(pk_seed)];
    let mut run = |name, chains: Vec<Chain>| {
        let mut nodes = vec![[0; N]; chains.len()];
        f.chain_many(&prefix, &chains, Start::Prf(sk_seed), &mut nodes);
        nodes.iter().for_each(|node| needles.value(name, node));
    };
    let top = TreeAdrs { layer: d as u32 - 1, tree: 0 };
    for (name, steps) in
        [("chain start", 0), ("chain mark", 4), ("chain mark", 8), ("chain mark", 12), ("chain end", 15)]
    {
        let chains = (0..1 << hp).flat_map(|leaf| (0..len as u32).map(move |chain| (leaf, chain)));
        run(name, chains.map(|(leaf, chain)| Chain { adrs: top.wots_hash(leaf, chain, 0), steps }).collect());
    }

    let md = (k * a).div_ceil(8);
    let (tree_bytes, tree_bits) = ((d * hp - hp).div_ceil(8), d * hp - hp);
    let digest = h_msg(set, &signature[..n], pk_seed, parts[3], message, md + tree_bytes + hp.div_ceil(8));
    let number = |bytes: &[u8]| bytes.iter().fold(0_u64, |x, byte| x << 8 | u64::from(*byte));
    let tree = number(&digest[md..md + tree_bytes]) & (u64::MAX >> (64 - tree_bits));
    let leaf = (number(&digest[md + tree_bytes..]) & ((1 << hp) - 1)) as u32;
    let bottom = TreeAdrs { layer: 0, tree };
    run("FORS secret", (0..(k as u32) << a).map(|i| Chain { adrs: bottom.fors_node(leaf, 0, i), steps: 0 }).collect());
}

/// H_msg (FIPS 205 sections 11.1, 11.2), to know which FORS trees sign.
fn h_msg(set: ParameterSet, r: &[u8], pk_seed: &[u8], pk_root: &[u8], message: &[u8], len: usize) -> Vec<u8> {
    use crate::common::oracle::{fixed, xof};
    let whole = [r, pk_seed, pk_root, message].concat();
    if set.name().contains("SHAKE") {
        return xof::<shake::Shake256>(&whole, len);
    }
    let (hash, size): (crate::common::oracle::Oracle, _) =
        if set.n() == 16 { (fixed::<sha2::Sha256>, 32) } else { (fixed::<sha2::Sha512>, 64) };
    let seed = [r, pk_seed, &hash(&whole, size)].concat();
    (0..len.div_ceil(size) as u32).flat_map(|i| hash(&[&seed[..], &i.to_be_bytes()].concat(), size)).take(len).collect()
}
