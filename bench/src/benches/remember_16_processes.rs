//! Sixteen agents, each with a process of its own: the usual case.

use crate::Result;
use crate::benches::Bench;
use crate::child::Helper;
use crate::limit::beside_raw;
use crate::measure::{rate, time};
use crate::place::{Place, new_session};
use crate::report::{Figure, Goal};

const PROCESSES: usize = 16;

pub(super) const BENCH: Bench = Bench {
    name: "remember_16_processes",
    question: "how many memories a second do sixteen processes keep in one session?",
    run,
};

fn run(place: &Place) -> Result<Vec<Figure>> {
    let root = place.path().join("processes");
    let space = new_session(&place.store("processes")?, "many-processes")?.to_string();
    let mut helpers = (0..PROCESSES)
        .map(|process| Helper::start("write", &root, &[&space, &process.to_string()]))
        .collect::<Result<Vec<_>>>()?;
    let each = place.scaled(200);
    let raw_count = place.scaled(1000);
    let figure = beside_raw(BENCH.name, place.path(), place.rounds(), raw_count, |_| {
        let (duration, ()) = time(|| {
            for helper in &mut helpers {
                helper.send(&each.to_string())?;
            }
            for helper in &mut helpers {
                match helper.read()?.as_str() {
                    "done" => {}
                    other => return Err(format!("a writer said {other:?}").into()),
                }
            }
            Ok(())
        })?;
        Ok(rate(PROCESSES * each, duration))
    })?;
    helpers.into_iter().try_for_each(Helper::finish)?;
    Ok(vec![figure.goal(Goal::RatioAtLeast(1.5))])
}
