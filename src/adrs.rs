//! ADRS: which hash of a signature this is (FIPS 205 section 4.2).

/// The address of one hash call: eight big-endian words, layer, tree (three words), type, and three words whose
/// meaning depends on the type (FIPS 205 section 4.2, figures 3 to 9).
///
/// One constructor per type, so that an address never carries a field of another type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adrs([u32; 8]);

const WOTS_HASH: u32 = 0;
const WOTS_PK: u32 = 1;
const TREE: u32 = 2;
const FORS_TREE: u32 = 3;
const FORS_ROOTS: u32 = 4;
const WOTS_PRF: u32 = 5;
const FORS_PRF: u32 = 6;

/// What turns the type of an F address into that of the PRF which makes the secret that the hash at this address
/// starts from: WOTS_HASH into WOTS_PRF (Alg. 6, 7), FORS_TREE into FORS_PRF (Alg. 14). Every other field is the same.
pub(crate) const PRF: u32 = WOTS_HASH ^ WOTS_PRF;
const _: () = assert!(FORS_TREE ^ PRF == FORS_PRF);

/// The position of an XMSS tree: its layer, counted from the bottom, and its index within the layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeAdrs {
    /// Layer 0 holds the trees that sign FORS keys.
    pub layer: u32,
    /// At most 64 bits in every parameter set.
    pub tree: u64,
}

impl TreeAdrs {
    const fn adrs(self, kind: u32, words: [u32; 3]) -> Adrs {
        let tree = [(self.tree >> 32) as u32, self.tree as u32];
        Adrs([self.layer, 0, tree[0], tree[1], kind, words[0], words[1], words[2]])
    }

    /// WOTS_HASH: chain `chain` of key pair `keypair` at position `hash`.
    pub const fn wots_hash(self, keypair: u32, chain: u32, hash: u32) -> Adrs {
        self.adrs(WOTS_HASH, [keypair, chain, hash])
    }

    /// WOTS_PK: compression of the ends of all chains of a key pair.
    pub const fn wots_pk(self, keypair: u32) -> Adrs {
        self.adrs(WOTS_PK, [keypair, 0, 0])
    }

    /// TREE: node `index` at height `height` of an XMSS tree.
    pub const fn node(self, height: u32, index: u32) -> Adrs {
        self.adrs(TREE, [0, height, index])
    }

    /// FORS_TREE: node `index`, counted over all FORS trees of the key pair, at height `height`.
    pub const fn fors_node(self, keypair: u32, height: u32, index: u32) -> Adrs {
        self.adrs(FORS_TREE, [keypair, height, index])
    }

    /// FORS_ROOTS: compression of the roots of all FORS trees of a key pair.
    pub const fn fors_roots(self, keypair: u32) -> Adrs {
        self.adrs(FORS_ROOTS, [keypair, 0, 0])
    }
}

impl Adrs {
    /// The same chain at another position: the hash address of a WOTS_HASH address.
    pub(crate) const fn at(mut self, position: u32) -> Self {
        self.0[7] = position;
        self
    }

    /// The 32 bytes as four little-endian words, as Keccak absorbs them.
    #[inline]
    pub(crate) fn words64(&self) -> [u64; 4] {
        let a = &self.0;
        let word = |i: usize| (u64::from(a[i]) << 32 | u64::from(a[i + 1])).swap_bytes();
        [word(0), word(2), word(4), word(6)]
    }

    /// The 22-byte compressed form (section 11.2) as big-endian words; the last holds two bytes, in its upper half.
    #[inline]
    pub(crate) const fn words32(&self) -> [u32; 6] {
        let a = &self.0;
        [
            a[0] << 24 | a[2] >> 8,
            a[2] << 24 | a[3] >> 8,
            a[3] << 24 | (a[4] & 0xff) << 16 | a[5] >> 16,
            a[5] << 16 | a[6] >> 16,
            a[6] << 16 | a[7] >> 16,
            a[7] << 16,
        ]
    }

    /// The 22-byte compressed form ADRSc (section 11.2).
    #[inline]
    pub(crate) fn compressed(&self) -> [u8; 22] {
        let mut bytes = [0; 24];
        for (chunk, word) in bytes.as_chunks_mut().0.iter_mut().zip(self.words32()) {
            *chunk = word.to_be_bytes();
        }
        let mut out = [0; 22];
        out.copy_from_slice(&bytes[..22]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: TreeAdrs = TreeAdrs { layer: 0x0b, tree: 0x0102_0304_0506_0708 };

    fn bytes(a: &Adrs) -> [u8; 32] {
        let mut out = [0; 32];
        for (chunk, word) in out.as_chunks_mut().0.iter_mut().zip(a.0) {
            *chunk = word.to_be_bytes();
        }
        out
    }

    #[test]
    fn fields_stand_where_the_figures_put_them() {
        let a = bytes(&AT.wots_hash(0x1112_1314, 0x2122, 0x0f));
        assert_eq!(hex::encode(a), "0000000b000000000102030405060708000000001112131400002122".to_owned() + "0000000f");
        assert_eq!(bytes(&AT.node(3, 0x0504))[16..], *hex::decode("00000002000000000000000300000504").unwrap());
        assert_eq!(bytes(&AT.fors_roots(7))[16..], *hex::decode("00000004000000070000000000000000").unwrap());
        assert_eq!(bytes(&AT.wots_pk(7))[16..], *hex::decode("00000001000000070000000000000000").unwrap());
        assert_eq!(bytes(&AT.fors_node(7, 1, 2))[16..], *hex::decode("00000003000000070000000100000002").unwrap());
    }

    #[test]
    fn prf_turns_types_into_those_of_the_standard() {
        assert_eq!([WOTS_HASH ^ PRF, FORS_TREE ^ PRF], [5, 6]);
        assert_eq!([bytes(&AT.wots_hash(1, 2, 0))[19], bytes(&AT.fors_node(1, 0, 9))[19]], [0, 3]);
    }

    #[test]
    fn compressed_form_is_the_selected_bytes_of_the_full_form() {
        // ADRSc = ADRS[3] || ADRS[8..16] || ADRS[19] || ADRS[20..32]
        for a in [AT.wots_hash(0x1112_1314, 0x2122_2324, 0x3132_3334), AT.node(0x0506, 0x0708_090a)] {
            let full = bytes(&a);
            let want = [&full[3..4], &full[8..16], &full[19..20], &full[20..32]].concat();
            assert_eq!(a.compressed()[..], want);
        }
    }

    #[test]
    fn little_endian_words_are_the_bytes() {
        let a = AT.wots_hash(1, 2, 3);
        let joined: Vec<u8> = a.words64().iter().flat_map(|w| w.to_le_bytes()).collect();
        assert_eq!(joined, bytes(&a));
    }
}
