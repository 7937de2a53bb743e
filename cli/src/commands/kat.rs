//! `hashloom kat`.

use std::{
    collections::BTreeMap,
    fs,
    io::Read,
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use comfy_table::{Cell, CellAlignment};
use hashloom::Engine;
use hashloom_kat::{Note, Options, Report as Kat, VectorFile};
use serde_json::{Value, json};

use crate::{
    app::App,
    commands::engine::table,
    error::{Error, Outcome},
    input::Input,
    output::{Line, Report, Tally, Unit, count, name},
    parallel,
};

/// Failures of a file that are told to people; programs get all.
const SHOWN: usize = 20;

/// Run known-answer tests from files of NIST's ACVP and in Wycheproof's form (JSON, also gzipped).
///
/// SLH-DSA and ML-DSA keyGen, sigGen and sigVer, SHA-2, SHA-3 and SHAKE, HMAC, PBKDF and KDA-HKDF; in Wycheproof's form
/// ML-DSA, the verification of SLH-DSA, HMAC, HKDF and PBKDF2. A case that cannot be judged is counted as skipped. The exit
/// code is 1 if a case fails or none ran.
///
/// For example: hashloom kat SLH-DSA-sigVer.json.gz --filter 128f
#[derive(clap::Args)]
pub struct Args {
    /// Vector files, whose expected results are merged in or which are an internalProjection.json, and folders with such
    /// files, named .json or .json.gz; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Run only rows that contain this text, in any case: a set, an interface, a mode, or several with blanks between
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Bytes of the longest message that large-data tests may make; they begin at 1 GiB [default: they are skipped]
    #[arg(long, value_name = "BYTES", default_value_t = 0, hide_default_value = true)]
    largest: u64,
    /// Run everything on each backend of this machine, forced, and on the automatic choice
    #[arg(long)]
    every_backend: bool,
}

/// Reports by the places of their files.
type Kats = BTreeMap<usize, Kat>;

pub fn run(args: &Args, app: &App) -> Result<Outcome, Error> {
    let inputs = inputs(&args.files)?;
    Input::check_stdin(&inputs)?;
    if args.every_backend && app.backend_named {
        return Err(Error::usage("--every-backend and a backend by name exclude each other"));
    }
    if args.every_backend && inputs.contains(&Input::Stdin) {
        return Err(Error::usage("standard input can be read only once"));
    }
    let mut engines = app.engines();
    if !args.every_backend {
        engines.drain(..engines.len() - 1);
    }
    let (mut outcome, mut seconds, mut unreadable, mut totals) = (Outcome::Good, 0.0, 0, [0; 3]);
    for (backend, engine) in &engines {
        tracing::info!("engine: {engine}");
        let (kats, tally) = run_on(backend, engine, &inputs, args, app)?;
        let ran = sum(kats.values());
        if !(app.out.json || app.out.quiet && ran[1] == 0) {
            let head = if args.every_backend { format!("engine {backend}: {engine}\n") } else { String::new() };
            app.out.line(format!("{head}{}", text(&kats, &inputs, ran, app)))?;
        }
        totals = std::array::from_fn(|i| totals[i] + ran[i]);
        seconds += tally.elapsed.as_secs_f64();
        unreadable += tally.failed;
        outcome = outcome.max(tally.outcome());
    }

    let [passed, failed, _] = totals;
    if passed + failed == 0 {
        app.out.error("no test ran");
    }
    let json = summary(&engines, totals, unreadable, seconds);
    app.out.summary(
        || app.with_engine(format!("ran {} in {seconds:.3} s", count((passed + failed) as u64, "case"))),
        &json,
    )?;
    let wrong = if failed > 0 || passed == 0 { Outcome::Invalid } else { Outcome::Good };
    Ok(outcome.max(wrong))
}

/// Runs all files on an engine.
fn run_on(backend: &str, engine: &Engine, inputs: &[Input], args: &Args, app: &App) -> Result<(Kats, Tally), Error> {
    let filter = args.filter.as_deref();
    let report = Report::new(&app.out, app.out.progress(0, Unit::Items("cases")));
    let indices: Vec<usize> = (0..inputs.len()).collect();
    let finished = Mutex::new(Kats::new());
    parallel::for_each(&indices, |&index| {
        let input = &inputs[index];
        let line = match read(input) {
            Err(error) => Line::failed(input.path(), &error),
            Ok(file) => {
                report.bar().inc_length(hashloom_kat::count(&file, filter) as u64);
                report.bar().reset_eta(); // reading the file says nothing about running it
                let options = Options { filter, largest: args.largest };
                let kat = hashloom_kat::run_with(&file, engine, &options, |_| report.bar().inc(1));
                let line = line(input, backend, &file, &kat);
                finished.lock().unwrap_or_else(PoisonError::into_inner).insert(index, kat);
                line
            }
        };
        report.add(index, line)
    });
    let tally = report.finish()?;
    Ok((finished.into_inner().unwrap_or_else(PoisonError::into_inner), tally))
}

/// Files as they are named, and in a folder's place those in it, by name.
fn inputs(files: &[PathBuf]) -> Result<Vec<Input>, Error> {
    let mut inputs = Vec::new();
    for path in files {
        if !path.is_dir() {
            inputs.push(Input::from_arg(path.clone()));
            continue;
        }
        let entries = fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let mut found: Vec<PathBuf> = entries
            .map_err(Error::file(path, "cannot read"))?
            .into_iter()
            .map(|entry| entry.path())
            .filter(|path| [".json", ".json.gz"].iter().any(|ending| path.to_string_lossy().ends_with(ending)))
            .collect();
        found.sort();
        inputs.extend(found.into_iter().map(Input::File));
    }
    Ok(inputs)
}

/// Cases that passed, failed and were skipped.
fn sum<'a>(kats: impl Iterator<Item = &'a Kat>) -> [usize; 3] {
    kats.fold([0; 3], |[passed, failed, skipped], kat| {
        [passed + kat.passed(), failed + kat.failed(), skipped + kat.skipped()]
    })
}

