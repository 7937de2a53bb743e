//! ML-DSA by the command line: keys in their three forms, signatures, mu, and keys of the other scheme.

mod common;

use common::{Place, json, stderr, stdout};
use predicates::prelude::{PredicateBooleanExt, predicate::str::contains};

const SETS: [(&str, usize, usize, usize); 3] =
    [("ML-DSA-44", 1312, 2560, 2420), ("ML-DSA-65", 1952, 4032, 3309), ("ML-DSA-87", 2592, 4896, 4627)];

/// `key.pem` and `pub.pem`, always the same.
fn keygen(place: &Place, set: &str) {
    let seed = "07".repeat(32);
    place.run(&format!("keygen --set {set} --out key.pem --pub pub.pem --seed-hex {seed}"), 0);
}

#[test]
fn round_trip_and_tampering() {
    for (set, public, _, signature) in SETS {
        let place = Place::with_messages();
        place.run(&format!("keygen --set {set} --out key.pem --pub pub.pem"), 0).stdout(contains(set));
        place
            .run("sign --key key.pem a b c", 0)
            .stdout("a: signed -> a.sig\nb: signed -> b.sig\nc: signed -> c.sig\n")
            .stderr(contains(set));
        for key in ["pub.pem", "key.pem"] {
            place.run(&format!("verify --key {key} a b c"), 0).stdout("a: OK\nb: OK\nc: OK\n").stderr(contains(set));
        }
        assert_eq!(place.read("a.sig").len(), signature);
        let old = place.read("a.sig");
        place.run("sign --key key.pem a", 0);
        assert_ne!(place.read("a.sig"), old, "hedging makes signatures differ");

        let verify = |code, out: &'static str| {
            place.run("verify --key pub.pem a b c", code).stdout(out);
        };
        for (file, at, out) in [
            ("a", 0, "a: INVALID\nb: OK\nc: OK\n"),
            ("c", 1_400_000, "a: OK\nb: OK\nc: INVALID\n"),
            ("b.sig", 0, "a: OK\nb: INVALID\nc: OK\n"),
            ("b.sig", signature / 2, "a: OK\nb: INVALID\nc: OK\n"),
            ("b.sig", signature - 1, "a: OK\nb: INVALID\nc: OK\n"),
        ] {
            place.flip(file, at);
            verify(1, out);
            place.flip(file, at);
        }
        let whole = place.read("b.sig");
        for bytes in [&whole[1..], &[], &[&whole[..], b"x"].concat(), &vec![0xff; 60_000]] {
            place.write("b.sig", bytes);
            verify(1, "a: OK\nb: INVALID\nc: OK\n");
        }
        place.run("key public key.pem --format raw --out pub.raw", 0);
        assert_eq!(place.read("pub.raw").len(), public);
        place.run(&format!("verify --key pub.raw --set {set} a c"), 0);
        place.flip("pub.raw", 100);
        place.run(&format!("verify --key pub.raw --set {set} a c"), 1).stdout("a: INVALID\nc: INVALID\n");
    }
}

#[test]
fn context_and_prehash_must_match() {
    let place = Place::with_messages();
    keygen(&place, "ml-dsa-44");
    place.run("sign --key key.pem --context letters a c", 0);
    place.run("verify --key pub.pem --context-hex 6c657474657273 a c", 0);
    for wrong in ["", "--context letter", "--context letters --prehash sha2-256"] {
        place.run(&format!("verify --key pub.pem {wrong} a c"), 1).stdout("a: INVALID\nc: INVALID\n");
    }
    for function in ["SHA2-256", "SHA2-512/224", "sha3-384", "SHAKE-256"] {
        place.run(&format!("sign --key key.pem --prehash {function} a c"), 0);
        place.run(&format!("verify --key pub.pem --prehash {function} a c"), 0);
        place.run("verify --key pub.pem --prehash sha2-224 a c", 1);
        place.run("verify --key pub.pem a c", 1);
    }
    let longer = "78".repeat(256);
    for command in ["sign --key key.pem", "verify --key pub.pem", "mu --key pub.pem"] {
        place.run(&format!("{command} --context-hex {longer} a"), 2).stdout("").stderr(contains("256 bytes"));
    }
}

