//! The questions, in the order of the report. Each has a file of its own.

mod agents;
mod bytes_per_memory;
mod compact_10mb;
mod create_session;
mod get_by_id;
mod life;
mod list;
mod open_100k;
mod rebuild;
mod recall_cold;
mod recall_fresh;
mod recall_hybrid;
mod recall_kinds;
mod redact;
mod remember_16_processes;
mod remember_16_threads;
mod remember_batch_1000;
mod remember_durable;
mod rotate_keys;
mod seen_by_another_process;
mod verify_10mb;

use crate::Result;
use crate::place::Place;
use crate::report::Figure;

/// A question and how it is answered.
pub(crate) struct Bench {
    pub(crate) name: &'static str,
    pub(crate) question: &'static str,
    pub(crate) run: fn(&Place) -> Result<Vec<Figure>>,
}

pub(crate) const ALL: &[Bench] = &[
    remember_durable::BENCH,
    remember_16_threads::BENCH,
    remember_16_processes::BENCH,
    remember_batch_1000::BENCH,
    create_session::BENCH,
    seen_by_another_process::BENCH,
    get_by_id::BENCH,
    list::BENCH,
    open_100k::BENCH,
    rebuild::BENCH_10MB,
    rebuild::BENCH_100K,
    verify_10mb::BENCH,
    compact_10mb::BENCH,
    redact::BENCH,
    life::BENCH,
    rotate_keys::BENCH,
    agents::STORE,
    agents::SEARCH,
    agents::SNAPSHOT,
    agents::CONTEXT,
    agents::CONCURRENT,
    bytes_per_memory::BENCH,
    recall_hybrid::BENCH_1K,
    recall_hybrid::BENCH_10K,
    recall_hybrid::BENCH_100K,
    recall_hybrid::BENCH_1M,
    recall_kinds::BENCH,
    recall_cold::BENCH_100K,
    recall_cold::BENCH_1M,
    recall_fresh::BENCH,
    recall_kinds::BENCH_REBUILD,
];
