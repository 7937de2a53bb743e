//! Keys, random bytes and signatures for the SLH-DSA tests.

use std::{
    convert::Infallible,
    fmt,
    sync::{Mutex, OnceLock},
};

use hashloom::{
    Engine,
    slh_dsa::{Mode, ParameterSet, Randomness, SigningKey},
};
use rand_core::{TryCryptoRng, TryRng};
use shake::{ExtendableOutput, Shake256, Shake256Reader, Update, XofReader};

/// Sets that sign fast: 128f, 192f and 256f of both families.
pub fn fast_sets() -> impl Iterator<Item = ParameterSet> {
    ParameterSet::ALL.into_iter().filter(|set| is_fast(*set))
}

pub fn is_fast(set: ParameterSet) -> bool {
    set.name().ends_with('f')
}

/// The two sets that most tests can afford on every engine.
pub const SMALL: [ParameterSet; 2] = [ParameterSet::Sha2_128f, ParameterSet::Shake128f];

/// Random bytes that a label, and `HASHLOOM_SEED` if it is set, decide.
pub struct Rng(Shake256Reader);

impl Rng {
    pub fn new(label: &str) -> Self {
        let seed = std::env::var("HASHLOOM_SEED").unwrap_or_default();
        Self(Shake256::default().chain(label).chain([0]).chain(seed).finalize_xof())
    }

    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.0.read(&mut bytes);
        bytes
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        let bytes = self.bytes(8).try_into().unwrap();
        (u64::from_le_bytes(bytes) % bound as u64) as usize
    }
}

impl TryRng for Rng {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::from_le_bytes(self.bytes(4).try_into().unwrap()))
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from_le_bytes(self.bytes(8).try_into().unwrap()))
    }
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        self.0.read(out);
        Ok(())
    }
}

impl TryCryptoRng for Rng {}

/// Random bytes of generators that break.
pub const DRAWN: [u8; 96] = [0x5a; 96];

/// A generator that hands out the given bytes, then breaks, in the middle of a request if need be.
pub struct Failing<'a>(pub &'a [u8]);

#[derive(Debug)]
pub struct Broken;

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("broken")
    }
}

impl std::error::Error for Broken {}

impl TryRng for Failing<'_> {
    type Error = Broken;
    fn try_next_u32(&mut self) -> Result<u32, Broken> {
        Err(Broken)
    }
    fn try_next_u64(&mut self) -> Result<u64, Broken> {
        Err(Broken)
    }
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Broken> {
        let given = out.len().min(self.0.len());
        out[..given].copy_from_slice(&self.0[..given]);
        self.0 = &self.0[given..];
        if given == out.len() { Ok(()) } else { Err(Broken) }
    }
}

impl TryCryptoRng for Failing<'_> {}

/// The three seeds of the set's test key.
pub fn seeds(set: ParameterSet, label: &str) -> [Vec<u8>; 3] {
    let mut rng = Rng::new(&format!("{label} {set}"));
    [(); 3].map(|()| rng.bytes(set.n()))
}

/// A key of the set, always the same one for a label.
pub fn key_for(set: ParameterSet, engine: &Engine, label: &str) -> SigningKey {
    let [sk_seed, sk_prf, pk_seed] = seeds(set, label);
    SigningKey::from_seeds(set, engine, &sk_seed, &sk_prf, &pk_seed).unwrap()
}

/// The set's usual test key, made once.
pub fn key(set: ParameterSet, engine: &Engine) -> SigningKey {
    static KEYS: [OnceLock<SigningKey>; 12] = [const { OnceLock::new() }; 12];
    KEYS[set as usize].get_or_init(|| key_for(set, &Engine::get(), "key")).clone().with_engine(engine)
}

/// What [`signed`] signs, in pure mode with [`CONTEXT`].
pub const MESSAGE: &[u8] = b"a message that is longer than one block of SHA-256, so that both readings of it matter";
pub const CONTEXT: &[u8] = b"context";
pub const MODE: Mode<'static> = Mode::Pure { context: CONTEXT };

/// A good signature of [`MESSAGE`] by the set's usual key, made once.
pub fn signed(set: ParameterSet) -> Vec<u8> {
    static SIGNATURES: Mutex<[Option<Vec<u8>>; 12]> = Mutex::new([const { None }; 12]);
    let mut signatures = SIGNATURES.lock().unwrap();
    signatures[set as usize]
        .get_or_insert_with(|| {
            key(set, &Engine::get()).sign(MESSAGE, &MODE, Randomness::Deterministic).unwrap().as_ref().to_vec()
        })
        .clone()
}

/// Where the hash values of a signature are, from FIPS 205 figures 12 to 17 and table 2, laid out here once more.
pub struct Layout {
    pub n: usize,
    /// FORS trees and their height.
    pub k: usize,
    pub a: usize,
    /// Layers, chains per layer, height of a layer's tree.
    pub d: usize,
    pub len: usize,
    pub hp: usize,
}

impl Layout {
    pub fn of(set: ParameterSet) -> Self {
        let (n, k, a, d, hp) = match set.name().rsplit('-').next().unwrap() {
            "128s" => (16, 14, 12, 7, 9),
            "128f" => (16, 33, 6, 22, 3),
            "192s" => (24, 17, 14, 7, 9),
            "192f" => (24, 33, 8, 22, 3),
            "256s" => (32, 22, 14, 8, 8),
            "256f" => (32, 35, 9, 17, 4),
            size => panic!("{size} is no size"),
        };
        let layout = Self { n, k, a, d, len: 2 * n + 3, hp };
        assert_eq!(layout.blocks().count() * n, set.signature_len(), "{set}");
        layout
    }

    /// What each n-byte block of a signature is, in order.
    pub fn blocks(&self) -> impl Iterator<Item = Block> {
        let fors = (0..self.k).flat_map(|tree| {
            (0..=self.a).map(move |i| if i == 0 { Block::Fors(tree) } else { Block::ForsAuth(tree, i - 1) })
        });
        let layers = (0..self.d).flat_map(|layer| {
            let chains = (0..self.len).map(move |chain| Block::Wots(layer, chain));
            chains.chain((0..self.hp).map(move |level| Block::Auth(layer, level)))
        });
        [Block::Randomizer].into_iter().chain(fors).chain(layers)
    }
}

#[derive(Clone, Copy, Debug)]
pub enum Block {
    Randomizer,
    /// The value of a tree.
    Fors(usize),
    /// A sibling in a tree, at a level.
    ForsAuth(usize, usize),
    /// A chain of a layer.
    Wots(usize, usize),
    /// A sibling in a layer's tree, at a level.
    Auth(usize, usize),
}
