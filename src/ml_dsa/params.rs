//! The three parameter sets as rows of data (FIPS 204 section 4, tables 1 and 2).

use core::{fmt, str::FromStr};

use const_oid::ObjectIdentifier;

use crate::error::Error;

/// The modulus.
pub(crate) const Q: i32 = 8_380_417;
/// Bits dropped from t.
pub(crate) const D: u32 = 13;
/// Coefficients of a polynomial.
pub(crate) const N: usize = 256;
/// Bytes of the seeds rho and K, and of rnd.
pub(crate) const SEED: usize = 32;
/// Bytes of the seed rho', of tr and of mu.
pub(crate) const WIDE: usize = 64;
/// Bytes of the longest c~.
pub(crate) const MAX_C: usize = 64;

/// Bytes of a polynomial whose coefficients take `bits` each.
pub(crate) const fn poly_bytes(bits: u32) -> usize {
    N / 8 * bits as usize
}

/// Bits of t1's coefficients, bitlen(q - 1) - d.
pub(crate) const T1_BITS: u32 = 10;

/// One row of table 1, and of table 2.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Params {
    pub(crate) name: &'static str,
    /// Rows of A.
    pub(crate) k: usize,
    /// Columns of A.
    pub(crate) l: usize,
    /// Bound on the coefficients of s1 and s2.
    pub(crate) eta: i32,
    /// Nonzero coefficients of c.
    pub(crate) tau: usize,
    /// Bound on the coefficients of c s1 and c s2.
    pub(crate) beta: i32,
    /// Bound on the coefficients of y.
    pub(crate) gamma1: i32,
    /// Half the distance of the multiples that w is rounded to.
    pub(crate) gamma2: i32,
    /// Ones that a hint may have.
    pub(crate) omega: usize,
    /// Collision strength of c~, in bits.
    lambda: usize,
    /// Bytes of a private key.
    private: usize,
    /// Bytes of a public key.
    public: usize,
    /// Bytes of a signature.
    signature: usize,
}

impl Params {
    /// Bytes of c~.
    pub(crate) const fn c_bytes(&self) -> usize {
        self.lambda / 4
    }

    /// Bits of a coefficient of s1 and s2.
    pub(crate) const fn eta_bits(&self) -> u32 {
        if self.eta == 2 { 3 } else { 4 }
    }

    /// Bits of a coefficient of y and z.
    pub(crate) const fn z_bits(&self) -> u32 {
        self.gamma1.ilog2() + 1
    }

    /// Bits of a coefficient of w1.
    pub(crate) const fn w1_bits(&self) -> u32 {
        ((Q - 1) / (2 * self.gamma2) - 1).ilog2() + 1
    }

    /// Bytes of a polynomial of s1 or s2.
    pub(crate) const fn eta_bytes(&self) -> usize {
        poly_bytes(self.eta_bits())
    }

    /// Bytes of a polynomial of y or z.
    pub(crate) const fn z_bytes(&self) -> usize {
        poly_bytes(self.z_bits())
    }

    /// Bytes of a polynomial of w1.
    pub(crate) const fn w1_bytes(&self) -> usize {
        poly_bytes(self.w1_bits())
    }

    /// Derived columns follow from the others.
    const fn check(&self) {
        assert!(self.beta == self.tau.cast_signed() as i32 * self.eta);
        // what packing, sampling and the ring are written for
        assert!(self.eta == 2 || self.eta == 4);
        assert!(self.gamma1 == 1 << 17 || self.gamma1 == 1 << 19);
        assert!(self.gamma2 == (Q - 1) / 88 || self.gamma2 == (Q - 1) / 32);
        let small = (self.k + self.l) * self.eta_bytes();
        assert!(self.private == 2 * SEED + WIDE + small + self.k * poly_bytes(D));
        assert!(self.public == SEED + self.k * poly_bytes(T1_BITS));
        assert!(self.signature == self.c_bytes() + self.l * self.z_bytes() + self.omega + self.k);
        assert!(self.c_bytes() <= MAX_C);
    }
}

macro_rules! sets {
    ($($set:ident = $name:literal: $k:literal, $l:literal, $eta:literal, $tau:literal, $beta:literal, $gamma1:expr, $gamma2:expr, $omega:literal, $lambda:literal, $sk:literal, $pk:literal, $sig:literal;)*) => {
        /// A parameter set of FIPS 204.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ParameterSet {
            $(#[doc = concat!($name, ": public keys of ", stringify!($pk), ", signatures of ", stringify!($sig), " bytes.")] $set),*
        }

        const ROWS: [Params; 3] = [$(Params {
            name: $name, k: $k, l: $l, eta: $eta, tau: $tau, beta: $beta, gamma1: $gamma1, gamma2: $gamma2,
            omega: $omega, lambda: $lambda, private: $sk, public: $pk, signature: $sig,
        }),*];

        impl ParameterSet {
            /// All three, in the order of their object identifiers.
            pub const ALL: [Self; 3] = [$(Self::$set),*];
        }
    };
}
sets! {
    MlDsa44 = "ML-DSA-44": 4, 4, 2, 39, 78, 1 << 17, (Q - 1) / 88, 80, 128, 2560, 1312, 2420;
    MlDsa65 = "ML-DSA-65": 6, 5, 4, 49, 196, 1 << 19, (Q - 1) / 32, 55, 192, 4032, 1952, 3309;
    MlDsa87 = "ML-DSA-87": 8, 7, 2, 60, 120, 1 << 19, (Q - 1) / 32, 75, 256, 4896, 2592, 4627;
}

const _: () = {
    let mut i = 0;
    while i < ROWS.len() {
        ROWS[i].check();
        i += 1;
    }
};

impl ParameterSet {
    pub(crate) const fn params(self) -> &'static Params {
        &ROWS[self as usize]
    }

    /// The standard's name, e.g. `ML-DSA-65`.
    pub const fn name(self) -> &'static str {
        self.params().name
    }

    /// Bytes of a signature.
    pub const fn signature_len(self) -> usize {
        self.params().signature
    }

    /// Bytes of a private key in its expanded form (Alg. 24).
    pub const fn signing_key_len(self) -> usize {
        self.params().private
    }

    /// Bytes of a public key (Alg. 22).
    pub const fn verifying_key_len(self) -> usize {
        self.params().public
    }

    /// The object identifier in keys and certificates (RFC 9881 section 2).
    pub const fn oid(self) -> ObjectIdentifier {
        const BASE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3");
        match BASE.push_arc(17 + self as u32) {
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
