//! aarch64.

use std::{
    collections::BTreeSet,
    env,
    io::{self, Write},
    path::Path,
};

use crate::{
    asm::{Function, PORTABLE, Report, assembly, demangle},
    budget::{Budget, Syntax, excesses},
};

const TARGET: &str = "aarch64-unknown-linux-gnu";
const SYNTAX: Syntax = Syntax { instruction, is_branch };

/// Counts of compilers from 1.95 to 1.96, with some room for the next.
const BUDGETS: &[Budget] = &[
    Budget {
        kernel: "aarch64::sha3_ext::permute",
        mark: "bcax",
        rounds: 2,
        exactly: &[("bcax", 50), ("xar", 48), ("rax1", 10)],
        at_most: 164,
    },
    Budget {
        kernel: "aarch64::sha3_ext::keccak_chain",
        mark: "bcax",
        rounds: 2,
        exactly: &[("bcax", 50), ("xar", 48), ("rax1", 10)],
        at_most: 180,
    },
    Budget { kernel: "aarch64::neon::permute", mark: "bic", rounds: 2, exactly: &[("bic", 50)], at_most: 384 },
    Budget { kernel: "aarch64::neon::keccak_chain", mark: "bic", rounds: 2, exactly: &[("bic", 50)], at_most: 390 },
    Budget { kernel: "aarch64::neon::compress256", mark: "ushr", rounds: 16, exactly: &[("ushr", 32)], at_most: 820 },
    Budget { kernel: "aarch64::neon::sha256_chain", mark: "ushr", rounds: 16, exactly: &[("ushr", 32)], at_most: 820 },
    Budget { kernel: "aarch64::neon::compress512", mark: "ushr", rounds: 16, exactly: &[("ushr", 32)], at_most: 820 },
    Budget {
        kernel: "aarch64::sha2_ext::compress::<4",
        mark: "sha256h",
        rounds: 64,
        exactly: &[("sha256h", 64), ("sha256h2", 64), ("sha256su0", 48), ("sha256su1", 48)],
        at_most: 500,
    },
    Budget {
        kernel: "aarch64::sha2_ext::compress::<1",
        mark: "sha256h",
        rounds: 64,
        exactly: &[("sha256h", 16), ("sha256h2", 16), ("sha256su0", 12), ("sha256su1", 12)],
        at_most: 145,
    },
    // rounds 4 to 63 of 64; one half of the last digest is not needed where n is 16
    Budget {
        kernel: "aarch64::sha2_ext::chain::<4",
        mark: "sha256su0",
        rounds: 60,
        exactly: &[("sha256h", 60), ("sha256su0", 48), ("sha256su1", 48)],
        at_most: 480,
    },
    Budget {
        kernel: "aarch64::sha2_ext::chain::<1",
        mark: "sha256su0",
        rounds: 60,
        exactly: &[("sha256h", 15), ("sha256su0", 12), ("sha256su1", 12)],
        at_most: 115,
    },
    Budget {
        kernel: "aarch64::sha512_ext::compress::<2",
        mark: "sha512h",
        rounds: 16,
        exactly: &[("sha512h", 16), ("sha512h2", 16), ("sha512su0", 16), ("sha512su1", 16)],
        at_most: 232,
    },
    Budget {
        kernel: "aarch64::sha512_ext::compress::<1",
        mark: "sha512h",
        rounds: 16,
        exactly: &[("sha512h", 8), ("sha512h2", 8), ("sha512su0", 8), ("sha512su1", 8)],
        at_most: 104,
    },
    Budget { kernel: "aarch64::neon::iterate256", mark: "ushr", rounds: 16, exactly: &[("ushr", 32)], at_most: 820 },
    Budget { kernel: "aarch64::neon::iterate512", mark: "ushr", rounds: 16, exactly: &[("ushr", 32)], at_most: 820 },
    // four streams: one pass; one stream: both passes in one loop. Words of the padding are known
    Budget {
        kernel: "aarch64::sha2_ext::iterate::<4",
        mark: "sha256h",
        rounds: 64,
        exactly: &[("sha256h", 64), ("sha256h2", 64), ("sha256su0", 44), ("sha256su1", 48)],
        at_most: 480,
    },
    Budget {
        kernel: "aarch64::sha2_ext::iterate::<1",
        mark: "sha256h",
        rounds: 64,
        exactly: &[("sha256h", 32), ("sha256h2", 32), ("sha256su0", 22), ("sha256su1", 24)],
        at_most: 195,
    },
    Budget {
        kernel: "aarch64::sha512_ext::iterate::<2",
        mark: "sha512h",
        rounds: 16,
        exactly: &[("sha512h", 16), ("sha512h2", 16), ("sha512su0", 16), ("sha512su1", 16)],
        at_most: 262,
    },
    Budget {
        kernel: "aarch64::sha512_ext::iterate::<1",
        mark: "sha512h",
        rounds: 16,
        exactly: &[("sha512h", 8), ("sha512h2", 8), ("sha512su0", 8), ("sha512su1", 8)],
        at_most: 104,
    },
    // two layers on four rows of coefficients, the last two of which reduce all of them
    Budget {
        kernel: "aarch64::ring::ntt",
        mark: "sqdmulh",
        rounds: 4,
        exactly: &[("sqdmulh", 4), ("mul", 4)],
        at_most: 42,
    },
    Budget {
        kernel: "aarch64::ring::inverse",
        mark: "sqdmulh",
        rounds: 6,
        exactly: &[("sqdmulh", 6), ("mul", 6)],
        at_most: 80,
    },
    Budget {
        kernel: "aarch64::ring::row",
        mark: "smlal2",
        rounds: 1,
        exactly: &[("smlal", 1), ("smlal2", 1)],
        at_most: 12,
    },
    Budget { kernel: "portable::permute", mark: "bic", rounds: 2, exactly: &[("bic", 50), ("ror", 48)], at_most: 320 },
];

