//! Compacting a full session: planning, summaries, the archive and the new log.

use mnemon::compact::Reach;

use crate::Result;
use crate::benches::Bench;
use crate::measure::{median, time};
use crate::place::{self, Place, caller};
use crate::report::{Figure, Goal};

pub(super) const BENCH: Bench = Bench {
    name: "compact_10mb",
    question: "how long does it take to compact a full session?",
    run,
};

fn run(place: &Place) -> Result<Vec<Figure>> {
    let engine = place::open(place.session_10mb()?)?;
    let sessions = engine.sessions(&caller())?;
    let session = sessions.first().ok_or("there is no session")?.id.clone();
    let mut times = Vec::new();
    for _ in 0..place.rounds() {
        let compacted = || Ok(engine.compact(&caller(), &session, Reach::Aggressive)?);
        let (duration, report) = time(compacted)?;
        if report.done.is_none() {
            return Err("nothing of a full session could go".into());
        }
        times.push(duration.as_secs_f64());
        engine.bring_back(&caller(), &session, None, "for the next round")?;
    }
    Ok(vec![
        Figure::new(BENCH.name, median(&mut times), "s").goal(Goal::Below(5.0)),
    ])
}
