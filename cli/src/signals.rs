//! Signals that end the program: no temporary file is left, the terminal is as it was, and whoever waits learns of the
//! signal as usual.

use std::{
    fs, io,
    sync::{Arc, atomic::AtomicBool},
    thread,
};

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ},
    flag,
    iterator::Signals,
    low_level::emulate_default_handler,
};

use crate::{secrets::terminal, store};

/// Listens on a thread of its own.
pub fn listen() -> io::Result<()> {
    // a file that may not grow is an error of the write then, not the end
    flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    let heard = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal));
    let mut signals = Signals::new(heard)?;
    let listen = move || {
        for signal in signals.forever() {
            let _held = store::abandon();
            terminal::restore();
            // does not return: the default of all three is to end the process
            emulate_default_handler(signal).ok();
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(listen)?;
    Ok(())
}

/// Whether the signal is ignored by the will of who started the program, as `nohup` and background jobs of a script do.
fn is_ignored(signal: i32) -> bool {
    let mask = fs::read_to_string("/proc/self/status").ok().and_then(|status| {
        let digits = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(digits.trim(), 16).ok()
    });
    // where it cannot be known, a run that is to outlive its terminal goes before tidiness
    mask.map_or(signal == SIGHUP, |mask| mask >> (signal - 1) & 1 == 1)
}
