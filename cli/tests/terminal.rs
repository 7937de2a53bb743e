//! Passphrases that are typed: a new one is asked for twice, and none is shown.
#![cfg(target_os = "linux")]

mod common;

use std::{
    fs::{self, File},
    io::{Read, Write},
    os::fd::OwnedFd,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use common::Place;
use rustix::{
    fs::{Mode, OFlags, open},
    process::{Pid, Signal, kill_process},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{LocalModes, tcgetattr},
};

/// What no prompt takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal: what a person has of it, and what a program has.
fn terminal() -> (File, OwnedFd) {
    let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&person).unwrap();
    unlockpt(&person).unwrap();
    let name = ptsname(&person, Vec::new()).unwrap();
    let program = open(&name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap();
    (person.into(), program)
}

/// A program that is being used.
struct Session {
    person: File,
    child: Child,
    shown: String,
}

impl Session {
    /// Runs the program on a terminal that is its controlling one; other output goes to pipes.
    fn begin(place: &Place, args: &str) -> Self {
        let (person, program) = terminal();
        let child = Command::new("setsid")
            .args(["--ctty", "--wait", "timeout", "--foreground", "60"])
            .arg(place.command("").get_program())
            .args(args.split_whitespace())
            .current_dir(place.path("."))
            .env("HASHLOOM_HOME", place.path("home"))
            .stdin(program)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("setsid of util-linux");
        Self { person, child, shown: String::new() }
    }

    /// Waits for a prompt and types.
    fn answer(self, prompt: &str, line: &str) -> Self {
        let mut session = self.waits(prompt);
        writeln!(session.person, "{line}").unwrap();
        session
    }

    /// Waits for a prompt, and for the terminal to stop showing what is typed.
    fn waits(mut self, prompt: &str) -> Self {
        let mut byte = [0];
        while !self.shown.ends_with(prompt) {
            // the program's end is an error
            self.person.read_exact(&mut byte).unwrap_or_else(|error| panic!("{prompt:?} in {:?}: {error}", self.shown));
            self.shown.push(char::from(byte[0]));
        }
        let started = Instant::now();
        while tcgetattr(&self.person).unwrap().local_modes.contains(LocalModes::ECHO) {
            assert!(started.elapsed() < PATIENCE, "{prompt:?} shows what is typed");
            sleep(Duration::from_millis(1));
        }
        self
    }

    /// The program, which a shell's helpers have started.
    fn program(&self) -> Pid {
        let child = |pid: u32| {
            let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
            children.split_whitespace().next().map_or(pid, |pid| pid.parse().unwrap())
        };
        Pid::from_raw(child(child(self.child.id())).cast_signed()).unwrap()
    }

    /// Exit code, standard output, standard error, and everything that the terminal showed.
    fn end(mut self) -> (Option<i32>, String, String, String) {
        let output = self.child.wait_with_output().unwrap();
        let mut rest = Vec::new();
        // ends with an error, as no one has the other side
        let _ = self.person.read_to_end(&mut rest);
        self.shown.push_str(&String::from_utf8_lossy(&rest));
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr), self.shown)
    }
}

fn with_key() -> Place {
    let place = Place::new();
    place.keygen();
    place
}

/// A terminal that went on not showing what is typed would be of no more use.
#[test]
fn a_signal_leaves_the_terminal_as_it_was() {
    let place = with_key();
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let encrypt = "key encrypt key.pem --iterations 1000 --out locked.pem";
        let session = Session::begin(&place, encrypt).waits("New passphrase: ");
        kill_process(session.program(), signal).unwrap();
        let started = Instant::now();
        while !tcgetattr(&session.person).unwrap().local_modes.contains(LocalModes::ECHO | LocalModes::ICANON) {
            assert!(started.elapsed() < PATIENCE, "{signal:?} leaves the terminal mute");
            sleep(Duration::from_millis(1));
        }
        let (code, ..) = session.end();
        assert_ne!(code, Some(0), "{signal:?}");
        assert!(!place.path("locked.pem").exists());
    }
}

#[test]
fn new_passphrases_are_typed_twice() {
    let place = with_key();
    let encrypt = "key encrypt key.pem --iterations 1000 --out locked.pem";
    let session = Session::begin(&place, encrypt).answer("New passphrase: ", "open sesame");
    let (code, stdout, stderr, shown) = session.answer("The same again: ", "open sesamo").end();
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("the two passphrases differ"), "{stderr}");
    assert!(!shown.contains("sesam"), "{shown}");
    assert!(!place.path("locked.pem").exists());

    let session = Session::begin(&place, encrypt).answer("New passphrase: ", "open sesame");
    let (code, _, stderr, shown) = session.answer("The same again: ", "open sesame").end();
    assert_eq!(code, Some(0), "{stderr}");
    assert!(!shown.contains("sesam"), "{shown}");

    let public = "key public locked.pem";
    let (code, stdout, _, shown) = Session::begin(&place, public).answer("locked.pem: ", "open sesame").end();
    assert_eq!((code, stdout.into_bytes()), (Some(0), place.read("pub.pem")));
    assert!(!shown.contains("sesam"), "{shown}");
    let (code, stdout, stderr, _) = Session::begin(&place, public).answer("locked.pem: ", "open sesamo").end();
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("wrong passphrase"), "{stderr}");
}

#[test]
fn new_passphrases_are_not_empty() {
    let place = with_key();
    let session = Session::begin(&place, "keygen --encrypt --out new.pem").answer("New passphrase: ", "");
    let (code, _, stderr, _) = session.answer("The same again: ", "").end();
    assert_eq!(code, Some(2));
    assert!(stderr.contains("the passphrase is empty"), "{stderr}");
    assert!(!place.path("new.pem").exists());
}

#[test]
fn keys_and_passwords_are_not_shown() {
    let place = Place::with_messages();
    place.write("key", b"open sesame");
    let want = common::stdout(&place.run("mac --alg sha256 --key-file key a", 0));
    let (code, stdout, _, shown) = Session::begin(&place, "mac --alg sha256 a").answer("Key: ", "open sesame").end();
    assert_eq!((code, stdout), (Some(0), want));
    assert!(!shown.contains("sesam"), "{shown}");
    let kdf = "kdf pbkdf2 --alg sha256 --salt-hex 00 --iterations 10 --len 32";
    let want = common::stdout(&place.run(&format!("{kdf} --password-file key"), 0));
    let (code, stdout, _, shown) = Session::begin(&place, kdf).answer("Password: ", "open sesame").end();
    assert_eq!((code, stdout), (Some(0), want));
    assert!(!shown.contains("sesam"), "{shown}");
}

/// A terminal that no one has told anything does show what is typed.
#[test]
fn terminals_show_what_is_typed() {
    let (mut person, _program) = terminal();
    writeln!(person, "open sesame").unwrap();
    let mut shown = [0; 11];
    person.read_exact(&mut shown).unwrap();
    assert_eq!(&shown, b"open sesame");
}
