//! Programs that use marked secrets, one per process, to be run under Valgrind's memcheck or built with
//! MemorySanitizer. What they report is up to the tool; see `run`.
// without the standard library's start, which MemorySanitizer has not instrumented
#![cfg_attr(hashloom_ct, no_main)]

#[cfg(hashloom_ct)]
mod controls;
#[cfg(hashloom_ct)]
mod programs;

#[cfg(hashloom_ct)]
mod start {
    use std::{env, ffi::c_int, process};

    use hashloom::{Backend, Engine, ct};

    use crate::{controls, programs};

    const USAGE: &str = "ctgrind list backends|automatic|all | ctgrind controls | ctgrind run PROGRAM SUBJECT ENGINE | ctgrind control CONTROL ENGINE";
    /// The work is done, and its result is right.
    const DONE: c_int = 0;
    const WRONG_USAGE: c_int = 2;
    /// The CPU, or what the tool shows of it, lacks the backend.
    const NO_BACKEND: c_int = 3;
    /// Marks have no effect.
    const NOBODY_WATCHES: c_int = 4;

    fn is_watched() -> bool {
        let mut probe = [0; 2];
        ct::secret(&mut probe[..1]);
        ct::is_secret(&probe[..1]) && !ct::is_secret(&probe[1..])
    }

    /// One backend, or the best there is for each purpose.
    fn engine(name: &str) -> Engine {
        if name == "automatic" {
            return Engine::get();
        }
        let Ok(backend) = name.parse::<Backend>() else { process::exit(WRONG_USAGE) };
        Engine::with(backend).unwrap_or_else(|_| process::exit(NO_BACKEND))
    }

    fn dispatch(arguments: &[&str]) -> Option<()> {
        match arguments {
            ["list", scope] => {
                let scope = scope.parse().ok()?;
                let jobs = programs::jobs();
                jobs.iter().filter(|job| job.is_in(scope)).for_each(|job| println!("{} {}", job.program, job.subject));
            }
            ["controls"] => controls::CONTROLS.iter().for_each(|(name, _)| println!("{name}")),
            ["run", program, subject, name] => {
                let job = programs::jobs().into_iter().find(|job| (job.program, job.subject) == (program, subject))?;
                watched(|| job.run(&engine(name)));
            }
            ["control", control, name] => {
                let &(_, control) = controls::CONTROLS.iter().find(|(name, _)| name == control)?;
                watched(|| control(&engine(name)));
            }
            _ => return None,
        }
        Some(())
    }

    fn watched(work: impl FnOnce()) {
        if !is_watched() {
            eprintln!("ctgrind: no tool is watching");
            process::exit(NOBODY_WATCHES);
        }
        work();
    }

    // SAFETY: no other function of the program has the name, and C calls it with these parameters, which it may ignore.
    #[allow(unsafe_code)]
    #[unsafe(no_mangle)]
    extern "C" fn main() -> c_int {
        let arguments: Vec<String> = env::args().skip(1).collect();
        let known = dispatch(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        if known.is_some() {
            DONE
        } else {
            eprintln!("usage: {USAGE}");
            WRONG_USAGE
        }
    }
}

#[cfg(not(hashloom_ct))]
fn main() {
    eprintln!("ctgrind: built without marks, use ctgrind/run");
    std::process::exit(2);
}
