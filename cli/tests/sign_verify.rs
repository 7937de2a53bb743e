//! `sign` and `verify`.

mod common;

use common::{Place, json, stdout};
use predicates::prelude::{PredicateBooleanExt, predicate::str::contains};

const SIGNATURE_128F: usize = 17088;

#[test]
fn round_trip() {
    let place = Place::with_messages();
    place.keygen();
    place
        .run("sign --key key.pem a b c", 0)
        .stdout("a: signed -> a.sig\nb: signed -> b.sig\nc: signed -> c.sig\n")
        .stderr(contains("signed 3 files").and(contains("SLH-DSA-SHA2-128f")).and(contains("signatures/s")));
    for name in ["a.sig", "b.sig", "c.sig"] {
        assert_eq!(place.read(name).len(), SIGNATURE_128F);
    }
    for key in ["pub.pem", "key.pem"] {
        place.run(&format!("verify --key {key} a b c"), 0).stdout("a: OK\nb: OK\nc: OK\n").stderr(contains("3 valid"));
    }
    // An older signature is replaced, and hedging makes the new one different.
    let old = place.read("a.sig");
    place.run("sign --key key.pem a", 0);
    assert_ne!(place.read("a.sig"), old);
    place.run("verify --key pub.pem a", 0);
    assert!(place.list(".").iter().all(|name| !name.starts_with('.')), "temporary files are gone");
}

#[test]
fn many_files_keep_their_order() {
    let place = Place::new();
    place.keygen();
    let names: Vec<String> = (0..150).map(|i| format!("m{i}")).collect();
    for (i, name) in names.iter().enumerate() {
        place.write(name, &vec![b'x'; i * 7]);
    }
    let args = names.join(" ");
    let signed = stdout(&place.run(&format!("sign --key key.pem {args}"), 0));
    let lines: Vec<String> = names.iter().map(|name| format!("{name}: signed -> {name}.sig")).collect();
    assert_eq!(signed.lines().collect::<Vec<_>>(), lines);

    place.flip("m3", 0);
    place.flip("m77.sig", 5000);
    for threads in [1, 3] {
        let verified = stdout(&place.run(&format!("--threads {threads} verify --key pub.pem {args}"), 1));
        for (i, (line, name)) in verified.lines().zip(&names).enumerate() {
            assert_eq!(line, format!("{name}: {}", if [3, 77].contains(&i) { "INVALID" } else { "OK" }));
        }
        assert_eq!(verified.lines().count(), names.len());
    }
}

#[test]
fn tampering_is_invalid() {
    let place = Place::with_messages();
    place.keygen();
    place.run("sign --key key.pem a b c", 0);
    let verify = |code, out: &'static str| {
        place.run("verify --key pub.pem a b c", code).stdout(out);
    };
    place.flip("a", 0);
    verify(1, "a: INVALID\nb: OK\nc: OK\n");
    place.flip("a", 0);
    verify(0, "a: OK\nb: OK\nc: OK\n");
    place.flip("c", 1_400_000);
    verify(1, "a: OK\nb: OK\nc: INVALID\n");
    place.flip("c", 1_400_000);
    for at in [0, 16, SIGNATURE_128F - 1] {
        place.flip("b.sig", at);
        verify(1, "a: OK\nb: INVALID\nc: OK\n");
        place.flip("b.sig", at);
    }
    let whole = place.read("b.sig");
    for bytes in [&whole[1..], &[], &[&whole[..], b"x"].concat(), &[&whole[..], &whole].concat()] {
        place.write("b.sig", bytes);
        verify(1, "a: OK\nb: INVALID\nc: OK\n");
    }
    place.write("b.sig", &place.read("a.sig"));
    verify(1, "a: OK\nb: INVALID\nc: OK\n");
    // quiet tells only what is wrong
    place.run("--quiet verify --key pub.pem a b c", 1).stdout("b: INVALID\n").stderr("");
    place.run("--quiet verify --key pub.pem a c", 0).stdout("").stderr("");
}

