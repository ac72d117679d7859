//! Lists with filters, from a store of a hundred thousand.

use mnemon::memory::{Importance, Kind};
use mnemon::store::{Filter, Sort, Status};

use crate::Result;
use crate::benches::Bench;
use crate::measure::{millis, percentile, time};
use crate::place::{self, Place, caller};
use crate::report::{Figure, Goal};

/// The last moment of the corpus, and a week, in microseconds.
const NOW_MICROS: i64 = 1_767_225_600_000_000 + 100_000 * 315_000_000;
const WEEK_MICROS: i64 = 7 * 24 * 3_600_000_000;

pub(super) const BENCH: Bench = Bench {
    name: "list",
    question: "how long does a list take, by what it is asked for?",
    run,
};

fn run(place: &Place) -> Result<Vec<Figure>> {
    let engine = place::open(place.large()?)?;
    let mut figures = Vec::new();
    for (name, filter, goal_ms) in filters()? {
        let mut times = Vec::new();
        for _ in 0..place.scaled(200) {
            let (duration, _) = time(|| Ok(engine.list(&caller(), &filter)?))?;
            times.push(millis(duration));
        }
        let p50 = percentile(&mut times, 50);
        let p95 = percentile(&mut times, 95);
        figures.push(Figure::new(format!("{name} p50"), p50, "ms"));
        figures.push(Figure::new(format!("{name} p95"), p95, "ms").goal(Goal::Below(goal_ms)));
    }
    Ok(figures)
}

fn filters() -> Result<[(&'static str, Filter, f64); 5]> {
    let all = Filter::all(NOW_MICROS);
    let session = Filter {
        spaces: vec!["session/session-042".parse()?],
        ..all.clone()
    };
    let tag = Filter {
        tags: vec!["search.ranking".parse()?],
        ..all.clone()
    };
    let time = Filter {
        since_micros: Some(NOW_MICROS - 20 * WEEK_MICROS),
        until_micros: Some(NOW_MICROS - 19 * WEEK_MICROS),
        ..all.clone()
    };
    let complex = Filter {
        kinds: vec![Kind::Finding, Kind::Decision],
        any_tags: vec!["storage".parse()?, "performance".parse()?],
        not_tags: vec!["queue".parse()?],
        since_micros: Some(NOW_MICROS - 26 * WEEK_MICROS),
        min_importance: Some(Importance::try_from(0.5)?),
        status: Some(Status::Open),
        sort: Sort::Priority,
        ..all.clone()
    };
    Ok([
        ("list_newest", all, 100.0),
        ("list_session", session, 100.0),
        ("list_by_tag", tag, 50.0),
        ("list_by_time", time, 100.0),
        ("list_complex", complex, 200.0),
    ])
}
