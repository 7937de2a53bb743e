//! What is counted as passed, failed and skipped.

mod common;

use common::{counts, one_failure, run_json, vectors};
use hashloom::Engine;
use hashloom_kat::{KatError, Options, count, read, run, run_with};
use serde_json::{Value, json};

/// A group with one case of SHA-256 of "abc", edited.
fn abc(edit: impl FnOnce(&mut Value)) -> Value {
    let mut group = json!({"tgId": 7, "testType": "AFT", "tests": [{"tcId": 9, "len": 24, "msg": "616263",
        "md": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}]});
    edit(&mut group);
    json!({"algorithm": "SHA2-256", "testGroups": [group]})
}

#[test]
fn a_wrong_digest_fails() {
    assert_eq!(counts(&run_json(&abc(|_| ()))), (1, 0, 0));
    assert_eq!(one_failure(abc(|_| ()), "md", None), "hash: byte 31 of 32 is ad, expected a0");
    assert_eq!(one_failure(abc(|_| ()), "msg", Some(json!("61"))), "msg has 1 bytes, len says 3");
    assert_eq!(one_failure(abc(|_| ()), "md", Some(json!("ba"))), "md has 1 bytes where an output has 32");

    for (name, kind) in [("SHA2-512-224", "AFT"), ("SHA3-256", "AFT"), ("SHAKE-128", "AFT"), ("SHAKE-256", "VOT")] {
        let set = vectors(&format!("{name}.json.gz"), |group| group["testType"] == kind);
        one_failure(set.clone(), "md", None);
        if name.starts_with("SHAKE") {
            one_failure(set, "outLen", Some(json!(1u64 << 60)));
        }
    }
}

#[test]
fn a_wrong_checkpoint_fails() {
    for name in ["SHA2-384", "SHA3-224", "SHAKE-128"] {
        let set = vectors(&format!("{name}.json.gz"), |group| group["testType"] == "MCT");
        let text = one_failure(set.clone(), "resultsArray/99/md", None);
        assert!(text.starts_with("checkpoint 99: byte "), "{text}");
        if name == "SHAKE-128" {
            one_failure(set, "resultsArray/0/outLen", Some(json!(128)));
        }
    }
}

#[test]
fn a_wrong_key_or_signature_fails() {
    let kept = |set: &'static str, interface: &'static str| {
        move |group: &Value| group["parameterSet"] == set && group["signatureInterface"] == interface
    };
    let keys = vectors("SLH-DSA-keyGen.json.gz", |group| group["parameterSet"] == "SLH-DSA-SHA2-128f");
    assert!(one_failure(keys.clone(), "sk", None).starts_with("sk: byte 63 of 64"));
    assert!(one_failure(keys.clone(), "pk", None).starts_with("pk: byte 31 of 32"));
    assert!(one_failure(keys, "skSeed", Some(json!("00"))).starts_with("from_seeds: "));

    let signatures = vectors("SLH-DSA-sigGen.json.gz", kept("SLH-DSA-SHAKE-128f", "external"));
    assert!(one_failure(signatures.clone(), "signatureSha256", None).starts_with("SHA-256 of the signature: byte 31"));
    assert!(one_failure(signatures.clone(), "sk", None).starts_with("from_bytes: private key is inconsistent"));
    one_failure(signatures.clone(), "context", Some(json!("00".repeat(256))));
    let mut whole = signatures;
    whole["testGroups"][0]["tests"][0]["signature"] = json!("00");
    let report = run_json(&whole);
    assert_eq!(report.failures[0].text, "signature: 17088 bytes, expected 1, equal up to byte 0");

    let verified = vectors("SLH-DSA-sigVer.json.gz", kept("SLH-DSA-SHA2-128s", "internal"));
    let tests = verified["testGroups"][0]["tests"].as_array().unwrap();
    let valid = tests.iter().position(|test| test["testPassed"] == true).unwrap();
    for (number, text) in [(valid, "verify: accepted an invalid signature"), (valid + 1, "verify: invalid signature")] {
        let mut set = verified.clone();
        let flag = &mut set["testGroups"][0]["tests"][number]["testPassed"];
        *flag = json!(number != valid);
        let report = run_json(&set);
        assert_eq!(counts(&report), (tests.len() - 1, 1, 0));
        assert_eq!(report.failures[0].text, text);
    }
}

