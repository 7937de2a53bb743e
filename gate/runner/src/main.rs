//! Times hashloom beside the C rivals. The gate builds and starts this: rows to measure come in on standard input,
//! times go out on standard output, and what they are worth is the gate's to judge.

#[allow(unsafe_code)]
mod c;
mod contender;
mod ml_dsa;
#[path = "../../src/record.rs"]
mod record;
mod slh_dsa;

use std::{
    hint::black_box,
    io::{self, BufRead, Write},
};

use hashloom::{Choice, Engine};

use crate::{
    c::{MlDsa, SlhdsaC, Sphincs},
    contender::{Contender, Outcome, now},
    record::{Key, Op, Planned, Record, Rival, Scheme},
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
        let mut ready = match bench.take() {
            Some(bench) if bench.set == key.set => bench,
            _ => Bench::new(&engine, &key)?,
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

/// Whether a rival's signatures are right, ours beside them.
type Agrees = Box<dyn Fn(Rival, &[u8], &[u8]) -> bool>;

/// One parameter set, ready to be timed.
struct Bench {
    set: String,
    ours: Box<dyn Contender>,
    rivals: Vec<(Rival, Box<dyn Contender>)>,
    agrees: Agrees,
    /// Operations of a run.
    run: u64,
    /// Turns with inputs of their own, and whether everybody has signed them.
    signed: Vec<bool>,
    live: u64,
}

impl Bench {
    /// Makes everybody's keys, which must be the same.
    fn new(engine: &Engine, key: &Key) -> Outcome<Self> {
        let (ours, rivals, agrees, run, turns): (Box<dyn Contender>, Vec<Box<dyn Contender>>, Agrees, _, _);
        match key.scheme {
            Scheme::SlhDsa => {
                let set = key.set.parse()?;
                let inputs = slh_dsa::Inputs::new(set);
                ours = Box::new(slh_dsa::Ours::new(engine, &inputs)?);
                rivals = vec![Box::new(Sphincs::new(&inputs)), Box::new(SlhdsaC::new(&inputs))];
                agrees = Box::new(move |rival, ours, theirs| match rival {
                    Rival::SlhdsaC => ours == theirs,
                    Rival::PqClean => slh_dsa::round_3_1_agrees(set, ours, theirs),
                });
                (run, turns) = (1, slh_dsa::TURNS);
            }
            Scheme::MlDsa => {
                let inputs = ml_dsa::Inputs::new(key.set.parse()?, engine)?;
                ours = Box::new(ml_dsa::Ours::new(engine, &inputs)?);
                rivals = vec![Box::new(MlDsa::new(&inputs))];
                agrees = Box::new(|_, ours, theirs| ours == theirs);
                (run, turns) = (ml_dsa::RUN, ml_dsa::TURNS);
            }
        }
        let rivals = key.scheme.rivals().iter().copied().zip(rivals).collect();
        let mut bench =
            Self { set: key.set.clone(), ours, rivals, agrees, run: run as u64, signed: vec![false; turns], live: 0 };
        bench.ours.keygen(0)?;
        bench.rivals.iter_mut().try_for_each(|(_, rival)| rival.keygen(0).map(drop))?;
        bench.same_key()?;
        Ok(bench)
    }

    /// Runs an operation `pairs` times beside each rival, who goes first changing each time.
    fn run(&mut self, op: Op, pairs: usize) -> Outcome<Vec<(Rival, Pairs)>> {
        let turns = pairs.min(self.signed.len());
        self.warm_up(op, turns)?;
        let mut times: Vec<_> = self.rivals.iter().map(|(rival, _)| (*rival, Vec::with_capacity(pairs))).collect();
        for i in 0..pairs {
            let at = i % turns;
            for ((_, rival), (_, times)) in self.rivals.iter_mut().zip(&mut times) {
                let mut clock = |contender: &mut dyn Contender| time(contender, op, at, self.run, &mut self.live);
                times.push(if i % 2 == 0 {
                    let ours = clock(&mut *self.ours)?;
                    (ours, clock(&mut **rival)?)
                } else {
                    let rival = clock(&mut **rival)?;
                    (clock(&mut *self.ours)?, rival)
                });
            }
            if op == Op::Keygen {
                self.same_key()?;
            }
        }
        match op {
            Op::Keygen => self.signed.fill(false), // by another key
            Op::Sign => (0..turns).try_for_each(|at| self.same_signatures(at))?,
            Op::Verify => {}
        }
        Ok(times)
    }

    /// Runs everybody's operation once; before verification on the signatures of all turns.
    fn warm_up(&mut self, op: Op, turns: usize) -> Outcome<()> {
        let count = match op {
            Op::Keygen => 0, // keys were made
            Op::Sign => 1,
            Op::Verify => turns,
        };
        for at in 0..count {
            if !self.signed[at] {
                self.ours.sign(at)?;
                self.rivals.iter_mut().try_for_each(|(_, rival)| rival.sign(at).map(drop))?;
                self.same_signatures(at)?;
            }
            if op == Op::Verify {
                self.ours.verify(at)?;
                self.rivals.iter_mut().try_for_each(|(_, rival)| rival.verify(at).map(drop))?;
            }
        }
        Ok(())
    }

    /// Everybody has made a key of the same seeds.
    fn same_key(&self) -> Outcome<()> {
        for (rival, contender) in &self.rivals {
            if contender.public() != self.ours.public() {
                return Err(format!("{}: {rival} makes another public key", self.set).into());
            }
        }
        Ok(())
    }

    /// Everybody has signed the messages of a turn.
    fn same_signatures(&mut self, at: usize) -> Outcome<()> {
        for (rival, contender) in &self.rivals {
            if !(self.agrees)(*rival, self.ours.signatures(at), contender.signatures(at)) {
                return Err(format!("{}: {rival} makes another signature", self.set).into());
            }
        }
        self.signed[at] = true;
        Ok(())
    }
}

/// Nanoseconds of one of a run's operations, whose results are folded into `live` before the clock stops.
fn time(contender: &mut dyn Contender, op: Op, at: usize, run: u64, live: &mut u64) -> Outcome<u64> {
    let start = now();
    let result = match op {
        Op::Keygen => contender.keygen(at),
        Op::Sign => contender.sign(at),
        Op::Verify => contender.verify(at),
    }?;
    *live = black_box(live.rotate_left(1) ^ result);
    Ok((now() - start) / run)
}
