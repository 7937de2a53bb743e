//! Published vectors of ML-DSA on every engine, through every interface.
//!
//! They are looked for in `../shared/vectors`; a file that is not there is skipped with a line on standard error, and is
//! a failure if `HASHLOOM_REQUIRE`, a list separated by commas, has `vectors` in it.

mod common;

use std::{env, fs, path::Path};

use common::{loud, on_every_engine};
use hashloom::Engine;

/// A file, and how many cases must pass.
type Expected = (&'static str, usize);

/// NIST's, in both revisions of signing, and of another implementation.
const PUBLISHED: [Expected; 5] = [
    ("ML-DSA-keyGen", 75),
    ("ML-DSA-sigGen", 360),
    ("ML-DSA-sigGen-tr1", 360),
    ("ML-DSA-sigGen-kat", 180),
    ("ML-DSA-sigVer", 180),
];

const WYCHEPROOF: [Expected; 9] = [
    ("Wycheproof-ML-DSA-44-sign-noseed", 73),
    ("Wycheproof-ML-DSA-44-sign-seed", 86),
    ("Wycheproof-ML-DSA-44-verify", 180),
    ("Wycheproof-ML-DSA-65-sign-noseed", 78),
    ("Wycheproof-ML-DSA-65-sign-seed", 105),
    ("Wycheproof-ML-DSA-65-verify", 210),
    ("Wycheproof-ML-DSA-87-sign-noseed", 69),
    ("Wycheproof-ML-DSA-87-sign-seed", 96),
    ("Wycheproof-ML-DSA-87-verify", 241),
];

const TOTAL: usize = 2293;

/// Our own, which are part of the repository (`vectors/README.md`).
const NEGATIVE: [Expected; 3] = [("negative-ML-DSA-44", 302), ("negative-ML-DSA-65", 198), ("negative-ML-DSA-87", 212)];

fn read(name: &str) -> Option<hashloom_kat::VectorFile> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/vectors").join(format!("{name}.json.gz"));
    match fs::read(&path) {
        Ok(bytes) => Some(hashloom_kat::read(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"))),
        Err(error) => {
            let required = env::var("HASHLOOM_REQUIRE").unwrap_or_default();
            assert!(!required.split(',').any(|word| word.trim() == "vectors"), "{} is required", path.display());
            loud(&format!("SKIPPED: {}: {error}", path.display()));
            None
        }
    }
}

/// Cases that passed; all must.
fn check(&(name, expected): &Expected, engine: &Engine) -> usize {
    let Some(file) = read(name) else { return expected };
    assert_eq!(hashloom_kat::count(&file, None), expected, "{name}");
    let report = hashloom_kat::run(&file, engine, None);
    println!("{name} on {engine}\n{report}");
    report.failures.iter().chain(&report.skips).for_each(|note| println!("{note}"));
    assert_eq!((report.passed(), report.failed(), report.skipped()), (expected, 0, 0), "{name}");
    report.passed()
}

#[test]
fn all_on_every_engine() {
    on_every_engine(|engine| {
        let passed: usize = PUBLISHED.iter().chain(&WYCHEPROOF).map(|file| check(file, engine)).sum();
        assert_eq!(passed, TOTAL);
    });
}

#[test]
fn negative_on_every_engine() {
    on_every_engine(|engine| {
        for (name, expected) in NEGATIVE {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("vectors/{name}.json.gz"));
            let file = hashloom_kat::read(&fs::read(&path).unwrap()).unwrap();
            let report = hashloom_kat::run(&file, engine, None);
            report.failures.iter().for_each(|note| println!("{note}"));
            assert_eq!((report.passed(), report.failed(), report.skipped()), (expected, 0, 0), "{name} on {engine}");
        }
    });
}
