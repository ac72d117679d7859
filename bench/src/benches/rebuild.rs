//! Making the index anew from the logs.

use std::path::Path;

use crate::Result;
use crate::benches::Bench;
use crate::measure::{median, time};
use crate::place::{self, caller};
use crate::report::{Figure, Goal};

pub(super) const BENCH_10MB: Bench = Bench {
    name: "rebuild_10mb",
    question: "how long does the index of a full session take to come back?",
    run: |place| {
        let figure = rebuild("rebuild_10mb", place.session_10mb()?, place.rounds())?;
        Ok(vec![figure.goal(Goal::Below(1.0))])
    },
};

pub(super) const BENCH_100K: Bench = Bench {
    name: "rebuild_100k",
    question: "how long does the index of a hundred thousand memories take to come back?",
    run: |place| Ok(vec![rebuild("rebuild_100k", place.large()?, 3)?]),
};

fn rebuild(name: &str, root: &Path, rounds: usize) -> Result<Figure> {
    let engine = place::open(root)?;
    let before = engine.stats(&caller())?.memories;
    let mut times = Vec::new();
    for _ in 0..rounds {
        let (duration, reindexed) = time(|| Ok(engine.reindex(&caller(), &mut |_| {})?))?;
        if reindexed.memories != before {
            return Err(format!("{} of {before} memories came back", reindexed.memories).into());
        }
        times.push(duration.as_secs_f64());
    }
    Ok(Figure::new(name, median(&mut times), "s"))
}
