//! What the user sees: results on standard output, everything else on standard error.

use std::{
    collections::BTreeMap,
    fmt,
    io::{self, IsTerminal, Write},
    path::Path,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use owo_colors::{OwoColorize, Style};
use serde_json::{Value, json};
use tracing_subscriber::fmt::MakeWriter;

use crate::{
    args::Global,
    error::{Error, Outcome},
    input::shown,
};

/// How results are shown.
#[derive(Clone)]
pub struct Output {
    /// One JSON object per line instead of text.
    pub json: bool,
    /// Only what is not good.
    pub quiet: bool,
    colour: bool,
    bars: MultiProgress,
}

/// A result of one of the files of a run.
pub struct Line {
    /// What it came to.
    pub outcome: Outcome,
    /// For people: a result, or with [`Outcome::Failed`] an error.
    pub text: Vec<u8>,
    /// For programs.
    pub json: Value,
}

impl Line {
    /// A file that could not be processed.
    pub fn failed(path: &Path, error: &Error) -> Self {
        Self {
            outcome: Outcome::Failed,
            text: error.to_string().into_bytes(),
            json: json!({"kind": "file", "file": path.to_string_lossy(), "status": "error", "error": error.to_string()}),
        }
    }

    /// A file that was checked against its signature or code.
    pub fn verdict(path: &Path, valid: bool, out: &Output) -> Self {
        let (outcome, status, word) = if valid {
            (Outcome::Good, "valid", out.good("OK"))
        } else {
            (Outcome::Invalid, "invalid", out.bad("INVALID"))
        };
        let text = if out.quiet && valid { String::new() } else { format!("{}: {word}", name(path)) };
        let json = json!({"kind": "file", "file": path.to_string_lossy(), "status": status});
        Self { outcome, text: text.into_bytes(), json }
    }
}

impl Output {
    /// Reads the options and looks at the terminal.
    pub fn new(global: &Global) -> Self {
        let bars = MultiProgress::new();
        if global.json || global.quiet || !io::stderr().is_terminal() {
            bars.set_draw_target(ProgressDrawTarget::hidden());
        }
        let colour = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
        Self { json: global.json, quiet: global.quiet, colour, bars }
    }

    /// A progress bar in units of `unit`, with rate and time left; invisible if standard error is not a terminal.
    pub fn progress(&self, len: u64, unit: Unit) -> ProgressBar {
        let counts = match unit {
            Unit::Bytes => "{bytes}/{total_bytes}  {bytes_per_sec}".to_owned(),
            Unit::Items(name) => format!("{{pos}}/{{len}} {name}  {{rate}}"),
        };
        let rate = |state: &ProgressState, out: &mut dyn fmt::Write| {
            write!(out, "{:.1}/s", state.per_sec()).ok();
        };
        let template = format!("{{bar:32.cyan/dim}} {{percent:>3}} %  {counts}  {{eta}} left");
        let style = ProgressStyle::with_template(&template).expect("template is valid");
        self.bars.add(ProgressBar::new(len).with_style(style.with_key("rate", rate).progress_chars("━━─")))
    }

    /// Writes bytes to standard output.
    pub fn write(&self, bytes: &[u8]) -> Result<(), Error> {
        self.bars.suspend(|| {
            let mut stdout = io::stdout().lock();
            stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(Error::Output)
        })
    }

    /// Writes a line to standard output.
    pub fn line(&self, text: impl Into<Vec<u8>>) -> Result<(), Error> {
        let mut text = text.into();
        text.push(b'\n');
        self.write(&text)
    }

    /// Writes one result in the form asked for.
    pub fn result(&self, text: impl FnOnce() -> String, json: &Value) -> Result<(), Error> {
        if self.json { self.line(json.to_string()) } else { self.line(text()) }
    }

    /// Tells of something done, on standard error.
    pub fn notice(&self, text: &str) {
        if !self.quiet {
            self.to_stderr(text);
        }
    }

    /// Tells of an error.
    pub fn error(&self, text: &str) {
        self.to_stderr(&format!("error: {text}"));
    }

    /// The summary of a run: an object on standard output, or text on standard error.
    pub fn summary(&self, text: impl FnOnce() -> String, json: &Value) -> Result<(), Error> {
        if self.json {
            self.line(json.to_string())?;
        } else {
            self.notice(&text());
        }
        Ok(())
    }

    fn to_stderr(&self, text: &str) {
        // Nowhere is left to complain if standard error is closed.
        self.bars.suspend(|| writeln!(io::stderr(), "{text}").ok());
    }

    /// Good news.
    pub fn good(&self, text: &str) -> String {
        self.paint(text, Style::new().green())
    }

    /// Bad news.
    pub fn bad(&self, text: &str) -> String {
        self.paint(text, Style::new().red().bold())
    }

    /// Unimportant news.
    pub fn dim(&self, text: &str) -> String {
        self.paint(text, Style::new().dimmed())
    }

    fn paint(&self, text: &str, style: Style) -> String {
        if self.colour { text.style(style).to_string() } else { text.to_owned() }
    }
}

/// What a progress bar counts.
#[derive(Clone, Copy)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Things of this name.
    Items(&'static str),
}

impl<'a> MakeWriter<'a> for Output {
    type Writer = LogWriter<'a>;
    fn make_writer(&'a self) -> LogWriter<'a> {
        LogWriter(&self.bars)
    }
}

/// Standard error, with progress bars out of the way.
pub struct LogWriter<'a>(&'a MultiProgress);

impl Write for LogWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.suspend(|| io::stderr().write(bytes))
    }
    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Collects the results of files processed in any order and shows them in the order of the command line.
