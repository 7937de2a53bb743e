//! The rules, and how assembly is made and read.

use std::{
    collections::BTreeSet,
    env,
    ffi::OsStr,
    fmt, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Where backends live: every function there is a kernel, an entry or detection.
const BACKENDS: [&str; 2] = ["hashloom::x86::", "hashloom::aarch64::"];
/// The portable kernels; the rest of that module is generic and only exists inlined.
pub(crate) const PORTABLE: &str = "hashloom::portable::";
/// Asked once per process, never from a kernel.
const DETECTION: [&str; 2] = ["::detect", "::cpu::"];

/// What an entry may call besides kernels.
const ENTRY_MAY_CALL: &[&str] = &[
    // copies and wipes of buffers
    "memset",
    "memcpy",
    "bzero",
    // panics, and unwinding from them
    "core::panicking::",
    "core::slice::index::slice_",
    "core::slice::copy_from_slice_impl::len_mismatch_fail",
    "core::option::unwrap_failed",
    "core::option::expect_failed",
    "core::result::unwrap_failed",
    "_Unwind_Resume",
    // wipes what it is given, between two jobs
    "zeroize::",
    // puts bytes in place with memcpy: nothing to vectorise, so one copy serves all lane counts
    "hashloom::sha2::fill_block",
];

/// What arithmetic on polynomials may call, whose functions take slices, besides its own.
const ARITHMETIC_MAY_CALL: &[&str] = &[
    // panics, and what one of them says
    "core::panicking::",
    "core::slice::index::slice_",
    "<u32 as core::fmt::Display>::fmt",
    "_Unwind_Resume",
    // sums of the portable text
    "memset",
    "memcpy",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Kernel,
    Entry,
    /// In the table of a backend's ring.
    Arithmetic,
    Other,
}

pub(crate) fn kind(path: &str) -> Kind {
    let in_backend = BACKENDS.iter().any(|backends| path.contains(backends));
    if in_backend && path.contains("::enter_") {
        Kind::Entry
    } else if (in_backend || path.starts_with(PORTABLE)) && path.contains("::ring::") {
        Kind::Arithmetic
    } else if in_backend && !DETECTION.iter().any(|part| path.contains(part)) || path.starts_with(PORTABLE) {
        Kind::Kernel
    } else {
        Kind::Other
    }
}

/// The path of a symbol without generic arguments' crate hashes; a name that is not mangled stays as it is.
pub(crate) fn demangle(symbol: &str) -> String {
    let symbol = symbol.split('@').next().unwrap_or_default();
    format!("{:#}", rustc_demangle::demangle(symbol))
}

/// What one function of an assembly text transfers control to, other than itself.
#[derive(Debug, Default)]
pub(crate) struct Function {
    /// Targets named in calls and tail calls.
    pub(crate) calls: BTreeSet<String>,
    /// Symbols whose address is loaded: the targets of calls through a register.
    pub(crate) loaded: BTreeSet<String>,
    /// Calls through a place that no such load reaches.
    pub(crate) unknown: BTreeSet<String>,
}

/// The functions of backends in an assembly text, as their lines.
pub(crate) fn functions(asm: &str) -> Vec<(String, Vec<&str>)> {
    let mut functions = Vec::new();
    let mut current: Option<(String, Vec<&str>)> = None;
    for line in asm.lines().chain(["end:"]) {
        match line.strip_suffix(':') {
            Some(label) if !label.starts_with([' ', '\t', '.']) && !label.starts_with('L') => {
                let named = demangle(label);
                let read = (kind(&named) != Kind::Other).then(|| (named, Vec::new()));
                functions.extend(std::mem::replace(&mut current, read));
            }
            _ => {
                if let Some((_, body)) = &mut current {
                    body.push(line);
                }
            }
        }
    }
    functions
}

/// What is wrong, and how much was looked at.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) kernels: BTreeSet<String>,
    pub(crate) entries: BTreeSet<String>,
    /// Functions may share a name, which macros give.
    pub(crate) arithmetic: Vec<String>,
    pub(crate) faults: BTreeSet<String>,
}

impl Report {
    /// Looks at a text, whose functions are read by `function`.
    pub(crate) fn read(&mut self, asm: &str, function: fn(&[&str]) -> Function) {
        for (name, body) in functions(asm) {
            let function = function(&body);
            let targets = function.calls.union(&function.loaded);
            match kind(&name) {
                Kind::Kernel => {
                    for target in targets.chain(&function.unknown) {
                        self.faults.insert(format!("kernel {name} calls {target}"));
                    }
                    self.kernels.insert(name);
                }
                Kind::Entry => {
                    for target in targets {
                        let allowed = kind(target) == Kind::Kernel
                            || ENTRY_MAY_CALL.iter().any(|allowed| target.starts_with(allowed));
                        if !allowed {
                            self.faults.insert(format!("entry {name} calls {target}"));
                        }
                    }
                    for place in function.unknown {
                        self.faults.insert(format!("entry {name} calls something through {place}"));
                    }
                    self.entries.insert(name);
                }
                Kind::Arithmetic => {
                    for target in targets.chain(&function.unknown) {
                        let allowed = kind(target) == Kind::Arithmetic
                            || ARITHMETIC_MAY_CALL.iter().any(|allowed| target.starts_with(allowed));
                        if !allowed {
                            self.faults.insert(format!("arithmetic {name} calls {target}"));
                        }
                    }
                    self.arithmetic.push(name);
                }
                Kind::Other => {}
            }
        }
    }

