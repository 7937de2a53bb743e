//! SLH-DSA to be timed.

use std::hint::black_box;

use hashloom::{
    Engine, Error,
    adrs::TreeAdrs,
    hash::{Chain, Chains, Start},
    keccak::Shake256,
    sha2::{Sha256, Sha512},
    slh_dsa::{Item, Mode, ParameterSet, Randomness, Signature, SigningKey, verify_batch},
};
use hashloom_kat::cost::{Calls, Hashes, Shape};

use super::{Case, GROUPS, KERNEL_RUNS, Operation, Subject, Timed};

/// Messages, with signatures whose chains differ in length, that repetitions take in turn.
const SAMPLES: usize = 8;
/// Steps of each chain that a kernel is timed on.
const STEPS: u32 = 120;

/// Steps of chains.
fn chain<H: Chains<Prefix: 'static> + 'static, const N: usize>(engine: &Engine) -> Timed<'static> {
    let hash = H::on(engine);
    let prefix = [hash.prefix(&[1; N])];
    let count = (GROUPS * hash.choice().wide.1) as u32;
    let chain = |i| Chain { adrs: TreeAdrs::default().wots_hash(i, 0, 0), steps: STEPS };
    let chains: Vec<Chain> = (0..count).map(chain).collect();
    let mut nodes = vec![[0; N]; chains.len()];
    Timed::new(chains.len() * STEPS as usize, KERNEL_RUNS, move |_| {
        hash.chain_many(&prefix, black_box(&chains), Start::Nodes, &mut nodes);
        Ok(())
    })
}

/// What operations work on: one key for all engines, which make the same bytes.
pub(super) struct Inputs {
    operation: Operation,
    batch: usize,
    shape: Shape,
    key: SigningKey,
    messages: Vec<Vec<u8>>,
    signatures: Vec<Signature>,
}

impl Inputs {
    pub(super) fn new(set: ParameterSet, case: &Case, engine: &Engine) -> Result<Self, Error> {
        let n = set.n();
        let mut key = SigningKey::from_seeds(set, engine, &vec![1; n], &vec![2; n], &vec![3; n])?;
        if let (Some(budget), Operation::Sign) = (case.expand, case.operation) {
            key = key.expand(budget);
            key.fill();
        }
        let message = |i: usize| [[0; 56].as_slice(), &i.to_be_bytes()].concat();
        let messages = (0..case.batch.max(SAMPLES)).map(message).collect();
        let Case { operation, batch, .. } = *case;
        let mut inputs = Self { operation, batch, shape: Shape::of(set), key, messages, signatures: Vec::new() };
        if operation == Operation::Verify {
            let signed = inputs.key.sign_batch(&inputs.all(), &Mode::default(), Randomness::Deterministic);
            inputs.signatures = signed.into_iter().collect::<Result<_, _>>()?;
        }
        Ok(inputs)
    }

    fn all(&self) -> Vec<&[u8]> {
        self.messages.iter().map(|message| &message[..]).collect()
    }

    /// The hashes that the operation is made of, on average.
    fn hashes(&self) -> Hashes {
        match self.operation {
            Operation::Keygen => self.shape.keygen(),
            Operation::Sign => self.shape.sign(),
            Operation::Verify => self.shape.verify(self.shape.expected_steps()),
        }
    }
}

impl Subject for Inputs {
    fn calls(&self) -> Calls {
        self.shape.calls(&self.hashes())
    }

    fn kernels(&self, engine: &Engine) -> Vec<(f64, Timed<'static>)> {
        let (shape, hashes) = (&self.shape, self.hashes());
        // F and PRF
        let steps = match (shape.shake, shape.n) {
            (true, 16) => chain::<Shake256, 16>(engine),
            (true, 24) => chain::<Shake256, 24>(engine),
            (true, _) => chain::<Shake256, 32>(engine),
            (false, 16) => chain::<Sha256, 16>(engine),
            (false, 24) => chain::<Sha256, 24>(engine),
            (false, _) => chain::<Sha256, 32>(engine),
        };
        // H and T_l
        let blocks = match (shape.shake, shape.n) {
            (true, _) => Timed::blocks::<Shake256>(engine),
            (false, 16) => Timed::blocks::<Sha256>(engine),
            (false, _) => Timed::blocks::<Sha512>(engine),
        };
        vec![(f64::from(hashes.steps() as u32), steps), (f64::from(shape.blocks(&hashes) as u32), blocks)]
    }

    fn operation(&self, engine: Engine) -> Timed<'_> {
        let (set, n, mode) = (self.key.set(), self.key.set().n(), Mode::default());
        let key = self.key.clone().with_engine(&engine);
        let public = key.verifying_key();
        match (self.operation, self.batch) {
            (Operation::Keygen, _) => {
                let seeds = [vec![1; n], vec![2; n], vec![3; n]];
                Timed::new(1, 1, move |_| {
                    let [sk_seed, sk_prf, pk_seed] = black_box(&seeds);
                    SigningKey::from_seeds(set, &engine, sk_seed, sk_prf, pk_seed).map(drop)
                })
            }
            (Operation::Sign, 1) => Timed::new(1, 1, move |turn| {
                let message = &self.messages[turn % SAMPLES][..];
                key.sign(black_box(message), &mode, Randomness::Deterministic).map(drop)
            }),
            (Operation::Sign, batch) => Timed::new(batch, 1, move |_| {
                let messages = &self.all()[..batch];
                let signed = key.sign_batch(black_box(messages), &mode, Randomness::Deterministic);
                signed.into_iter().try_for_each(|signature| signature.map(drop))
            }),
            (Operation::Verify, 1) => Timed::new(1, 1, move |turn| {
                let turn = turn % SAMPLES;
                public.verify(black_box(&self.messages[turn][..]), &mode, self.signatures[turn].as_ref())
            }),
            (Operation::Verify, batch) => Timed::new(batch, 1, move |_| {
                let items: Vec<Item<'_>> = self
                    .messages
                    .iter()
                    .zip(&self.signatures)
                    .take(batch)
                    .map(|(message, signature)| Item { key: &public, message, mode, signature: signature.as_ref() })
                    .collect();
                verify_batch(black_box(&items)).into_iter().collect()
            }),
        }
    }
}
