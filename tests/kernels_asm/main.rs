//! Reads the assembly of an optimised build. A round helper that is not inlined makes a vector kernel up to 87 times
//! slower and changes no result, so no other test can see it: kernels must hold no call at all, and the functions
//! through which jobs enter a backend only those listed here.

#[cfg(all(target_arch = "x86_64", not(windows)))]
mod asm;

#[cfg(not(all(target_arch = "x86_64", not(windows))))]
#[test]
fn skipped() {
    use std::io::{self, Write};
    writeln!(io::stderr(), "SKIPPED: the assembly of kernels is read on x86-64 only").unwrap();
}
