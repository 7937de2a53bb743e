//! What measurements are worth: the table, and the exit status. Pure functions of what was planned and what arrived.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    process::ExitCode,
    time::Duration,
};

use serde::Serialize;

use crate::{
    census::{Census, Foreign, Side},
    record::{Key, Planned, Rival, Scheme},
    toolchain::{Built, Level},
    transcript::{Start, Timed, Transcript},
};

/// The most that a row may take, as a multiple of each rival.
pub const ROW_BAR: f64 = 1.00;
/// The most that a family's rows may take on average, as a multiple of PQClean.
pub const MEAN_BAR: f64 = 0.85;
/// The rival to which [`MEAN_BAR`] applies.
const MEAN_RIVAL: Rival = Rival::PqClean;

/// What has to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bars {
    /// For every row, against every rival.
    pub row: f64,
    /// For the mean of a family's rows, against PQClean.
    pub mean: f64,
}

impl Default for Bars {
    fn default() -> Self {
        Self { row: ROW_BAR, mean: MEAN_BAR }
    }
}

/// Why nothing can be concluded.
#[derive(Clone, Debug, PartialEq, Serialize, thiserror::Error)]
pub enum Problem {
    /// A runner did not come to its end.
    #[error("interrupted: {0}")]
    Interrupted(String),
    /// A rival was not measured at all.
    #[error("{0} was not measured")]
    NoRival(Rival),
    /// A planned row did not arrive.
    #[error("missing: {0} beside {1}")]
    Missing(Key, Rival),
    /// A row arrived that was not planned.
    #[error("not planned: {0} beside {1}")]
    Extra(Key, Rival),
    /// A row arrived more than once from one process.
    #[error("more than once: {0} beside {1}")]
    Repeated(Key, Rival),
    /// A row was not measured as often as planned.
    #[error("{0} beside {1}: {2} pairs of {3}")]
    Short(Key, Rival, usize, usize),
    /// A time of zero.
    #[error("{0} beside {1}: took no time")]
    Timeless(Key, Rival),
    /// The runner did not say what it is.
    #[error("the runner did not say what it is")]
    Unknown,
    /// An accelerated backend was chosen, or could be.
    #[error("not portable: {0}")]
    Accelerated(String),
    /// A build is not what it must be.
    #[error("{0}: {1}")]
    Build(String, String),
    /// Machine code that the level does not have.
    #[error("above the level: {} instructions, the first `{}` in {}", .count, .first.instruction, .first.function)]
    Foreign {
        /// How many.
        count: usize,
        /// The first.
        first: Foreign,
    },
    /// Machine code that should have been checked was not found.
    #[error("no function of {0} was found in the program")]
    Unchecked(String),
}

/// Looks for a way in which anything accelerated could have run, on either side, or the sides have been built unlike.
pub fn audit(built: &Built, census: &Census) -> Vec<Problem> {
    let mut problems = audit_build(built);
    problems.extend(audit_code(census, built.level));
    problems
}

fn audit_build(built: &Built) -> Vec<Problem> {
    let unlike = |what: &dyn fmt::Display, why: String| Problem::Build(what.to_string(), why);
    let mut problems = Vec::new();
    // threads would be ours alone
    if built.hashloom.features != ["std"] {
        problems.push(unlike(&"hashloom", format!("features {:?}, not only std", built.hashloom.features)));
    }
    if built.hashloom.opt_level != "3" {
        problems.push(unlike(&"hashloom", format!("opt-level {}", built.hashloom.opt_level)));
    }
    for (rival, package) in &built.rivals {
        if package.features.iter().any(|feature| feature == "avx2") {
            problems.push(unlike(rival, "feature avx2 is on".to_owned()));
        }
    }
    problems
}

/// The machine code of a program that was built for a level.
pub fn audit_code(census: &Census, level: Level) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some(first) = census.foreign.first() {
        problems.push(Problem::Foreign { count: census.foreign.len(), first: first.clone() });
    }
    for side in Side::ALL {
        let count = census.side(side);
        if count.functions == 0 {
            problems.push(Problem::Unchecked(side.to_string()));
        } else if level == Level::V3 && count.bmi2 == 0 {
            problems.push(Problem::Build(side.to_string(), format!("no instruction of {level} is used")));
        }
    }
    if census.c_switches.is_empty() {
        problems.push(Problem::Build("C".to_owned(), "the compiler recorded no switches".to_owned()));
    }
    for switches in &census.c_switches {
        let words = || switches.split_whitespace();
        let last = |prefix: &str| words().rfind(|word| word.starts_with(prefix)).unwrap_or_default();
        // an extension by name, or what slows C alone
        let foul =
            words().any(|word| word.starts_with("-mavx") || word == "-msha" || word == "-fno-omit-frame-pointer");
        if last("-O") != "-O3" || last("-march=") != format!("-march={level}") || foul {
            problems.push(Problem::Build("C".to_owned(), format!("built with `{switches}`")));
        }
    }
    problems
}

