//! Tells the code when it is compiled without optimisation: there a value that is inlined still takes a stack slot of
//! its own, so that kernels inlined as a whole would need frames of 150 to 600 KiB. And keeps the portable backend alone
//! on an aarch64 without vector registers in its ABI, or with the other byte order, for which nothing else is written.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(unoptimised)");
    let is = |name, value| env::var(name).is_ok_and(|list| list.split(',').any(|word| word == value));
    if is("OPT_LEVEL", "0") {
        println!("cargo::rustc-cfg=unoptimised");
    }
    let suitable = is("CARGO_CFG_TARGET_FEATURE", "neon") && is("CARGO_CFG_TARGET_ENDIAN", "little");
    if is("CARGO_CFG_TARGET_ARCH", "aarch64") && !suitable {
        println!("cargo::rustc-cfg=hashloom_portable_only");
    }
}
