//! The table for people, for programs, and for the record.

use std::fmt::{self, Write};

use comfy_table::{CellAlignment, Table, presets::ASCII_MARKDOWN};
use serde::Serialize;

use crate::{
    census::{Census, Side},
    judge::{Against, Bars, Family, Judgement, Outcome, Row},
    machine::Machine,
    record::{Rival, Scheme},
    toolchain::Built,
    transcript::{Draw, Start},
};

/// One table: a level of the instruction set and a C compiler.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// How it was built.
    pub built: Built,
    /// What the program consists of.
    pub census: Census,
    /// What it said of itself.
    pub start: Option<Start>,
    /// What randomness costs the rivals.
    pub draws: Vec<Draw>,
    /// Processes that measured.
    pub processes: usize,
    /// The table.
    pub judgement: Judgement,
    /// What it is worth.
    pub outcome: Outcome,
}

/// Everything.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Where and when.
    pub machine: Machine,
    /// The Rust compiler.
    pub rustc: String,
    /// What had to be kept.
    pub bars: Bars,
    /// Whether all rows were asked for.
    pub all_rows: bool,
    /// The tables.
    pub runs: Vec<Run>,
    /// What it is worth.
    pub outcome: Outcome,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Machine { cpu, threads, load, date } = &self.machine;
        writeln!(f, "# Gate: portable against portable\n\n**{}**\n", self.verdict())?;
        writeln!(f, "- {date}, {cpu}, {threads} threads, load {load} at the start")?;
        writeln!(f, "- {}", self.rustc)?;
        writeln!(
            f,
            "- bar: every row at most {:.2} of every rival, each family's mean at most {:.2} of {}",
            self.bars.row,
            self.bars.mean,
            Rival::PqClean
        )?;
        writeln!(f, "- times are CPU time of the process, ratios are ours / theirs, pair by pair")?;
        writeln!(f, "- a run of ML-DSA is 50 keys, messages or signatures; times are of one")?;
        self.runs.iter().try_for_each(|run| write!(f, "\n{run}"))
    }
}

impl Report {
    fn verdict(&self) -> String {
        let changed = if self.bars == Bars::default() { "" } else { ", with bars of the command line" };
        let part = if self.all_rows { "" } else { ", a part of the table" };
        let worth = match self.outcome {
            Outcome::Within => "Passed",
            Outcome::Over => "Failed: over the bar",
            Outcome::Ungated => "Not gated",
        };
        format!("{worth} (exit status {}{part}{changed})", self.outcome.code())
    }

    /// One line for each row and rival.
    pub fn csv(&self) -> String {
        let mut out = "level,compiler,scheme,set,op,rival,pairs,ours_ms,rival_ms,ratio,ratio_quarter,\
                       ratio_three_quarters,process_min,process_max,over\n"
            .to_owned();
        for run in &self.runs {
            let (level, compiler) = (run.built.level, &run.built.compiler.command);
            for Row { key, against } in &run.judgement.rows {
                for row in against {
                    let Against { rival, pairs, ours, theirs, ratio, over, .. } = row;
                    let (least, most) = between(&row.processes);
                    writeln!(
                        out,
                        "{level},{compiler},{},{},{},{rival},{pairs},{ours:.4},{theirs:.4},{:.4},{:.4},{:.4},{least:.4},{most:.4},{over}",
                        key.scheme, key.set, key.op, ratio.median, ratio.low, ratio.high
                    )
                    .ok();
                }
            }
        }
        out
    }
}

/// The least and the greatest.
fn between(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, 0.0), |(least, most), &value| (value.min(least), value.max(most)))
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Built { level, compiler, rust_flags, hashloom, rivals, .. } = &self.built;
        writeln!(f, "## {level}, {}\n", compiler.command)?;
        writeln!(f, "- {hashloom}; rustc {rust_flags}")?;
        for (rival, package) in rivals {
            writeln!(f, "- {rival}: {package}")?;
        }
        writeln!(f, "- C: {}", compiler.version)?;
        for switches in &self.census.c_switches {
            writeln!(f, "- C switches, recorded in the program: `{switches}`")?;
        }
        if let Some(Start { engine, available, .. }) = &self.start {
            writeln!(f, "- engine: {engine}; backends in this build: {}", available.join(" "))?;
        }
        let Census { functions, instructions, foreign, .. } = &self.census;
        let sides = Side::ALL.map(|side| format!("{side} {}", self.census.side(side).functions));
        let found = if foreign.is_empty() { "none".to_owned() } else { foreign.len().to_string() };
        writeln!(
            f,
            "- machine code: {functions} functions ({}), {instructions} instructions; hash instructions or any above \
             {level}: {found}",
            sides.join(", ")
        )?;
        let draws: Vec<String> =
            self.draws.iter().map(|Draw { rival, bytes, nanos }| format!("{rival} {bytes} bytes {nanos} ns")).collect();
        if !draws.is_empty() {
            writeln!(f, "- randomness that is drawn inside a rival's time: {}", draws.join(", "))?;
        }
        for scheme in [Scheme::SlhDsa, Scheme::MlDsa] {
            let rows: Vec<&Row> = self.judgement.rows.iter().filter(|row| row.key.scheme == scheme).collect();
            if !rows.is_empty() {
                writeln!(f, "\n{}", self.table(scheme.rivals(), &rows))?;
            }
        }
        if !self.judgement.families.is_empty() {
            writeln!(f, "\n{}", self.summary())?;
        }
        self.attribution().into_iter().try_for_each(|line| writeln!(f, "\n{line}"))?;
        if !self.judgement.problems.is_empty() {
            writeln!(f, "\nWhy this cannot be gated:\n")?;
        }
        self.judgement.problems.iter().try_for_each(|problem| writeln!(f, "- {problem}"))
    }
}

