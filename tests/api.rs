//! The public interface as it is listed in `api.txt`: no change of it goes unnoticed.
//!
//! `HASHLOOM_RENEW=api cargo test --test api` writes the list anew. It is made from rustdoc's JSON, which the stable
//! toolchain makes as well when it is told to; where it does not, or in a form that cannot be read, the test is skipped
//! with a line on standard error, or fails if `HASHLOOM_REQUIRE` names `api`.
#![cfg(target_arch = "x86_64")] // the list has this machine's backends

mod common;

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use public_api::Builder;

/// Automatic traits of which nothing is promised.
const NOT_PROMISED: [&str; 5] = ["Freeze", "Unpin", "UnsafeUnpin", "RefUnwindSafe", "UnwindSafe"];

fn named(variable: &str) -> bool {
    env::var(variable).unwrap_or_default().split(',').any(|word| word.trim() == "api")
}

fn rustdoc_json() -> Result<PathBuf, String> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("api");
    let output = Command::new(env!("CARGO"))
        .args(["rustdoc", "--locked", "--lib", "--package", "hashloom", "--all-features", "--target-dir"])
        .arg(&target)
        .args(["--", "-Z", "unstable-options", "--output-format", "json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("RUSTC_BOOTSTRAP", "1")
        .env_remove("RUSTFLAGS")
        .env_remove("RUSTDOCFLAGS")
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(target.join("doc/hashloom.json"));
    }
    let why = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(why.contains("nightly compiler"), "the documentation cannot be made: {why}");
    Err(why)
}

fn listed() -> Result<Vec<String>, String> {
    let api = Builder::from_rustdoc_json(rustdoc_json()?)
        .omit_blanket_impls(true)
        .sorted(false)
        .build()
        .map_err(|error| error.to_string())?;
    let promised = |line: &String| {
        let trait_name = line.strip_prefix("impl").and_then(|rest| rest.split(" for ").next());
        !trait_name.is_some_and(|name| NOT_PROMISED.iter().any(|no| name.ends_with(&format!("::{no}"))))
    };
    // once each and in one order, whatever the toolchain's is
    let lines: BTreeSet<String> = api.items().map(ToString::to_string).filter(promised).collect();
    Ok(lines.into_iter().collect())
}

/// Lines of `of` that `other` lacks, each after a sign.
fn missing(sign: char, of: &[String], other: &[String]) -> Vec<String> {
    let other: BTreeSet<&String> = other.iter().collect();
    of.iter().filter(|line| !other.contains(line)).map(|line| format!("{sign} {line}")).collect()
}

#[test]
fn the_public_interface_is_the_listed_one() {
    let now = match listed() {
        Ok(now) => now,
        Err(why) => {
            assert!(!named("HASHLOOM_REQUIRE"), "the list of the interface is required: {why}");
            return common::loud(&format!("SKIPPED: no list of the public interface from this toolchain: {why}"));
        }
    };
    assert!(now.len() > 300, "only {} lines", now.len());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("api.txt");
    if named("HASHLOOM_RENEW") {
        fs::write(&path, now.join("\n") + "\n").unwrap();
    }
    let kept: Vec<String> = fs::read_to_string(&path).unwrap().lines().map(str::to_owned).collect();
    let changes = [missing('-', &kept, &now), missing('+', &now, &kept)].concat();
    assert!(
        changes.is_empty(),
        "the public interface has changed; if that is meant, renew the list: HASHLOOM_RENEW=api cargo test --test api\n{}",
        changes.join("\n")
    );
}

#[test]
fn a_change_is_found() {
    let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
    assert_eq!(missing('-', &lines("a b c"), &lines("a c d")), ["- b"]);
    assert_eq!(missing('+', &lines("a c d"), &lines("a b c")), ["+ d"]);
}
