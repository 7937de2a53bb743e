//! Tells the code when it is compiled without optimisation. There a value that is inlined still takes a stack slot of
//! its own, so that kernels inlined as a whole would need frames of 150 to 600 KiB.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(unoptimised)");
    if std::env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        println!("cargo::rustc-cfg=unoptimised");
    }
}
