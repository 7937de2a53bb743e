//! Full disks, killed runs, files that cannot be read or vanish, closed streams, no randomness: a clear error, the exit
//! code that says so, and nothing half written.
//!
//! System calls are made to fail by strace, other users are entered by setpriv, small disks are made by unshare and
//! mount. What this machine lacks is skipped with a line on standard error; `HASHLOOM_REQUIRE=faults` makes that a
//! failure.
#![cfg(target_os = "linux")]

mod common;

use std::{
    fs,
    io::Write,
    os::unix::{fs::PermissionsExt, process::ExitStatusExt},
    path::Path,
    process::{Child, Command, ExitStatus, Output, Stdio},
    time::{Duration, Instant},
};

use common::Place;
use rustix::process::{Pid, Signal, kill_process};

const SIGNATURE: usize = 17088;

/// Runs the program by way of another, `before` being that one and its arguments.
fn by_way_of(place: &Place, before: &[&str], args: &str) -> Output {
    let program = place.command("").get_program().to_owned();
    let mut command = Command::new(before[0]);
    command.args(&before[1..]).arg(program).args(args.split_whitespace());
    command.current_dir(place.path("")).env("HASHLOOM_HOME", place.path("home"));
    command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{before:?}: {error}"))
}

/// The program by a shell that does something about it first; `$0` is the program.
fn by_shell(place: &Place, script: &str) -> Output {
    let program = place.command("").get_program().to_owned();
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).arg(program).current_dir(place.path(""));
    command.env("HASHLOOM_HOME", place.path("home")).output().unwrap()
}

/// Past the harness' capture, and a failure where nothing may be skipped.
fn skip(what: &str, why: &str) {
    let required = std::env::var("HASHLOOM_REQUIRE").unwrap_or_default();
    assert!(!required.split(',').any(|word| word.trim() == "faults"), "required: {what}: {why}");
    writeln!(std::io::stderr(), "SKIPPED: {what}: {why}").expect("standard error is open");
}

/// Whether the machine lets a tool do what it is needed for.
fn can(tool: &[&str]) -> bool {
    match Command::new(tool[0]).args(&tool[1..]).arg("true").output() {
        Ok(output) if output.status.success() => return true,
        Ok(output) => skip(&tool.join(" "), stderr(&output).trim()),
        Err(error) => skip(tool[0], &error.to_string()),
    }
    false
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn fails(output: &Output, message: &str) {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = stderr(output);
    assert!(said.contains("error: ") && said.contains(message) && !said.contains("panicked"), "{message:?} in {said}");
}

fn is_temporary(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(".hashloom-"))
}

/// No temporary file is there.
fn tidy(place: &Place, dir: &str) {
    let left: Vec<String> = place.list(dir).into_iter().filter(|name| is_temporary(Path::new(name))).collect();
    assert!(left.is_empty(), "{left:?} in {dir}");
}

/// Every signature is whole and good, or was never made; returns how many there are.
fn whole_or_absent(place: &Place, names: &[String]) -> usize {
    let signed: Vec<&str> =
        names.iter().filter(|name| place.path(&format!("{name}.sig")).exists()).map(String::as_str).collect();
    for name in &signed {
        assert_eq!(place.read(&format!("{name}.sig")).len(), SIGNATURE, "{name}.sig");
    }
    if !signed.is_empty() {
        place.run(&format!("verify --key pub.pem {}", signed.join(" ")), 0);
    }
    signed.len()
}

/// Small messages by the names `m0`, `m1`...
fn messages(place: &Place, count: usize) -> Vec<String> {
    let names: Vec<String> = (0..count).map(|i| format!("m{i}")).collect();
    names.iter().for_each(|name| place.write(name, name.as_bytes()));
    names
}

const STRACE: &[&str] = &["strace", "-f", "-qq", "-o", "/dev/null"];

/// The program with a system call that fails.
fn failing(place: &Place, call: &str, how: &str, args: &str) -> Output {
    let (trace, inject) = (format!("trace={call}"), format!("inject={call}:{how}"));
    by_way_of(place, &[STRACE, &["-e", &trace, "-e", &inject]].concat(), args)
}

