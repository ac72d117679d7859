//! What each tier includes, and how much long-term memory there is.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

use std::sync::Arc;

use mnemon::config::Durability;
use mnemon::context::ContextRequest;
use mnemon::engine::{Filling, NewSession};
use mnemon::memory::{Draft, Kind, Space};
use mnemon::recall::similar::SimilarOptions;
use mnemon::recall::{Mode, Query, Question};
use mnemon::store::Filter;
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::{Caller, Config, Mnemon, Tier};

struct Desk {
    _folder: tempfile::TempDir,
    engine: Mnemon,
}

fn desk(tier: Tier) -> Desk {
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config {
        tier,
        ..Config::default()
    };
    config.storage.durability = Durability::Os;
    config.privacy.redact = Vec::new();
    let store = LocalStore::create(folder.path(), LocalOptions::from(&config)).unwrap();
    Desk {
        engine: Mnemon::new(Arc::new(store), config),
        _folder: folder,
    }
}

fn ada() -> Caller {
    Caller::agent("ada".parse().unwrap())
}

fn own() -> Space {
    Space::Agent("ada".parse().unwrap())
}

fn fact(text: &str) -> Draft {
    Draft::new(Kind::Fact, text.parse().unwrap())
}

fn ask(mode: Mode) -> Query {
    let everything = Filter::all(0);
    Query {
        mode,
        ..Query::new(Question::parse("theme").unwrap(), everything)
    }
}

#[test]
fn long_term_memory_needs_writer_pro_and_the_refusal_names_both_tiers() {
    let Desk { engine, .. } = &desk(Tier::Core);
    engine
        .remember(&ada(), &Space::Shared, fact("dark theme"))
        .unwrap();
    let refused = engine
        .remember(&ada(), &own(), fact("dark theme"))
        .unwrap_err();
    assert_eq!(refused.code().as_str(), "E_LICENSE");
    assert_eq!(
        refused.to_string(),
        "long-term memory needs the tier writer_pro, and the tier is core"
    );
    let filter = Filter {
        spaces: vec![own()],
        ..Filter::all(0)
    };
    let refused = engine.list(&ada(), &filter).unwrap_err();
    assert_eq!(refused.code().as_str(), "E_LICENSE");

    // What is included is not held up by what is not.
    let session = engine
        .create_session(&ada(), NewSession::default())
        .unwrap();
    let request = ContextRequest {
        topic: Some("theme".into()),
        ..ContextRequest::new(session)
    };
    let pack = engine.context(&ada(), &request, str::len).unwrap();
    assert_eq!(pack.items.len(), 1);

    let pro = Caller {
        tier: Some(Tier::WriterPro),
        ..ada()
    };
    engine.remember(&pro, &own(), fact("dark theme")).unwrap();
    assert_eq!(engine.list(&pro, &filter).unwrap().total, 1);
}

#[test]
fn search_by_meaning_needs_teams_and_words_answer_before_that() {
    let Desk { engine, .. } = &desk(Tier::WriterPro);
    let kept = engine.remember(&ada(), &own(), fact("dark theme")).unwrap();
    let refused = engine.recall(&ada(), &ask(Mode::Semantic)).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "search by meaning needs the tier teams, and the tier is writer_pro"
    );
    let memory = engine.get(&ada(), kept.id.as_str(), None).unwrap();
    let options = SimilarOptions::new(Filter::all(0));
    let refused = engine.similar(&ada(), &memory, &options).unwrap_err();
    assert_eq!(refused.code().as_str(), "E_LICENSE");

    let recalled = engine.recall(&ada(), &ask(Mode::Hybrid)).unwrap();
    assert_eq!(recalled.hits.len(), 1);
    assert_eq!(
        recalled.notes[0].to_string(),
        "found by words alone, because the tier writer_pro does not include search by meaning"
    );
    let teams = Caller {
        tier: Some(Tier::Teams),
        ..ada()
    };
    let recalled = engine.recall(&teams, &ask(Mode::Semantic)).unwrap();
    assert_eq!(recalled.hits.len(), 1);
    assert!(recalled.notes.is_empty());
}

#[test]
fn long_term_memory_warns_at_80_percent_and_is_refused_when_it_is_full() {
    let Desk { engine, .. } = &desk(Tier::WriterPro);
    let large = "remember this ".repeat(700_000);
    let mut warnings = Vec::new();
    let refused = loop {
        match engine.remember(&ada(), &own(), fact(&large)) {
            Ok(kept) => warnings.push(kept.filling),
            Err(refused) => break refused,
        }
    };
    // Each takes a little more than 9.8 MB of 104.86.
    assert_eq!(warnings.len(), 10);
    let warned: Vec<u64> = warnings.iter().flatten().map(Filling::percent).collect();
    assert_eq!(warned, [84, 93]);
    let words = warnings[9].as_ref().unwrap().to_string();
    assert!(words.contains("(93 %, tier writer_pro)"), "{words}");

    assert_eq!(refused.code().as_str(), "E_QUOTA");
    let words = refused.to_string();
    assert!(
        words.contains("the limit is 104857600 (tier writer_pro)"),
        "{words}"
    );
    // Small things still fit, and another agent has room of its own.
    engine
        .remember(&ada(), &own(), fact("a little more"))
        .unwrap();
    let bob = Caller::agent("bob".parse().unwrap());
    let space = Space::Agent("bob".parse().unwrap());
    assert_eq!(
        engine.remember(&bob, &space, fact(&large)).unwrap().filling,
        None
    );
}
