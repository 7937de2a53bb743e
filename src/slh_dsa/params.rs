//! The twelve parameter sets as rows of data (FIPS 205 section 11, table 2), and the one step from a set chosen at run
//! time to code compiled for its n and family.

use core::{fmt, str::FromStr};

use const_oid::ObjectIdentifier;

use super::family::{Family, Sha2Cat1, Sha2Cat35, Shake};
use crate::error::Error;

/// log2 of the Winternitz parameter: 4 bits per chain in every set (section 5).
pub(crate) const LG_W: u32 = 4;
/// Steps of a whole WOTS+ chain, w - 1.
pub(crate) const CHAIN_STEPS: u32 = (1 << LG_W) - 1;
/// Checksum chains, len_2 (section 5, equation 5.3).
pub(crate) const LEN2: usize = 3;

/// One row of table 2.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Params {
    pub(crate) name: &'static str,
    shake: bool,
    /// Bytes of a hash value.
    pub(crate) n: usize,
    /// Height of the hypertree.
    pub(crate) h: u32,
    /// Layers of the hypertree.
    pub(crate) d: u32,
    /// Height of one XMSS tree, h / d.
    pub(crate) hp: u32,
    /// Height of a FORS tree.
    pub(crate) a: u32,
    /// FORS trees.
    pub(crate) k: usize,
    /// Bytes of the message digest.
    pub(crate) m: usize,
    /// Bytes of a signature.
    signature: usize,
}

impl Params {
    /// Chains of a WOTS+ key, len (section 5, equation 5.4).
    pub(crate) const fn len(&self) -> usize {
        2 * self.n + LEN2
    }

    /// Signature length in hash values: R, FORS, and a WOTS+ signature and authentication path per layer.
    pub(crate) const fn signature_nodes(&self) -> usize {
        1 + self.fors_nodes() + self.d as usize * self.xmss_nodes()
    }

    /// Hash values in a FORS signature.
    pub(crate) const fn fors_nodes(&self) -> usize {
        self.k * (1 + self.a as usize)
    }

    /// Hash values in an XMSS signature.
    pub(crate) const fn xmss_nodes(&self) -> usize {
        self.len() + self.hp as usize
    }

    /// Derived columns follow from the others.
    const fn check(&self) {
        assert!(self.h == self.d * self.hp);
        let digest_bits = [self.k as u32 * self.a, self.h - self.hp, self.hp];
        let mut m = 0;
        let mut i = 0;
        while i < 3 {
            m += digest_bits[i].div_ceil(8) as usize;
            i += 1;
        }
        assert!(self.m == m);
        assert!(self.signature == self.n * self.signature_nodes());
    }
}

macro_rules! sets {
    ($($set:ident = $name:literal: $shake:literal, $n:literal, $h:literal, $d:literal, $hp:literal, $a:literal, $k:literal, $m:literal, $sig:literal;)*) => {
        /// A parameter set of FIPS 205. `s` makes small signatures, `f` makes them fast.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ParameterSet {
            $(#[doc = concat!($name, ": n = ", stringify!($n), ", signatures of ", stringify!($sig), " bytes.")] $set),*
        }

        const ROWS: [Params; 12] = [$(Params {
            name: $name, shake: $shake, n: $n, h: $h, d: $d, hp: $hp, a: $a, k: $k, m: $m, signature: $sig,
        }),*];

        impl ParameterSet {
            /// All twelve, in the order of their object identifiers.
            pub const ALL: [Self; 12] = [$(Self::$set),*];
        }
    };
}
sets! {
    Sha2_128s = "SLH-DSA-SHA2-128s": false, 16, 63, 7, 9, 12, 14, 30, 7856;
    Sha2_128f = "SLH-DSA-SHA2-128f": false, 16, 66, 22, 3, 6, 33, 34, 17088;
    Sha2_192s = "SLH-DSA-SHA2-192s": false, 24, 63, 7, 9, 14, 17, 39, 16224;
    Sha2_192f = "SLH-DSA-SHA2-192f": false, 24, 66, 22, 3, 8, 33, 42, 35664;
    Sha2_256s = "SLH-DSA-SHA2-256s": false, 32, 64, 8, 8, 14, 22, 47, 29792;
    Sha2_256f = "SLH-DSA-SHA2-256f": false, 32, 68, 17, 4, 9, 35, 49, 49856;
    Shake128s = "SLH-DSA-SHAKE-128s": true, 16, 63, 7, 9, 12, 14, 30, 7856;
    Shake128f = "SLH-DSA-SHAKE-128f": true, 16, 66, 22, 3, 6, 33, 34, 17088;
    Shake192s = "SLH-DSA-SHAKE-192s": true, 24, 63, 7, 9, 14, 17, 39, 16224;
    Shake192f = "SLH-DSA-SHAKE-192f": true, 24, 66, 22, 3, 8, 33, 42, 35664;
    Shake256s = "SLH-DSA-SHAKE-256s": true, 32, 64, 8, 8, 14, 22, 47, 29792;
    Shake256f = "SLH-DSA-SHAKE-256f": true, 32, 68, 17, 4, 9, 35, 49, 49856;
}

const _: () = {
    let mut i = 0;
    while i < ROWS.len() {
        ROWS[i].check();
        i += 1;
    }
};

/// Work that is compiled for a hash value size and a family.
pub(crate) trait Op {
    type Out;
    fn run<const N: usize, X: Family>(self) -> Self::Out;
}

impl ParameterSet {
    pub(crate) const fn params(self) -> &'static Params {
        &ROWS[self as usize]
    }

    /// Runs `op` for this set's n and family.
    pub(crate) fn visit<O: Op>(self, op: O) -> O::Out {
        let params = self.params();
        match (params.shake, params.n) {
            (true, 16) => op.run::<16, Shake>(),
            (true, 24) => op.run::<24, Shake>(),
            (true, _) => op.run::<32, Shake>(),
            (false, 16) => op.run::<16, Sha2Cat1>(),
            (false, 24) => op.run::<24, Sha2Cat35>(),
            (false, _) => op.run::<32, Sha2Cat35>(),
        }
    }

    /// The standard's name, e.g. `SLH-DSA-SHA2-128s`.
    pub const fn name(self) -> &'static str {
        self.params().name
    }

    /// Bytes of a hash value and of each seed, n.
    pub const fn n(self) -> usize {
        self.params().n
    }

    /// Bytes of a signature.
    pub const fn signature_len(self) -> usize {
        self.params().signature
    }

    /// Bytes of a private key: SK.seed, SK.prf, PK.seed and PK.root.
    pub const fn signing_key_len(self) -> usize {
        4 * self.n()
    }

    /// Bytes of a public key: PK.seed and PK.root.
    pub const fn verifying_key_len(self) -> usize {
        2 * self.n()
    }

    /// The object identifier in keys and certificates (RFC 9909 section 3).
    pub const fn oid(self) -> ObjectIdentifier {
        const BASE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3");
        match BASE.push_arc(20 + self as u32) {
            Ok(oid) => oid,
            Err(_) => unreachable!(),
        }
    }

    /// The set with this object identifier.
    pub fn from_oid(oid: ObjectIdentifier) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.oid() == oid)
    }
}

impl fmt::Display for ParameterSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ParameterSet {
    type Err = Error;
    /// Reads the standard's name, in upper or lower case.
    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|set| set.name().eq_ignore_ascii_case(name)).ok_or(Error::UnknownName)
    }
}
