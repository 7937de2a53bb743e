//! Key files in their forms, and the default key.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use clap::ValueEnum;
use etcetera::BaseStrategy;
use hashloom::{
    Engine,
    at_rest::{self, MAX_ITERATIONS, Protection},
    hash::Hash,
    sha2::Sha256,
    slh_dsa::{ParameterSet, SigningKey, VerifyingKey},
};
use pkcs8::{PrivateKeyInfoRef, SecretDocument};
use zeroize::Zeroizing;

use crate::{
    app::App,
    args::DEFAULT_SET,
    error::Error,
    input::shown,
    secrets::{PassphraseArgs, with_bar},
    store::{self, Access, Existing},
};

/// No key file is longer.
const MAX_FILE: u64 = 16 << 10;

/// Form of a key file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// PKCS#8 or SPKI as text
    Pem,
    /// PKCS#8 or SPKI as bytes
    Der,
    /// The bytes of FIPS 205, which do not tell their parameter set
    Raw,
}

impl Format {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pem => "PEM",
            Self::Der => "DER",
            Self::Raw => "raw",
        }
    }
}

/// Either half of a pair.
pub enum Key {
    /// Signs.
    Private(Box<SigningKey>),
    /// Verifies.
    Public(VerifyingKey),
}

/// A key and what it was read from.
pub struct KeyFile {
    /// The key.
    pub key: Key,
    /// The file's form.
    pub format: Format,
    /// Whether it was encrypted.
    pub encrypted: bool,
}

impl Key {
    /// `private` or `public`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Private(_) => "private",
            Self::Public(_) => "public",
        }
    }

    /// The parameter set.
    pub fn set(&self) -> ParameterSet {
        match self {
            Self::Private(key) => key.set(),
            Self::Public(key) => key.set(),
        }
    }

    /// The public half.
    pub fn verifying_key(&self) -> VerifyingKey {
        match self {
            Self::Private(key) => key.verifying_key(),
            Self::Public(key) => *key,
        }
    }

    /// The public half, as a key of its own.
    pub fn to_public(&self) -> Self {
        Self::Public(self.verifying_key())
    }

    /// The bytes of a file.
    pub fn encode(&self, format: Format) -> Zeroizing<Vec<u8>> {
        match (self, format) {
            (Self::Private(key), Format::Pem) => Zeroizing::new(key.to_pkcs8_pem().as_bytes().to_vec()),
            (Self::Private(key), Format::Der) => key.to_pkcs8_der(),
            (Self::Private(key), Format::Raw) => key.to_bytes(),
            (Self::Public(key), Format::Pem) => key.to_spki_pem().into_bytes().into(),
            (Self::Public(key), Format::Der) => key.to_spki_der().into(),
            (Self::Public(key), Format::Raw) => key.as_bytes().to_vec().into(),
        }
    }

    /// SHA-256 of the public half in DER, in hexadecimal.
    pub fn fingerprint(&self) -> Result<String, Error> {
        let key = self.verifying_key();
        let mut digest = [0; 32];
        Sha256::on(key.engine()).hash(&[&key.to_spki_der()], &mut digest)?;
        Ok(hex::encode(digest))
    }
}

/// Makes a key with the operating system's randomness.
pub fn generate(set: ParameterSet, engine: &Engine) -> Result<SigningKey, Error> {
    Ok(SigningKey::generate(set, engine, &mut getrandom::SysRng)?)
}

/// Refuses a file for a key that exists, before the work of making the key.
pub fn check_target(path: &Path, existing: Existing) -> Result<(), Error> {
    if path.as_os_str() == "-" {
        return Err(Error::usage("keys are written to files, not to standard output"));
    }
    if existing == Existing::Keep && path.symlink_metadata().is_ok() {
        return Err(Error::content(path, "exists already; --force overwrites it"));
    }
    Ok(())
}

/// What encrypted keys are opened with; nothing, where they are of no use.
#[derive(Clone, Copy)]
pub struct Opener<'a> {
    /// Where the passphrase comes from.
    pub passphrase: Option<&'a PassphraseArgs>,
    /// Where progress is shown.
    pub app: &'a App,
}

impl<'a> Opener<'a> {
    /// An opener that asks for passphrases.
    pub fn new(passphrase: &'a PassphraseArgs, app: &'a App) -> Self {
        Self { passphrase: Some(passphrase), app }
    }

    /// The DER within a file, if it is an encrypted key.
    fn open(&self, bytes: &[u8], path: &Path, engine: &Engine) -> Result<Option<Zeroizing<Vec<u8>>>, Error> {
        let Some(locked) = encrypted(bytes)? else { return Ok(None) };
        let passphrase = self
            .passphrase
            .ok_or_else(|| Error::content(path, "is an encrypted private key: use the public one"))?
            .read(path)?;
        let open = |watch: crate::secrets::Watch<'_>| {
            at_rest::decrypt_with(engine, &passphrase, &locked, MAX_ITERATIONS, watch)
        };
        Ok(Some(with_bar(self.app, open)?))
    }
}

