//! What the operations of ML-DSA cost in permutations of `Keccak-f[1600]`, for a short message, from the numbers in
//! FIPS 204 table 1. Arithmetic comes on top.

use hashloom::ml_dsa::ParameterSet;

/// Bytes that a permutation makes or takes: SHAKE128, SHAKE256.
const RATE_128: u32 = 168;
const RATE_256: u32 = 136;

/// A row of table 1.
struct Row {
    k: u32,
    l: u32,
    /// Bytes of a polynomial of w1.
    w1: u32,
    /// Bytes of a polynomial of y.
    y: u32,
    /// Bytes of the public key.
    public: u32,
    /// Attempts that a signature takes on average.
    attempts: f64,
}

impl Row {
    const fn of(set: ParameterSet) -> Self {
        let public = set.verifying_key_len() as u32;
        match set {
            ParameterSet::MlDsa44 => Self { k: 4, l: 4, w1: 192, y: 576, public, attempts: 4.25 },
            ParameterSet::MlDsa65 => Self { k: 6, l: 5, w1: 128, y: 640, public, attempts: 5.1 },
            ParameterSet::MlDsa87 => Self { k: 8, l: 7, w1: 128, y: 640, public, attempts: 3.85 },
        }
    }

    /// ExpandA: 256 numbers of 23 bits, nearly none of which is rejected, from three bytes each.
    const fn matrix(&self) -> u32 {
        self.k * self.l * (3 * 256_u32).div_ceil(RATE_128)
    }

    /// tr: the public key and the padding.
    const fn tr(&self) -> u32 {
        (self.public + 1).div_ceil(RATE_256)
    }

    /// c~, from mu and w1, and SampleInBall.
    const fn challenge(&self) -> u32 {
        (64 + self.k * self.w1 + 1).div_ceil(RATE_256) + 1
    }
}

/// Key generation: the seeds, A, two blocks for each polynomial of s1 and s2 (eta = 2 sometimes needs one), tr.
pub fn keygen(set: ParameterSet) -> f64 {
    let row = Row::of(set);
    f64::from(1 + row.matrix() + 2 * (row.k + row.l) + row.tr())
}

/// Signing on average, from a private key as it is stored or one that is expanded: mu, rho'', and in each attempt y, c~
/// and c.
pub fn sign(set: ParameterSet, expanded: bool) -> f64 {
    let row = Row::of(set);
    let attempt = row.l * row.y.div_ceil(RATE_256) + row.challenge();
    f64::from(if expanded { 2 } else { 2 + row.matrix() }) + row.attempts * f64::from(attempt)
}

/// Verification by a public key as it is stored or one that is expanded: tr, mu, A, c~ and c.
pub fn verify(set: ParameterSet, expanded: bool) -> f64 {
    let row = Row::of(set);
    f64::from(1 + row.challenge() + if expanded { 0 } else { row.matrix() + row.tr() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Summed up by hand.
    #[test]
    fn counts() {
        let rows = [
            (107.0, 2.0 + 80.0 + 4.25 * 28.0, 99.0),
            (188.0, 2.0 + 150.0 + 5.1 * 33.0, 174.0),
            (331.0, 2.0 + 280.0 + 3.85 * 45.0, 311.0),
        ];
        for (set, expected) in ParameterSet::ALL.into_iter().zip(rows) {
            assert_eq!((keygen(set), sign(set, false), verify(set, false)), expected, "{set}");
        }
        let expanded = (sign(ParameterSet::MlDsa44, true), verify(ParameterSet::MlDsa87, true));
        assert_eq!(expanded, (2.0 + 4.25 * 28.0, 11.0));
    }
}
