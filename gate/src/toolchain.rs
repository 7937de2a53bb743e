//! Builds the runner: the same level of the instruction set for Rust and for C, and nothing accelerated on either side.

use std::{
    env, fmt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde::Serialize;
use serde_json::Value;

use crate::{Error, record::Rival};

/// A level of the x86-64 instruction set; none of them has hash instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
pub enum Level {
    /// With AVX2, BMI and BMI2.
    #[value(name = "x86-64-v3")]
    #[serde(rename = "x86-64-v3")]
    V3,
    /// What every x86-64 has: SSE2.
    #[value(name = "x86-64")]
    #[serde(rename = "x86-64")]
    Baseline,
}

impl Level {
    /// Both, in the order in which they are measured.
    pub const ALL: [Self; 2] = [Self::V3, Self::Baseline];

    /// The name that rustc, gcc and clang have for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V3 => "x86-64-v3",
            Self::Baseline => "x86-64",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A C compiler that is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Compiler {
    /// What to call.
    pub command: String,
    /// What it says it is.
    pub version: String,
}

/// The compilers of that name, all of which must be there; without names gcc and clang, whichever is there.
pub fn compilers(names: &[String]) -> Result<Vec<Compiler>, Error> {
    let find = |command: &str| {
        first_line(command, "--version").map(|version| Compiler { command: command.to_owned(), version })
    };
    if !names.is_empty() {
        return names.iter().map(|name| find(name)).collect();
    }
    let usual = ["gcc", "clang"];
    let found: Vec<Compiler> = usual.iter().filter_map(|name| find(name).ok()).collect();
    if found.is_empty() { Err(Error::NoCompiler(usual.join(", "))) } else { Ok(found) }
}

/// What rustc says it is.
pub fn rustc() -> Result<String, Error> {
    first_line(&env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned()), "--version")
}

fn first_line(program: &str, argument: &str) -> Result<String, Error> {
    let text = output(Command::new(program).arg(argument))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// The standard output of a program that succeeds.
pub(crate) fn output(command: &mut Command) -> Result<String, Error> {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    // a word of English is looked for in what binutils write
    match command.env("LC_ALL", "C").stderr(Stdio::inherit()).output() {
        Err(source) => Err(Error::Start { program, source }),
        Ok(done) if !done.status.success() => Err(Error::Failed { program, what: done.status.to_string() }),
        Ok(done) => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
    }
}

/// A Rust package as it was built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The features that were on.
    pub features: Vec<String>,
    /// The optimisation level.
    pub opt_level: String,
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, version, features, opt_level } = self;
        let features = if features.is_empty() { "none".to_owned() } else { features.join(", ") };
        write!(f, "{name} {version}, features: {features}, opt-level {opt_level}")
    }
}

/// A runner, and how it was made.
#[derive(Clone, Debug, Serialize)]
pub struct Built {
    /// The level on both sides.
    pub level: Level,
    /// The compiler of the C side.
    pub compiler: Compiler,
    /// The arguments of rustc.
    pub rust_flags: String,
    /// The arguments that the C compiler was given besides those of the rivals' own build scripts.
    pub c_flags: String,
    /// hashloom.
    pub hashloom: Package,
    /// The crates that hold the rivals' C.
    pub rivals: Vec<(Rival, Package)>,
    /// The program.
    #[serde(skip)]
    pub executable: PathBuf,
}

/// Where cargo puts what it builds.
pub fn target_dir() -> PathBuf {
    let usual = || Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("target");
    env::var_os("CARGO_TARGET_DIR").map_or_else(usual, PathBuf::from)
}

/// Builds the runner.
pub fn build(level: Level, compiler: &Compiler) -> Result<Built, Error> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let name = Path::new(&compiler.command).file_name().unwrap_or_default().to_string_lossy();
    let rust_flags = [
        "--cfg=hashloom_portable_only".to_owned(),
        "--cfg=getrandom_backend=\"custom\"".to_owned(),
        format!("-Ctarget-cpu={level}"),
    ];
    let c_flags = format!("-O3 -march={level} -frecord-gcc-switches");

    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in env::vars_os().filter(|(name, _)| changes_the_build(&name.to_string_lossy())) {
        cargo.env_remove(name);
    }
    cargo
        .args(["build", "--release", "--locked", "--message-format=json-render-diagnostics", "--manifest-path"])
        .arg(root.join("runner/Cargo.toml"))
        .arg("--target-dir")
        .arg(target_dir().join(format!("gate/{level}-{name}")))
        .env("CARGO_ENCODED_RUSTFLAGS", rust_flags.join("\x1f"))
        .env("CC", &compiler.command)
        .env("CFLAGS", &c_flags);
    let Artifacts { packages, executable } = Artifacts::read(&output(&mut cargo)?)?;

    let package = |name: &str| packages.iter().find(|package| package.name == name).cloned();
    let rival = |rival, name| package(name).map(|package| (rival, package)).ok_or(Error::NoRival(rival));
    let missing = |what: &str| Error::Output { program: "cargo".to_owned(), what: format!("no {what} was built") };
    Ok(Built {
        level,
        compiler: compiler.clone(),
        rust_flags: rust_flags.join(" "),
        c_flags,
        hashloom: package("hashloom").ok_or_else(|| missing("hashloom"))?,
        rivals: vec![
            rival(Rival::PqClean, "pqcrypto-sphincsplus")?,
            rival(Rival::PqClean, "pqcrypto-mldsa")?,
            rival(Rival::SlhdsaC, "slhdsa-c-rs")?,
        ],
        executable: executable.ok_or_else(|| missing("runner"))?,
    })
}

