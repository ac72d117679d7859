//! Every form of an export gives back what went in, whatever it is; and a
//! damaged or hostile file changes nothing.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

use std::collections::BTreeMap;
use std::sync::Arc;

use mnemon::config::Config;
use mnemon::engine::ImportOptions;
use mnemon::memory::{Limits, MemoryId, SessionId};
use mnemon::store::{Compaction, Store};
use mnemon::{Caller, Mnemon};
use mnemon_testkit::model::ModelStore;
use mnemon_testkit::script::{Step, random};
use mnemon_wire::{ExportFormat, ExportWriter, Format, read_import};
use proptest::prelude::*;
use proptest::test_runner::{Config as Runs, TestRunner};
use serde_json::Value;

const FORMATS: [(ExportFormat, Format); 5] = [
    (ExportFormat::Jsonl, Format::Jsonl),
    (ExportFormat::Json, Format::Json),
    (ExportFormat::Yaml, Format::Yaml),
    (ExportFormat::Markdown, Format::Markdown),
    (ExportFormat::Binary, Format::Binary),
];

fn export(store: &ModelStore, format: ExportFormat) -> Vec<u8> {
    let engine = Mnemon::new(Arc::new(store.clone()), Config::default());
    let me = Caller::user("me");
    let mut sessions = engine.sessions(&me).unwrap();
    sessions.sort_by(|a, b| a.id.cmp(&b.id));
    let mut bytes = Vec::new();
    let mut writer = ExportWriter::new(&mut bytes, format, &sessions, 60).unwrap();
    engine
        .export(&me, &[], &mut |memory| {
            writer.add(&memory).unwrap();
            Ok(())
        })
        .unwrap();
    writer.finish().unwrap();
    bytes
}

/// Compacts every other memory of sessions away, but for what is forgotten.
fn compact_some(store: &ModelStore) {
    let mut by_session: BTreeMap<SessionId, Vec<MemoryId>> = BTreeMap::new();
    store
        .walk(&[], &mut |memory| {
            if let (Some(session), None) = (memory.space.session(), &memory.state.forgotten) {
                let own = by_session.entry(session.clone()).or_default();
                own.push(memory.id);
            }
            Ok(())
        })
        .unwrap();
    for (session, ids) in by_session {
        let compaction = Compaction {
            session,
            by: "me".into(),
            now: "2026-06-01T12:00:00Z".parse().unwrap(),
            reason: "gentle".into(),
            shelve: ids.into_iter().step_by(2).collect(),
            purge: Vec::new(),
            summaries: Vec::new(),
            limits: Limits {
                session_entry_bytes_max: 1 << 20,
                long_term_entry_bytes_max: 1 << 20,
            },
        };
        store.compact(&compaction).unwrap();
    }
}

/// Everything that an export says, without what the store that takes it decides itself.
fn said(store: &ModelStore) -> Vec<Value> {
    let lines = String::from_utf8(export(store, ExportFormat::Jsonl)).unwrap();
    let mut said: Vec<Value> = lines
        .lines()
        .map(|line| {
            let mut value: Value = serde_json::from_str(line).unwrap();
            let map = value.as_object_mut().unwrap();
            for name in ["recorded_at", "updated_at", "version"] {
                map.remove(name);
            }
            let flags = map.get_mut("state").and_then(Value::as_object_mut);
            flags.map(|state| state.remove("flags"));
            // A session that came from elsewhere says twice when it was made.
            let details = map.get_mut("details").and_then(Value::as_object_mut);
            details.map(|details| details.remove("created_at"));
            value
        })
        .collect();
    said.sort_by_key(ToString::to_string);
    said
}

/// What a store that was empty says after an import.
fn taken(bytes: &[u8], format: Format) -> mnemon::Result<Vec<Value>> {
    let store = Arc::new(ModelStore::new());
    let taken = take(&store, bytes, format);
    let said = said(&store);
    if taken.is_err() {
        assert_eq!(said, Vec::<Value>::new(), "what is refused changes nothing");
    }
    taken.map(|()| said)
}

fn take(store: &Arc<ModelStore>, bytes: &[u8], format: Format) -> mnemon::Result<()> {
    let items = read_import(bytes, format, None)?;
    let engine = Mnemon::new(store.clone(), Config::default());
    let me = Caller::user("me");
    engine.import(&me, items, ImportOptions::default(), &mut |_| ())?;
    Ok(())
}

