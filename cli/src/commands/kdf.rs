//! `hashloom kdf`.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use hashloom::pbkdf2::Derivation;
use serde_json::{Value, json};
use zeroize::Zeroizing;

use super::{
    keyed::{self, Keyed},
    mac::KeyArgs,
};
use crate::{
    app::App,
    error::{Error, Outcome},
    keys,
    output::{count, name},
    secrets,
    store::{self, Access, Existing},
};

/// The longest key, and all keys of a run together.
const MAX_LEN: u64 = 1 << 24;

/// Derive keys from passwords and from other keys.
#[derive(clap::Subcommand)]
pub enum Kdf {
    Pbkdf2(Pbkdf2),
    Hkdf(Hkdf),
}

/// Derive keys from passwords (PBKDF2, RFC 8018): many side by side.
///
/// Each line of FILE is a password. Passwords and salts belong together in their order; one password with many salts, or
/// one salt with many passwords, belongs to all. Keys are written in hexadecimal, one per line, or with --out as bytes,
/// back to back, to a file that only its owner can read.
///
/// For example: hashloom kdf pbkdf2 --alg sha256 --iterations 600000 --salt-hex 73616c74 --len 32
#[derive(clap::Args)]
pub struct Pbkdf2 {
    /// Hash function of HMAC, in any case; sha256 is SHA2-256
    #[arg(long, value_name = "NAME", value_parser = keyed::parser(), ignore_case = true)]
    alg: &'static Keyed,
    /// Passwords: the lines of FILE [default: the terminal is asked for one]
    #[arg(long, value_name = "FILE", conflicts_with = "password_fd")]
    password_file: Option<PathBuf>,
    /// The same from an open file descriptor
    #[arg(long, value_name = "N")]
    password_fd: Option<u32>,
    /// A salt; may be given many times
    #[arg(long, value_name = "HEX", required = true)]
    salt_hex: Vec<String>,
    /// Iterations
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
    #[command(flatten)]
    output: OutputArgs,
}

/// Derive keys from a key (HKDF, RFC 5869): one for each purpose.
///
/// Keys are written as by `kdf pbkdf2`.
///
/// For example: hashloom kdf hkdf --alg sha256 --key-file secret --info client --info server --len 32
#[derive(clap::Args)]
pub struct Hkdf {
    /// Hash function of HMAC, in any case; sha256 is SHA2-256
    #[arg(long, value_name = "NAME", value_parser = keyed::parser(), ignore_case = true)]
    alg: &'static Keyed,
    #[command(flatten)]
    key: KeyArgs,
    /// The salt [default: none]
    #[arg(long, value_name = "HEX")]
    salt_hex: Option<String>,
    /// What a key is for; may be given many times [default: one key with no info]
    #[arg(long, value_name = "TEXT", conflicts_with = "info_hex")]
    info: Vec<String>,
    /// The same in hexadecimal
    #[arg(long, value_name = "HEX")]
    info_hex: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(clap::Args)]
struct OutputArgs {
    /// Bytes of each key
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_LEN))]
    len: u64,
    /// File to write the keys to [default: standard output, in hexadecimal]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

impl OutputArgs {
    fn existing(&self) -> Existing {
        if self.force { Existing::Replace } else { Existing::Keep }
    }

    /// Refuses what cannot be written, before anything is asked for.
    fn check(&self) -> Result<(), Error> {
        match &self.out {
            Some(out) if out.as_os_str() == "-" => {
                Err(Error::usage("--out: standard output is where keys go without it"))
            }
            Some(out) => keys::check_target(out, self.existing()),
            None => Ok(()),
        }
    }

    /// Room for the keys.
    fn room(&self, keys: usize) -> Result<Zeroizing<Vec<u8>>, Error> {
        match self.len.checked_mul(keys as u64).filter(|len| *len <= MAX_LEN) {
            Some(len) => Ok(Zeroizing::new(vec![0; len as usize])),
            None => Err(Error::usage(format!("more than {MAX_LEN} bytes of keys"))),
        }
    }

    /// Writes the keys, and what there is to say of each.
    fn write(&self, keys: &[u8], about: impl Iterator<Item = Value>, app: &App) -> Result<(), Error> {
        if let Some(out) = &self.out {
            return store::write(out, keys, Access::Private, self.existing());
        }
        for (index, (key, mut json)) in keys.chunks_exact(self.len as usize).zip(about).enumerate() {
            if app.out.json {
                json["kind"] = "key".into();
                json["index"] = index.into();
                json["key"] = hex::encode(key).into();
                app.out.line(json.to_string())?;
            } else {
                app.out.line(hex::encode(key))?;
            }
        }
        Ok(())
    }
}

