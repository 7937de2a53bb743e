//! What the operations of SLH-DSA cost in hashes: closed formulas, from the numbers in table 2 of FIPS 205; those of
//! ML-DSA are in [`ml_dsa`].
//!
//! Every tree is built once, for its root and its authentication path alike, and WOTS+ values are picked up as the
//! chains of their leaf run by. PRF_msg and H_msg, whose cost depends on the message, are left out, and so is whatever
//! an implementation does for its own convenience.

pub mod ml_dsa;

use hashloom::slh_dsa::ParameterSet;

/// Steps of a whole WOTS+ chain, w - 1.
const CHAIN_STEPS: u64 = 15;

/// A parameter set's family and its row of table 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// SHAKE256 for everything; otherwise SHA-256, and for n > 16 SHA-512 for H and T_l.
    pub shake: bool,
    /// Bytes of a hash value.
    pub n: u64,
    /// Layers of the hypertree.
    pub d: u64,
    /// Height of one of its trees.
    pub hp: u64,
    /// Height of a FORS tree.
    pub a: u64,
    /// FORS trees.
    pub k: u64,
}

/// Hashes by function (FIPS 205 section 4.1); H is T_2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hashes {
    /// Secret values.
    pub prf: u64,
    /// Chain steps and FORS leaves.
    pub f: u64,
    /// Inner nodes of trees.
    pub h: u64,
    /// WOTS+ public keys.
    pub t_len: u64,
    /// FORS public keys.
    pub t_k: u64,
}

/// Calls of primitives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// Blocks of SHA-256, PK.seed's block not counted.
    pub sha256: u64,
    /// Blocks of SHA-512, likewise.
    pub sha512: u64,
    /// Permutations of `Keccak-f[1600]`.
    pub keccak: u64,
}

impl Hashes {
    /// Those that are a step of a chain for the hash engine: one call of the primitive each.
    pub const fn steps(&self) -> u64 {
        self.prf + self.f
    }
}

impl Shape {
    /// The shape of a set.
    pub const fn of(set: ParameterSet) -> Self {
        use ParameterSet as P;
        let (d, hp, a, k) = match set {
            P::Sha2_128s | P::Shake128s => (7, 9, 12, 14),
            P::Sha2_128f | P::Shake128f => (22, 3, 6, 33),
            P::Sha2_192s | P::Shake192s => (7, 9, 14, 17),
            P::Sha2_192f | P::Shake192f => (22, 3, 8, 33),
            P::Sha2_256s | P::Shake256s => (8, 8, 14, 22),
            P::Sha2_256f | P::Shake256f => (17, 4, 9, 35),
        };
        let shake =
            matches!(set, P::Shake128s | P::Shake128f | P::Shake192s | P::Shake192f | P::Shake256s | P::Shake256f);
        Self { shake, n: set.n() as u64, d, hp, a, k }
    }

    /// Chains of a WOTS+ key: two digits per byte and three of the checksum.
    pub const fn chains(&self) -> u64 {
        2 * self.n + 3
    }

    /// Whole trees of the hypertree.
    const fn trees(&self, count: u64) -> Hashes {
        let leaves = count << self.hp;
        let prf = leaves * self.chains();
        Hashes { prf, f: CHAIN_STEPS * prf, h: leaves - count, t_len: leaves, t_k: 0 }
    }

    /// Key generation: the top tree.
    pub const fn keygen(&self) -> Hashes {
        self.trees(1)
    }

    /// Signing: all FORS trees, and a tree of each layer.
    pub const fn sign(&self) -> Hashes {
        let leaves = self.k << self.a;
        let Hashes { prf, f, h, t_len, .. } = self.trees(self.d);
        Hashes { prf: prf + leaves, f: f + leaves, h: h + leaves - self.k, t_len, t_k: 1 }
    }

    /// Verification, with the steps that the chains of all layers need: they depend on what is signed.
    pub const fn verify(&self, steps: u64) -> Hashes {
        Hashes { prf: 0, f: self.k + steps, h: self.k * self.a + self.d * self.hp, t_len: self.d, t_k: 1 }
    }

