//! `hashloom`: signs, verifies and hashes files.

use std::process::ExitCode;

fn main() -> ExitCode {
    hashloom_cli::run_process().into()
}