/// What a runner that was built for a level says of itself.
pub fn audit_start(start: &Start, level: Level) -> Vec<Problem> {
    let mut problems = Vec::new();
    if start.chosen.is_empty() || start.chosen.iter().any(|backend| backend != "portable") {
        problems.push(Problem::Accelerated(format!("the engine is `{}`", start.engine)));
    }
    if start.available != ["portable"] {
        problems.push(Problem::Accelerated(format!("this process can use {}", start.available.join(", "))));
    }
    let expected: &[&str] = match level {
        Level::V3 => &["avx", "avx2", "bmi2"],
        Level::Baseline => &[],
    };
    if start.features != expected {
        let what = format!("compiled for {level} with target features {:?}", start.features);
        problems.push(Problem::Build("hashloom".to_owned(), what));
    }
    problems
}

/// Where half of some values lie.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// A quarter is below.
    pub low: f64,
    /// Half is below.
    pub median: f64,
    /// A quarter is above.
    pub high: f64,
}

impl Spread {
    /// The ratios of a row.
    pub fn of_ratios(row: &Timed) -> Option<Self> {
        if row.pairs.is_empty() { None } else { Some(Self::of(ratios(row))) }
    }

    /// Of at least one value.
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        // between two neighbours in proportion
        let at = |quarters: usize| {
            let place = quarters * (values.len() - 1);
            let (below, above) = (values[place / 4], values[place.div_ceil(4)]);
            below + (above - below) * [0.0, 0.25, 0.5, 0.75][place % 4]
        };
        Self { low: at(1), median: at(2), high: at(3) }
    }
}

fn millis(nanos: u64) -> f64 {
    Duration::from_nanos(nanos).as_secs_f64() * 1e3
}

/// Ours as a multiple of the rival's, pair by pair.
fn ratios(row: &Timed) -> Vec<f64> {
    row.pairs.iter().map(|&(ours, theirs)| millis(ours) / millis(theirs)).collect()
}

/// A row beside one rival.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Against {
    /// The rival.
    pub rival: Rival,
    /// Pairs from all processes.
    pub pairs: usize,
    /// Our median, milliseconds.
    pub ours: f64,
    /// The rival's.
    pub theirs: f64,
    /// Ours as a multiple of the rival's, pair by pair.
    pub ratio: Spread,
    /// The median ratio of each process.
    pub processes: Vec<f64>,
    /// Whether the median ratio is above the bar.
    pub over: bool,
}

/// A row of the table; beside which rivals it was measured shows whether it is complete.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The row.
    #[serde(flatten)]
    pub key: Key,
    /// Beside each rival.
    pub against: Vec<Against>,
}

/// Rows that share their scheme and hash functions, beside one rival.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Family {
    /// SHA2, SHAKE or ML-DSA.
    pub name: String,
    /// The rival.
    pub rival: Rival,
    /// Rows.
    pub rows: usize,
    /// The least ratio.
    pub min: f64,
    /// The mean of the rows' median ratios.
    pub mean: f64,
    /// The greatest ratio.
    pub max: f64,
    /// Whether the mean has a bar to keep.
    pub judged: bool,
    /// Whether it is above.
    pub over: bool,
}

/// The exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Outcome {
    /// Complete and within the bars.
    Within,
    /// Complete, and something is over a bar.
    Over,
    /// Nothing can be concluded.
    Ungated,
}

impl Outcome {
    /// 0, 1 or 2.
    pub const fn code(self) -> u8 {
        match self {
            Self::Within => 0,
            Self::Over => 1,
            Self::Ungated => 2,
        }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        outcome.code().into()
    }
}

/// A table and what it is worth.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Judgement {
    /// Rows that were planned, in that order, as far as they arrived.
    pub rows: Vec<Row>,
    /// Their summaries.
    pub families: Vec<Family>,
    /// Why nothing can be concluded, if so.
    pub problems: Vec<Problem>,
}

impl Judgement {
    /// What it is worth.
    pub fn outcome(&self) -> Outcome {
        let over = self.rows.iter().flat_map(|row| &row.against).any(|against| against.over)
            || self.families.iter().any(|family| family.over);
        match (self.problems.is_empty(), over) {
            (false, _) => Outcome::Ungated,
            (true, true) => Outcome::Over,
            (true, false) => Outcome::Within,
        }
    }
}

/// What measurements are held against.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The level that the runner was built for.
    pub level: Level,
    /// The rows.
    pub plan: Vec<Planned>,
    /// The bars.
    pub bars: Bars,
    /// Whether the plan has all rows of every family, so that the means are to be judged.
    pub all_rows: bool,
}

