//! `keygen` and `key`.

mod common;

use common::{Place, json, stdout};
use predicates::prelude::{PredicateBooleanExt, predicate::str::contains};

#[test]
fn keygen_writes_and_tells() {
    let place = Place::new();
    place.run("keygen --set SLH-DSA-SHAKE-128f --out key.pem --pub pub.pem", 0).stdout(
        contains("SLH-DSA-SHAKE-128f").and(contains("key.pem")).and(contains("pub.pem")).and(contains("SHA256:")),
    );
    assert!(place.read("key.pem").starts_with(b"-----BEGIN PRIVATE KEY-----"));
    assert!(place.read("pub.pem").starts_with(b"-----BEGIN PUBLIC KEY-----"));
    place.run("key inspect key.pem", 0).stdout(contains("private").and(contains("consistent   yes")));
    place.run("key inspect pub.pem", 0).stdout(contains("public").and(contains("SLH-DSA-SHAKE-128f")));
    place.run("--quiet keygen --out quiet.pem", 0).stdout("").stderr("");
    let made = json(&place.run("--json keygen --out json.pem", 0)).remove(0);
    assert_eq!((&made["set"], &made["private_key"]), (&"SLH-DSA-SHA2-128f".into(), &"json.pem".into()));
    assert!(made["public_key"].is_null());
    assert_ne!(place.read("quiet.pem"), place.read("json.pem"), "keys are random");
}

#[test]
fn keygen_from_seeds() {
    let place = Place::new();
    place.keygen();
    place.run("key convert key.pem --format raw --out key.raw", 0);
    let seeds: Vec<u8> = (0..16).collect::<Vec<u8>>().repeat(3);
    assert_eq!(place.read("key.raw")[..48], seeds);
    assert_eq!(place.read("key.raw").len(), 64);
    for wrong in ["00".repeat(47), "00".repeat(49), "0".repeat(95), "zz".repeat(48)] {
        place.run(&format!("keygen --out other.pem --seed-hex {wrong}"), 2).stderr(contains("--seed-hex"));
    }
    assert!(!place.path("other.pem").exists());
}

#[test]
fn keygen_does_not_overwrite() {
    let place = Place::new();
    place.keygen();
    let old = place.read("key.pem");
    place.run("keygen --out key.pem", 2).stderr(contains("key.pem: exists already").and(contains("--force")));
    place.run("keygen --out new.pem --pub key.pem", 2).stderr(contains("key.pem: exists already"));
    assert!(!place.path("new.pem").exists());
    assert_eq!(place.read("key.pem"), old);
    place.run("keygen --out key.pem --force", 0);
    assert_ne!(place.read("key.pem"), old);
    let root = place.path(".").canonicalize().unwrap();
    for public in ["x.pem", "./x.pem", root.join("x.pem").to_str().unwrap()] {
        place.run(&format!("keygen --out x.pem --pub {public} --force"), 2).stderr(contains("same file"));
    }
    assert!(!place.path("x.pem").exists());
    place.run("keygen --out nowhere/x.pem", 2).stderr(contains("cannot write"));
    place.run("keygen --out -", 2);
    place.run("keygen --set SLH-DSA-SHA2-512f --out x.pem", 2).stderr(contains("SLH-DSA-SHAKE-256s"));
    place.run("keygen", 2).stderr(contains("--out"));
    assert_eq!(place.list("."), ["key.pem", "pub.pem"]);
}

#[cfg(unix)]
#[test]
fn private_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::with_messages();
    place.keygen();
    place.run("key convert key.pem --format der --out key.der", 0);
    let mode = |name: &str| place.path(name).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("key.pem"), mode("key.der")), (0o600, 0o600));
    assert_eq!(mode("pub.pem"), mode("a"));

    place.run("sign --key key.pem a", 0).stderr(contains("others may read").not());
    std::fs::set_permissions(place.path("key.pem"), PermissionsExt::from_mode(0o644)).unwrap();
    place.run("sign --key key.pem a", 0).stderr(contains("others may read this private key (mode 0644)"));
    // a device is not replaced by a file
    place.run("key convert key.pem --format der --out /dev/null --force", 2).stderr(contains("not a regular file"));
}

