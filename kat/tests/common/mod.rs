//! Vector files with something wrong, and what is made of them.
#![allow(dead_code)] // each test binary uses its part

use std::{fs, io::Read, path::Path};

use flate2::read::GzDecoder;
use hashloom::Engine;
use hashloom_kat::{Report, read, run};
use serde_json::Value;

/// A file of the repository's vectors, without all groups but those for which `keep` is true.
pub fn vectors(name: &str, keep: impl Fn(&Value) -> bool) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors").join(name);
    let mut text = String::new();
    GzDecoder::new(fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    let mut set: Value = serde_json::from_str(&text).unwrap();
    set["testGroups"].as_array_mut().unwrap().retain(keep);
    set
}

pub fn run_json(set: &Value) -> Report {
    run(&read(set.to_string().as_bytes()).unwrap(), &Engine::get(), None)
}

pub fn counts(report: &Report) -> (usize, usize, usize) {
    (report.passed(), report.failed(), report.skipped())
}

/// Changes the last hexadecimal digit of a field.
pub fn spoil(field: &mut Value) {
    let mut text = field.as_str().unwrap().to_string();
    let last = if text.pop() == Some('0') { '1' } else { '0' };
    text.push(last);
    *field = Value::String(text);
}

/// Spoils `field` of the first case, or puts `value` there; that case alone must fail.
pub fn one_failure(mut set: Value, pointer: &str, value: Option<Value>) -> String {
    let all = counts(&run_json(&set)).0;
    let field = set.pointer_mut(&format!("/testGroups/0/tests/0/{pointer}")).expect(pointer);
    match value {
        Some(value) => *field = value,
        None => spoil(field),
    }
    let report = run_json(&set);
    assert_eq!(counts(&report), (all - 1, 1, 0), "{pointer}");
    let first = &set["testGroups"][0];
    assert_eq!(report.failures[0].tg_id, first["tgId"]);
    assert_eq!(report.failures[0].tc_id, first["tests"][0]["tcId"]);
    report.failures[0].text.clone()
}
