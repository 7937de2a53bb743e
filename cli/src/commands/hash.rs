//! `hashloom hash`.

use std::{
    io::{self, ErrorKind, Read},
    path::{Path, PathBuf},
};

use hashloom::{
    Engine,
    hash::{Hash, Incremental},
    keccak::{Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256},
    sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256},
};
use serde_json::json;

use crate::{
    app::App,
    args::Named,
    error::{Error, Outcome},
    input::{Content, Input, batches},
    output::{Line, Report, Unit},
    parallel,
};

/// Small messages that are hashed side by side: at most these, and enough to fill the widest lanes.
pub const BATCH: std::ops::RangeInclusive<usize> = 16..=64;
const PIECE: usize = 64 << 10;

/// Hash files.
///
/// The lines are those of sha256sum. Many small files are hashed side by side.
///
/// For example: hashloom hash --alg shake256 --out-len 32 *.iso
#[derive(clap::Args)]
pub struct Args {
    /// Hash function, in any case; sha256 is SHA2-256
    #[arg(long, value_name = "NAME", value_parser = Named::new(names, find), ignore_case = true)]
    alg: &'static Algorithm,
    /// Bytes of output, for SHAKE only [default: 32 for SHAKE128, 64 for SHAKE256]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    out_len: Option<u32>,
    /// Messages to hash; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// A hash function by its name.
pub struct Algorithm {
    name: &'static str,
    /// Bytes of output if not asked for.
    len: usize,
    any_len: bool,
    many: HashMany,
    stream: HashStream,
}

type HashMany = fn(&Engine, &[&[u8]], &mut [u8]) -> Result<(), hashloom::Error>;
type HashStream = fn(&Engine, &mut dyn Read, &mut [u8]) -> io::Result<()>;

static ALGORITHMS: [Algorithm; 12] = [
    algorithm::<Sha224>(28),
    algorithm::<Sha256>(32),
    algorithm::<Sha384>(48),
    algorithm::<Sha512>(64),
    algorithm::<Sha512_224>(28),
    algorithm::<Sha512_256>(32),
    algorithm::<Sha3_224>(28),
    algorithm::<Sha3_256>(32),
    algorithm::<Sha3_384>(48),
    algorithm::<Sha3_512>(64),
    algorithm::<Shake128>(32),
    algorithm::<Shake256>(64),
];

const fn algorithm<H: Hash>(len: usize) -> Algorithm {
    Algorithm {
        name: H::NAME,
        len,
        any_len: H::DIGEST_LEN.is_none(),
        many: |engine, messages, out| H::on(engine).hash_many(messages, out),
        stream: |engine, reader, out| {
            let mut hasher = H::on(engine).hasher();
            let mut piece = vec![0; PIECE];
            loop {
                match reader.read(&mut piece) {
                    Ok(0) => break,
                    Ok(read) => hasher.update(&piece[..read]),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            hasher.finish(out);
            Ok(())
        },
    }
}

fn names() -> Vec<&'static str> {
    ALGORITHMS.iter().map(|algorithm| algorithm.name).collect()
}

/// Finds a name in any case; `sha256` and `sha-256` are SHA2-256, `shake-128` is SHAKE128.
fn find(name: &str) -> Option<&'static Algorithm> {
    ALGORITHMS.iter().find(|algorithm| is_name_of(name, algorithm.name))
}

/// Whether a function of this name is meant.
pub fn is_name_of(given: &str, name: &str) -> bool {
    let plain = |name: &str| name.to_lowercase().replace(['_', '/'], "-");
    let (given, known) = (plain(given), plain(name));
    let aliases = [("sha2-", "sha-"), ("sha2-", "sha"), ("shake", "shake-")];
    given == known || aliases.iter().any(|(from, to)| known.contains(from) && given == known.replace(from, to))
}

pub fn run(args: &Args, app: &App) -> Result<Outcome, Error> {
    let algorithm = args.alg;
    let len = match args.out_len {
        Some(_) if !algorithm.any_len => {
            return Err(Error::usage(format!(
                "--out-len is for SHAKE: {} has {} bytes",
                algorithm.name, algorithm.len
            )));
        }
        asked => asked.map_or(algorithm.len, |len| len as usize),
    };
    let inputs: Vec<Input> = args.files.iter().cloned().map(Input::from_arg).collect();
    Input::check_stdin(&inputs)?;
    let engine = app.start_engine();

    let total = inputs.iter().filter_map(Input::size).sum();
    let report = Report::new(&app.out, app.out.progress(total, Unit::Bytes));
    let most = inputs.len().div_ceil(rayon::current_num_threads()).clamp(*BATCH.start(), *BATCH.end());
    parallel::for_each(&batches(&inputs, most), |batch| {
        let digests = hash(algorithm, &engine, &inputs, batch, len, &report);
        batch.iter().zip(digests).all(|(&index, digest)| {
            let path = inputs[index].path();
            report.add(index, digest.map_or_else(|e| Line::failed(path, &e), |d| line(algorithm, path, &d)))
        })
    });
    let tally = report.finish()?;

    if app.out.json {
        let json = json!({
            "kind": "summary",
            "command": "hash",
            "algorithm": algorithm.name,
            "engine": engine.to_string(),
            "hashed": tally.good,
            "failed": tally.failed,
            "seconds": tally.elapsed.as_secs_f64(),
        });
        app.out.line(json.to_string())?;
    }
    Ok(tally.outcome())
}

/// Hashes a batch: the messages that are small side by side, others as they are read.
fn hash(
    algorithm: &Algorithm,
    engine: &Engine,
    inputs: &[Input],
    batch: &[usize],
    len: usize,
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
    let mut out = vec![0; small.len() * len];
    let hashed = (algorithm.many)(engine, &small, &mut out);
    report.bar().inc(small.iter().map(|message| message.len() as u64).sum());
    let mut digests = out.chunks_exact(len);
    contents
        .into_iter()
        .zip(batch)
        .map(|(content, &index)| match content? {
            Content::Whole(_) => {
                hashed?;
                Ok(digests.next().unwrap_or_default().to_vec())
            }
            Content::Stream(reader) => {
                let mut digest = vec![0; len];
                let mut reader = report.bar().wrap_read(reader);
                (algorithm.stream)(engine, &mut reader, &mut digest)
                    .map_err(Error::file(inputs[index].path(), "cannot read"))?;
                Ok(digest)
            }
        })
        .collect()
}

fn line(algorithm: &Algorithm, path: &Path, digest: &[u8]) -> Line {
    let digest = hex::encode(digest);
    let json = json!({
        "kind": "file",
        "file": path.to_string_lossy(),
        "status": "hashed",
        "algorithm": algorithm.name,
        "digest": digest,
    });
    Line { outcome: Outcome::Good, text: checksum_line(&digest, path), json }
}

/// As sha256sum writes it: the name's bytes as they are, except that a backslash or line break is escaped, which a
/// leading backslash announces.
pub fn checksum_line(digest: &str, path: &Path) -> Vec<u8> {
    let name = path.as_os_str().as_encoded_bytes();
    let escaped: Vec<u8> = name
        .iter()
        .flat_map(|byte| match byte {
            b'\\' => &b"\\\\"[..],
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            other => std::slice::from_ref(other),
        })
        .copied()
        .collect();
    let mark: &[u8] = if escaped.len() == name.len() { b"" } else { b"\\" };
    [mark, digest.as_bytes(), b"  ", &escaped].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_aliases() {
        for (alias, name) in [
            ("sha256", "SHA2-256"),
            ("SHA-256", "SHA2-256"),
            ("sha2-512/256", "SHA2-512/256"),
            ("sha512-256", "SHA2-512/256"),
            ("Sha3_224", "SHA3-224"),
            ("shake128", "SHAKE128"),
            ("shake-256", "SHAKE256"),
        ] {
            assert_eq!(find(alias).map(|a| a.name), Some(name), "{alias}");
        }
        for unknown in ["", "sha", "sha3-84", "sha2-56", "md5", "sha1", "shake"] {
            assert!(find(unknown).is_none(), "{unknown}");
        }
        for algorithm in &ALGORITHMS {
            assert_eq!(find(algorithm.name).map(|a| a.name), Some(algorithm.name));
        }
    }

    #[test]
    pub fn checksum_lines_escape_names() {
        let line = |name: &str| checksum_line("00", Path::new(name));
        assert_eq!(line("a b"), b"00  a b");
        assert_eq!(line("a\nb\\c"), b"\\00  a\\nb\\\\c");
    }
}
