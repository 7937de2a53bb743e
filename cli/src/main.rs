//! `hashloom`: signs, verifies and hashes files.

mod app;
mod args;
mod commands;
mod error;
mod input;
mod keys;
mod measure;
mod output;
mod parallel;
#[cfg(unix)]
mod signals;
mod store;

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::Parser;

use crate::{
    app::App,
    args::{Cli, Command},
    error::{Error, Outcome},
};

fn main() -> ExitCode {
    let outcome = match Cli::try_parse() {
        Ok(cli) => run(&cli),
        Err(message) => tell(&message),
    };
    match outcome {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            if !error.is_broken_pipe() {
                writeln!(io::stderr(), "error: {error}").ok();
            }
            Outcome::Failed.into()
        }
    }
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

fn run(cli: &Cli) -> Result<Outcome, Error> {
    let app = App::new(&cli.global)?;
    #[cfg(unix)]
    signals::listen().map_err(|e| Error::usage(format!("cannot listen to signals: {e}")))?;
    match &cli.command {
        Command::Keygen(args) => commands::keygen::run(args, &app),
        Command::Sign(args) => commands::sign::run(args, &app),
        Command::Verify(args) => commands::verify::run(args, &app),
        Command::Hash(args) => commands::hash::run(args, &app),
        Command::Key(command) => commands::key::run(command, &app),
        Command::Engine(_) => commands::engine::run(&app),
        Command::Kat(args) => commands::kat::run(args, &app),
        Command::Bench(args) => commands::bench::run(args, &app),
        Command::Completions(args) => commands::completions::run(args, &app),
    }
}
