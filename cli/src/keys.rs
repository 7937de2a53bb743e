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
    slh_dsa,
};
use pkcs8::{PrivateKeyInfoRef, SecretDocument};
use zeroize::Zeroizing;

use crate::{
    app::App,
    args::DEFAULT_SET,
    error::Error,
    input::shown,
    scheme::{Form, Set, SigningKey, VerifyingKey},
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
    /// The bytes of FIPS 204 or 205, which do not tell their parameter set
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
    pub fn set(&self) -> Set {
        match self {
            Self::Private(key) => key.set(),
            Self::Public(key) => key.set(),
        }
    }

    /// The public half.
    pub fn verifying_key(&self) -> VerifyingKey {
        match self {
            Self::Private(key) => key.verifying_key(),
            Self::Public(key) => key.clone(),
        }
    }

    /// The public half, as a key of its own.
    pub fn to_public(&self) -> Self {
        Self::Public(self.verifying_key())
    }

    /// The bytes of a file.
    pub fn encode(&self, format: Format, form: Option<Form>) -> Result<Zeroizing<Vec<u8>>, Error> {
        check_form(self, form)?;
        Ok(match (self, format) {
            (Self::Private(key), Format::Pem) => Zeroizing::new(key.to_pem(form)?.as_bytes().to_vec()),
            (Self::Private(key), Format::Der) => key.to_der(form)?,
            (Self::Private(key), Format::Raw) => {
                let both = || Error::usage("a raw key is a seed or an expanded key, not both");
                key.to_raw(form)?.ok_or_else(both)?
            }
            (Self::Public(key), Format::Pem) => key.to_pem().into_bytes().into(),
            (Self::Public(key), Format::Der) => key.to_der().into(),
            (Self::Public(key), Format::Raw) => key.as_bytes().to_vec().into(),
        })
    }

    /// SHA-256 of the public half in DER, in hexadecimal.
    pub fn fingerprint(&self) -> Result<String, Error> {
        let key = self.verifying_key();
        let mut digest = [0; 32];
        Sha256::on(key.engine()).hash(&[&key.to_der()], &mut digest)?;
        Ok(hex::encode(digest))
    }
}

/// Refuses a form that the key cannot have.
fn check_form(key: &Key, form: Option<Form>) -> Result<(), Error> {
    match (form, key, key.set()) {
        (None, ..) | (_, Key::Private(_), Set::MlDsa(_)) => Ok(()),
        _ => Err(Error::usage(format!("--form: a {} key of {} has one form", key.kind(), key.set()))),
    }
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

/// What encrypted keys are opened with.
#[derive(Clone, Copy)]
pub struct Opener<'a> {
    /// Where the passphrase comes from, or what to do where encrypted keys are of no use.
    pub passphrase: Result<&'a PassphraseArgs, &'static str>,
    /// Where progress is shown.
    pub app: &'a App,
}

impl<'a> Opener<'a> {
    /// An opener that asks for passphrases.
    pub fn new(passphrase: &'a PassphraseArgs, app: &'a App) -> Self {
        Self { passphrase: Ok(passphrase), app }
    }

