//! `hashloom key`.

use std::{
    io::{self, IsTerminal},
    path::{Path, PathBuf},
};

use serde_json::json;

use crate::{
    app::App,
    args::{FormArgs, set_parser},
    error::{Error, Outcome},
    keys::{self, Format, Key as AnyKey, KeyFile, Opener},
    output::name,
    scheme::{Form, Set},
    secrets::{PassphraseArgs, ProtectionArgs},
    store::{self, Access, Existing},
};

/// Look at keys and convert them.
#[derive(clap::Subcommand)]
pub enum Key {
    Inspect(Inspect),
    Convert(Convert),
    Public(Public),
    Encrypt(Encrypt),
    Decrypt(Decrypt),
}

/// Tell what a key file is: its set, private or public, its form, its fingerprint, and whether it is consistent.
///
/// The fingerprint is the SHA-256 of the public key in DER (SPKI), the same for both halves of a pair and for every
/// form. A private key is inconsistent if its parts do not belong together: if its public root does not follow from its
/// seeds, or its expanded key from its seed; the exit code is then 1.
///
/// For example: hashloom key inspect key.pem
#[derive(clap::Args)]
pub struct Inspect {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    passphrase: PassphraseArgs,
}

/// Write a key in another form; encrypted ones are for `encrypt` and `decrypt`.
///
/// For example: hashloom key convert key.pem --format der --out key.der
#[derive(clap::Args)]
pub struct Convert {
    #[command(flatten)]
    source: Source,
    /// Form to write
    #[arg(long, value_enum)]
    format: Format,
    #[command(flatten)]
    form: FormArgs,
    /// File to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

/// Extract the public key from a private one.
///
/// With --json and without --out, DER and raw keys are in hexadecimal.
///
/// For example: hashloom key public key.pem --out pub.pem
#[derive(clap::Args)]
pub struct Public {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    passphrase: PassphraseArgs,
    /// Form to write
    #[arg(long, value_enum, default_value_t = Format::Pem)]
    format: Format,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

/// Encrypt a private key under a passphrase.
///
/// The form is PKCS#8 with PBES2: PBKDF2 and AES-256 in CBC mode, as OpenSSL reads it. It keeps a key secret, but whoever
/// can change the file can change the key.
///
/// For example: hashloom key encrypt key.pem --out locked.pem
#[derive(clap::Args)]
pub struct Encrypt {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    passphrase: PassphraseArgs,
    #[command(flatten)]
    protection: ProtectionArgs,
    /// Form to write
    #[arg(long, value_enum, default_value_t = Format::Pem)]
    format: Format,
    #[command(flatten)]
    form: FormArgs,
    /// File to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

/// Write an encrypted private key without its encryption.
///
/// For example: hashloom key decrypt locked.pem --out key.pem
#[derive(clap::Args)]
pub struct Decrypt {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    passphrase: PassphraseArgs,
    /// Form to write
    #[arg(long, value_enum, default_value_t = Format::Pem)]
    format: Format,
    #[command(flatten)]
    form: FormArgs,
    /// File to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

#[derive(clap::Args)]
struct Source {
    /// Key file: PEM, DER or raw bytes
    file: PathBuf,
    /// Parameter set of a raw key, whose bytes do not tell it
    #[arg(long, value_parser = set_parser(), ignore_case = true, hide_possible_values = true)]
    set: Option<Set>,
}

impl Source {
    fn read(&self, passphrase: Result<&PassphraseArgs, &'static str>, app: &App) -> Result<KeyFile, Error> {
        keys::read(&self.file, self.set, &app.start_engine(), Opener { passphrase, app })
    }
}

pub fn run(command: &Key, app: &App) -> Result<Outcome, Error> {
    match command {
        Key::Inspect(args) => inspect(args, app),
        Key::Convert(args) => {
            let existing = target(&args.out, args.force)?;
            let key = args.source.read(Err("`key decrypt` writes it without encryption"), app)?.key;
            write(&key, (args.format, args.form.form), &args.out, existing, app)
        }
        Key::Encrypt(args) => encrypt(args, app),
        Key::Decrypt(args) => {
            let existing = target(&args.out, args.force)?;
            let found = args.source.read(Ok(&args.passphrase), app)?;
            if !found.encrypted {
                return Err(Error::content(&args.source.file, "is not encrypted"));
            }
            write(&found.key, (args.format, args.form.form), &args.out, existing, app)
        }
        Key::Public(args) => {
            let existing = args.out.as_ref().map(|out| target(out, args.force)).transpose()?;
            let key = args.source.read(Ok(&args.passphrase), app)?.key.to_public();
            match args.out.as_ref().zip(existing) {
                Some((out, existing)) => write(&key, (args.format, None), out, existing, app),
                None if app.out.json => {
                    let bytes = key.encode(args.format, None)?;
                    let text = match args.format {
                        Format::Pem => String::from_utf8_lossy(&bytes).into_owned(),
                        Format::Der | Format::Raw => hex::encode(&bytes),
                    };
                    let json = json!({
                        "kind": "key",
                        "set": key.set().name(),
                        "key": key.kind(),
                        "format": args.format.name(),
                        "encoded": text,
                    });
                    app.out.line(json.to_string()).map(|()| Outcome::Good)
                }
                None if args.format != Format::Pem && io::stdout().is_terminal() => {
                    Err(Error::usage("the terminal cannot show binary keys: use --out or --format pem"))
                }
                None => app.out.write(&key.encode(args.format, None)?).map(|()| Outcome::Good),
            }
        }
    }
}

fn inspect(args: &Inspect, app: &App) -> Result<Outcome, Error> {
    let file = &args.source.file;
    let opener = Opener::new(&args.passphrase, app);
    let found = keys::inspect(file, args.source.set, &app.start_engine(), opener)?;
    let verdict = match found.consistent {
        None => "nothing to check",
        Some(true) => &app.out.good("yes"),
        Some(false) => &app.out.bad("NO: the parts of the key do not belong together"),
    };
    let form = found.form.map(|form| format!(", {}", form.name())).unwrap_or_default();
    let encrypted = if found.encrypted { ", encrypted" } else { "" };
    let fingerprint = found.fingerprint.as_ref().map(|digits| format!("SHA256:{digits}"));
    let text = || {
        format!(
            "file         {}\nset          {}\nkind         {}\nformat       {}{form}{encrypted}\nfingerprint  {}\n\
             consistent   {verdict}",
            name(file),
            found.set,
            found.kind,
            found.format.name(),
            fingerprint.as_deref().unwrap_or("none, since no public key follows"),
        )
    };
    let json = json!({
        "kind": "key",
        "file": file.to_string_lossy(),
        "set": found.set.name(),
        "key": found.kind,
        "format": found.format.name(),
        "form": found.form.map(Form::name),
        "encrypted": found.encrypted,
        "fingerprint": found.fingerprint,
        "consistent": found.consistent,
    });
    app.out.result(text, &json)?;
    Ok(if found.consistent == Some(false) { Outcome::Invalid } else { Outcome::Good })
}

fn encrypt(args: &Encrypt, app: &App) -> Result<Outcome, Error> {
    let existing = target(&args.out, args.force)?;
    // one passphrase is asked for, the new one
    let found = args.source.read(Err("`key decrypt` writes it without encryption"), app)?;
    if let AnyKey::Public(_) = found.key {
        return Err(Error::content(&args.source.file, "is a public key, which is no secret"));
    }
    let passphrase = args.passphrase.read_new()?;
    let (format, form) = (args.format, args.form.form);
    let bytes = keys::encrypt(&found.key, format, form, &passphrase, args.protection.protection(), app)?;
    store::write(&args.out, &bytes, Access::Private, existing)?;
    tell(&found.key, args.format, true, &args.out, app)
}

/// What to do about a file of the same name, if it may be written at all.
fn target(out: &Path, force: bool) -> Result<Existing, Error> {
    let existing = if force { Existing::Replace } else { Existing::Keep };
    keys::check_target(out, existing).map(|()| existing)
}

fn write(
    key: &AnyKey,
    (format, form): (Format, Option<Form>),
    out: &Path,
    existing: Existing,
    app: &App,
) -> Result<Outcome, Error> {
    let access = match key {
        AnyKey::Private(_) => Access::Private,
        AnyKey::Public(_) => Access::Public,
    };
    store::write(out, &key.encode(format, form)?, access, existing)?;
    tell(key, format, false, out, app)
}

fn tell(key: &AnyKey, format: Format, encrypted: bool, out: &Path, app: &App) -> Result<Outcome, Error> {
    let json = json!({
        "kind": "key",
        "file": out.to_string_lossy(),
        "set": key.set().name(),
        "key": key.kind(),
        "format": format.name(),
        "encrypted": encrypted,
    });
    if app.out.json || !app.out.quiet {
        let encrypted = if encrypted { ", encrypted" } else { "" };
        let text = || format!("{}: {} key, {}, {}{encrypted}", name(out), key.kind(), key.set(), format.name());
        app.out.result(text, &json)?;
    }
    Ok(Outcome::Good)
}
