//! The command line.

use std::{ffi::OsStr, str::FromStr};

use clap::{
    Arg, Args, Command as ClapCommand, Parser, Subcommand, ValueEnum,
    builder::{PossibleValue, TypedValueParser},
    error::{ContextKind, ContextValue, ErrorKind},
};
use hashloom::{
    Backend,
    slh_dsa::{Mode, ParameterSet, PreHash},
};

use crate::{
    commands,
    error::Error,
    scheme::{Form, Set, Subject},
};

/// Parameter set of a key that is made without naming one.
pub const DEFAULT_SET: Set = Set::SlhDsa(ParameterSet::Sha2_128f);

/// Sign, verify and hash files: many at once, with post-quantum signatures (SLH-DSA, FIPS 205, and ML-DSA, FIPS 204).
#[derive(Parser)]
#[command(name = "hashloom", version, max_term_width = 110)]
#[command(after_help = "\
Exit codes:
  0  all is well
  1  a signature, code or key is not valid, a known-answer test failed, or none ran
  2  wrong usage, or something could not be read or written; it goes before 1,
     for then not everything was checked

Examples:
  hashloom sign README.md src/*.rs        sign with the default key, made on first use
  hashloom verify README.md src/*.rs      check the signatures beside the files
  hashloom hash --alg sha3-256 *.iso      like sha256sum
  hashloom engine                         what this CPU has and what is used")]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Backend that hashes: `auto`, or one by name, an error if this machine lacks it [default: $HASHLOOM_BACKEND, else
    /// auto]
    #[arg(long, global = true, value_name = "NAME", value_parser = Named::new(backend_names, backend))]
    backend: Option<BackendChoice>,
    /// Threads to use [default: one per CPU, for bench 1]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Write results as JSON, one object per line, the last a summary
    #[arg(long, global = true)]
    pub json: bool,
    /// Write only errors, and results that are not good; --json still writes all
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// How much to log to standard error [default: info, with --quiet error]
    #[arg(long, global = true, value_name = "LEVEL")]
    pub log: Option<LogLevel>,
}

impl Global {
    /// The backend asked for, if any: the option's, else the environment's.
    pub fn backend(&self) -> Result<Option<BackendChoice>, Error> {
        let from_env = || std::env::var_os("HASHLOOM_BACKEND").filter(|name| !name.is_empty());
        match (self.backend, from_env()) {
            (Some(choice), _) => Ok(Some(choice)),
            (None, None) => Ok(None),
            (None, Some(name)) => name.to_str().and_then(backend).map(Some).ok_or_else(|| {
                let names = backend_names().join(", ");
                Error::usage(format!(
                    "invalid value '{}' of HASHLOOM_BACKEND [possible values: {names}]",
                    name.display()
                ))
            }),
        }
    }
}

/// How much to log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

impl From<LogLevel> for tracing::Level {
    fn from(level: LogLevel) -> Self {
        match level {
            LogLevel::Error => Self::ERROR,
            LogLevel::Warn => Self::WARN,
            LogLevel::Info => Self::INFO,
            LogLevel::Debug => Self::DEBUG,
            LogLevel::Trace => Self::TRACE,
        }
    }
}

#[derive(Subcommand)]
pub enum Command {
    Keygen(commands::keygen::Args),
    Sign(commands::sign::Args),
    Verify(commands::verify::Args),
    Mu(commands::mu::Args),
    Hash(commands::hash::Args),
    Mac(commands::mac::Args),
    #[command(subcommand)]
    Kdf(commands::kdf::Kdf),
    #[command(subcommand)]
    Key(commands::key::Key),
    Engine(commands::engine::Args),
    Kat(commands::kat::Args),
    Bench(commands::bench::Args),
    Completions(commands::completions::Args),
}

/// What is signed besides the message; a signature verifies only with the same.
#[derive(Args)]
pub struct ModeArgs {
    /// Context string bound into the signature, at most 255 bytes
    #[arg(long, value_name = "TEXT", conflicts_with = "context_hex")]
    context: Option<String>,
    /// The same in hexadecimal, for contexts that are not text
    #[arg(long, value_name = "HEX")]
    context_hex: Option<String>,
    /// Sign the hash of each message by this function (HashSLH-DSA, HashML-DSA) [default: the message itself]
    #[arg(long, value_name = "NAME", value_parser = Named::new(prehash_names, from_str::<PreHash>), ignore_case = true)]
    prehash: Option<PreHash>,
}

/// [`ModeArgs`], checked.
pub struct SignedMode {
    context: Vec<u8>,
    prehash: Option<PreHash>,
}

impl ModeArgs {
    /// Checks the context.
    pub fn check(&self) -> Result<SignedMode, Error> {
        let context = match (&self.context, &self.context_hex) {
            (_, Some(digits)) => hex::decode(digits).map_err(|e| Error::usage(format!("--context-hex: {e}")))?,
            (Some(text), None) => text.clone().into_bytes(),
            (None, None) => Vec::new(),
        };
        if context.len() > 255 {
            return Err(hashloom::Error::ContextTooLong { length: context.len() }.into());
        }
        Ok(SignedMode { context, prehash: self.prehash })
    }
}

impl SignedMode {
    /// The library's form.
    pub fn mode(&self) -> Mode<'_> {
        match self.prehash {
            Some(function) => Mode::PreHash { context: &self.context, function },
            None => Mode::Pure { context: &self.context },
        }
    }
}

/// What is signed of each file.
#[derive(Args)]
pub struct SubjectArgs {
    #[command(flatten)]
    mode: ModeArgs,
    /// Files hold mu of messages, 64 bytes as `hashloom mu` writes them, not the messages (ML-DSA); the signature of FILE.mu
    /// is FILE.sig
    #[arg(long, conflicts_with_all = ["context", "context_hex", "prehash"])]
    pub external_mu: bool,
}

/// [`SubjectArgs`], checked.
pub struct Chosen(Option<SignedMode>);

impl SubjectArgs {
    /// Checks the context.
    pub fn check(&self) -> Result<Chosen, Error> {
        Ok(Chosen(if self.external_mu { None } else { Some(self.mode.check()?) }))
    }
}

impl Chosen {
    /// The form that keys take.
    pub fn subject(&self) -> Subject<'_> {
        self.0.as_ref().map_or(Subject::Mu, |mode| Subject::Message(mode.mode()))
    }
}

/// The form of private keys that are written.
#[derive(Args)]
pub struct FormArgs {
    /// What a private key of ML-DSA holds [default: the seed, if it is known]
    #[arg(long, value_enum)]
    pub form: Option<Form>,
}

/// Which backend was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackendChoice {
    Auto,
    Forced(Backend),
}

fn backend(name: &str) -> Option<BackendChoice> {
    if name == "auto" { Some(BackendChoice::Auto) } else { name.parse().ok().map(BackendChoice::Forced) }
}

fn backend_names() -> Vec<&'static str> {
    std::iter::once("auto").chain(Backend::ALL.iter().map(|b| b.name())).collect()
}

fn prehash_names() -> Vec<&'static str> {
    PreHash::ALL.iter().map(|f| f.name()).collect()
}

fn set_names() -> Vec<&'static str> {
    Set::all().map(Set::name).collect()
}

fn from_str<T: FromStr>(name: &str) -> Option<T> {
    name.parse().ok()
}

/// Reads a parameter set.
pub fn set_parser() -> Named<Set> {
    Named::new(set_names, from_str)
}

/// Values that have names: lists them in help, completions and errors, and reads aliases that it does not list.
#[derive(Clone)]
pub struct Named<T: 'static> {
    names: fn() -> Vec<&'static str>,
    parse: fn(&str) -> Option<T>,
}

impl<T> Named<T> {
    /// A parser for the values that `parse` knows.
    pub const fn new(names: fn() -> Vec<&'static str>, parse: fn(&str) -> Option<T>) -> Self {
        Self { names, parse }
    }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Named<T> {
    type Value = T;

    fn parse_ref(&self, cmd: &ClapCommand, arg: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        value.to_str().and_then(self.parse).ok_or_else(|| {
            let mut error = clap::Error::new(ErrorKind::InvalidValue).with_cmd(cmd);
            let arg = arg.map_or_else(|| "...".to_owned(), ToString::to_string);
            error.insert(ContextKind::InvalidArg, ContextValue::String(arg));
            error.insert(ContextKind::InvalidValue, ContextValue::String(value.to_string_lossy().into_owned()));
            let names = (self.names)().into_iter().map(str::to_owned).collect();
            error.insert(ContextKind::ValidValue, ContextValue::Strings(names));
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(PossibleValue::new)))
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn command_line_is_well_formed() {
        super::Cli::command().debug_assert();
    }
}
