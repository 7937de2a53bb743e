//! `bench`.

mod common;

use common::{Place, json, stdout};
use predicates::prelude::{PredicateBooleanExt, predicate::str::contains};

const COLUMNS: [&str; 13] = [
    "set",
    "op",
    "backend",
    "batch",
    "threads",
    "iters",
    "min_ns",
    "median_ns",
    "p95_ns",
    "compressions",
    "permutations",
    "floor_ns",
    "ratio",
];

/// Rows of the output, whose header and numbers are checked.
fn csv(place: &Place, args: &str) -> Vec<[String; 13]> {
    let text = stdout(&place.run(&format!("bench --csv --iters 1 {args}"), 0));
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    assert_eq!(lines.next().unwrap(), COLUMNS);
    let rows: Vec<[String; 13]> = lines.map(|line| line.try_into().unwrap()).collect();
    for row in &rows {
        let [min, median, p95, compressions, permutations, floor] =
            [6, 7, 8, 9, 10, 11].map(|i| row[i].parse::<u64>().unwrap());
        assert!(0 < min && min <= median && median <= p95 && floor > 0, "{row:?}");
        assert_ne!(compressions == 0, permutations == 0, "{row:?}");
        #[allow(clippy::cast_precision_loss)] // nanoseconds of a test
        let ratio = median as f64 / floor as f64;
        assert!((ratio - row[12].parse::<f64>().unwrap()).abs() < 0.01 * ratio, "{row:?}");
    }
    rows
}

#[test]
fn rows() {
    let place = Place::new();
    let available = json(&place.run("--json engine", 0)).remove(0)["backends"].as_array().unwrap().clone();
    let available: Vec<_> = available.iter().filter(|backend| backend["available"] == true).collect();

    // every backend and the automatic choice
    let rows = csv(&place, "--set sha2-128F");
    assert_eq!(rows.len(), 3 * (available.len() + 1));
    for (rows, (op, calls)) in
        rows.chunks(available.len() + 1).zip([("keygen", "4567"), ("sign", "106786"), ("verify", "6403")])
    {
        let (auto, forced) = rows.split_last().unwrap();
        assert_eq!(auto[2], "auto");
        assert!(forced.iter().zip(&available).all(|(row, backend)| backend["name"] == row[2]), "{rows:?}");
        for row in rows {
            assert_eq!(row[..2], ["SLH-DSA-SHA2-128f", op]);
            assert_eq!(row[3..6], ["1"; 3]);
            assert_eq!(row[9..11], [calls, "0"]);
        }
    }

    // one backend, threads and a batch, which key generation has not
    let rows = csv(&place, "--backend portable --threads 2 --set shake-128f sha2-128f --op verify keygen --batch 3");
    let heads: Vec<_> = rows.iter().map(|row| row[..6].join(" ")).collect();
    let expected = [
        "SLH-DSA-SHA2-128f keygen portable 1 2 1",
        "SLH-DSA-SHA2-128f verify portable 3 2 1",
        "SLH-DSA-SHAKE-128f keygen portable 1 2 1",
        "SLH-DSA-SHAKE-128f verify portable 3 2 1",
    ];
    assert_eq!(heads, expected);
    assert_eq!(rows[3][9..11], ["0", "6289"]);
    assert_eq!(csv(&place, "--backend auto --set shake-128f --op sign --batch 2").len(), 1);
}

/// Repetitions are of many, and keys may be expanded.
#[test]
fn ml_dsa() {
    let place = Place::new();
    let available = json(&place.run("--json engine", 0)).remove(0)["backends"].as_array().unwrap().clone();
    let engines = 1 + available.iter().filter(|backend| backend["available"] == true).count();
    let rows = csv(&place, "--set ml-dsa-44");
    let expected = [("keygen", "107"), ("sign", "201"), ("verify", "99")];
    for (rows, (op, permutations)) in rows.chunks_exact(engines).zip(expected) {
        assert_eq!((&rows[0][2], &rows[engines - 1][2]), (&"portable".to_owned(), &"auto".to_owned()));
        assert!(rows.iter().all(|row| (&row[1], &row[9], &row[10]) == (&op.into(), &"0".into(), &permutations.into())));
    }
    assert_eq!(rows.len(), 3 * engines);
    let rows = csv(&place, "--backend auto --set ml-dsa-65 --op sign verify --batch 10 --expand 0");
    let rows: Vec<_> = rows.iter().map(|row| format!("{} {} {} {}", row[0], row[1], row[3], row[10])).collect();
    assert_eq!(rows, ["ML-DSA-65 sign 10 170", "ML-DSA-65 verify 10 9"]);
}

#[test]
fn forms() {
    let place = Place::new();
    let args = "bench --set sha2-128f --op sign --iters 1 --expand 30000";
    let lines = json(&place.run(&format!("--json --backend portable {args}"), 0));
    assert_eq!(lines.len(), 2);
    for column in COLUMNS {
        assert!(!lines[0][column].is_null(), "{column}");
    }
    assert_eq!(lines[0]["engine"], "keccak portable x1 | sha256 portable x1 | sha512 portable x1 | ring portable x1");
    assert_eq!((&lines[1]["kind"], &lines[1]["rows"]), (&"summary".into(), &1.into()));

    let engine =
        contains("engine portable: keccak portable x1 | sha256 portable x1 | sha512 portable x1 | ring portable x1");
    place.run(args, 0).stdout(engine.and(contains("engine auto: keccak ")).and(contains("SHA2-128f")));
    place.run(&format!("{args} --csv"), 0).stderr(contains("engine auto: keccak "));
}

#[test]
fn usage() {
    let place = Place::new();
    place.run("bench --set 128f md5", 2).stdout("").stderr(contains("no parameter set has 'md5'"));
    place.run("bench --set 128f --op hash", 2).stdout("").stderr(contains("keygen"));
    place.run("bench --set 128f --csv --json", 2).stdout("").stderr(contains("--csv and --json"));
    for args in ["--iters 0", "--batch 0", "--batch 4097", "--expand 1073741825", "--set"] {
        place.run(&format!("bench {args}"), 2).stdout("");
    }
}
