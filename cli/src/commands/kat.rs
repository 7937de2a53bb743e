//! `hashloom kat`.

use std::{
    collections::BTreeMap,
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
    output::{Line, Report, Unit, count, name},
    parallel,
};

/// Failures of a file that are told to people; programs get all.
const SHOWN: usize = 20;

/// Run known-answer tests from files of NIST's ACVP (JSON, also gzipped).
///
/// SLH-DSA keyGen, sigGen and sigVer, SHA-2, SHA-3 and SHAKE; also files in Wycheproof's form for the verification of
/// SLH-DSA. A case that cannot be judged is counted as skipped. The exit code is 1 if a case fails or none ran.
///
/// For example: hashloom kat SLH-DSA-sigVer.json.gz --filter 128f
#[derive(clap::Args)]
pub struct Args {
    /// Vector files, whose expected results are merged in or which are an internalProjection.json; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Run only rows that contain this text, in any case: a set, an interface, a mode, or several with blanks between
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Bytes of the longest message that large-data tests may make; they begin at 1 GiB [default: they are skipped]
    #[arg(long, value_name = "BYTES", default_value_t = 0, hide_default_value = true)]
    largest: u64,
}

pub fn run(args: &Args, app: &App) -> Result<Outcome, Error> {
    let inputs: Vec<Input> = args.files.iter().cloned().map(Input::from_arg).collect();
    Input::check_stdin(&inputs)?;
    let engine = app.start_engine();

    let filter = args.filter.as_deref();
    let report = Report::new(&app.out, app.out.progress(0, Unit::Items("cases")));
    let indices: Vec<usize> = (0..inputs.len()).collect();
    let finished = Mutex::new(BTreeMap::new());
    parallel::for_each(&indices, |&index| {
        let input = &inputs[index];
        let line = match read(input) {
            Err(error) => Line::failed(input.path(), &error),
            Ok(file) => {
                report.bar().inc_length(hashloom_kat::count(&file, filter) as u64);
                report.bar().reset_eta(); // reading the file says nothing about running it
                let options = Options { filter, largest: args.largest };
                let kat = hashloom_kat::run_with(&file, &engine, &options, |_| report.bar().inc(1));
                let line = line(input, &file, &kat);
                finished.lock().unwrap_or_else(PoisonError::into_inner).insert(index, kat);
                line
            }
        };
        report.add(index, line)
    });
    let tally = report.finish()?;

    let kats = finished.into_inner().unwrap_or_else(PoisonError::into_inner);
    let sum = |of: fn(&Kat) -> usize| kats.values().map(of).sum::<usize>();
    let (passed, failed, skipped) = (sum(Kat::passed), sum(Kat::failed), sum(Kat::skipped));
    let nothing = passed + failed == 0;
    let silent = app.out.json || (app.out.quiet && failed == 0);
    if !silent {
        app.out.line(text(&kats, &inputs, [passed, failed, skipped], app))?;
    }
    if nothing {
        app.out.error("no test ran");
    }
    let seconds = tally.elapsed.as_secs_f64();
    let json = summary(&engine, [passed, failed, skipped], tally.failed, seconds);
    app.out.summary(
        || app.with_engine(format!("ran {} in {seconds:.3} s", count((passed + failed) as u64, "case"))),
        &json,
    )?;
    let wrong = if failed > 0 || nothing { Outcome::Invalid } else { Outcome::Good };
    Ok(tally.outcome().max(wrong))
}

fn read(input: &Input) -> Result<VectorFile, Error> {
    let mut bytes = Vec::new();
    input.open()?.read_to_end(&mut bytes).map_err(Error::file(input.path(), "cannot read"))?;
    hashloom_kat::read(&bytes).map_err(|error| Error::content(input.path(), error.to_string()))
}

fn line(input: &Input, file: &VectorFile, kat: &Kat) -> Line {
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
        "status": if kat.passed() + kat.failed() == 0 { "nothing ran" } else { status },
        "vectors": file.to_string(),
        "rows": rows,
        "failures": notes(&kat.failures),
        "skips": notes(&kat.skips),
    });
    Line { outcome: Outcome::Good, text: Vec::new(), json }
}

fn summary(engine: &Engine, [passed, failed, skipped]: [usize; 3], unreadable: u64, seconds: f64) -> Value {
    json!({
        "kind": "summary",
        "command": "kat",
        "engine": engine.to_string(),
        "passed": passed,
        "failed": failed,
        "skipped": skipped,
        "unreadable_files": unreadable,
        "seconds": seconds,
    })
}

fn text(kats: &BTreeMap<usize, Kat>, inputs: &[Input], totals: [usize; 3], app: &App) -> String {
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
