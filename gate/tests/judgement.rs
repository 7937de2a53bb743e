//! Plants results and looks at the exit status: a gate that cannot fail is none.

use std::process::ExitCode;

use gate::{
    judge::{Bars, Judgement, Outcome, Problem, Terms, judge},
    plan::Selection,
    record::{Key, Op, Planned, Record, Rival, Scheme},
    toolchain::Level,
    transcript::{Start, Transcript},
};

const RIVALS: [Rival; 2] = [Rival::PqClean, Rival::SlhdsaC];

fn terms() -> Terms {
    Terms {
        level: Level::V3,
        plan: Selection { quick: true, ..Selection::default() }.plan(),
        bars: Bars::default(),
        all_rows: true,
    }
}

/// The lines of a runner that measures everything planned; we take `ours` of each rival's time.
fn records(terms: &Terms, ours: impl Fn(&Key, Rival) -> f64) -> Vec<Record> {
    let portable = vec!["portable".to_owned(); 8];
    let start = Record::Start {
        engine: "keccak portable x1 | sha256 portable x1 | sha512 portable x1 | ring portable x1".to_owned(),
        chosen: portable.clone(),
        available: portable[..1].to_vec(),
        features: ["avx", "avx2", "bmi2"].map(str::to_owned).to_vec(),
    };
    let randomness = Record::Randomness { rival: Rival::PqClean, bytes: 16, nanos: 30 };
    let mut records = vec![start, randomness];
    for Planned { key, pairs } in &terms.plan {
        for &rival in key.scheme.rivals() {
            let ratio = ours(key, rival);
            let time = |i: usize| {
                let theirs = std::time::Duration::from_micros(1000 + i as u64 % 7);
                (theirs.mul_f64(ratio).as_nanos() as u64, theirs.as_nanos() as u64)
            };
            records.push(Record::Pairs { key: key.clone(), rival, pairs: (0..*pairs).map(time).collect() });
        }
    }
    let rows = records.len() - 2;
    records.push(Record::End { rows, live: 1 });
    records
}

fn transcript(records: &[Record]) -> Transcript {
    let lines: Vec<String> = records.iter().map(|record| serde_json::to_string(record).unwrap()).collect();
    Transcript::read(lines.join("\n").as_bytes(), |_| ())
}

fn judged(terms: &Terms, records: &[Record]) -> Judgement {
    judge(terms, &[transcript(records)])
}

/// Lets `plant` change the lines of a runner that is faster than everybody.
fn planted(plant: impl Fn(&mut Vec<Record>)) -> Judgement {
    let terms = terms();
    let mut records = records(&terms, |_, _| 0.8);
    plant(&mut records);
    judged(&terms, &records)
}

fn status(outcome: Outcome, code: u8) {
    assert_eq!(outcome.code(), code);
    assert_eq!(ExitCode::from(outcome), ExitCode::from(code));
}

fn is(key: &Key, set: &str, op: Op) -> bool {
    key.set == set && key.op == op
}

#[test]
fn complete_and_faster_passes() {
    let judgement = planted(|_| ());
    assert_eq!(judgement.problems, []);
    status(judgement.outcome(), 0);
    assert_eq!(judgement.rows.len(), 45);
    assert_eq!(judgement.rows.iter().map(|row| row.against.len()).sum::<usize>(), 81);
    let names: Vec<_> = judgement.families.iter().map(|family| (&*family.name, family.rival)).collect();
    let [c, slhdsa_c] = RIVALS;
    assert_eq!(names, [("SHA2", c), ("SHA2", slhdsa_c), ("SHAKE", c), ("SHAKE", slhdsa_c), ("ML-DSA", c)]);
    for family in &judgement.families {
        assert_eq!(family.rows, if family.name == "ML-DSA" { 9 } else { 18 });
        assert_eq!(family.judged, family.rival == Rival::PqClean);
        assert!((family.mean - 0.8).abs() < 1e-3);
    }
}