#[test]
fn deterministic_signatures_do_not_depend_on_backend_or_form() {
    let place = Place::with_messages();
    keygen(&place, "ML-DSA-65");
    place.run("sign --key key.pem --deterministic a b c", 0);
    let signatures = || ["a.sig", "b.sig", "c.sig"].map(|name| place.read(name));
    let expected = signatures();
    let engine = json(&place.run("--json engine", 0)).remove(0);
    for backend in engine["backends"].as_array().unwrap().iter().filter(|backend| backend["available"] == true) {
        let name = backend["name"].as_str().unwrap();
        place.run(&format!("--backend {name} sign --key key.pem --deterministic a b c"), 0);
        assert_eq!(signatures(), expected, "{name}");
        place.run(&format!("--backend {name} verify --key pub.pem a b c"), 0);
    }
    for form in ["seed", "expanded", "both"] {
        place.run(&format!("key convert key.pem --format der --form {form} --out {form}.der"), 0);
        place.run(&format!("sign --key {form}.der --deterministic a b c"), 0);
        assert_eq!(signatures(), expected, "{form}");
    }
}

#[test]
fn three_forms() {
    for (set, public, expanded, _) in SETS {
        let place = Place::new();
        keygen(&place, set);
        let inspect = |args: &str| json(&place.run(&format!("--json key inspect {args}"), 0)).remove(0);
        let fingerprint = inspect("pub.pem")["fingerprint"].clone();
        assert!(fingerprint.is_string());
        assert_eq!(inspect("key.pem")["form"], "seed", "the default");
        for (form, raw) in [("seed", Some(32)), ("expanded", Some(expanded)), ("both", None)] {
            for format in ["pem", "der"] {
                let file = format!("{form}.{format}");
                place.run(&format!("key convert key.pem --format {format} --form {form} --out {file}"), 0);
                let found = inspect(&file);
                assert_eq!((&found["form"], &found["set"]), (&form.into(), &set.into()));
                assert_eq!((&found["fingerprint"], &found["consistent"]), (&fingerprint, &true.into()));
                let text = stdout(&place.run(&format!("key inspect {file}"), 0));
                assert!(text.contains(form) && !text.contains("0707"), "{text}");
                assert_eq!(stdout(&place.run(&format!("key public {file}"), 0)).as_bytes(), place.read("pub.pem"));
                // made with its form, and by way of another
                let again = format!("keygen --set {set} --form {form} --format {format} --out again --force");
                place.run(&format!("{again} --seed-hex {}", "07".repeat(32)), 0);
                assert_eq!(place.read("again"), place.read(&file));
            }
            let convert = format!("key convert {form}.pem --format raw --form {form} --out {form}.raw");
            match raw {
                None => drop(place.run(&convert, 2).stderr(contains("not both"))),
                Some(length) => {
                    place.run(&convert, 0);
                    assert_eq!(place.read(&format!("{form}.raw")).len(), length);
                    let found = inspect(&format!("{form}.raw --set {set}"));
                    assert_eq!((&found["form"], &found["fingerprint"]), (&form.into(), &fingerprint));
                }
            }
        }
        // what a key does not know it cannot tell
        for form in ["seed", "both"] {
            let args = format!("key convert expanded.pem --format pem --form {form} --out x.pem");
            place.run(&args, 2).stderr(contains("without its seed"));
        }
        place.run("key convert expanded.pem --format der --out usual.der", 0);
        assert_eq!(place.read("usual.der"), place.read("expanded.der"));
        place.run("key convert both.pem --format pem --out usual.pem", 0);
        assert_eq!(place.read("usual.pem"), place.read("seed.pem"));

        let spki = place.run("key public key.pem --format der", 0).get_output().stdout.clone();
        assert_eq!(spki.len(), public + 22);
        place.run("key convert pub.pem --form seed --format der --out x", 2).stderr(contains("has one form"));
        assert!(!place.path("x").exists() && !place.path("x.pem").exists());
    }
}

#[test]
fn encrypted_in_any_form() {
    let place = Place::with_messages();
    keygen(&place, "ML-DSA-44");
    place.write("word", b"correct horse");
    let with = "--passphrase-file word";
    place.run(&format!("keygen --set ML-DSA-44 --encrypt --iterations 10 {with} --out locked.pem --pub locked.pub"), 0);
    assert!(place.read("locked.pem").starts_with(b"-----BEGIN ENCRYPTED PRIVATE KEY-----"));
    place.run(&format!("sign --key locked.pem {with} a"), 0);
    place.run("verify --key locked.pub a", 0);
    place.run("verify --key pub.pem a", 1);
    for form in ["seed", "expanded", "both"] {
        for format in ["pem", "der"] {
            let args = format!("--form {form} --format {format} --iterations 10 {with} --out locked --force");
            place.run(&format!("key encrypt key.pem {args}"), 0);
            let found = json(&place.run(&format!("--json key inspect locked {with}"), 0)).remove(0);
            assert_eq!((&found["form"], &found["encrypted"]), (&form.into(), &true.into()));
            place.run(&format!("key decrypt locked {with} --form {form} --out open.pem --force"), 0);
            place.run(&format!("key convert key.pem --form {form} --format pem --out plain.pem --force"), 0);
            assert_eq!(place.read("open.pem"), place.read("plain.pem"));
        }
    }
}