/// The DER of an encrypted key in either form.
fn encrypted(bytes: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    match pem_text(bytes) {
        Some(text) if at_rest::is_pem(text) => Ok(Some(at_rest::from_pem(text)?)),
        None if at_rest::is_der(bytes) => Ok(Some(bytes.to_vec())),
        _ => Ok(None),
    }
}

/// The bytes of an encrypted private key's file.
pub fn encrypt(
    key: &SigningKey,
    format: Format,
    passphrase: &[u8],
    protection: Protection,
    app: &App,
) -> Result<Vec<u8>, Error> {
    let der = key.to_pkcs8_der();
    let locked = with_bar(app, |watch| {
        at_rest::encrypt_with(key.engine(), passphrase, &der, &protection, &mut getrandom::SysRng, watch)
    })?;
    match format {
        Format::Pem => Ok(at_rest::to_pem(&locked)?.into_bytes()),
        Format::Der => Ok(locked),
        Format::Raw => Err(Error::usage("raw keys cannot be encrypted: use --format pem or der")),
    }
}

/// Reads a key of either kind in any form. `set` must be given for a raw key and agree with any other.
pub fn read(path: &Path, set: Option<ParameterSet>, engine: &Engine, opener: Opener<'_>) -> Result<KeyFile, Error> {
    let bytes = read_file(path)?;
    let read = || match opener.open(&bytes, path, engine)? {
        Some(der) => Ok(KeyFile { format: format_of(&bytes), encrypted: true, ..decode(&der, path, set, engine)? }),
        None => decode(&bytes, path, set, engine),
    };
    read().map_err(|error| explain(path, error))
}

/// [`read`], also of private keys whose halves do not belong together: says of a private key whether they do.
pub fn read_unchecked(
    path: &Path,
    set: Option<ParameterSet>,
    engine: &Engine,
    opener: Opener<'_>,
) -> Result<(KeyFile, Option<bool>), Error> {
    let whole = read_file(path)?;
    let format = format_of(&whole);
    let unlocked = opener.open(&whole, path, engine).map_err(|error| explain(path, error))?;
    let encrypted = unlocked.is_some();
    let bytes = unlocked.unwrap_or(whole);
    match decode(&bytes, path, set, engine) {
        Ok(file) => {
            let consistent = matches!(file.key, Key::Private(_)).then_some(true);
            Ok((KeyFile { format, encrypted, ..file }, consistent))
        }
        Err(Error::Library(hashloom::Error::InconsistentKey)) => {
            let key = decode_inconsistent(&bytes, set, engine).map_err(|error| explain(path, error.into()))?;
            check_set(path, set, key.set())?;
            Ok((KeyFile { key: Key::Private(Box::new(key)), format, encrypted }, Some(false)))
        }
        Err(error) => Err(explain(path, error)),
    }
}

/// Names the file in the library's errors.
fn explain(path: &Path, error: Error) -> Error {
    match error {
        Error::Library(hashloom::Error::InvalidEncoding) => {
            Error::content(path, "is not an SLH-DSA key in PEM, DER or raw form")
        }
        Error::Library(error) => Error::content(path, error.to_string()),
        other => other,
    }
}

fn check_set(path: &Path, asked: Option<ParameterSet>, found: ParameterSet) -> Result<(), Error> {
    match asked {
        Some(set) if set != found => Err(Error::content(path, format!("is a key of {found}, not of {set}"))),
        _ => Ok(()),
    }
}

fn read_file(path: &Path) -> Result<Zeroizing<Vec<u8>>, Error> {
    // Room for everything at once: a buffer that grows leaves copies behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(MAX_FILE as usize + 64));
    File::open(path)
        .and_then(|file| file.take(MAX_FILE + 1).read_to_end(&mut bytes))
        .map_err(Error::file(path, "cannot read the key"))?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(Error::content(path, "is too long for a key"));
    }
    Ok(bytes)
}

/// Raw keys have 32 to 128 bytes by steps of 16, and no length in common with the others.
fn format_of(bytes: &[u8]) -> Format {
    if pem_text(bytes).is_some() {
        Format::Pem
    } else if ParameterSet::ALL.iter().any(|s| [s.signing_key_len(), s.verifying_key_len()].contains(&bytes.len())) {
        Format::Raw
    } else {
        Format::Der
    }
}

fn pem_text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| text.contains("-----BEGIN "))
}

fn decode(bytes: &[u8], path: &Path, set: Option<ParameterSet>, engine: &Engine) -> Result<KeyFile, Error> {
    let format = format_of(bytes);
    let private = |key| Key::Private(Box::new(key));
    let key = match format {
        Format::Pem => {
            let text = pem_text(bytes).unwrap_or_default();
            if text.contains("-----BEGIN PUBLIC KEY-----") {
                VerifyingKey::from_spki_pem(engine, text).map(Key::Public)
            } else {
                SigningKey::from_pkcs8_pem(engine, text).map(private)
            }
        }
        Format::Der => match VerifyingKey::from_spki_der(engine, bytes) {
            Ok(key) => Ok(Key::Public(key)),
            Err(_) => SigningKey::from_pkcs8_der(engine, bytes).map(private),
        },
        Format::Raw => {
            let reason = "is a raw key, which does not tell its parameter set: use --set";
            let set = set.ok_or_else(|| Error::content(path, reason))?;
            if bytes.len() == set.signing_key_len() {
                SigningKey::from_bytes(set, engine, bytes).map(private)
            } else if bytes.len() == set.verifying_key_len() {
                VerifyingKey::from_bytes(set, engine, bytes).map(Key::Public)
            } else {
                return Err(Error::content(path, format!("is a raw key of {} bytes, not one of {set}", bytes.len())));
            }
        }
    }?;
    check_set(path, set, key.set())?;
    Ok(KeyFile { key, format, encrypted: false })
}

