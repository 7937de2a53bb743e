//! x86-64.

use std::collections::BTreeSet;

use crate::{
    asm::{Function, Kind, PORTABLE, Report, assembly, demangle, functions, kind},
    budget::{Budget, Syntax, excesses},
};

const SYNTAX: Syntax = Syntax { instruction, is_branch: |op| op.starts_with('j') };

/// Counts of a compiler of version 1.95, with some room for the next.
const BUDGETS: &[Budget] = &[
    Budget {
        kernel: "x86::avx2::iterate256",
        mark: "vpsrld",
        rounds: 16,
        exactly: &[("vpsrld", 192), ("vpslld", 160)],
        at_most: 1040,
    },
    // rotations by whole bytes are shuffles
    Budget {
        kernel: "x86::avx2::iterate512",
        mark: "vpsrlq",
        rounds: 16,
        exactly: &[("vpsrlq", 176), ("vpsllq", 144), ("vpshufb", 16)],
        at_most: 985,
    },
    Budget {
        kernel: "x86::avx512::zmm::iterate256",
        mark: "vpsrld",
        rounds: 16,
        exactly: &[("vprold", 160), ("vpternlogd", 96), ("vpsrld", 32)],
        at_most: 500,
    },
    Budget {
        kernel: "x86::avx512::zmm::iterate512",
        mark: "vpsrlq",
        rounds: 16,
        exactly: &[("vprolq", 160), ("vpternlogq", 96), ("vpsrlq", 32)],
        at_most: 500,
    },
    Budget {
        kernel: "x86::avx512::ymm::iterate256",
        mark: "vpsrld",
        rounds: 16,
        exactly: &[("vprold", 160), ("vpternlogd", 96), ("vpsrld", 32)],
        at_most: 500,
    },
    Budget {
        kernel: "x86::avx512::ymm::iterate512",
        mark: "vpsrlq",
        rounds: 16,
        exactly: &[("vprolq", 160), ("vpternlogq", 96), ("vpsrlq", 32)],
        at_most: 500,
    },
    // two streams, one pass; one stream, both passes
    Budget {
        kernel: "x86::sha_ni::iterate::<4",
        mark: "sha256rnds2",
        rounds: 64,
        exactly: &[("sha256rnds2", 64), ("sha256msg1", 22), ("sha256msg2", 24)],
        at_most: 340,
    },
    Budget {
        kernel: "x86::sha_ni::iterate::<1",
        mark: "sha256rnds2",
        rounds: 64,
        exactly: &[("sha256rnds2", 64), ("sha256msg1", 22), ("sha256msg2", 24)],
        at_most: 350,
    },
];

/// An instruction's name and operands.
fn instruction(line: &str) -> Option<(&str, &str)> {
    let line = line.split('#').next().unwrap_or_default().trim();
    let is_instruction = !line.is_empty() && !line.starts_with('.') && !line.ends_with(':');
    is_instruction.then(|| line.split_once(char::is_whitespace).unwrap_or((line, "")))
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

#[test]
fn kernels_call_nothing_and_entries_only_kernels() {
    let mut report = Report::default();
    let texts = assembly(None);
    for asm in &texts {
        report.read(asm, function);
    }
    let faults = excesses(SYNTAX, BUDGETS, &texts);
    eprintln!("{report}");
    assert!(report.faults.is_empty() && faults.is_empty(), "{:#?}\n{faults:#?}", report.faults);

    // arithmetic runs on whole registers of its backend, and divides nothing
    let mut wide = [("Avx2>::ring", "%ymm", 0), ("Avx512>::ring", "%zmm", 0)];
    for (name, body) in texts.iter().flat_map(|asm| functions(asm)).filter(|(name, _)| kind(name) == Kind::Arithmetic) {
        let divides =
            |line: &&str| instruction(line).is_some_and(|(op, _)| op.starts_with("div") || op.starts_with("idiv"));
        assert!(!body.iter().any(divides), "{name} divides");
        for (token, register, count) in &mut wide {
            *count += usize::from(name.contains(*token) && body.iter().any(|line| line.contains(*register)));
        }
    }
    // transforms, products and rejection at the least; AVX-512 has the rest from AVX2
    for ((token, register, count), least) in wide.into_iter().zip([16, 6]) {
        assert!(count >= least, "{count} functions of {token} on {register}");
    }

    // every kernel and job of every backend has been seen
    let count = Report::count;
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
        report
            .read(&format!("\t.text\n{name}:\n\t{}\n\tretq\nother:\n\tcallq\tanything\n", body.join("\n\t")), function);
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
