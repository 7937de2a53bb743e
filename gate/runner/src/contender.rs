//! What is timed, and what all contenders are given.

use std::{error::Error, hint::black_box};

use hashloom::{
    Engine,
    slh_dsa::{Mode, ParameterSet, Randomness, SigningKey, VerifyingKey},
};
use rustix::time::{ClockId, clock_gettime};

/// Messages of a set, used in turn: the length of WOTS+ chains in verification depends on the message.
pub const MESSAGES: usize = 4;
const MESSAGE_LEN: usize = 64;

/// A result, or why nothing can be measured.
pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// The same for all contenders, and made before any clock starts.
#[derive(Clone)]
pub struct Inputs {
    pub set: ParameterSet,
    /// SK.seed || SK.prf || PK.seed.
    pub seeds: Vec<u8>,
    pub messages: [[u8; MESSAGE_LEN]; MESSAGES],
    /// opt_rand for each message.
    pub randomness: [Vec<u8>; MESSAGES],
}

impl Inputs {
    pub fn new(set: ParameterSet) -> Self {
        let n = set.n();
        let seeds = [1, 2, 3].into_iter().flat_map(|byte| vec![byte; n]).collect();
        Self {
            set,
            seeds,
            messages: [0x5a, 0x5b, 0x5c, 0x5d].map(|b| [b; 64]),
            randomness: [4, 5, 6, 7].map(|b| vec![b; n]),
        }
    }

    /// SK.seed, SK.prf, PK.seed.
    pub fn seeds(&self) -> [&[u8]; 3] {
        let n = self.set.n();
        [&self.seeds[..n], &self.seeds[n..2 * n], &self.seeds[2 * n..]]
    }
}

/// An implementation of one parameter set. Every operation ends in a word that depends on its result.
pub trait Contender {
    /// Makes the key of the given seeds and keeps it.
    fn keygen(&mut self) -> Outcome<u64>;
    /// Signs a message and keeps the signature.
    fn sign(&mut self, at: usize) -> Outcome<u64>;
    /// Verifies the signature of a message.
    fn verify(&mut self, at: usize) -> Outcome<u64>;
    /// PK.seed || PK.root.
    fn public(&self) -> &[u8];
    /// The signature of a message; not a valid one before `sign`.
    fn signature(&self, at: usize) -> &[u8];
}

/// A word that depends on a result, which as a whole is taken for used.
pub fn fold(bytes: &[u8]) -> u64 {
    let word = |part: Option<&[u8; 8]>| part.map_or(0, |part| u64::from_le_bytes(*part));
    let bytes = black_box(bytes);
    word(bytes.first_chunk()) ^ word(bytes.last_chunk())
}

/// Nanoseconds that this process has had of a CPU. Unlike the time of day it stands still while other programs run, and
/// it counts all threads, so that nobody gains by starting one.
pub fn now() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    u64::try_from(time.tv_sec * 1_000_000_000 + time.tv_nsec).unwrap_or_default()
}

/// hashloom, on the engine that detection chooses.
pub struct Ours {
    engine: Engine,
    inputs: Inputs,
    key: SigningKey,
    public: VerifyingKey,
    signatures: [Vec<u8>; MESSAGES],
}

impl Ours {
    pub fn new(engine: &Engine, inputs: &Inputs) -> Outcome<Self> {
        let [sk_seed, sk_prf, pk_seed] = inputs.seeds();
        let key = SigningKey::from_seeds(inputs.set, engine, sk_seed, sk_prf, pk_seed)?;
        let public = key.verifying_key();
        Ok(Self { engine: *engine, inputs: inputs.clone(), key, public, signatures: Default::default() })
    }
}

impl Contender for Ours {
    fn keygen(&mut self) -> Outcome<u64> {
        let [sk_seed, sk_prf, pk_seed] = self.inputs.seeds();
        self.key = SigningKey::from_seeds(self.inputs.set, &self.engine, sk_seed, sk_prf, pk_seed)?;
        self.public = self.key.verifying_key();
        Ok(fold(self.public.as_bytes()))
    }

    fn sign(&mut self, at: usize) -> Outcome<u64> {
        let random = Randomness::Given(&self.inputs.randomness[at]);
        self.signatures[at] = self.key.sign(&self.inputs.messages[at][..], &Mode::Internal, random)?.into();
        Ok(fold(&self.signatures[at]))
    }

    fn verify(&mut self, at: usize) -> Outcome<u64> {
        self.public.verify(&self.inputs.messages[at][..], &Mode::Internal, &self.signatures[at])?;
        Ok(1)
    }

    fn public(&self) -> &[u8] {
        self.public.as_bytes()
    }

    fn signature(&self, at: usize) -> &[u8] {
        &self.signatures[at]
    }
}
