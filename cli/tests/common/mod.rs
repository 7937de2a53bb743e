//! A temporary directory to run the program in.
#![allow(dead_code)] // each test binary uses its part

use std::{fs, path::PathBuf};

use assert_cmd::{Command, assert::Assert};
use serde_json::Value;
use tempfile::TempDir;

/// A directory with its own default key, where the program runs.
pub struct Place {
    dir: TempDir,
}

impl Place {
    pub fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    /// With the messages `a`, `b` and `c`: short, empty, and too long for a batch.
    pub fn with_messages() -> Self {
        let place = Self::new();
        place.write("a", b"attack at dawn");
        place.write("b", b"");
        place.write("c", &(0..1_500_000_u32).map(|i| (i % 251) as u8).collect::<Vec<_>>());
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub fn flip(&self, name: &str, at: usize) {
        let mut bytes = self.read(name);
        bytes[at] ^= 1;
        self.write(name, &bytes);
    }

    /// File names in a subdirectory, sorted.
    pub fn list(&self, name: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(name)).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The program with blank-separated arguments, in this directory.
    pub fn command(&self, args: &str) -> Command {
        let mut command = Command::cargo_bin("hashloom").unwrap();
        command.current_dir(self.dir.path()).args(args.split_whitespace());
        command.env("HASHLOOM_HOME", self.path("home")).env_remove("HASHLOOM_BACKEND").env_remove("NO_COLOR");
        command
    }

    /// Runs the program and checks its exit code.
    pub fn run(&self, args: &str, code: i32) -> Assert {
        self.command(args).assert().code(code)
    }

    /// Makes a pair of 128f, `key.pem` and `pub.pem`, always the same.
    pub fn keygen(&self) {
        let seed = "000102030405060708090a0b0c0d0e0f".repeat(3);
        let args = format!("keygen --set slh-dsa-sha2-128f --out key.pem --pub pub.pem --seed-hex {seed}");
        self.run(&args, 0);
    }
}

pub fn stdout(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

pub fn stderr(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

/// The JSON objects on standard output, which has nothing else.
pub fn json(assert: &Assert) -> Vec<Value> {
    stdout(assert).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