/// Everything here is one case that cannot be judged.
#[test]
fn what_cannot_be_judged_is_skipped() {
    let signature = |edit: &dyn Fn(&mut Value)| {
        let mut group = json!({"tgId": 1, "testType": "AFT", "parameterSet": "SLH-DSA-SHA2-128f", "deterministic": true,
            "signatureInterface": "external", "preHash": "preHash",
            "tests": [{"tcId": 1, "sk": "", "message": "", "context": "", "hashAlg": "SHA2-256", "signature": ""}]});
        edit(&mut group);
        json!({"algorithm": "SLH-DSA", "mode": "sigGen", "testGroups": [group]})
    };
    let checkpoint = json!([{"md": "00"}]);
    let mct = |algorithm: &str, version: Value, min: u64, max: u64, results: &Value| {
        json!({"algorithm": algorithm, "testGroups": [{"tgId": 1, "testType": "MCT", "mctVersion": version,
            "minOutLen": min, "maxOutLen": max, "tests": [{"tcId": 1, "msg": "00", "resultsArray": results}]}]})
    };
    let cases = [
        (abc(|group| group["testType"] = json!("XYZ")), "testType \"XYZ\" is unknown"),
        (abc(|group| group["tests"][0]["md"] = Value::Null), "no \"md\" in the file"),
        (abc(|group| group["tests"][0]["msg"] = Value::Null), "no \"msg\" in the file"),
        (abc(|group| group["tests"][0]["len"] = json!(23)), "len of 23 bits is not a usable number of whole bytes"),
        (abc(|group| group["testType"] = json!("MCT")), "no \"resultsArray\" in the file"),
        (abc(|group| group["testType"] = json!("LDT")), "no \"largeMsg\" in the file"),
        (mct("SHA2-256", json!("standard"), 0, 0, &json!([])), "resultsArray is empty"),
        (mct("SHA2-256", json!("other"), 0, 0, &checkpoint), "mctVersion \"other\" is unknown"),
        (mct("SHAKE-128", json!("alternate"), 16, 16, &checkpoint), "mctVersion \"alternate\" is unknown"),
        (mct("SHAKE-128", Value::Null, 8, 16, &checkpoint), "output lengths of 1 to 2 bytes are not the protocol's"),
        (mct("SHAKE-128", Value::Null, 32, 16, &checkpoint), "output lengths of 4 to 2 bytes are not the protocol's"),
        (
            signature(&|group| group["parameterSet"] = json!("SLH-DSA-SHA2-128x")),
            "parameterSet \"SLH-DSA-SHA2-128x\" is unknown",
        ),
        (signature(&|group| group["parameterSet"] = Value::Null), "no \"parameterSet\" in the file"),
        (signature(&|group| group["testType"] = json!("MCT")), "testType \"MCT\" is unknown"),
        (signature(&|group| group["deterministic"] = Value::Null), "no \"deterministic\" in the file"),
        (signature(&|group| group["deterministic"] = json!(false)), "no \"additionalRandomness\" in the file"),
        (signature(&|group| group["signatureInterface"] = json!("raw")), "signatureInterface \"raw\" is unknown"),
        (signature(&|group| group["preHash"] = json!("none")), "preHash \"none\" is unknown"),
        (signature(&|group| group["tests"][0]["hashAlg"] = json!("MD5")), "hashAlg \"MD5\" is unknown"),
        (signature(&|group| group["tests"][0]["context"] = Value::Null), "no \"context\" in the file"),
        (signature(&|group| group["tests"][0]["signature"] = Value::Null), "no \"signature\" in the file"),
    ];
    for (set, text) in cases {
        let report = run_json(&set);
        assert_eq!(counts(&report), (0, 0, 1), "{set}");
        assert_eq!(report.skips[0].text, text);
    }
}

