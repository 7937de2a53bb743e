//! `engine`, `completions`, and what all commands share.

mod common;

use common::{Place, json, stderr};
use predicates::prelude::{PredicateBooleanExt, predicate::str::contains};

#[test]
fn engine_tables() {
    let place = Place::new();
    let names = contains("portable")
        .and(contains("keccak"))
        .and(contains("sha256"))
        .and(contains("sha512"))
        .and(contains("ring"));
    place.run("engine", 0).stdout(names.and(contains("min fill")));
    place.run("--backend portable engine", 0).stdout(contains("forced by --backend"));
    let object = json(&place.run("--json engine", 0)).remove(0);
    assert_eq!(object["primitives"].as_array().unwrap().len(), 4);
    for backend in object["backends"].as_array().unwrap() {
        assert_ne!(backend["available"] == true, backend["reason"].is_string(), "{backend}");
        let name = backend["name"].as_str().unwrap();
        // what is not available is refused, not replaced
        let run = place.command(&format!("--backend {name} --json engine")).assert();
        if backend["available"] == true {
            let forced = json(&run.code(0)).remove(0);
            assert_eq!(forced["engine"], backend["engine"]);
        } else {
            run.code(2).stdout("").stderr(contains(backend["reason"].as_str().unwrap()));
        }
    }
}

#[test]
fn backend_from_the_environment() {
    let place = Place::with_messages();
    let run = |backend: &str, args: &str| place.command(args).env("HASHLOOM_BACKEND", backend).assert();
    let portable = "engine: keccak portable x1 | sha256 portable x1 | sha512 portable x1 | ring portable x1";
    run("portable", "hash --alg sha256 a").code(0).stderr(contains(portable));
    run("nonsense", "--backend portable hash --alg sha256 a").code(0).stderr(contains(portable));
    run("nonsense", "hash --alg sha256 a").code(2).stdout("").stderr(contains("nonsense").and(contains("portable")));
    run("", "hash --alg sha256 a").code(0);
    place.run("--backend nonsense engine", 2).stderr(contains("possible values").and(contains("auto")));
}

#[test]
fn engine_is_logged_once() {
    let place = Place::with_messages();
    place.keygen();
    place.run("sign --key key.pem a b c", 0);
    let commands = [
        "sign --key key.pem a b",
        "verify --key pub.pem a b c",
        "hash --alg sha256 a b c",
        "key inspect key.pem",
        "keygen --out new.pem",
    ];
    for args in commands {
        let log = stderr(&place.run(args, 0));
        assert_eq!(log.matches("INFO engine: keccak ").count(), 1, "{log}");
        assert_eq!(log.matches("engine: ").count(), 1, "{log}");
    }
    place.run("--log warn hash --alg sha256 a", 0).stderr("");
    // the summary tells it where the log does not
    place.run("--log error verify --key pub.pem a", 0).stderr(contains("engine: keccak ").and(contains("INFO").not()));
    place.run("--log nonsense engine", 2);
}

#[test]
fn threads() {
    let place = Place::with_messages();
    place.run("--threads 1 hash --alg sha256 a b c", 0);
    for wrong in ["0", "x", "100000"] {
        place.run(&format!("--threads {wrong} engine"), 2).stderr(contains("--threads"));
    }
}

#[test]
fn completions_for_shells() {
    let place = Place::new();
    for (shell, mark) in [("bash", "complete -F"), ("zsh", "#compdef hashloom"), ("fish", "complete -c hashloom")] {
        place.run(&format!("completions {shell}"), 0).stdout(contains(mark).and(contains("verify"))).stderr("");
    }
    place.run("completions tcsh", 2).stderr(contains("possible values"));
    place.run("completions", 2);
}

#[test]
fn help_and_usage() {
    let place = Place::new();
    place.run("--help", 0).stdout(contains("Exit codes").and(contains("Examples")));
    let keys = ["key inspect", "key convert", "key public"];
    for command in ["keygen", "sign", "verify", "mu", "hash", "engine", "kat", "completions"].iter().chain(&keys) {
        place.run(&format!("{command} --help"), 0).stdout(contains("For example: hashloom")).stderr("");
    }
    place.run("--version", 0).stdout(contains("hashloom "));
    place.run("", 2).stderr(contains("Usage"));
    place.run("nonsense", 2).stderr(contains("nonsense"));
    place.run("sign --nonsense a", 2).stderr(contains("--nonsense"));
}

#[cfg(target_os = "linux")]
#[test]
fn full_or_closed_output() {
    use std::process::{Command, Stdio};
    let place = Place::with_messages();
    let program = place.command("").get_program().to_owned();
    let run = |args: &str, stdout: Stdio| {
        let mut command = Command::new(&program);
        command.args(args.split_whitespace()).current_dir(place.path("")).stdout(stdout).output().unwrap()
    };
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    for args in ["completions bash", "hash --alg sha256 a b c", "--json engine"] {
        let output = run(args, full.try_clone().unwrap().into());
        assert_eq!(output.status.code(), Some(2), "{args}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("standard output: No space left"), "{args}");

        // a pipe whose reader has gone
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = run(&format!("--quiet {args}"), writer.into());
        assert_eq!((output.status.code(), output.stderr.is_empty()), (Some(2), true), "{args}");
    }
}
