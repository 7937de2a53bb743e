//! As much of ML-DSA (FIPS 204), written plainly, as makes signatures that hold for a public key whose t1 is zero: then
//! the commitment is what the hint makes of A z, and anybody can choose z and the hint.

use hashloom::ml_dsa::ParameterSet;
use shake::{ExtendableOutput, Shake128, Shake256, Update, XofReader};

/// The modulus.
pub const Q: i64 = 8_380_417;
/// Coefficients.
pub const N: usize = 256;

pub type Poly = [i64; N];

/// Table 1, as far as it is needed, and where the parts of a signature are.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub k: usize,
    pub l: usize,
    pub beta: i64,
    pub gamma1: i64,
    pub gamma2: i64,
    pub omega: usize,
    /// Bytes of c~, where z begins.
    pub z: usize,
    /// Where the hint begins.
    pub hint: usize,
    /// Bytes of a signature.
    pub len: usize,
}

impl Shape {
    pub fn of(set: ParameterSet) -> Self {
        let (k, l, beta, gamma1, gamma2, omega, z) = match set {
            ParameterSet::MlDsa44 => (4, 4, 78, 1 << 17, (Q - 1) / 88, 80, 32),
            ParameterSet::MlDsa65 => (6, 5, 196, 1 << 19, (Q - 1) / 32, 55, 48),
            ParameterSet::MlDsa87 => (8, 7, 120, 1 << 19, (Q - 1) / 32, 75, 64),
        };
        let mut shape = Self { k, l, beta, gamma1, gamma2, omega, z, hint: 0, len: 0 };
        shape.hint = z + l * N * shape.z_bits() / 8;
        shape.len = shape.hint + omega + k;
        shape
    }

    /// Bits of a coefficient of z.
    pub fn z_bits(&self) -> usize {
        self.gamma1.ilog2() as usize + 1
    }

    /// (q - 1) / (2 gamma2), the upper parts that there are.
    pub fn m(&self) -> i64 {
        (Q - 1) / (2 * self.gamma2)
    }
}

pub fn shake(parts: &[&[u8]], len: usize) -> Vec<u8> {
    let mut hasher = Shake256::default();
    parts.iter().for_each(|part| hasher.update(part));
    let mut out = vec![0; len];
    hasher.finalize_xof().read(&mut out);
    out
}

fn power(base: i64, exponent: u32) -> i64 {
    (0..exponent).fold(1, |power, _| power * base % Q)
}

/// zeta^BitRev8(i) (appendix B).
fn zetas() -> [i64; N] {
    std::array::from_fn(|i| power(1753, u32::from((i as u8).reverse_bits())))
}

/// `NTT` (Alg. 41).
fn ntt(p: &mut Poly, zetas: &[i64; N]) {
    let mut i = 0;
    for len in [128, 64, 32, 16, 8, 4, 2, 1] {
        for start in (0..N).step_by(2 * len) {
            i += 1;
            for j in start..start + len {
                let t = zetas[i] * p[j + len] % Q;
                (p[j], p[j + len]) = ((p[j] + t) % Q, (p[j] + Q - t) % Q);
            }
        }
    }
}

/// `NTT^-1` (Alg. 42).
fn inverse(p: &mut Poly, zetas: &[i64; N]) {
    let mut i = N;
    for len in [1, 2, 4, 8, 16, 32, 64, 128] {
        for start in (0..N).step_by(2 * len) {
            i -= 1;
            for j in start..start + len {
                let (a, b) = (p[j], p[j + len]);
                (p[j], p[j + len]) = ((a + b) % Q, (Q - zetas[i]) * (a + Q - b) % Q);
            }
        }
    }
    p.iter_mut().for_each(|x| *x = *x * 8_347_681 % Q);
}

/// `RejNTTPoly` (Alg. 30).
fn uniform(rho: &[u8], column: usize, row: usize) -> Poly {
    let mut stream = Shake128::default().chain(rho).chain([column as u8, row as u8]).finalize_xof();
    let mut draw = || loop {
        let mut bytes = [0; 3];
        stream.read(&mut bytes);
        let x = i64::from(bytes[0]) | i64::from(bytes[1]) << 8 | i64::from(bytes[2] & 127) << 16;
        if x < Q {
            return x;
        }
    };
    std::array::from_fn(|_| draw())
}

/// w = A z, from 0 to q - 1.
pub fn commitment(shape: &Shape, rho: &[u8], z: &[Poly]) -> Vec<Poly> {
    let zetas = zetas();
    let mut z: Vec<Poly> = z.iter().map(|poly| poly.map(|x| x.rem_euclid(Q))).collect();
    z.iter_mut().for_each(|poly| ntt(poly, &zetas));
    let row = |row: usize| {
        let mut sum = [0; N];
        for (column, z) in z.iter().enumerate() {
            let a = uniform(rho, column, row);
            (0..N).for_each(|i| sum[i] = (sum[i] + a[i] * z[i]) % Q);
        }
        inverse(&mut sum, &zetas);
        sum
    };
    (0..shape.k).map(row).collect()
}

/// `Decompose` (Alg. 36).
pub fn decompose(shape: &Shape, r: i64) -> (i64, i64) {
    let step = 2 * shape.gamma2;
    let mut r0 = r % step;
    if r0 > shape.gamma2 {
        r0 -= step;
    }
    if r - r0 == Q - 1 { (0, r0 - 1) } else { ((r - r0) / step, r0) }
}

/// `UseHint` (Alg. 40) where the hint is one.
pub fn moved(shape: &Shape, r: i64) -> i64 {
    let (r1, r0) = decompose(shape, r);
    (if r0 > 0 { r1 + 1 } else { r1 - 1 }).rem_euclid(shape.m())
}

/// `SimpleBitPack` (Alg. 16) of polynomials one after the other.
pub fn pack(polys: impl IntoIterator<Item = Poly>, bits: usize) -> Vec<u8> {
    let values: Vec<i64> = polys.into_iter().flatten().collect();
    let mut out = vec![0; values.len() * bits / 8];
    for (i, value) in values.into_iter().enumerate() {
        for bit in (0..bits).filter(|bit| value >> bit & 1 == 1) {
            out[(i * bits + bit) / 8] |= 1 << ((i * bits + bit) % 8);
        }
    }
    out
}

/// `w1Encode` (Alg. 28).
pub fn encode_w1(shape: &Shape, w1: &[Poly]) -> Vec<u8> {
    pack(w1.iter().copied(), (shape.m() - 1).ilog2() as usize + 1)
}

/// z as `sigEncode` (Alg. 26) has it.
pub fn encode_z(shape: &Shape, z: &[Poly]) -> Vec<u8> {
    pack(z.iter().map(|poly| poly.map(|x| shape.gamma1 - x)), shape.z_bits())
}

/// `HintBitPack` (Alg. 20).
pub fn encode_hint(shape: &Shape, hint: &[Vec<u8>]) -> Vec<u8> {
    let mut places = hint.concat();
    assert!(places.len() <= shape.omega, "a hint that can be encoded");
    places.resize(shape.omega, 0);
    let ends = hint.iter().scan(0, |end, places| {
        *end += places.len() as u8;
        Some(*end)
    });
    places.extend(ends);
    places
}
