//! Checking every line of a full session, and the index against it.

use crate::Result;
use crate::benches::Bench;
use crate::measure::{median, time};
use crate::place::{self, Place, caller};
use crate::report::Figure;

pub(super) const BENCH: Bench = Bench {
    name: "verify_10mb",
    question: "how long does it take to check a full session?",
    run,
};

fn run(place: &Place) -> Result<Vec<Figure>> {
    let engine = place::open(place.session_10mb()?)?;
    let mut times = Vec::new();
    for _ in 0..place.rounds() {
        let (duration, verification) = time(|| Ok(engine.verify(&caller(), &mut |_| {})?))?;
        if !verification.is_ok() {
            return Err("a sound session was found damaged".into());
        }
        times.push(duration.as_secs_f64());
    }
    Ok(vec![Figure::new(BENCH.name, median(&mut times), "s")])
}