#[test]
fn context_prehash_and_key_must_match() {
    let place = Place::with_messages();
    place.keygen();
    place.run("keygen --out other.pem", 0);
    place.run("keygen --set SLH-DSA-SHAKE-128f --out shake.pem", 0);
    place.run("sign --key key.pem --context letters a c", 0);
    place.run("verify --key pub.pem --context letters a c", 0);
    place.run("verify --key pub.pem --context-hex 6c657474657273 a c", 0);
    for wrong in ["", "--context letter", "--context-hex 00", "--context letters --prehash sha2-256"] {
        place.run(&format!("verify --key pub.pem {wrong} a c"), 1).stdout("a: INVALID\nc: INVALID\n");
    }
    for key in ["other.pem", "shake.pem"] {
        place.run(&format!("verify --key {key} --context letters a c"), 1).stdout("a: INVALID\nc: INVALID\n");
    }
    for function in ["SHA2-256", "sha-512", "SHA2-512/256", "sha3-384", "shake128", "SHAKE-256"] {
        place.run(&format!("sign --key key.pem --prehash {function} a c"), 0);
        place.run(&format!("verify --key pub.pem --prehash {function} a c"), 0);
        place.run("verify --key pub.pem --prehash sha2-224 a c", 1);
        place.run("verify --key pub.pem a c", 1);
    }
    place.run("sign --key key.pem --prehash md5 a", 2).stderr(contains("possible values").and(contains("SHAKE256")));
}

#[test]
fn context_has_a_limit() {
    let place = Place::with_messages();
    place.keygen();
    let (longest, longer) = ("x".repeat(255), "78".repeat(256));
    place.run(&format!("sign --key key.pem --context {longest} a"), 0);
    place.run(&format!("verify --key pub.pem --context {longest} a"), 0);
    for command in ["sign --key key.pem", "verify --key pub.pem"] {
        place.run(&format!("{command} --context-hex {longer} a"), 2).stdout("").stderr(contains("256 bytes"));
        place.run(&format!("{command} --context {longest}x a"), 2).stdout("").stderr(contains("256 bytes"));
        place.run(&format!("{command} --context-hex 0g a"), 2).stderr(contains("--context-hex"));
        place.run(&format!("{command} --context x --context-hex 00 a"), 2).stderr(contains("cannot be used with"));
    }
}

#[test]
fn deterministic_signatures_do_not_depend_on_the_backend() {
    let place = Place::with_messages();
    place.keygen();
    let engine = json(&place.run("--json engine", 0)).remove(0);
    let backends = engine["backends"].as_array().unwrap().iter().filter(|backend| backend["available"] == true);
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let mut backends: Vec<_> = backends.map(|backend| (text(&backend["name"]), text(&backend["engine"]))).collect();
    backends.push(("auto".to_owned(), text(&engine["engine"])));
    assert_eq!(backends[0].0, "portable");

    place.run("sign --key key.pem --deterministic a b c", 0);
    let expected = ["a.sig", "b.sig", "c.sig"].map(|name| place.read(name));
    for (backend, engine) in &backends {
        let args = format!("--backend {backend} sign --key key.pem --deterministic a b c");
        place.run(&args, 0).stderr(contains(format!("engine: {engine}\n")));
        assert_eq!(["a.sig", "b.sig", "c.sig"].map(|name| place.read(name)), expected, "{backend}");
        place.run(&format!("--backend {backend} verify --key pub.pem a b c"), 0);
    }
}

#[test]
fn unreadable_is_neither_valid_nor_invalid() {
    let place = Place::with_messages();
    place.keygen();
    place
        .run("sign --key key.pem a nothing b .", 2)
        .stdout("a: signed -> a.sig\nb: signed -> b.sig\n")
        .stderr(contains("error: nothing: cannot read: No such file").and(contains("error: .: is a directory")));
    // an unreadable file goes before an invalid signature
    place.flip("a", 0);
    place
        .run("verify --key pub.pem a b c nothing", 2)
        .stdout("a: INVALID\nb: OK\n")
        .stderr(contains("error: c.sig: cannot read the signature").and(contains("2 errors")));
    std::fs::remove_file(place.path("b")).unwrap();
    place
        .run("verify --key pub.pem b ..", 2)
        .stdout("")
        .stderr(contains("error: b: cannot read").and(contains("error: ..: is a directory")));
    place.run("verify --key nothing a", 2).stderr(contains("nothing: cannot read the key"));
    place.run("sign --key nothing a", 2).stderr(contains("nothing: cannot read the key"));
    place.run("sign --key pub.pem a", 2).stderr(contains("pub.pem: is a public key"));
    place.run("sign --key a a", 2).stderr(contains("a: is not an SLH-DSA or ML-DSA key"));
    place.run("sign", 2).stderr(contains("required"));
    place.run("verify --key pub.pem", 2).stderr(contains("required"));
}

