//! Programs that do what must not be done. A tool that reports nothing about one of them is blind.

use std::hint::black_box;

use hashloom::{
    Engine,
    ct::{self, Value},
    hash::Hash,
    ml_dsa::ParameterSet,
    pbkdf2,
    sha2::Sha256,
};

use crate::programs::{self, ml_dsa};

pub type Control = fn(&Engine);

pub const CONTROLS: [(&str, Control); 21] = [
    ("branch", branch),
    ("index", index),
    ("compare", compare),
    ("without-r", |engine| without(Some(Value::R), SIGN, SLH_DSA, engine)),
    ("without-pk-fors", |engine| without(Some(Value::PkFors), SIGN, SLH_DSA, engine)),
    ("without-xmss-root", |engine| without(Some(Value::XmssRoot), SIGN, SLH_DSA, engine)),
    ("without-pk-root", |engine| without(Some(Value::PkRoot), "import", SLH_DSA, engine)),
    ("without-verdict", |engine| without(None, "sign-expanded", SLH_DSA, engine)),
    ("branch-on-s1", branch_on_s1),
    ("early-exit-of-norm", early_exit_of_norm),
    ("branch-in-decompose", branch_in_decompose),
    ("without-rho", |engine| without(Some(Value::Rho), "keygen", ML_DSA, engine)),
    ("without-accepted", |engine| without(Some(Value::Accepted), "keygen", ML_DSA, engine)),
    ("without-t1", |engine| without(Some(Value::T1), "keygen", ML_DSA, engine)),
    ("without-c-tilde", |engine| without(Some(Value::CTilde), SIGN, ML_DSA, engine)),
    ("without-rejection", |engine| without(Some(Value::Rejection), SIGN, ML_DSA, engine)),
    ("without-z", |engine| without(Some(Value::Z), SIGN, ML_DSA, engine)),
    ("without-hint", |engine| without(Some(Value::Hint), SIGN, ML_DSA, engine)),
    ("without-verdict-on-a-key", |engine| without(None, "import", ML_DSA, engine)),
    ("without-verdict-on-a-tag", |engine| without(None, "hmac", "SHA-2", engine)),
    ("index-by-a-derived-key", index_by_a_derived_key),
];

const SIGN: &str = "sign-deterministic-pure";
const SLH_DSA: &str = "SLH-DSA-SHA2-128f";
const ML_DSA: &str = "ML-DSA-44";

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

/// Coefficients of s1, of 3 bits, of a key from a marked seed.
fn s1(engine: &Engine) -> Vec<i32> {
    let bytes = ml_dsa::key(ParameterSet::MlDsa44, engine).to_bytes();
    let coefficients = |three: &[u8]| {
        let word = u32::from_le_bytes([three[0], three[1], three[2], 0]);
        (0..8).map(move |i| 2 - (word >> (3 * i) & 7).cast_signed())
    };
    bytes[ml_dsa::S1..][..96].chunks(3).flat_map(coefficients).collect()
}

fn branch_on_s1(engine: &Engine) {
    if s1(engine)[17] & 1 == 0 { even() } else { odd() }
}

/// Stops at the first coefficient that is out of bounds, as no norm of a secret may.
fn early_exit_of_norm(engine: &Engine) {
    if s1(engine).iter().any(|x| black_box(x.abs()) > 2) { even() } else { odd() }
}

/// The centred remainder of `Decompose` (FIPS 204 Alg. 36 line 2), here of the low bits, with a branch.
fn branch_in_decompose(engine: &Engine) {
    let bytes = ml_dsa::key(ParameterSet::MlDsa44, engine).to_bytes();
    let t0 = bytes.last().expect("a key is not empty");
    if black_box(t0 & 31) > 16 { even() } else { odd() }
}

fn index_by_a_derived_key(engine: &Engine) {
    let (table, mut key): ([u8; 256], _) = (black_box([7; 256]), [0; 16]);
    pbkdf2::derive(Sha256::on(engine), &secrets(), b"salt", 3, &mut key).expect("something is asked for");
    black_box(table[usize::from(key[0])]);
}

/// A good program without one of the library's marks of what is public: marks reach that place, and the tool sees
/// what is done there.
fn without(value: Option<Value>, program: &str, subject: &str, engine: &Engine) {
    ct::leave_out(value);
    let jobs = programs::jobs();
    let job = jobs.iter().find(|job| (job.program, job.subject) == (program, subject));
    job.expect("the program is in the list").run(engine);
}