impl Run {
    /// The rows of one scheme.
    fn table(&self, rivals: &[Rival], rows: &[&Row]) -> Table {
        let mut header = ["set", "op", "pairs", "ours ms"].map(str::to_owned).to_vec();
        for rival in rivals {
            header.extend([format!("{rival} ms"), "ratio".to_owned(), "middle half".to_owned()]);
            if self.processes > 1 {
                header.push("processes".to_owned());
            }
        }
        header.push("verdict".to_owned());
        let columns = header.len();
        let mut table = markdown(header);
        for Row { key, against } in rows {
            let found = |rival| against.iter().find(|against| against.rival == rival);
            let common = against.first().map_or((0, 0.0), |first| (first.pairs, first.ours));
            let mut cells = vec![key.set.clone(), key.op.to_string(), common.0.to_string(), digits(common.1)];
            for &rival in rivals {
                let Some(Against { theirs, ratio, processes, .. }) = found(rival) else {
                    cells.resize(cells.len() + 3 + usize::from(self.processes > 1), "-".to_owned());
                    continue;
                };
                let middle = format!("{:.3} to {:.3}", ratio.low, ratio.high);
                cells.extend([digits(*theirs), format!("{:.3}", ratio.median), middle]);
                if self.processes > 1 {
                    let (least, most) = between(processes);
                    cells.push(format!("{least:.3} to {most:.3}"));
                }
            }
            cells.push(
                match (against.len() == rivals.len(), against.iter().any(|against| against.over)) {
                    (false, _) => "incomplete",
                    (true, true) => "OVER",
                    (true, false) => "within",
                }
                .to_owned(),
            );
            table.add_row(cells);
        }
        for column in 2..columns - 1 {
            align_right(&mut table, column);
        }
        table
    }

    fn summary(&self) -> Table {
        let mut table = markdown(["family", "of", "rows", "min", "mean", "max", "verdict"].map(str::to_owned).to_vec());
        for Family { name, rival, rows, min, mean, max, judged, over } in &self.judgement.families {
            let verdict = match (judged, over) {
                (false, _) => "not judged",
                (true, true) => "OVER",
                (true, false) => "within",
            };
            let [min, mean, max] = [min, mean, max].map(|ratio| format!("{ratio:.3}"));
            table.add_row([name, &rival.to_string(), &rows.to_string(), &min, &mean, &max, verdict]);
        }
        for column in 2..6 {
            align_right(&mut table, column);
        }
        table
    }

    /// What a difference between the families means.
    fn attribution(&self) -> Vec<String> {
        let mean = |name: &str, rival| {
            self.judgement.families.iter().find(|f| f.name == name && f.rival == rival).map(|family| family.mean)
        };
        let lines: Vec<String> = Scheme::SlhDsa
            .rivals()
            .iter()
            .filter_map(|&rival| Some((rival, mean("SHA2", rival)?, mean("SHAKE", rival)?)))
            .map(|(rival, sha2, shake)| format!("{sha2:.3} and {shake:.3} of {rival}"))
            .collect();
        if lines.is_empty() {
            return lines;
        }
        vec![format!(
            "SHA2 and SHAKE: {}. The two families run the same scheme code, so a difference between their ratios belongs \
             to the hash-adapter layer (three axes: 32-byte against 22-byte address, MGF1 in H_msg, SHA-256/SHA-512 split \
             by n).",
            lines.join("; ")
        )]
    }
}

fn markdown(header: Vec<String>) -> Table {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN).set_header(header);
    table
}

fn align_right(table: &mut Table, column: usize) {
    if let Some(column) = table.column_mut(column) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

/// Four digits or so.
fn digits(millis: f64) -> String {
    let digits = if millis < 1.0 {
        4
    } else if millis < 100.0 {
        2
    } else {
        1
    };
    format!("{millis:.digits$}")
}
