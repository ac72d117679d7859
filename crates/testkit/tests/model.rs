//! Random steps, done to files and to the model: every answer is the same,
//! whichever of two processes is asked, and whatever happens to the index.
//!
//! `MNEMON_MODEL_CASES` sets how many sequences are tried. Sequences that
//! failed once are in `model.regressions` and are tried first.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

#[path = "model/world.rs"]
mod world;

use std::cell::RefCell;
use std::fmt;

use mnemon_testkit::script::{Step, random, remote::Remote};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, FileFailurePersistence, TestRunner};
use world::{By, Disturbance, World};

const CASES: u32 = 2_000;
const STEPS: usize = 50;

/// What happens in one sequence.
#[derive(Clone)]
struct Script {
    /// Whether writes wait for the disk.
    always: bool,
    /// Whether what is sensitive is sealed.
    sealed: bool,
    /// Each step, and which process does it.
    steps: Vec<(Step, By)>,
    /// What happens to the index, before which step, and whether all is asked for at once.
    disturbances: Vec<(Index, Disturbance, bool)>,
}

/// A line for each step, short enough to be read.
impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (always, sealed) = (self.always, self.sealed);
        writeln!(
            f,
            "always: {always}, sealed: {sealed}, {:?}",
            self.disturbances
        )?;
        self.steps.iter().try_for_each(|(step, by)| {
            let step = serde_json::to_string(step).map_err(|_| fmt::Error)?;
            writeln!(f, "{by:?}: {step}")
        })
    }
}

fn scripts() -> impl Strategy<Value = Script> {
    let steps = random::steps(STEPS);
    // Always true; when a failure is made simpler, they become false one by one.
    let kept = prop::collection::vec(prop::bool::weighted(1.0), STEPS);
    let by = prop_oneof![2 => Just(By::ThisProcess), 1 => Just(By::OtherProcess)];
    let by = prop::collection::vec(by, STEPS);
    // Otherwise the next step, maybe a write, is the first to meet what was done.
    let ask = any::<bool>();
    let disturbances = prop::collection::vec((any::<Index>(), world::disturbance(), ask), 0..3);
    // What comes first is made simpler first, and fewer steps help most.
    let (always, sealed) = (prop::bool::weighted(0.1), any::<bool>());
    (kept, disturbances, always, by, steps, sealed).prop_map(
        |(kept, mut disturbances, always, by, steps, sealed)| {
            disturbances.sort_by_key(|(before, ..)| before.index(STEPS));
            let steps = steps.into_iter().zip(by).zip(kept);
            Script {
                always,
                sealed,
                steps: steps
                    .filter_map(|(step, kept)| kept.then_some(step))
                    .collect(),
                disturbances,
            }
        },
    )
}

fn play(script: &Script, remote: &RefCell<Option<Remote>>) -> Result<(), TestCaseError> {
    // A process that was there when a sequence failed is not trusted with the next.
    let process = remote.take().unwrap_or_else(world::start_process);
    let mut world = World::new(script.always, script.sealed, process);
    let mut disturbances = script.disturbances.iter().peekable();
    for (place, (step, by)) in script.steps.iter().enumerate() {
        while let Some((before, disturbance, ask)) = disturbances.peek()
            && before.index(STEPS) <= place
        {
            world.disturb(disturbance);
            if *ask {
                world.check_all(*by)?;
            }
            disturbances.next();
        }
        world.check(step, *by)?;
    }
    world.check_all(By::ThisProcess)?;
    world.check_all(By::OtherProcess)?;
    for last in [Disturbance::Reopen, Disturbance::DeleteIndex] {
        world.disturb(&last);
        world.check_all(By::ThisProcess)?;
    }
    remote.replace(Some(world.into_process()));
    Ok(())
}

#[test]
fn files_and_model_give_the_same_answers() {
    let cases = match std::env::var("MNEMON_MODEL_CASES") {
        Ok(number) => number.parse().expect("MNEMON_MODEL_CASES is a number"),
        Err(_) => CASES,
    };
    let regressions = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/model.regressions");
    let mut runner = TestRunner::new(Config {
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(regressions))),
        max_shrink_iters: 4_000,
        max_shrink_time: 60_000,
        ..Config::default()
    });
    let remote = RefCell::new(None);
    if let Err(failure) = runner.run(&scripts(), |script| play(&script, &remote)) {
        panic!("{failure}");
    }
}
