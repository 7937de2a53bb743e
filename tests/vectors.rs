//! Published vectors on every engine.
//!
//! The set in `vectors/` is part of the repository. The full one is looked for in `../shared/vectors`; a file that is
//! not there, or a backend that this machine lacks, is skipped with a line on standard error. `HASHLOOM_REQUIRE`, a
//! list separated by commas, turns the skip into a failure: `vectors` for the files, a backend's name for a backend.
//!
//! What is slow and not on the automatic engine is ignored; `cargo test --test vectors -- --ignored` runs it.

use std::{
    collections::BTreeMap,
    env, fmt, fs,
    io::{self, Write},
    path::Path,
};

use hashloom::{Backend, Engine};

const COMPACT: &str = "vectors";
const FULL: &str = "../shared/vectors";

/// A file, a filter on its rows, and how many cases must pass and be skipped. The skipped ones are the large-data tests
/// of the hashes, messages of 1 to 8 GiB.
type Expected = (&'static str, &'static str, usize, usize);

const COMPACT_SET: [Expected; 46] = [
    ("SLH-DSA-keyGen", "", 120, 0),
    ("SLH-DSA-sigGen", "", 90, 0),
    ("SLH-DSA-sigVer", "", 56, 0),
    ("SHA2-224", "", 70, 0),
    ("SHA2-256", "", 70, 0),
    ("SHA2-384", "", 134, 0),
    ("SHA2-512", "", 134, 0),
    ("SHA2-512-224", "", 134, 0),
    ("SHA2-512-256", "", 134, 0),
    ("SHA3-224", "", 149, 0),
    ("SHA3-256", "", 141, 0),
    ("SHA3-384", "", 110, 0),
    ("SHA3-512", "", 80, 0),
    ("SHAKE-128", "", 454, 0),
    ("SHAKE-256", "", 402, 0),
    ("HMAC-rfc4231", "", 24, 0),
    ("HKDF-rfc5869", "", 3, 0),
    ("Wycheproof-HMAC-sha224", "", 172, 0),
    ("Wycheproof-HMAC-sha256", "", 174, 0),
    ("Wycheproof-HMAC-sha384", "", 174, 0),
    ("Wycheproof-HMAC-sha512", "", 174, 0),
    ("Wycheproof-HMAC-sha512-224", "", 173, 0),
    ("Wycheproof-HMAC-sha512-256", "", 175, 0),
    ("Wycheproof-HMAC-sha3-224", "", 172, 0),
    ("Wycheproof-HMAC-sha3-256", "", 174, 0),
    ("Wycheproof-HMAC-sha3-384", "", 174, 0),
    ("Wycheproof-HMAC-sha3-512", "", 174, 0),
    ("Wycheproof-HKDF-sha256", "", 86, 0),
    ("Wycheproof-HKDF-sha384", "", 83, 0),
    ("Wycheproof-HKDF-sha512", "", 83, 0),
    ("Wycheproof-PBKDF2-hmacsha224", "", 58, 0),
    ("Wycheproof-PBKDF2-hmacsha256", "", 60, 0),
    ("Wycheproof-PBKDF2-hmacsha384", "", 58, 0),
    ("Wycheproof-PBKDF2-hmacsha512", "", 58, 0),
    ("negative-SLH-DSA-SHA2-128s", "", 421, 0),
    ("negative-SLH-DSA-SHA2-128f", "", 5, 0),
    ("negative-SLH-DSA-SHA2-192s", "", 5, 0),
    ("negative-SLH-DSA-SHA2-192f", "", 4, 0),
    ("negative-SLH-DSA-SHA2-256s", "", 5, 0),
    ("negative-SLH-DSA-SHA2-256f", "", 4, 0),
    ("negative-SLH-DSA-SHAKE-128s", "", 302, 0),
    ("negative-SLH-DSA-SHAKE-128f", "", 5, 0),
    ("negative-SLH-DSA-SHAKE-192s", "", 5, 0),
    ("negative-SLH-DSA-SHAKE-192f", "", 4, 0),
    ("negative-SLH-DSA-SHAKE-256s", "", 5, 0),
    ("negative-SLH-DSA-SHAKE-256f", "", 4, 0),
];

