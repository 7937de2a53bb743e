//! `hashloom verify`.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use serde_json::json;

use crate::{
    app::App,
    args::{SubjectArgs, set_parser},
    error::{Error, Outcome},
    input::{Content, Input, batches},
    keys::{self, DefaultKey, Opener},
    output::{Line, Report, Unit, count, name},
    parallel,
    scheme::{Set, Subject, Verifier},
};

/// Small messages whose signatures are verified side by side.
const BATCH: usize = 64;

/// Verify signatures of files.
///
/// The signature of FILE is read from FILE.sig. All files are checked even if some are not valid or cannot be read. A
/// file or signature that cannot be read is an error (exit code 2), not an invalid signature (exit code 1). A signature
/// whose length is that of another parameter set is invalid, and the log says so.
///
/// Without --key the default key is used that `hashloom sign` has made.
///
/// Standard input, written as -, and pipes need no temporary storage. The signature of standard input is stdin.sig in
/// --sig-dir.
///
/// For example: hashloom verify README.md src/*.rs
#[derive(clap::Args)]
pub struct Args {
    /// Messages to verify; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Public or private key: PEM, DER or raw [default: the default key]
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Parameter set of a raw key
    #[arg(long, value_parser = set_parser(), ignore_case = true, hide_possible_values = true)]
    set: Option<Set>,
    /// Directory of the signatures [default: beside each file]
    #[arg(long, value_name = "DIR")]
    sig_dir: Option<PathBuf>,
    #[command(flatten)]
    subject: SubjectArgs,
}

/// A message and its signature's file.
struct Job {
    input: Input,
    signature: PathBuf,
}

pub fn run(args: &Args, app: &App) -> Result<Outcome, Error> {
    let what = args.subject.check()?;
    let inputs: Vec<Input> = args.files.iter().cloned().map(Input::from_arg).collect();
    Input::check_stdin(&inputs)?;
    let jobs = inputs
        .iter()
        .map(|input| {
            let signature = input.signature_path(args.subject.external_mu, args.sig_dir.as_deref(), "--sig-dir")?;
            Ok(Job { input: input.clone(), signature })
        })
        .collect::<Result<Vec<_>, Error>>()?;
    let engine = app.start_engine();
    let opener = Opener { passphrase: Err("use the public one"), app };
    let found = match &args.key {
        Some(path) => keys::read(path, args.set, &engine, opener)?,
        None => DefaultKey::locate()?.verifying_key(args.set, &engine, opener)?,
    };
    let (set, subject) = (found.key.set(), what.subject());
    if let Err(reason) = subject.check(set) {
        return Err(Error::content(args.key.as_deref().unwrap_or(Path::new("default key")), reason));
    }
    let verifier = found.key.verifying_key().into_verifier();

    let report = Report::new(&app.out, app.out.progress(jobs.len() as u64, Unit::Items("signatures")));
    parallel::for_each(&batches(&inputs, BATCH), |batch| {
        let verdicts = verify(&verifier, set, &jobs, batch, subject);
        report.bar().inc(batch.len() as u64);
        batch.iter().zip(verdicts).all(|(&index, verdict)| report.add(index, line(&jobs[index], verdict, app)))
    });
    let tally = report.finish()?;

    let checked = tally.good + tally.invalid;
    let rate = tally.rate(checked);
    let seconds = tally.elapsed.as_secs_f64();
    let text = || {
        let files = count(checked, "file");
        app.with_engine(format!(
            "checked {files} in {seconds:.3} s ({rate:.1} signatures/s), {set}: {} valid, {} invalid, {}",
            tally.good,
            tally.invalid,
            count(tally.failed, "error")
        ))
    };
    let json = json!({
        "kind": "summary",
        "command": "verify",
        "set": set.name(),
        "key": found.key.fingerprint()?,
        "engine": engine.to_string(),
        "valid": tally.good,
        "invalid": tally.invalid,
        "failed": tally.failed,
        "seconds": seconds,
        "signatures_per_second": rate,
    });
    app.out.summary(text, &json)?;
    Ok(tally.outcome())
}

/// Whether a signature is valid, if it could be found out.
type Verdict = Result<bool, Error>;

/// Verifies a batch: the messages that are small side by side, others as they are read.
fn verify(verifier: &Verifier, set: Set, jobs: &[Job], batch: &[usize], subject: Subject<'_>) -> Vec<Verdict> {
    enum Step {
        Done(Verdict),
        Batched(Vec<u8>, Vec<u8>),
    }
    let steps: Vec<Step> = batch
        .iter()
        .map(|&index| {
            let job = &jobs[index];
            let open = || {
                job.input.metadata()?; // a missing message is told before its missing signature
                Ok((read_signature(&job.signature, set)?, job.input.content()?))
            };
            match open() {
                Err(error) => Step::Done(Err(error)),
                Ok((signature, Content::Whole(message))) => Step::Batched(message, signature),
                Ok((signature, Content::Stream(reader))) => {
                    Step::Done(verdict(verifier.verify_reader(reader, subject, &signature), job))
                }
            }
        })
        .collect();
    let items: Vec<(&[u8], &[u8])> = steps
        .iter()
        .filter_map(|step| match step {
            Step::Done(_) => None,
            Step::Batched(message, signature) => Some((&message[..], &signature[..])),
        })
        .collect();
    let mut judged = verifier.verify_batch(&items, subject).into_iter();
    steps
        .into_iter()
        .zip(batch)
        .map(|(step, &index)| match step {
            Step::Done(verdict) => verdict,
            Step::Batched(..) => verdict(judged.next().unwrap_or(Err(hashloom::Error::InvalidSignature)), &jobs[index]),
        })
        .collect()
}

fn verdict(result: Result<(), hashloom::Error>, job: &Job) -> Verdict {
    match result {
        Ok(()) => Ok(true),
        Err(hashloom::Error::InvalidSignature) => Ok(false),
        Err(error) => Err(Error::content(job.input.path(), error.to_string())),
    }
}

/// Reads a signature, and of a file that is too long one byte more than any signature has, which is enough to see that it
/// is none.
fn read_signature(path: &Path, set: Set) -> Result<Vec<u8>, Error> {
    let longest = Set::all().map(Set::signature_len).max().unwrap_or_default();
    let mut bytes = Vec::with_capacity(set.signature_len() + 1);
    File::open(path)
        .and_then(|file| file.take(longest as u64 + 1).read_to_end(&mut bytes))
        .map_err(Error::file(path, "cannot read the signature"))?;
    let others: Vec<&str> = Set::all().filter(|other| other.signature_len() == bytes.len()).map(Set::name).collect();
    if bytes.len() != set.signature_len() && !others.is_empty() {
        let others = others.join(" or ");
        tracing::warn!("{}: has the length of a signature by {others}, and the key is one of {set}", name(path));
    }
    Ok(bytes)
}

fn line(job: &Job, verdict: Verdict, app: &App) -> Line {
    let file = job.input.path();
    match verdict {
        Err(error) => Line::failed(file, &error),
        Ok(valid) => {
            let mut line = Line::verdict(file, valid, &app.out);
            line.json["signature"] = job.signature.to_string_lossy().into();
            line
        }
    }
}