    /// Those steps on average over all signatures, rounded.
    pub fn expected_steps(&self) -> u64 {
        // how likely each value of the checksum is: the sum of 2n numbers from 0 to 15, all equally likely
        let mut checksum = vec![1.0_f64];
        for _ in 0..2 * self.n {
            let mut sum = vec![0.0; checksum.len() + 15];
            for (i, likely) in checksum.iter().enumerate() {
                sum[i..=i + 15].iter_mut().for_each(|sum| *sum += likely / 16.0);
            }
            checksum = sum;
        }
        // a digit x leaves 15 - x steps, so that the message's digits leave as many as the checksum says
        let steps = (0_u32..).zip(checksum).map(|(value, likely)| {
            let digits = (value >> 8) + (value >> 4 & 15) + (value & 15);
            likely * f64::from(value + 3 * 15 - digits)
        });
        #[allow(clippy::cast_sign_loss)] // a sum of positive numbers
        let all_layers = (f64::from(self.d as u32) * steps.sum::<f64>()).round() as u64;
        all_layers
    }

    /// Blocks that H and T_l compress or absorb.
    pub const fn blocks(&self, hashes: &Hashes) -> u64 {
        hashes.h * self.node_blocks(2)
            + hashes.t_len * self.node_blocks(self.chains())
            + hashes.t_k * self.node_blocks(self.k)
    }

    /// Blocks of T_l over `l` nodes, its address and the padding.
    const fn node_blocks(&self, l: u64) -> u64 {
        match (self.shake, self.n) {
            (true, n) => (n + 32 + l * n + 1).div_ceil(136),
            (false, 16) => (22 + l * 16 + 9).div_ceil(64),
            (false, n) => (22 + l * n + 17).div_ceil(128),
        }
    }

    /// What hashes come to.
    pub const fn calls(&self, hashes: &Hashes) -> Calls {
        let (steps, blocks) = (hashes.steps(), self.blocks(hashes));
        match (self.shake, self.n) {
            (true, _) => Calls { sha256: 0, sha512: 0, keccak: steps + blocks },
            (false, 16) => Calls { sha256: steps + blocks, sha512: 0, keccak: 0 },
            (false, _) => Calls { sha256: steps, sha512: blocks, keccak: 0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_has_the_shape_of_its_set() {
        for set in ParameterSet::ALL {
            let shape = Shape::of(set);
            let nodes = 1 + shape.k * (1 + shape.a) + shape.d * (shape.chains() + shape.hp);
            assert_eq!(nodes * shape.n, set.signature_len() as u64, "{set}");
            assert_eq!(shape.shake, set.name().contains("SHAKE"), "{set}");
        }
    }

    /// Worked out by hand for the smallest trees, and summed up for all sets.
    #[test]
    fn counts() {
        let small = Shape::of(ParameterSet::Sha2_128f);
        assert_eq!(small.keygen(), Hashes { prf: 8 * 35, f: 8 * 35 * 15, h: 7, t_len: 8, t_k: 0 });
        let sign = Hashes { prf: 33 * 64 + 22 * 280, f: 33 * 64 + 22 * 4200, h: 33 * 63 + 22 * 7, t_len: 176, t_k: 1 };
        assert_eq!(small.sign(), sign);
        assert_eq!(small.verify(100), Hashes { prf: 0, f: 133, h: 33 * 6 + 66, t_len: 22, t_k: 1 });
        assert_eq!(small.node_blocks(2), 1);
        assert_eq!((small.node_blocks(35), small.node_blocks(33)), (10, 9)); // 22 + 560 + 9, 22 + 528 + 9 bytes

        // SHA-256, SHA-512 and Keccak of key generation, signing and verification, by the order of the sets
        let rows = [
            [[292_351, 0, 289_791], [2_218_479, 0, 2_200_558], [2189, 0, 2153]],
            [[4567, 0, 4527], [106_786, 0, 105_902], [6403, 0, 6289]],
            [[417_792, 5631, 423_423], [3_481_600, 317_932, 3_799_532], [2750, 375, 3125]],
            [[6528, 87, 6615], [160_512, 10_336, 170_848], [8623, 557, 9180]],
            [[274_432, 4863, 279_039], [2_916_352, 399_336, 3_313_640], [4069, 522, 4583]],
            [[17_152, 303, 17_439], [327_424, 23_046, 350_197], [8636, 699, 9317]],
        ];
        for (i, set) in ParameterSet::ALL.into_iter().enumerate() {
            let shape = Shape::of(set);
            let operations = [shape.keygen(), shape.sign(), shape.verify(shape.expected_steps())];
            for (hashes, [sha256, sha512, keccak]) in operations.iter().zip(rows[i % 6]) {
                let (sha256, sha512, keccak) = if shape.shake { (0, 0, keccak) } else { (sha256, sha512, 0) };
                assert_eq!(shape.calls(hashes), Calls { sha256, sha512, keccak }, "{set}");
            }
        }
    }
}