const COMPACT_ML_DSA: [Expected; 15] = [
    ("ML-DSA-keyGen", "", 15, 0),
    ("ML-DSA-sigGen", "", 48, 0),
    ("ML-DSA-sigVer", "", 60, 0),
    ("Wycheproof-ML-DSA-44-sign-noseed", "", 16, 0),
    ("Wycheproof-ML-DSA-44-sign-seed", "", 17, 0),
    ("Wycheproof-ML-DSA-44-verify", "", 35, 0),
    ("Wycheproof-ML-DSA-65-sign-noseed", "", 16, 0),
    ("Wycheproof-ML-DSA-65-sign-seed", "", 18, 0),
    ("Wycheproof-ML-DSA-65-verify", "", 36, 0),
    ("Wycheproof-ML-DSA-87-sign-noseed", "", 16, 0),
    ("Wycheproof-ML-DSA-87-sign-seed", "", 18, 0),
    ("Wycheproof-ML-DSA-87-verify", "", 38, 0),
    ("negative-ML-DSA-44", "", 302, 0),
    ("negative-ML-DSA-65", "", 198, 0),
    ("negative-ML-DSA-87", "", 212, 0),
];

const HASHES: [Expected; 26] = [
    ("SHA2-224-cavp", "", 130, 0),
    ("SHA2-224", "", 80, 4),
    ("SHA2-256-cavp", "", 130, 0),
    ("SHA2-256", "", 513, 4),
    ("SHA2-384-cavp", "", 258, 0),
    ("SHA2-384", "", 133, 4),
    ("SHA2-512-cavp", "", 258, 0),
    ("SHA2-512", "", 1025, 4),
    ("SHA2-512-224-cavp", "", 194, 0),
    ("SHA2-512-224", "", 147, 4),
    ("SHA2-512-256-cavp", "", 194, 0),
    ("SHA2-512-256", "", 1025, 4),
    ("SHA3-224-cavp", "", 246, 0),
    ("SHA3-224", "", 164, 4),
    ("SHA3-256-cavp", "", 238, 0),
    ("SHA3-256", "", 152, 4),
    ("SHA3-384-cavp", "", 206, 0),
    ("SHA3-384", "", 119, 4),
    ("SHA3-512-cavp", "", 174, 0),
    ("SHA3-512", "", 87, 4),
    ("SHAKE-128-cavp", "", 1564, 0),
    ("SHAKE-128", "", 237, 0),
    ("SHAKE-128-FIPS202", "", 269, 0),
    ("SHAKE-256-cavp", "", 1620, 0),
    ("SHAKE-256", "", 211, 0),
    ("SHAKE-256-FIPS202", "", 41, 0),
];

/// HMAC, HKDF and KDA.
const KEYED: [Expected; 36] = [
    ("HKDF-rfc5869", "", 3, 0),
    ("HMAC-SHA2-224-r1", "", 975, 0),
    ("HMAC-SHA2-224", "", 150, 0),
    ("HMAC-SHA2-256-r1", "", 975, 0),
    ("HMAC-SHA2-256", "", 150, 0),
    ("HMAC-SHA2-384-r1", "", 975, 0),
    ("HMAC-SHA2-384", "", 150, 0),
    ("HMAC-SHA2-512-224-r1", "", 975, 0),
    ("HMAC-SHA2-512-224", "", 150, 0),
    ("HMAC-SHA2-512-256-r1", "", 975, 0),
    ("HMAC-SHA2-512-256", "", 150, 0),
    ("HMAC-SHA2-512-r1", "", 975, 0),
    ("HMAC-SHA2-512", "", 150, 0),
    ("HMAC-SHA3-224-r1", "", 975, 0),
    ("HMAC-SHA3-224", "", 150, 0),
    ("HMAC-SHA3-256-r1", "", 975, 0),
    ("HMAC-SHA3-256", "", 150, 0),
    ("HMAC-SHA3-384-r1", "", 975, 0),
    ("HMAC-SHA3-384", "", 150, 0),
    ("HMAC-SHA3-512-r1", "", 975, 0),
    ("HMAC-SHA3-512", "", 150, 0),
    ("HMAC-rfc4231", "", 24, 0),
    ("KDA-HKDF", "", 30, 0),
    ("Wycheproof-HKDF-sha256", "", 86, 0),
    ("Wycheproof-HKDF-sha384", "", 83, 0),
    ("Wycheproof-HKDF-sha512", "", 83, 0),
    ("Wycheproof-HMAC-sha224", "", 172, 0),
    ("Wycheproof-HMAC-sha256", "", 174, 0),
    ("Wycheproof-HMAC-sha3-224", "", 172, 0),
    ("Wycheproof-HMAC-sha3-256", "", 174, 0),
    ("Wycheproof-HMAC-sha3-384", "", 174, 0),
    ("Wycheproof-HMAC-sha3-512", "", 174, 0),
    ("Wycheproof-HMAC-sha384", "", 174, 0),
    ("Wycheproof-HMAC-sha512-224", "", 173, 0),
    ("Wycheproof-HMAC-sha512-256", "", 175, 0),
    ("Wycheproof-HMAC-sha512", "", 174, 0),
];

