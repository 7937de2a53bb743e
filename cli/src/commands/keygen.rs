//! `hashloom keygen`.

use std::path::PathBuf;

use hashloom::Engine;
use serde_json::json;

use crate::{
    app::App,
    args::{DEFAULT_SET, FormArgs, set_parser},
    error::{Error, Outcome},
    keys::{self, Format, Key},
    output::name,
    scheme::{Set, SigningKey},
    secrets::{self, PassphraseArgs, ProtectionArgs},
    store::{self, Access, Existing},
};

/// Make a key pair.
///
/// The private key is written so that only its owner can read it (mode 0600, where there are modes). It contains the
/// public key: `hashloom key public` extracts it, and `verify` accepts either, unless the private one is encrypted.
///
/// For example: hashloom keygen --set SLH-DSA-SHAKE-192s --out key.pem --pub pub.pem
#[derive(clap::Args)]
pub struct Args {
    /// Parameter set
    #[arg(long, value_parser = set_parser(), ignore_case = true, default_value = DEFAULT_SET.name())]
    set: Set,
    /// File for the private key
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// File for the public key
    #[arg(long = "pub", value_name = "FILE")]
    public: Option<PathBuf>,
    /// Form of the files: PKCS#8 and SPKI as PEM or DER, or the bytes of FIPS 204 or 205
    #[arg(long, value_enum, default_value_t = Format::Pem)]
    format: Format,
    #[command(flatten)]
    form: FormArgs,
    /// Make the key from SK.seed || SK.prf || PK.seed, or of ML-DSA from xi, in hexadecimal, for tests: command lines are
    /// not secret
    #[arg(long, value_name = "HEX")]
    seed_hex: Option<String>,
    /// Encrypt the private key under a passphrase (PKCS#8 with PBES2)
    #[arg(long)]
    encrypt: bool,
    #[command(flatten)]
    protection: ProtectionArgs,
    #[command(flatten)]
    passphrase: PassphraseArgs,
    /// Overwrite existing files
    #[arg(long)]
    force: bool,
}

pub fn run(args: &Args, app: &App) -> Result<Outcome, Error> {
    if args.public.as_ref().is_some_and(|public| store::same_place(public, &args.out)) {
        return Err(Error::usage("--out and --pub are the same file"));
    }
    let existing = if args.force { Existing::Replace } else { Existing::Keep };
    for path in std::iter::once(&args.out).chain(&args.public) {
        keys::check_target(path, existing)?;
    }
    if args.encrypt && args.format == Format::Raw {
        return Err(Error::usage("raw keys cannot be encrypted: use --format pem or der"));
    }
    if !args.encrypt && (args.passphrase.is_given() || args.protection.is_given()) {
        return Err(Error::usage("--passphrase-file, --passphrase-fd, --prf and --iterations need --encrypt"));
    }
    let passphrase = args.encrypt.then(|| args.passphrase.read_new()).transpose()?;
    let engine = app.start_engine();
    let signing = match &args.seed_hex {
        Some(digits) => from_seed(args.set, &engine, digits)?,
        None => SigningKey::generate(args.set, &engine)?,
    };
    let (key, form) = (Key::Private(Box::new(signing)), args.form.form);
    let bytes = match passphrase {
        Some(passphrase) => {
            keys::encrypt(&key, args.format, form, &passphrase, args.protection.protection(), app)?.into()
        }
        None => key.encode(args.format, form)?,
    };
    store::write(&args.out, &bytes, Access::Private, existing)?;
    let public = key.to_public();
    if let Some(path) = &args.public {
        store::write(path, &public.encode(args.format, None)?, Access::Public, existing)?;
    }
    let fingerprint = key.fingerprint()?;
    let text = || {
        let public = args.public.as_ref().map(|path| format!("public key   {}\n", name(path))).unwrap_or_default();
        format!(
            "set          {}\nprivate key  {}\n{public}fingerprint  SHA256:{fingerprint}",
            args.set,
            name(&args.out)
        )
    };
    let json = json!({
        "kind": "key",
        "set": args.set.name(),
        "format": args.format.name(),
        "encrypted": args.encrypt,
        "private_key": args.out.to_string_lossy(),
        "public_key": args.public.as_ref().map(|path| path.to_string_lossy()),
        "fingerprint": fingerprint,
        "engine": engine.to_string(),
    });
    if app.out.json || !app.out.quiet {
        app.out.result(text, &json)?;
    }
    Ok(Outcome::Good)
}

fn from_seed(set: Set, engine: &Engine, digits: &str) -> Result<SigningKey, Error> {
    let seed = secrets::from_hex(digits.as_bytes()).map_err(|e| Error::usage(format!("--seed-hex: {e}")))?;
    let wrong = || Error::usage(format!("--seed-hex: {set} needs {} bytes, got {}", set.seed_len(), seed.len()));
    if seed.len() == set.seed_len() { Ok(SigningKey::from_seed(set, engine, &seed)?) } else { Err(wrong()) }
}
