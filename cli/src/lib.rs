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

/// Runs a command line, the program's name first, and returns the exit code.
///
/// Results go to standard output and standard error. Logging and the number of threads are the process's: the first
/// call decides them.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            // nowhere is left to complain if standard error is closed
            error.print().ok();
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    let outcome = execute(&cli).unwrap_or_else(|error| {
        if !error.is_broken_pipe() {
            writeln!(io::stderr(), "error: {error}").ok();
        }
        Outcome::Failed
    });
    outcome.exit_code()
}

fn execute(cli: &Cli) -> Result<Outcome, Error> {
    let app = App::new(&cli.global)?;
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
