//! The backend is never a secret: chosen, printed, forced, and forced means forced.

mod common;

use common::engines;
use hashloom::{Backend, Choice, Engine, Error};

fn choices(engine: &Engine) -> [Choice; 4] {
    [engine.keccak(), engine.sha256(), engine.sha512(), engine.ring()]
}

/// AVX-512 takes what does not fill its registers on their halves: same instructions, a kernel of its own. On halves
/// alone arithmetic is that of AVX2.
fn belongs(runs: Backend, forced: Backend) -> bool {
    runs == forced
        || [(Backend::Avx512, Backend::Avx512Vl), (Backend::Avx512Vl, Backend::Avx2)].contains(&(forced, runs))
}

#[test]
fn a_forced_backend_runs_nothing_but_itself_and_portable() {
    for (backend, engine) in Engine::available() {
        assert_eq!(Engine::with(backend), Ok(engine));
        let mut used = false;
        for choice in choices(&engine) {
            for (runs, lanes) in [choice.wide, choice.tail] {
                assert!(belongs(runs, backend) || runs == Backend::Portable, "{backend} forced, {runs} runs");
                assert!(lanes >= 1 && (runs != Backend::Portable || lanes == 1));
            }
            // portable stands in for a whole primitive, never for what remains
            assert_eq!(choice.wide.0 == Backend::Portable, choice.tail.0 == Backend::Portable, "{backend}: {choice}");
            used |= choice.wide.0 == backend;
        }
        assert!(used, "{backend} forced, but it runs nothing");
    }
}

#[test]
fn portable_is_everywhere_and_first() {
    assert_eq!(Engine::available().next(), Some((Backend::Portable, Engine::portable())));
    assert_eq!(Engine::with(Backend::Portable), Ok(Engine::portable()));
    for choice in choices(&Engine::portable()) {
        assert_eq!((choice.wide, choice.tail), ((Backend::Portable, 1), (Backend::Portable, 1)));
    }
}

#[test]
fn an_absent_backend_is_refused_and_never_replaced() {
    let available: Vec<Backend> = Engine::available().map(|(backend, _)| backend).collect();
    for &backend in Backend::ALL {
        if !available.contains(&backend) {
            assert_eq!(Engine::with(backend), Err(Error::BackendUnavailable(backend)));
        }
    }
}

#[test]
fn the_automatic_choice_is_stable_and_the_default() {
    assert_eq!(Engine::get(), Engine::get());
    assert_eq!(Engine::default(), Engine::get());
}

#[test]
fn names_round_trip_and_others_are_refused() {
    for &backend in Backend::ALL {
        assert_eq!(backend.name().parse(), Ok(backend));
        assert_eq!(backend.to_string(), backend.name());
        assert_eq!(format!("{backend:>12}"), format!("{:>12}", backend.name()));
    }
    for name in ["", "auto", "avx", "AVX3", "portable ", "portable\0", "avx2,portable"] {
        assert_eq!(name.parse::<Backend>(), Err(Error::UnknownName), "{name:?}");
    }
}

#[test]
fn the_log_line_names_backend_and_lanes_of_each_primitive() {
    for (_, engine) in engines() {
        let line = engine.to_string();
        let fields: Vec<&str> = line.split(" | ").collect();
        assert_eq!(fields.len(), 4, "{line}");
        for ((field, name), choice) in fields.iter().zip(["keccak", "sha256", "sha512", "ring"]).zip(choices(&engine)) {
            let rest = field.strip_prefix(name).and_then(|rest| rest.strip_prefix(' ')).expect(&line);
            assert_eq!(rest, choice.to_string());
            assert!(rest.starts_with(&format!("{} x{}", choice.wide.0, choice.wide.1)), "{line}");
            let tail = format!(", tail {} x{}", choice.tail.0, choice.tail.1);
            assert_eq!(rest.ends_with(&tail), choice.tail != choice.wide, "{line}");
        }
    }
}
