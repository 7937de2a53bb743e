//! What every command has: the engine, the threads and the output.

use hashloom::Engine;
use tracing::Level;

use crate::{
    args::{BackendChoice, Global},
    error::Error,
    output::Output,
};

/// The global options at work.
pub struct App {
    /// Where results go.
    pub out: Output,
    /// Which backend was asked for.
    pub backend: BackendChoice,
    /// Whether it was asked for by name, `auto` being one.
    pub backend_named: bool,
    /// How many threads were asked for.
    pub threads: Option<u16>,
    engine: Engine,
}

impl App {
    /// Sets up logging, threads and the engine.
    pub fn new(global: &Global) -> Result<Self, Error> {
        let out = Output::new(global);
        let level = global.log.map_or(if global.quiet { Level::ERROR } else { Level::INFO }, Into::into);
        tracing_subscriber::fmt()
            .with_max_level(level)
            .with_target(false)
            .without_time()
            .with_ansi(anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never)
            .with_writer(out.clone())
            // they would go to standard error, which is what does not work, and panic there
            .log_internal_errors(false)
            .try_init()
            .ok(); // a second run in one process keeps the first one's log
        if let Some(threads) = global.threads {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads.into())
                .build_global()
                .map_err(|e| Error::usage(format!("--threads {threads}: {e}")))?;
        }
        let named = global.backend()?;
        let backend = named.unwrap_or(BackendChoice::Auto);
        let engine = match backend {
            BackendChoice::Auto => Engine::get(),
            BackendChoice::Forced(backend) => Engine::with(backend).map_err(|e| Error::usage(e.to_string()))?,
        };
        Ok(Self { out, backend, backend_named: named.is_some(), threads: global.threads, engine })
    }

    /// The engine, for those who look at it.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// The engine by the name of its backend; before it, unless a backend was asked for, all that this machine has, each
    /// forced.
    pub fn engines(&self) -> Vec<(String, Engine)> {
        let asked = match self.backend {
            BackendChoice::Auto => "auto".to_owned(),
            BackendChoice::Forced(backend) => backend.to_string(),
        };
        let others = Engine::available().filter(|_| !self.backend_named);
        others.map(|(backend, engine)| (backend.to_string(), engine)).chain([(asked, self.engine)]).collect()
    }

    /// Adds the engine to the summary of a run, unless the log has told of it.
    pub fn with_engine(&self, text: String) -> String {
        if tracing::enabled!(Level::INFO) { text } else { format!("{text}\nengine: {}", self.engine) }
    }

    /// The engine, for a command that hashes with it: logged, so call it once.
    pub fn start_engine(&self) -> Engine {
        tracing::info!("engine: {}", self.engine);
        self.engine
    }
}
