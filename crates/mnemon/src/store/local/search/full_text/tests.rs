//! The full text beside the plain truth: every document, looked at one by one.

use std::collections::BTreeMap;

use proptest::prelude::*;
use rusqlite::Connection;

use super::*;
use crate::memory::{Draft, Kind};
use crate::recall::Document;
use crate::recall::probe::Term;

#[derive(Clone, Debug)]
enum Step {
    /// So many new memories.
    Fill(Vec<String>),
    /// Some memories say something else, or nothing any more.
    Change(Vec<(u8, Option<String>)>),
    Merge,
    Scrub,
}

/// Few words, so that they meet.
fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "auth",
        "author",
        "authors",
        "running",
        "runs",
        "the",
        "東京都",
        "Café",
        "x86",
        "a",
    ]);
    prop::collection::vec(word, 1..8).prop_map(|words| words.join(" "))
}

fn step() -> impl Strategy<Value = Step> {
    let change = (any::<u8>(), prop::option::weighted(0.7, text()));
    prop_oneof![
        6 => prop::collection::vec(text(), 1..4).prop_map(Step::Fill),
        3 => prop::collection::vec(change, 1..4).prop_map(Step::Change),
        1 => Just(Step::Merge),
        1 => Just(Step::Scrub),
    ]
}

fn document(text: &str) -> Document {
    let mut draft = Draft::new(Kind::Fact, text.parse().unwrap());
    draft.tags = vec!["auth.runs".parse().unwrap()];
    let at = crate::Time::from_micros(0).unwrap();
    let id = "fact_1".parse().unwrap();
    Document::of(&draft.into_memory(id, "shared".parse().unwrap(), None, at))
}

fn terms() -> Vec<Term> {
    let stem = |it: &str| Term::Stem(it.into());
    let phrase = |it: &[&str]| Term::Phrase(it.iter().map(ToString::to_string).collect());
    let pattern = |it: &str| Term::Pattern(it.into());
    vec![
        stem("auth"),
        stem("author"),
        stem("run"),
        stem("cafe"),
        stem("東京"),
        stem("nothing"),
        phrase(&["auth", "run"]),
        phrase(&["a", "a"]),
        phrase(&["the", "author", "run"]),
        phrase(&["東京", "京都"]),
        pattern("auth*"),
        pattern("*s"),
        pattern("r*n*"),
        pattern("*"),
        pattern("京*"),
        pattern("zz*"),
        Term::Name {
            word: "author".into(),
            stem: "author".into(),
        },
    ]
}

fn empty() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    let tables = crate::store::local::search::TABLES.concat();
    connection.execute_batch(&tables).unwrap();
    connection
}

fn fill(connection: &Connection, told: &BTreeMap<u32, Option<Document>>) {
    let mut words = Words::default();
    for (n, document) in told {
        words.take_out(*n);
        if let Some(document) = document {
            words.put_in(*n, document);
        }
    }
    words.sorted().write(connection).unwrap();
    merge_if_due(connection).unwrap();
}

fn check(connection: &Connection, segments: &Segments, truth: &BTreeMap<u32, Document>) {
    for term in terms() {
        let counts = truth.iter();
        let counts = counts.map(|(n, document)| (*n, document.occurrences(&term)));
        let expected: Vec<Posting> = counts.filter(|(_, count)| *count > 0).collect();
        let found = segments.postings(connection, &term).unwrap();
        assert_eq!(found, expected, "{term:?}");
    }
    let last = truth.keys().max().copied().unwrap_or(0);
    for n in 0..last + 2 {
        assert_eq!(segments.have(n), truth.contains_key(&n), "{n}");
    }
    segments.check(connection).unwrap();
}

