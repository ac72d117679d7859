//! One agent that remembers one thing after the other.

use crate::Result;
use crate::benches::Bench;
use crate::corpus::Corpus;
use crate::limit::beside_raw;
use crate::measure::{rate, time};
use crate::place::{Place, caller, new_session};
use crate::report::{Figure, Goal};

pub(super) const BENCH: Bench = Bench {
    name: "remember_durable",
    question: "how many memories a second does one agent keep, each safe before the next?",
    run,
};

fn run(place: &Place) -> Result<Vec<Figure>> {
    let engine = place.store("durable")?;
    let space = new_session(&engine, "one-writer")?;
    let mut corpus = Corpus::new();
    engine.remember(&caller(), &space, corpus.next())?;
    let count = place.scaled(1000);
    let figure = beside_raw(BENCH.name, place.path(), place.rounds(), count, |_| {
        let drafts = corpus.take(count);
        let (duration, ()) = time(|| {
            for draft in drafts {
                engine.remember(&caller(), &space, draft)?;
            }
            Ok(())
        })?;
        Ok(rate(count, duration))
    })?;
    Ok(vec![figure.goal(Goal::RatioAtLeast(0.5))])
}
