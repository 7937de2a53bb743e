//! `hashloom mac`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use hashloom::Engine;
use serde_json::json;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::{
    hash::{BATCH, checksum_line},
    keyed::{self, Keyed},
};
use crate::{
    app::App,
    error::{Error, Outcome},
    input::{Content, Input, batches},
    output::{Line, Report, Unit, count},
    parallel, secrets,
};

/// Compute or check message authentication codes of files (HMAC, FIPS 198-1).
///
/// The lines are those of sha256sum. Many small files are computed side by side. The key is all of a file's bytes, line
/// ends among them; what is typed on the terminal has none.
///
/// With --tag-hex or --tag-file codes are checked, one for each message in their order. They may be truncated. All
/// messages are checked; the exit code is 1 if a code is not valid, 2 if a message cannot be read.
///
/// For example: hashloom mac --alg sha256 --key-file secret *.log
#[derive(clap::Args)]
pub struct Args {
    /// Hash function, in any case; sha256 is SHA2-256
    #[arg(long, value_name = "NAME", value_parser = keyed::parser(), ignore_case = true)]
    alg: &'static Keyed,
    #[command(flatten)]
    key: KeyArgs,
    /// Bytes of each code, the leading ones: at least half of the digest, and 10 [default: the digest]
    #[arg(long, value_name = "N", conflicts_with_all = ["tag_hex", "tag_file"])]
    len: Option<usize>,
    /// Check a code that there is; may be given many times
    #[arg(long, value_name = "HEX", conflicts_with = "tag_file")]
    tag_hex: Vec<String>,
    /// Check the codes with which the lines of FILE begin, as this command writes them
    #[arg(long, value_name = "FILE")]
    tag_file: Option<PathBuf>,
    /// Messages; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Where a key comes from.
#[derive(clap::Args)]
pub struct KeyArgs {
    /// The key: all bytes of FILE [default: the terminal is asked]
    #[arg(long = "key-file", value_name = "FILE", conflicts_with = "fd")]
    file: Option<PathBuf>,
    /// The same from an open file descriptor
    #[arg(long = "key-fd", value_name = "N")]
    fd: Option<u32>,
    /// The key is in hexadecimal there
    #[arg(long = "key-hex")]
    hex: bool,
}

impl KeyArgs {
    /// The key's bytes.
    pub fn read(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        let mut key = secrets::read(self.file.as_deref(), self.fd)?.map_or_else(|| secrets::prompt("Key: "), Ok)?;
        if self.hex {
            let wrong = |e| Error::usage(format!("the key is not hexadecimal: {e}"));
            key = secrets::from_hex(key.trim_ascii()).map_err(wrong)?;
        }
        if key.is_empty() {
            return Err(Error::usage("the key is empty"));
        }
        Ok(key)
    }

    /// Whether standard input is taken.
    pub fn takes_stdin(&self) -> bool {
        self.fd == Some(0)
    }
}

impl Args {
    /// Bytes of a code, if the function can have them.
    fn check_len(&self, option: &str, len: usize) -> Result<usize, Error> {
        let Keyed { name, len: most, min_tag: least, .. } = self.alg;
        if !(*least..=*most).contains(&len) {
            return Err(Error::usage(format!("{option}: {len} bytes, HMAC-{name} has {least} to {most} bytes")));
        }
        Ok(len)
    }