#[test]
fn one_row_over_the_bar_fails() {
    let rows = RIVALS.map(|rival| (rival, "SLH-DSA-SHAKE-256s", Op::Verify)).into_iter().chain([(
        RIVALS[0],
        "ML-DSA-65",
        Op::Sign,
    )]);
    for (over, set, op) in rows {
        let terms = terms();
        let slow = |key: &Key, rival| if rival == over && is(key, set, op) { 1.01 } else { 0.8 };
        let judgement = judged(&terms, &records(&terms, slow));
        assert_eq!(judgement.problems, []);
        status(judgement.outcome(), 1);
        let over: Vec<_> = judgement.rows.iter().filter(|row| row.against.iter().any(|a| a.over)).collect();
        assert_eq!(over.len(), 1);
        assert!(is(&over[0].key, set, op));
    }
}

#[test]
fn a_mean_over_the_bar_fails_where_it_is_judged() {
    // every row is within its bar
    let slow = |ours: f64, behind| {
        move |key: &Key, rival| {
            if rival == behind && key.set.contains("SHA2") { ours } else { 0.8 }
        }
    };
    let all = terms();
    let judgement = judged(&all, &records(&all, slow(0.86, Rival::PqClean)));
    assert_eq!(judgement.families.iter().filter(|family| family.over).count(), 1);
    status(judgement.outcome(), 1);
    status(judged(&all, &records(&all, slow(0.84, Rival::PqClean))).outcome(), 0);
    status(judged(&all, &records(&all, slow(0.99, Rival::SlhdsaC))).outcome(), 0);
    // no family helps another
    let lattices = |ours: f64, others: f64| {
        let slow = move |key: &Key, _| if key.scheme == Scheme::MlDsa { ours } else { others };
        judged(&all, &records(&all, slow)).outcome()
    };
    status(lattices(0.84, 0.84), 0);
    status(lattices(0.86, 0.1), 1);
    status(lattices(0.1, 0.86), 1);
    let part = Terms { all_rows: false, ..all };
    status(judged(&part, &records(&part, slow(0.86, Rival::PqClean))).outcome(), 0);
}

#[test]
fn the_bar_can_be_set() {
    let with = |row, mean, ours| {
        let terms = Terms { bars: Bars { row, mean }, ..terms() };
        judged(&terms, &records(&terms, |_, _| ours)).outcome()
    };
    status(with(0.7, 1.0, 0.8), 1);
    status(with(2.0, 2.0, 1.9), 0);
}

#[test]
fn the_median_decides_and_outliers_do_not() {
    let outliers = |many: usize| {
        planted(|records| {
            for record in records {
                if let Record::Pairs { pairs, .. } = record {
                    let some = pairs.len() * many / 100;
                    pairs[..some].iter_mut().for_each(|(ours, _)| *ours *= 100);
                }
            }
        })
    };
    status(outliers(40).outcome(), 0);
    status(outliers(60).outcome(), 1);
}

#[test]
fn a_missing_row_cannot_be_gated() {
    for missing in [10, 80] {
        let judgement = planted(|records| {
            records.remove(missing);
            let Some(Record::End { rows, .. }) = records.last_mut() else { panic!("no end") };
            *rows -= 1;
        });
        assert!(matches!(judgement.problems[..], [Problem::Missing(..)]), "{:?}", judgement.problems);
        status(judgement.outcome(), 2);
    }
}

#[test]
fn a_missing_row_hides_nothing_that_is_over() {
    let terms = terms();
    let mut records = records(&terms, |_, _| 1.5);
    records.remove(10);
    status(judged(&terms, &records).outcome(), 2);
}

#[test]
fn an_extra_row_cannot_be_gated() {
    let extra = |key: Key, rival| {
        planted(|records| {
            let end = records.len() - 1;
            records.insert(end, Record::Pairs { key: key.clone(), rival, pairs: vec![(1, 2)] });
            records[end + 1] = Record::End { rows: end - 1, live: 1 };
        })
    };
    let key = |scheme, set: &str| Key { scheme, set: set.to_owned(), op: Op::Sign };
    let unplanned = [
        (Scheme::SlhDsa, "SLH-DSA-SHA2-512f", Rival::PqClean),
        (Scheme::MlDsa, "ML-DSA-128", Rival::PqClean),
        (Scheme::MlDsa, "ML-DSA-65", Rival::SlhdsaC),
    ];
    for (scheme, set, rival) in unplanned {
        let judgement = extra(key(scheme, set), rival);
        assert!(matches!(judgement.problems[..], [Problem::Extra(..)]), "{:?}", judgement.problems);
        status(judgement.outcome(), 2);
    }
    let repeated =
        [(Scheme::SlhDsa, "SLH-DSA-SHA2-128f", Rival::SlhdsaC), (Scheme::MlDsa, "ML-DSA-65", Rival::PqClean)];
    for (scheme, set, rival) in repeated {
        let judgement = extra(key(scheme, set), rival);
        assert!(matches!(judgement.problems[..], [Problem::Repeated(..)]), "{:?}", judgement.problems);
        status(judgement.outcome(), 2);
    }
}

