//! `hashloom engine`.

use comfy_table::{ContentArrangement, Table, presets::UTF8_FULL_CONDENSED};
use hashloom::{Backend, Choice, Engine};
use serde_json::json;

use crate::{
    app::App,
    args::BackendChoice,
    error::{Error, Outcome},
};

/// Show what this CPU has, what was chosen for each primitive, and why.
///
/// For example: hashloom --backend portable engine
#[derive(clap::Args)]
pub struct Args {}

/// CPU features that matter here, and whether this CPU has them.
fn features() -> Vec<(&'static str, bool)> {
    macro_rules! detect {
        ($detect:ident: $($feature:tt)*) => { vec![$(($feature, std::arch::$detect!($feature))),*] };
    }
    #[cfg(target_arch = "x86_64")]
    return detect!(is_x86_feature_detected:
        "sse2" "ssse3" "sse4.1" "avx" "avx2" "bmi1" "bmi2" "sha" "avx512f" "avx512bw" "avx512vl");
    #[cfg(target_arch = "aarch64")]
    return detect!(is_aarch64_feature_detected: "neon" "sha2" "sha3" "sve" "sve2");
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    Vec::new()
}

/// A primitive, what it is for, and the choice made for it.
fn choices(engine: &Engine) -> [(&'static str, &'static str, Choice); 4] {
    [
        ("keccak", "SHA-3, SHAKE, SLH-DSA-SHAKE, ML-DSA", engine.keccak()),
        ("sha256", "SHA-224/256, SLH-DSA-SHA2", engine.sha256()),
        ("sha512", "SHA-384/512, SLH-DSA-SHA2-192 and -256", engine.sha512()),
        ("ring", "ML-DSA", engine.ring()),
    ]
}

fn reason(choice: &Choice, asked: BackendChoice) -> String {
    let (wide, tail) = (choice.wide, choice.tail);
    match asked {
        BackendChoice::Forced(backend) if backend == wide.0 => "forced by --backend or HASHLOOM_BACKEND".to_owned(),
        BackendChoice::Forced(backend) => format!("{backend} has no kernel for it"),
        BackendChoice::Auto if wide == tail && wide.0 == Backend::Portable => {
            "no faster backend is available".to_owned()
        }
        BackendChoice::Auto if wide == tail => format!("{} is the fastest at any count", wide.0),
        BackendChoice::Auto => {
            format!("{} is the fastest for {} or more at once, {} for fewer", wide.0, choice.min_fill, tail.0)
        }
    }
}

pub fn run(app: &App) -> Result<Outcome, Error> {
    let engine = app.engine();
    let backends: Vec<(Backend, Result<Engine, String>)> = Backend::ALL
        .iter()
        .map(|&backend| {
            let why = |_| format!("needs {}", backend.needs());
            (backend, Engine::with(backend).map_err(why))
        })
        .collect();
    if app.out.json {
        let json = json(&engine, &backends, app);
        app.out.line(json.to_string())?;
    } else {
        app.out.line(text(&engine, &backends, app))?;
    }
    Ok(Outcome::Good)
}

fn json(engine: &Engine, backends: &[(Backend, Result<Engine, String>)], app: &App) -> serde_json::Value {
    let features: serde_json::Map<_, _> =
        features().into_iter().map(|(name, has)| (name.to_owned(), has.into())).collect();
    let backends: Vec<_> = backends
        .iter()
        .map(|(backend, engine)| {
            json!({
                "name": backend.name(),
                "available": engine.is_ok(),
                "engine": engine.as_ref().ok().map(ToString::to_string),
                "reason": engine.as_ref().err(),
            })
        })
        .collect();
    let primitives: Vec<_> = choices(engine)
        .iter()
        .map(|(primitive, uses, choice)| {
            json!({
                "primitive": primitive,
                "used_by": uses,
                "wide": { "backend": choice.wide.0.name(), "lanes": choice.wide.1 },
                "tail": { "backend": choice.tail.0.name(), "lanes": choice.tail.1 },
                "min_fill": choice.min_fill,
                "reason": reason(choice, app.backend),
            })
        })
        .collect();
    json!({
        "kind": "engine",
        "engine": engine.to_string(),
        "arch": std::env::consts::ARCH,
        "cpu_features": features,
        "threads": rayon::current_num_threads(),
        "backends": backends,
        "primitives": primitives,
    })
}

fn text(engine: &Engine, backends: &[(Backend, Result<Engine, String>)], app: &App) -> String {
    let features: Vec<String> = features()
        .into_iter()
        .map(|(name, has)| if has { app.out.good(name) } else { app.out.dim(&format!("no {name}")) })
        .collect();
    let mut available = table(&["backend", "available", "lanes or reason"]);
    for (backend, engine) in backends {
        match engine {
            Ok(engine) => available.add_row([backend.name(), "yes", &engine.to_string()]),
            Err(reason) => available.add_row([backend.name(), "no", reason]),
        };
    }
    let mut chosen = table(&["primitive", "used by", "wide", "tail", "min fill", "reason"]);
    for (primitive, uses, choice) in choices(engine) {
        let lanes = |(backend, lanes): (Backend, usize)| format!("{backend} x{lanes}");
        chosen.add_row([
            primitive,
            uses,
            &lanes(choice.wide),
            &lanes(choice.tail),
            &choice.min_fill.to_string(),
            &reason(&choice, app.backend),
        ]);
    }
    format!(
        "{} CPU: {}\nthreads: {}\n\n{available}\n\n{chosen}\n\nFull groups of lanes run on `wide`. Of what remains, \
         `min fill` or more do too, with idle lanes, and fewer on `tail`.\nengine: {engine}",
        std::env::consts::ARCH,
        features.join(", "),
        rayon::current_num_threads(),
    )
}

/// An empty table in the style of this program.
pub fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic).set_header(header);
    table
}
