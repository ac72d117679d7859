//! One memory by its id, from a store of a hundred thousand.

use mnemon::store::Filter;

use crate::Result;
use crate::benches::Bench;
use crate::corpus::Random;
use crate::measure::{micros, percentile, time};
use crate::place::{self, Place, caller};
use crate::report::{Figure, Goal};

pub(super) const BENCH: Bench = Bench {
    name: "get_by_id",
    question: "how long does one memory take, of a hundred thousand?",
    run,
};

fn run(place: &Place) -> Result<Vec<Figure>> {
    let engine = place::open(place.large()?)?;
    let mut filter = Filter::all(0);
    filter.limit = place.scaled(20_000);
    let ids: Vec<_> = engine
        .list(&caller(), &filter)?
        .memories
        .into_iter()
        .map(|memory| memory.id)
        .collect();
    let mut random = Random(1);
    let mut times = Vec::new();
    for _ in 0..place.scaled(50_000) {
        let id = &ids[random.index(ids.len())];
        let (duration, _) = time(|| Ok(engine.get(&caller(), id.as_str(), None)?))?;
        times.push(micros(duration));
    }
    let p50 = percentile(&mut times, 50);
    let p99 = percentile(&mut times, 99);
    Ok(vec![
        Figure::new("get_by_id p50", p50, "µs").goal(Goal::Below(50.0)),
        Figure::new("get_by_id p99", p99, "µs"),
    ])
}