#[cfg(target_os = "linux")]
#[test]
fn failing_reads_are_errors() {
    let place = Place::with_messages();
    place.keygen();
    std::fs::create_dir(place.path("sigs")).unwrap();
    // opens, but reading at its beginning fails
    let broken = "/proc/self/mem";
    place.run(&format!("sign --key key.pem --out-dir sigs {broken} a"), 2).stdout("a: signed -> sigs/a.sig\n");
    assert_eq!(place.list("sigs"), ["a.sig"]);
    std::fs::copy(place.path("sigs/a.sig"), place.path("sigs/mem.sig")).unwrap();
    place.run(&format!("verify --key pub.pem --sig-dir sigs {broken} a"), 2).stdout("a: OK\n");
    place.run(&format!("hash --alg sha256 {broken} b"), 2).stderr(contains("/proc/self/mem: cannot read"));
}

#[test]
fn signatures_in_their_own_directory() {
    let place = Place::with_messages();
    place.keygen();
    std::fs::create_dir(place.path("sigs")).unwrap();
    std::fs::create_dir(place.path("other")).unwrap();
    place.write("other/a", b"retreat");
    place.run("sign --key key.pem --out-dir sigs a c", 0);
    assert_eq!(place.list("sigs"), ["a.sig", "c.sig"]);
    assert!(!place.path("a.sig").exists());
    place.run("verify --key pub.pem --sig-dir sigs a c", 0);
    place.run("verify --key pub.pem a", 2);
    let clash = "sign --key key.pem --out-dir sigs a other/a";
    place.run(clash, 2).stdout("").stderr(contains("would both have their signature in"));
    place.run("sign --key key.pem other/a other/a.sig", 2).stderr(contains("overwritten by the signature"));
    place.run("sign --key key.pem --out-dir made/here a", 0).stdout("a: signed -> made/here/a.sig\n");
    place.run("sign --key key.pem --out-dir a a", 2).stderr(contains("a: is not a directory"));
}

#[test]
fn no_partial_signatures() {
    let place = Place::with_messages();
    place.keygen();
    std::fs::create_dir_all(place.path("sigs/a.sig")).unwrap();
    place.run("sign --key key.pem --out-dir sigs a b", 2).stdout("b: signed -> sigs/b.sig\n");
    assert_eq!(place.list("sigs"), ["a.sig", "b.sig"], "no temporary file is left");

    let sealed = place.path("sealed");
    std::fs::create_dir(&sealed).unwrap();
    let mut permissions = sealed.metadata().unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&sealed, permissions).unwrap();
    // a privileged user writes there all the same
    if std::fs::write(sealed.join("probe"), b"").is_err() {
        place.run("sign --key key.pem --out-dir sealed a", 2).stderr(contains("sealed/a.sig: cannot write"));
        assert!(place.list("sealed").is_empty());
    }
    #[cfg(unix)]
    std::fs::set_permissions(&sealed, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
}

#[test]
fn standard_input() {
    let place = Place::with_messages();
    place.keygen();
    std::fs::create_dir(place.path("sigs")).unwrap();
    let with = |args: &str, bytes: &[u8], code| place.command(args).write_stdin(bytes).assert().code(code);
    let (short, long) = (place.read("a"), place.read("c"));
    for message in [&short, &long] {
        with("sign --key key.pem --out-dir sigs --spool -", message, 0).stdout("-: signed -> sigs/stdin.sig\n");
        with("verify --key pub.pem --sig-dir sigs -", message, 0).stdout("-: OK\n");
        with("verify --key pub.pem --sig-dir sigs -", b"forged", 1).stdout("-: INVALID\n");
    }
    with("sign --key key.pem --out-dir sigs -", &short, 2).stderr(contains("use --spool"));
    with("sign --key key.pem --spool -", &short, 2).stderr(contains("--out-dir"));
    with("verify --key pub.pem -", &short, 2).stderr(contains("--sig-dir"));
    with("verify --key pub.pem --sig-dir sigs - -", &short, 2).stderr(contains("only once"));
}

