//! What the driver asks of a runner, and what the runner answers: JSON, one value a line. Both programs compile this
//! file.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A signature scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Scheme {
    /// FIPS 205.
    #[serde(rename = "SLH-DSA")]
    SlhDsa,
    /// FIPS 204.
    #[serde(rename = "ML-DSA")]
    MlDsa,
}

impl Scheme {
    /// Who is measured beside hashloom, and without whom nothing is gated.
    pub const fn rivals(self) -> &'static [Rival] {
        match self {
            Self::SlhDsa => &[Rival::PqClean, Rival::SlhdsaC],
            Self::MlDsa => &[Rival::PqClean],
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::SlhDsa => "SLH-DSA",
            Self::MlDsa => "ML-DSA",
        })
    }
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// A key from given seeds.
    Keygen,
    /// A signature with given randomness.
    Sign,
    /// A valid signature, checked.
    Verify,
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Keygen => "keygen",
            Self::Sign => "sign",
            Self::Verify => "verify",
        })
    }
}

/// Portable C that is measured beside hashloom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Rival {
    /// PQClean's `clean` implementation.
    #[serde(rename = "PQClean clean")]
    PqClean,
    /// slhdsa-c.
    #[serde(rename = "slhdsa-c")]
    SlhdsaC,
}

impl fmt::Display for Rival {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::PqClean => "PQClean clean",
            Self::SlhdsaC => "slhdsa-c",
        })
    }
}

/// One row of the table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    /// The scheme.
    pub scheme: Scheme,
    /// The parameter set by its full name.
    pub set: String,
    /// The operation.
    pub op: Op,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.set, self.op)
    }
}

/// A row to measure and how often: one line of the runner's input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// The row.
    pub key: Key,
    /// Pairs of runs, one of ours and one of the rival's, for each rival.
    pub pairs: usize,
}

/// One line of the runner's output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "lowercase")]
pub enum Record {
    /// What was built; the first line.
    Start {
        /// The engine that detection chose, as it prints itself.
        engine: String,
        /// The backends behind that line: wide and tail of every primitive.
        chosen: Vec<String>,
        /// Every backend that this process could be made to use.
        available: Vec<String>,
        /// Target features that the Rust code was compiled for, of those that matter.
        features: Vec<String>,
    },
    /// What a rival pays inside the clock for randomness that we were given before it.
    Randomness {
        /// Who pays.
        rival: Rival,
        /// Bytes drawn.
        bytes: usize,
        /// Mean time of a draw.
        nanos: u64,
    },
    /// The time of each run of a row, in the order in which they ran.
    Pairs {
        /// The row.
        key: Key,
        /// Who else ran.
        rival: Rival,
        /// Nanoseconds of CPU time for one operation: ours, the rival's.
        pairs: Vec<(u64, u64)>,
    },
    /// Everything was measured; the last line.
    End {
        /// How many `Pairs` lines there were.
        rows: usize,
        /// What all results were folded into.
        live: u64,
    },
}
