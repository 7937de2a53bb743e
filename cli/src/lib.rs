//! The command line `hashloom` as a function, so that it can be run within another process.

mod app;
mod args;
mod commands;
mod error;
mod input;
mod keys;
mod measure;
mod output;
mod parallel;
mod scheme;
mod secrets;
#[cfg(unix)]
mod signals;
mod store;

use std::{
    ffi::OsString,
    io::{self, Write},
};

use clap::Parser;

use crate::{
    app::App,
    args::{Cli, Command},
    error::{Error, Outcome},
};

/// Runs this process' command line and returns the exit code. Signals that end the process find no temporary file left.
pub fn run_process() -> u8 {
    #[cfg(unix)]
    if let Err(error) = signals::listen() {
        return conclude(Err(Error::usage(format!("cannot listen to signals: {error}"))));
    }
    run(std::env::args_os())
}

/// Runs a command line, the program's name first, and returns the exit code.
///
/// Results go to standard output and standard error. Logging and the number of threads are the process's: the first
/// call decides them.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    conclude(match Cli::try_parse_from(args) {
        Ok(cli) => execute(&cli),
        Err(message) => tell(&message),
    })
}

/// The exit code of what a run came to, after a word about what went wrong.
fn conclude(outcome: Result<Outcome, Error>) -> u8 {
    let outcome = outcome.unwrap_or_else(|error| {
        if !error.is_broken_pipe() {
            // nowhere is left to complain if standard error is closed
            writeln!(io::stderr(), "error: {error}").ok();
        }
        Outcome::Failed
    });
    outcome.exit_code()
}

/// Writes help that was asked for to standard output, or what is wrong with the command line to standard error.
fn tell(message: &clap::Error) -> Result<Outcome, Error> {
    let written = message.print().and_then(|()| io::stdout().flush());
    if message.use_stderr() {
        return Ok(Outcome::Failed);
    }
    written.map_err(Error::Output)?;
    Ok(Outcome::Good)
}

fn execute(cli: &Cli) -> Result<Outcome, Error> {
    let app = App::new(&cli.global)?;
    match &cli.command {
        Command::Keygen(args) => commands::keygen::run(args, &app),
        Command::Sign(args) => commands::sign::run(args, &app),
        Command::Verify(args) => commands::verify::run(args, &app),
        Command::Mu(args) => commands::mu::run(args, &app),
        Command::Hash(args) => commands::hash::run(args, &app),
        Command::Mac(args) => commands::mac::run(args, &app),
        Command::Kdf(command) => commands::kdf::run(command, &app),
        Command::Key(command) => commands::key::run(command, &app),
        Command::Engine(_) => commands::engine::run(&app),
        Command::Kat(args) => commands::kat::run(args, &app),
        Command::Bench(args) => commands::bench::run(args, &app),
        Command::Completions(args) => commands::completions::run(args, &app),
    }
}