#[test]
fn inconsistent_keys_are_told_apart() {
    let place = Place::with_messages();
    keygen(&place, "ML-DSA-44");
    place.run("key convert key.pem --format der --form both --out both.der", 0);
    place.run("key convert key.pem --format der --form expanded --out expanded.der", 0);
    place.run("key convert key.pem --format raw --form expanded --out key.raw", 0);
    let end = |file: &str| place.read(file).len() - 1;
    // the expanded key ends with t0; tr is 64 bytes from its byte 64 on; the seed precedes it
    for (file, at) in [
        ("both.der", end("both.der")),
        ("both.der", end("both.der") - 2559),
        ("both.der", end("both.der") - 2580),
        ("expanded.der", end("expanded.der")),
        ("expanded.der", end("expanded.der") - 2559 + 70),
        ("key.raw", 2559),
        ("key.raw", 0),
    ] {
        place.flip(file, at);
        let args = format!("key inspect {file} --set ML-DSA-44");
        let shown = json(&place.run(&format!("--json {args}"), 1)).remove(0);
        assert_eq!((&shown["consistent"], &shown["set"]), (&false.into(), &"ML-DSA-44".into()), "{file} {at}");
        assert_eq!(shown["form"], if file == "both.der" { "both" } else { "expanded" });
        assert!(shown["fingerprint"].is_null());
        place.run(&args, 1).stdout(contains("NO"));
        for refused in [
            format!("sign --key {file} --set ML-DSA-44 a"),
            format!("verify --key {file} --set ML-DSA-44 a"),
            format!("key convert {file} --set ML-DSA-44 --format pem --out x.pem"),
            format!("key public {file} --set ML-DSA-44 --out x.pem"),
        ] {
            place.run(&refused, 2).stderr(contains("inconsistent"));
        }
        place.flip(file, at);
        place.run(&args, 0);
    }
    // s1 larger than eta: not a key at all
    let mut bytes = place.read("key.raw");
    bytes[128] |= 7;
    place.write("large.raw", &bytes);
    place
        .run("key inspect large.raw --set ML-DSA-44", 2)
        .stderr(contains("large.raw: is not an SLH-DSA or ML-DSA key"));
    assert!(!place.path("x.pem").exists());
}

#[test]
fn what_is_not_a_key() {
    let place = Place::new();
    keygen(&place, "ML-DSA-87");
    place.run("key convert key.pem --format der --form both --out both.der", 0);
    place.run("key convert key.pem --format der --out seed.der", 0);
    place.run("key public key.pem --format der --out pub.der", 0);
    for file in ["both.der", "seed.der", "pub.der"] {
        let whole = place.read(file);
        for (name, bytes) in [
            ("cut", &whole[..whole.len() - 1]),
            ("long", &[&whole[..], b"\0"].concat()),
            ("tag", &[&[0x31], &whole[1..]].concat()),
            ("empty", &[]),
        ] {
            place.write(name, bytes);
            place.run(&format!("key inspect {name}"), 2).stdout("").stderr(contains(format!("error: {name}: ")));
        }
        // every byte before the key has one value
        for at in 0..22 {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            place.write("head", &bytes);
            place.run("key inspect head", 2).stdout("").stderr(contains("error: head: "));
        }
    }
    for wrong in ["00".repeat(31), "00".repeat(33), "zz".repeat(32)] {
        let args = format!("keygen --set ML-DSA-65 --out other.pem --seed-hex {wrong}");
        place.run(&args, 2).stderr(contains("--seed-hex"));
    }
    place.run("keygen --set ML-DSA-65 --form half --out other.pem", 2).stderr(contains("possible values"));
    place.run("keygen --set SLH-DSA-SHA2-128f --form seed --out other.pem", 2).stderr(contains("--form"));
    assert!(!place.path("other.pem").exists());
}

