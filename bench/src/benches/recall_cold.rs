//! A command that starts, asks one question, and ends; and what it takes of memory and disk.

use std::path::Path;

use crate::Result;
use crate::benches::Bench;
use crate::child::open_and_recall;
use crate::measure::{float, median};
use crate::place::{self, Place, caller};
use crate::report::{Figure, Goal};

pub(super) const BENCH_100K: Bench = Bench {
    name: "recall_cold_100k",
    question: "what does a process cost from its start to its first answer, and what does search take?",
    run: |place| {
        let mut figures = run(place, "100k", 100_000)?;
        figures[0].goal = Some(Goal::Below(200.0));
        Ok(figures)
    },
};

pub(super) const BENCH_1M: Bench = Bench {
    name: "recall_cold_1m",
    question: "the same of a million (with --million)?",
    run: |place| {
        if place.million() {
            run(place, "1m", 1_000_000)
        } else {
            Ok(Vec::new())
        }
    },
};

fn run(place: &Place, size: &str, memories: usize) -> Result<Vec<Figure>> {
    let (root, natural) = place.natural(memories)?;
    let (mut cpu, mut resident) = (Vec::new(), Vec::new());
    for asked in natural.questions(place.rounds()) {
        let start_up = open_and_recall(&root, &asked.text)?;
        cpu.push(start_up.cpu_ms);
        resident.push(start_up.resident_mib);
    }
    let stats = place::open(&root)?.stats(&caller())?;
    let vectors = float(bytes_of_vectors(&root)?);
    let each = |bytes: f64| bytes / float(stats.memories);
    let name = |what: &str| format!("recall_cold_{size} {what}");
    let size = |what: &str| format!("search_{size} {what}");
    Ok(vec![
        Figure::new(name("processor time"), median(&mut cpu), "ms"),
        Figure::new(name("memory"), median(&mut resident), "MiB"),
        Figure::new(size("log"), each(float(stats.log_bytes)), "B/memory"),
        Figure::new(
            size("index without vectors"),
            each(float(stats.index_bytes) - vectors),
            "B/memory",
        ),
        Figure::new(size("vectors"), each(vectors), "B/memory"),
    ])
}

/// The files of vectors below the root.
fn bytes_of_vectors(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            bytes += bytes_of_vectors(&entry.path())?;
        } else if entry
            .path()
            .file_stem()
            .is_some_and(|name| name == "vectors")
        {
            bytes += entry.metadata()?.len();
        }
    }
    Ok(bytes)
}
