//! A store of a hundred full sessions, and what the life of one of them takes.

use std::sync::Arc;

use mnemon::config::{Config, Durability};
use mnemon::engine::MaintainOptions;
use mnemon::memory::SessionId;
use mnemon::recall::{Query, Question};
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::store::{Filter, OnFull};
use mnemon::{Mnemon, memory::Draft};

use crate::Result;
use crate::benches::Bench;
use crate::corpus::natural::Natural;
use crate::measure::{float, median, millis, time};
use crate::place::{Place, caller, new_session};
use crate::report::{Figure, Goal};

pub(super) const BENCH: Bench = Bench {
    name: "life_100_sessions",
    question: "how does a store of a hundred full sessions behave (with --million)?",
    run,
};

/// Nearly what a session holds by default.
const SESSION_BYTES: u64 = 95 * (10 << 20) / 100;
const SESSIONS: usize = 100;
const CHUNK: usize = 1000;
/// More memories than a session can hold.
const POSITIONS: usize = 50_000;

fn run(place: &Place) -> Result<Vec<Figure>> {
    if !place.million() {
        return Ok(Vec::new());
    }
    let root = place.path().join("life");
    let options = LocalOptions {
        durability: Durability::Os,
        ..LocalOptions::default()
    };
    let store = LocalStore::create(&root, options)?;
    let mut config = Config::default();
    config.compaction.enabled = false;
    let engine = Mnemon::new(Arc::new(store), config);
    let sessions: Vec<SessionId> = (0..SESSIONS)
        .map(|number| fill(&engine, number))
        .collect::<Result<_>>()?;
    let me = caller();
    let mut figures = Vec::new();
    let mut figure = |name: &str, milliseconds: f64, goal: Option<f64>| {
        figures.push(Figure {
            goal: goal.map(Goal::Below),
            ..Figure::new(format!("life {name}"), milliseconds, "ms")
        });
    };
    let (duration, listed) = time(|| Ok(engine.sessions(&me)?))?;
    let bytes: u64 = listed
        .iter()
        .map(|session| session.activity.log_bytes)
        .sum();
    figure("session list", millis(duration), None);
    let natural = Natural::of(100_000);
    let mut times = Vec::new();
    for asked in natural.questions(40) {
        let filter = Filter::all(Natural::now_micros());
        let query = Query::new(Question::parse(&asked.text)?, filter);
        let (duration, _) = time(|| Ok(engine.recall(&me, &query)?))?;
        times.push(millis(duration));
    }
    figure("recall over all p50", median(&mut times), None);
    let (duration, _) = time(|| Ok(engine.maintain(&me, &MaintainOptions::default())?))?;
    figure("maintain", millis(duration), None);
    let (duration, _) = time(|| Ok(engine.archive_session(&me, &sessions[0], None)?))?;
    figure("archive a session", millis(duration), Some(10_000.0));
    let (duration, _) = time(|| Ok(engine.restore_session(&me, &sessions[0])?))?;
    figure("restore a session", millis(duration), None);
    let (duration, _) = time(|| Ok(engine.delete_session(&me, &sessions[1], "bench")?))?;
    figure("delete a session", millis(duration), Some(100.0));
    let (duration, _) = time(|| Ok(engine.undelete_session(&me, &sessions[1], "bench")?))?;
    figure("undelete a session", millis(duration), None);
    figures.push(Figure::new("life logs", float(bytes) / 1e6, "MB"));
    Ok(figures)
}

fn fill(engine: &Mnemon, number: usize) -> Result<SessionId> {
    let name = format!("life-{number}");
    let space = new_session(engine, &name)?;
    let natural = Natural::of(SESSIONS * POSITIONS);
    let mut position = number * POSITIONS;
    loop {
        let drafts: Vec<Draft> = (position..position + CHUNK)
            .map(|position| natural.told(position).draft())
            .collect();
        position += CHUNK;
        engine.remember_all(&caller(), &space, drafts, OnFull::Refuse)?;
        let id: SessionId = name.parse()?;
        let bytes = engine.session(&caller(), &id)?.activity.log_bytes;
        // Another thousand would be too much.
        if bytes + (CHUNK as u64) * 700 > SESSION_BYTES {
            return Ok(id);
        }
    }
}