/// The kernels of a build, if this machine can make one.
fn kernels() -> Option<Vec<String>> {
    if cfg!(target_arch = "aarch64") {
        return Some(assembly(None));
    }
    let Some(folder) = env::var_os("HASHLOOM_CROSS") else {
        writeln!(io::stderr(), "SKIPPED: the assembly for aarch64: HASHLOOM_CROSS is not set")
            .expect("standard error is open");
        return None;
    };
    Some(assembly(Some((Path::new(&folder).join("cargo").as_os_str(), TARGET))))
}

/// An instruction's name and operands.
fn instruction(line: &str) -> Option<(&str, &str)> {
    let line = line.split("//").next().unwrap_or_default().trim();
    let is_instruction = !line.is_empty() && !line.starts_with('.') && !line.ends_with(':');
    is_instruction.then(|| line.split_once(char::is_whitespace).unwrap_or((line, "")))
}

/// Whether the instruction branches, but not to a function and back.
fn is_branch(op: &str) -> bool {
    op == "b" || op.starts_with("b.") || ["cbz", "cbnz", "tbz", "tbnz"].contains(&op)
}

/// Reads one function's instructions.
fn function(body: &[&str]) -> Function {
    let mut function = Function::default();
    // registers and stack slots that ever receive a symbol's address; copies of copies need a second look
    let mut places = BTreeSet::new();
    let mut indirect = BTreeSet::new();
    for _ in 0..3 {
        for (op, args) in body.iter().filter_map(|line| instruction(line)) {
            let (first, rest) = args.split_once(',').map_or((args, ""), |(first, rest)| (first.trim(), rest.trim()));
            let symbol = rest.split_once(":got_lo12:").map(|(_, symbol)| symbol.trim_end_matches(']'));
            match op {
                "ldr" | "mov" if symbol.is_some() || places.contains(rest) => {
                    function.loaded.extend(symbol.map(demangle));
                    places.insert(first);
                }
                "str" if places.contains(first) => _ = places.insert(rest),
                "bl" => _ = function.calls.insert(demangle(args)),
                // a jump through a register is how tables are used: only calls must be known
                "blr" => _ = indirect.insert(args),
                _ if is_branch(op) => {
                    let target = args.rsplit(',').next().unwrap_or_default().trim();
                    if !target.starts_with(".L") {
                        function.calls.insert(demangle(target));
                    }
                }
                _ => {}
            }
        }
    }
    function.unknown = indirect.into_iter().filter(|place| !places.contains(place)).map(str::to_owned).collect();
    function
}

#[test]
fn kernels_call_nothing_and_keep_to_their_budgets() {
    let Some(texts) = kernels() else { return };
    let mut report = Report::default();
    for asm in &texts {
        report.read(asm, function);
    }
    let faults = excesses(SYNTAX, BUDGETS, &texts);
    eprintln!("{report}");
    assert!(report.faults.is_empty() && faults.is_empty(), "{:#?}\n{faults:#?}", report.faults);

    // every kernel and job of every backend has been seen
    let count = Report::count;
    let vector = [("permute", 1), ("keccak_chain", 3), ("compress256", 1), ("sha256_chain", 3), ("compress512", 1)];
    for (kernel, least) in vector {
        assert!(count(&report.kernels, &["aarch64::neon::", kernel]) >= least, "neon {kernel}");
    }
    for (kernel, least) in &vector[..2] {
        assert!(count(&report.kernels, &["aarch64::sha3_ext::", kernel]) >= *least, "SHA-3 {kernel}");
    }
    for (file, kernel, least) in [("sha2_ext", "compress", 2), ("sha2_ext", "chain", 6), ("sha512_ext", "compress", 2)]
    {
        assert!(count(&report.kernels, &[&format!("aarch64::{file}::"), kernel]) >= least, "{file} {kernel}");
    }
    let jobs = [("enter_keccak", 8), ("enter_sha256", 6), ("enter_sha512", 4)];
    let tokens =
        [("Neon>", &jobs[..]), ("Sha3Ext>", &jobs[..1]), ("Sha2Ext>", &jobs[1..2]), ("Sha512Ext>", &jobs[2..])];
    for (token, jobs) in tokens {
        for &(entry, least) in jobs {
            assert!(count(&report.entries, &[token, entry]) >= least, "{token} {entry}");
        }
    }
    assert!(count(&report.kernels, &[PORTABLE]) >= 9, "portable");
}

/// The rules find what they are for.
#[test]
fn stray_calls_are_found() {
    for (body, calls, unknown) in [
        (&["bl\tmemcpy", "ret"][..], 1, 0),
        (&["b\tmemcpy"], 1, 0),
        (&["b.ne\t.LBB0_1", "cbz\tx0, .LBB0_2"], 0, 0),
        (&["adrp\tx8, :got:memset", "ldr\tx8, [x8, :got_lo12:memset]", "blr\tx8"], 1, 0),
        (&["ldr\tx8, [x8, :got_lo12:memset]", "str\tx8, [sp, #8]", "ldr\tx20, [sp, #8]", "blr\tx20"], 1, 0),
        (&["blr\tx8"], 0, 1),
    ] {
        let function = function(body);
        assert_eq!(function.calls.len() + function.loaded.len(), calls, "{body:?}");
        assert_eq!(function.unknown.len(), unknown, "{body:?}");
    }
}
