//! Sixteen agents in one process, as in a server.

use std::thread;

use mnemon::Mnemon;
use mnemon::memory::{Draft, Space};

use crate::Result;
use crate::benches::Bench;
use crate::corpus::Corpus;
use crate::limit::beside_raw;
use crate::measure::{rate, time};
use crate::place::{Place, caller, new_session};
use crate::report::{Figure, Goal};

const THREADS: usize = 16;

pub(super) const BENCH: Bench = Bench {
    name: "remember_16_threads",
    question: "how many memories a second do sixteen threads of one process keep?",
    run,
};

fn run(place: &Place) -> Result<Vec<Figure>> {
    let one = rate_with(place, BENCH.name, "threads", 1)?;
    let own = format!("{} own sessions", BENCH.name);
    let own = rate_with(place, &own, "own-sessions", THREADS)?;
    Ok(vec![one.goal(Goal::RatioAtLeast(3.0)), own])
}

/// Sixteen threads that write to so many sessions.
fn rate_with(place: &Place, name: &str, store: &str, sessions: usize) -> Result<Figure> {
    let engine = place.store(store)?;
    let spaces = (0..sessions)
        .map(|session| new_session(&engine, &format!("many-threads-{session}")))
        .collect::<Result<Vec<Space>>>()?;
    let mut corpora: Vec<Corpus> = (0..THREADS)
        .map(|thread| Corpus::seeded(thread as u64))
        .collect();
    let mut other = Corpus::seeded(99);
    for space in &spaces {
        engine.remember(&caller(), space, other.next())?;
    }
    let each = place.scaled(400);
    let raw_count = place.scaled(1000);
    beside_raw(name, place.path(), place.rounds(), raw_count, |_| {
        let work: Vec<_> = corpora.iter_mut().map(|corpus| corpus.take(each)).collect();
        let (duration, ()) = time(|| {
            Ok(thread::scope(|scope| {
                let writers: Vec<_> = work
                    .into_iter()
                    .zip(spaces.iter().cycle())
                    .map(|(drafts, space)| scope.spawn(|| remember_each(&engine, space, drafts)))
                    .collect();
                writers
                    .into_iter()
                    .try_for_each(|writer| writer.join().expect("a writer does not panic"))
            })?)
        })?;
        Ok(rate(THREADS * each, duration))
    })
}

fn remember_each(engine: &Mnemon, space: &Space, drafts: Vec<Draft>) -> mnemon::Result<()> {
    drafts
        .into_iter()
        .try_for_each(|draft| engine.remember(&caller(), space, draft).map(drop))
}
