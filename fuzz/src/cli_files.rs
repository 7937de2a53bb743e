//! Files that the command line reads: keys, signatures, messages, vector files. It ends with one of its exit codes, and
//! that is the right one where the library can tell.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use hashloom::{
    Engine,
    slh_dsa::{Mode, VerifyingKey},
};
use seeds::Reader;
use tempfile::TempDir;

use crate::common::set;

/// Encrypted keys must not wait for someone to type.
const PASSPHRASE: [&str; 2] = ["--passphrase-file", "/dev/null"];

/// The files of one input, in memory where the system has such a place.
struct Files {
    key: PathBuf,
    messages: [PathBuf; 2],
    out: PathBuf,
}

fn files() -> &'static Files {
    static FILES: OnceLock<(TempDir, Files)> = OnceLock::new();
    let make = || {
        let memory = Path::new("/dev/shm");
        let dir = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
        let dir = dir.expect("temporary files can be made");
        let path = |name: &str| dir.path().join(name);
        let files = Files { key: path("key"), messages: [path("a"), path("b")], out: path("out") };
        (dir, files)
    };
    &FILES.get_or_init(make).1
}

fn write(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).expect("temporary files can be written");
}

fn signature_of(path: &Path) -> PathBuf {
    path.with_extension("sig")
}

fn command(args: &[&dyn AsRef<std::ffi::OsStr>]) -> u8 {
    let quiet: [&dyn AsRef<std::ffi::OsStr>; 3] = [&"hashloom", &"--quiet", &"--log=error"];
    let args = quiet.iter().chain(args).map(|arg| OsString::from(arg.as_ref()));
    let code = hashloom_cli::run(args);
    assert!(code <= 2, "exit code {code}");
    code
}

/// Input: command, set, then the files.
pub fn run(data: &[u8]) {
    let mut input = Reader::new(data);
    let kind = input.byte();
    let set = set(&mut input);
    let named = input.byte() % 2 == 1;
    let files = files();
    let set_args: &[&dyn AsRef<std::ffi::OsStr>] = if named { &[&"--set", &set.name()] } else { &[] };
    let with_set = |args: &[&dyn AsRef<std::ffi::OsStr>]| command(&[args, set_args].concat());
    let [option, passphrase]: [&dyn AsRef<std::ffi::OsStr>; 2] = [&PASSPHRASE[0], &PASSPHRASE[1]];
    match kind % 6 {
        0 => {
            write(&files.key, input.rest());
            let inspected = with_set(&[&"key", &"inspect", &files.key, option, passphrase]);
            let public =
                with_set(&[&"key", &"public", &files.key, &"--out", &files.out, &"--force", option, passphrase]);
            // what cannot be read cannot be inspected, and an inconsistent key is inspected but not used
            assert_eq!(public == 0, inspected == 0, "inspect ends with {inspected}, public with {public}");
            if public == 0 {
                let written = fs::read_to_string(&files.out).expect("the public key is written");
                VerifyingKey::from_spki_pem(&Engine::get(), &written).expect("the public key can be read");
            }
        }
        1 => {
            write(&files.key, input.rest());
            let form = ["pem", "der", "raw"][usize::from(kind / 6) % 3];
            let target: [&dyn AsRef<std::ffi::OsStr>; 5] = [&"--format", &form, &"--out", &files.out, &"--force"];
            let source: [&dyn AsRef<std::ffi::OsStr>; 5] = [&"key", &"convert", &files.key, option, passphrase];
            let code = with_set(&[&source[..], &target[..]].concat());
            if code == 0 && (form != "raw" || named) {
                let again = with_set(&[&"key", &"inspect", &files.out]);
                assert_eq!(again, 0, "a converted key is refused");
            }
        }
        2 | 3 => verify(&mut input, &with_set),
        4 => {
            for path in &files.messages {
                write(path, input.field());
            }
            let [a, b] = &files.messages;
            let missing = &files.out.with_extension("missing");
            assert_eq!(command(&[&"hash", &"--alg", &"shake128", a, b]), 0);
            assert_eq!(command(&[&"hash", &"--alg", &"sha2-256", a, missing]), 2);
        }
        _ => {
            write(&files.key, input.rest());
            command(&[&"kat", &files.key, &"--filter", &"SLH-DSA-SHA2-128f"]);
        }
    }
}

/// The key, then a message and a signature, and again.
fn verify(input: &mut Reader<'_>, with_set: &dyn Fn(&[&dyn AsRef<std::ffi::OsStr>]) -> u8) {
    let files = files();
    let key = input.field();
    write(&files.key, key);
    let [a, b] = &files.messages;
    let first = (input.field(), input.field());
    let second = (input.field(), input.rest());
    for (path, (message, signature)) in [(a, first), (b, second)] {
        write(path, message);
        write(&signature_of(path), signature);
    }
    let code = with_set(&[&"verify", &"--key", &files.key, a, b]);
    if let Ok(key) = VerifyingKey::from_spki_der(&Engine::get(), key) {
        let valid = |(message, signature)| key.verify(message, &Mode::default(), signature).is_ok();
        assert!(code == 2 || (code == 0) == (valid(first) && valid(second)), "verify ends with {code}");
    }
}
