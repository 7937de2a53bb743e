//! The rules, and how assembly is made and read.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fmt, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Where backends live: every function there is a kernel, an entry or detection.
const BACKENDS: &str = "hashloom::x86::";
/// The portable kernels; the rest of that module is generic and only exists inlined.
const PORTABLE: &str = "hashloom::portable::";
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

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Kernel,
    Entry,
    Other,
}

fn kind(path: &str) -> Kind {
    let in_backend = path.contains(BACKENDS);
    if in_backend && path.contains("::enter_") {
        Kind::Entry
    } else if in_backend && !DETECTION.iter().any(|part| path.contains(part)) || path.starts_with(PORTABLE) {
        Kind::Kernel
    } else {
        Kind::Other
    }
}

/// The path of a symbol without generic arguments' crate hashes; a name that is not mangled stays as it is.
fn demangle(symbol: &str) -> String {
    let symbol = symbol.split('@').next().unwrap_or_default();
    format!("{:#}", rustc_demangle::demangle(symbol))
}

/// What one function of an assembly text transfers control to, other than itself.
#[derive(Debug, Default)]
struct Function {
    /// Targets named in calls and tail calls.
    calls: BTreeSet<String>,
    /// Symbols whose address is loaded: the targets of calls through a register.
    loaded: BTreeSet<String>,
    /// Calls through a place that no such load reaches.
    unknown: BTreeSet<String>,
}