proptest! {
    #[test]
    fn the_segments_say_what_the_documents_say(steps in prop::collection::vec(step(), 1..40)) {
        let connection = empty();
        let mut truth: BTreeMap<u32, Document> = BTreeMap::new();
        let mut last = 0;
        let mut segments = Segments::default();
        for step in steps {
            let told: BTreeMap<u32, Option<Document>> = match step {
                Step::Fill(texts) => (last + 1..).zip(texts.iter().map(|text| Some(document(text)))).collect(),
                Step::Change(_) if last == 0 => continue,
                Step::Change(changes) => changes
                    .into_iter()
                    .map(|(which, text)| (1 + u32::from(which) % last, text.as_deref().map(document)))
                    .collect(),
                Step::Merge => {
                    while merge_a_piece(&connection).unwrap() {}
                    BTreeMap::new()
                }
                Step::Scrub => {
                    scrub(&connection).unwrap();
                    BTreeMap::new()
                }
            };
            if !told.is_empty() {
                fill(&connection, &told);
                last = last.max(*told.keys().max().unwrap());
                for (n, document) in told {
                    match document {
                        Some(document) => drop(truth.insert(n, document)),
                        None => drop(truth.remove(&n)),
                    }
                }
            }
            segments = Segments::read(&connection, &segments).unwrap();
            check(&connection, &segments, &truth);
        }
    }
}

/// Every byte of the tables, to look for what should be gone.
fn bytes_of(connection: &Connection) -> Vec<u8> {
    let mut all = Vec::new();
    for sql in ["SELECT directory FROM segments", "SELECT words FROM blocks"] {
        let mut statement = connection.prepare(sql).unwrap();
        let blobs = statement.query_map([], |row| row.get::<_, Vec<u8>>(0));
        all.extend(blobs.unwrap().flat_map(Result::unwrap));
    }
    all
}

#[test]
fn after_scrubbing_no_word_is_left_that_was_taken_out() {
    let connection = empty();
    let told = |n: u32, text: Option<&str>| BTreeMap::from([(n, text.map(document))]);
    fill(&connection, &told(1, Some("canary sings")));
    fill(&connection, &told(2, Some("others stay")));
    fill(&connection, &told(1, None));
    let is_there = || {
        let bytes = bytes_of(&connection);
        let there = |word: &[u8]| bytes.windows(word.len()).any(|it| it == word);
        (there(b"canari"), there(b"stay"))
    };
    assert_eq!(is_there(), (true, true));
    scrub(&connection).unwrap();
    assert_eq!(is_there(), (false, true));
}

#[test]
fn a_word_that_thousands_have_is_found_in_all_of_them_at_every_size() {
    let connection = empty();
    let mut truth = BTreeMap::new();
    let common = document("auth runs runs");
    for first in (1_u32..).step_by(400).take(20) {
        let told = first..first + 400;
        truth.extend(told.clone().map(|n| (n, common.clone())));
        fill(
            &connection,
            &told.map(|n| (n, Some(common.clone()))).collect(),
        );
    }
    let segments = Segments::read(&connection, &Segments::default()).unwrap();
    assert!(segments.list.len() < 8, "{}", segments.list.len());
    check(&connection, &segments, &truth);
    while merge_a_piece(&connection).unwrap() {}
    let segments = Segments::read(&connection, &segments).unwrap();
    assert_eq!(segments.list.len(), 1);
    check(&connection, &segments, &truth);
}

#[test]
fn a_changed_byte_is_noticed_by_a_check_wherever_it_is() {
    let connection = empty();
    let told = (1..60).map(|n| (n, Some(document(&format!("word{n} auth runs")))));
    fill(&connection, &told.collect());
    for (table, column) in [("segments", "directory"), ("blocks", "words")] {
        let read = format!("SELECT n, {column} FROM {table} LIMIT 1");
        let (n, bytes): (i64, Vec<u8>) = connection
            .query_row(&read, [], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        let write = format!("UPDATE {table} SET {column} = ?2 WHERE n = ?1");
        let sound = || {
            Segments::read(&connection, &Segments::default())
                .and_then(|segments| segments.check(&connection))
                .is_ok()
        };
        for place in (0..bytes.len()).step_by(3) {
            let mut changed = bytes.clone();
            changed[place] ^= 4;
            connection
                .execute(&write, rusqlite::params![n, changed])
                .unwrap();
            assert!(!sound(), "{table} at {place}");
        }
        connection
            .execute(&write, rusqlite::params![n, bytes])
            .unwrap();
        assert!(sound());
    }
}
