//! `hashloom mu`.

use std::path::{Path, PathBuf};

use hashloom::ml_dsa::Mu;
use serde_json::json;

use crate::{
    app::App,
    args::{ModeArgs, set_parser},
    error::{Error, Outcome},
    input::{Input, outputs},
    keys::{self, DefaultKey, Opener},
    output::{Line, Report, Unit, count, name},
    parallel,
    scheme::{Set, Subject},
    store::{self, Access, Existing},
};

/// Compute mu of files: what ML-DSA signs of a message.
///
/// mu of FILE is written to FILE.mu, 64 bytes, which are all that `sign --external-mu` and `verify --external-mu` need: the
/// private key can be on a machine that never sees the message. mu depends on the public key, and on context and pre-hash
/// function. The signature is one of FILE like any other.
///
/// For example: hashloom mu --key pub.pem FILE; hashloom sign --key key.pem --external-mu FILE.mu
#[derive(clap::Args)]
pub struct Args {
    /// Messages; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Public or private key: PEM, DER or raw [default: the default key]
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Parameter set of a raw key
    #[arg(long, value_parser = set_parser(), ignore_case = true, hide_possible_values = true)]
    set: Option<Set>,
    /// Directory for the results, made if there is none [default: beside each file]
    #[arg(long, value_name = "DIR")]
    out_dir: Option<PathBuf>,
    #[command(flatten)]
    mode: ModeArgs,
}

pub fn run(args: &Args, app: &App) -> Result<Outcome, Error> {
    let mode = args.mode.check()?;
    let jobs: Vec<_> =
        outputs(&args.files, "mu", |input| input.companion(".mu", args.out_dir.as_deref(), "--out-dir"))?
            .into_iter()
            .enumerate()
            .collect();
    args.out_dir.as_deref().map_or(Ok(()), store::directory)?;
    let engine = app.start_engine();
    let opener = Opener { passphrase: Err("use the public one"), app };
    let found = match &args.key {
        Some(path) => keys::read(path, args.set, &engine, opener)?,
        None => DefaultKey::locate()?.verifying_key(args.set, &engine, opener)?,
    };
    let set = found.key.set();
    if let Err(reason) = Subject::Mu.check(set) {
        return Err(Error::content(args.key.as_deref().unwrap_or(Path::new("default key")), reason));
    }
    let verifier = found.key.verifying_key().into_verifier();

    let report = Report::new(&app.out, app.out.progress(jobs.len() as u64, Unit::Items("messages")));
    parallel::for_each(&jobs, |(index, (input, out))| {
        let result = input.open().and_then(|reader| {
            let mu =
                verifier.mu(reader, &mode.mode()).map_err(|error| Error::content(input.path(), error.to_string()))?;
            store::write(out, mu.as_bytes(), Access::Public, Existing::Replace)?;
            Ok(mu)
        });
        report.bar().inc(1);
        let line = result.map_or_else(|error| Line::failed(input.path(), &error), |mu| line(input, out, &mu, app));
        report.add(*index, line)
    });
    let tally = report.finish()?;

    let seconds = tally.elapsed.as_secs_f64();
    let text = || {
        let (files, errors) = (count(tally.good, "file"), count(tally.failed, "error"));
        app.with_engine(format!("mu of {files} in {seconds:.3} s, {set}, {errors}"))
    };
    let json = json!({
        "kind": "summary",
        "command": "mu",
        "set": set.name(),
        "key": found.key.fingerprint()?,
        "engine": engine.to_string(),
        "made": tally.good,
        "failed": tally.failed,
        "seconds": seconds,
    });
    app.out.summary(text, &json)?;
    Ok(tally.outcome())
}

fn line(input: &Input, out: &Path, mu: &Mu, app: &App) -> Line {
    let file = input.path();
    let text = if app.out.quiet {
        String::new()
    } else {
        format!("{}: {} {}", name(file), app.out.good("mu"), app.out.dim(&format!("-> {}", name(out))))
    };
    let json = json!({
        "kind": "file",
        "file": file.to_string_lossy(),
        "status": "made",
        "output": out.to_string_lossy(),
        "mu": hex::encode(mu.as_bytes()),
    });
    Line { outcome: Outcome::Good, text: text.into_bytes(), json }
}
