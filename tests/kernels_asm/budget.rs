//! How many instructions a kernel may have, counted in its text.

use std::collections::BTreeMap;

use crate::asm::functions;

/// How an architecture's assembly is read.
#[derive(Clone, Copy)]
pub(crate) struct Syntax {
    /// An instruction's name and operands.
    pub(crate) instruction: fn(&str) -> Option<(&str, &str)>,
    /// Whether the instruction branches, but not to a function and back.
    pub(crate) is_branch: fn(&str) -> bool,
}

/// What instructions of a kernel are counted in: the innermost loop that has the named one, or all of the kernel where
/// no loop has.
pub(crate) struct Budget {
    pub(crate) kernel: &'static str,
    /// One that the rounds are made of.
    pub(crate) mark: &'static str,
    /// How many rounds, or products by a factor, the loop has, of how many lanes at once.
    pub(crate) rounds: usize,
    /// Instructions that must be there exactly so often.
    pub(crate) exactly: &'static [(&'static str, usize)],
    /// All instructions, spills included.
    pub(crate) at_most: usize,
}

/// How often each instruction occurs in the innermost loop that has `mark`, or in all of the function.
fn counts<'a>(syntax: Syntax, body: &[&'a str], mark: &str) -> BTreeMap<&'a str, usize> {
    let Syntax { instruction, is_branch } = syntax;
    let labels: BTreeMap<&str, usize> =
        body.iter().enumerate().filter_map(|(i, line)| Some((line.trim().strip_suffix(':')?, i))).collect();
    let begin = |line: &str| {
        let (op, args) = instruction(line)?;
        let target = args.rsplit(',').next().unwrap_or_default().trim();
        is_branch(op).then(|| labels.get(target).copied()).flatten()
    };
    let has = |range: &[&str]| range.iter().filter_map(|line| instruction(line)).any(|(op, _)| op == mark);
    let loops = body.iter().enumerate().filter_map(|(end, line)| Some(begin(line).filter(|&b| b < end)?..end + 1));
    let innermost = loops.filter(|range| has(&body[range.clone()])).min_by_key(ExactSizeIterator::len);
    let mut counts = BTreeMap::new();
    for (op, _) in body[innermost.unwrap_or(0..body.len())].iter().filter_map(|line| instruction(line)) {
        *counts.entry(op).or_default() += 1;
    }
    counts
}

/// What a kernel's instructions have against its budget.
fn excess(syntax: Syntax, budget: &Budget, name: &str, body: &[&str]) -> Vec<String> {
    let counts = counts(syntax, body, budget.mark);
    let total: usize = counts.values().sum();
    let mut faults = Vec::new();
    for &(op, expected) in budget.exactly {
        let got = counts.get(op).copied().unwrap_or_default();
        if got != expected {
            faults.push(format!("{name}: {got} {op} in {} rounds, not {expected}", budget.rounds));
        }
    }
    if total > budget.at_most {
        faults.push(format!("{name}: {total} instructions in {} rounds, at most {}", budget.rounds, budget.at_most));
    }
    eprintln!("{name}: {total} instructions in {} rounds: {counts:?}", budget.rounds);
    faults
}

/// What the kernels of some texts have against their budgets. Every budget must have one.
pub(crate) fn excesses(syntax: Syntax, budgets: &[Budget], texts: &[String]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut counted = vec![0; budgets.len()];
    for (name, body) in texts.iter().flat_map(|asm| functions(asm)) {
        for (i, budget) in budgets.iter().enumerate().filter(|(_, budget)| name.contains(budget.kernel)) {
            counted[i] += 1;
            faults.extend(excess(syntax, budget, &name, &body));
        }
    }
    for (budget, _) in budgets.iter().zip(counted).filter(|(_, counted)| *counted == 0) {
        faults.push(format!("{} was not seen", budget.kernel));
    }
    faults
}

#[test]
fn stray_instructions_are_found() {
    let syntax = Syntax {
        instruction: |line| (!line.ends_with(':')).then(|| line.split_once('\t').unwrap_or((line, ""))),
        is_branch: |op| op == "b.lo",
    };
    let budget = Budget { kernel: "", mark: "xar", rounds: 1, exactly: &[("xar", 2)], at_most: 4 };
    let within = ["mov\tx0, x1", ".LBB0_1:", "xar\tv0.2d", "xar\tv1.2d", "b.lo\t.LBB0_1", "ret"];
    assert_eq!(excess(syntax, &budget, "within", &within), Vec::<String>::new());
    let more = ["mov\tx0, x1", ".LBB0_1:", "xar\tv0", "xar\tv1", "mov\tx1, x2", "str\tq0", "b.lo\t.LBB0_1"];
    assert_eq!(excess(syntax, &budget, "more", &more).len(), 1);
    let fewer = ["xar\tv0.2d", ".LBB0_1:", "b.lo\t.LBB0_1"];
    assert_eq!(excess(syntax, &budget, "fewer", &fewer).len(), 1);
}
