//! `hash`.

mod common;

use common::{Place, json, stdout};
use predicates::prelude::{PredicateBooleanExt, predicate::str::contains};

/// SHA-256 of "abc".
const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

#[test]
fn lines() {
    let place = Place::with_messages();
    place.write("abc", b"abc");
    place.run("hash --alg sha256 abc", 0).stdout(format!("{ABC}  abc\n")).stderr(contains("engine: keccak "));
    let known = [
        ("SHA2-224", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
        ("sha-256", ABC),
        ("sha512-256", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
        ("SHA3-256", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
        ("shake128", "5881092dd818bf5cf8a3ddb793fbcba74097d5c526a6d35f97b83351940f2cc8"),
        ("shake128 --out-len 4", "5881092d"),
    ];
    for (alg, digest) in known {
        place.run(&format!("hash --alg {alg} abc"), 0).stdout(format!("{digest}  abc\n"));
    }
    let lengths = [("shake128", 32), ("shake256", 64), ("sha384", 48), ("shake256 --out-len 500", 500)];
    for (alg, len) in lengths {
        let line = stdout(&place.run(&format!("hash --alg {alg} a"), 0));
        assert_eq!(line.len(), 2 * len + "  a\n".len(), "{alg}");
    }
    place.command("hash --alg sha256 -").write_stdin("abc").assert().code(0).stdout(format!("{ABC}  -\n"));
    // hashes are results, which --quiet does not suppress
    place.run("--quiet hash --alg sha256 abc", 0).stdout(format!("{ABC}  abc\n")).stderr("");
}

#[test]
fn many_files() {
    let place = Place::with_messages();
    let names: Vec<String> = (0..200).map(|i| format!("m{i}")).collect();
    for (i, name) in names.iter().enumerate() {
        place.write(name, &vec![b'x'; i * 13]);
    }
    let args = format!("{} c {}", names[..70].join(" "), names[70..].join(" "));
    for alg in ["sha256", "sha512", "sha3-256", "shake256"] {
        let together = stdout(&place.run(&format!("hash --alg {alg} {args}"), 0));
        let portable = stdout(&place.run(&format!("--backend portable --threads 1 hash --alg {alg} {args}"), 0));
        assert_eq!(together, portable);
        let order: Vec<&str> = together.lines().map(|line| line.split_once("  ").unwrap().1).collect();
        assert_eq!(order, args.split_whitespace().collect::<Vec<_>>());
        for name in ["m0", "m199", "c"] {
            let alone = stdout(&place.run(&format!("hash --alg {alg} {name}"), 0));
            assert!(together.contains(&alone));
        }
    }
}

#[test]
fn errors() {
    let place = Place::with_messages();
    place
        .run("hash --alg sha3-256 a nothing . b", 2)
        .stdout(contains("  a\n").and(contains("  b\n")))
        .stderr(contains("error: nothing: cannot read").and(contains("error: .: is a directory")));
    place.run("hash --alg md5 a", 2).stderr(contains("possible values").and(contains("SHA3-256")));
    place.run("hash --alg sha256 --out-len 16 a", 2).stderr(contains("--out-len is for SHAKE"));
    place.run("hash --alg shake128 --out-len 0 a", 2);
    place.run("hash --alg sha256", 2).stderr(contains("required"));
    place.run("hash a", 2).stderr(contains("--alg"));
    place.run("hash --alg sha256 - -", 2).stderr(contains("only once"));
}

#[test]
fn json_lines_and_summary() {
    let place = Place::with_messages();
    let lines = json(&place.run("--json hash --alg sha256 b nothing", 2));
    assert_eq!(lines[0]["digest"], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_eq!((&lines[0]["file"], &lines[0]["algorithm"]), (&"b".into(), &"SHA2-256".into()));
    assert_eq!(lines[1]["status"], "error");
    assert_eq!((&lines[2]["hashed"], &lines[2]["failed"]), (&1.into(), &1.into()));
    assert!(lines[2]["engine"].as_str().unwrap().starts_with("keccak "));
}