#[cfg(unix)]
#[test]
fn pipes() {
    let place = Place::with_messages();
    place.keygen();
    let pipe = place.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // refused without waiting for a writer
    place.run("sign --key key.pem pipe", 2).stdout("").stderr(contains("pipe: a pipe or device can be read only once"));
    assert!(!place.path("pipe.sig").exists());
    for message in ["a", "c"] {
        let bytes = place.read(message);
        let run = |args: &str| {
            let writer = std::thread::spawn({
                let (pipe, bytes) = (pipe.clone(), bytes.clone());
                move || std::fs::write(pipe, bytes).unwrap()
            });
            let assert = place.run(args, 0);
            writer.join().unwrap();
            assert
        };
        run("sign --key key.pem --spool pipe").stdout("pipe: signed -> pipe.sig\n");
        run("verify --key pub.pem pipe").stdout("pipe: OK\n");
        std::fs::copy(place.path("pipe.sig"), place.path(&format!("{message}.sig"))).unwrap();
        place.run(&format!("verify --key pub.pem {message}"), 0);
    }
}

#[test]
fn json_lines_and_summary() {
    let place = Place::with_messages();
    place.keygen();
    let lines = json(&place.run("--json sign --key key.pem a nothing c", 2));
    assert_eq!(lines.len(), 4);
    assert_eq!((&lines[0]["file"], &lines[0]["status"]), (&"a".into(), &"signed".into()));
    assert_eq!((&lines[0]["signature"], &lines[0]["bytes"]), (&"a.sig".into(), &14.into()));
    assert_eq!((&lines[1]["file"], &lines[1]["status"]), (&"nothing".into(), &"error".into()));
    assert!(lines[1]["error"].as_str().unwrap().contains("No such file"));
    assert_eq!(lines[2]["file"], "c");
    let summary = &lines[3];
    assert_eq!((&summary["kind"], &summary["command"]), (&"summary".into(), &"sign".into()));
    assert_eq!((&summary["signed"], &summary["failed"]), (&2.into(), &1.into()));
    assert_eq!(summary["set"], "SLH-DSA-SHA2-128f");
    assert!(summary["engine"].as_str().unwrap().starts_with("keccak "));
    assert!(summary["seconds"].as_f64().unwrap() > 0.0);
    assert!(summary["signatures_per_second"].as_f64().unwrap() > 0.0);

    place.flip("c", 7);
    let lines = json(&place.run("--json verify --key pub.pem c b a", 2));
    let statuses: Vec<_> = lines.iter().map(|line| line["status"].as_str().unwrap_or_default()).collect();
    assert_eq!(statuses, ["invalid", "error", "valid", ""]);
    let summary = &lines[3];
    assert_eq!((&summary["valid"], &summary["invalid"], &summary["failed"]), (&1.into(), &1.into(), &1.into()));
    let inspected = json(&place.run("--json key inspect key.pem", 0)).remove(0);
    assert_eq!(summary["key"], inspected["fingerprint"]);
}

#[test]
fn raw_keys_need_their_set() {
    let place = Place::with_messages();
    place.keygen();
    place.run("key convert key.pem --format raw --out key.raw", 0);
    place.run("key public key.pem --format raw --out pub.raw", 0);
    place.run("sign --key key.raw a", 2).stderr(contains("key.raw: is a raw key").and(contains("--set")));
    place.run("sign --key key.raw --set SLH-DSA-SHA2-128f a", 0);
    place.run("verify --key pub.raw a", 2).stderr(contains("--set"));
    place.run("verify --key pub.raw --set SLH-DSA-SHA2-128f a", 0);
    place.run("verify --key pub.raw --set SLH-DSA-SHAKE-128f a", 1);
    place.run("verify --key pub.raw --set SLH-DSA-SHA2-192f a", 2).stderr(contains("32 bytes, not one of"));
    place.run("sign --key key.pem --set SLH-DSA-SHAKE-128f a", 2).stderr(contains("is a key of SLH-DSA-SHA2-128f"));
    // the wrong set makes another root
    place.run("sign --key key.raw --set SLH-DSA-SHAKE-128f a", 2).stderr(contains("inconsistent"));
}
