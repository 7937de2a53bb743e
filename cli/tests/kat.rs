//! `kat`.

mod common;

use common::{Place, json};
use predicates::prelude::{PredicateBooleanExt, predicate::str::contains};

/// SHA-256 of "abc".
const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// Vectors of SHA-256: of "abc" with this digest, of nothing, and one without a digest.
fn vectors(digest: &str) -> String {
    format!(
        r#"{{"algorithm": "SHA2-256", "testGroups": [{{"tgId": 1, "testType": "AFT", "tests": [
            {{"tcId": 1, "msg": "616263", "len": 24, "md": "{digest}"}},
            {{"tcId": 2, "msg": "", "len": 0, "md": "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855"}},
            {{"tcId": 3, "msg": "00", "len": 8}}]}}]}}"#
    )
}

/// A directory with `good.json`, and `bad.json` with a wrong digest.
fn place() -> Place {
    let place = Place::new();
    place.write("good.json", vectors(ABC).as_bytes());
    place.write("bad.json", vectors(&ABC.replace("ba78", "ba79")).as_bytes());
    place
}

#[test]
fn counts() {
    let place = place();
    place.run("kat good.json", 0).stdout(contains("SHA2-256").and(contains("passed")).and(contains("1 case skipped")));
    place.command("kat -").write_stdin(vectors(ABC)).assert().code(0);
    place.run("kat bad.json good.json", 1).stdout(contains("bad.json: FAILED: SHA2-256 AFT, tgId 1, tcId 1"));
    place.run("--quiet kat good.json", 0).stdout("").stderr("");
    place.run("--quiet kat bad.json", 1).stdout(contains("FAILED"));

    let lines = json(&place.run("--json kat good.json bad.json", 1));
    assert_eq!((&lines[0]["status"], &lines[1]["status"]), (&"passed".into(), &"failed".into()));
    assert_eq!(lines[0]["rows"][0]["passed"], 2);
    assert_eq!(lines[1]["failures"][0]["tcId"], 1);
    let summary = &lines[2];
    assert_eq!((&summary["passed"], &summary["failed"], &summary["skipped"]), (&3.into(), &1.into(), &2.into()));
    assert!(summary["engine"].as_str().unwrap().starts_with("keccak "));
}

#[test]
fn nothing_ran() {
    let place = place();
    place.run("kat good.json --filter aft", 0);
    place.run("kat good.json --filter 128f", 1).stderr(contains("no test ran"));
    place.write("none.json", br#"{"algorithm": "SHA2-256", "testGroups": []}"#);
    place.run("kat none.json", 1).stderr(contains("no test ran"));
    let lines = json(&place.run("--json kat none.json", 1));
    assert_eq!(lines[0]["status"], "nothing ran");
}

#[test]
fn errors() {
    let place = place();
    place.write("other.json", br#"{"algorithm": "AES", "testGroups": []}"#);
    place.write("text.json", b"hello");
    place.run("kat good.json other.json", 2).stderr(contains("other.json").and(contains("AES")));
    place.run("kat bad.json text.json", 2).stdout(contains("FAILED")).stderr(contains("text.json: not a vector file"));
    place.run("kat nothing.json", 2).stderr(contains("nothing.json: cannot read"));
    place.run("kat", 2).stderr(contains("required"));
}

/// What the program signs is what a vector file expects, in every interface that it has.
#[test]
fn own_signatures() {
    let place = Place::with_messages();
    place.keygen();
    place.run("key convert key.pem --format raw --out key.raw", 0);
    let case = |options: &str, fields: &str, id: usize| {
        place.run(&format!("sign --key key.pem --deterministic {options} a"), 0);
        let [key, message, signature] = ["key.raw", "a", "a.sig"].map(|file| hex::encode(place.read(file)));
        format!(r#"{{"tcId": {id}, "sk": "{key}", "message": "{message}", "signature": "{signature}", {fields}}}"#)
    };
    let group = |id: usize, pre_hash: &str, tests: &str| {
        format!(
            r#"{{"tgId": {id}, "testType": "AFT", "parameterSet": "SLH-DSA-SHA2-128f", "deterministic": true,
                "signatureInterface": "external", "preHash": "{pre_hash}", "tests": [{tests}]}}"#
        )
    };
    let pure = case("--context-hex 00ff", r#""context": "00ff", "hashAlg": "none""#, 1);
    let hashed = case("--prehash sha3-256", r#""context": "", "hashAlg": "SHA3-256""#, 2);
    let groups = [group(1, "pure", &pure), group(2, "preHash", &hashed)].join(", ");
    let file = format!(r#"{{"algorithm": "SLH-DSA", "mode": "sigGen", "testGroups": [{groups}]}}"#);
    place.write("own.json", file.as_bytes());
    let lines = json(&place.run("--json kat own.json", 0));
    assert_eq!((&lines[1]["passed"], &lines[1]["failed"], &lines[1]["skipped"]), (&2.into(), &0.into(), &0.into()));
}