    /// How many of a set's names have all the parts.
    pub(crate) fn count(set: &BTreeSet<String>, parts: &[&str]) -> usize {
        set.iter().filter(|name| parts.iter().all(|part| name.contains(part))).count()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kernels, entries, arithmetic) = (self.kernels.len(), self.entries.len(), self.arithmetic.len());
        writeln!(f, "{kernels} kernels, {entries} entries, {arithmetic} functions of rings")?;
        let names = self.kernels.iter().chain(&self.entries).chain(&self.arithmetic);
        names.into_iter().try_for_each(|name| writeln!(f, "  {name}"))
    }
}

/// Builds the probe, and with it the library, for release and returns the assembly of both: for this machine, or for a
/// target by a program that is cargo for it.
pub(crate) fn assembly(cross: Option<(&OsStr, &str)>) -> Vec<String> {
    let root = env!("CARGO_MANIFEST_DIR");
    let probe = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels_asm");
    fs::create_dir_all(probe.join("src")).unwrap();
    let manifest = format!(
        "[package]\nname = \"probe\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n\
         [dependencies]\nhashloom = {{ path = {root:?}, default-features = false }}\n"
    );
    fs::write(probe.join("Cargo.toml"), manifest).unwrap();
    fs::write(probe.join("src/lib.rs"), include_str!("probe.rs")).unwrap();
    fs::copy(Path::new(root).join("Cargo.lock"), probe.join("Cargo.lock")).unwrap();

    let flags = "--emit=asm -Ccodegen-units=1 -Csymbol-mangling-version=v0";
    let mut cargo = match cross {
        None => {
            let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
            cargo.arg("build").arg("--target-dir=target").env("RUSTFLAGS", flags);
            cargo
        }
        Some((program, target)) => {
            let mut cargo = Command::new(program);
            let variable = format!("CARGO_TARGET_{}_RUSTFLAGS", target.to_uppercase().replace('-', "_"));
            cargo.args([target, "build", "--target-dir=cross"]).env(variable, flags);
            cargo
        }
    };
    let output = cargo
        .args(["--release", "--offline", "--message-format=json"])
        .current_dir(&probe)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("CARGO_BUILD_TARGET")
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // of the files that builds have left there, those that belong to this one
    let files: BTreeSet<PathBuf> = String::from_utf8(output.stdout).unwrap().lines().filter_map(asm_file).collect();
    assert_eq!(files.len(), 2, "the library's text and the probe's: {files:?}");
    files.iter().map(|file| fs::read_to_string(file).unwrap()).collect()
}

/// Where the assembly of one of the two crates is, from cargo's message about it.
fn asm_file(message: &str) -> Option<PathBuf> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    let name = message["target"]["name"].as_str().filter(|name| ["hashloom", "probe"].contains(name))?;
    let metadata = message["filenames"].as_array()?.iter().find_map(|file| file.as_str()?.strip_suffix(".rmeta"))?;
    let path = Path::new(metadata);
    let stem = path.file_name()?.to_str()?.strip_prefix("lib")?;
    assert!(stem.starts_with(name));
    Some(path.with_file_name(format!("{stem}.s")))
}

#[test]
fn functions_are_sorted_by_their_path() {
    for (path, want) in [
        ("hashloom::x86::avx2::sha256_chain::<16usize>", Kind::Kernel),
        ("<hashloom::x86::avx2::Avx2>::enter_sha512::enter_sha512::<hashloom::sha2::CompressJob<u64>>", Kind::Entry),
        ("hashloom::x86::avx2::cpu::init_get::init_inner", Kind::Other),
        ("hashloom::aarch64::sha2_ext::chain::<4usize, 16usize>", Kind::Kernel),
        ("<hashloom::aarch64::detect::Core>::detect::MIDR", Kind::Other),
        ("hashloom::aarch64::ring::ntt", Kind::Arithmetic),
        ("hashloom::portable::ring::pack", Kind::Arithmetic),
        ("<hashloom::x86::avx2::Avx2>::ring::TABLE::inner", Kind::Arithmetic),
        ("hashloom::portable::compress::<u32>", Kind::Kernel),
        ("hashloom::sha2::fill_block::<u32>", Kind::Other),
    ] {
        assert_eq!(kind(path), want, "{path}");
    }
}
