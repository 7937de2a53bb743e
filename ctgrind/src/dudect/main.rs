//! A second opinion on constant time, by statistics: do key generation and signing take as long with a secret that is
//! the same in every measurement as with one that is new in each? On every backend that the machine has.
//!
//! `dudect SECONDS` shares the time among all operations.
#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)] // counts and nanoseconds are far below 2^52

mod stats;

use std::{
    hash::{BuildHasher, Hasher, RandomState},
    hint::black_box,
    process::ExitCode,
    time::{Duration, Instant},
};

use hashloom::{
    Backend, Engine,
    slh_dsa::{Mode, ParameterSet, Randomness, SigningKey},
};
use stats::{Class, Outcome, judge};

/// |t| from which on dudect calls a program definitely not constant-time.
const THRESHOLD: f64 = 10.0;
/// Measurements that are made even if the time is over.
const FEWEST: usize = 60;
/// Measurements after which no more are needed.
const MOST: usize = 200_000;
/// Measurements that warm up caches and clocks.
const WARM_UP: usize = 8;
/// One set for each family.
const SETS: [ParameterSet; 2] = [ParameterSet::Sha2_128f, ParameterSet::Shake128f];
const N: usize = 16;

/// SplitMix64: good enough to choose classes and secrets.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    fn bytes<const L: usize>(&mut self) -> [u8; L] {
        let mut bytes = [0; L];
        bytes.chunks_mut(8).for_each(|chunk| chunk.copy_from_slice(&self.next().to_le_bytes()[..chunk.len()]));
        bytes
    }
}

/// Times `work` on what `prepare` makes of a secret. Classes are drawn, so that nothing that drifts or repeats can
/// favour one; both are prepared alike, outside the time.
fn measure<S, R>(
    rng: &mut Rng,
    budget: Duration,
    mut prepare: impl FnMut([u8; 2 * N], &mut Rng) -> S,
    mut work: impl FnMut(&S) -> R,
) -> Outcome {
    let begin = Instant::now();
    let mut measurements = Vec::new();
    let mut discarded = 0;
    while measurements.len() < MOST && (measurements.len() < FEWEST || begin.elapsed() < budget) {
        let random = rng.bytes();
        let (class, secret) = if rng.next() & 1 == 0 { (Class::Fixed, [0; 2 * N]) } else { (Class::Random, random) };
        let subject = prepare(black_box(secret), rng);
        let start = Instant::now();
        let result = black_box(work(&subject));
        let time = start.elapsed();
        drop(result);
        if discarded < WARM_UP {
            discarded += 1;
        } else {
            measurements.push((class, time.as_nanos() as f64));
        }
    }
    judge(&measurements)
}

fn keygen(rng: &mut Rng, budget: Duration, set: ParameterSet, engine: &Engine) -> Outcome {
    let pk_seed = [0x5a; N];
    measure(
        rng,
        budget,
        |secret, _| secret,
        |secret| SigningKey::from_seeds(set, engine, &secret[..N], &secret[N..], &pk_seed),
    )
}

/// Each measurement signs another message, so that in both classes the digits, which are public and decide how long
/// chains run, are as random.
fn sign(rng: &mut Rng, budget: Duration, set: ParameterSet, engine: &Engine) -> Outcome {
    let public = [0x5a; 2 * N];
    measure(
        rng,
        budget,
        |secret, rng| {
            let bytes = [secret, public].concat();
            let key = SigningKey::from_bytes_unchecked(set, engine, &bytes).expect("a key has 4n bytes");
            (key, rng.bytes::<32>())
        },
        |(key, message)| key.sign(message, &Mode::default(), Randomness::Deterministic),
    )
}

/// What must be found: a comparison with the fixed secret that stops at the first difference.
fn control(rng: &mut Rng, budget: Duration) -> Outcome {
    let known = black_box([0_u8; 2 * N]);
    measure(rng, budget, |secret, _| secret, |secret| (0..2 * N).all(|i| black_box(secret[i]) == black_box(known[i])))
}

fn print(name: &str, outcome: &Outcome) {
    let Outcome { t, count, mean, resolution } = outcome;
    println!(
        "{name:<28} {count:>7} measurements of {:>9.2} us, |t| {t:6.2}, {:.2} % would be found",
        mean / 1e3,
        resolution * 100.0
    );
}

type Operation = fn(&mut Rng, Duration, ParameterSet, &Engine) -> Outcome;

/// Operations on all backends; a backend takes part in the family whose hash it implements.
fn operations() -> Vec<(String, Operation, ParameterSet, Engine)> {
    let mut all = Vec::new();
    for &backend in Backend::ALL {
        let Ok(engine) = Engine::with(backend) else {
            println!("SKIPPED: {backend}: not on this machine");
            continue;
        };
        for set in SETS {
            let runs = if set == ParameterSet::Sha2_128f { engine.sha256() } else { engine.keccak() };
            if runs.wide.0 == backend {
                let set_name = set.name().trim_start_matches("SLH-DSA-");
                all.push((format!("{backend} {set_name} keygen"), keygen as Operation, set, engine));
                all.push((format!("{backend} {set_name} sign"), sign, set, engine));
            }
        }
    }
    all
}

fn main() -> ExitCode {
    let Some(seconds) = std::env::args().nth(1).and_then(|text| text.parse::<f64>().ok()).filter(|s| *s > 0.0) else {
        eprintln!("usage: dudect SECONDS");
        return ExitCode::from(2);
    };
    let mut rng = Rng(RandomState::new().build_hasher().finish());
    let operations = operations();
    let budget = Duration::from_secs_f64(seconds / (operations.len() + 1) as f64);

    let blind = control(&mut rng, budget);
    print("control", &blind);
    let mut largest = 0.0_f64;
    let mut found = Vec::new();
    for (name, operation, set, engine) in &operations {
        let mut outcome = operation(&mut rng, budget, *set, engine);
        print(name, &outcome);
        // what another program on the machine did is not there twice
        for _ in 0..2 {
            if outcome.t < THRESHOLD {
                break;
            }
            outcome = operation(&mut rng, budget, *set, engine);
            print(&format!("{name} again"), &outcome);
        }
        largest = largest.max(outcome.t);
        if outcome.t >= THRESHOLD {
            found.push(name.as_str());
        }
    }
    println!(
        "dudect: {} operations, {} found to leak, largest |t| {largest:.2}; control {} (|t| {:.0})",
        operations.len(),
        found.len(),
        if blind.t >= THRESHOLD { "caught" } else { "MISSED" },
        blind.t
    );
    found.iter().for_each(|name| println!("LEAK: {name}"));
    if found.is_empty() && blind.t >= THRESHOLD && !operations.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
