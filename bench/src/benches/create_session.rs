//! Making a session: a folder, a log and their names, all made durable.

use crate::Result;
use crate::benches::Bench;
use crate::measure::{millis, percentile, time};
use crate::place::{Place, new_session};
use crate::report::{Figure, Goal};

pub(super) const BENCH: Bench = Bench {
    name: "create_session",
    question: "how long does a new session take?",
    run,
};

fn run(place: &Place) -> Result<Vec<Figure>> {
    let engine = place.store("sessions")?;
    new_session(&engine, "first")?;
    let mut times = Vec::new();
    for number in 0..place.scaled(300) {
        let (duration, _) = time(|| new_session(&engine, &format!("session-{number}")))?;
        times.push(millis(duration));
    }
    let p50 = percentile(&mut times, 50);
    let p95 = percentile(&mut times, 95);
    Ok(vec![
        Figure::new("create_session p50", p50, "ms"),
        Figure::new("create_session p95", p95, "ms").goal(Goal::Below(100.0)),
    ])
}