fn read(input: &Input) -> Result<VectorFile, Error> {
    let mut bytes = Vec::new();
    input.open()?.read_to_end(&mut bytes).map_err(Error::file(input.path(), "cannot read"))?;
    hashloom_kat::read(&bytes).map_err(|error| Error::content(input.path(), error.to_string()))
}

fn line(input: &Input, backend: &str, file: &VectorFile, kat: &Kat) -> Line {
    let rows: Vec<Value> = kat
        .rows
        .iter()
        .map(|row| {
            json!({
                "set": row.label.subject,
                "interface": row.label.kind,
                "mode": row.label.mode,
                "passed": row.passed,
                "failed": row.failed,
                "skipped": row.skipped,
            })
        })
        .collect();
    let notes = |notes: &[Note]| -> Vec<Value> {
        let note = |note: &Note| json!({"row": note.label.to_string(), "tgId": note.tg_id, "tcId": note.tc_id, "reason": note.text});
        notes.iter().map(note).collect()
    };
    let status = if kat.failed() > 0 { "failed" } else { "passed" };
    let json = json!({
        "kind": "file",
        "file": input.path().to_string_lossy(),
        "backend": backend,
        "status": if kat.passed() + kat.failed() == 0 { "nothing ran" } else { status },
        "vectors": file.to_string(),
        "rows": rows,
        "failures": notes(&kat.failures),
        "skips": notes(&kat.skips),
    });
    Line { outcome: Outcome::Good, text: Vec::new(), json }
}

fn summary(
    engines: &[(String, Engine)],
    [passed, failed, skipped]: [usize; 3],
    unreadable: u64,
    seconds: f64,
) -> Value {
    json!({
        "kind": "summary",
        "command": "kat",
        "engine": engines.last().map(|(_, engine)| engine.to_string()),
        "backends": engines.iter().map(|(backend, _)| backend).collect::<Vec<_>>(),
        "passed": passed,
        "failed": failed,
        "skipped": skipped,
        "unreadable_files": unreadable,
        "seconds": seconds,
    })
}

fn text(kats: &Kats, inputs: &[Input], totals: [usize; 3], app: &App) -> String {
    let mut table = table(&["set", "interface", "mode", "passed", "failed", "skipped"]);
    let number = |n: usize| Cell::new(n).set_alignment(CellAlignment::Right);
    for row in kats.values().flat_map(|kat| &kat.rows) {
        let mut cells = vec![Cell::new(&row.label.subject), Cell::new(&row.label.kind), Cell::new(row.label.mode)];
        cells.extend([row.passed, row.failed, row.skipped].map(number));
        table.add_row(cells);
    }
    let mut total = vec![Cell::new("total"), Cell::new(""), Cell::new("")];
    total.extend(totals.map(number));
    table.add_row(total);

    let mut lines = vec![table.to_string()];
    for (&index, kat) in kats {
        let file = name(inputs[index].path());
        let failures = kat.failures.iter().take(SHOWN);
        lines.extend(failures.map(|note| format!("{file}: {}: {note}", app.out.bad("FAILED"))));
        if kat.failures.len() > SHOWN {
            lines.push(format!("{file}: {} more failed; --json lists them", kat.failures.len() - SHOWN));
        }
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for note in &kat.skips {
            *reasons.entry(&note.text).or_default() += 1;
        }
        let skipped = |(reason, cases)| format!("{file}: {} skipped: {reason}", count(cases as u64, "case"));
        lines.extend(reasons.into_iter().map(skipped));
    }
    lines.join("\n")
}
