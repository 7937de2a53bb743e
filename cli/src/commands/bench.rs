//! `hashloom bench`.

use std::time::Instant;

use comfy_table::{Cell, CellAlignment};
use hashloom::Engine;
use hashloom_kat::cost::Calls;
use serde_json::{Value, json};

use crate::{
    app::App,
    commands::engine::table,
    error::{Error, Outcome},
    measure::{Case, Operation, Times, measure},
    output::{Unit, count},
    scheme::Set,
};

const COLUMNS: &str =
    "set,op,backend,batch,threads,iters,min_ns,median_ns,p95_ns,compressions,permutations,floor_ns,ratio";

/// Time key generation, signing and verification, beside what their hashes alone would take.
///
/// The floor is the number of hashes that the operation needs, each at the speed of the engine's widest kernel with all
/// lanes busy on one core: measured in the same run, between the repetitions. The ratio is the median over it. Hashing
/// the message and all else comes on top of the floor, in ML-DSA the arithmetic. Signing with ML-DSA takes as many attempts
/// as a message happens to need: its times are means over 1024 messages, always the same.
///
/// Without --backend each backend of this machine is measured, forced, and the automatic choice beside them, in turns.
/// One thread is used unless --threads says more.
///
/// For example: hashloom bench --set 128f --op verify --batch 64
#[derive(clap::Args)]
pub struct Args {
    /// Parameter sets whose name contains one of these texts, in any case [default: all]
    #[arg(long = "set", value_name = "TEXT", num_args = 1..)]
    sets: Vec<String>,
    /// Operations [default: all]
    #[arg(long = "op", value_enum, value_name = "NAME", num_args = 1..)]
    operations: Vec<Operation>,
    /// Sign or verify this many messages by one call; times are per signature
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=4096))]
    batch: u16,
    /// Repetitions [default: as many as fit into 0.4 seconds, 3 to 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    iters: Option<u32>,
    /// Use keys that keep what does not depend on the message: in SLH-DSA, for signing, trees of the upper layers in so many
    /// bytes, where the floor is that of a key that keeps none; in ML-DSA the expanded key, whatever its size
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(..=1 << 30))]
    expand: Option<u64>,
    /// Write results as comma-separated values
    #[arg(long)]
    csv: bool,
}

/// What was measured, and how often which primitive is called for it.
struct Row<'a> {
    case: Case,
    backend: &'a str,
    engine: Engine,
    threads: u16,
    calls: Calls,
    times: Times,
}

pub fn run(args: &Args, app: &App) -> Result<Outcome, Error> {
    if args.csv && app.out.json {
        return Err(Error::usage("--csv and --json exclude each other"));
    }
    let cases = cases(args)?;
    let engines = app.engines();
    let threads = app.threads.unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.into())
        .build()
        .map_err(|e| Error::usage(format!("--threads {threads}: {e}")))?;
    if cfg!(debug_assertions) {
        tracing::warn!("this is a debug build: its times mean little");
    }
    let head: Vec<String> = engines.iter().map(|(name, engine)| format!("engine {name}: {engine}")).collect();
    if args.csv {
        head.iter().for_each(|line| tracing::info!("{line}"));
        app.out.line(COLUMNS)?;
    }

    let started = Instant::now();
    let bar = app.out.progress((cases.len() * engines.len()) as u64, Unit::Items("rows"));
    let choices: Vec<Engine> = engines.iter().map(|(_, engine)| *engine).collect();
    let mut rows = Vec::new();
    for case in cases {
        let (calls, times) = pool.install(|| measure(&case, &choices, args.iters))?;
        for ((backend, engine), times) in engines.iter().zip(times) {
            let row = Row { case, backend, engine: *engine, threads, calls, times };
            if app.out.json {
                app.out.line(row.json().to_string())?;
            } else if args.csv {
                app.out.line(row.csv())?;
            }
            rows.push(row);
        }
        bar.inc(choices.len() as u64);
    }
    bar.finish_and_clear();
    if app.out.json {
        let seconds = started.elapsed().as_secs_f64();
        let json = json!({"kind": "summary", "command": "bench", "rows": rows.len(), "seconds": seconds});
        app.out.line(json.to_string())?;
    } else if !args.csv {
        app.out.line(text(&head, &rows, args, threads))?;
    }
    Ok(Outcome::Good)
}

