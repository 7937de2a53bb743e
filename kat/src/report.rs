//! Counts and details of a run.

use std::fmt;

/// What a row counts: an algorithm, and which of its cases. Its text is the parts separated by blanks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Parameter set or hash function.
    pub subject: String,
    /// Interface or kind of test: `keyGen`, `internal`, `pure`, `preHash`, `AFT`, `MCT`, ...
    pub kind: String,
    /// `deterministic`, `hedged`, `sigVer`, the variant of a Monte Carlo test, or empty.
    pub mode: &'static str,
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.subject, self.kind)?;
        if !self.mode.is_empty() {
            write!(f, " {}", self.mode)?;
        }
        Ok(())
    }
}

/// The result of a case.
pub type Verdict = Result<(), Trouble>;

/// Why a case did not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Something differs from what the file expects; what.
    Failed(String),
    /// The case was not judged; why.
    Skipped(String),
}

/// A finished case.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The row that counts it.
    pub label: &'a Label,
    /// The group's number in the file.
    pub tg_id: u64,
    /// The case's number in the file.
    pub tc_id: u64,
    /// How it went.
    pub verdict: &'a Verdict,
}

/// A count of cases with the same label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What they are.
    pub label: Label,
    /// Cases that agree with the file.
    pub passed: usize,
    /// Cases that do not.
    pub failed: usize,
    /// Cases that were not judged.
    pub skipped: usize,
}

/// What there is to say about a case that did not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The row that counts it.
    pub label: Label,
    /// The group's number in the file.
    pub tg_id: u64,
    /// The case's number in the file.
    pub tc_id: u64,
    /// What differs, or why the case was skipped.
    pub text: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, tgId {}, tcId {}: {}", self.label, self.tg_id, self.tc_id, self.text)
    }
}

/// The outcome of a run. Its text is a table of the rows, with totals if there are several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Counts, in the order in which labels first occur.
    pub rows: Vec<Row>,
    /// Every failure.
    pub failures: Vec<Note>,
    /// Every case that was not judged.
    pub skips: Vec<Note>,
}

impl Report {
    /// Cases that agree with the file.
    pub fn passed(&self) -> usize {
        self.rows.iter().map(|row| row.passed).sum()
    }

    /// Cases that do not.
    pub fn failed(&self) -> usize {
        self.failures.len()
    }

    /// Cases that were not judged.
    pub fn skipped(&self) -> usize {
        self.skips.len()
    }

    pub(crate) fn add(&mut self, case: &Case<'_>) {
        let note = |text: &String| Note {
            label: case.label.clone(),
            tg_id: case.tg_id,
            tc_id: case.tc_id,
            text: text.clone(),
        };
        let row = self.row(case.label);
        match case.verdict {
            Ok(()) => row.passed += 1,
            Err(Trouble::Failed(text)) => {
                row.failed += 1;
                self.failures.push(note(text));
            }
            Err(Trouble::Skipped(text)) => {
                row.skipped += 1;
                self.skips.push(note(text));
            }
        }
    }

    fn row(&mut self, label: &Label) -> &mut Row {
        let at = self.rows.iter().position(|row| row.label == *label).unwrap_or_else(|| {
            self.rows.push(Row { label: label.clone(), passed: 0, failed: 0, skipped: 0 });
            self.rows.len() - 1
        });
        &mut self.rows[at]
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels: Vec<String> = self.rows.iter().map(|row| row.label.to_string()).collect();
        let width = labels.iter().map(String::len).max().unwrap_or_default().max("total".len());
        let mut line = |label: &str, passed, failed, skipped| {
            writeln!(f, "{label:width$}  {passed:>6}  {failed:>6}  {skipped:>7}")
        };
        line("", "passed".to_string(), "failed".to_string(), "skipped".to_string())?;
        for (label, row) in labels.iter().zip(&self.rows) {
            line(label, row.passed.to_string(), row.failed.to_string(), row.skipped.to_string())?;
        }
        if self.rows.len() != 1 {
            line("total", self.passed().to_string(), self.failed().to_string(), self.skipped().to_string())?;
        }
        Ok(())
    }
}

/// Compares bytes; the text of a failure says where they part.
pub(crate) fn same(what: &str, actual: &[u8], expected: &[u8]) -> Verdict {
    if actual == expected {
        return Ok(());
    }
    let at = actual.iter().zip(expected).take_while(|(a, e)| a == e).count();
    Err(Trouble::Failed(if actual.len() == expected.len() {
        format!("{what}: byte {at} of {} is {:02x}, expected {:02x}", actual.len(), actual[at], expected[at])
    } else {
        format!("{what}: {} bytes, expected {}, equal up to byte {at}", actual.len(), expected.len())
    }))
}