pub struct Report<'a> {
    out: &'a Output,
    bar: ProgressBar,
    started: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    next: usize,
    waiting: BTreeMap<usize, Line>,
    tally: [u64; 3],
    broken: Option<Error>,
}

/// What the files of a run came to.
pub struct Tally {
    /// How many are good.
    pub good: u64,
    /// How many are invalid.
    pub invalid: u64,
    /// How many could not be processed.
    pub failed: u64,
    /// Time since the run began.
    pub elapsed: Duration,
}

impl<'a> Report<'a> {
    /// Begins a run.
    pub fn new(out: &'a Output, bar: ProgressBar) -> Self {
        Self { out, bar, started: Instant::now(), state: Mutex::default() }
    }

    /// The progress bar of this run.
    pub fn bar(&self) -> &ProgressBar {
        &self.bar
    }

    /// Adds the result of the file at `index`. False if it cannot be shown, so that the run should stop.
    pub fn add(&self, index: usize, line: Line) -> bool {
        let mut guard = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *guard;
        state.tally[line.outcome as usize] += 1;
        state.waiting.insert(index, line);
        while state.broken.is_none()
            && let Some(line) = state.waiting.remove(&state.next)
        {
            state.next += 1;
            state.broken = self.show(line).err();
        }
        state.broken.is_none()
    }

    fn show(&self, line: Line) -> Result<(), Error> {
        if line.outcome == Outcome::Failed {
            self.out.error(&String::from_utf8_lossy(&line.text));
        }
        if self.out.json {
            self.out.line(line.json.to_string())
        } else if line.outcome == Outcome::Failed || line.text.is_empty() {
            Ok(())
        } else {
            self.out.line(line.text)
        }
    }

    /// Ends the run.
    pub fn finish(self) -> Result<Tally, Error> {
        let elapsed = self.started.elapsed();
        self.bar.finish_and_clear();
        let State { tally: [good, invalid, failed], broken, .. } =
            self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        broken.map_or(Ok(Tally { good, invalid, failed, elapsed }), Err)
    }
}

impl Tally {
    /// The run's outcome.
    pub fn outcome(&self) -> Outcome {
        match (self.failed, self.invalid) {
            (0, 0) => Outcome::Good,
            (0, _) => Outcome::Invalid,
            _ => Outcome::Failed,
        }
    }

    /// `count` per second.
    pub fn rate(&self, count: u64) -> f64 {
        #[allow(clippy::cast_precision_loss)] // a rate for people
        let count = count as f64;
        count / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// `1 file`, `2 files`.
pub fn count(n: u64, name: &str) -> String {
    format!("{n} {name}{}", if n == 1 { "" } else { "s" })
}

/// A name in a line of text.
pub fn name(path: &Path) -> String {
    shown(path).into_owned()
}