/// A group of the time before the external interface.
#[test]
fn without_an_interface_it_is_the_internal_one() {
    let mut set = vectors("SLH-DSA-sigGen.json.gz", |group| {
        group["parameterSet"] == "SLH-DSA-SHA2-128f" && group["signatureInterface"] == "internal"
    });
    for group in set["testGroups"].as_array_mut().unwrap() {
        group.as_object_mut().unwrap().remove("signatureInterface");
    }
    let report = run_json(&set);
    let labels: Vec<_> = report.rows.iter().map(|row| row.label.to_string()).collect();
    assert_eq!(labels, ["SLH-DSA-SHA2-128f internal deterministic", "SLH-DSA-SHA2-128f internal hedged"]);
    assert_eq!(counts(&report), (4, 0, 0));
}

/// Checkpoints computed by another implementation; published files have no such test.
#[test]
fn alternate_sha3_cuts_and_pads() {
    let cases = [
        ("0123456789", "3857018554498c725f92a0815db7733299770a40abcb84da231bcd7c84bc8ff3"),
        (
            "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f",
            "373430efb39c020937c3da55f1c616fc4d3a982e8ecb7cf453bb1b585ea1559d",
        ),
    ];
    for (seed, expected) in cases {
        let set = json!({"algorithm": "SHA3-256", "testGroups": [{"tgId": 1, "testType": "MCT",
            "mctVersion": "alternate", "tests": [{"tcId": 1, "msg": seed, "resultsArray": [{"md": expected}]}]}]});
        let report = run_json(&set);
        assert_eq!(counts(&report), (1, 0, 0), "{:?}", report.failures);
        assert_eq!(report.rows[0].label.to_string(), "SHA3-256 MCT alternate");
    }
}

#[test]
fn large_messages_are_made_when_asked_for() {
    let large = |content: &str, bits: u64, technique: &str| {
        let set = json!({"algorithm": "SHA2-256", "testGroups": [{"tgId": 1, "testType": "LDT", "tests": [{"tcId": 1,
            "md": "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
            "largeMsg": {"content": content, "contentLength": bits, "fullLength": 8_000_000,
                "expansionTechnique": technique}}]}]});
        read(set.to_string().as_bytes()).unwrap()
    };
    let report = |file, largest| {
        let options = Options { largest, ..Options::default() };
        counts(&run_with(&file, &Engine::get(), &options, |_| ()))
    };
    assert_eq!(report(large("616161", 24, "repeating"), 1_000_000), (1, 0, 0));
    assert_eq!(report(large("616161", 24, "repeating"), 999_999), (0, 0, 1));
    assert_eq!(report(large("616161", 24, "doubling"), 1_000_000), (0, 0, 1));
    assert_eq!(report(large("6161", 24, "repeating"), 1_000_000), (0, 1, 0));
    assert_eq!(report(large("", 0, "repeating"), 1_000_000), (0, 1, 0));
}

#[test]
fn filter_count_and_progress_agree() {
    let file = read(vectors("SHAKE-256.json.gz", |_| true).to_string().as_bytes()).unwrap();
    for (filter, cases) in
        [(None, 402), (Some(""), 402), (Some("vot"), 125), (Some("shake256 mct"), 1), (Some("no"), 0)]
    {
        assert_eq!(count(&file, filter), cases);
        let mut finished = 0;
        let options = Options { filter, ..Options::default() };
        let report = run_with(&file, &Engine::get(), &options, |case| {
            assert!(case.verdict.is_ok());
            finished += 1;
        });
        assert_eq!((finished, counts(&report)), (cases, (cases, 0, 0)));
        assert_eq!(run(&file, &Engine::get(), filter), report);
    }
}

