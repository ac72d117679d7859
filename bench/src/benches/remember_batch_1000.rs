//! A thousand memories in one transaction, as an import brings them.

use mnemon::store::OnFull;

use crate::Result;
use crate::benches::Bench;
use crate::corpus::Corpus;
use crate::measure::{median, rate, time};
use crate::place::{Place, caller, new_session};
use crate::report::{Figure, Goal};

const BATCH: usize = 1000;

pub(super) const BENCH: Bench = Bench {
    name: "remember_batch_1000",
    question: "how many memories a second are kept when they come a thousand at a time?",
    run,
};

fn run(place: &Place) -> Result<Vec<Figure>> {
    let engine = place.store("batch")?;
    let space = new_session(&engine, "batches")?;
    let mut corpus = Corpus::new();
    let mut rates = Vec::new();
    for _ in 0..place.rounds() * 2 {
        let drafts = corpus.take(BATCH);
        let (duration, _) =
            time(|| Ok(engine.remember_all(&caller(), &space, drafts, OnFull::Refuse)?))?;
        rates.push(rate(BATCH, duration));
    }
    let figure = Figure::new(BENCH.name, median(&mut rates), "/s");
    Ok(vec![figure.goal(Goal::AtLeast(20_000.0))])
}
