//! SLH-DSA: inputs, and hashloom's side.

use hashloom::{
    Engine,
    slh_dsa::{Mode, ParameterSet, Randomness, SigningKey, VerifyingKey},
};

use crate::contender::{Contender, Outcome, fold};

/// Messages of a set, used in turn: the length of WOTS+ chains in verification depends on the message.
pub const TURNS: usize = 4;
const MESSAGE_LEN: usize = 64;

/// The same for all contenders, and made before any clock starts.
#[derive(Clone)]
pub struct Inputs {
    pub set: ParameterSet,
    /// SK.seed || SK.prf || PK.seed.
    pub seeds: Vec<u8>,
    pub messages: [[u8; MESSAGE_LEN]; TURNS],
    /// opt_rand for each message.
    pub randomness: [Vec<u8>; TURNS],
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

/// What PQClean's signature must have of ours. It follows SPHINCS+ round 3.1, which reads FORS indices from the digest
/// in another order; R and all that is signed above the first WOTS+ signature, whose message is the FORS key, must be
/// the same there too.
pub fn round_3_1_agrees(set: ParameterSet, ours: &[u8], theirs: &[u8]) -> bool {
    let (r, above) = (set.n(), first_path(set));
    ours.len() == theirs.len() && ours[..r] == theirs[..r] && ours[above..] == theirs[above..]
}

/// Where in a signature the first authentication path starts: behind R, k FORS paths of a + 1 nodes and a WOTS+
/// signature of 2n + 3.
fn first_path(set: ParameterSet) -> usize {
    use ParameterSet as P;
    let (k, a) = match set {
        P::Sha2_128s | P::Shake128s => (14, 12),
        P::Sha2_128f | P::Shake128f => (33, 6),
        P::Sha2_192s | P::Shake192s => (17, 14),
        P::Sha2_192f | P::Shake192f => (33, 8),
        P::Sha2_256s | P::Shake256s => (22, 14),
        P::Sha2_256f | P::Shake256f => (35, 9),
    };
    (1 + k * (a + 1) + 2 * set.n() + 3) * set.n()
}

/// hashloom, on the engine that detection chooses.
pub struct Ours {
    engine: Engine,
    inputs: Inputs,
    key: SigningKey,
    public: VerifyingKey,
    signatures: [Vec<u8>; TURNS],
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
    fn keygen(&mut self, _at: usize) -> Outcome<u64> {
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

    fn signatures(&self, at: usize) -> &[u8] {
        &self.signatures[at]
    }
}
