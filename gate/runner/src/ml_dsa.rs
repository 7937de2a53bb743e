//! ML-DSA: inputs, and hashloom's side.

use hashloom::{
    Engine, Error,
    hash::Hash,
    keccak::Shake256,
    ml_dsa::{Mode, ParameterSet, Randomness, SigningKey, VerifyingKey},
};

use crate::contender::{Contender, Outcome, fold};

/// Keys, messages or signatures of one run. How often signing starts again depends on message and randomness, and what
/// a signature costs mostly on that: the sum over many is what is compared.
pub const RUN: usize = 50;
/// Runs with different inputs, which makes 2000 of them.
pub const TURNS: usize = 40;
const MESSAGE_LEN: usize = 64;
/// Bytes of a seed, and of the randomness of a signature.
pub const SEED: usize = 32;

/// What one operation of each kind is given.
#[derive(Clone, Copy)]
pub struct Input {
    /// xi.
    pub seed: [u8; SEED],
    pub message: [u8; MESSAGE_LEN],
    /// rnd.
    pub randomness: [u8; SEED],
}

/// The same for all contenders, and made before any clock starts.
#[derive(Clone)]
pub struct Inputs {
    pub set: ParameterSet,
    inputs: Vec<Input>,
}

impl Inputs {
    pub fn new(set: ParameterSet, engine: &Engine) -> Result<Self, Error> {
        let mut bytes = vec![0; TURNS * RUN * (2 * SEED + MESSAGE_LEN)];
        Shake256::on(engine).hash(&[b"inputs of ", set.name().as_bytes()], &mut bytes)?;
        let mut rest = &bytes[..];
        let mut inputs = Vec::new();
        while let Some((&seed, after)) = rest.split_first_chunk() {
            let Some((&message, after)) = after.split_first_chunk() else { break };
            let Some((&randomness, after)) = after.split_first_chunk() else { break };
            inputs.push(Input { seed, message, randomness });
            rest = after;
        }
        Ok(Self { set, inputs })
    }

    /// Those of a turn.
    pub fn turn(&self, at: usize) -> &[Input] {
        &self.inputs[at * RUN..(at + 1) * RUN]
    }
}

/// Signatures of every turn, each turn's one after the other.
pub fn no_signatures(set: ParameterSet) -> Vec<Vec<u8>> {
    vec![vec![0; RUN * set.signature_len()]; TURNS]
}

/// hashloom, on the engine that detection chooses.
pub struct Ours {
    engine: Engine,
    inputs: Inputs,
    key: SigningKey,
    public: VerifyingKey,
    signatures: Vec<Vec<u8>>,
}

impl Ours {
    pub fn new(engine: &Engine, inputs: &Inputs) -> Outcome<Self> {
        let set = inputs.set;
        let key = SigningKey::from_seed(set, engine, &[0; SEED])?;
        let public = key.verifying_key();
        Ok(Self { engine: *engine, inputs: inputs.clone(), key, public, signatures: no_signatures(set) })
    }
}

impl Contender for Ours {
    fn keygen(&mut self, at: usize) -> Outcome<u64> {
        let mut live = 0;
        for Input { seed, .. } in self.inputs.turn(at) {
            self.key = SigningKey::from_seed(self.inputs.set, &self.engine, seed)?;
            self.public = self.key.verifying_key();
            live ^= fold(self.public.as_bytes());
        }
        Ok(live)
    }

    fn sign(&mut self, at: usize) -> Outcome<u64> {
        let len = self.inputs.set.signature_len();
        let mut live = 0;
        for (input, out) in self.inputs.turn(at).iter().zip(self.signatures[at].chunks_exact_mut(len)) {
            let signature = self.key.sign(&input.message, &Mode::default(), Randomness::Given(&input.randomness))?;
            out.copy_from_slice(signature.as_ref());
            live ^= fold(out);
        }
        Ok(live)
    }

    fn verify(&mut self, at: usize) -> Outcome<u64> {
        let len = self.inputs.set.signature_len();
        let mut live = 0;
        for (input, signature) in self.inputs.turn(at).iter().zip(self.signatures[at].chunks_exact(len)) {
            self.public.verify(&input.message, &Mode::default(), signature)?;
            live += 1;
        }
        Ok(live)
    }

    fn public(&self) -> &[u8] {
        self.public.as_bytes()
    }

    fn signatures(&self, at: usize) -> &[u8] {
        &self.signatures[at]
    }
}
