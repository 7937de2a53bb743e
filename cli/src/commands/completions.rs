//! `hashloom completions`.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::{
    app::App,
    args::Cli,
    error::{Error, Outcome},
};

/// Print a completion script for a shell.
///
/// For example: hashloom completions bash > ~/.local/share/bash-completion/completions/hashloom
#[derive(clap::Args)]
pub struct Args {
    /// Shell to complete for
    shell: Shell,
}

pub fn run(args: &Args, app: &App) -> Result<Outcome, Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "hashloom", &mut script);
    app.out.write(&script)?;
    Ok(Outcome::Good)
}
