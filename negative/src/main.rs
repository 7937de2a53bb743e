//! Makes, checks and unpacks negative test vectors for verifiers of SLH-DSA and ML-DSA.
//!
//! Everything that a verifier can be fooled with, as far as it can be thought of: each file holds the tests of one
//! parameter set, in the form of Wycheproof's files. Nothing is random but by name, so that the files can be made again.

mod cases;
mod file;
mod flaw;
mod lattice;
mod plain;

use std::{
    error::Error,
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Parser, Subcommand};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use hashloom::{ml_dsa, slh_dsa};

use cases::Extent;
use file::{File, Set};

/// Negative test vectors for verifiers of SLH-DSA and ML-DSA.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write the files, gzipped
    Write {
        /// Where to
        dir: PathBuf,
        /// Everything for all sets, nearly 200 MB; otherwise what the repository keeps
        #[arg(long)]
        whole: bool,
    },
    /// Make the files anew and compare them with those that the repository keeps
    Check {
        /// Where they are
        dir: PathBuf,
    },
    /// Write each test of a file as files of its own, N.msg, N.ctx, N.sig, and keys as DER, and a line for each to
    /// standard output: N, key, interface, hash or -, context in hexadecimal or -, result, comment
    Unpack {
        /// The file
        file: PathBuf,
        /// Where to
        dir: PathBuf,
    },
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Write { dir, whole } => write(&dir, whole),
        Command::Check { dir } => check(&dir),
        Command::Unpack { file, dir } => unpack(&file, &dir),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What the repository keeps of a set.
fn kept(set: Set) -> Extent {
    match set {
        Set::SlhDsa(slh_dsa::ParameterSet::Sha2_128s) | Set::MlDsa(ml_dsa::ParameterSet::MlDsa44) => Extent::Whole,
        Set::SlhDsa(slh_dsa::ParameterSet::Shake128s) | Set::MlDsa(_) => Extent::Signatures,
        Set::SlhDsa(_) => Extent::Core,
    }
}

fn path(dir: &Path, set: Set) -> PathBuf {
    dir.join(format!("negative-{}.json.gz", set.name()))
}

fn json(set: Set, extent: Extent) -> Result<(usize, Vec<u8>), Box<dyn Error>> {
    let file = match set {
        Set::SlhDsa(set) => cases::make(set, extent),
        Set::MlDsa(set) => lattice::make(set, extent),
    };
    Ok((file.number_of_tests, serde_json::to_vec(&file)?))
}

fn write(dir: &Path, whole: bool) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(dir)?;
    let mut total = 0;
    for set in Set::all() {
        let (tests, json) = json(set, if whole { Extent::Whole } else { kept(set) })?;
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&json)?;
        let packed = packed.finish()?;
        fs::write(path(dir, set), &packed)?;
        println!("{}: {tests} tests, {} bytes, {} packed", set.name(), json.len(), packed.len());
        total += tests;
    }
    println!("{total} tests written");
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut json = Vec::new();
    let named = |error| format!("{}: {error}", path.display());
    GzDecoder::new(fs::File::open(path).map_err(named)?).read_to_end(&mut json).map_err(named)?;
    Ok(json)
}

fn check(dir: &Path) -> Result<(), Box<dyn Error>> {
    let mut total = 0;
    for set in Set::all() {
        let (tests, json) = json(set, kept(set))?;
        if read(&path(dir, set))? != json {
            return Err(format!("{} is not what is made now", path(dir, set).display()).into());
        }
        total += tests;
    }
    println!("{total} tests made again, all the same");
    Ok(())
}

fn unpack(file: &Path, dir: &Path) -> Result<(), Box<dyn Error>> {
    let file: File = serde_json::from_slice(&read(file)?)?;
    fs::create_dir_all(dir)?;
    for (key, group) in file.test_groups.iter().enumerate() {
        fs::write(dir.join(format!("key{key}.der")), &group.public_key_der)?;
        for test in &group.tests {
            let id = test.tc_id;
            fs::write(dir.join(format!("{id}.msg")), &test.msg)?;
            fs::write(dir.join(format!("{id}.sig")), &test.sig)?;
            let or_dash = |text: &Option<String>| match text.as_deref() {
                None | Some("") => "-".to_string(),
                Some(text) => text.to_string(),
            };
            let (hash, context) = (or_dash(&group.hash), or_dash(&test.ctx));
            println!("{id}\tkey{key}\t{}\t{hash}\t{context}\t{}\t{}", group.kind, test.result, test.comment);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The command `check` does it for all sets.
    #[test]
    fn the_kept_files_are_made_again() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors");
        let small = [slh_dsa::ParameterSet::Sha2_128f, slh_dsa::ParameterSet::Shake128f].map(Set::SlhDsa);
        for set in Set::all().take(3).chain(small) {
            let (tests, json) = json(set, kept(set)).unwrap();
            assert!(tests > 4);
            assert!(read(&path(&dir, set)).unwrap() == json, "{}", set.name());
        }
    }
}