fn cases(args: &Args) -> Result<Vec<Case>, Error> {
    let names = |set: Set, text: &str| set.name().to_lowercase().contains(&text.to_lowercase());
    if let Some(text) = args.sets.iter().find(|text| !Set::all().any(|set| names(set, text))) {
        return Err(Error::usage(format!("--set: no parameter set has '{text}' in its name")));
    }
    let sets = Set::all().filter(|&set| args.sets.is_empty() || args.sets.iter().any(|text| names(set, text)));
    let wanted = |operation: &Operation| args.operations.is_empty() || args.operations.contains(operation);
    let operations: Vec<Operation> = Operation::ALL.into_iter().filter(wanted).collect();
    Ok(sets
        .flat_map(|set| {
            operations.iter().map(move |&operation| {
                let batch = if operation == Operation::Keygen { 1 } else { args.batch.into() };
                Case { set, operation, batch, expand: args.expand.map(|bytes| bytes as usize) }
            })
        })
        .collect())
}

impl Row<'_> {
    fn ratio(&self) -> f64 {
        self.times.median / self.times.floor
    }

    fn per_second(&self) -> f64 {
        1e9 / self.times.median
    }

    /// In the order of [`COLUMNS`].
    fn csv(&self) -> String {
        let (Self { case, backend, threads, calls, times, .. }, operation) = (self, self.case.operation.name());
        let Times { iters, min, median, p95, floor } = times;
        format!(
            "{},{operation},{backend},{},{threads},{iters},{min:.0},{median:.0},{p95:.0},{},{},{floor:.0},{:.3}",
            case.set,
            case.batch,
            calls.sha256 + calls.sha512,
            calls.keccak,
            self.ratio()
        )
    }

    fn json(&self) -> Value {
        let Self { case, backend, engine, threads, calls, times } = self;
        json!({
            "kind": "measurement",
            "set": case.set.name(),
            "op": case.operation.name(),
            "backend": backend,
            "engine": engine.to_string(),
            "batch": case.batch,
            "threads": threads,
            "iters": times.iters,
            "min_ns": times.min.round(),
            "median_ns": times.median.round(),
            "p95_ns": times.p95.round(),
            "compressions": calls.sha256 + calls.sha512,
            "permutations": calls.keccak,
            "floor_ns": times.floor.round(),
            "ratio": self.ratio(),
            "per_second": self.per_second(),
        })
    }

    /// Fits, with the frame, into a terminal of 80 columns.
    fn cells(&self) -> Vec<Cell> {
        let Self { case, backend, times, .. } = self;
        let numbers = [
            digits(times.min / 1e6),
            digits(times.median / 1e6),
            format!("{:.0} %", 100.0 * (times.p95 - times.min) / times.median),
            digits(self.per_second()),
            format!("{:.2}", self.ratio()),
        ];
        let set = case.set.name().trim_start_matches("SLH-DSA-");
        let names = [set, case.operation.name(), backend].map(Cell::new);
        names.into_iter().chain(numbers.map(|number| Cell::new(number).set_alignment(CellAlignment::Right))).collect()
    }
}

/// A positive number with four digits that count, if it is not very small.
fn digits(number: f64) -> String {
    let decimals = [1000.0, 100.0, 10.0, 1.0].iter().take_while(|&&power| number < power).count();
    format!("{number:.decimals$}")
}

fn text(head: &[String], rows: &[Row<'_>], args: &Args, threads: u16) -> String {
    let mut table = table(&["set", "op", "backend", "min ms", "median", "spread", "per s", "ratio"]);
    for row in rows {
        table.add_row(row.cells());
    }
    let batch = if args.batch == 1 { String::new() } else { format!(", {} signatures at a time", args.batch) };
    format!(
        "{}\n{table}\n{}{batch}; times are of one key or signature\n\
         spread: from the minimum to the 95th percentile; ratio: median to floor",
        head.join("\n"),
        count(threads.into(), "thread"),
    )
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn numbers_are_short() {
        let numbers = [0.061_23, 0.5, 1.605_2, 25.78, 999.96, 1219.4, 14_631.5];
        assert_eq!(numbers.map(digits), ["0.0612", "0.5000", "1.605", "25.78", "1000.0", "1219", "14632"]);
    }
}
