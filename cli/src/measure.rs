//! Times operations of SLH-DSA, and beside each repetition the kernels that they spend their time in.

use std::{hint::black_box, time::Instant};

use hashloom::{
    Engine, Error,
    adrs::TreeAdrs,
    hash::{Chain, Chains, Hash, Start},
    keccak::Shake256,
    sha2::{Sha256, Sha512},
    slh_dsa::{Item, Mode, ParameterSet, Randomness, Signature, SigningKey, verify_batch},
};
use hashloom_kat::cost::{Hashes, Shape};

/// How long an operation is repeated, in nanoseconds, and how often at least and at most, unless told.
const BUDGET: f64 = 4e8;
const REPETITIONS: std::ops::RangeInclusive<u32> = 3..=100;

/// Messages, with signatures whose chains differ in length, that repetitions take in turn.
const SAMPLES: usize = 8;

/// Groups of lanes that a kernel is timed on, the steps of each chain and the blocks of each message: so many that
/// filling the lanes does not count, so few that a repetition stays short.
const GROUPS: usize = 4;
const STEPS: u32 = 120;
const BLOCKS: usize = 32;
/// Runs of a kernel of which the best counts: the first finds clock and caches as another engine has left them.
const KERNEL_RUNS: usize = 3;

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Operation {
    Keygen,
    Sign,
    Verify,
}

impl Operation {
    pub const ALL: [Self; 3] = [Self::Keygen, Self::Sign, Self::Verify];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Keygen => "keygen",
            Self::Sign => "sign",
            Self::Verify => "verify",
        }
    }

    /// The hashes that it is made of, on average.
    pub fn hashes(self, shape: &Shape) -> Hashes {
        match self {
            Self::Keygen => shape.keygen(),
            Self::Sign => shape.sign(),
            Self::Verify => shape.verify(shape.expected_steps()),
        }
    }
}

/// What is measured.
#[derive(Clone, Copy)]
pub struct Case {
    pub set: ParameterSet,
    pub operation: Operation,
    /// Signatures that are made or verified by one call.
    pub batch: usize,
    /// Bytes for kept trees.
    pub expand: Option<usize>,
}

/// Nanoseconds of one operation of a batch.
pub struct Times {
    pub iters: usize,
    pub min: f64,
    pub median: f64,
    pub p95: f64,
    /// What the operation's hashes would take at the speed of the engine's wide kernels, all lanes busy.
    pub floor: f64,
}

/// Something to be timed, which does so many items at once.
struct Timed<'a> {
    items: usize,
    /// Runs of which the best counts.
    runs: usize,
    run: Box<dyn FnMut(usize) -> Result<(), Error> + Send + 'a>,
    /// Nanoseconds of an item in each repetition.
    samples: Vec<f64>,
}

impl<'a> Timed<'a> {
    fn new(items: usize, runs: usize, run: impl FnMut(usize) -> Result<(), Error> + Send + 'a) -> Self {
        Self { items, runs, run: Box::new(run), samples: Vec::new() }
    }

    /// Nanoseconds of one run.
    fn time(&mut self, turn: usize) -> Result<f64, Error> {
        let start = Instant::now();
        (self.run)(turn)?;
        Ok(start.elapsed().as_secs_f64() * 1e9)
    }

    fn repeat(&mut self, turn: usize) -> Result<(), Error> {
        let mut best = f64::INFINITY;
        for _ in 0..self.runs {
            best = best.min(self.time(turn)?);
        }
        self.samples.push(best / f64::from(self.items as u32));
        Ok(())
    }

    /// The time that this share of all repetitions stayed below.
    fn quantile(&mut self, percent: usize) -> f64 {
        self.samples.sort_by(f64::total_cmp);
        self.samples.get(self.samples.len() * percent / 100).copied().unwrap_or_default()
    }

    /// Steps of chains.
    fn chain<H: Chains<Prefix: 'a> + 'a, const N: usize>(engine: &Engine) -> Self {
        let hash = H::on(engine);
        let prefix = [hash.prefix(&[1; N])];
        let count = (GROUPS * hash.choice().wide.1) as u32;
        let chain = |i| Chain { adrs: TreeAdrs::default().wots_hash(i, 0, 0), steps: STEPS };
        let chains: Vec<Chain> = (0..count).map(chain).collect();
        let mut nodes = vec![[0; N]; chains.len()];
        Self::new(chains.len() * STEPS as usize, KERNEL_RUNS, move |_| {
            hash.chain_many(&prefix, black_box(&chains), Start::Nodes, &mut nodes);
            Ok(())
        })
    }

    /// Blocks of messages.
    fn blocks<H: Hash + 'a>(engine: &Engine) -> Self {
        let hash = H::on(engine);
        // the padding makes the last block
        let message = vec![7; BLOCKS * H::BLOCK_LEN - 17];
        let count = GROUPS * hash.choice().wide.1;
        let mut out = vec![0; 32 * count];
        Self::new(count * BLOCKS, KERNEL_RUNS, move |_| hash.hash_many(black_box(&vec![&message[..]; count]), &mut out))
    }
}

