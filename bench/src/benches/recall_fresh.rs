//! Freshness of search: one process keeps a memory, another asks about it at once.

use mnemon::memory::Draft;

use crate::Result;
use crate::benches::Bench;
use crate::child::Helper;
use crate::measure::{float, median, micros, percentile, time};
use crate::place::{Place, caller, new_session};
use crate::report::{Figure, Goal};

pub(super) const BENCH: Bench = Bench {
    name: "recall_fresh",
    question: "how soon after a write does another process find it by a question?",
    run,
};

fn run(place: &Place) -> Result<Vec<Figure>> {
    // A store of its own: the others are asked, not written to.
    let (root, natural) = place.natural_alone("recall-fresh", 10_000)?;
    let engine = crate::place::open(&root)?;
    let space = new_session(&engine, "fresh")?;
    let mut reader = Helper::start("recall", &root, &[])?;
    let mut echo = Helper::start("echo", &root, &[])?;
    let (mut times, mut limits) = (Vec::new(), Vec::new());
    let mut missed = 0_u64;
    for number in 0..place.scaled(1000) {
        let told = natural.told(number);
        // A word that no other memory has, so that only this one can be meant.
        let text = format!("fresh{number} {}", told.text);
        let draft = Draft::new(told.kind, text.parse()?);
        let kept = engine.remember(&caller(), &space, draft)?;
        let words: Vec<&str> = text.split(' ').take(6).collect();
        let line = format!("{} {}", kept.id, words.join(" "));
        let (duration, answer) = time(|| {
            reader.send(&line)?;
            reader.read()
        })?;
        missed += u64::from(answer != "seen");
        times.push(micros(duration));
        let (duration, _) = time(|| {
            echo.send(&line)?;
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
            ..Figure::new("recall_fresh p50", p50, "µs")
        },
        Figure::new("recall_fresh p99", percentile(&mut times, 99), "µs"),
        Figure::new("recall_fresh missed", float(missed), "").goal(Goal::Below(1.0)),
    ])
}
