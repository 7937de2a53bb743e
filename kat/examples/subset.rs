//! A subset of `vectors/` on every backend of this machine, for emulators, which are slow: all of the hash functions, of
//! verification and NIST's of ML-DSA, but SLH-DSA's keys and signatures of the fast parameter sets only. Fails unless
//! every case passes and none is missing.
//!
//! `HASHLOOM_REQUIRE`, a list separated by commas, names backends that must be there.

use std::{env, fs, path::Path, process::ExitCode, time::Instant};

use hashloom::{Backend, Engine};

/// A file, a filter on its rows, and how many cases must pass.
const SUBSET: [(&str, &str, usize); 22] = [
    ("SLH-DSA-keyGen", "f keyGen", 60),
    ("SLH-DSA-sigGen", "f pure", 24),
    ("SLH-DSA-sigVer", "", 56),
    ("negative-SLH-DSA-SHA2-128f", "", 5),
    ("negative-SLH-DSA-SHAKE-128f", "", 5),
    ("SHA2-224", "", 70),
    ("SHA2-256", "", 70),
    ("SHA2-384", "", 134),
    ("SHA2-512", "", 134),
    ("SHA2-512-224", "", 134),
    ("SHA2-512-256", "", 134),
    ("SHA3-224", "", 149),
    ("SHA3-256", "", 141),
    ("SHA3-384", "", 110),
    ("SHA3-512", "", 80),
    ("SHAKE-128", "", 454),
    ("SHAKE-256", "", 402),
    ("ML-DSA-keyGen", "", 15),
    ("ML-DSA-sigGen", "", 48),
    ("ML-DSA-sigVer", "", 60),
    ("HMAC-rfc4231", "", 24),
    ("HKDF-rfc5869", "", 3),
];

fn main() -> ExitCode {
    let mut engines: Vec<(String, Engine)> = Engine::available().map(|(b, engine)| (b.to_string(), engine)).collect();
    if engines.iter().all(|(_, engine)| *engine != Engine::get()) {
        engines.push(("automatic".to_owned(), Engine::get()));
    }
    let required = env::var("HASHLOOM_REQUIRE").unwrap_or_default();
    for name in required.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        assert!(name.parse::<Backend>().is_ok_and(|b| Engine::with(b).is_ok()), "{name} is required");
    }

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors");
    let files: Vec<_> = SUBSET
        .iter()
        .map(|&(name, filter, expected)| {
            let path = folder.join(format!("{name}.json.gz"));
            let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let file = hashloom_kat::read(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            (name, filter, expected, file)
        })
        .collect();

    let mut wrong = 0;
    for (name, engine) in &engines {
        let (start, mut passed) = (Instant::now(), 0);
        for (file_name, filter, expected, file) in &files {
            let report = hashloom_kat::run(file, engine, Some(filter));
            passed += report.passed();
            if (report.passed(), report.failed(), report.skipped()) != (*expected, 0, 0) {
                wrong += 1;
                println!("FAILED: {name}: {file_name} {filter:?}, {expected} expected\n{report}");
                report.failures.iter().for_each(|note| println!("{note}"));
            }
        }
        println!("subset {name}: {passed} vectors passed in {:.1} s on {engine}", start.elapsed().as_secs_f64());
    }
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