/// An operation on an engine.
struct Contender<'a> {
    operation: Timed<'a>,
    /// F and PRF.
    steps: Timed<'a>,
    /// H and T_l.
    blocks: Timed<'a>,
}

impl<'a> Contender<'a> {
    fn new(case: &Case, inputs: &'a Inputs, engine: &Engine) -> Self {
        let shape = Shape::of(case.set);
        let steps = match (shape.shake, shape.n) {
            (true, 16) => Timed::chain::<Shake256, 16>(engine),
            (true, 24) => Timed::chain::<Shake256, 24>(engine),
            (true, _) => Timed::chain::<Shake256, 32>(engine),
            (false, 16) => Timed::chain::<Sha256, 16>(engine),
            (false, 24) => Timed::chain::<Sha256, 24>(engine),
            (false, _) => Timed::chain::<Sha256, 32>(engine),
        };
        let blocks = match (shape.shake, shape.n) {
            (true, _) => Timed::blocks::<Shake256>(engine),
            (false, 16) => Timed::blocks::<Sha256>(engine),
            (false, _) => Timed::blocks::<Sha512>(engine),
        };
        Self { operation: inputs.operation(case, *engine), steps, blocks }
    }
}

/// What operations work on: one key for all engines, which make the same bytes.
struct Inputs {
    key: SigningKey,
    messages: Vec<Vec<u8>>,
    signatures: Vec<Signature>,
}

impl Inputs {
    fn new(case: &Case, engine: &Engine) -> Result<Self, Error> {
        let n = case.set.n();
        let mut key = SigningKey::from_seeds(case.set, engine, &vec![1; n], &vec![2; n], &vec![3; n])?;
        if let (Some(budget), Operation::Sign) = (case.expand, case.operation) {
            key = key.expand(budget);
            key.fill();
        }
        let message = |i: usize| [[0; 56].as_slice(), &i.to_be_bytes()].concat();
        let messages = (0..case.batch.max(SAMPLES)).map(message).collect();
        let mut inputs = Self { key, messages, signatures: Vec::new() };
        if case.operation == Operation::Verify {
            let signed = inputs.key.sign_batch(&inputs.all(), &Mode::default(), Randomness::Deterministic);
            inputs.signatures = signed.into_iter().collect::<Result<_, _>>()?;
        }
        Ok(inputs)
    }

    fn all(&self) -> Vec<&[u8]> {
        self.messages.iter().map(|message| &message[..]).collect()
    }

    fn operation(&self, case: &Case, engine: Engine) -> Timed<'_> {
        let (set, n, mode) = (case.set, case.set.n(), Mode::default());
        let key = self.key.clone().with_engine(&engine);
        let public = key.verifying_key();
        match (case.operation, case.batch) {
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

impl Contender<'_> {
    /// How often the operation is to be repeated to fill the budget.
    fn fitting(&mut self) -> Result<u32, Error> {
        #[allow(clippy::cast_sign_loss)] // times are positive
        let fitting = (BUDGET / self.operation.time(0)?) as u32;
        Ok(fitting.clamp(*REPETITIONS.start(), *REPETITIONS.end()))
    }

    fn repeat(&mut self, turn: usize) -> Result<(), Error> {
        [&mut self.steps, &mut self.blocks, &mut self.operation].into_iter().try_for_each(|timed| timed.repeat(turn))
    }

    fn times(&mut self, shape: &Shape, hashes: &Hashes) -> Times {
        let Self { operation, steps, blocks } = self;
        Times {
            iters: operation.samples.len(),
            min: operation.quantile(0),
            median: operation.quantile(50),
            p95: operation.quantile(95),
            floor: f64::from(hashes.steps() as u32) * steps.quantile(50)
                + f64::from(shape.blocks(hashes) as u32) * blocks.quantile(50),
        }
    }
}

/// Repeats a case on every engine, in turns, so that noise falls on all alike.
pub fn measure(case: &Case, engines: &[Engine], iters: Option<u32>) -> Result<Vec<Times>, Error> {
    let Some(last) = engines.last() else { return Ok(Vec::new()) };
    let inputs = Inputs::new(case, last)?;
    let mut contenders = Vec::with_capacity(engines.len());
    for engine in engines {
        let mut contender = Contender::new(case, &inputs, engine);
        let fitting = contender.fitting()?;
        contenders.push((contender, iters.unwrap_or(fitting)));
    }
    let rounds = contenders.iter().map(|(_, iters)| *iters).max().unwrap_or(0);
    for round in 0..rounds {
        for (contender, iters) in &mut contenders {
            // fewer repetitions than rounds are spread over all of them
            let before = |round: u32| u64::from(round) * u64::from(*iters) / u64::from(rounds);
            if before(round) < before(round + 1) {
                contender.repeat(round as usize)?;
            }
        }
    }
    let shape = Shape::of(case.set);
    let hashes = case.operation.hashes(&shape);
    Ok(contenders.iter_mut().map(|(contender, _)| contender.times(&shape, &hashes)).collect())
}