/// The lines of an export, their vectors as long as the model's: the engine takes no others.
fn with_whole_vectors(lines: &[u8]) -> String {
    let lines = std::str::from_utf8(lines).unwrap().lines();
    lines
        .map(|line| {
            let mut value: Value = serde_json::from_str(line).unwrap();
            if let Some(embedding) = value.get_mut("embedding").filter(|own| own.is_array()) {
                let given = embedding.as_array().unwrap().clone();
                let numbers = given.into_iter().chain([1e-7.into(), 0.25.into()]).cycle();
                *embedding = numbers.take(256).collect();
            }
            value.to_string() + "\n"
        })
        .collect()
}

#[test]
fn every_form_gives_back_what_went_in() {
    let mut runner = TestRunner::new(Runs {
        cases: 200,
        failure_persistence: None,
        ..Runs::default()
    });
    runner
        .run(&random::steps(40), |steps| {
            let model = ModelStore::new();
            for step in steps.iter().filter(|step| matches!(step, Step::Write(_))) {
                step.answer(&model);
            }
            // Once through the engine, which fills in what callers leave out.
            let source = Arc::new(ModelStore::new());
            let lines = with_whole_vectors(&export(&model, ExportFormat::Jsonl));
            let first = take(&source, lines.as_bytes(), Format::Jsonl);
            prop_assert!(first.is_ok(), "{first:?}");
            compact_some(&source);
            let expected = said(&source);
            for (way, format) in FORMATS {
                let bytes = export(&source, way);
                for format in [format, Format::Auto] {
                    let found = taken(&bytes, format);
                    prop_assert!(found.is_ok(), "{way:?} as {format:?}: {found:?}");
                    prop_assert_eq!(found.as_ref().map(Vec::len).ok(), Some(expected.len()));
                    for (found, expected) in found.unwrap().iter().zip(&expected) {
                        prop_assert_eq!(found, expected, "{:?}", way);
                    }
                }
            }
            Ok(())
        })
        .unwrap();
}

/// A small store with a bit of everything.
fn sample() -> ModelStore {
    let store = Arc::new(ModelStore::new());
    let lines = concat!(
        r#"{"op":"session","id":"review","details":{"user":"dana","project":"ledger"}}"#,
        "\n",
        r#"{"id":"dec_1","space":"session/review","kind":"decision","text":"Use PostgreSQL\n\n- for the ledger\n# not a heading","tags":["db.choice"],"links":[{"rel":"led_to","to":"f_1"}],"body":{"rationale":"it's known","alternatives":["SQLite","\u0007bell"]}}"#,
        "\n",
        r#"{"id":"f_1","space":"shared","text":"> quoted -->","importance":0.25,"pinned":true,"metadata":{"n":1e-7,"deep":{"a":[[],{}]}}}"#,
        "\n",
    );
    take(&store, lines.as_bytes(), Format::Jsonl).unwrap();
    Arc::into_inner(store).unwrap()
}

#[test]
fn a_binary_export_with_one_bit_changed_or_its_end_cut_off_is_refused() {
    let whole = export(&sample(), ExportFormat::Binary);
    assert!(taken(&whole, Format::Auto).is_ok());
    for place in 0..whole.len() {
        let mut changed = whole.clone();
        changed[place] ^= 1 << (place % 8);
        for format in [Format::Binary, Format::Auto] {
            let error = taken(&changed, format).unwrap_err();
            assert_eq!(error.code().to_string(), "E_INVALID_FORMAT", "byte {place}");
        }
        let error = taken(&whole[..place], Format::Binary).unwrap_err();
        assert_eq!(
            error.code().to_string(),
            "E_INVALID_FORMAT",
            "cut at {place}"
        );
    }
}

#[test]
fn what_repeats_itself_a_million_times_comes_back_too() {
    let store = Arc::new(ModelStore::new());
    let text = "the same again; ".repeat(1 << 16);
    let lines =
        format!("{{\"id\":\"a\",\"text\":\"{text}\"}}\n{{\"id\":\"b\",\"text\":\"{text}\"}}\n");
    take(&store, lines.as_bytes(), Format::Jsonl).unwrap();
    let bytes = export(&store, ExportFormat::Binary);
    assert!(bytes.len() < lines.len() / 100, "{}", bytes.len());
    assert_eq!(taken(&bytes, Format::Auto).unwrap(), said(&store));
    // Between the nine bytes of the form and its checksum zstd finds nothing but what it knows.
    let packed = &bytes[9..bytes.len() - 32];
    let mut unpacked = Vec::new();
    std::io::Read::read_to_end(&mut zstd::Decoder::new(packed).unwrap(), &mut unpacked).unwrap();
    assert!(unpacked.len() > 2 * text.len());
}