/// The kernels and entries of an assembly text.
fn functions(asm: &str) -> BTreeMap<String, Function> {
    let mut functions = BTreeMap::new();
    let mut current: Option<(String, Vec<&str>)> = None;
    for line in asm.lines().chain(["end:"]) {
        match line.strip_suffix(':') {
            Some(label) if !label.starts_with([' ', '\t', '.']) && !label.starts_with('L') => {
                let named = demangle(label);
                let read = (kind(&named) != Kind::Other).then(|| (named, Vec::new()));
                if let Some((name, body)) = std::mem::replace(&mut current, read) {
                    functions.insert(name, function(&body));
                }
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

/// Reads one function's instructions (AT&T syntax: the destination comes last).
fn function(body: &[&str]) -> Function {
    let mut function = Function::default();
    // registers and stack slots that ever receive a symbol's address; copies of copies need a second look
    let mut places = BTreeSet::new();
    let mut indirect = BTreeSet::new();
    for _ in 0..3 {
        for line in body {
            let Some((op, args)) = line.trim().split_once(char::is_whitespace) else { continue };
            let args = args.split('#').next().unwrap_or_default().trim();
            if op.starts_with("mov") {
                let Some((from, to)) = args.rsplit_once(',') else { continue };
                let got = from.strip_suffix("@GOTPCREL(%rip)");
                function.loaded.extend(got.map(demangle));
                if got.is_some() || places.contains(from.trim()) {
                    places.insert(to.trim());
                }
            } else if op.starts_with("call") || op.starts_with('j') {
                match args.strip_prefix('*') {
                    Some(place) => match place.strip_suffix("@GOTPCREL(%rip)") {
                        Some(symbol) => _ = function.calls.insert(demangle(symbol)),
                        None => _ = indirect.insert((op, place)),
                    },
                    None if args.starts_with(['.', 'L']) => {}
                    None => _ = function.calls.insert(demangle(args)),
                }
            }
        }
    }
    for (op, place) in indirect {
        // a jump through a register is how tables are used: only calls must be known
        if op.starts_with("call") && !places.contains(place) {
            function.unknown.insert(place.to_owned());
        }
    }
    function
}

/// What is wrong, and how much was looked at.
#[derive(Default)]
struct Report {
    kernels: BTreeSet<String>,
    entries: BTreeSet<String>,
    faults: BTreeSet<String>,
}

impl Report {
    fn read(&mut self, asm: &str) {
        for (name, function) in functions(asm) {
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
                Kind::Other => {}
            }
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} kernels, {} entries", self.kernels.len(), self.entries.len())?;
        self.kernels.iter().chain(&self.entries).try_for_each(|name| writeln!(f, "  {name}"))
    }
}

/// Builds the probe, and with it the library, for release and returns the assembly of both.
fn assembly() -> Vec<String> {
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

    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--release", "--offline", "--message-format=json", "--target-dir=target"])
        .current_dir(&probe)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("CARGO_BUILD_TARGET")
        .env("RUSTFLAGS", "--emit=asm -Ccodegen-units=1 -Csymbol-mangling-version=v0")
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
fn kernels_call_nothing_and_entries_only_kernels() {
    let mut report = Report::default();
    for asm in assembly() {
        report.read(&asm);
    }
    eprintln!("{report}");
    assert!(report.faults.is_empty(), "{:#?}", report.faults);

    // every kernel and job of every backend has been seen
    let count = |set: &BTreeSet<String>, parts: &[&str]| {
        set.iter().filter(|name| parts.iter().all(|part| name.contains(part))).count()
    };
    let vector = [("permute", 1), ("keccak_chain", 3), ("compress256", 1), ("sha256_chain", 3), ("compress512", 1)];
    for backend in ["x86::avx2::", "x86::avx512::zmm::", "x86::avx512::ymm::"] {
        for (kernel, least) in vector {
            assert!(count(&report.kernels, &[backend, kernel]) >= least, "{backend}{kernel}");
        }
    }
    // one stream and four
    for (kernel, least) in [("compress", 2), ("chain", 6)] {
        assert!(count(&report.kernels, &["x86::sha_ni::", kernel]) >= least, "SHA-NI {kernel}");
    }
    // a message, many messages, and the tweakable hashes and chains of the sizes that signatures use
    let jobs = [("enter_keccak", 8), ("enter_sha256", 6), ("enter_sha512", 4)];
    for (token, jobs) in [("Avx2>", &jobs[..]), ("Avx512>", &jobs), ("Avx512Vl>", &jobs), ("ShaNi>", &jobs[1..2])] {
        for &(entry, least) in jobs {
            assert!(count(&report.entries, &[token, entry]) >= least, "{token} {entry}");
        }
    }
    for (kernel, least) in [("permute", 1), ("keccak_chain", 3), ("sha256_chain", 3), ("compress", 2)] {
        assert!(count(&report.kernels, &[PORTABLE, kernel]) >= least, "portable {kernel}");
    }
}

/// A way to call a symbol, as instructions.
type Form<'a> = &'a dyn Fn(&str) -> Vec<String>;

/// The rules find what they are for.
#[test]
fn a_stray_call_is_found() {
    let kernel = "_RNvNtNtCs3mFWP72LJuL_8hashloom3x864avx27permute";
    let entry = "_RINvNvMsc_NtNtCs3mFWP72LJuL_8hashloom3x864avx2NtB8_4Avx212enter_keccak12enter_keccakNtNtBc_6keccak9AbsorbJobECs872zecKeOyd_5probe";
    let round = "_RNvNtNtCs3mFWP72LJuL_8hashloom8portable6keccak5round";
    let alloc = "_RNvCsgEmfK2I1SDS_7___rustc12___rust_alloc";
    let faults = |name: &str, body: &[String]| {
        let mut report = Report::default();
        report.read(&format!("\t.text\n{name}:\n\t{}\n\tretq\nother:\n\tcallq\tanything\n", body.join("\n\t")));
        assert_eq!(report.kernels.len() + report.entries.len(), 1, "{name} is recognised");
        report.faults.len()
    };
    let direct = |to: &str| vec![format!("callq\t{to}")];
    let through_table = |to: &str| vec![format!("callq\t*{to}@GOTPCREL(%rip)")];
    let through_register = |to: &str| vec![format!("movq\t{to}@GOTPCREL(%rip), %rbx"), "callq\t*%rbx".to_owned()];
    let tail = |to: &str| vec![format!("jmp\t{to}")];
    let forms: [Form<'_>; 4] = [&direct, &through_table, &through_register, &tail];
    for form in forms {
        assert_eq!(faults(kernel, &form(round)), 1);
        assert_eq!(faults(kernel, &form("memcpy")), 1);
        assert_eq!(faults(entry, &form(alloc)), 1);
        assert_eq!(faults(entry, &form("malloc")), 1);
        assert_eq!(faults(entry, &form("memcpy")), 0);
        assert_eq!(faults(entry, &form(kernel)), 0);
    }
    // spilled and reloaded addresses are followed, others are not trusted
    let spilled = ["movq\tmemset@GOTPCREL(%rip), %rax", "movq\t%rax, 24(%rsp)", "callq\t*24(%rsp)"].map(str::to_owned);
    assert_eq!(faults(entry, &spilled), 0);
    assert_eq!(faults(entry, &["callq\t*%rax".to_owned()]), 1);
    assert_eq!(faults(entry, &["callq\t*8(%rdi)".to_owned()]), 1);
    assert_eq!(faults(kernel, &["callq\t*%rax".to_owned()]), 1);
    assert_eq!(faults(kernel, &["jmp\t.LBB0_1".to_owned(), "jne\t.LBB0_2".to_owned()]), 0);
}

#[test]
fn functions_are_sorted_by_their_path() {
    for (path, want) in [
        ("hashloom::x86::avx2::sha256_chain::<16usize>", Kind::Kernel),
        ("<hashloom::x86::avx2::Avx2>::enter_sha512::enter_sha512::<hashloom::sha2::CompressJob<u64>>", Kind::Entry),
        ("hashloom::x86::avx2::cpu::init_get::init_inner", Kind::Other),
        ("hashloom::portable::compress::<u32>", Kind::Kernel),
        ("hashloom::sha2::fill_block::<u32>", Kind::Other),
    ] {
        assert_eq!(kind(path), want, "{path}");
    }
}
