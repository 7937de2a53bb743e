//! Times operations of the signature schemes, and beside each repetition the kernels that their hashing runs on.

mod ml_dsa;
mod slh_dsa;

use std::{hint::black_box, time::Instant};

use hashloom::{Engine, Error, hash::Hash};
use hashloom_kat::cost::Calls;

use crate::scheme::Set;

/// How long an operation is repeated, in nanoseconds, and how often at least and at most, unless told.
const BUDGET: f64 = 4e8;
const REPETITIONS: std::ops::RangeInclusive<u32> = 3..=100;

/// Groups of lanes that a kernel is timed on, and the blocks of each message: so many that filling the lanes does not
/// count, so few that a repetition stays short.
const GROUPS: usize = 4;
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
}

/// What is measured.
#[derive(Clone, Copy)]
pub struct Case {
    pub set: Set,
    pub operation: Operation,
    /// Signatures that are made or verified by one call.
    pub batch: usize,
    /// Bytes for what an expanded key keeps.
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

/// What an operation on a set is to a scheme.
trait Subject {
    /// How often which primitive is called.
    fn calls(&self) -> Calls;
    /// Kernels, and how often the operation runs them.
    fn kernels(&self, engine: &Engine) -> Vec<(f64, Timed<'static>)>;
    /// The operation.
    fn operation(&self, engine: Engine) -> Timed<'_>;
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

/// An operation on an engine, and the kernels that it runs so often.
struct Contender<'a> {
    operation: Timed<'a>,
    kernels: Vec<(f64, Timed<'static>)>,
}

impl Contender<'_> {
    /// How often the operation is to be repeated to fill the budget.
    fn fitting(&mut self) -> Result<u32, Error> {
        #[allow(clippy::cast_sign_loss)] // times are positive
        let fitting = (BUDGET / self.operation.time(0)?) as u32;
        Ok(fitting.clamp(*REPETITIONS.start(), *REPETITIONS.end()))
    }

    fn repeat(&mut self, turn: usize) -> Result<(), Error> {
        self.kernels.iter_mut().try_for_each(|(_, kernel)| kernel.repeat(turn))?;
        self.operation.repeat(turn)
    }

    fn times(&mut self) -> Times {
        let Self { operation, kernels } = self;
        Times {
            iters: operation.samples.len(),
            min: operation.quantile(0),
            median: operation.quantile(50),
            p95: operation.quantile(95),
            floor: kernels.iter_mut().map(|(count, kernel)| *count * kernel.quantile(50)).sum(),
        }
    }
}

/// Repeats a case on every engine, in turns, so that noise falls on all alike.
pub fn measure(case: &Case, engines: &[Engine], iters: Option<u32>) -> Result<(Calls, Vec<Times>), Error> {
    let engine = engines.last().copied().unwrap_or_default();
    let subject: Box<dyn Subject> = match case.set {
        Set::SlhDsa(set) => Box::new(slh_dsa::Inputs::new(set, case, &engine)?),
        Set::MlDsa(set) => Box::new(ml_dsa::Inputs::new(set, case, &engine)?),
    };
    let mut contenders = Vec::with_capacity(engines.len());
    for engine in engines {
        let mut contender = Contender { operation: subject.operation(*engine), kernels: subject.kernels(engine) };
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
    Ok((subject.calls(), contenders.iter_mut().map(|(contender, _)| contender.times()).collect()))
}