    /// The codes to check, one for each message.
    fn expected(&self) -> Result<Option<Vec<Vec<u8>>>, Error> {
        let (option, digits) = match &self.tag_file {
            None if self.tag_hex.is_empty() => return Ok(None),
            None => ("--tag-hex", self.tag_hex.clone()),
            Some(path) => {
                let text = fs::read(path).map_err(Error::file(path, "cannot read"))?;
                ("--tag-file", secrets::lines(&text).map(first_word).collect())
            }
        };
        let tags = digits
            .iter()
            .map(|digits| {
                let tag = hex::decode(digits).map_err(|e| Error::usage(format!("{option}: {e}")))?;
                self.check_len(option, tag.len())?;
                Ok(tag)
            })
            .collect::<Result<Vec<_>, Error>>()?;
        if tags.len() != self.files.len() {
            let (tags, files) = (count(tags.len() as u64, "code"), count(self.files.len() as u64, "message"));
            return Err(Error::usage(format!("{option}: {tags} for {files}")));
        }
        Ok(Some(tags))
    }
}

/// The code of a line, without the mark of a name that is escaped.
fn first_word(line: &[u8]) -> String {
    let line = line.strip_prefix(b"\\").unwrap_or(line);
    let word = line.split(|byte| *byte == b' ').next().unwrap_or_default();
    String::from_utf8_lossy(word).into_owned()
}

pub fn run(args: &Args, app: &App) -> Result<Outcome, Error> {
    let function = args.alg;
    let len = args.len.map_or(Ok(function.len), |len| args.check_len("--len", len))?;
    let expected = args.expected()?;
    let inputs: Vec<Input> = args.files.iter().cloned().map(Input::from_arg).collect();
    Input::check_stdin(&inputs)?;
    if args.key.takes_stdin() && inputs.contains(&Input::Stdin) {
        return Err(Error::usage("standard input can be read only once"));
    }
    let key = args.key.read()?;
    let engine = app.start_engine();

    let total = inputs.iter().filter_map(Input::size).sum();
    let report = Report::new(&app.out, app.out.progress(total, Unit::Bytes));
    let most = inputs.len().div_ceil(rayon::current_num_threads()).clamp(*BATCH.start(), *BATCH.end());
    parallel::for_each(&batches(&inputs, most), |batch| {
        let tags = mac(function, &engine, &key, &inputs, batch, &report);
        batch.iter().zip(tags).all(|(&index, tag)| {
            let path = inputs[index].path();
            let line = |tag: Vec<u8>| match &expected {
                None => tag_line(function, path, &tag[..len]),
                Some(expected) => {
                    let expected = &expected[index];
                    Line::verdict(path, tag[..expected.len()].ct_eq(expected).into(), &app.out)
                }
            };
            report.add(index, tag.map_or_else(|e| Line::failed(path, &e), line))
        })
    });
    let tally = report.finish()?;

    let seconds = tally.elapsed.as_secs_f64();
    let mut json = json!({
        "kind": "summary",
        "command": "mac",
        "algorithm": format!("HMAC-{}", function.name),
        "engine": engine.to_string(),
        "failed": tally.failed,
        "seconds": seconds,
    });
    if expected.is_some() {
        json["valid"] = tally.good.into();
        json["invalid"] = tally.invalid.into();
        let text = || {
            let (files, errors) = (count(tally.good + tally.invalid, "file"), count(tally.failed, "error"));
            app.with_engine(format!(
                "checked {files} in {seconds:.3} s: {} valid, {} invalid, {errors}",
                tally.good, tally.invalid
            ))
        };
        app.out.summary(text, &json)?;
    } else if app.out.json {
        json["authenticated"] = tally.good.into();
        app.out.line(json.to_string())?;
    }
    Ok(tally.outcome())
}

fn tag_line(function: &Keyed, path: &Path, tag: &[u8]) -> Line {
    let tag = hex::encode(tag);
    let json = json!({
        "kind": "file",
        "file": path.to_string_lossy(),
        "status": "authenticated",
        "algorithm": format!("HMAC-{}", function.name),
        "tag": tag,
    });
    Line { outcome: Outcome::Good, text: checksum_line(&tag, path), json }
}

/// Whole tags of a batch: of the messages that are small side by side, of others as they are read.
fn mac(
    function: &Keyed,
    engine: &Engine,
    key: &[u8],
    inputs: &[Input],
    batch: &[usize],
    report: &Report<'_>,
) -> Vec<Result<Vec<u8>, Error>> {
    let contents: Vec<Result<Content, Error>> = batch.iter().map(|&index| inputs[index].content()).collect();
    let small: Vec<&[u8]> = contents
        .iter()
        .filter_map(|content| match content {
            Ok(Content::Whole(message)) => Some(&message[..]),
            _ => None,
        })
        .collect();
    let mut out = vec![0; small.len() * function.len];
    let made = (function.mac_many)(engine, key, &small, &mut out);
    report.bar().inc(small.iter().map(|message| message.len() as u64).sum());
    let mut tags = out.chunks_exact(function.len);
    contents
        .into_iter()
        .zip(batch)
        .map(|(content, &index)| match content? {
            Content::Whole(_) => {
                made?;
                Ok(tags.next().unwrap_or_default().to_vec())
            }
            Content::Stream(reader) => {
                let mut tag = vec![0; function.len];
                let mut reader = report.bar().wrap_read(reader);
                (function.mac_stream)(engine, key, &mut reader, &mut tag)
                    .map_err(Error::file(inputs[index].path(), "cannot read"))?;
                Ok(tag)
            }
        })
        .collect()
}
