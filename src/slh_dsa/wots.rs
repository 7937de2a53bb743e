//! WOTS+ (FIPS 205 section 5), many key pairs at once.

use alloc::vec::Vec;

use super::{
    family::{Family, Suite},
    params::{CHAIN_STEPS, LEN2, LG_W},
};
use crate::{
    adrs::TreeAdrs,
    hash::{Chain, Start},
    secret::Nodes,
};

/// A WOTS+ key pair: leaf `leaf` of the XMSS tree at `tree`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyPair {
    pub(crate) tree: TreeAdrs,
    pub(crate) leaf: u32,
}

/// Chains of a key pair.
const fn len<const N: usize>() -> usize {
    2 * N + LEN2
}

/// Gives `each` the digits of a message and of its checksum, 0 to 15, each with the number of its chain (Alg. 7 lines
/// 1 to 7, Alg. 8 likewise). Digits are public: the signature shows how far each chain has been run.
fn for_digits<const N: usize>(message: &[u8; N], mut each: impl FnMut(usize, u32)) {
    let mut checksum = 0;
    for (i, byte) in message.iter().enumerate() {
        let (high, low) = (u32::from(byte >> LG_W), u32::from(byte & 15));
        each(2 * i, high);
        each(2 * i + 1, low);
        checksum += 2 * CHAIN_STEPS - high - low;
    }
    each(2 * N, checksum >> (2 * LG_W));
    each(2 * N + 1, checksum >> LG_W & 15);
    each(2 * N + 2, checksum & 15);
}

/// Whole chains of many key pairs, from their secret starts on.
fn whole_chains<const N: usize>(pairs: &[KeyPair]) -> Vec<Chain> {
    let mut chains = Vec::with_capacity(pairs.len() * len::<N>());
    for KeyPair { tree, leaf } in pairs {
        let chain = |i| Chain { adrs: tree.wots_hash(*leaf, i, 0), steps: CHAIN_STEPS };
        chains.extend((0..len::<N>() as u32).map(chain));
    }
    chains
}

/// Public keys of many key pairs (Alg. 6 `wots_pkGen`): PRF, whole chains, T_len.
pub(crate) fn public_keys<const N: usize, X: Family>(
    suite: &Suite<X>,
    sk_seed: &[u8; N],
    pairs: &[KeyPair],
    out: &mut [[u8; N]],
) {
    let chains = whole_chains::<N>(pairs);
    let mut ends = Nodes::<N>::zeroed(chains.len());
    suite.chains(&chains, Start::Prf(sk_seed), &mut ends);
    compress(suite, pairs, &ends, out);
}

/// T_len over the chain ends of each key pair (Alg. 6 lines 8 to 12, Alg. 8 lines 15 to 18).
fn compress<const N: usize, X: Family>(suite: &Suite<X>, pairs: &[KeyPair], ends: &[[u8; N]], out: &mut [[u8; N]]) {
    let adrs: Vec<_> = pairs.iter().map(|pair| pair.tree.wots_pk(pair.leaf)).collect();
    suite.compress(&adrs, ends, out);
}

/// Positions between two marks of a [`Trace`].
const STRIDE: u32 = 4;

/// Key pairs that will sign a message that is not known yet: their chains with a mark at every fourth position, so
/// that signing starts from the last mark before a digit and not from PRF.
pub(crate) struct Trace<const N: usize> {
    chains: Vec<Chain>,
    /// Values of all chains at positions 0, 4, 8 and 12.
    marks: Vec<Nodes<N>>,
}

impl<const N: usize> Trace<N> {
    /// Runs the chains to their ends and compresses these to the public keys `out`.
    pub(crate) fn new<X: Family>(suite: &Suite<X>, sk_seed: &[u8; N], pairs: &[KeyPair], out: &mut [[u8; N]]) -> Self {
        let mut chains = whole_chains::<N>(pairs);
        chains.iter_mut().for_each(|chain| chain.steps = 0);
        let mut nodes = Nodes::<N>::zeroed(chains.len());
        suite.chains(&chains, Start::Prf(sk_seed), &mut nodes);
        let mut marks = Vec::new();
        for position in (0..=CHAIN_STEPS).step_by(STRIDE as usize) {
            for chain in &mut chains {
                *chain = Chain { adrs: chain.adrs.at(position), steps: STRIDE.min(CHAIN_STEPS - position) };
            }
            marks.push(nodes.clone());
            suite.chains(&chains, Start::Nodes, &mut nodes);
        }
        compress(suite, pairs, &nodes, out);
        Self { chains, marks }
    }

    /// Signatures of one message by each key pair (Alg. 7 `wots_sign`), `len` values each, back to back.
    pub(crate) fn sign<X: Family>(mut self, suite: &Suite<X>, messages: &[[u8; N]]) -> Nodes<N> {
        let mut values = Nodes::zeroed(self.chains.len());
        for (pair, message) in messages.iter().enumerate() {
            for_digits(message, |chain, digit| {
                let i = pair * len::<N>() + chain;
                let mark = digit / STRIDE;
                self.chains[i] = Chain { adrs: self.chains[i].adrs.at(mark * STRIDE), steps: digit % STRIDE };
                values[i] = self.marks[mark as usize][i];
            });
        }
        suite.chains(&self.chains, Start::Nodes, &mut values);
        values
    }
}

/// Signatures of one message by each key pair (Alg. 7 `wots_sign`), `len` values each, back to back.
pub(crate) fn sign<const N: usize, X: Family>(
    suite: &Suite<X>,
    sk_seed: &[u8; N],
    pairs: &[KeyPair],
    messages: &[[u8; N]],
) -> Nodes<N> {
    let mut chains = whole_chains::<N>(pairs);
    for (chains, message) in chains.chunks_mut(len::<N>()).zip(messages) {
        for_digits(message, |chain, digit| chains[chain].steps = digit);
    }
    let mut values = Nodes::zeroed(chains.len());
    suite.chains(&chains, Start::Prf(sk_seed), &mut values);
    values
}

/// Candidate public keys from signatures (Alg. 8 `wots_pkFromSig`); `values` holds `len` per signature.
pub(crate) fn public_keys_from_signatures<const N: usize, X: Family>(
    suite: &Suite<X>,
    pairs: &[KeyPair],
    messages: &[[u8; N]],
    mut values: Vec<[u8; N]>,
    out: &mut [[u8; N]],
) {
    let mut chains = Vec::with_capacity(values.len());
    for (KeyPair { tree, leaf }, message) in pairs.iter().zip(messages) {
        for_digits(message, |chain, digit| {
            chains.push(Chain { adrs: tree.wots_hash(*leaf, chain as u32, digit), steps: CHAIN_STEPS - digit });
        });
    }
    suite.chains(&chains, Start::Nodes, &mut values);
    compress(suite, pairs, &values, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(message: [u8; 16]) -> Vec<u32> {
        let mut digits = Vec::new();
        for_digits(&message, |chain, digit| {
            assert_eq!(chain, digits.len());
            digits.push(digit);
        });
        assert_eq!(digits.len(), len::<16>());
        digits
    }

    #[test]
    fn checksum_of_the_extremes() {
        let tail = |message: [u8; 16]| digits(message)[32..].to_vec();
        assert_eq!(tail([0xff; 16]), [0, 0, 0]);
        assert_eq!(tail([0; 16]), [1, 14, 0]); // 32 * 15 = 0x1e0
    }

    #[test]
    fn digits_are_the_nibbles_high_first() {
        let mut message = [0; 16];
        message[0] = 0x4b;
        assert_eq!(digits(message)[..3], [4, 11, 0]);
    }
}
