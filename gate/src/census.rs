//! Reads the machine code of a runner: the proof that the flags arrived on both sides and that no accelerated code,
//! however it might be entered, is in the program at all.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::Path,
    process::Command,
};

use serde::Serialize;

use crate::{
    Error,
    record::Rival,
    toolchain::{Level, output},
};

/// Whose function it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// hashloom's.
    Ours,
    /// A rival's.
    Theirs(Rival),
}

impl Side {
    /// Everybody who must be found.
    pub const ALL: [Self; 3] = [Self::Ours, Self::Theirs(Rival::PqClean), Self::Theirs(Rival::SlhdsaC)];

    /// Rust functions carry their crate's name. The C ones are told apart by how each project names them.
    fn of(symbol: &str) -> Option<Self> {
        const PQCLEAN: [&str; 7] =
            ["PQCLEAN_", "crypto_hashblocks", "sha256", "sha512", "shake256", "KeccakF1600", "keccak_absorb"];
        const SLHDSA_C: [&str; 6] = ["slh_", "sha2_", "sha3_", "shake_", "keccak_f1600", "xmss_"];
        let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| symbol.starts_with(prefix));
        if format!("{:#}", rustc_demangle::demangle(symbol)).contains("hashloom::") {
            Some(Self::Ours)
        } else if starts(&PQCLEAN) {
            Some(Self::Theirs(Rival::PqClean))
        } else if starts(&SLHDSA_C) {
            Some(Self::Theirs(Rival::SlhdsaC))
        } else {
            None
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ours => f.pad("hashloom"),
            Self::Theirs(rival) => rival.fmt(f),
        }
    }
}

impl Serialize for Side {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What there is of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// Functions.
    pub functions: usize,
    /// Instructions of BMI2 in them: there are some if and only if the level has it.
    pub bmi2: usize,
}

/// An instruction that the level does not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Foreign {
    /// Where.
    pub function: String,
    /// What.
    pub instruction: String,
}

/// What a program consists of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Census {
    /// All functions, whosesoever: every one of them is checked.
    pub functions: usize,
    /// All instructions.
    pub instructions: usize,
    /// Those of each side.
    pub sides: BTreeMap<Side, Count>,
    /// Every instruction above the level, and every hash or cipher instruction.
    pub foreign: Vec<Foreign>,
    /// The C compiler's arguments, as it recorded them in the program.
    pub c_switches: BTreeSet<String>,
}

impl Census {
    /// Reads a program with binutils.
    pub fn take(program: &Path, level: Level) -> Result<Self, Error> {
        let code = output(Command::new("objdump").args(["-d", "--no-show-raw-insn"]).arg(program))?;
        let switches = output(Command::new("readelf").args(["-p", ".GCC.command.line"]).arg(program))?;
        Ok(Self { c_switches: recorded(&switches), ..Self::disassembled(&code, level) })
    }

    /// Reads what `objdump -d --no-show-raw-insn` wrote.
    pub fn disassembled(code: &str, level: Level) -> Self {
        let mut census = Self::default();
        let (mut function, mut side) = ("", None);
        for line in code.lines() {
            if let Some((_, name)) = line.strip_suffix(">:").and_then(|line| line.split_once(" <")) {
                (function, side) = (name, Side::of(name));
                census.functions += 1;
                if let Some(side) = side {
                    census.sides.entry(side).or_default().functions += 1;
                }
            } else if let Some((_, instruction)) = line.split_once(":\t") {
                census.instructions += 1;
                if let Some(side) = side {
                    census.sides.entry(side).or_default().bmi2 += usize::from(is_bmi2(instruction));
                }
                if is_foreign(instruction, level) {
                    census.foreign.push(Foreign {
                        function: format!("{:#}", rustc_demangle::demangle(function)),
                        instruction: instruction.split_whitespace().collect::<Vec<_>>().join(" "),
                    });
                }
            }
        }
        census
    }

    /// What there is of a side.
    pub fn side(&self, side: Side) -> Count {
        self.sides.get(&side).copied().unwrap_or_default()
    }
}

/// The switches that make code what it is, in the strings that `readelf -p` found in the compiler's record. clang
/// records all of its command line, files included.
fn recorded(text: &str) -> BTreeSet<String> {
    let makes_code = |word: &&str| ["-O", "-m", "-f", "-std="].iter().any(|prefix| word.starts_with(prefix));
    text.lines()
        .filter_map(|line| line.trim_start().strip_prefix('[')?.split_once(']'))
        .map(|(_, line)| line.split_whitespace().filter(makes_code).collect::<Vec<_>>().join(" "))
        .collect()
}

fn is_bmi2(instruction: &str) -> bool {
    let names = ["rorx", "shlx", "shrx", "sarx", "mulx", "bzhi", "pdep", "pext"];
    instruction.split_whitespace().any(|word| names.contains(&word))
}

fn is_bmi1(instruction: &str) -> bool {
    let names = ["andn", "bextr", "blsi", "blsr", "blsmsk"];
    instruction.split_whitespace().any(|word| names.contains(&word))
}