pub fn run(command: &Kdf, app: &App) -> Result<Outcome, Error> {
    match command {
        Kdf::Pbkdf2(args) => pbkdf2(args, app),
        Kdf::Hkdf(args) => hkdf(args, app),
    }
}

fn from_hex(option: &str, digits: &str) -> Result<Vec<u8>, Error> {
    hex::decode(digits).map_err(|e| Error::usage(format!("{option}: {e}")))
}

fn pbkdf2(args: &Pbkdf2, app: &App) -> Result<Outcome, Error> {
    let salts = args.salt_hex.iter().map(|digits| from_hex("--salt-hex", digits)).collect::<Result<Vec<_>, _>>()?;
    args.output.check()?;
    let text = secrets::read(args.password_file.as_deref(), args.password_fd)?
        .map_or_else(|| secrets::prompt("Password: "), Ok)?;
    let passwords: Vec<&[u8]> = secrets::lines(&text).collect();
    if passwords.is_empty() {
        return Err(Error::usage("there is no password"));
    }
    let keys = passwords.len().max(salts.len());
    if ![1, keys].contains(&passwords.len()) || ![1, keys].contains(&salts.len()) {
        let (passwords, salts) = (count(passwords.len() as u64, "password"), count(salts.len() as u64, "salt"));
        return Err(Error::usage(format!("{passwords} and {salts} do not belong together")));
    }
    let mut out = args.output.room(keys)?;
    let engine = app.start_engine();
    let mut derivations: Vec<Derivation<'_>> = out
        .chunks_exact_mut(args.output.len as usize)
        .enumerate()
        .map(|(i, out)| Derivation { password: passwords[i % passwords.len()], salt: &salts[i % salts.len()], out })
        .collect();
    let started = Instant::now();
    secrets::with_bar(app, |watch| (args.alg.pbkdf2)(&engine, args.iterations, &mut derivations, watch))?;
    let seconds = started.elapsed().as_secs_f64();
    let about = (0..keys).map(|i| json!({"salt": hex::encode(&salts[i % salts.len()])}));
    args.output.write(&out, about, app)?;
    let about = json!({"algorithm": format!("PBKDF2-HMAC-{}", args.alg.name), "iterations": args.iterations});
    summary(about, "pbkdf2", keys, args.output.out.as_deref(), &engine.to_string(), seconds, app)
}

fn hkdf(args: &Hkdf, app: &App) -> Result<Outcome, Error> {
    let salt = from_hex("--salt-hex", args.salt_hex.as_deref().unwrap_or_default())?;
    let mut infos = args.info_hex.iter().map(|digits| from_hex("--info-hex", digits)).collect::<Result<Vec<_>, _>>()?;
    infos.extend(args.info.iter().map(|text| text.clone().into_bytes()));
    if infos.is_empty() {
        infos.push(Vec::new());
    }
    args.output.check()?;
    let key = args.key.read()?;
    let mut out = args.output.room(infos.len())?;
    let engine = app.start_engine();
    let started = Instant::now();
    (args.alg.hkdf)(&engine, &salt, &key, &infos.iter().map(|info| &info[..]).collect::<Vec<_>>(), &mut out)?;
    let seconds = started.elapsed().as_secs_f64();
    args.output.write(&out, infos.iter().map(|info| json!({"info": hex::encode(info)})), app)?;
    let about = json!({"algorithm": format!("HKDF-{}", args.alg.name)});
    summary(about, "hkdf", infos.len(), args.output.out.as_deref(), &engine.to_string(), seconds, app)
}

fn summary(
    mut json: Value,
    function: &str,
    keys: usize,
    out: Option<&Path>,
    engine: &str,
    seconds: f64,
    app: &App,
) -> Result<Outcome, Error> {
    if app.out.json {
        json["kind"] = "summary".into();
        json["command"] = format!("kdf {function}").into();
        json["keys"] = keys.into();
        json["file"] = out.map(|out| out.to_string_lossy()).into();
        json["engine"] = engine.into();
        json["seconds"] = seconds.into();
        app.out.line(json.to_string())?;
    } else if let Some(out) = out {
        app.out.notice(&format!("{}: {} in {seconds:.3} s", name(out), count(keys as u64, "key")));
    }
    Ok(Outcome::Good)
}