#[test]
fn system_calls_that_fail_while_a_signature_is_stored() {
    if !can(STRACE) {
        return;
    }
    let place = Place::with_messages();
    place.keygen();
    place.run("sign --key key.pem a", 0);
    let old = place.read("a.sig");
    for (call, how, message) in [
        ("fsync", "error=EIO", "a.sig: cannot write: Input/output error"),
        ("fsync", "error=ENOSPC", "a.sig: cannot write: No space left"),
        ("/^rename", "error=EACCES", "a.sig: cannot write: Permission denied"),
    ] {
        fails(&failing(&place, call, how, "sign --key key.pem a"), message);
        assert!(place.read("a.sig") == old, "{call}: the older signature stays");
        tidy(&place, ".");
        fails(&failing(&place, call, how, "sign --key key.pem b"), message.replace("a.sig", "b.sig").as_str());
        assert!(!place.path("b.sig").exists(), "{call}");
        tidy(&place, ".");
    }
    // a new key is no less careful
    fails(&failing(&place, "fsync", "error=EIO", "keygen --out new.pem --pub new.pub"), "new.pem: cannot write");
    assert!(!place.path("new.pem").exists() && !place.path("new.pub").exists());
    tidy(&place, ".");
}

#[test]
fn no_randomness() {
    if !can(STRACE) {
        return;
    }
    let place = Place::with_messages();
    place.keygen();
    let message = "random number generator failed";
    let fault = |how: &str, args: &str| failing(&place, "getrandom", how, args);
    fails(&fault("error=EIO", "keygen --out new.pem"), message);
    assert!(!place.path("new.pem").exists());
    fails(&fault("error=EIO", "sign a"), message);
    assert!(!place.path("home/default.pem").exists() && !place.path("a.sig").exists());
    // of a thread's requests, the first is a probe, the second for the first signature
    let output = fault("error=EIO:when=3+", "--threads 1 sign --key key.pem a b c");
    fails(&output, &format!("b: {message}"));
    assert!(stderr(&output).contains("signed 1 file in") && stderr(&output).contains("2 errors"), "{output:?}");
    place.run("verify --key pub.pem a", 0);
    assert!(!place.path("b.sig").exists() && !place.path("c.sig").exists());
    tidy(&place, ".");
}

#[test]
fn a_full_disk() {
    const UNSHARE: &[&str] = &["unshare", "--map-root-user", "--mount"];
    if !can(UNSHARE) {
        return;
    }
    let place = Place::with_messages();
    place.keygen();
    fs::create_dir(place.path("small")).unwrap();
    // room for one signature and a part of another; the mount is seen by this command only, which lists it
    let program = place.command("").get_program().to_str().unwrap().to_owned();
    let script = format!(
        "mount -t tmpfs -o size=28k none small || exit 77; {program} --threads 1 sign --key key.pem --out-dir small a b c; \
         code=$?; ls -A small; wc -c small/*.sig; {program} verify --key pub.pem --sig-dir small a || exit 78; exit $code"
    );
    let mut command = Command::new(UNSHARE[0]);
    command.args(&UNSHARE[1..]).args(["sh", "-c", &script]).current_dir(place.path(""));
    let output = command.env("HASHLOOM_HOME", place.path("home")).output().unwrap();
    if output.status.code() == Some(77) {
        skip("mounting a small disk", stderr(&output).trim());
        return;
    }
    fails(&output, "small/b.sig: cannot write: No space left");
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(out.contains("a: signed -> small/a.sig\n") && out.contains("\na.sig\n"), "{out}");
    assert!(!out.contains("b.sig") && !out.contains(".hashloom-") && out.contains("17088 small/a.sig"), "{out}");
}

#[test]
fn a_file_that_may_not_grow() {
    let place = Place::with_messages();
    place.keygen();
    // the write of a signature ends in its middle
    for before in ["", "trap '' XFSZ;"] {
        let script = format!("{before} ulimit -f 8; \"$0\" sign --key key.pem a b 2>&1 | cat >&2; exit 2");
        let output = by_shell(&place, &script);
        fails(&output, "a.sig: cannot write: File too large");
        assert!(stderr(&output).contains("2 errors"), "{output:?}");
        assert!(!place.path("a.sig").exists() && !place.path("b.sig").exists());
        tidy(&place, ".");
    }
}

