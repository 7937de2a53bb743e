//! Mistakes: each is one that a verifier can make as well, and one that makes it accept what is signed with it.

use std::ops::Range;

macro_rules! flaws {
    ($(#[$doc:meta])* $name:ident { $($flaw:ident: $text:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $(#[doc = $text] $flaw),*
        }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$flaw),*];

            /// What is wrong, for a test's comment.
            pub fn text(self) -> &'static str {
                match self {
                    $(Self::$flaw => $text),*
                }
            }
        }
    };
}

flaws! {
    /// Those that change every tree, so that the key is another one.
    KeyFlaw {
        LayerLeftOut: "no address has its layer";
        TreeLeftOut: "no address has its tree";
        TypeLeftOut: "no address has its type";
        KeyPairLeftOut: "no address has its key pair";
        ChainLeftOut: "no address has its chain or tree height";
        HashLeftOut: "no address has its hash or tree index";
        OtherAddressForm: "addresses in the form of the other family, 22 or 32 bytes";
        SeedLeftOut: "PK.seed is not hashed";
        SeedNotPadded: "PK.seed is not padded to a block";
        Sha256Everywhere: "SHA-256 in place of SHA-512";
        Sha512Everywhere: "SHA-512 in place of SHA-256";
    }
}

flaws! {
    /// Those that leave the key as it is.
    SignFlaw {
        DigestWithoutR: "R is not hashed with the message";
        DigestWithoutSeed: "PK.seed is not hashed with the message";
        DigestWithoutRoot: "PK.root is not hashed with the message";
        MaskWithoutPrefix: "MGF1 is fed the message's hash alone, without R and PK.seed";
        DigestBySha256: "the message is hashed by SHA-256 in place of SHA-512";
        LowBitsFirst: "FORS indices are read from the low end of each byte";
        TreesBackwards: "the FORS trees' indices are read in reverse order";
        TreeFromHighBits: "the tree index drops its lowest bits, not its highest";
        TreeLittleEndian: "the tree index is read little-endian";
        LeafFromHighBits: "the leaf index drops its lowest bits, not its highest";
        LeafLittleEndian: "the leaf index is read little-endian";
        NeighbourTree: "signed in the tree next to the one selected";
        NeighbourLeaf: "signed by the key pair next to the one selected";
        SameLeafInEveryLayer: "the lowest layer's leaf index is used in every layer";
        ForsWithoutTree: "FORS addresses have no tree";
        ForsWithoutKeyPair: "FORS addresses have no key pair";
        ForsWithoutHeight: "FORS addresses have no height";
        ForsWithoutIndex: "FORS addresses have no index";
        ForsIndexPerTree: "FORS indices begin at zero in every tree";
        ForsAsTree: "FORS trees have the address type of the hypertree's";
        RootsAsTree: "the roots of FORS are hashed with the address type of its trees";
        SecretAsLeaf: "FORS leaves are the secret values, not their hashes";
        ForsNotSigned: "the lowest layer signs zeros, not the FORS public key";
        RootNotSigned: "the highest layer signs zeros, not the root below";
        ChecksumZero: "the WOTS+ checksum is zero";
        ChecksumOfDigits: "the WOTS+ checksum is the sum of the digits themselves";
        ChecksumNotShifted: "the WOTS+ checksum is not shifted to the left before its digits are cut";
        ChecksumBackwards: "the digits of the WOTS+ checksum are in reverse order";
        LowDigitFirst: "the low digit of each byte comes first";
        PathFromTop: "authentication paths begin at the top";
    }
}

impl KeyFlaw {
    /// The bytes of every address that are zero.
    pub fn cleared(self) -> Option<Range<usize>> {
        Some(match self {
            Self::LayerLeftOut => 0..4,
            Self::TreeLeftOut => 4..16,
            Self::TypeLeftOut => 16..20,
            Self::KeyPairLeftOut => 20..24,
            Self::ChainLeftOut => 24..28,
            Self::HashLeftOut => 28..32,
            _ => return None,
        })
    }
}
