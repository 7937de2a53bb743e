//! `hashloom mac`.

use std::path::PathBuf;

use hashloom::Engine;
use serde_json::json;
use zeroize::Zeroizing;

use super::{
    hash::{BATCH, checksum_line},
    keyed::{self, Keyed},
};
use crate::{
    app::App,
    error::{Error, Outcome},
    input::{Content, Input, batches},
    output::{Line, Report, Unit},
    parallel, secrets,
};

/// Compute message authentication codes of files (HMAC, FIPS 198-1).
///
/// The lines are those of sha256sum. Many small files are computed side by side. The key is all of a file's bytes, line
/// ends among them; what is typed on the terminal has none.
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
    #[arg(long, value_name = "N")]
    len: Option<usize>,
    /// Messages; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Where a key comes from.
#[derive(clap::Args)]
pub struct KeyArgs {
    /// The key: all bytes of FILE [default: the terminal is asked]
    #[arg(long, value_name = "FILE", conflicts_with = "key_fd")]
    key_file: Option<PathBuf>,
    /// The same from an open file descriptor
    #[arg(long, value_name = "N")]
    key_fd: Option<u32>,
    /// The key is in hexadecimal there
    #[arg(long)]
    key_hex: bool,
}

impl KeyArgs {
    /// The key's bytes.
    pub fn read(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        let bytes =
            secrets::read(self.key_file.as_deref(), self.key_fd)?.map_or_else(|| secrets::prompt("Key: "), Ok)?;
        if !self.key_hex {
            return Ok(bytes);
        }
        let digits = bytes.trim_ascii();
        hex::decode(digits).map(Zeroizing::new).map_err(|e| Error::usage(format!("the key is not hexadecimal: {e}")))
    }

    /// Whether standard input is taken.
    pub fn takes_stdin(&self) -> bool {
        self.key_fd == Some(0)
    }
}

pub fn run(args: &Args, app: &App) -> Result<Outcome, Error> {
    let function = args.alg;
    let len = args.len.unwrap_or(function.len);
    if !(function.min_tag..=function.len).contains(&len) {
        let (name, least, most) = (function.name, function.min_tag, function.len);
        return Err(Error::usage(format!("--len {len}: HMAC-{name} has {least} to {most} bytes")));
    }
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
            let line = |tag: Vec<u8>| {
                let tag = hex::encode(&tag[..len]);
                let json = json!({
                    "kind": "file",
                    "file": path.to_string_lossy(),
                    "status": "authenticated",
                    "algorithm": format!("HMAC-{}", function.name),
                    "tag": tag,
                });
                Line { outcome: Outcome::Good, text: checksum_line(&tag, path), json }
            };
            report.add(index, tag.map_or_else(|e| Line::failed(path, &e), line))
        })
    });
    let tally = report.finish()?;

    if app.out.json {
        let json = json!({
            "kind": "summary",
            "command": "mac",
            "algorithm": format!("HMAC-{}", function.name),
            "engine": engine.to_string(),
            "authenticated": tally.good,
            "failed": tally.failed,
            "seconds": tally.elapsed.as_secs_f64(),
        });
        app.out.line(json.to_string())?;
    }
    Ok(tally.outcome())
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
