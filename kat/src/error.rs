//! Why a file cannot be run at all.

use std::{error::Error, fmt, io};

/// A file that is not a vector file, or not one of an algorithm that is tested here.
#[non_exhaustive]
#[derive(Debug)]
pub enum KatError {
    /// The gzip stream is damaged.
    Gzip(io::Error),
    /// The file unpacks to more bytes than any vector file has.
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// Not JSON, or a field of the wrong type, or text that is not hexadecimal; the message has line and column.
    Json(serde_json::Error),
    /// Vectors of another algorithm, or of another of its modes.
    Unsupported {
        /// The file's `algorithm`.
        algorithm: String,
        /// The file's `mode`.
        mode: Option<String>,
    },
}

impl fmt::Display for KatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gzip(error) => write!(f, "cannot unpack the file: {error}"),
            Self::TooLarge { limit } => write!(f, "the file unpacks to more than {limit} bytes"),
            Self::Json(error) => write!(f, "not a vector file: {error}"),
            Self::Unsupported { algorithm, mode: None } => write!(f, "algorithm {algorithm:?} is not supported"),
            Self::Unsupported { algorithm, mode: Some(mode) } => {
                write!(f, "algorithm {algorithm:?} with mode {mode:?} is not supported")
            }
        }
    }
}

impl Error for KatError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Gzip(error) => Some(error),
            Self::Json(error) => Some(error),
            Self::TooLarge { .. } | Self::Unsupported { .. } => None,
        }
    }
}
