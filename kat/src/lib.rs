//! Known-answer tests: reads NIST ACVP vector files (JSON, gzipped or plain; inputs and expected outputs in one object,
//! as in an `internalProjection.json`) and runs them against a [`hashloom::Engine`].
//!
//! SLH-DSA and ML-DSA keyGen, sigGen and sigVer, SHA-2, SHA-3 and SHAKE, HMAC, PBKDF and KDA-HKDF; and files in
//! Wycheproof's form for ML-DSA, the verification of SLH-DSA, HMAC, HKDF and PBKDF2. Nothing passes that was not
//! compared: a case that cannot be judged, because it holds a value that is unknown
//! here or lacks the expected output, is counted as skipped, with the reason.
//!
//! ```
//! let json = br#"{"algorithm": "SHA2-256", "testGroups": [{"tgId": 1, "testType": "AFT", "tests": [{"tcId": 1,
//!     "msg": "616263", "len": 24, "md": "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"}]}]}"#;
//! let file = hashloom_kat::read(json)?;
//! let report = hashloom_kat::run(&file, &hashloom::Engine::get(), None);
//! assert_eq!((report.passed(), report.failed(), report.skipped()), (1, 0, 0));
//! # Ok::<(), hashloom_kat::KatError>(())
//! ```

pub mod cost;
mod error;
mod format;
mod hashes;
mod keyed;
mod mct;
mod ml_dsa;
mod report;
mod slh_dsa;
mod wycheproof;

use hashloom::Engine;

pub use error::KatError;
pub use format::{VectorFile, read};
pub use report::{Case, Label, Note, Report, Row, Trouble, Verdict};

use format::{Group, Suite, Vector};

/// What to run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Only rows whose label contains this text, in any case.
    pub filter: Option<&'a str>,
    /// Bytes of the longest message to make for a large-data test (LDT); these begin at 1 GiB, and those beyond are
    /// skipped. The default is none.
    pub largest: u64,
}

/// Runs the cases of `file` whose row label contains `filter`, in the file's order.
pub fn run(file: &VectorFile, engine: &Engine, filter: Option<&str>) -> Report {
    run_with(file, engine, &Options { filter, ..Options::default() }, |_| ())
}

/// Runs the cases of `file` that `options` select and calls `progress` after each.
pub fn run_with(
    file: &VectorFile,
    engine: &Engine,
    options: &Options<'_>,
    mut progress: impl FnMut(&Case<'_>),
) -> Report {
    let mut report = Report::default();
    for (label, group) in selected(file, options.filter) {
        let mut done = |test: &Vector, verdict: Verdict| {
            let case = Case { label: &label, tg_id: group.tg_id, tc_id: test.tc_id, verdict: &verdict };
            report.add(&case);
            progress(&case);
        };
        match file.suite {
            Suite::MlDsa(operation) => ml_dsa::run(operation, engine, group, &mut done),
            Suite::SlhDsa(operation) => slh_dsa::run(operation, engine, group, &mut done),
            Suite::Hash(function) => function.run(engine, group, options.largest, &mut done),
            Suite::Keyed(kind) => kind.run(engine, group, &mut done),
        }
    }
    report
}

/// How many cases a run with this filter has, skipped ones included.
pub fn count(file: &VectorFile, filter: Option<&str>) -> usize {
    selected(file, filter).map(|(_, group)| group.tests.len()).sum()
}

/// A label holds what a group says, so that a filter keeps or drops whole groups.
fn selected<'a>(file: &'a VectorFile, filter: Option<&str>) -> impl Iterator<Item = (Label, &'a Group)> {
    let filter = filter.unwrap_or_default().to_lowercase();
    let label = |group| match file.suite {
        Suite::MlDsa(operation) => ml_dsa::label(operation, group),
        Suite::SlhDsa(operation) => slh_dsa::label(operation, group),
        Suite::Hash(function) => function.label(group),
        Suite::Keyed(kind) => kind.label(group),
    };
    file.groups
        .iter()
        .map(move |group| (label(group), group))
        .filter(move |(label, _)| label.to_string().to_lowercase().contains(&filter))
}
