//! A command that starts, asks for one memory, and ends.

use mnemon::store::Filter;

use crate::Result;
use crate::benches::Bench;
use crate::child::open_and_get;
use crate::measure::median;
use crate::place::{self, Place, caller};
use crate::report::{Figure, Goal};

pub(super) const BENCH: Bench = Bench {
    name: "open_100k",
    question: "what does a process cost from its start to its first answer?",
    run,
};

fn run(place: &Place) -> Result<Vec<Figure>> {
    let root = place.large()?;
    let id = {
        let filter = Filter {
            limit: 1,
            offset: place.scaled(50_000),
            ..Filter::all(0)
        };
        let page = place::open(root)?.list(&caller(), &filter)?;
        page.memories
            .first()
            .ok_or("the store is empty")?
            .id
            .clone()
    };
    let (mut cpu, mut resident) = (Vec::new(), Vec::new());
    for _ in 0..place.rounds() * 5 {
        let start_up = open_and_get(root, id.as_str())?;
        cpu.push(start_up.cpu_ms);
        resident.push(start_up.resident_mib);
    }
    Ok(vec![
        Figure::new("open_100k processor time", median(&mut cpu), "ms").goal(Goal::Below(30.0)),
        Figure::new("open_100k memory", median(&mut resident), "MiB").goal(Goal::Below(60.0)),
    ])
}
