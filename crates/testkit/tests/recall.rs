//! Questions: whatever is typed gets an answer or a clear refusal, in time,
//! and pages fit together.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

use std::time::Instant;

use mnemon::embed::BuiltIn;
use mnemon::engine::NewSession;
use mnemon::memory::{Draft, Kind, Space};
use mnemon::recall::{self, Mode, Query, Question};
use mnemon::store::Filter;
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::{Caller, Code, Config, Mnemon, Result};
use proptest::prelude::*;
use std::sync::Arc;
use tempfile::TempDir;

/// A store of turns and facts, some searchable by the tables and some pending.
fn stage() -> (TempDir, Arc<LocalStore>, Mnemon) {
    let folder = TempDir::new().unwrap();
    let options = LocalOptions {
        pending_max: 50,
        ..LocalOptions::default()
    };
    let store = Arc::new(LocalStore::create(folder.path(), options).unwrap());
    let mnemon = Mnemon::new(store.clone(), Config::default());
    let me = Caller::user("ada");
    let session = mnemon.create_session(&me, NewSession::default()).unwrap();
    let words = ["token", "login", "database", "invoice", "garden", "boat"];
    for number in 0..120_usize {
        let text = format!(
            "The {} needs a {} by day {number}",
            words[number % 6],
            words[number / 6 % 6]
        );
        let space = if number % 3 == 0 {
            Space::Shared
        } else {
            Space::Session(session.clone())
        };
        let draft = Draft::new(Kind::Conversation, text.parse().unwrap());
        mnemon.remember(&me, &space, draft).unwrap();
    }
    (folder, store, mnemon)
}

fn ask(mnemon: &Mnemon, text: &str, limit: usize, offset: usize) -> Result<Vec<String>> {
    let filter = Filter::all(mnemon.now().micros());
    let mut query = Query::new(Question::parse(text)?, filter);
    query.filter.limit = limit;
    query.filter.offset = offset;
    let recalled = mnemon.recall(&Caller::user("ada"), &query)?;
    Ok(recalled
        .hits
        .iter()
        .map(|hit| hit.memory.id.to_string())
        .collect())
}

#[test]
fn pages_fit_together() {
    let (_folder, _store, mnemon) = stage();
    for question in [
        "token for the login",
        "boat",
        "what is needed in the garden?",
        "*",
    ] {
        let whole = ask(&mnemon, question, 60, 0).unwrap();
        assert!(whole.len() >= 20, "{question}: {}", whole.len());
        for size in [1, 7, 20] {
            let pages: Vec<String> = (0..whole.len())
                .step_by(size)
                .flat_map(|offset| ask(&mnemon, question, size, offset).unwrap())
                .take(whole.len())
                .collect();
            assert_eq!(pages, whole, "{question} in pages of {size}");
        }
    }
}

#[test]
fn limits_of_nothing_and_of_a_million_are_answered() {
    let (_folder, _store, mnemon) = stage();
    assert!(ask(&mnemon, "token", 0, 0).unwrap().is_empty());
    assert!(ask(&mnemon, "token", 10, 1_000_000).unwrap().is_empty());
    assert!(ask(&mnemon, "token", 1_000_000, 0).unwrap().len() > 20);
}

#[test]
fn punctuation_alone_asks_for_nothing() {
    let (_folder, _store, mnemon) = stage();
    for question in ["???", "... !", "👍", "\"\""] {
        assert!(
            ask(&mnemon, question, 10, 0).unwrap().is_empty(),
            "{question}"
        );
    }
}

#[test]
fn a_question_that_takes_too_long_is_given_up() {
    let (_folder, store, _mnemon) = stage();
    let query = Query::new(Question::parse("token").unwrap(), Filter::all(0));
    let error =
        recall::recall(&*store, &BuiltIn::new(), None, &query, Some(Instant::now())).unwrap_err();
    assert_eq!(error.code(), Code::QueryTimeout);
}

#[test]
fn phrases_and_wildcards_are_demanded_of_text_alone() {
    let (_folder, _store, mnemon) = stage();
    let texts = |text: &str| -> Vec<String> {
        let filter = Filter::all(mnemon.now().micros());
        let mut query = Query::new(Question::parse(text).unwrap(), filter);
        query.mode = Mode::Text;
        query.filter.limit = 200;
        let recalled = mnemon.recall(&Caller::user("ada"), &query).unwrap();
        let hits = recalled.hits.iter();
        hits.map(|hit| hit.memory.text.to_string()).collect()
    };
    let phrase = texts("\"boat needs a garden\"");
    assert!(
        !phrase.is_empty()
            && phrase
                .iter()
                .all(|text| text.contains("boat needs a garden"))
    );
    let wild = texts("inv*ce");
    assert!(!wild.is_empty() && wild.iter().all(|text| text.contains("invoice")));
    assert!(texts("\"garden boat needs\"").is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1))]

    /// Thousands of questions to one store: making it takes longer than asking.
    #[test]
    fn whatever_is_typed_is_answered_or_refused(
        questions in prop::collection::vec(prop_oneof![
            any::<String>(),
            "[\"*'() \\-+:^{}\\[\\]a-z]{0,40}",
            "(AND|OR|NOT|NEAR|the|\"|\\*|boat| |\\(|\\)|:|\u{0}|'|;|--|%){1,30}",
            Just("x ".repeat(5_000)),
            Just("\"".repeat(999)),
            Just("* * **** *a* a**b".to_owned()),
        ], 3_000),
    ) {
        let (_folder, _store, mnemon) = stage();
        for question in questions {
            if let Err(error) = ask(&mnemon, &question, 5, 0) {
                prop_assert_eq!(error.code(), Code::InvalidQuery, "{}", question);
            }
        }
    }
}