#[test]
fn a_small_file_that_unpacks_to_much_more_is_refused() {
    let line = b"{\"text\":\"a\"}\n".repeat(1 << 20);
    let mut bytes = b"\x89MNEMON\n\x01".to_vec();
    bytes.extend(zstd::encode_all(&line[..], 19).unwrap());
    bytes.extend(<sha2::Sha256 as sha2::Digest>::digest(&bytes));
    let error = taken(&bytes, Format::Auto).unwrap_err();
    assert!(error.to_string().contains("holds more"), "{error}");
}

#[test]
fn yaml_that_is_no_plain_data_is_refused_with_its_line() {
    let deep = format!("memories:\n- text: a\n  body: {}", "[".repeat(2000));
    let deep_closed = format!("{deep}{}", "]".repeat(2000));
    let cases = [
        ("memories:\n- &a {text: x}\n- *a\n", 2),
        ("- text: x\n  body: {a: &x 1, b: *x}\n", 2),
        ("- text: !own x\n", 1),
        ("- text: x\n  text: y\n", 2),
        ("- text: x\n  importance: .nan\n", 2),
        ("- text: x\n  ? [a, b]\n  : 1\n", 2),
        ("- text: x\n- text: 'x\n", 2),
        ("- text: x\n - broken\n", 2),
        ("- text: x\n- text: [y]\n", 2),
        (deep.as_str(), 3),
        (deep_closed.as_str(), 3),
    ];
    for (text, line) in cases {
        let error = taken(text.as_bytes(), Format::Yaml).unwrap_err();
        let message = error.to_string();
        let shown: String = text.chars().take(60).collect();
        assert!(
            message.contains(&format!("line {line}:")),
            "{shown:?}: {message}"
        );
        assert!(!error.hint().is_empty());
    }
}

#[test]
fn markdown_that_lost_its_comments_or_its_quotes_is_refused() {
    let whole = String::from_utf8(export(&sample(), ExportFormat::Markdown)).unwrap();
    let without = |part: &str| whole.replace(part, "");
    let cases = [
        (
            "# Memories\n\nnothing of ours".to_owned(),
            "no line begins with",
        ),
        (
            whole.replace("<!-- mnemon {\"author", "{\"author"),
            "no comment",
        ),
        (without("> Use PostgreSQL\n"), ""),
        (whole.replace("> - for", "- for"), "one quote"),
        (
            whole.replace("> quoted", "quoted").replace("\n> ", "\n"),
            "text must be",
        ),
        (whole.replace(" -->\n", "\n"), "does not end on its line"),
    ];
    for (text, says) in cases {
        let found = taken(text.as_bytes(), Format::Markdown);
        match found {
            // A line less is an edit like any other.
            Ok(_) => assert_eq!(says, "", "{text}"),
            Err(error) => assert!(
                !says.is_empty() && error.to_string().contains(says),
                "{error}"
            ),
        }
    }
}

#[test]
fn whatever_befalls_a_file_it_is_taken_whole_or_refused_and_changes_nothing() {
    let texts = FORMATS.map(|(way, format)| (export(&sample(), way), format));
    let runs = Runs {
        cases: 2_000,
        failure_persistence: None,
        ..Runs::default()
    };
    let change = (
        prop::sample::select(vec![0_usize, 1, 2, 3, 4]),
        any::<prop::sample::Index>(),
        0_usize..40,
        prop::collection::vec(any::<u8>(), 0..12),
    );
    TestRunner::new(runs)
        .run(&change, |(which, place, removed, put_in)| {
            let (mut bytes, format) = texts[which].clone();
            let at = place.index(bytes.len());
            let end = (at + removed).min(bytes.len());
            bytes.splice(at..end, put_in);
            for format in [format, Format::Auto] {
                if let Err(error) = taken(&bytes, format) {
                    prop_assert!(!error.to_string().is_empty() && !error.hint().is_empty());
                }
            }
            Ok(())
        })
        .unwrap();
}
