//! SLH-DSA and ML-DSA on every backend of this machine beside other crates, in one run: rounds are interleaved, so that
//! noise falls on all alike, and medians are quoted as ratios.
//!
//! `cargo run --release -p rivals -- [--set TEXT] [--op keygen|sign|verify] [--only TEXT] [--rounds N] [--messages N]`
//!
//! The C rivals are `pqcrypto-sphincsplus` and `pqcrypto-mldsa`, or with `--cfg hashloom_oqs` `oqs`. Both hold PQClean's
//! code under the same symbols, so that in one program the calls of both would end in the same of the two.

mod ml_dsa;
mod slh_dsa;

use std::time::Instant;

use hashloom::Engine;

/// Messages that are signed or signatures that are verified by one call.
const BATCH: usize = 64;
/// What the choice has for a name that is made without forcing a backend.
const AUTO: &str = "hashloom auto";

/// Something that does an operation so many times, and its name.
struct Contender {
    name: String,
    times: usize,
    run: Box<dyn FnMut()>,
}

impl Contender {
    fn new(name: impl Into<String>, run: impl FnMut() + 'static) -> Self {
        Self { name: name.into(), times: 1, run: Box::new(run) }
    }
}

/// The backends of this machine, each forced, and the automatic choice.
fn engines() -> impl Iterator<Item = (String, Engine)> {
    let forced = Engine::available().map(|(backend, engine)| (format!("hashloom {backend}"), engine));
    forced.chain([(AUTO.to_owned(), Engine::get())])
}

/// Milliseconds of an operation in each contender's runs, one run of each per round.
fn interleave(contenders: &mut [Contender], rounds: usize) -> Vec<Vec<f64>> {
    let mut times = vec![Vec::with_capacity(rounds); contenders.len()];
    for _ in 0..rounds {
        for (times, contender) in times.iter_mut().zip(&mut *contenders) {
            let start = Instant::now();
            (contender.run)();
            times.push(start.elapsed().as_secs_f64() * 1e3 / f64::from(contender.times as u32));
        }
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    times
}

/// One line for each contender.
fn report(set: &str, op: &str, contenders: &mut [Contender], rounds: usize) {
    let times = interleave(contenders, rounds);
    let median = |times: &[f64]| times[times.len() / 2];
    let auto = contenders.iter().position(|contender| contender.name == AUTO).map_or(f64::NAN, |i| median(&times[i]));
    for (Contender { name, .. }, times) in contenders.iter().zip(&times) {
        let (mid, p95) = (median(times), times[(times.len() * 95 / 100).min(times.len() - 1)]);
        println!("{set},{op},{name},{rounds},{:.5},{mid:.5},{p95:.5},{:.2}", times[0], mid / auto);
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let option = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1));
    let number = |name: &str| option(name).and_then(|text| text.parse().ok()).map(|number: usize| number.max(1));
    let wanted = option("--set").map_or(String::new(), |text| text.to_lowercase());
    let is_wanted = |set: &str| set.to_lowercase().contains(&wanted);
    let ops = || ["keygen", "sign", "verify"].into_iter().filter(|op| option("--op").is_none_or(|only| only == op));
    let (rounds, messages) = (number("--rounds"), number("--messages").unwrap_or(ml_dsa::MESSAGES));
    let show = |set: &str, op, mut contenders: Vec<Contender>, usual| {
        contenders.retain(|contender| option("--only").is_none_or(|only| contender.name.contains(only)));
        report(set, op, &mut contenders, rounds.unwrap_or(usual));
    };

    println!("engine: {}", Engine::get());
    println!("build: {}", if cfg!(debug_assertions) { "debug, which says nothing" } else { "release" });
    println!("set,op,contender,rounds,min_ms,median_ms,p95_ms,times_auto");
    for set in hashloom::slh_dsa::ParameterSet::ALL.into_iter().filter(|set| is_wanted(set.name())) {
        for op in ops() {
            let usual = if set.name().ends_with('s') && op != "verify" { 1 } else { 9 };
            show(set.name(), op, slh_dsa::contenders(set, op), usual);
        }
    }
    for set in hashloom::ml_dsa::ParameterSet::ALL.into_iter().filter(|set| is_wanted(set.name())) {
        for op in ops() {
            show(set.name(), op, ml_dsa::contenders(set, op, messages), 9);
        }
    }
}
