//! Questions: whatever is typed gets an answer or a clear refusal, in time,
//! and pages fit together.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

use std::collections::BTreeSet;
use std::time::Duration;

use mnemon::embed::BuiltIn;
use mnemon::engine::NewSession;
use mnemon::memory::{Draft, Kind, Space};
use mnemon::recall::{self, Hit, Mode, Profile, Query, Question};
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::store::{Filter, Sort, Store};
use mnemon::{Caller, Code, Config, Mnemon, Result};
use proptest::prelude::*;
use std::sync::Arc;
use tempfile::TempDir;

/// More than are looked at closely for a first page.
const MEMORIES: usize = 420;

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
    for number in 0..MEMORIES {
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

fn query(mnemon: &Mnemon, text: &str) -> Result<Query> {
    let filter = Filter::all(mnemon.now().micros());
    Ok(Query::new(Question::parse(text)?, filter))
}

fn ids(mnemon: &Mnemon, query: &Query) -> Result<Vec<String>> {
    let recalled = mnemon.recall(&Caller::user("ada"), query)?;
    let hits = recalled.hits.iter();
    Ok(hits.map(|hit| hit.memory.id.to_string()).collect())
}

fn ask(mnemon: &Mnemon, text: &str, limit: usize, offset: usize) -> Result<Vec<String>> {
    let mut query = query(mnemon, text)?;
    query.filter.limit = limit;
    query.filter.offset = offset;
    ids(mnemon, &query)
}

#[test]
fn pages_fit_together() {
    let (_folder, _store, mnemon) = stage();
    let profiles = Profile::ALL.map(|(_, profile)| (Mode::Hybrid, profile, None));
    let others = [
        (Mode::Text, Profile::Balanced, None),
        (Mode::Semantic, Profile::Balanced, Some(0.1)),
        (Mode::Hybrid, Profile::Balanced, Some(0.3)),
    ];
    for (mode, profile, min_similarity) in profiles.into_iter().chain(others) {
        for question in ["token for the login", "what is needed in the garden?", "*"] {
            if question == "*" && min_similarity.is_some() {
                // Where nothing is asked, nothing is similar.
                continue;
            }
            let page = |limit: usize, offset: usize| {
                let mut query = query(&mnemon, question).unwrap();
                (query.mode, query.profile) = (mode, profile);
                query.min_similarity = min_similarity;
                (query.filter.limit, query.filter.offset) = (limit, offset);
                ids(&mnemon, &query).unwrap()
            };
            let about = format!("{question} by {mode:?} and {profile:?}");
            let whole = page(1000, 0);
            assert!(whole.len() > 100, "{about}: {}", whole.len());
            let once: BTreeSet<&String> = whole.iter().collect();
            assert_eq!(once.len(), whole.len(), "{about}");
            for size in [7, 30, 130] {
                let pages: Vec<String> = (0..whole.len())
                    .step_by(size)
                    .flat_map(|offset| page(size, offset))
                    .collect();
                assert_eq!(pages, whole, "{about} in pages of {size}");
            }
        }
    }
}

#[test]
fn by_meaning_alone_the_nearest_come_first_however_many_are_asked_for() {
    let (_folder, _store, mnemon) = stage();
    let mut query = query(&mnemon, "what is needed in the garden?").unwrap();
    (query.mode, query.min_similarity) = (Mode::Semantic, Some(0.1));
    query.filter.limit = 1000;
    let recalled = mnemon.recall(&Caller::user("ada"), &query).unwrap();
    let cosines: Vec<f64> = recalled.hits.iter().filter_map(|hit| hit.cosine).collect();
    assert!(cosines.len() > 100, "{}", cosines.len());
    assert!(cosines.is_sorted_by(|a, b| a >= b), "{cosines:?}");
    let held_back = recalled.hits.iter().flat_map(|hit| &hit.why);
    assert_eq!(held_back.filter(|part| part.name == "behind").count(), 0);
}

#[test]
fn scores_never_rise_down_the_list() {
    let (_folder, _store, mnemon) = stage();
    for (_, profile) in Profile::ALL {
        let mut query = query(&mnemon, "token for the login").unwrap();
        query.profile = profile;
        query.filter.limit = 1000;
        let recalled = mnemon.recall(&Caller::user("ada"), &query).unwrap();
        let scores = recalled.hits.iter().map(|hit| hit.score);
        assert!(scores.is_sorted_by(|a, b| a >= b), "{profile:?}");
    }
}

#[test]
fn in_another_order_come_only_those_that_answer() {
    let (_folder, _store, mnemon) = stage();
    let mut query = query(&mnemon, "boat").unwrap();
    query.sort = Some(Sort::Oldest);
    query.filter.limit = 1000;
    let recalled = mnemon.recall(&Caller::user("ada"), &query).unwrap();
    let near = |hit: &Hit| hit.similarity.is_some_and(|own| own >= 0.6);
    let fits = |hit: &Hit| hit.memory.text.as_str().contains("boat") || near(hit);
    assert!(recalled.hits.iter().all(fits));
    assert!(recalled.hits.len() >= MEMORIES / 6 && recalled.hits.len() < MEMORIES);
    assert_eq!(recalled.total, recalled.hits.len() as u64);
    let times = recalled
        .hits
        .iter()
        .map(|hit| hit.memory.created_at.micros());
    assert!(times.is_sorted());
}

#[test]
fn what_nothing_speaks_for_is_no_answer() {
    let folder = TempDir::new().unwrap();
    let store = Arc::new(LocalStore::create(folder.path(), LocalOptions::default()).unwrap());
    let mnemon = Mnemon::new(store, Config::default());
    let text = "The deploy key rotates every month".parse().unwrap();
    let draft = Draft::new(Kind::Fact, text);
    mnemon
        .remember(&Caller::user("ada"), &Space::Shared, draft)
        .unwrap();
    let hits = |question: &str| ask(&mnemon, question, 10, 0).unwrap().len();
    assert_eq!(hits("which database"), 0);
    assert_eq!(hits("boat trip"), 0);
    assert_eq!(hits("credentials"), 1, "another word for a key");
    assert_eq!(hits("what rotates"), 1);
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
    let all = Filter {
        patience: Some(Duration::ZERO),
        ..Filter::all(0)
    };
    for question in ["token", "*"] {
        let query = Query::new(Question::parse(question).unwrap(), all.clone());
        let error = recall::recall(&*store, &BuiltIn::new(), None, &query).unwrap_err();
        assert_eq!(error.code(), Code::QueryTimeout, "{question}");
    }
    for sort in [Sort::Newest, Sort::Importance, Sort::Priority] {
        let sorted = Filter {
            sort,
            ..all.clone()
        };
        let error = store.select(&sorted).unwrap_err();
        assert_eq!(error.code(), Code::QueryTimeout, "{sort:?}");
    }
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

#[test]
fn a_question_with_a_tag_goes_to_what_a_list_shows_with_it() {
    let (_folder, store, mnemon) = stage();
    let me = Caller::user("ada");
    let mut kept = Vec::new();
    // Some are filed, some are not; some are forgotten.
    for number in 0..130 {
        let tag = ["app", "app.web", "apple", "app-web", "tool"][number % 5];
        let text = format!("The anchor needs a {tag}");
        let mut draft = Draft::new(Kind::Fact, text.parse().unwrap());
        draft.tags = vec![tag.parse().unwrap(), "all".parse().unwrap()];
        kept.push(mnemon.remember(&me, &Space::Shared, draft).unwrap().id);
    }
    let shown = |filter: &Filter| -> BTreeSet<String> {
        let found = store.select(filter).unwrap().memories;
        found.iter().map(|memory| memory.id.to_string()).collect()
    };
    let mut query = query(&mnemon, "anchor").unwrap();
    query.filter.limit = 1000;
    let everything = store.select(&query.filter).unwrap().memories;
    let tenth: Vec<_> = everything
        .into_iter()
        .filter(|memory| kept.iter().step_by(10).any(|id| *id == memory.id))
        .collect();
    mnemon.forget(&me, &tenth, "no more").unwrap();
    for (tag, expected) in [("app", 39), ("app.web", 26), ("all", 117), ("ap", 0)] {
        query.filter.tags = vec![tag.parse().unwrap()];
        for mode in [Mode::Hybrid, Mode::Text] {
            query.mode = mode;
            let found: BTreeSet<String> = ids(&mnemon, &query).unwrap().into_iter().collect();
            assert_eq!(found, shown(&query.filter), "{tag} {mode:?}");
            assert_eq!(found.len(), expected, "{tag} {mode:?}");
        }
    }
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
