//! Memory that is given back to the allocator.

use hashloom::Engine;

use crate::{
    common::{engines, loud},
    operations::{CHECKED, Case, OPERATIONS, SETS},
    watch::{Seen, alone, during},
};

/// Less than this an operation that signs or makes a key cannot have given back.
const LEAST: usize = 10_000;

#[test]
fn nothing_secret_is_given_back() {
    let _alone = alone();
    let mut total = Seen::default();
    let mut operations = 0;
    for (name, engine) in engines() {
        for set in SETS {
            let case = Case::new(set, &engine);
            for (what, run) in OPERATIONS {
                let mut needles = case.everything();
                if *what == CHECKED {
                    needles = needles.without("chain end");
                }
                let seen = during(needles.sorted(), || run(&case));
                assert!(seen.found == 0, "{what}, {set} on {name}: {seen:?}");
                if what.starts_with("signing a") || what.contains("seeds") {
                    assert!(seen.bytes >= LEAST, "{what}, {set}: only {} bytes were searched", seen.bytes);
                }
                total.blocks += seen.blocks;
                total.bytes += seen.bytes;
                operations += 1;
            }
        }
    }
    loud(&format!("heap: {operations} operations, {} blocks of {} bytes searched", total.blocks, total.bytes));
}

#[test]
fn what_is_not_wiped_is_found() {
    let _alone = alone();
    for set in SETS {
        let case = Case::new(set, &Engine::get());
        let seen = |work: &dyn Fn()| during(case.everything().sorted(), work).first;
        let copy = seen(&|| drop(case.sk_seed().to_vec()));
        assert_eq!(copy[0], (set.n(), 0, "SK.seed"));
        let grown = seen(&|| {
            let mut bytes = case.sk_seed().to_vec();
            bytes.reserve_exact(1 << 16);
            bytes.fill(0);
            std::hint::black_box(&mut bytes);
        });
        assert_eq!(grown[0], (set.n(), 0, "SK.seed"), "the block that was outgrown");
        let wiped = seen(&|| drop(zeroize::Zeroizing::new(case.sk_seed().to_vec())));
        assert_eq!(wiped, []);

        let text = seen(&|| drop(case.pem().to_owned()));
        assert_eq!(text[0].2, "PEM");
    }
}
