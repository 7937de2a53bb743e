//! Stands in for bindgen in the build of slhdsa-c-rs.
//!
//! Its build script compiles the C code, which is wanted as it is, and then has bindgen, and with it libclang, read a
//! header of ten functions. Here the declarations that the gate needs are written out instead. That they fit is shown whenever the gate
//! runs: keys and signatures made through them must equal hashloom's.

use std::{convert::Infallible, fs, io, path::Path};

/// The options that slhdsa-c-rs sets; they change nothing.
#[derive(Default)]
pub struct Builder;

/// The declarations.
pub struct Bindings;

macro_rules! options {
    ($($name:ident($($argument:ty)?);)*) => { $(
        /// Does nothing.
        #[must_use]
        pub fn $name(self $(, _: $argument)?) -> Self {
            self
        }
    )* };
}

impl Builder {
    options! {
        clang_arg(impl Into<String>);
        header(impl Into<String>);
        allowlist_function(impl AsRef<str>);
        allowlist_var(impl AsRef<str>);
        use_core();
        ctypes_prefix(impl Into<String>);
        generate_comments(bool);
    }

    /// Never fails; a `Result` because bindgen's is one.
    pub fn generate(self) -> Result<Bindings, Infallible> {
        Ok(Bindings)
    }
}

impl Bindings {
    /// Writes the declarations of `slh_dsa.h`.
    pub fn write_to_file(&self, path: impl AsRef<Path>) -> io::Result<()> {
        fs::write(path, include_str!("slh_dsa.rs"))
    }
}