const PBKDF2: [Expected; 5] = [
    ("PBKDF", "", 50, 0),
    ("Wycheproof-PBKDF2-hmacsha224", "", 58, 0),
    ("Wycheproof-PBKDF2-hmacsha256", "", 60, 0),
    ("Wycheproof-PBKDF2-hmacsha384", "", 58, 0),
    ("Wycheproof-PBKDF2-hmacsha512", "", 58, 0),
];

/// NIST's files in both revisions of signing, the file of another implementation, and Wycheproof's.
const ML_DSA: [Expected; 14] = [
    ("ML-DSA-keyGen", "", 75, 0),
    ("ML-DSA-sigGen", "", 360, 0),
    ("ML-DSA-sigGen-tr1", "", 360, 0),
    ("ML-DSA-sigGen-kat", "", 180, 0),
    ("ML-DSA-sigVer", "", 180, 0),
    ("Wycheproof-ML-DSA-44-sign-noseed", "", 73, 0),
    ("Wycheproof-ML-DSA-44-sign-seed", "", 86, 0),
    ("Wycheproof-ML-DSA-44-verify", "", 180, 0),
    ("Wycheproof-ML-DSA-65-sign-noseed", "", 78, 0),
    ("Wycheproof-ML-DSA-65-sign-seed", "", 105, 0),
    ("Wycheproof-ML-DSA-65-verify", "", 210, 0),
    ("Wycheproof-ML-DSA-87-sign-noseed", "", 69, 0),
    ("Wycheproof-ML-DSA-87-sign-seed", "", 96, 0),
    ("Wycheproof-ML-DSA-87-verify", "", 241, 0),
];

const KEY_GEN: [Expected; 1] = [("SLH-DSA-keyGen", "", 120, 0)];

const SIG_VER: [Expected; 1] = [("SLH-DSA-sigVer", "", 462, 0)];

const SIG_GEN_FAST: [Expected; 3] =
    [("SLH-DSA-sigGen", "128f ", 92, 0), ("SLH-DSA-sigGen", "192f ", 92, 0), ("SLH-DSA-sigGen", "256f ", 92, 0)];

const SIG_GEN_SMALL: [Expected; 3] =
    [("SLH-DSA-sigGen", "128s ", 92, 0), ("SLH-DSA-sigGen", "192s ", 92, 0), ("SLH-DSA-sigGen", "256s ", 92, 0)];