#[test]
fn conversions_round_trip() {
    let place = Place::new();
    place.keygen();
    let set = "--set SLH-DSA-SHA2-128f";
    for source in ["key", "pub"] {
        let pem = format!("{source}.pem");
        place.run(&format!("key convert {pem} --format der --out {source}.der"), 0);
        place.run(&format!("key convert {source}.der --format raw --out {source}.raw"), 0);
        place.run(&format!("key convert {source}.raw {set} --format pem --out {source}2.pem"), 0);
        assert_eq!(place.read(&pem), place.read(&format!("{source}2.pem")));
        place.run(&format!("key convert {source}.raw --format pem --out {source}3.pem"), 2).stderr(contains("--set"));
        place.run(&format!("key convert {pem} --format der --out {source}.der"), 2).stderr(contains("exists already"));
        place.run(&format!("key convert {pem} --format der --out {source}.der --force"), 0);
    }
    assert_eq!((place.read("key.raw").len(), place.read("pub.raw").len()), (64, 32));

    let forms: Vec<_> = ["key.pem", "key.der", "pub.pem", "pub.der"].into_iter().map(|f| (f, "")).collect();
    let raw = [("key.raw", set), ("pub.raw", set)];
    let fingerprints: Vec<_> = forms
        .into_iter()
        .chain(raw)
        .map(|(file, option)| {
            let found = json(&place.run(&format!("--json key inspect {file} {option}"), 0)).remove(0);
            let private = file.starts_with("key");
            assert_eq!(found["key"], if private { "private" } else { "public" });
            assert_eq!(found["consistent"], if private { true.into() } else { serde_json::Value::Null });
            assert_eq!(found["format"].as_str().unwrap().to_lowercase(), file[4..]);
            found["fingerprint"].clone()
        })
        .collect();
    assert!(fingerprints.iter().all(|f| *f == fingerprints[0]));
}

#[test]
fn public_key_of_a_private_one() {
    let place = Place::new();
    place.keygen();
    let pem = place.read("pub.pem");
    let printed = stdout(&place.run("key public key.pem", 0));
    assert_eq!(printed.as_bytes(), pem);
    place.run("key public key.pem --out again.pem", 0);
    assert_eq!(place.read("again.pem"), pem);
    place.run("key public key.pem --out again.pem", 2);
    place.run("key public pub.pem --format der --out pub.der", 0);
    let binary = place.run("key public key.pem --format der", 0);
    assert_eq!(binary.get_output().stdout, place.read("pub.der"));
    let object = json(&place.run("--json key public key.pem", 0)).remove(0);
    assert_eq!(object["encoded"].as_str().unwrap().as_bytes(), pem);
}

#[test]
fn inconsistent_keys_are_told_apart() {
    let place = Place::with_messages();
    place.keygen();
    place.run("key convert key.pem --format der --out key.der", 0);
    place.run("key convert key.pem --format raw --out key.raw", 0);
    for at in [0, 40, 63] {
        // the private key ends its DER; SK.prf, bytes 16 to 31, is in no relation to the rest
        for (file, offset) in [("key.raw", 0), ("key.der", place.read("key.der").len() - 64)] {
            place.flip(file, offset + at);
            let args = format!("key inspect {file} --set SLH-DSA-SHA2-128f");
            let shown = json(&place.run(&format!("--json {args}"), 1)).remove(0);
            assert_eq!((&shown["consistent"], &shown["set"]), (&false.into(), &"SLH-DSA-SHA2-128f".into()));
            place.run(&args, 1).stdout(contains("NO"));
            place.run(&format!("sign --key {file} --set SLH-DSA-SHA2-128f a"), 2).stderr(contains("inconsistent"));
            let convert = format!("key convert {file} --set SLH-DSA-SHA2-128f --format pem --out x.pem");
            place.run(&convert, 2).stderr(contains("inconsistent"));
            place.flip(file, offset + at);
        }
    }
    place.run("key inspect key.der", 0);
}

#[test]
fn what_is_not_a_key() {
    let place = Place::new();
    place.keygen();
    let pem = String::from_utf8(place.read("key.pem")).unwrap();
    let mut der = place.read("key.pem");
    der.truncate(40);
    place.write("cut.pem", &der);
    place.write("label.pem", pem.replace("PRIVATE", "RSA PRIVATE").as_bytes());
    place.write("empty", b"");
    place.write("text", b"not a key at all, but long enough to be one");
    place.write("huge", &vec![b'A'; 20_000]);
    place.write("binary", &[0x30; 80]);
    for file in ["cut.pem", "label.pem", "empty", "text", "huge", "binary", ".", "nothing"] {
        place.run(&format!("key inspect {file}"), 2).stdout("").stderr(contains(format!("error: {file}: ")));
    }
    place.run("key", 2);
    place.run("key inspect", 2);
    place.run("key convert key.pem --format jwk --out x", 2).stderr(contains("possible values"));
}
