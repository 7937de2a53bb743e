//! `hashloom sign`.

use std::{
    fs::{File, FileType},
    io::{self, Read, Seek},
    path::{Path, PathBuf},
};

use hashloom::slh_dsa::Randomness;
use serde_json::json;

use crate::{
    app::App,
    args::{SubjectArgs, set_parser},
    error::{Error, Outcome},
    input::{Input, outputs},
    keys::{self, DefaultKey, Key, Opener},
    output::{Line, Report, Unit, count, name},
    parallel,
    scheme::{Set, Signer, Source, Subject},
    secrets::PassphraseArgs,
    store::{self, Access, Existing},
};

/// Bytes of a pipe that are kept in memory before the temporary file is used.
const SPOOL_MEMORY: usize = 1 << 20;

/// Sign files.
///
/// The signature of FILE is written to FILE.sig, whole or not at all; an older one is replaced. All files are signed
/// even if some cannot be.
///
/// Without --key a default key is used. It is in $HASHLOOM_HOME or the data directory of the platform, as default.pem
/// with its public key default.pub.pem, and is made when it is first needed.
///
/// Signing with SLH-DSA reads a message twice. Standard input, written as -, and pipes can be read only once: they need
/// --spool, which copies them to memory, or if they are long to an unnamed temporary file. ML-DSA reads everything once.
/// The signature of standard input is stdin.sig in --out-dir.
///
/// For example: hashloom sign README.md src/*.rs
#[derive(clap::Args)]
pub struct Args {
    /// Messages to sign; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Private key: PEM, DER or raw [default: the default key]
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Parameter set of a raw key, or of the default key that is made
    #[arg(long, value_parser = set_parser(), ignore_case = true, hide_possible_values = true)]
    set: Option<Set>,
    /// Directory for the signatures, made if it is missing [default: beside each file]
    #[arg(long, value_name = "DIR")]
    out_dir: Option<PathBuf>,
    #[command(flatten)]
    passphrase: PassphraseArgs,
    #[command(flatten)]
    subject: SubjectArgs,
    /// Make the same signature for the same message, instead of adding randomness against side channels and faults
    #[arg(long)]
    deterministic: bool,
    /// Read pipes and standard input to temporary storage first, where the scheme reads twice
    #[arg(long)]
    spool: bool,
}

/// A message and where its signature goes.
struct Job {
    index: usize,
    input: Input,
    signature: PathBuf,
}

pub fn run(args: &Args, app: &App) -> Result<Outcome, Error> {
    let what = args.subject.check()?;
    let place = |input: &Input| input.signature_path(args.subject.external_mu, args.out_dir.as_deref(), "--out-dir");
    let jobs: Vec<Job> = outputs(&args.files, "signature", place)?
        .into_iter()
        .enumerate()
        .map(|(index, (input, signature))| Job { index, input, signature })
        .collect();
    if args.passphrase.takes_stdin() && jobs.iter().any(|job| job.input == Input::Stdin) {
        return Err(Error::usage("standard input can be read only once"));
    }
    args.out_dir.as_deref().map_or(Ok(()), store::directory)?;
    let engine = app.start_engine();
    let opener = Opener::new(&args.passphrase, app);
    let key = match &args.key {
        Some(path) => {
            warn_of_access(path);
            keys::read(path, args.set, &engine, opener)?.key
        }
        None => DefaultKey::locate()?.signing_key(args.set, &engine, opener)?.key,
    };
    let fingerprint = key.fingerprint()?;
    let Key::Private(key) = key else {
        let path = args.key.as_deref().unwrap_or(Path::new("default key"));
        return Err(Error::content(path, "is a public key; signing takes a private one"));
    };

    let (set, subject) = (key.set(), what.subject());
    if let Err(reason) = subject.check(set) {
        return Err(Error::content(args.key.as_deref().unwrap_or(Path::new("default key")), reason));
    }
    let signer = key.into_signer();

    let report = Report::new(&app.out, app.out.progress(jobs.len() as u64, Unit::Items("signatures")));
    parallel::for_each(&jobs, |job| {
        let result = sign(&signer, job, subject, args);
        report.bar().inc(1);
        report.add(job.index, result.map_or_else(|e| Line::failed(job.input.path(), &e), |n| line(job, n, app)))
    });
    let tally = report.finish()?;

    let rate = tally.rate(tally.good);
    let seconds = tally.elapsed.as_secs_f64();
    let text = || {
        let (files, errors) = (count(tally.good, "file"), count(tally.failed, "error"));
        let text = format!("signed {files} in {seconds:.3} s ({rate:.1} signatures/s), {set}, {errors}");
        app.with_engine(text)
    };
    let json = json!({
        "kind": "summary",
        "command": "sign",
        "set": set.name(),
        "key": fingerprint,
        "engine": engine.to_string(),
        "signed": tally.good,
        "failed": tally.failed,
        "seconds": seconds,
        "signatures_per_second": rate,
    });
    app.out.summary(text, &json)?;
    Ok(tally.outcome())
}

