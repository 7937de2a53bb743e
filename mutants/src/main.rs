//! `mutants ROOT WORK [--quick] [FILE...]`: how many small faults in the library the tests see.
//!
//! All faults of all files are compiled into one copy of the crate in WORK, where the variable `HASHLOOM_MUTANT` says
//! which is real; so the crate is built once and not once for each fault. A fault that no test sees is a failure, unless
//! `mutants/equivalent.txt` has a reason for it.

mod plant;

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    error::Error,
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    time::Instant,
};

use plant::{Mutant, Planter};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The files that get faults, each with the tests that must see them, the likeliest first: a program, and perhaps which
/// of its tests. `hashloom` has the library's unit tests.
const FILES: [(&str, &[&str]); 28] = [
    ("src/adrs.rs", &["hashloom adrs", "tweak_chain", KNOWN_ANSWERS]),
    ("src/schedule.rs", &["tweak_chain", "hash_many"]),
    ("src/message.rs", &["slh_messages"]),
    ("src/prehash.rs", &["keys", KNOWN_ANSWERS, "slh_messages", "slh_negative"]),
    ("src/slh_dsa/scheme.rs", &["keys", KNOWN_ANSWERS, "slh_negative", "slh_expanded"]),
    ("src/slh_dsa/encoding.rs", &["keys"]),
    (
        "src/slh_dsa/keys.rs",
        &["keys", KNOWN_ANSWERS, "slh_expanded", "slh_negative", "slh_batch", "slh_messages", "slh_properties traits"],
    ),
    ("src/slh_dsa/batch.rs", &["slh_batch"]),
    ("src/ml_dsa/batch.rs", &[ML_DSA]),
    ("src/ml_dsa/encoding.rs", &["ml_dsa_keys"]),
    ("src/ml_dsa/expanded.rs", &[ML_DSA, "ml_dsa_keys"]),
    ("src/ml_dsa/hint.rs", &["hashloom ml_dsa", "vectors automatic::compact_ml_dsa", ML_DSA]),
    ("src/ml_dsa/keys.rs", &["ml_dsa_keys", ML_DSA]),
    ("src/ml_dsa/mu.rs", &[ML_DSA_OTHERS, ML_DSA]),
    ("src/ml_dsa/private.rs", &[ML_DSA_OTHERS, "ml_dsa_keys", ML_DSA]),
    ("src/ml_dsa/sample.rs", &[ML_DSA_OTHERS, "hashloom ml_dsa"]),
    ("src/ml_dsa/sign.rs", &[ML_DSA_OTHERS, "ml_dsa_differential many", ML_DSA]),
    ("src/ml_dsa/traits.rs", &[ML_DSA]),
    ("src/ml_dsa/verify.rs", &["vectors automatic::compact_ml_dsa", ML_DSA]),
    ("src/ring.rs", &[RING, ML_DSA_OTHERS]),
    ("src/portable/ring.rs", &[RING, ML_DSA_OTHERS]),
    ("src/hmac.rs", KEYED),
    ("src/hkdf.rs", KEYED),
    ("src/pbkdf2.rs", KEYED),
    ("src/mgf1.rs", &[KNOWN_ANSWERS]),
    ("src/at_rest.rs", &["at_rest"]),
    ("src/sha2/keyed.rs", KEYED),
    ("src/keccak/keyed.rs", KEYED),
];
const KNOWN_ANSWERS: &str = "vectors automatic::compact";
const ML_DSA: &str = "ml_dsa_properties";
const ML_DSA_OTHERS: &str = "ml_dsa_differential every";
const RING: &str = "hashloom ring";
const KEYED: &[&str] = &["keyed_limits", "keyed"];

/// With `--quick`, one fault in so many.
const QUICK: usize = 40;