/// Hash and cipher instructions, which no level has; then EVEX encodings, which v3 lacks; then VEX and BMI, which the
/// baseline lacks too.
fn is_foreign(instruction: &str, level: Level) -> bool {
    let crypto = ["sha1", "sha256", "vsha512", "aes", "vaes", "pclmul", "vpclmul", "gf2p8", "vgf2p8"];
    let starts = |prefix: &str| instruction.split_whitespace().any(|word| word.starts_with(prefix));
    // operands start with %, $, a digit, ( or <, so a word that starts with v is a mnemonic
    let vex = || starts("v") || is_bmi1(instruction) || is_bmi2(instruction);
    crypto.into_iter().any(starts) || is_evex(instruction) || level == Level::Baseline && vex()
}

/// Whether an operand is one that only AVX-512 has: a zmm register, one of the upper sixteen, or a mask.
fn is_evex(instruction: &str) -> bool {
    instruction.split('%').skip(1).any(|operand| {
        let end = operand.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(operand.len());
        let number = |prefix| operand[..end].strip_prefix(prefix).and_then(|number| number.parse::<u32>().ok());
        number("zmm").is_some()
            || number("k").is_some()
            || [number("xmm"), number("ymm")].into_iter().flatten().any(|number| number >= 16)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_above_the_level_are_found() {
        let foreign = |instruction| [Level::Baseline, Level::V3].map(|level| is_foreign(instruction, level));
        for allowed in
            ["mov    %rsp,%rbp", "paddd  %xmm15,%xmm1", "call   1a2b <verify_sha256>", "repz ret", "shl $1,%eax"]
        {
            assert_eq!(foreign(allowed), [false, false], "{allowed}");
        }
        for v3 in ["vpaddd %ymm0,%ymm1,%ymm2", "vmovdqu %xmm0,(%rax)", "rorx   $0x3,%rax,%rbx", "andn   %eax,%ebx,%ecx"]
        {
            assert_eq!(foreign(v3), [true, false], "{v3}");
        }
        for never in [
            "sha256rnds2 %xmm0,%xmm1,%xmm2",
            "sha256msg1 %xmm0,%xmm1",
            "sha256msg2 %xmm0,%xmm1",
            "vsha512rnds2 %xmm0,%ymm1,%ymm2",
            "vpaddd %zmm0,%zmm1,%zmm2",
            "vpxor  %xmm17,%xmm1,%xmm2",
            "vmovdqu64 (%rdi),%ymm31",
            "vpaddd %ymm1,%ymm2,%ymm3{%k1}{z}",
            "kmovw  %eax,%k1",
            "aesenc %xmm1,%xmm2",
        ] {
            assert_eq!(foreign(never), [true, true], "{never}");
        }
    }

    #[test]
    fn functions_have_their_side() {
        let ours = Some(Side::Ours);
        assert_eq!(Side::of("_ZN8hashloom8portable12sha256_chain17hfc84bb2e436236a1E"), ours);
        assert_eq!(
            Side::of("_ZN55_$LT$hashloom..Engine$u20$as$u20$core..fmt..Display$GT$3fmt17h0123456789abcdefE"),
            ours
        );
        let pqclean = Some(Side::Theirs(Rival::PqClean));
        assert_eq!(Side::of("PQCLEAN_SPHINCSSHA2128FSIMPLE_CLEAN_thash"), pqclean);
        assert_eq!(Side::of("crypto_hashblocks_sha512.isra.0"), pqclean);
        assert_eq!(Side::of("sha2_256_compress"), Some(Side::Theirs(Rival::SlhdsaC)));
        assert_eq!(Side::of("keccak_f1600"), Some(Side::Theirs(Rival::SlhdsaC)));
        assert_eq!(Side::of("main"), None);
    }

    #[test]
    fn a_listing_is_counted() {
        let code = "\
gate-runner:     file format elf64-x86-64

0000000000001000 <sha2_256_compress>:
    1000:\trorx   $0x2,%eax,%ebx
    1006:\tret

0000000000001010 <_ZN8hashloom8portable7permute17h1902fd7cc582fdc9E>:
    1010:\tsha256rnds2 %xmm0,%xmm1,%xmm2
    1015:\tret
";
        let census = Census::disassembled(code, Level::V3);
        assert_eq!((census.functions, census.instructions), (2, 4));
        assert_eq!(census.side(Side::Theirs(Rival::SlhdsaC)), Count { functions: 1, bmi2: 1 });
        assert_eq!(census.side(Side::Ours), Count { functions: 1, bmi2: 0 });
        assert_eq!(census.side(Side::Theirs(Rival::PqClean)), Count::default());
        assert_eq!(census.foreign.len(), 1);
        assert_eq!(census.foreign[0].function, "hashloom::portable::permute");
        assert_eq!(census.foreign[0].instruction, "sha256rnds2 %xmm0,%xmm1,%xmm2");
        assert_eq!(Census::disassembled(code, Level::Baseline).foreign.len(), 2);
    }

    #[test]
    fn the_compilers_record_is_read() {
        let text = "
String dump of section '.GCC.command.line':
  [     0]  GNU C17 12.2.0 -m64 -march=x86-64 -O3 -fPIC
  [    74]  /usr/bin/clang -O3 -c -o one.o one.c -march=x86-64
  [    99]  /usr/bin/clang -O3 -c -o two.o two.c -march=x86-64

";
        let switches = recorded(text);
        assert_eq!(switches.iter().collect::<Vec<_>>(), ["-O3 -march=x86-64", "-m64 -march=x86-64 -O3 -fPIC"]);
    }
}
