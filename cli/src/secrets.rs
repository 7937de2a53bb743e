//! Passphrases and keys: from files, descriptors or the terminal, never from the command line.

use std::{
    fs::File,
    io::{self, Read},
    ops::ControlFlow,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use hashloom::{
    at_rest::{self, Prf, Protection},
    pbkdf2::Progress,
};
use zeroize::Zeroizing;

use crate::{app::App, args::Named, error::Error, output::Unit};

/// No secret is longer.
const MAX_SECRET: u64 = 1 << 20;
/// Work that is over sooner shows no progress.
const PATIENCE: Duration = Duration::from_millis(300);

/// Where the passphrase of an encrypted key comes from.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct PassphraseArgs {
    /// Passphrase of an encrypted key: the first line of FILE [default: the terminal is asked]
    #[arg(long, value_name = "FILE", conflicts_with = "passphrase_fd")]
    passphrase_file: Option<PathBuf>,
    /// The same from an open file descriptor
    #[arg(long, value_name = "N")]
    passphrase_fd: Option<u32>,
}

impl PassphraseArgs {
    /// Whether it is said where the passphrase is.
    pub fn is_given(&self) -> bool {
        self.passphrase_file.is_some() || self.passphrase_fd.is_some()
    }

    /// The passphrase of a key that there is.
    pub fn read(&self, key: &Path) -> Result<Zeroizing<Vec<u8>>, Error> {
        self.given()?.map_or_else(|| prompt(&format!("Passphrase of {}: ", crate::input::shown(key))), Ok)
    }

    /// A new passphrase, asked for twice.
    pub fn read_new(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        let passphrase = self.given()?.map_or_else(prompt_twice, Ok)?;
        if passphrase.is_empty() {
            return Err(Error::usage("the passphrase is empty"));
        }
        Ok(passphrase)
    }

    fn given(&self) -> Result<Option<Zeroizing<Vec<u8>>>, Error> {
        let Some(mut text) = read(self.passphrase_file.as_deref(), self.passphrase_fd)? else { return Ok(None) };
        let len = lines(&text).next().unwrap_or_default().len();
        text.truncate(len);
        Ok(Some(text))
    }

    /// Whether standard input is taken.
    pub fn takes_stdin(&self) -> bool {
        self.passphrase_fd == Some(0)
    }
}

/// How a key is encrypted.
#[derive(Debug, clap::Args)]
pub struct ProtectionArgs {
    /// Function of PBKDF2 [default: hmac-sha256]
    #[arg(long, value_name = "NAME", value_parser = Named::new(|| vec!["hmac-sha256", "hmac-sha512"], prf))]
    prf: Option<Prf>,
    /// Iterations of PBKDF2: what a guess costs, and each use of the key [default: 600000]
    #[arg(long, value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=i64::from(at_rest::MAX_ITERATIONS)))]
    iterations: Option<u32>,
}

fn prf(name: &str) -> Option<Prf> {
    match name {
        "hmac-sha256" => Some(Prf::HmacSha256),
        "hmac-sha512" => Some(Prf::HmacSha512),
        _ => None,
    }
}

impl ProtectionArgs {
    /// Whether anything is said.
    pub fn is_given(&self) -> bool {
        self.prf.is_some() || self.iterations.is_some()
    }

    /// The library's form.
    pub fn protection(&self) -> Protection {
        Protection {
            prf: self.prf.unwrap_or_default(),
            iterations: self.iterations.unwrap_or(at_rest::DEFAULT_ITERATIONS),
        }
    }
}

