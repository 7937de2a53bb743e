//! What a runner wrote, and whether it came to its end.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
};

use crate::{
    Error,
    record::{Key, Planned, Record, Rival},
};

/// What a runner says about itself.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Start {
    /// The line that the engine prints.
    pub engine: String,
    /// Wide and tail backend of every primitive.
    pub chosen: Vec<String>,
    /// Every backend that the process could be made to use.
    pub available: Vec<String>,
    /// Target features that the Rust code was compiled for.
    pub features: Vec<String>,
}

/// Randomness that a rival draws inside the clock.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Draw {
    /// Who.
    pub rival: Rival,
    /// Bytes.
    pub bytes: usize,
    /// Mean time.
    pub nanos: u64,
}

/// A row beside one rival: nanoseconds of ours and of theirs, in the order in which they were measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timed {
    /// The row.
    pub key: Key,
    /// The rival.
    pub rival: Rival,
    /// The times.
    pub pairs: Vec<(u64, u64)>,
}

/// The output of one process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// The first line.
    pub start: Option<Start>,
    /// What randomness costs.
    pub draws: Vec<Draw>,
    /// Everything that was measured.
    pub rows: Vec<Timed>,
    /// Why there may be less than there should be.
    pub interrupted: Option<String>,
}

impl Transcript {
    /// Runs a program through a plan, telling `seen` of each row.
    pub fn of(program: &Path, plan: &[Planned], seen: impl FnMut(&Timed)) -> Result<Self, Error> {
        let start = |source| Error::Start { program: "the runner".to_owned(), source };
        let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(start)?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        if let Some(mut input) = input {
            // less than a pipe holds; if the runner is gone, its status says so
            let lines: Vec<String> = plan.iter().filter_map(|row| serde_json::to_string(row).ok()).collect();
            input.write_all(lines.join("\n").as_bytes()).ok();
        }
        let mut read = output.map(|output| Self::read(BufReader::new(output), seen)).unwrap_or_default();
        let status = child.wait().map_err(start)?;
        if !status.success() {
            read.interrupted = Some(format!("the runner ended with {status}"));
        }
        Ok(read)
    }

    /// Reads until the end or the first line that is no record, telling `seen` of each row.
    pub fn read(lines: impl BufRead, mut seen: impl FnMut(&Timed)) -> Self {
        let mut read = Self::default();
        let mut end = None;
        for line in lines.lines() {
            match line.map_err(|e| e.to_string()).and_then(|l| serde_json::from_str(&l).map_err(|e| e.to_string())) {
                Err(error) => {
                    read.interrupted = Some(format!("not a record: {error}"));
                    return read;
                }
                Ok(Record::Start { engine, chosen, available, features }) => {
                    read.start = Some(Start { engine, chosen, available, features });
                }
                Ok(Record::Randomness { rival, bytes, nanos }) => read.draws.push(Draw { rival, bytes, nanos }),
                Ok(Record::Pairs { key, rival, pairs }) => {
                    let row = Timed { key, rival, pairs };
                    seen(&row);
                    read.rows.push(row);
                }
                Ok(Record::End { rows, .. }) => end = Some(rows),
            }
        }
        read.interrupted = match end {
            None => Some("the runner stopped before its end".to_owned()),
            Some(rows) if rows != read.rows.len() => {
                Some(format!("the runner wrote {rows} rows, {} arrived", read.rows.len()))
            }
            Some(_) => None,
        };
        read
    }
}
