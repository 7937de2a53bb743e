//! What the integration tests share: engines to run on, message bytes, hash oracles.
#![allow(dead_code)] // each test file uses its own part

pub mod der;
pub mod ml;
pub mod slh;

use std::{
    io::{self, Write},
    sync::Once,
};

use hashloom::{Backend, Engine};

/// Bytes whose period, 251, shares no factor with any block or word length: swapped or repeated blocks never cancel.
pub fn painted(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i % 251) as u8).collect()
}

/// One engine per backend of this machine, each forced, and the automatic choice.
///
/// A backend that the machine lacks is announced past the test harness' capture, once, and is a failure if the
/// comma-separated list `HASHLOOM_REQUIRE` names it.
pub fn engines() -> Vec<(String, Engine)> {
    static ANNOUNCE: Once = Once::new();
    let required = std::env::var("HASHLOOM_REQUIRE").unwrap_or_default();
    let mut engines = Vec::new();
    let mut missing = Vec::new();
    for &backend in Backend::ALL {
        match Engine::with(backend) {
            Ok(engine) => engines.push((format!("{backend} forced"), engine)),
            Err(error) => {
                assert!(!required.split(',').any(|name| name.trim() == backend.name()), "required: {error}");
                missing.push(backend);
            }
        }
    }
    assert_eq!(
        engines.iter().map(|(_, engine)| *engine).collect::<Vec<_>>(),
        Engine::available().map(|(_, engine)| engine).collect::<Vec<_>>(),
        "available() lists what with() accepts"
    );
    engines.push(("automatic".to_owned(), Engine::get()));
    ANNOUNCE.call_once(|| {
        for (name, engine) in &engines {
            loud(&format!("engine {name}: {engine}"));
        }
        for backend in missing {
            loud(&format!("SKIPPED: backend {backend} is not available on this machine"));
        }
    });
    engines
}

/// Writes a line past the test harness' capture.
pub fn loud(line: &str) {
    writeln!(io::stderr(), "{line}").expect("standard error is open");
}

/// Runs `test` on every engine of [`engines`], naming the one that fails.
pub fn on_every_engine(test: impl Fn(&Engine)) {
    for (name, engine) in engines() {
        eprintln!("running on {name}: {engine}");
        test(&engine);
    }
}

/// The twelve hash functions by other crates: digest, or `len` bytes of output for SHAKE.
pub mod oracle {
    use sha2::Digest;
    use shake::{ExtendableOutput, Update, XofReader};

    /// An oracle: `len` leading bytes of the hash of `msg`.
    pub type Oracle = fn(msg: &[u8], len: usize) -> Vec<u8>;

    pub fn fixed<D: Digest>(msg: &[u8], len: usize) -> Vec<u8> {
        D::digest(msg)[..len].to_vec()
    }

    pub fn xof<X: ExtendableOutput + Default + Update>(msg: &[u8], len: usize) -> Vec<u8> {
        let mut out = vec![0; len];
        let mut hasher = X::default();
        hasher.update(msg);
        hasher.finalize_xof().read(&mut out);
        out
    }
}

/// Calls `$test::<H>(oracle, ...)` for each of the twelve hash functions.
#[macro_export]
macro_rules! for_each_hash {
    ($test:ident($($arg:expr),*)) => {{
        use $crate::common::oracle::{fixed, xof};
        $test::<hashloom::sha2::Sha224>(fixed::<sha2::Sha224>, $($arg),*);
        $test::<hashloom::sha2::Sha256>(fixed::<sha2::Sha256>, $($arg),*);
        $test::<hashloom::sha2::Sha384>(fixed::<sha2::Sha384>, $($arg),*);
        $test::<hashloom::sha2::Sha512>(fixed::<sha2::Sha512>, $($arg),*);
        $test::<hashloom::sha2::Sha512_224>(fixed::<sha2::Sha512_224>, $($arg),*);
        $test::<hashloom::sha2::Sha512_256>(fixed::<sha2::Sha512_256>, $($arg),*);
        $test::<hashloom::keccak::Sha3_224>(fixed::<sha3::Sha3_224>, $($arg),*);
        $test::<hashloom::keccak::Sha3_256>(fixed::<sha3::Sha3_256>, $($arg),*);
        $test::<hashloom::keccak::Sha3_384>(fixed::<sha3::Sha3_384>, $($arg),*);
        $test::<hashloom::keccak::Sha3_512>(fixed::<sha3::Sha3_512>, $($arg),*);
        $test::<hashloom::keccak::Shake128>(xof::<shake::Shake128>, $($arg),*);
        $test::<hashloom::keccak::Shake256>(xof::<shake::Shake256>, $($arg),*);
    }};
}
