//! How much of the disk a memory takes.

use crate::Result;
use crate::benches::Bench;
use crate::measure::float;
use crate::place::{self, Place, caller};
use crate::report::Figure;

pub(super) const BENCH: Bench = Bench {
    name: "bytes_per_memory",
    question: "how much of the disk does a memory take?",
    run,
};

fn run(place: &Place) -> Result<Vec<Figure>> {
    let engine = place::open(place.large()?)?;
    // A fresh index; the write-ahead log that it leaves is counted with it.
    engine.reindex(&caller(), &mut |_| {})?;
    let stats = engine.stats(&caller())?;
    let memories = float(stats.memories);
    let log = float(stats.log_bytes) / memories;
    let index = float(stats.index_bytes) / memories;
    Ok(vec![
        Figure::new("bytes_per_memory log", log, "B"),
        Figure {
            limit: Some(log),
            ratio: Some(index / log),
            ..Figure::new("bytes_per_memory index", index, "B")
        },
    ])
}