#[test]
fn keys_and_signatures_of_the_other_scheme() {
    let place = Place::with_messages();
    keygen(&place, "ML-DSA-65");
    place.run("keygen --set SLH-DSA-SHA2-128f --out slh.pem --pub slh.pub", 0);
    place.run("sign --key slh.pem a", 0);
    let said = "a.sig: has the length of a signature by SLH-DSA-SHA2-128f or SLH-DSA-SHAKE-128f, and the key is one of ML-DSA-65";
    place.run("verify --key pub.pem a", 1).stdout("a: INVALID\n").stderr(contains(said));
    place.run("sign --key key.pem a", 0);
    let said = "a.sig: has the length of a signature by ML-DSA-65, and the key is one of SLH-DSA-SHA2-128f";
    place.run("verify --key slh.pub a", 1).stdout("a: INVALID\n").stderr(contains(said));
    place.run("--quiet verify --key slh.pub a", 1).stdout("a: INVALID\n").stderr("");

    let said = "key.pem: is a key of ML-DSA-65, not of SLH-DSA-SHA2-128f";
    place.run("sign --key key.pem --set SLH-DSA-SHA2-128f a", 2).stderr(contains(said));
    place.run("sign --key key.pem --set ML-DSA-44 a", 2).stderr(contains("of ML-DSA-65, not of ML-DSA-44"));
    place.run("sign --key pub.pem a", 2).stderr(contains("pub.pem: is a public key"));
    let said = "is a key of SLH-DSA-SHA2-128f; mu is signed by ML-DSA alone";
    for command in ["sign --external-mu --key slh.pem", "verify --external-mu --key slh.pub", "mu --key slh.pub"] {
        place.run(&format!("{command} a"), 2).stdout("").stderr(contains(said));
    }
    assert!(!place.path("a.mu").exists());
}

#[test]
fn mu_in_place_of_the_message() {
    let place = Place::with_messages();
    keygen(&place, "ML-DSA-44");
    for options in ["", "--context letters", "--prehash sha3-256 --context-hex 00ff"] {
        place.run(&format!("sign --key key.pem --deterministic {options} a b c"), 0);
        let signatures = || ["a.sig", "b.sig", "c.sig"].map(|name| place.read(name));
        let expected = signatures();
        let made = json(&place.run(&format!("--json mu --key pub.pem {options} a b c"), 0));
        assert_eq!(made.len(), 4);
        for (line, file) in made.iter().zip(["a.mu", "b.mu", "c.mu"]) {
            assert_eq!(line["output"], file);
            assert_eq!(line["mu"], hex::encode(place.read(file)));
            assert_eq!(place.read(file).len(), 64);
        }
        let sign = "sign --key key.pem --deterministic --external-mu a.mu b.mu c.mu";
        place.run(sign, 0).stdout("a.mu: signed -> a.sig\nb.mu: signed -> b.sig\nc.mu: signed -> c.sig\n");
        assert_eq!(signatures(), expected, "{options:?}");
        place.run("sign --key key.pem --external-mu a.mu b.mu c.mu", 0);
        place.run(&format!("verify --key pub.pem {options} a b c"), 0);
        place.run("verify --key pub.pem --external-mu a.mu b.mu c.mu", 0).stdout("a.mu: OK\nb.mu: OK\nc.mu: OK\n");
        for file in ["a.mu", "a.sig"] {
            place.flip(file, 63);
            place.run("verify --key pub.pem --external-mu a.mu b.mu", 1).stdout("a.mu: INVALID\nb.mu: OK\n");
            place.flip(file, 63);
        }
    }
    // the key is part of mu
    place.run("keygen --set ML-DSA-44 --out other.pem --pub other.pub", 0);
    place.run("mu --key pub.pem a", 0);
    let mu = place.read("a.mu");
    place.run("mu --key other.pub a", 0).stdout("a: mu -> a.mu\n");
    assert_ne!(place.read("a.mu"), mu);

    std::fs::create_dir(place.path("mus")).unwrap();
    let with = |args: &str, bytes: &[u8], code| place.command(args).write_stdin(bytes).assert().code(code);
    with("mu --key key.pem --out-dir mus -", b"attack at dawn", 0).stdout("-: mu -> mus/stdin.mu\n");
    assert_eq!(place.read("mus/stdin.mu"), mu);
    with("sign --external-mu --key key.pem --out-dir mus -", &mu, 0).stdout("-: signed -> mus/stdin.sig\n");
    with("verify --external-mu --key pub.pem --sig-dir mus -", &mu, 0).stdout("-: OK\n");

    for (name, length) in [("short", 63), ("long", 65), ("none", 0), ("huge", 2_000_000)] {
        place.write(name, &vec![7; length]);
        place.run(&format!("sign --key key.pem --external-mu {name}"), 2).stderr(contains("expected 64 bytes"));
        assert!(!place.path(&format!("{name}.sig")).exists());
        place.write(&format!("{name}.sig"), &place.read("mus/stdin.sig"));
        place.run(&format!("verify --key pub.pem --external-mu {name}"), 2).stderr(contains("expected 64 bytes"));
    }
    for option in ["--context x", "--context-hex 00", "--prehash sha2-256"] {
        let args = format!("sign --key key.pem --external-mu {option} a.mu");
        place.run(&args, 2).stderr(contains("cannot be used with"));
    }
    place.run("mu --key pub.pem nothing a", 2).stdout("a: mu -> a.mu\n").stderr(contains("nothing: cannot read"));
    place.run("sign --external-mu --key key.pem a a.mu", 2).stderr(contains("would both have their signature"));
    place.run("mu --key pub.pem --out-dir new a ./a", 2).stderr(contains("would both have their mu in new/a.mu"));
    place
        .run("mu --key pub.pem a a.mu", 2)
        .stderr(contains("a.mu is to be read, and to be overwritten by the mu of a"));
    place.run("mu --key pub.pem --out-dir new a", 0).stdout("a: mu -> new/a.mu\n");
}