#[test]
fn a_missing_rival_cannot_be_gated() {
    for gone in RIVALS {
        let judgement = planted(|records| {
            records.retain(|record| !matches!(record, Record::Pairs { rival, .. } if *rival == gone));
            let rows = records.len() - 3;
            *records.last_mut().unwrap() = Record::End { rows, live: 1 };
        });
        assert_eq!(judgement.problems, [Problem::NoRival(gone)]);
        status(judgement.outcome(), 2);
    }
}

#[test]
fn an_interrupted_run_cannot_be_gated() {
    let terms = terms();
    let records = records(&terms, |_, _| 0.8);
    let lines: Vec<String> = records.iter().map(|record| serde_json::to_string(record).unwrap()).collect();
    let whole = lines.join("\n");
    for cut in [0, 1, whole.len() / 2, whole.len() - 1, whole.len() - lines.last().unwrap().len()] {
        let read = Transcript::read(&whole.as_bytes()[..cut], |_| ());
        assert!(read.interrupted.is_some(), "cut at {cut}");
        status(judge(&terms, &[read]).outcome(), 2);
    }
    let lost = judged(&terms, &[&records[..5], &records[6..]].concat());
    assert!(lost.problems.iter().any(|problem| matches!(problem, Problem::Interrupted(_))));
    status(judge(&terms, &[]).outcome(), 2);
}

#[test]
fn every_process_must_be_whole() {
    let terms = terms();
    let whole = transcript(&records(&terms, |_, _| 0.8));
    let slower = transcript(&records(&terms, |_, _| 0.82));
    let cut = transcript(&records(&terms, |_, _| 0.8)[..20]);
    let both = judge(&terms, &[whole.clone(), slower]);
    status(both.outcome(), 0);
    assert_eq!(both.rows[0].against[0].processes.len(), 2);
    assert_eq!(both.rows[0].against[0].pairs, 2 * terms.plan[0].pairs);
    status(judge(&terms, &[whole, cut]).outcome(), 2);
}

#[test]
fn fewer_pairs_than_planned_cannot_be_gated() {
    for left in [0, 1] {
        let judgement = planted(|records| {
            let Record::Pairs { pairs, .. } = &mut records[4] else { panic!("no row") };
            pairs.truncate(left);
        });
        assert!(matches!(judgement.problems[..], [Problem::Short(..)]), "{:?}", judgement.problems);
        status(judgement.outcome(), 2);
    }
}

#[test]
fn a_clock_that_stands_still_cannot_be_gated() {
    for time in [(0, 5), (5, 0), (0, 0)] {
        let judgement = planted(|records| {
            let Record::Pairs { pairs, .. } = &mut records[4] else { panic!("no row") };
            pairs[0] = time;
        });
        assert!(matches!(judgement.problems[..], [Problem::Timeless(..)]), "{:?}", judgement.problems);
        status(judgement.outcome(), 2);
    }
}

#[test]
fn an_accelerated_engine_cannot_be_gated() {
    let start = |change: fn(&mut Start)| {
        let terms = terms();
        let mut read = transcript(&records(&terms, |_, _| 0.8));
        change(read.start.as_mut().unwrap());
        let judgement = judge(&terms, &[read]);
        assert_eq!(judgement.problems.len(), 1, "{:?}", judgement.problems);
        status(judgement.outcome(), 2);
    };
    start(|start| start.chosen[2] = "sha-ni".to_owned());
    start(|start| start.chosen.clear());
    start(|start| start.available.push("avx2".to_owned()));
    start(|start| start.available.clear());
    start(|start| start.features.push("sha".to_owned()));
    start(|start| start.features.clear());
}

#[test]
fn a_runner_that_does_not_say_what_it_is_cannot_be_gated() {
    let judgement = planted(|records| drop(records.remove(0)));
    assert_eq!(judgement.problems, [Problem::Unknown]);
    status(judgement.outcome(), 2);
}
