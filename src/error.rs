//! The one error type.

use core::fmt;

use crate::engine::Backend;

/// What can go wrong. On error an output is untouched or zeroed.
///
/// Verification has one failure, [`Error::InvalidSignature`]: a wrong length, a bad encoding and a wrong signature
/// are not told apart.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The CPU, or this build, does not have the backend that was asked for.
    BackendUnavailable(Backend),
    /// No backend or parameter set or function has this name.
    UnknownName,
    /// The signature does not verify.
    InvalidSignature,
    /// A context string is longer than 255 bytes (FIPS 204 section 5.2, FIPS 205 section 10.2).
    ContextTooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// An input has the wrong number of bytes.
    WrongLength {
        /// What it should have.
        expected: usize,
        /// What it has.
        actual: usize,
    },
    /// There are not as many keys as messages.
    WrongCount {
        /// How many there should be.
        expected: usize,
        /// How many there are.
        actual: usize,
    },
    /// More bytes were asked for than a fixed-length hash or a key derivation function can make.
    OutputTooLong {
        /// The most bytes there are.
        limit: usize,
    },
    /// A key derivation function was asked for nothing: no bytes, or the result of no iterations.
    NothingToDerive,
    /// A pseudorandom key is shorter than the hash that expands it (RFC 5869 section 2.3).
    KeyTooShort {
        /// Bytes that it must have.
        minimum: usize,
    },
    /// An authentication tag is too short to be accepted (RFC 2104 section 5).
    TagTooShort {
        /// Bytes that it must have.
        minimum: usize,
    },
    /// The authentication tag does not belong to the message and the key.
    InvalidTag,
    /// Whoever watched the progress of a long computation stopped it.
    Cancelled,
    /// The parts of a private key do not belong together: PK.root is not the root of the tree that the seeds make, t0 or
    /// tr does not follow from s1 and s2, or a seed or a public key that comes with the key is another's.
    InconsistentKey,
    /// A key is not valid DER or PEM, names another algorithm, carries algorithm parameters, or holds a number that is
    /// out of range.
    InvalidEncoding,
    /// A passphrase does not open a key, or the key's file is damaged.
    WrongPassphrase,
    /// A key is encrypted in a way that is not known here.
    UnsupportedEncryption,
    /// A key asks for more iterations of its key derivation function than were allowed.
    TooManyIterations {
        /// The most that were.
        limit: u32,
    },
    /// A private key is to be written with its seed, and was read without it.
    NoSeed,
    /// The random number generator failed.
    Randomness,
    /// A kept tree or a fresh signature is not what it must be: memory or computation is faulty. Nothing was signed.
    Fault,
    /// A message could be read once but not again, or its two readings differ in length.
    MessageChanged,
    /// Reading a message failed.
    #[cfg(feature = "std")]
    Read(std::io::ErrorKind),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BackendUnavailable(backend) => {
                write!(f, "backend {backend} is not available on this machine: it needs {}", backend.needs())
            }
            Self::UnknownName => f.write_str("unknown name"),
            Self::InvalidSignature => f.write_str("invalid signature"),
            Self::ContextTooLong { length } => write!(f, "context of {length} bytes is longer than 255"),
            Self::WrongLength { expected, actual } => write!(f, "expected {expected} bytes, got {actual}"),
            Self::WrongCount { expected, actual } => write!(f, "expected {expected} keys, got {actual}"),
            Self::OutputTooLong { limit } => write!(f, "no more than {limit} bytes can be made"),
            Self::NothingToDerive => f.write_str("neither the output nor the number of iterations may be zero"),
            Self::KeyTooShort { minimum } => write!(f, "key is shorter than {minimum} bytes"),
            Self::TagTooShort { minimum } => write!(f, "authentication tag is shorter than {minimum} bytes"),
            Self::InvalidTag => f.write_str("invalid authentication tag"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::InconsistentKey => f.write_str("private key is inconsistent: its parts do not belong together"),
            Self::InvalidEncoding => f.write_str("key encoding is invalid"),
            Self::NoSeed => f.write_str("the key was read without its seed"),
            Self::WrongPassphrase => f.write_str("wrong passphrase, or a damaged key"),
            Self::UnsupportedEncryption => f.write_str("the key's encryption is not supported"),
            Self::TooManyIterations { limit } => write!(f, "the key asks for more than {limit} iterations"),
            Self::Randomness => f.write_str("random number generator failed"),
            Self::Fault => f.write_str("fault detected: nothing was signed"),
            Self::MessageChanged => f.write_str("message changed while it was read"),
            #[cfg(feature = "std")]
            Self::Read(kind) => write!(f, "reading the message failed: {kind}"),
        }
    }
}

impl core::error::Error for Error {}

#[cfg(feature = "std")]
impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::Read(error.kind())
    }
}

impl From<Error> for signature::Error {
    #[cfg(feature = "std")]
    fn from(error: Error) -> Self {
        Self::from_source(error)
    }
    #[cfg(not(feature = "std"))]
    fn from(_: Error) -> Self {
        Self::new()
    }
}