const SWITCH: &str = r#"
/// Whether this fault is the real one. Never inlined: there are thousands of calls to compile.
#[inline(never)]
pub(crate) fn planted(number: u32) -> bool {
    static REAL: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    let real = || std::env::var("HASHLOOM_MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    *REAL.get_or_init(real) == number
}
"#;

/// A test program.
struct Program {
    path: PathBuf,
    /// Which of its tests; all, if empty.
    filter: String,
    /// Seconds of processor time.
    limit: u64,
}

type Programs = BTreeMap<String, Program>;

/// What became of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// A test failed.
    Killed,
    /// A test did not end; so it is seen as well.
    Endless,
    /// All tests passed.
    Survived,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("mutants: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<bool> {
    let started = Instant::now();
    let mut args: Vec<String> = env::args().skip(1).collect();
    let quick = args.iter().position(|arg| arg == "--quick").map(|at| args.remove(at)).is_some();
    let [root, work, wanted @ ..] = &args[..] else {
        return Err("usage: mutants ROOT WORK [--quick] [FILE...]".into());
    };
    if let Some(unknown) = wanted.iter().find(|file| !FILES.iter().any(|(known, _)| known == file)) {
        return Err(format!("{unknown} is not one of the files that get faults").into());
    }
    let (root, work) = (Path::new(root), Path::new(work));
    let tree = work.join("tree");
    copy(root, &tree)?;
    let mut planter = Planter::default();
    for (file, _) in FILES {
        let faulty = planter.plant(file, &fs::read_to_string(root.join(file))?)?;
        write(&tree.join(file), faulty.as_bytes())?;
    }
    let lib = fs::read_to_string(root.join("src/lib.rs"))? + SWITCH;
    write(&tree.join("src/lib.rs"), lib.as_bytes())?;
    let reasons = reasons(&fs::read_to_string(root.join("mutants/equivalent.txt"))?);

    let files = FILES.iter().filter(|(file, _)| wanted.is_empty() || wanted.iter().any(|name| name == file));
    let mut programs = build(&tree, &work.join("build"), files.flat_map(|(_, tests)| *tests).copied())?;
    for (name, program) in &mut programs {
        let begun = Instant::now();
        if test(program, &tree, 0)? != Fate::Survived {
            return Err(format!("{name} fails without a fault").into());
        }
        // of two threads; generous, for what is wrong may be slow as well
        program.limit = 30 + 8 * begun.elapsed().as_secs();
        println!("{name}: {:.1} s without a fault", begun.elapsed().as_secs_f64());
    }

    let chosen = planter.mutants.iter().filter(|mutant| {
        (wanted.is_empty() || wanted.contains(&mutant.file)) && (!quick || mutant.number.is_multiple_of(QUICK))
    });
    let (mut counts, mut bad) = ([0; 3], 0);
    for mutant in chosen {
        let fate = fate(mutant, &programs, &tree)?;
        counts[fate as usize] += 1;
        let Mutant { number, file, line, what } = mutant;
        let reason = reasons.get(&format!("{file}: {what}"));
        let verdict = match (fate, reason) {
            (Fate::Survived, None) => "SURVIVED",
            (Fate::Survived, Some(_)) => "excused ",
            (_, Some(_)) => "EXCUSED WITHOUT NEED",
            (Fate::Killed, None) => "killed  ",
            (Fate::Endless, None) => "endless ",
        };
        bad += usize::from(verdict.starts_with(['S', 'E']));
        println!("{verdict} {number:4} {file}:{line}: {what}");
    }
    if !quick && wanted.is_empty() {
        let known: Vec<String> = planter.mutants.iter().map(|m| format!("{}: {}", m.file, m.what)).collect();
        for stale in reasons.keys().filter(|key| !known.contains(key)) {
            println!("STALE reason for {stale}");
            bad += 1;
        }
    }
    let [killed, endless, survived] = counts;
    let ran = killed + endless + survived;
    println!(
        "mutants: {ran} of {} run, {killed} killed, {endless} endless, {survived} survived, {bad} without a good reason, {} s",
        planter.mutants.len(),
        started.elapsed().as_secs()
    );
    Ok(bad == 0 && ran > 0)
}

/// Reasons by the fault that they excuse: `FILE: FAULT  # REASON`.
fn reasons(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.filter_map(|line| line.rsplit_once("  # ")).map(|(what, why)| (what.to_owned(), why.to_owned())).collect()
}

/// Copies what version control knows, and what is new, without touching files that are the same.
fn copy(root: &Path, tree: &Path) -> Result<()> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()?;
    for name in String::from_utf8(listed.stdout)?.split('\0').filter(|name| !name.is_empty()) {
        let from = root.join(name);
        if from.is_file() && !FILES.iter().any(|(file, _)| *file == name) && name != "src/lib.rs" {
            write(&tree.join(name), &fs::read(from)?)?;
        }
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().ok_or("no folder")?)?;
    Ok(fs::write(path, bytes)?)
}