    /// The DER within a file, if it is an encrypted key.
    fn open(&self, bytes: &[u8], path: &Path, engine: &Engine) -> Result<Option<Zeroizing<Vec<u8>>>, Error> {
        let Some(locked) = encrypted(bytes)? else { return Ok(None) };
        let passphrase = self
            .passphrase
            .map_err(|advice| Error::content(path, format!("is an encrypted private key: {advice}")))?
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
    key: &Key,
    format: Format,
    form: Option<Form>,
    passphrase: &[u8],
    protection: Protection,
    app: &App,
) -> Result<Vec<u8>, Error> {
    if format == Format::Raw {
        return Err(Error::usage("raw keys cannot be encrypted: use --format pem or der"));
    }
    let der = key.encode(Format::Der, form)?;
    let locked = with_bar(app, |watch| {
        at_rest::encrypt_with(&app.engine(), passphrase, &der, &protection, &mut getrandom::SysRng, watch)
    })?;
    Ok(if format == Format::Pem { at_rest::to_pem(&locked)?.into_bytes() } else { locked })
}

/// Reads a key of either kind in any form. `set` must be given for a raw key and agree with any other.
pub fn read(path: &Path, set: Option<Set>, engine: &Engine, opener: Opener<'_>) -> Result<KeyFile, Error> {
    let bytes = read_file(path)?;
    let read = || match opener.open(&bytes, path, engine)? {
        Some(der) => Ok(KeyFile { key: decode(&der, path, set, engine)?, encrypted: true }),
        None => Ok(KeyFile { key: decode(&bytes, path, set, engine)?, encrypted: false }),
    };
    read().map_err(|error| explain(path, error))
}

/// What [`inspect`] finds.
pub struct Found {
    /// The parameter set.
    pub set: Set,
    /// `private` or `public`.
    pub kind: &'static str,
    /// The file's form.
    pub format: Format,
    /// The form of an ML-DSA private key.
    pub form: Option<Form>,
    /// Whether the file was encrypted.
    pub encrypted: bool,
    /// That of the public half, as far as an inconsistent key has one.
    pub fingerprint: Option<String>,
    /// Of a private key, whether its parts belong together.
    pub consistent: Option<bool>,
}

/// As [`read`], and tells also of private keys whose parts do not belong together.
pub fn inspect(path: &Path, set: Option<Set>, engine: &Engine, opener: Opener<'_>) -> Result<Found, Error> {
    let bytes = read_file(path)?;
    let format = format_of(&bytes);
    let inner = opener.open(&bytes, path, engine).map_err(|error| explain(path, error))?;
    let encrypted = inner.is_some();
    let bytes = inner.unwrap_or(bytes);
    match decode(&bytes, path, set, engine) {
        Ok(key) => Ok(Found {
            set: key.set(),
            kind: key.kind(),
            format,
            form: if matches!(key, Key::Private(_)) { form_of(&bytes, key.set()) } else { None },
            encrypted,
            fingerprint: Some(key.fingerprint()?),
            consistent: matches!(key, Key::Private(_)).then_some(true),
        }),
        Err(Error::Library(hashloom::Error::InconsistentKey)) => {
            let (found, form, stated) =
                inconsistent(&bytes, set, engine).map_err(|error| explain(path, error.into()))?;
            check_set(path, set, found)?;
            let fingerprint = stated.map(|public| Key::Public(public).fingerprint()).transpose()?;
            Ok(Found { set: found, kind: "private", format, form, encrypted, fingerprint, consistent: Some(false) })
        }
        Err(error) => Err(explain(path, error)),
    }
}

/// Names the file in the library's errors.
fn explain(path: &Path, error: Error) -> Error {
    match error {
        Error::Library(hashloom::Error::InvalidEncoding) => {
            Error::content(path, "is not an SLH-DSA or ML-DSA key in PEM, DER or raw form")
        }
        Error::Library(error) => Error::content(path, error.to_string()),
        other => other,
    }
}

fn check_set(path: &Path, asked: Option<Set>, found: Set) -> Result<(), Error> {
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

/// Raw keys have lengths that no other form has.
fn format_of(bytes: &[u8]) -> Format {
    let raw = |set: Set| set.public_len() == bytes.len() || set.private_lens().contains(&bytes.len());
    if pem_text(bytes).is_some() {
        Format::Pem
    } else if Set::all().any(raw) && !at_rest::is_der(bytes) {
        Format::Raw
    } else {
        Format::Der
    }
}

fn pem_text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| text.contains("-----BEGIN "))
}

