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

/// ML-DSA by the program against vectors made of its own signatures, on every backend.
#[test]
fn own_signatures_of_ml_dsa() {
    let place = Place::with_messages();
    place.run(&format!("keygen --set ML-DSA-65 --out key.pem --pub pub.pem --seed-hex {}", "07".repeat(32)), 0);
    place.run("key convert key.pem --format raw --form expanded --out key.raw", 0);
    place.run("mu --key pub.pem a", 0);
    let case = |options: &str, file: &str, fields: &str, id: usize| {
        place.run(&format!("sign --key key.pem --deterministic {options} {file}"), 0);
        let [key, signature] = ["key.raw", "a.sig"].map(|file| hex::encode(place.read(file)));
        format!(r#"{{"tcId": {id}, "sk": "{key}", "signature": "{signature}", {fields}}}"#)
    };
    let [message, mu] = ["a", "a.mu"].map(|file| hex::encode(place.read(file)));
    let group = |id: usize, fields: &str, tests: &str| {
        format!(
            r#"{{"tgId": {id}, "testType": "AFT", "parameterSet": "ML-DSA-65", "deterministic": true, {fields},
                "tests": [{tests}]}}"#
        )
    };
    let external = |pre_hash: &str| format!(r#""signatureInterface": "external", "preHash": "{pre_hash}""#);
    let pure = format!(r#""message": "{message}", "context": "00ff""#);
    let hashed = format!(r#""message": "{message}", "context": "", "hashAlg": "SHA3-256""#);
    let groups = [
        group(1, &external("pure"), &case("--context-hex 00ff", "a", &pure, 1)),
        group(2, &external("preHash"), &case("--prehash sha3-256", "a", &hashed, 2)),
        group(
            3,
            r#""signatureInterface": "internal", "externalMu": true"#,
            &case("--external-mu", "a.mu", &format!(r#""mu": "{mu}""#), 3),
        ),
    ];
    let file = format!(r#"{{"algorithm": "ML-DSA", "mode": "sigGen", "testGroups": [{}]}}"#, groups.join(", "));
    place.write("own.json", file.as_bytes());
    let lines = json(&place.run("--json kat --every-backend own.json", 0));
    let (summary, files) = lines.split_last().unwrap();
    let backends = summary["backends"].as_array().unwrap();
    assert_eq!(files.iter().map(|line| &line["backend"]).collect::<Vec<_>>(), backends.iter().collect::<Vec<_>>());
    assert!(backends.len() > 1 && backends[0] == "portable" && backends.last().unwrap() == "auto");
    assert_eq!((&summary["passed"], &summary["failed"]), (&(3 * backends.len()).into(), &0.into()));

    place.write("own.json", file.replace("00ff", "00fe").as_bytes());
    place.run("kat own.json", 1).stdout(contains("ML-DSA-65 pure deterministic, tgId 1, tcId 1"));
    place.run("kat own.json --filter prehash", 0);
}

#[test]
fn folders_and_backends() {
    let place = place();
    std::fs::create_dir_all(place.path("folder/within")).unwrap();
    for (file, of) in
        [("b.json", "good.json"), ("a.json", "good.json"), ("README.md", "bad.json"), ("within/x", "bad.json")]
    {
        place.write(&format!("folder/{file}"), &place.read(of));
    }
    let lines = json(&place.run("--json kat folder good.json", 0));
    let files: Vec<_> = lines.iter().filter_map(|line| line["file"].as_str()).collect();
    assert_eq!(files, ["folder/a.json", "folder/b.json", "good.json"]);
    assert_eq!(lines[3]["passed"], 6);
    assert_eq!(lines[3]["backends"], serde_json::json!(["auto"]));

    place.run("kat --every-backend folder", 0).stdout(contains("engine portable: ").and(contains("engine auto: ")));
    place.run("kat --every-backend bad.json", 1).stdout(contains("FAILED"));
    place.run("--backend portable kat --every-backend good.json", 2).stderr(contains("exclude each other"));
    place.command("kat --every-backend -").write_stdin(vectors(ABC)).assert().code(2).stderr(contains("only once"));
    place.run("kat folder/within", 1).stderr(contains("no test ran"));
    place.write("folder/c.json", b"hello");
    place.run("kat folder", 2).stderr(contains("folder/c.json: not a vector file"));
}
