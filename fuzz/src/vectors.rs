//! Vector files of anybody: an error or a report, and every case is in it.

use hashloom::Engine;
use hashloom_kat::{Options, count, read, run_with};

/// Input: a file.
pub fn run(data: &[u8]) {
    let file = match read(data) {
        Ok(file) => file,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    // the other sets sign for seconds
    let filter = file.to_string().starts_with("SLH-DSA").then_some("128f");
    let selected = count(&file, filter);
    assert!(selected <= count(&file, None));
    if selected > 64 {
        return;
    }
    let mut seen = 0;
    let report = run_with(&file, &Engine::get(), &Options { filter, largest: 0 }, |_| seen += 1);
    assert_eq!(seen, selected, "every case has a verdict");
    assert_eq!(report.passed() + report.failed() + report.skipped(), seen);
    assert!(!report.to_string().is_empty());
}
