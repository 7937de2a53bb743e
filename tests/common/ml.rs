//! Keys and signatures for the ML-DSA tests.

use std::sync::OnceLock;

use hashloom::{
    Engine,
    ml_dsa::{Mode, ParameterSet, Randomness, SigningKey},
};

use super::slh::Rng;

/// What [`signed`] signs, in pure mode with [`CONTEXT`].
pub const MESSAGE: &[u8] = b"a message";
pub const CONTEXT: &[u8] = b"context";
pub const MODE: Mode<'static> = Mode::Pure { context: CONTEXT };

/// A key of the set, always the same one for a label.
pub fn key_for(set: ParameterSet, engine: &Engine, label: &str) -> SigningKey {
    SigningKey::from_seed(set, engine, &Rng::new(&format!("{label} {set}")).bytes(32)).unwrap()
}

/// The set's usual test key, made once.
pub fn key(set: ParameterSet, engine: &Engine) -> SigningKey {
    static KEYS: [OnceLock<SigningKey>; 3] = [const { OnceLock::new() }; 3];
    KEYS[set as usize].get_or_init(|| key_for(set, &Engine::get(), "key")).clone().with_engine(engine)
}

/// A good signature of [`MESSAGE`] by the set's usual key.
pub fn signed(set: ParameterSet) -> Vec<u8> {
    key(set, &Engine::get()).sign(MESSAGE, &MODE, Randomness::Deterministic).unwrap().into()
}

/// Where the parts of a signature are, from FIPS 204 table 1 and Alg. 26, laid out here once more.
pub struct Layout {
    pub k: usize,
    pub omega: usize,
    /// Bytes of c~, where z begins.
    pub z: usize,
    /// Where the hint begins.
    pub hint: usize,
    /// Bits of a coefficient of z.
    pub z_bits: usize,
    /// gamma1 and beta.
    pub gamma1: i32,
    pub beta: i32,
}

impl Layout {
    pub fn of(set: ParameterSet) -> Self {
        let (k, l, omega, z, z_bits, beta) = match set {
            ParameterSet::MlDsa44 => (4, 4, 80, 32, 18, 78),
            ParameterSet::MlDsa65 => (6, 5, 55, 48, 20, 196),
            ParameterSet::MlDsa87 => (8, 7, 75, 64, 20, 120),
        };
        let layout = Self { k, omega, z, hint: z + l * 32 * z_bits, z_bits, gamma1: 1 << (z_bits - 1), beta };
        assert_eq!(layout.hint + omega + k, set.signature_len(), "{set}");
        layout
    }

    /// Coefficient `i` of all of z.
    pub fn coefficient(&self, signature: &[u8], i: usize) -> i32 {
        let bit = |at: usize| i32::from(signature[self.z + at / 8] >> (at % 8) & 1);
        self.gamma1 - (0..self.z_bits).map(|j| bit(i * self.z_bits + j) << j).sum::<i32>()
    }

    /// Puts another in its place.
    pub fn set_coefficient(&self, signature: &mut [u8], i: usize, x: i32) {
        for j in 0..self.z_bits {
            let at = i * self.z_bits + j;
            let byte = &mut signature[self.z + at / 8];
            *byte = *byte & !(1 << (at % 8)) | u8::from(((self.gamma1 - x) >> j) & 1 == 1) << (at % 8);
        }
    }
}