#[test]
fn the_report_is_a_table() {
    let mut set = abc(|group| group["testType"] = json!("LDT"));
    set["testGroups"].as_array_mut().unwrap().extend(abc(|_| ())["testGroups"].as_array().unwrap().clone());
    let table = "              passed  failed  skipped\n\
                 SHA2-256 LDT       0       0        1\n\
                 SHA2-256 AFT       1       0        0\n\
                 total              1       0        1\n";
    let report = run_json(&set);
    assert_eq!(report.to_string(), table);
    assert_eq!(report.skips[0].to_string(), "SHA2-256 LDT, tgId 7, tcId 9: no \"largeMsg\" in the file");
}

#[test]
fn other_algorithms_are_unsupported() {
    let error = |text: &str| read(text.as_bytes()).unwrap_err();
    for (algorithm, mode) in [("ML-KEM", "keyGen"), ("SHA2-256", "x"), ("KDA", "OneStep"), ("HMAC-SHA2-256", "x")] {
        let text = json!({"algorithm": algorithm, "mode": mode}).to_string();
        assert!(matches!(error(&text), KatError::Unsupported { mode: Some(_), .. }), "{text}");
    }
    assert_eq!(error(r#"{"algorithm": "HMAC-SHA-1"}"#).to_string(), r#"algorithm "HMAC-SHA-1" is not supported"#);
    let mode = r#"{"algorithm": "SLH-DSA", "mode": "other"}"#;
    assert_eq!(error(mode).to_string(), r#"algorithm "SLH-DSA" with mode "other" is not supported"#);
}

/// Wycheproof's form: cases are judged as those of sigVer, and a key of a wrong length or a context that is too long
/// makes a case invalid, not a failure.
#[test]
fn negative_vectors_are_judged() {
    let file = |kind: &str| vectors("negative-SLH-DSA-SHA2-128s.json.gz", |group| group["type"] == kind);
    let pure = file("SlhDsaVerify");
    let all = counts(&run_json(&pure)).0;
    for (comment, result) in [("R zero", "invalid"), ("PK.seed alone", "valid"), ("256 bytes, length byte 0", "valid")]
    {
        let mut set = pure.clone();
        let tests = set["testGroups"].as_array_mut().unwrap().iter_mut();
        let mut tests = tests.flat_map(|group| group["tests"].as_array_mut().unwrap());
        let test = tests.find(|test| test["comment"] == comment).expect(comment);
        test["result"] = result.into();
        let id = test["tcId"].clone();
        let report = run_json(&set);
        assert_eq!(counts(&report), (all - 1, 1, 0), "{comment}");
        assert_eq!(report.failures[0].tc_id, id, "{comment}");
    }
    for (kind, row) in [("SlhDsaPreHashVerify", "preHash"), ("SlhDsaInternalVerify", "internal")] {
        let report = run_json(&file(kind));
        assert_eq!(report.rows.len(), 1);
        assert_eq!(report.rows[0].label.to_string(), format!("SLH-DSA-SHA2-128s {row} sigVer"));
    }

    let other = pure.to_string().replace("SlhDsaVerify", "SlhDsaOtherVerify");
    let report = run(&read(other.as_bytes()).unwrap(), &Engine::get(), None);
    assert_eq!(counts(&report), (0, 0, all));
    assert_eq!(report.skips[0].text, "signatureInterface \"SlhDsaOtherVerify\" is unknown");
    for (from, to) in [("slhdsa_verify_schema", "slhdsa_sign_schema"), ("SLH-DSA-SHA2-128s", "ML-DSA-44")] {
        let error = read(pure.to_string().replace(from, to).as_bytes()).unwrap_err();
        assert!(matches!(error, KatError::Unsupported { .. }), "{to}");
    }
    assert!(matches!(read(pure.to_string().replace("\"valid\"", "\"maybe\"").as_bytes()), Err(KatError::Json(_))));
}
