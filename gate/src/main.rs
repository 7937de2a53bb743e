//! `cargo run --release -p gate`: exit status 0 if hashloom's portable backend is nowhere slower than portable C, 1 if
//! it is, 2 if that cannot be said.

use std::{
    fs,
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use clap::{Parser, ValueEnum};
use gate::{
    Error,
    census::Census,
    judge::{self, Bars, Judgement, MEAN_BAR, Outcome, ROW_BAR, Spread, Terms},
    machine::Machine,
    plan::Selection,
    record::Op,
    report::{Report, Run},
    toolchain::{self, Compiler, Level},
    transcript::Transcript,
};

/// Measure hashloom's portable backend beside portable C and fail if it is slower.
#[derive(Parser)]
#[command(max_term_width = 110)]
#[command(after_help = "\
Exit codes:
  0  the table is complete and within the bars
  1  it is complete, and a row or a family's mean is over
  2  nothing can be concluded: a row or a rival is missing, a run was
     interrupted, or something accelerated could have run

The table goes to standard error. A full run with the default bars replaces gate/RESULTS.md; any other leaves its
table in the target directory.")]
struct Args {
    /// Only parameter sets whose name contains TEXT, such as `128f`, `shake` or `ML-DSA-65`
    #[arg(long, value_name = "TEXT")]
    set: Option<String>,
    /// Only this operation
    #[arg(long, value_name = "OP", value_enum)]
    op: Option<Operation>,
    /// Fewer pairs of runs for each row
    #[arg(long)]
    quick: bool,
    /// So many pairs of runs for each row [default: keygen, sign, verify: 30, 30, 300 for f sets, 10, 5, 300 for s sets,
    /// 40 for ML-DSA, where a run is 50 operations]
    #[arg(long, value_name = "N", value_parser = positive)]
    iters: Option<usize>,
    /// Processes that measure one after the other: code lies elsewhere in memory in each
    #[arg(long, value_name = "N", default_value = "1", value_parser = positive)]
    processes: usize,
    /// Most that a row may take, as a multiple of each rival
    #[arg(long, value_name = "X", default_value_t = ROW_BAR, value_parser = bar)]
    bar: f64,
    /// Most that a family's rows may take on average, as a multiple of PQClean clean
    #[arg(long, value_name = "X", default_value_t = MEAN_BAR, value_parser = bar)]
    mean_bar: f64,
    /// Only this level of the instruction set; may be repeated [default: both]
    #[arg(long, value_name = "LEVEL", value_enum)]
    level: Vec<Level>,
    /// The C compiler for the rivals; may be repeated [default: gcc and clang, whichever is there]
    #[arg(long, value_name = "COMMAND")]
    cc: Vec<String>,
    /// Write one line of CSV for each row and rival to standard output
    #[arg(long)]
    csv: bool,
    /// Write everything as JSON to standard output
    #[arg(long, conflicts_with = "csv")]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Operation {
    Keygen,
    Sign,
    Verify,
}

impl From<Operation> for Op {
    fn from(operation: Operation) -> Self {
        match operation {
            Operation::Keygen => Self::Keygen,
            Operation::Sign => Self::Sign,
            Operation::Verify => Self::Verify,
        }
    }
}

fn positive(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&number| number > 0).ok_or_else(|| "a number above zero is needed".to_owned())
}

/// A bar that nothing could be over would be none.
fn bar(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "a number above zero is needed".to_owned())
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            say(&format!("error: {error}\nNot gated (exit status {})", Outcome::Ungated.code()));
            Outcome::Ungated.into()
        }
    }
}

fn run(args: &Args) -> Result<Outcome, Error> {
    let machine = Machine::here();
    let selection =
        Selection { set: args.set.clone(), op: args.op.map(Op::from), quick: args.quick, iters: args.iters };
    let bars = Bars { row: args.bar, mean: args.mean_bar };
    let levels = if args.level.is_empty() { Level::ALL.to_vec() } else { args.level.clone() };
    let (plan, all_rows) = (selection.plan(), selection.has_all_rows());
    if plan.is_empty() {
        return Err(Error::NothingSelected);
    }

    let mut runs = Vec::new();
    for compiler in &toolchain::compilers(&args.cc)? {
        for &level in &levels {
            let terms = Terms { level, plan: plan.clone(), bars, all_rows };
            runs.push(gate(compiler, &terms, args.processes)?);
        }
    }
    let outcome = runs.iter().map(|run| run.outcome).max().unwrap_or(Outcome::Ungated);
    let rustc = toolchain::rustc()?;
    let report = Report { machine, rustc, bars, all_rows, runs, outcome };

    say(&format!("\n{report}"));
    let record = selection.is_full() && bars == Bars::default() && levels.len() == Level::ALL.len();
    save(&report, record && outcome != Outcome::Ungated)?;
    let written = if args.csv {
        io::stdout().write_all(report.csv().as_bytes())
    } else if args.json {
        serde_json::to_string_pretty(&report).map_err(io::Error::from).and_then(|text| writeln!(io::stdout(), "{text}"))
    } else {
        Ok(())
    };
    written.map_err(|source| Error::Write { what: "standard output".to_owned(), source })?;
    Ok(outcome)
}

/// Builds, looks at what was built, and only then measures.
fn gate(compiler: &Compiler, terms: &Terms, processes: usize) -> Result<Run, Error> {
    let level = terms.level;
    say(&format!("building for {level} with {}", compiler.version));
    let built = toolchain::build(level, compiler)?;
    let census = Census::take(&built.executable, level)?;
    let problems = judge::audit(&built, &census);
    let mut transcripts = Vec::new();
    if problems.is_empty() {
        for process in 1..=processes {
            say(&format!("measuring, process {process} of {processes}"));
            transcripts.push(Transcript::of(&built.executable, &terms.plan, |row| {
                let ratio = Spread::of_ratios(row).map_or(f64::NAN, |ratio| ratio.median);
                say(&format!("  {} / {}: {ratio:.3}", row.key, row.rival));
            })?);
        }
    }
    let judgement = if problems.is_empty() {
        judge::judge(terms, &transcripts)
    } else {
        Judgement { problems, ..Judgement::default() }
    };
    let outcome = judgement.outcome();
    let Transcript { start, draws, .. } = transcripts.into_iter().next().unwrap_or_default();
    Ok(Run { built, census, start, draws, processes, judgement, outcome })
}

fn say(line: &str) {
    writeln!(io::stderr(), "{line}").ok();
}

/// Keeps the tables.
fn save(report: &Report, for_the_record: bool) -> Result<(), Error> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = if for_the_record { root.join("RESULTS.md") } else { toolchain::target_dir().join("gate/results.md") };
    fs::write(&path, report.to_string()).map_err(|source| Error::Write { what: path.display().to_string(), source })?;
    say(&format!("written to {}", path.display()));
    Ok(())
}
