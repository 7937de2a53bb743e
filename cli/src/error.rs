//! What can go wrong, and what a run came to.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::input::shown;

/// Usage and I/O errors; each makes the exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command line asks for something that cannot be done.
    #[error("{0}")]
    Usage(String),
    /// A file could not be read or written.
    #[error("{}: {action}: {source}", shown(path))]
    File {
        /// The file.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// A file is not what it should be.
    #[error("{}: {reason}", shown(path))]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The library refused.
    #[error("{0}")]
    Library(#[from] hashloom::Error),
    /// Standard output is full or closed.
    #[error("standard output: {0}")]
    Output(io::Error),
}

impl Error {
    /// A usage error.
    pub fn usage(text: impl Into<String>) -> Self {
        Self::Usage(text.into())
    }

    /// A file that is not what it should be.
    pub fn content(path: &Path, reason: impl Into<String>) -> Self {
        Self::Content { path: path.into(), reason: reason.into() }
    }

    /// Maps an I/O error on `path`, for `map_err`.
    pub fn file<'a>(path: &'a Path, action: &'static str) -> impl FnOnce(io::Error) -> Self + 'a {
        move |source| Self::File { path: path.into(), action, source }
    }

    /// Whether the reader of standard output has gone, which is no reason to complain.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(source) if source.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// What a run, or one of its files, came to; the greatest one of its files is that of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Everything is well.
    Good,
    /// Something was examined and is not valid.
    Invalid,
    /// Something could not be done.
    Failed,
}

impl Outcome {
    /// The exit code of a run.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Good => 0,
            Self::Invalid => 1,
            Self::Failed => 2,
        }
    }
}
