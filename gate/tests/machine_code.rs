//! Compiles programs that break the rules and lets the census read them, so that it is known to see what it is for.

use std::{fs, path::Path, process::Command};

use gate::{
    census::{Census, Side},
    judge::{Problem, audit, audit_code},
    record::Rival,
    toolchain::{Built, Compiler, Level, Package},
};

/// Functions with names of all three sides; `rotate` becomes rorx where BMI2 may be used.
const CLEAN: &str = "
typedef unsigned int u32;
#define ROTATE(name) __attribute__((noinline)) u32 name(u32 x) { return (x >> 7 | x << 25) ^ (x >> 18 | x << 14); }
ROTATE(_ZN8hashloom8portable7permute17h0123456789abcdefE)
ROTATE(PQCLEAN_SPHINCSSHA2128FSIMPLE_CLEAN_thash)
ROTATE(sha2_256_compress)
int main(int argc, char **argv) {
    (void) argv;
    return (int) (_ZN8hashloom8portable7permute17h0123456789abcdefE(argc) + sha2_256_compress(argc)
        + PQCLEAN_SPHINCSSHA2128FSIMPLE_CLEAN_thash(argc));
}
";

const SHA: &str = "
#include <immintrin.h>
__attribute__((target(\"sha,sse4.1\"))) __m128i hidden(__m128i a, __m128i b) {
    return _mm_sha256msg1_epu32(_mm_sha256rnds2_epu32(a, b, a), b);
}
";

const AVX2: &str = "
#include <immintrin.h>
__attribute__((target(\"avx2\"))) __m256i hidden(__m256i a, __m256i b) { return _mm256_add_epi32(a, b); }
";

const AVX512: &str = "
#include <immintrin.h>
__attribute__((target(\"avx512f\"))) __m512i hidden(__m512i a, __m512i b) { return _mm512_add_epi32(a, b); }
";

/// The census of C code, or nothing, said aloud, on a machine without the tools.
fn census(code: &str, level: Level, flags: &[&str]) -> Option<Census> {
    let dir = tempfile::tempdir().unwrap();
    let (source, program) = (dir.path().join("planted.c"), dir.path().join("planted"));
    fs::write(&source, code).unwrap();
    let compile = |source: &Path, program: &Path| {
        Command::new("gcc").args(flags).arg("-o").arg(program).arg(source).status().is_ok_and(|status| status.success())
    };
    let tools = ["gcc", "objdump", "readelf"];
    if let Some(tool) = tools.iter().find(|tool| Command::new(tool).arg("--version").output().is_err()) {
        assert!(std::env::var_os("HASHLOOM_REQUIRE").is_none(), "{tool} is required");
        eprintln!("SKIPPED: there is no {tool}");
        return None;
    }
    assert!(compile(&source, &program), "gcc failed");
    Some(Census::take(&program, level).unwrap())
}

fn problems(code: &str, level: Level, flags: &[&str]) -> Option<Vec<Problem>> {
    census(code, level, flags).map(|census| audit_code(&census, level))
}

const V3: [&str; 3] = ["-O3", "-march=x86-64-v3", "-frecord-gcc-switches"];
const BASELINE: [&str; 3] = ["-O3", "-march=x86-64", "-frecord-gcc-switches"];

#[test]
fn clean_programs_pass() {
    assert!(problems(CLEAN, Level::V3, &V3).is_none_or(|problems| problems.is_empty()));
    assert!(problems(CLEAN, Level::Baseline, &BASELINE).is_none_or(|problems| problems.is_empty()));
}

#[test]
fn hash_instructions_are_seen_wherever_they_are() {
    for (level, flags) in [(Level::V3, V3), (Level::Baseline, BASELINE)] {
        let Some(problems) = problems(&format!("{CLEAN}{SHA}"), level, &flags) else { return };
        let [Problem::Foreign { first, .. }] = &problems[..] else { panic!("{problems:?}") };
        assert_eq!(first.function, "hidden");
        assert!(first.instruction.starts_with("sha256"), "{first:?}");
    }
}

#[test]
fn wide_registers_are_seen() {
    let code = format!("{CLEAN}{AVX2}");
    let Some(found) = problems(&code, Level::Baseline, &BASELINE) else { return };
    assert!(matches!(&found[..], [Problem::Foreign { first, .. }] if first.function == "hidden"), "{found:?}");
    assert_eq!(problems(&code, Level::V3, &V3).unwrap(), []);
    let found = problems(&format!("{CLEAN}{AVX512}"), Level::V3, &V3).unwrap();
    assert!(matches!(&found[..], [Problem::Foreign { first, .. }] if first.function == "hidden"), "{found:?}");
}

#[test]
fn a_level_that_did_not_arrive_is_seen() {
    // claimed to be v3, and is not
    let Some(found) = problems(CLEAN, Level::V3, &BASELINE) else { return };
    assert_eq!(found.len(), 4, "{found:?}");
    let found = problems(CLEAN, Level::Baseline, &V3).unwrap();
    assert!(found.iter().any(|problem| matches!(problem, Problem::Foreign { .. })), "{found:?}");
}

#[test]
fn other_switches_are_seen() {
    for flags in [
        &["-O2", "-march=x86-64", "-frecord-gcc-switches"][..],
        &["-O3", "-march=x86-64"],
        &["-O3", "-march=x86-64", "-frecord-gcc-switches", "-fno-omit-frame-pointer"],
    ] {
        let Some(found) = problems(CLEAN, Level::Baseline, flags) else { return };
        assert!(matches!(found[..], [Problem::Build(..)]), "{flags:?}: {found:?}");
    }
}

#[test]
fn nothing_checked_is_not_nothing_found() {
    let Some(found) = problems("int main(void) { return 0; }", Level::V3, &V3) else { return };
    assert_eq!(found.len(), Side::ALL.len());
    assert!(found.iter().all(|problem| matches!(problem, Problem::Unchecked(_))), "{found:?}");
}

#[test]
fn a_stripped_program_is_not_checked() {
    let Some(found) = problems(CLEAN, Level::V3, &[&V3[..], &["-s"]].concat()) else { return };
    assert!(found.iter().any(|problem| matches!(problem, Problem::Unchecked(_))), "{found:?}");
}

#[test]
fn features_that_help_one_side_are_seen() {
    let package = |features: &[&str], opt_level: &str| Package {
        name: "package".to_owned(),
        version: "1.0.0".to_owned(),
        features: features.iter().map(|&feature| feature.to_owned()).collect(),
        opt_level: opt_level.to_owned(),
    };
    let build = |hashloom, pqclean| Built {
        level: Level::V3,
        compiler: Compiler { command: "gcc".to_owned(), version: "gcc".to_owned() },
        rust_flags: String::new(),
        c_flags: String::new(),
        hashloom,
        rivals: vec![(Rival::PqClean, pqclean), (Rival::SlhdsaC, package(&[], "3"))],
        executable: "runner".into(),
    };
    let Some(census) = census(CLEAN, Level::V3, &V3) else { return };
    let found = |built: &Built| audit(built, &census).len();
    assert_eq!(found(&build(package(&["std"], "3"), package(&[], "3"))), 0);
    assert_eq!(found(&build(package(&["rayon", "std"], "3"), package(&[], "3"))), 1);
    assert_eq!(found(&build(package(&["std"], "1"), package(&[], "3"))), 1);
    assert_eq!(found(&build(package(&["std"], "3"), package(&["avx2", "std"], "3"))), 1);
}