/// Signs a message and stores the signature; returns the bytes of the message.
fn sign(signer: &Signer, job: &Job, subject: Subject<'_>, args: &Args) -> Result<u64, Error> {
    let path = job.input.path();
    let once = match job.input.metadata()? {
        None => true,
        Some(metadata) => reads_once(metadata.file_type()),
    };
    let mut bytes = 0;
    let source = if once && args.spool && signer.reads_twice() {
        let mut spool = tempfile::spooled_tempfile(SPOOL_MEMORY);
        bytes = io::copy(&mut job.input.open()?, &mut spool).map_err(Error::file(path, "cannot spool"))?;
        spool.rewind().map_err(Error::file(path, "cannot spool"))?;
        tracing::debug!(file = %name(path), bytes, "spooled");
        Source::Again(Box::new(spool))
    } else if once && signer.reads_twice() {
        let what = if job.input == Input::Stdin { "standard input" } else { "a pipe or device" };
        let reason =
            format!("{what} can be read only once, and this key signs messages that it reads twice: use --spool");
        return Err(Error::content(path, reason));
    } else if signer.reads_twice() {
        let file = File::open(path).map_err(Error::file(path, "cannot read"))?;
        bytes = file.metadata().map_err(Error::file(path, "cannot read"))?.len();
        Source::Again(Box::new(file))
    } else {
        Source::Once(Box::new(Counted(job.input.open()?, &mut bytes)))
    };
    let randomness = if args.deterministic { Randomness::Deterministic } else { Randomness::os() };
    let signature =
        signer.sign(source, subject, randomness).map_err(|error| Error::content(path, error.to_string()))?;
    store::write(&job.signature, &signature, Access::Public, Existing::Replace)?;
    Ok(bytes)
}

/// Counts what is read.
struct Counted<'a, R>(R, &'a mut u64);

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(piece)?;
        *self.1 += read as u64;
        Ok(read)
    }
}

#[cfg(unix)]
fn reads_once(kind: FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_fifo() || kind.is_socket() || kind.is_char_device()
}

#[cfg(not(unix))]
fn reads_once(kind: FileType) -> bool {
    !kind.is_file()
}

/// A private key that others can read is worth a word, and no more: where it is kept is its owner's choice.
fn warn_of_access(path: &Path) {
    #[cfg(unix)]
    if let Ok(metadata) = path.metadata() {
        use std::os::unix::fs::PermissionsExt;
        let mode = metadata.permissions().mode() & 0o777;
        if metadata.is_file() && mode & 0o077 != 0 {
            tracing::warn!("{}: others may read this private key (mode {mode:04o})", name(path));
        }
    }
    #[cfg(not(unix))]
    let _ = path;
}

fn line(job: &Job, bytes: u64, app: &App) -> Line {
    let file = job.input.path();
    let text = if app.out.quiet {
        String::new()
    } else {
        format!("{}: {} {}", name(file), app.out.good("signed"), app.out.dim(&format!("-> {}", name(&job.signature))))
    };
    let json = json!({
        "kind": "file",
        "file": file.to_string_lossy(),
        "status": "signed",
        "signature": job.signature.to_string_lossy(),
        "bytes": bytes,
    });
    Line { outcome: Outcome::Good, text: text.into_bytes(), json }
}