/// All of a file or a descriptor, or nothing if neither is named.
pub fn read(file: Option<&Path>, descriptor: Option<u32>) -> Result<Option<Zeroizing<Vec<u8>>>, Error> {
    let (path, reader): (PathBuf, io::Result<Box<dyn Read>>) = match (file, descriptor) {
        (None, None) => return Ok(None),
        (Some(path), _) => (path.into(), File::open(path).map(|file| Box::new(file) as _)),
        (None, Some(0)) => ("-".into(), Ok(Box::new(io::stdin()))),
        (None, Some(descriptor)) => {
            // the name by which the system opens it again: owning a number is not for safe code
            let path = PathBuf::from(format!("/dev/fd/{descriptor}"));
            let reader = File::open(&path).map(|file| Box::new(file) as _);
            (path, reader)
        }
    };
    // room for everything at once: a buffer that grows leaves copies behind
    let mut bytes = Zeroizing::new(Vec::with_capacity(MAX_SECRET as usize + 64));
    reader
        .and_then(|reader| reader.take(MAX_SECRET + 1).read_to_end(&mut bytes))
        .map_err(Error::file(&path, "cannot read the secret"))?;
    if bytes.len() as u64 > MAX_SECRET {
        return Err(Error::content(&path, "is too long for a secret"));
    }
    Ok(Some(bytes))
}

/// Asks the terminal, which does not show what is typed.
pub fn prompt(text: &str) -> Result<Zeroizing<Vec<u8>>, Error> {
    #[cfg(unix)]
    let _kept = terminal::Kept::new();
    rpassword::prompt_password(text)
        .map(|secret| Zeroizing::new(secret.into_bytes()))
        .map_err(|error| Error::usage(format!("a secret is needed, and the terminal cannot be asked for it: {error}")))
}

/// A secret in hexadecimal.
pub fn from_hex(digits: &[u8]) -> Result<Zeroizing<Vec<u8>>, hex::FromHexError> {
    // room for everything at once, as above
    let mut bytes = Zeroizing::new(vec![0; digits.len() / 2]);
    hex::decode_to_slice(digits, &mut bytes)?;
    Ok(bytes)
}

/// The terminal while it does not show what is typed: a signal that ends the program then must not leave it so.
#[cfg(unix)]
pub mod terminal {
    use std::{
        fs::File,
        sync::{Mutex, MutexGuard, PoisonError},
    };

    use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

    static BEFORE: Mutex<Option<(File, Termios)>> = Mutex::new(None);

    fn before() -> MutexGuard<'static, Option<(File, Termios)>> {
        BEFORE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers how the terminal is set, as long as it lives.
    pub(super) struct Kept;

    impl Kept {
        pub(super) fn new() -> Self {
            *before() = File::open("/dev/tty").ok().and_then(|file| tcgetattr(&file).ok().map(|set| (file, set)));
            Self
        }
    }

    impl Drop for Kept {
        fn drop(&mut self) {
            *before() = None;
        }
    }

    /// Sets the terminal as it was, if it is being asked for a secret.
    pub fn restore() {
        if let Some((file, set)) = &*before() {
            tcsetattr(file, OptionalActions::Now, set).ok();
        }
    }
}

fn prompt_twice() -> Result<Zeroizing<Vec<u8>>, Error> {
    let (first, second) = (prompt("New passphrase: ")?, prompt("The same again: ")?);
    if first == second { Ok(first) } else { Err(Error::usage("the two passphrases differ")) }
}

/// Lines without their ends; after the last end there is none.
pub fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\n").map_or(line, |line| line.strip_suffix(b"\r").unwrap_or(line)))
}

/// What is told of the progress of a long computation.
pub type Watch<'a> = &'a mut dyn FnMut(Progress) -> ControlFlow<()>;

/// Runs long work with a progress bar, which shows when it takes its time.
pub fn with_bar<T>(app: &App, work: impl FnOnce(Watch<'_>) -> T) -> T {
    let (started, mut bar) = (Instant::now(), None);
    let result = work(&mut |progress| {
        if bar.is_none() && started.elapsed() > PATIENCE {
            bar = Some(app.out.progress(progress.total, Unit::Items("iterations")));
        }
        if let Some(bar) = &bar {
            bar.set_position(progress.completed);
        }
        ControlFlow::Continue(())
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_both_ways() {
        let all = |text: &'static [u8]| lines(text).collect::<Vec<_>>();
        assert_eq!(all(b"one\r\ntwo\n\n three "), [&b"one"[..], b"two", b"", b" three "]);
        assert!(all(b"").is_empty());
        assert_eq!(all(b"\n"), [b""]);
        assert_eq!(all(b"a\rb"), [b"a\rb"]);
    }
}
