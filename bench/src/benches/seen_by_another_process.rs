//! Freshness: one process keeps a memory, another asks for it at once.

use crate::Result;
use crate::benches::Bench;
use crate::child::Helper;
use crate::corpus::Corpus;
use crate::measure::{median, micros, percentile, time};
use crate::place::{Place, caller, new_session};
use crate::report::{Figure, Goal};

pub(super) const BENCH: Bench = Bench {
    name: "seen_by_another_process",
    question: "how soon after a write has another process found it?",
    run,
};

fn run(place: &Place) -> Result<Vec<Figure>> {
    let engine = place.store("fresh")?;
    let space = new_session(&engine, "fresh")?;
    let root = place.path().join("fresh");
    let mut reader = Helper::start("look", &root, &[])?;
    // What it costs to ask another process anything at all.
    let mut echo = Helper::start("echo", &root, &[])?;
    let mut corpus = Corpus::new();
    let (mut times, mut limits) = (Vec::new(), Vec::new());
    let mut missed = 0_u64;
    for _ in 0..place.scaled(2000) {
        let kept = engine.remember(&caller(), &space, corpus.next())?;
        let (duration, answer) = time(|| {
            reader.send(kept.id.as_str())?;
            reader.read()
        })?;
        missed += u64::from(answer != "seen");
        times.push(micros(duration));
        let (duration, _) = time(|| {
            echo.send(kept.id.as_str())?;
            echo.read()
        })?;
        limits.push(micros(duration));
    }
    reader.finish()?;
    echo.finish()?;
    let (p50, limit) = (median(&mut times), median(&mut limits));
    Ok(vec![
        Figure {
            limit: Some(limit),
            ratio: Some(p50 / limit),
            ..Figure::new("seen_by_another_process p50", p50, "µs")
        },
        Figure::new(
            "seen_by_another_process p99",
            percentile(&mut times, 99),
            "µs",
        ),
        Figure::new(
            "seen_by_another_process missed",
            crate::measure::float(missed),
            "",
        )
        .goal(Goal::Below(1.0)),
    ])
}
