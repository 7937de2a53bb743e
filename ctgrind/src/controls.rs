//! Programs that do what must not be done. A tool that reports nothing about one of them is blind.

use std::hint::black_box;

use hashloom::{
    Engine,
    ct::{self, Value},
    slh_dsa::ParameterSet,
};

use crate::programs::PROGRAMS;

pub type Control = fn(&Engine);

pub const CONTROLS: [(&str, Control); 8] = [
    ("branch", branch),
    ("index", index),
    ("compare", compare),
    ("without-r", |engine| without(Some(Value::R), "sign-deterministic-pure", engine)),
    ("without-pk-fors", |engine| without(Some(Value::PkFors), "sign-deterministic-pure", engine)),
    ("without-xmss-root", |engine| without(Some(Value::XmssRoot), "sign-deterministic-pure", engine)),
    ("without-pk-root", |engine| without(Some(Value::PkRoot), "import", engine)),
    ("without-verdict", |engine| without(None, "sign-expanded", engine)),
];

fn secrets() -> [u8; 32] {
    let mut bytes = black_box([0x3c; 32]);
    ct::secret(&mut bytes);
    bytes
}

#[inline(never)]
fn even() {
    black_box(0);
}

#[inline(never)]
fn odd() {
    black_box(1);
}

fn branch(_: &Engine) {
    if secrets()[0] & 1 == 0 { even() } else { odd() }
}

fn index(_: &Engine) {
    let table: [u8; 256] = black_box([7; 256]);
    black_box(table[usize::from(secrets()[0])]);
}

/// The comparison of slices stops at the first difference.
fn compare(_: &Engine) {
    let known = black_box([0; 32]);
    if secrets()[..] == known[..] { even() } else { odd() }
}

/// A good program without one of the library's marks of what is public: marks reach that place, and the tool sees
/// what is done there.
fn without(value: Option<Value>, program: &str, engine: &Engine) {
    ct::leave_out(value);
    let program = PROGRAMS.iter().find(|(name, _)| *name == program);
    program.expect("the program is in the list").1(ParameterSet::Sha2_128f, engine);
}
