//! Where and when.

use std::{fs, thread};

use serde::Serialize;

/// The machine, as far as it matters to a comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The CPU's own name.
    pub cpu: String,
    /// Threads that may run at once.
    pub threads: usize,
    /// Processes that wanted to run, averaged over a minute, when the gate started: other work makes noise.
    pub load: String,
    /// UTC.
    pub date: String,
}

impl Machine {
    /// This one, now.
    pub fn here() -> Self {
        let unknown = || "unknown".to_owned();
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let name = cpuinfo.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(':'));
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        Self {
            cpu: name.map_or_else(unknown, |(_, name)| name.trim().to_owned()),
            threads: thread::available_parallelism().map_or(1, usize::from),
            load: load.split(' ').next().filter(|load| !load.is_empty()).map_or_else(unknown, str::to_owned),
            date: time::OffsetDateTime::now_utc().date().to_string(),
        }
    }
}