fn decode_inconsistent(
    bytes: &[u8],
    set: Option<ParameterSet>,
    engine: &Engine,
) -> Result<SigningKey, hashloom::Error> {
    let invalid = hashloom::Error::InvalidEncoding;
    let document = match format_of(bytes) {
        Format::Raw => return SigningKey::from_bytes_unchecked(set.ok_or(invalid)?, engine, bytes),
        Format::Pem => SecretDocument::from_pem(pem_text(bytes).unwrap_or_default()).map_err(|_| invalid)?.1,
        Format::Der => SecretDocument::try_from(bytes).map_err(|_| invalid)?,
    };
    let info: PrivateKeyInfoRef<'_> = document.decode_msg().map_err(|_| invalid)?;
    let set = ParameterSet::ALL.into_iter().find(|set| set.oid() == info.algorithm.oid).ok_or(invalid)?;
    SigningKey::from_bytes_unchecked(set, engine, info.private_key.as_bytes())
}

/// The default key's two files.
pub struct DefaultKey {
    /// `default.pem`.
    pub private: PathBuf,
    /// `default.pub.pem`.
    pub public: PathBuf,
}

impl DefaultKey {
    /// In `HASHLOOM_HOME` or the platform's data directory.
    pub fn locate() -> Result<Self, Error> {
        let dir = if let Some(home) = std::env::var_os("HASHLOOM_HOME").filter(|home| !home.is_empty()) {
            home.into()
        } else {
            etcetera::base_strategy::choose_native_strategy()
                .map_err(|e| Error::usage(format!("{e}: set HASHLOOM_HOME or use --key")))?
                .data_dir()
                .join("hashloom")
        };
        Ok(Self { private: dir.join("default.pem"), public: dir.join("default.pub.pem") })
    }

    /// The private key, made if there is none.
    pub fn signing_key(
        &self,
        set: Option<ParameterSet>,
        engine: &Engine,
        opener: Opener<'_>,
    ) -> Result<KeyFile, Error> {
        let existing = |path: &Path| path.symlink_metadata().is_ok();
        // Made in this order, so a public key alone, seen before looking again, is one left behind.
        if !existing(&self.private) && existing(&self.public) && !existing(&self.private) {
            let reason = "the private key of this default public key is missing: move it away, or use --key";
            return Err(Error::content(&self.public, reason));
        }
        if !existing(&self.private) {
            self.make(set.unwrap_or(DEFAULT_SET), opener.app, engine)?;
        }
        let found = read(&self.private, None, engine, opener)?;
        if let Some(set) = set.filter(|&set| set != found.key.set()) {
            let reason = format!("the default key is one of {}, not of {set}; use --key for another", found.key.set());
            return Err(Error::content(&self.private, reason));
        }
        let public = found.key.to_public();
        match read(&self.public, None, engine, opener) {
            Ok(stored) if stored.key.verifying_key() == public.verifying_key() => {}
            Ok(_) => {
                let reason = format!("is not the public key of {}", shown(&self.private));
                return Err(Error::content(&self.public, reason));
            }
            Err(Error::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                store::write(&self.public, &public.encode(Format::Pem), Access::Public, Existing::Replace)?;
            }
            Err(error) => return Err(error),
        }
        Ok(found)
    }

    fn make(&self, set: ParameterSet, app: &App, engine: &Engine) -> Result<(), Error> {
        if let Some(dir) = self.private.parent() {
            store::private_directory(dir)?;
        }
        let key = Key::Private(Box::new(generate(set, engine)?));
        match store::try_write(&self.private, &key.encode(Format::Pem), Access::Private, Existing::Keep) {
            Ok(()) => {}
            // Another process was faster: its key is the default one.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
            Err(error) => return Err(Error::file(&self.private, "cannot write")(error)),
        }
        app.out.notice(&format!(
            "made a new default key of {set}\n  private key  {}\n  public key   {}",
            shown(&self.private),
            shown(&self.public)
        ));
        Ok(())
    }

    /// The public key, which is never made here.
    pub fn verifying_key(
        &self,
        set: Option<ParameterSet>,
        engine: &Engine,
        opener: Opener<'_>,
    ) -> Result<KeyFile, Error> {
        for path in [&self.public, &self.private] {
            match read(path, set, engine, opener) {
                Err(Error::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
                other => return other,
            }
        }
        Err(Error::content(&self.public, "there is no default key: `hashloom sign` makes one, or use --key"))
    }
}