/// Judges what one or more processes measured; each must have measured the whole plan.
pub fn judge(terms: &Terms, transcripts: &[Transcript]) -> Judgement {
    let Terms { level, plan, bars, all_rows } = terms;
    let mut problems = Vec::new();
    if transcripts.is_empty() {
        problems.push(Problem::Interrupted("nothing ran".to_owned()));
    }
    let mut arrived: BTreeMap<(&Key, Rival), Vec<&Timed>> = BTreeMap::new();
    for transcript in transcripts {
        match &transcript.start {
            Some(start) => problems.extend(audit_start(start, *level)),
            None => problems.push(Problem::Unknown),
        }
        problems.extend(transcript.interrupted.clone().map(Problem::Interrupted));
        problems.extend(complete(plan, transcript));
        for row in &transcript.rows {
            arrived.entry((&row.key, row.rival)).or_default().push(row);
        }
    }
    let rows: Vec<Row> = plan
        .iter()
        .map(|Planned { key, .. }| Row {
            key: key.clone(),
            against: key
                .scheme
                .rivals()
                .iter()
                .filter_map(|&rival| against(rival, *bars, arrived.get(&(key, rival))?))
                .collect(),
        })
        .filter(|row| !row.against.is_empty())
        .collect();
    Judgement { families: families(&rows, *bars, *all_rows), rows, problems }
}

/// What is wrong with the rows of one process.
fn complete(plan: &[Planned], transcript: &Transcript) -> Vec<Problem> {
    let mut problems = Vec::new();
    let rivals: BTreeSet<Rival> = plan.iter().flat_map(|row| row.key.scheme.rivals()).copied().collect();
    for rival in rivals {
        let rows: Vec<&Timed> = transcript.rows.iter().filter(|row| row.rival == rival).collect();
        if rows.is_empty() {
            problems.push(Problem::NoRival(rival));
            continue;
        }
        for Planned { key, pairs } in plan.iter().filter(|row| row.key.scheme.rivals().contains(&rival)) {
            let mut found = rows.iter().filter(|row| row.key == *key);
            problems.extend(match (found.next(), found.next()) {
                (None, _) => Some(Problem::Missing(key.clone(), rival)),
                (_, Some(_)) => Some(Problem::Repeated(key.clone(), rival)),
                (Some(row), _) if row.pairs.len() != *pairs => {
                    Some(Problem::Short(key.clone(), rival, row.pairs.len(), *pairs))
                }
                (Some(row), _) if row.pairs.iter().any(|&(ours, theirs)| ours == 0 || theirs == 0) => {
                    Some(Problem::Timeless(key.clone(), rival))
                }
                _ => None,
            });
        }
    }
    let planned =
        |row: &Timed| row.key.scheme.rivals().contains(&row.rival) && plan.iter().any(|planned| planned.key == row.key);
    let extra = transcript.rows.iter().filter(|row| !planned(row));
    problems.extend(extra.map(|row| Problem::Extra(row.key.clone(), row.rival)));
    problems
}

/// The times of one row in all processes; none where there are no times.
fn against(rival: Rival, bars: Bars, processes: &[&Timed]) -> Option<Against> {
    let processes: Vec<&Timed> = processes.iter().copied().filter(|row| !row.pairs.is_empty()).collect();
    let pairs = || processes.iter().flat_map(|row| &row.pairs);
    pairs().next()?;
    let ratio = Spread::of(processes.iter().flat_map(|row| ratios(row)).collect());
    Some(Against {
        rival,
        pairs: pairs().count(),
        ours: Spread::of(pairs().map(|&(ours, _)| millis(ours)).collect()).median,
        theirs: Spread::of(pairs().map(|&(_, theirs)| millis(theirs)).collect()).median,
        ratio,
        processes: processes.iter().filter_map(|row| Spread::of_ratios(row)).map(|ratio| ratio.median).collect(),
        over: ratio.median > bars.row,
    })
}

/// The family of a row: the name of its hash functions, third in `SLH-DSA-SHA2-128s`; ML-DSA has but one.
fn family(key: &Key) -> (Scheme, &str) {
    let name = match key.scheme {
        Scheme::SlhDsa => key.set.split('-').nth(2).unwrap_or(&key.set),
        Scheme::MlDsa => "ML-DSA",
    };
    (key.scheme, name)
}

fn families(rows: &[Row], bars: Bars, all_rows: bool) -> Vec<Family> {
    let names: BTreeSet<(Scheme, &str)> = rows.iter().map(|row| family(&row.key)).collect();
    let ratios = |name, rival| {
        let rows = rows.iter().filter(move |row| family(&row.key) == name).flat_map(|row| &row.against);
        rows.filter(move |against| against.rival == rival).map(|against| against.ratio.median).collect::<Vec<f64>>()
    };
    names
        .into_iter()
        .flat_map(|name| name.0.rivals().iter().map(move |&rival| (name, rival)))
        .map(|(name, rival)| (name, rival, ratios(name, rival)))
        .filter(|(.., ratios)| !ratios.is_empty())
        .map(|((_, name), rival, ratios)| {
            let (sum, count) = ratios.iter().fold((0.0, 0.0), |(sum, count), ratio| (sum + ratio, count + 1.0));
            let mean = sum / count;
            let judged = all_rows && rival == MEAN_RIVAL;
            Family {
                name: name.to_owned(),
                rival,
                rows: ratios.len(),
                min: ratios.iter().copied().fold(f64::INFINITY, f64::min),
                mean,
                max: ratios.iter().copied().fold(0.0, f64::max),
                judged,
                over: judged && mean > bars.mean,
            }
        })
        .collect()
}