macro_rules! on_engines {
    ($($engine:ident $(, #[$slow:meta])?;)*) => {
        const ENGINES: &[&str] = &[$(stringify!($engine)),*];
        $(
            mod $engine {
                use super::*;

                fn check(folder: &str, table: &[Expected]) {
                    if let Some(engine) = engine(stringify!($engine)) {
                        table.iter().for_each(|expected| super::check(folder, expected, &engine));
                    }
                }

                #[test]
                fn compact() {
                    check(COMPACT, &COMPACT_SET);
                }

                #[test]
                fn compact_ml_dsa() {
                    check(COMPACT, &COMPACT_ML_DSA);
                }

                #[test]
                fn hashes() {
                    check(FULL, &HASHES);
                }

                #[test]
                fn keyed() {
                    check(FULL, &KEYED);
                }

                #[test]
                fn pbkdf2() {
                    check(FULL, &PBKDF2);
                }

                #[test]
                fn ml_dsa() {
                    check(FULL, &ML_DSA);
                }

                /// The compact set has the same cases.
                #[test]
                $(#[$slow])?
                fn key_gen() {
                    check(FULL, &KEY_GEN);
                }

                #[test]
                fn sig_ver() {
                    check(FULL, &SIG_VER);
                }

                #[test]
                fn sig_gen_fast() {
                    check(FULL, &SIG_GEN_FAST);
                }

                /// Nearly five minutes of CPU time on the portable engine, three where SHA-256 alone is fast, half a
                /// minute to a minute and a half on the others. The compact set, too, has a few such cases.
                #[test]
                $(#[$slow])?
                fn sig_gen_small() {
                    check(FULL, &SIG_GEN_SMALL);
                }
            }
        )*
    };
}

on_engines! {
    portable, #[ignore = "slow"];
    avx2, #[ignore = "slow"];
    avx512, #[ignore = "slow"];
    avx512vl, #[ignore = "slow"];
    sha_ni, #[ignore = "slow"];
    neon, #[ignore = "slow"];
    sha2_ext, #[ignore = "slow"];
    sha3_ext, #[ignore = "slow"];
    automatic;
}

#[test]
fn every_backend_has_its_tests() {
    for backend in Backend::ALL {
        assert!(ENGINES.iter().any(|engine| engine.replace('_', "-") == backend.name()), "{backend}");
    }
}

/// The profile that vectors are run in stops at every overflow, of the library's arithmetic, too.
#[test]
fn arithmetic_is_checked() {
    if !cfg!(debug_assertions) {
        return skip("overflow-checks", "arithmetic is not checked", "a release build");
    }
    let sum = std::panic::catch_unwind(|| std::hint::black_box(u8::MAX) + std::hint::black_box(1));
    assert!(sum.is_err(), "255 + 1 = {sum:?} in a u8");
}

/// Filters leave no case out.
#[test]
fn tables_are_complete() {
    let full = [&HASHES[..], &KEYED, &PBKDF2, &ML_DSA, &KEY_GEN, &SIG_VER, &SIG_GEN_FAST, &SIG_GEN_SMALL].concat();
    for (table, total) in [(&KEYED[..], 13_295), (&PBKDF2, 284), (&ML_DSA, 2293)] {
        assert_eq!(table.iter().map(|(_, _, passed, _)| passed).sum::<usize>(), total);
    }
    for (folder, table) in [(COMPACT, &COMPACT_SET[..]), (COMPACT, &COMPACT_ML_DSA), (FULL, &full)] {
        let mut totals: BTreeMap<_, usize> = BTreeMap::new();
        for &(file, _, passed, skipped) in table {
            *totals.entry(file).or_default() += passed + skipped;
        }
        for (name, total) in totals {
            if let Some(file) = read(folder, name) {
                assert_eq!(hashloom_kat::count(&file, None), total, "{name}");
            }
        }
    }
}

fn engine(name: &str) -> Option<Engine> {
    if name == "automatic" {
        return Some(Engine::get());
    }
    let name = name.replace('_', "-");
    let backend: Backend = name.parse().expect("a backend's name");
    Engine::with(backend).map_err(|error| skip(&name, &name, error)).ok()
}

fn read(folder: &str, name: &str) -> Option<hashloom_kat::VectorFile> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(format!("{name}.json.gz"));
    match fs::read(&path) {
        Ok(bytes) => Some(hashloom_kat::read(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))),
        Err(error) if folder == COMPACT => panic!("{}: {error}", path.display()),
        Err(error) => {
            skip("vectors", &path.display().to_string(), error);
            None
        }
    }
}

/// Standard error itself: what the print macros write is shown for failed tests only.
fn skip(required_as: &str, what: &str, why: impl fmt::Display) {
    let required = env::var("HASHLOOM_REQUIRE").unwrap_or_default();
    assert!(!required.split(',').any(|word| word.trim() == required_as), "{what} is required: {why}");
    writeln!(io::stderr(), "SKIPPED: {what}: {why}").expect("standard error is open");
}

fn check(folder: &str, &(name, filter, passed, skipped): &Expected, engine: &Engine) {
    let Some(file) = read(folder, name) else { return };
    let report = hashloom_kat::run(&file, engine, Some(filter));
    println!("{folder}/{name} {filter:?} on {engine}\n{report}");
    for note in &report.failures {
        println!("{note}");
    }
    assert_eq!(
        (report.passed(), report.failed(), report.skipped()),
        (passed, 0, skipped),
        "{folder}/{name} {filter:?}"
    );
}