#[test]
fn files_that_may_not_be_read() {
    const SETPRIV: &[&str] = &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    let place = Place::with_messages();
    place.keygen();
    let program = place.command("").get_program().to_str().unwrap().to_owned();
    if !can(SETPRIV) || !can(&[SETPRIV, &["test", "-x", &program, "-a"]].concat()) {
        return;
    }
    let mode = |name: &str, mode| fs::set_permissions(place.path(name), fs::Permissions::from_mode(mode)).unwrap();
    mode("", 0o755);
    place.run("sign --key key.pem a b", 0);
    let run = |args: &str| by_way_of(&place, SETPRIV, args);
    fails(&run("sign --key key.pem a"), "key.pem: cannot read the key: Permission denied");
    mode("a", 0);
    fails(&run("verify --key pub.pem a b"), "a: cannot read: Permission denied");
    fails(&run("hash --alg sha256 a b"), "a: cannot read: Permission denied");
    mode("b.sig", 0);
    fails(&run("verify --key pub.pem b"), "b.sig: cannot read the signature: Permission denied");
    // a directory that may not be written to
    mode("key.pem", 0o644);
    fails(&run("sign --key key.pem c"), "c.sig: cannot write: Permission denied");
    assert!(!place.path("c.sig").exists());
    tidy(&place, ".");
}

/// Starts the program on its own, with what it says thrown away. No signal is ignored, as it would be if the tests ran
/// in the background of a script.
fn start(place: &Place, args: &str) -> Child {
    let mut command = Command::new("env");
    command.arg("--default-signal").arg(place.command("").get_program());
    command.args(args.split_whitespace()).current_dir(place.path(""));
    command.env("HASHLOOM_HOME", place.path("home")).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Waits until `seen` or a minute has passed.
fn wait_for(mut seen: impl FnMut() -> bool) {
    let started = Instant::now();
    while !seen() {
        assert!(started.elapsed() < Duration::from_secs(60), "nothing happens");
    }
}

#[test]
fn a_file_that_vanishes() {
    let place = Place::new();
    place.keygen();
    let names = messages(&place, 200);
    let last = &names[names.len() - 1];
    let program = place.command("").get_program().to_owned();
    let mut command = Command::new(program);
    command.args(["--threads", "1", "sign", "--key", "key.pem"]).args(&names).current_dir(place.path(""));
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(|| place.path("m0.sig").exists());
    fs::remove_file(place.path(last)).unwrap();
    let output = child.wait_with_output().unwrap();
    fails(&output, &format!("{last}: cannot read: No such file"));
    assert!(stderr(&output).contains("signed 199 files"), "{output:?}");
    assert!(!place.path(&format!("{last}.sig")).exists());
    assert_eq!(whole_or_absent(&place, &names), 199);

    // a key that goes, and one that was cut
    let key = place.read("key.pem");
    place.write("key.pem", &key[..key.len() / 2]);
    fails(&by_way_of(&place, &["env"], "sign --key key.pem m0"), "key.pem: is not an SLH-DSA or ML-DSA key");
    fs::remove_file(place.path("key.pem")).unwrap();
    fails(&by_way_of(&place, &["env"], "sign --key key.pem m0"), "key.pem: cannot read the key: No such file");
}

/// Stops a run of the program at a moment when a temporary file is there, sends a signal, and says how the run ended
/// and whether the file is still there. `None` if no such moment was met.
fn caught_writing(place: &Place, names: &[String], signal: Signal) -> Option<(ExitStatus, bool)> {
    let args = format!("--threads 2 sign --key key.pem {}", names.join(" "));
    let entries = || fs::read_dir(place.path("")).unwrap().filter_map(Result::ok).map(|entry| entry.path());
    let temporary = || entries().find(|path| is_temporary(path));
    let mut child = start(place, &args);
    loop {
        if temporary().is_some() {
            send(&child, Signal::STOP);
            // stopping takes a moment, in which the file may get its name
            std::thread::sleep(Duration::from_millis(2));
            if let Some(path) = temporary() {
                send(&child, signal);
                send(&child, Signal::CONT);
                let status = child.wait().unwrap();
                let left = path.exists();
                if left {
                    fs::remove_file(path).unwrap();
                }
                return Some((status, left));
            }
            send(&child, Signal::CONT);
        }
        if child.try_wait().unwrap().is_some() {
            return None;
        }
    }
}

#[test]
fn killed_while_signing() {
    let place = Place::new();
    place.keygen();
    let names = messages(&place, 400);
    for (signal, leaves) in [(Signal::INT, false), (Signal::TERM, false), (Signal::HUP, false), (Signal::KILL, true)] {
        let mut caught = 0;
        for _ in 0..20 {
            let Some((status, left)) = caught_writing(&place, &names, signal) else { continue };
            assert_eq!(status.signal(), Some(signal.as_raw()), "{signal:?}: {status}");
            // what SIGKILL leaves shows that the others would be seen to leave it
            assert_eq!(left, leaves, "{signal:?}");
            if !leaves {
                tidy(&place, ".");
            }
            whole_or_absent(&place, &names);
            caught += 1;
            if caught == 3 {
                break;
            }
        }
        assert!(caught > 0, "{signal:?}: no run was met while it was writing");
        for entry in fs::read_dir(place.path("")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "sig") || is_temporary(&path) {
                fs::remove_file(path).unwrap();
            }
        }
    }
    // nothing stands in the way of the next run
    place.run(&format!("sign --key key.pem {}", names.join(" ")), 0);
    assert_eq!(whole_or_absent(&place, &names), names.len());
}

