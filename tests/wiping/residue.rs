//! Stacks of threads that have ended.

use std::{collections::BTreeMap, hint::black_box, sync::Arc};

use hashloom::Engine;
use rayon::ThreadPoolBuilder;

use crate::{
    common::{engines, loud},
    needles::Needles,
    operations::{Case, OPERATIONS, SETS},
    stack::Thread,
    watch::alone,
};

/// How often each name was found, and how many bytes of stack had been used.
#[derive(Default)]
struct Left {
    found: BTreeMap<&'static str, usize>,
    used: usize,
}

impl Left {
    fn search(&mut self, thread: Thread, needles: &Needles) {
        thread.join(|stack| {
            needles.search(stack, |_, name| *self.found.entry(name).or_default() += 1);
            self.used += stack.len() - stack.iter().position(|byte| *byte != 0).unwrap_or(stack.len());
        });
    }
}

/// Runs `work` on stacks of the test's own and searches them: once on a thread that does everything and ends at once,
/// once on a pool of two, whose threads take turns and wait.
fn left_by(case: &Arc<Case>, work: fn(&Case)) -> Left {
    // the ends of chains are public keys in pieces, which whoever verifies computes as well
    let needles = case.everything().without("chain end").sorted();
    let mut left = Left::default();

    let same = Arc::clone(case);
    let alone = Thread::start(Box::new(move || {
        let pool = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().unwrap();
        pool.install(|| work(&same));
    }));
    left.search(alone, &needles);

    let mut threads = Vec::new();
    let pool = ThreadPoolBuilder::new().num_threads(2).spawn_handler(|thread| {
        threads.push(Thread::start(Box::new(|| thread.run())));
        Ok(())
    });
    let pool = pool.build().unwrap();
    pool.install(|| work(case));
    drop(pool);
    for thread in threads {
        left.search(thread, &needles);
    }
    left
}

#[test]
fn nothing_secret_stays_on_the_stack() {
    let _alone = alone();
    let (mut searched, mut operations) = (0, 0);
    let mut faults = Vec::new();
    for (name, engine) in engines() {
        for set in SETS {
            let case = Arc::new(Case::new(set, &engine));
            for (what, run) in OPERATIONS {
                let left = left_by(&case, *run);
                if !left.found.is_empty() {
                    faults.push(format!("{what}, {set} on {name}: {:?}", left.found));
                }
                searched += left.used;
                operations += 1;
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    loud(&format!("stacks: {operations} operations, {searched} bytes searched that had been used"));
}

/// Leaves a copy of SK.seed so deep that what a thread does when it ends does not cover it.
fn plant(case: &Case, bytes: usize) -> u8 {
    let mut local = black_box([0_u8; 1024]);
    if bytes <= local.len() {
        local[..16].copy_from_slice(&case.sk_seed()[..16]);
        return black_box(&mut local)[0];
    }
    plant(case, bytes - local.len()) ^ black_box(&mut local)[1]
}

#[test]
fn what_stays_is_found() {
    let _alone = alone();
    for set in SETS {
        let case = Arc::new(Case::new(set, &Engine::get()));
        // on the one thread and on one of the two
        let planted = left_by(&case, |case| _ = black_box(plant(case, 1 << 16)));
        assert!(planted.found["SK.seed"] >= 2 * 9, "{set}: {:?}", planted.found);
        let nothing = left_by(&case, |_| ());
        assert!(nothing.found.is_empty() && nothing.used > 0, "{set}: {:?}", nothing.found);
    }
}
