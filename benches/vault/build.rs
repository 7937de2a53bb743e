//! Tells the program how it was built.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for name in ["OPT_LEVEL", "PROFILE"] {
        println!("cargo::rustc-env=VAULT_{name}={}", std::env::var(name).unwrap_or_default());
    }
}