#[test]
fn ignored_signals_stay_ignored() {
    let place = Place::new();
    place.keygen();
    let names = messages(&place, 200);
    let program = place.command("").get_program().to_owned();
    let mut command = Command::new("sh");
    command.arg("-c").arg("trap '' HUP; exec \"$0\" --threads 1 sign --key key.pem \"$@\"").arg(program).args(&names);
    let mut child = command.current_dir(place.path("")).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for(|| place.path("m0.sig").exists());
    send(&child, Signal::HUP);
    assert_eq!(child.wait().unwrap().code(), Some(0), "as under nohup");
    assert_eq!(whole_or_absent(&place, &names), names.len());
}

#[test]
fn nobody_reads_what_is_signed() {
    let place = Place::new();
    place.keygen();
    let names = messages(&place, 200);
    for command in ["sign --key key.pem", "--json sign --key key.pem", "verify --key pub.pem"] {
        let mut run = Command::new(place.command("").get_program());
        run.args(command.split_whitespace()).args(&names).current_dir(place.path(""));
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = run.stdout(writer).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{command}: {output:?}");
        assert!(!stderr(&output).contains("panicked"), "{command}: {output:?}");
        let signed = whole_or_absent(&place, &names);
        assert!(signed < names.len(), "{command}: goes on although nobody reads");
        tidy(&place, ".");
    }
}

#[test]
fn streams_that_are_closed_or_full() {
    let place = Place::with_messages();
    place.keygen();
    // what is said is lost, what is done is done
    for stream in ["2>&-", "2>/dev/full", ">&-"] {
        let output = by_shell(&place, &format!("\"$0\" sign --key key.pem a {stream}"));
        assert_eq!(output.status.code(), Some(0), "{stream}: {output:?}");
        fs::remove_file(place.path("a.sig")).unwrap();
        let output = by_shell(&place, &format!("\"$0\" --log trace sign --key nothing a {stream}"));
        assert_eq!(output.status.code(), Some(2), "{stream}: {output:?}");
        assert!(!place.path("a.sig").exists());
    }
    // results that cannot be shown are an error, but the signature of the first was made
    let output = by_shell(&place, "\"$0\" sign --key key.pem a >/dev/full");
    fails(&output, "standard output: No space left");
    place.run("verify --key pub.pem a", 0);
    for args in ["--help", "sign --help", "--version"] {
        let output = by_shell(&place, &format!("\"$0\" {args} >/dev/full"));
        fails(&output, "standard output: No space left");
    }
    assert_eq!(by_shell(&place, "\"$0\" nonsense 2>/dev/full").status.code(), Some(2));

    // standard input that is closed has nothing in it
    let output = by_shell(&place, "\"$0\" sign --key key.pem --spool --out-dir . - <&-");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    fs::rename(place.path("stdin.sig"), place.path("b.sig")).unwrap();
    place.run("verify --key pub.pem b", 0);
    // and a directory is not to be read
    let output = by_shell(&place, "\"$0\" sign --key key.pem --spool --out-dir . - <.");
    fails(&output, "-: cannot spool: Is a directory");
    assert!(!place.path("stdin.sig").exists());
    fails(&by_shell(&place, "\"$0\" verify --key pub.pem --sig-dir . - <."), "stdin.sig: cannot read the signature");
}
