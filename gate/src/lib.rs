//! The gate: hashloom's portable backend against portable C, with an exit status.
//!
//! [`toolchain`] builds a runner in which no accelerated backend exists, [`census`] looks for one in the machine code
//! all the same, [`transcript`] reads what the runner measured, and [`judge`], a pure function, says what it is worth.

pub mod census;
pub mod judge;
pub mod machine;
pub mod plan;
pub mod record;
pub mod report;
pub mod toolchain;
pub mod transcript;

use std::io;

use crate::record::Rival;

/// Why the gate cannot even be built or run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A program is missing or cannot be started.
    #[error("cannot run {program}: {source}")]
    Start {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// A program failed.
    #[error("{program} failed: {what}")]
    Failed {
        /// The program.
        program: String,
        /// How.
        what: String,
    },
    /// A program's output is not what it should be.
    #[error("{program} wrote something unexpected: {what}")]
    Output {
        /// The program.
        program: String,
        /// What.
        what: String,
    },
    /// None of the C compilers is there.
    #[error("no C compiler: tried {0}")]
    NoCompiler(String),
    /// A rival is not part of the build.
    #[error("{0} was not built")]
    NoRival(Rival),
    /// Nothing was selected.
    #[error("no row has this set and operation")]
    NothingSelected,
    /// Something could not be written.
    #[error("cannot write {what}: {source}")]
    Write {
        /// What.
        what: String,
        /// Why.
        source: io::Error,
    },
}