/// Variables by which the environment would reach into the build of either side.
fn changes_the_build(name: &str) -> bool {
    let target_of = |tool: &str| {
        name.strip_prefix(tool).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
            || name.strip_suffix(tool).is_some_and(|rest| rest.ends_with('_'))
    };
    ["CC", "CFLAGS", "CPPFLAGS", "RUSTFLAGS"].into_iter().any(target_of)
        || ["CARGO_PROFILE_", "CARGO_BUILD_", "CRATE_CC_"].iter().any(|prefix| name.starts_with(prefix))
}

/// What cargo says it built.
#[derive(Debug, Default)]
struct Artifacts {
    packages: Vec<Package>,
    executable: Option<PathBuf>,
}

impl Artifacts {
    fn read(messages: &str) -> Result<Self, Error> {
        let mut read = Self::default();
        for line in messages.lines() {
            let message: Value = serde_json::from_str(line)
                .map_err(|error| Error::Output { program: "cargo".to_owned(), what: error.to_string() })?;
            if message["reason"] != "compiler-artifact" {
                continue;
            }
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let texts = |value: &Value| value.as_array().into_iter().flatten().map(text).collect::<Vec<_>>();
            if let Some(path) = message["executable"].as_str() {
                read.executable = Some(path.into());
            } else if texts(&message["target"]["kind"]).iter().any(|kind| kind == "lib") {
                let id = text(&message["package_id"]);
                // ends in #name@version, or in #version where the folder has the name
                let (place, version) = id.rsplit_once(['@', '#']).unwrap_or_default();
                read.packages.push(Package {
                    name: place.rsplit(['#', '/']).next().unwrap_or_default().to_owned(),
                    version: version.to_owned(),
                    features: texts(&message["features"]),
                    opt_level: text(&message["profile"]["opt_level"]),
                });
            }
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_says_what_it_built() {
        let messages = r#"{"reason":"compiler-artifact","package_id":"path+file:///somewhere#hashloom@0.1.0","target":{"kind":["lib"],"name":"hashloom"},"profile":{"opt_level":"3"},"features":["std"],"executable":null}
{"reason":"compiler-artifact","package_id":"path+file:///somewhere#hashloom@0.1.0","target":{"kind":["custom-build"],"name":"build-script-build"},"profile":{"opt_level":"0"},"features":["std"],"executable":null}
{"reason":"compiler-artifact","package_id":"path+file:///somewhere/runner#gate-runner@0.1.0","target":{"kind":["bin"],"name":"gate-runner"},"profile":{"opt_level":"3"},"features":[],"executable":"/somewhere/gate-runner"}
{"reason":"compiler-artifact","package_id":"path+file:///somewhere/slhdsa-c-rs#0.0.5","target":{"kind":["lib"],"name":"slhdsa_c_rs"},"profile":{"opt_level":"3"},"features":[],"executable":null}
{"reason":"build-finished","success":true}"#;
        let read = Artifacts::read(messages).unwrap();
        let found: Vec<_> =
            read.packages.iter().map(|p| (&*p.name, &*p.version, p.features.len(), &*p.opt_level)).collect();
        assert_eq!(found, [("hashloom", "0.1.0", 1, "3"), ("slhdsa-c-rs", "0.0.5", 0, "3")]);
        assert_eq!(read.executable, Some("/somewhere/gate-runner".into()));
        assert!(Artifacts::read("warning: text").is_err());
    }

    #[test]
    fn the_environment_does_not_reach_the_build() {
        for name in ["CC", "HOST_CC", "CC_x86_64_unknown_linux_gnu", "CFLAGS", "TARGET_CFLAGS", "RUSTFLAGS"] {
            assert!(changes_the_build(name), "{name}");
        }
        assert!(changes_the_build("CARGO_ENCODED_RUSTFLAGS"));
        assert!(changes_the_build("CARGO_PROFILE_RELEASE_OPT_LEVEL"));
        assert!(!changes_the_build("PATH"));
        assert!(!changes_the_build("SUCCESS"));
        assert!(!changes_the_build("CARGO_HOME"));
        assert!(!changes_the_build("CARGO_TARGET_DIR"));
    }
}
