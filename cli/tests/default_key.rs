//! The key that `sign` makes when none is named.

mod common;

use common::{Place, json, stderr};
use predicates::prelude::{PredicateBooleanExt, predicate::str::contains};

#[test]
fn made_once_and_used_again() {
    let place = Place::with_messages();
    place.run("verify a", 2).stderr(contains("there is no default key"));
    assert!(!place.path("home").exists(), "verify makes no key");

    let first = stderr(&place.run("sign a", 0));
    assert!(first.contains("made a new default key of SLH-DSA-SHA2-128f"), "{first}");
    assert!(first.contains("home/default.pem") && first.contains("home/default.pub.pem"), "{first}");
    assert_eq!(place.list("home"), ["default.pem", "default.pub.pem"]);
    let key = place.read("home/default.pem");

    let second = stderr(&place.run("sign b c", 0));
    assert!(!second.contains("made a new"), "{second}");
    assert_eq!(place.read("home/default.pem"), key);
    place.run("verify a b c", 0);
    place.run("verify --key home/default.pub.pem a b c", 0);
}

#[cfg(unix)]
#[test]
fn private_to_its_owner() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::with_messages();
    place.run("sign a", 0);
    let mode = |name| place.path(name).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("home/default.pem"), 0o600);
    assert_eq!(mode("home"), 0o700);
    assert_eq!(mode("home/default.pub.pem") & 0o400, 0o400);
    assert_eq!(mode("a.sig"), mode("a"), "the umask decides");
}

#[test]
fn in_the_set_asked_for() {
    let place = Place::with_messages();
    place.run("sign --set SLH-DSA-SHAKE-128f a", 0).stderr(contains("SLH-DSA-SHAKE-128f"));
    place.run("sign --set slh-dsa-shake-128f a", 0);
    place.run("sign a", 0);
    place
        .run("sign --set SLH-DSA-SHA2-128f a", 2)
        .stderr(contains("the default key is one of SLH-DSA-SHAKE-128f, not of SLH-DSA-SHA2-128f"));
    place.run("verify a", 0);
}

#[test]
fn quiet_and_json_do_not_announce() {
    let place = Place::with_messages();
    place.run("--quiet sign a", 0).stdout("").stderr("");
    let lines = json(&place.run("--json sign a", 0));
    assert_eq!(lines.len(), 2);
}

#[test]
fn halves_must_belong_together() {
    let place = Place::with_messages();
    place.run("sign a", 0);
    let (private, public) = (place.path("home/default.pem"), place.path("home/default.pub.pem"));

    // a lost public key is made again, and verify does without it
    let old = place.read("home/default.pub.pem");
    std::fs::remove_file(&public).unwrap();
    place.run("verify a", 0);
    assert!(!public.exists());
    place.run("sign a", 0);
    assert_eq!(place.read("home/default.pub.pem"), old);

    place.keygen();
    std::fs::copy(place.path("pub.pem"), &public).unwrap();
    place.run("sign a", 2).stderr(contains("is not the public key of"));

    // a lost private key is not replaced behind the back of its public key
    std::fs::remove_file(&private).unwrap();
    place.run("sign a", 2).stderr(contains("private key").and(contains("missing")));
    assert!(!private.exists());
}

#[test]
fn damaged_is_an_error() {
    let place = Place::with_messages();
    std::fs::create_dir(place.path("home")).unwrap();
    place.write("home/default.pem", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
    place.run("sign a", 2).stderr(contains("default.pem: is not an SLH-DSA or ML-DSA key"));
    assert_eq!(place.list("home"), ["default.pem"]);
}

#[test]
fn home_that_cannot_be_made() {
    let place = Place::with_messages();
    place.command("sign a").env("HASHLOOM_HOME", place.path("a/home")).assert().code(2).stderr(contains("cannot make"));
}

#[test]
fn made_by_one_of_many_at_once() {
    let place = Place::with_messages();
    std::thread::scope(|scope| {
        for name in ["a", "b", "c"] {
            let place = &place;
            scope.spawn(move || place.run(&format!("sign {name}"), 0));
        }
    });
    place.run("verify a b c", 0);
}

#[cfg(target_os = "linux")]
#[test]
fn platform_directory() {
    let place = Place::with_messages();
    let sign = |home: &str| {
        let mut command = place.command("sign a");
        command.env("HASHLOOM_HOME", home).env("XDG_DATA_HOME", place.path("data")).assert().code(0);
    };
    sign("");
    assert_eq!(place.list("data/hashloom"), ["default.pem", "default.pub.pem"]);
}
