//! Accesses that were counted raise a memory, where the model says so.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

use std::sync::Arc;

use mnemon::clock::Clock;
use mnemon::decay::Model;
use mnemon::memory::{Draft, Kind, Space};
use mnemon::recall::{Query, Question};
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::store::{Filter, Sort};
use mnemon::{Caller, Config, Mnemon, Time};
use tempfile::TempDir;

const WEEK_MICROS: i64 = 168 * 3_600_000_000;

/// A store with two turns that are a week old, asked by this model.
fn week_old_turns(folder: &TempDir, model: Model) -> (Mnemon, Caller) {
    let mut config = Config::default();
    config.decay.model = model;
    let store = LocalStore::create(folder.path(), LocalOptions::from(&config)).unwrap();
    let now: Time = "2026-01-10T12:00:00Z".parse().unwrap();
    let mnemon = Mnemon::new(Arc::new(store), config)
        .with_sources(Clock::fixed_at(now), Arc::new(|| [7; 10]));
    let me = Caller::user("ada");
    for id in ["often", "never"] {
        let mut draft = Draft::new(Kind::Conversation, "tea or coffee".parse().unwrap());
        draft.id = Some(id.parse().unwrap());
        draft.created_at = Some(Time::from_micros(now.micros() - WEEK_MICROS).unwrap());
        mnemon.remember(&me, &Space::Shared, draft).unwrap();
    }
    for _ in 0..3 {
        mnemon.get(&me, "often", None).unwrap();
    }
    mnemon.flush(&me).unwrap();
    (mnemon, me)
}

#[test]
fn accesses_raise_a_memory_where_the_model_says_so() {
    // Half-life: 2^-1. Boosted: 2^-1 × (1 + 0.1 × accesses + 0.2 × 0.5).
    // Priority: e^(-0.05 × days without access) × e^(-0.07) + 0.01 × accesses.
    for (model, often, never) in [
        (Model::HalfLife, 0.5, 0.5),
        (Model::Boosted, 0.7, 0.55),
        (Model::Priority, 0.932_394 + 0.03, 0.704_688 * 0.932_394),
    ] {
        let folder = TempDir::new().unwrap();
        let (mnemon, me) = week_old_turns(&folder, model);
        for (id, expected) in [("often", often), ("never", never)] {
            let memory = mnemon.find(&me, id, None).unwrap();
            let factor = mnemon.fade(&memory).unwrap().factor;
            assert!((factor - expected).abs() < 1e-5, "{model:?} {id}: {factor}");
        }
        // Ranked, filtered and ordered by the same numbers.
        if model == Model::HalfLife {
            continue;
        }
        let filter = Filter::all(mnemon.now().micros());
        let query = Query::new(Question::parse("tea").unwrap(), filter.clone());
        let first = &mnemon.recall(&me, &query).unwrap().hits[0];
        assert_eq!(first.memory.id.as_str(), "often", "{model:?}");
        let sorted = Filter {
            sort: Sort::Priority,
            ..filter.clone()
        };
        let listed = mnemon.list(&me, &sorted).unwrap().memories;
        assert_eq!(listed[0].id.as_str(), "often", "{model:?}");
        let between = match model {
            Model::Boosted => 0.5 * 0.6,
            _ => 0.8,
        };
        let left = Filter {
            min_priority: Some(between),
            ..filter
        };
        assert_eq!(mnemon.list(&me, &left).unwrap().total, 1, "{model:?}");
    }
}