fn decode(bytes: &[u8], path: &Path, set: Option<Set>, engine: &Engine) -> Result<Key, Error> {
    let format = format_of(bytes);
    let private = |key| Key::Private(Box::new(key));
    let key = match format {
        Format::Pem => {
            let text = pem_text(bytes).unwrap_or_default();
            if text.contains("-----BEGIN PUBLIC KEY-----") {
                VerifyingKey::from_pem(engine, text).map(Key::Public)
            } else {
                SigningKey::from_pem(engine, text).map(private)
            }
        }
        Format::Der => match VerifyingKey::from_der(engine, bytes) {
            Ok(key) => Ok(Key::Public(key)),
            Err(_) => SigningKey::from_der(engine, bytes).map(private),
        },
        Format::Raw => {
            let reason = "is a raw key, which does not tell its parameter set: use --set";
            let set = set.ok_or_else(|| Error::content(path, reason))?;
            if set.private_lens().contains(&bytes.len()) {
                SigningKey::from_raw(set, engine, bytes).map(private)
            } else if bytes.len() == set.public_len() {
                VerifyingKey::from_raw(set, engine, bytes).map(Key::Public)
            } else {
                return Err(Error::content(path, format!("is a raw key of {} bytes, not one of {set}", bytes.len())));
            }
        }
    }?;
    check_set(path, set, key.set())?;
    Ok(key)
}

/// The PKCS#8 document of a private key that is not raw.
fn document(bytes: &[u8]) -> Option<SecretDocument> {
    match pem_text(bytes) {
        Some(text) => SecretDocument::from_pem(text).ok().map(|(_, document)| document),
        None => SecretDocument::try_from(bytes).ok(),
    }
}

/// The form of a private key, if its scheme has several.
fn form_of(bytes: &[u8], set: Set) -> Option<Form> {
    if let Set::SlhDsa(_) = set {
        return None;
    }
    if format_of(bytes) == Format::Raw {
        return Some(if bytes.len() == set.seed_len() { Form::Seed } else { Form::Expanded });
    }
    let document = document(bytes)?;
    let info: PrivateKeyInfoRef<'_> = document.decode_msg().ok()?;
    Form::of_encoding(info.private_key.as_bytes())
}

/// What a private key whose parts do not belong together says of itself: its set, its form and, in SLH-DSA, its public
/// half, which a file of ML-DSA does not hold.
fn inconsistent(
    bytes: &[u8],
    set: Option<Set>,
    engine: &Engine,
) -> Result<(Set, Option<Form>, Option<VerifyingKey>), hashloom::Error> {
    let invalid = hashloom::Error::InvalidEncoding;
    let unchecked = |set, bytes: &[u8]| {
        let key = slh_dsa::SigningKey::from_bytes_unchecked(set, engine, bytes)?;
        Ok((Set::SlhDsa(set), None, Some(VerifyingKey::SlhDsa(key.verifying_key()))))
    };
    if format_of(bytes) == Format::Raw {
        return match set.ok_or(invalid)? {
            Set::SlhDsa(set) => unchecked(set, bytes),
            set @ Set::MlDsa(_) => Ok((set, form_of(bytes, set), None)),
        };
    }
    let document = document(bytes).ok_or(invalid)?;
    let info: PrivateKeyInfoRef<'_> = document.decode_msg().map_err(|_| invalid)?;
    match Set::from_oid(info.algorithm.oid).ok_or(invalid)? {
        Set::SlhDsa(set) => unchecked(set, info.private_key.as_bytes()),
        set @ Set::MlDsa(_) => Ok((set, form_of(bytes, set), None)),
    }
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
    pub fn signing_key(&self, set: Option<Set>, engine: &Engine, opener: Opener<'_>) -> Result<KeyFile, Error> {
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
                store::write(&self.public, &public.encode(Format::Pem, None)?, Access::Public, Existing::Replace)?;
            }
            Err(error) => return Err(error),
        }
        Ok(found)
    }

    fn make(&self, set: Set, app: &App, engine: &Engine) -> Result<(), Error> {
        if let Some(dir) = self.private.parent() {
            store::private_directory(dir)?;
        }
        let key = Key::Private(Box::new(SigningKey::generate(set, engine)?));
        match store::try_write(&self.private, &key.encode(Format::Pem, None)?, Access::Private, Existing::Keep) {
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
    pub fn verifying_key(&self, set: Option<Set>, engine: &Engine, opener: Opener<'_>) -> Result<KeyFile, Error> {
        for path in [&self.public, &self.private] {
            match read(path, set, engine, opener) {
                Err(Error::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
                other => return other,
            }
        }
        Err(Error::content(&self.public, "there is no default key: `hashloom sign` makes one, or use --key"))
    }
}