/// Builds the tests; their programs by name.
fn build(tree: &Path, target: &Path, tests: impl Iterator<Item = &'static str>) -> Result<Programs> {
    let tests: BTreeSet<(&str, &str)> = tests.map(|test| test.split_once(' ').unwrap_or((test, ""))).collect();
    let mut cargo = Command::new("cargo");
    cargo.args(["test", "--package", "hashloom", "--features", "encryption", "--no-run", "--lib"]);
    cargo.arg("--message-format=json-render-diagnostics");
    for (name, _) in tests.iter().filter(|(name, _)| *name != "hashloom") {
        cargo.args(["--test", name]);
    }
    let built = cargo
        .current_dir(tree)
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_PROFILE_TEST_DEBUG", "0")
        // a fault may be what a lint forbids
        .env("RUSTFLAGS", "--cap-lints=allow")
        .stderr(Stdio::inherit())
        .output()?;
    if !built.status.success() {
        return Err("the crate with its faults does not build".into());
    }
    let mut paths = BTreeMap::new();
    for line in String::from_utf8(built.stdout)?.lines() {
        let message: serde_json::Value = serde_json::from_str(line)?;
        if let (Some(name), Some(path)) = (message["target"]["name"].as_str(), message["executable"].as_str()) {
            paths.insert(name.to_owned(), PathBuf::from(path));
        }
    }
    tests
        .into_iter()
        .map(|(name, filter)| {
            let path = paths.get(name).ok_or_else(|| format!("no program of the test {name}"))?.clone();
            Ok((
                format!("{name} {filter}").trim_end().to_owned(),
                Program { path, filter: filter.to_owned(), limit: 3600 },
            ))
        })
        .collect()
}

fn fate(mutant: &Mutant, programs: &Programs, tree: &Path) -> Result<Fate> {
    let tests = FILES.iter().find(|(file, _)| *file == mutant.file).ok_or("no such file")?.1;
    for name in tests {
        let fate = test(&programs[*name], tree, mutant.number)?;
        if fate != Fate::Survived {
            return Ok(fate);
        }
    }
    Ok(Fate::Survived)
}

/// Runs a test program until its first failure. The limit is one of processor time, so that a busy machine kills nothing.
fn test(program: &Program, tree: &Path, number: usize) -> Result<Fate> {
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -t \"$1\" && shift && exec \"$@\"", "sh"])
        .arg(program.limit.to_string())
        .arg(&program.path)
        .args(Some(&program.filter).filter(|filter| !filter.is_empty()))
        .current_dir(tree)
        .env("HASHLOOM_MUTANT", number.to_string())
        .env("PROPTEST_MAX_SHRINK_ITERS", "0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let output = child.stdout.take().ok_or("no output")?;
    for line in BufReader::new(output).lines() {
        if line?.ends_with("FAILED") {
            child.kill()?;
            child.wait()?;
            return Ok(Fate::Killed);
        }
    }
    let status = child.wait()?;
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    Ok(match (status.success(), signal) {
        (true, _) => Fate::Survived,
        // SIGKILL and SIGXCPU: the limit was reached
        (false, Some(9 | 24)) => Fate::Endless,
        (false, _) => Fate::Killed,
    })
}