/// A message is read once, so that pipes need no storage.
#[test]
fn standard_input_and_pipes() {
    let place = Place::with_messages();
    keygen(&place, "ML-DSA-44");
    std::fs::create_dir(place.path("sigs")).unwrap();
    let with = |args: &str, bytes: &[u8], code| place.command(args).write_stdin(bytes).assert().code(code);
    for message in [place.read("a"), place.read("b"), place.read("c")] {
        for option in ["", "--spool"] {
            let sign = format!("--json sign --key key.pem --out-dir sigs {option} -");
            let lines = json(&with(&sign, &message, 0));
            assert_eq!(lines[0]["bytes"], message.len());
            with("verify --key pub.pem --sig-dir sigs -", &message, 0).stdout("-: OK\n");
            with("verify --key pub.pem --sig-dir sigs -", b"forged", 1).stdout("-: INVALID\n");
        }
    }
    with("sign --key key.pem -", b"x", 2).stderr(contains("--out-dir"));
    with("sign --key key.pem --out-dir sigs - -", b"x", 2).stderr(contains("would both"));
    #[cfg(unix)]
    {
        let pipe = place.path("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let bytes = place.read("c");
        let writer = std::thread::spawn(move || std::fs::write(pipe, bytes).unwrap());
        place.run("sign --key key.pem pipe", 0).stdout("pipe: signed -> pipe.sig\n");
        writer.join().unwrap();
        std::fs::copy(place.path("pipe.sig"), place.path("c.sig")).unwrap();
        place.run("verify --key pub.pem c", 0);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_half_written() {
    let place = Place::with_messages();
    keygen(&place, "ML-DSA-44");
    // opens, but reading at its beginning fails
    let broken = "/proc/self/mem";
    std::fs::create_dir_all(place.path("out/a.sig")).unwrap();
    place
        .run(&format!("sign --key key.pem --out-dir out {broken} a b"), 2)
        .stdout("b: signed -> out/b.sig\n")
        .stderr(contains("/proc/self/mem: ").and(contains("out/a.sig: cannot write")));
    assert_eq!(place.list("out"), ["a.sig", "b.sig"], "no temporary file is left");
    std::fs::create_dir_all(place.path("mus/a.mu")).unwrap();
    place.run(&format!("mu --key key.pem --out-dir mus {broken} a b"), 2).stdout("b: mu -> mus/b.mu\n");
    assert_eq!(place.list("mus"), ["a.mu", "b.mu"]);
    place.run("mu --key key.pem --out-dir b a", 2).stderr(contains("b: is not a directory"));
}

#[test]
fn default_key_of_ml_dsa() {
    let place = Place::with_messages();
    let said = stderr(&place.run("sign --set ML-DSA-65 a", 0));
    assert!(said.contains("made a new default key of ML-DSA-65"), "{said}");
    place.run("sign a c", 0);
    place.run("verify a c", 0);
    place.run("mu a", 0);
    place.run("verify --external-mu a.mu", 0);
    place.run("sign --set SLH-DSA-SHA2-128f a", 2).stderr(contains("the default key is one of ML-DSA-65"));
}
