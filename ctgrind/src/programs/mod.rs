//! Programs that use marked secrets as they are meant to be used. Each checks that its result is right and that marks
//! are where they belong.

pub mod keyed;
pub mod ml_dsa;
pub mod slh_dsa;

use std::{convert::Infallible, str::FromStr};

use hashloom::{Engine, ct, slh_dsa::Mode};
use rand_core::{TryCryptoRng, TryRng};

/// A name, and what is done with a parameter set or a family of hash functions.
pub type Program<S> = (&'static str, fn(S, &Engine));

/// When a subject is run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// On every backend.
    Backends,
    /// On the engine that is chosen automatically; on every backend if everything is asked for.
    Automatic,
    /// Only if everything is asked for.
    All,
}

impl FromStr for Scope {
    type Err = ();
    fn from_str(name: &str) -> Result<Self, ()> {
        match name {
            "backends" => Ok(Self::Backends),
            "automatic" => Ok(Self::Automatic),
            "all" => Ok(Self::All),
            _ => Err(()),
        }
    }
}

/// A program and its subject.
pub struct Job {
    pub program: &'static str,
    pub subject: &'static str,
    scope: Scope,
    run: Box<dyn Fn(&Engine)>,
}

impl Job {
    pub fn run(&self, engine: &Engine) {
        (self.run)(engine);
    }

    pub fn is_in(&self, scope: Scope) -> bool {
        scope == Scope::All || scope == self.scope
    }
}

/// Every program with every subject.
pub fn jobs() -> Vec<Job> {
    fn of<S: Copy + 'static>(
        programs: &'static [Program<S>],
        subjects: &'static [(S, Scope)],
        name: fn(S) -> &'static str,
    ) -> impl Iterator<Item = Job> {
        subjects.iter().flat_map(move |&(subject, scope)| {
            programs.iter().map(move |&(program, run)| Job {
                program,
                subject: name(subject),
                scope,
                run: Box::new(move |engine| run(subject, engine)),
            })
        })
    }
    let slh_dsa = of(&slh_dsa::PROGRAMS, &slh_dsa::SETS, hashloom::slh_dsa::ParameterSet::name);
    let ml_dsa = of(&ml_dsa::PROGRAMS, &ml_dsa::SETS, hashloom::ml_dsa::ParameterSet::name);
    slh_dsa.chain(ml_dsa).chain(of(&keyed::PROGRAMS, &keyed::FAMILIES, keyed::Family::name)).collect()
}

const MESSAGE: &[u8] = b"the quick brown fox jumps over the lazy dog";
const PURE: Mode<'_> = Mode::Pure { context: b"ctgrind" };

/// Whether every single byte is marked.
fn all_secret(bytes: &[u8]) -> bool {
    bytes.chunks(1).all(ct::is_secret)
}

/// Counts up. `marked` says whether what it gives is secret.
struct Counter {
    next: u8,
    marked: bool,
}

impl Counter {
    fn give(&mut self, out: &mut [u8]) {
        for byte in &mut *out {
            self.next = self.next.wrapping_add(97);
            *byte = self.next;
        }
        if self.marked {
            ct::secret(out);
        }
    }
}

impl TryRng for Counter {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.give(&mut bytes);
        Ok(u32::from_le_bytes(bytes))
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.give(&mut bytes);
        Ok(u64::from_le_bytes(bytes))
    }
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        self.give(out);
        Ok(())
    }
}

impl TryCryptoRng for Counter {}
