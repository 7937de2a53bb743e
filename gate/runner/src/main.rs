//! Times hashloom beside the C rivals. The gate builds and starts this: rows to measure come in on standard input,
//! times go out on standard output, and what they are worth is the gate's to judge.

#[allow(unsafe_code)]
mod c;
mod contender;
#[path = "../../src/record.rs"]
mod record;

use std::{
    hint::black_box,
    io::{self, BufRead, Write},
};

use hashloom::{Choice, Engine, slh_dsa::ParameterSet};

use crate::{
    c::{PqClean, SlhdsaC},
    contender::{Contender, Inputs, MESSAGES, Ours, Outcome, now},
    record::{Op, Planned, Record, Rival},
};

fn main() -> Outcome<()> {
    let engine = Engine::get();
    emit(&start(&engine))?;
    for bytes in [16, 24, 32] {
        emit(&Record::Randomness { rival: Rival::PqClean, bytes, nanos: c::randomness_nanos(bytes) })?;
    }
    let (mut rows, mut live) = (0, 0);
    let mut bench: Option<Bench> = None;
    for line in io::stdin().lock().lines() {
        let Planned { key, pairs } = serde_json::from_str(&line?)?;
        let set = key.set.parse()?;
        let mut ready = match bench.take() {
            Some(bench) if bench.set == set => bench,
            _ => Bench::new(&engine, set)?,
        };
        for (rival, pairs) in ready.run(key.op, pairs)? {
            emit(&Record::Pairs { key: key.clone(), rival, pairs })?;
            rows += 1;
        }
        live ^= ready.live;
        bench = Some(ready);
    }
    emit(&Record::End { rows, live })
}

fn emit(record: &Record) -> Outcome<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", serde_json::to_string(record)?)?;
    Ok(out.flush()?)
}

/// What this program was built for, and what it chose.
fn start(engine: &Engine) -> Record {
    let chosen = [engine.keccak(), engine.sha256(), engine.sha512(), engine.ring()];
    let features = [
        ("avx", cfg!(target_feature = "avx")),
        ("avx2", cfg!(target_feature = "avx2")),
        ("bmi2", cfg!(target_feature = "bmi2")),
        ("sha", cfg!(target_feature = "sha")),
        ("avx512f", cfg!(target_feature = "avx512f")),
    ];
    Record::Start {
        engine: engine.to_string(),
        chosen: chosen.iter().flat_map(|Choice { wide, tail, .. }| [wide, tail]).map(|(b, _)| b.to_string()).collect(),
        available: Engine::available().map(|(backend, _)| backend.to_string()).collect(),
        features: features.iter().filter(|(_, on)| *on).map(|(name, _)| (*name).to_owned()).collect(),
    }
}

/// Nanoseconds of pairs of runs: ours, the rival's.
type Pairs = Vec<(u64, u64)>;

/// One parameter set, ready to be timed.
struct Bench {
    set: ParameterSet,
    ours: Ours,
    rivals: Vec<(Rival, Box<dyn Contender>)>,
    signed: [bool; MESSAGES],
    live: u64,
}

impl Bench {
    /// Makes everybody's keys, which must be the same.
    fn new(engine: &Engine, set: ParameterSet) -> Outcome<Self> {
        let inputs = Inputs::new(set);
        let ours = Ours::new(engine, &inputs)?;
        let mut rivals: Vec<(Rival, Box<dyn Contender>)> =
            vec![(Rival::PqClean, Box::new(PqClean::new(&inputs))), (Rival::SlhdsaC, Box::new(SlhdsaC::new(&inputs)))];
        for (rival, contender) in &mut rivals {
            contender.keygen()?;
            if contender.public() != ours.public() {
                return Err(format!("{set}: {rival} makes another public key").into());
            }
        }
        Ok(Self { set, ours, rivals, signed: [false; MESSAGES], live: 0 })
    }

    /// Runs an operation `pairs` times beside each rival, who goes first changing each time.
    fn run(&mut self, op: Op, pairs: usize) -> Outcome<Vec<(Rival, Pairs)>> {
        self.warm_up(op)?;
        let mut times: Vec<_> = self.rivals.iter().map(|(rival, _)| (*rival, Vec::with_capacity(pairs))).collect();
        for i in 0..pairs {
            let at = i % MESSAGES;
            for ((_, rival), (_, times)) in self.rivals.iter_mut().zip(&mut times) {
                times.push(if i % 2 == 0 {
                    let ours = time(&mut self.ours, op, at, &mut self.live)?;
                    (ours, time(&mut **rival, op, at, &mut self.live)?)
                } else {
                    let rival = time(&mut **rival, op, at, &mut self.live)?;
                    (time(&mut self.ours, op, at, &mut self.live)?, rival)
                });
            }
        }
        if op == Op::Sign {
            for at in 0..pairs.min(MESSAGES) {
                self.agree(at)?;
            }
        }
        Ok(times)
    }

    /// Runs everybody's operation once; before verification on all signatures.
    fn warm_up(&mut self, op: Op) -> Outcome<()> {
        let count = match op {
            Op::Keygen => 0, // the key was made
            Op::Sign => 1,
            Op::Verify => MESSAGES,
        };
        for at in 0..count {
            if !self.signed[at] {
                self.ours.sign(at)?;
                self.rivals.iter_mut().try_for_each(|(_, rival)| rival.sign(at).map(drop))?;
                self.agree(at)?;
            }
            if op == Op::Verify {
                self.ours.verify(at)?;
                self.rivals.iter_mut().try_for_each(|(_, rival)| rival.verify(at).map(drop))?;
            }
        }
        Ok(())
    }

    /// Everybody has signed message `at`: slhdsa-c must have made our bytes. PQClean follows SPHINCS+ round 3.1, which
    /// reads FORS indices from the digest in another order; R and all that is signed above the first WOTS+ signature,
    /// whose message is the FORS key, must be the same there too.
    fn agree(&mut self, at: usize) -> Outcome<()> {
        let ours = self.ours.signature(at);
        for (rival, contender) in &self.rivals {
            let theirs = contender.signature(at);
            let same = match rival {
                Rival::SlhdsaC => ours == theirs,
                Rival::PqClean => {
                    let (r, above) = (self.set.n(), first_path(self.set));
                    ours.len() == theirs.len() && ours[..r] == theirs[..r] && ours[above..] == theirs[above..]
                }
            };
            if !same {
                return Err(format!("{}: {rival} makes another signature", self.set).into());
            }
        }
        self.signed[at] = true;
        Ok(())
    }
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

/// Nanoseconds of one operation, whose result is folded into `live` before the clock stops.
fn time(contender: &mut (impl Contender + ?Sized), op: Op, at: usize, live: &mut u64) -> Outcome<u64> {
    let start = now();
    let result = match op {
        Op::Keygen => contender.keygen(),
        Op::Sign => contender.sign(at),
        Op::Verify => contender.verify(at),
    }?;
    *live = black_box(live.rotate_left(1) ^ result);
    Ok(now() - start)
}
