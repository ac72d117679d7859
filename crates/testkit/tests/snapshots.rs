//! What an agent holds, frozen and put back.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::PathBuf;
use std::sync::Arc;

use mnemon::agent::snapshot::Form;
use mnemon::agent::{Desk, Snapshot};
use mnemon::engine::{NewEntry, NewItem, RestoreOptions, SnapshotOptions};
use mnemon::memory::{AgentId, Draft, Importance, Kind, MemoryId, Space};
use mnemon::seal::{Keyring, Source};
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::{Caller, Code, Config, Mnemon};
use mnemon_testkit::{inspect, sealed};
use serde_json::json;

fn agent() -> AgentId {
    "dev".parse().unwrap()
}

fn dev() -> Caller {
    Caller::agent(agent())
}

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

fn hold(engine: &Mnemon, scope: &str, key: &str, value: &str) {
    let new = NewEntry {
        value: json!(value),
        importance: Importance::default(),
        tags: Vec::new(),
        pinned: false,
    };
    let place = (&scope.parse().unwrap(), &key.parse().unwrap());
    engine
        .set_working(&dev(), &agent(), place, new, words)
        .unwrap();
}

fn show(engine: &Mnemon, text: &str, memory: Option<MemoryId>) {
    let item = NewItem {
        text: text.into(),
        priority: None,
        pinned: false,
        memory,
    };
    engine.add_to_window(&dev(), &agent(), item, words).unwrap();
}

fn keep(engine: &Mnemon, text: &str) -> MemoryId {
    let draft = Draft::new(Kind::Fact, text.parse().unwrap());
    engine
        .remember(&dev(), &Space::Agent(agent()), draft)
        .unwrap()
        .id
}

/// An agent in the middle of something.
fn busy(engine: &Mnemon) {
    hold(engine, "", "goal", "green tests");
    hold(engine, "review/one", "file", "parser.rs");
    show(engine, "the user wants it in French", None);
    show(engine, "the build is red", None);
}

fn taken(engine: &Mnemon, form: Form) -> Snapshot {
    let options = SnapshotOptions {
        name: Some("before the rewrite".into()),
        long_term: true,
        metadata: json!({"ticket": 7}).as_object().unwrap().clone(),
    };
    let snapshot = engine.snapshot(&dev(), &agent(), &options).unwrap();
    engine.keep_snapshot(&dev(), &snapshot, form).unwrap();
    snapshot
}

fn clear(engine: &Mnemon) {
    engine
        .clear_working(&dev(), &agent(), &"".parse().unwrap())
        .unwrap();
    engine
        .clear_window(&dev(), &agent(), &mnemon::engine::Clearing::All)
        .unwrap();
}

fn held(desk: &Desk) -> (Vec<String>, Vec<String>) {
    let entries = desk.working.all();
    let values = entries.map(|(scope, key, entry)| format!("{scope}:{key}={}", entry.value));
    let items = desk.window.items().iter().map(|item| item.text.clone());
    (values.collect(), items.collect())
}

#[test]
fn criterion_snapshot_and_scenario_create_and_restore_snapshot() {
    let folder = tempfile::tempdir().unwrap();
    let engine = inspect::open(folder.path());
    busy(&engine);
    let before = held(&engine.desk(&dev(), &agent()).unwrap());
    let snapshot = taken(&engine, Form::Binary);
    assert_eq!(snapshot.tokens, 2 + 1 + 6 + 4);
    clear(&engine);
    hold(&engine, "", "later", "noise");
    let all = RestoreOptions::default();
    let restored = engine
        .restore_snapshot(&dev(), &agent(), &snapshot, all)
        .unwrap();
    assert_eq!((restored.working_entries, restored.window_items), (2, 2));
    assert_eq!(held(&engine.desk(&dev(), &agent()).unwrap()), before);
    let stats = engine.snapshot_stats(&dev(), None).unwrap();
    assert_eq!(
        (
            stats.snapshots,
            stats.taken_last_day,
            stats.restored_last_day
        ),
        (1, 1, 1)
    );
}

#[test]
fn criterion_persist_and_restore_and_scenario_full_persistence_lifecycle() {
    let folder = tempfile::tempdir().unwrap();
    let engine = inspect::open(folder.path());
    busy(&engine);
    let [kept, forgotten] = ["the parser is slow", "we use nextest"].map(|it| keep(&engine, it));
    taken(&engine, Form::Binary);
    clear(&engine);
    let gone = engine.get(&dev(), forgotten.as_str(), None).unwrap();
    engine.forget(&dev(), &[gone], "not needed").unwrap();
    let since = keep(&engine, "written after the snapshot");
    drop(engine);

    // The agent starts again.
    let engine = inspect::open(folder.path());
    let snapshot = engine.find_snapshot(&dev(), "before the rewrite").unwrap();
    let options = RestoreOptions {
        long_term: true,
        ..RestoreOptions::default()
    };
    let restored = engine
        .restore_snapshot(&dev(), &agent(), &snapshot, options)
        .unwrap();
    assert_eq!(restored.unforgotten, vec![forgotten.clone()]);
    assert_eq!(restored.forgotten, vec![since.clone()]);
    assert_eq!(restored.lost, []);
    for (id, is_there) in [(&kept, true), (&forgotten, true), (&since, false)] {
        let memory = engine.find(&dev(), id.as_str(), None).unwrap();
        assert_eq!(memory.state.forgotten.is_none(), is_there, "{id}");
    }
    let (values, items) = held(&engine.desk(&dev(), &agent()).unwrap());
    assert_eq!((values.len(), items.len()), (2, 2));
}

#[test]
fn criterion_export_import_snapshots_can_be_exported_and_imported() {
    let folder = tempfile::tempdir().unwrap();
    let engine = sealed::open(folder.path());
    busy(&engine);
    let snapshot = taken(&engine, Form::Binary);
    for form in [Form::Json, Form::Binary, Form::Encrypted] {
        let bytes = engine
            .export_snapshot(&dev(), snapshot.id.as_str(), form)
            .unwrap();
        let readable = bytes.windows(11).any(|it| it == b"green tests");
        assert_eq!(readable, form == Form::Json, "{form:?}");
        assert_eq!(engine.import_snapshot(&dev(), &bytes).unwrap(), snapshot);
        let other = Caller::agent("other".parse().unwrap());
        let refused = engine.import_snapshot(&other, &bytes).unwrap_err();
        assert_eq!(refused.code(), Code::Forbidden, "{form:?}");
        // The same again changes nothing.
        engine.keep_snapshot(&dev(), &snapshot, form).unwrap();
    }
    assert_eq!(engine.snapshots(&dev(), None, 50).unwrap().len(), 1);
}

#[test]
fn a_snapshot_of_another_agent_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let engine = inspect::open(folder.path());
    busy(&engine);
    let snapshot = taken(&engine, Form::Binary);
    let user = Caller::user("ada");
    let other: AgentId = "other".parse().unwrap();
    let options = RestoreOptions::default();
    for caller in [user, Caller::agent(other.clone())] {
        let refused = engine.restore_snapshot(&caller, &other, &snapshot, options);
        assert_eq!(refused.unwrap_err().code(), Code::Forbidden);
        let desk = engine.desk(&caller, &other).unwrap();
        assert_eq!(desk, Desk::default());
    }
}

#[test]
fn criterion_size_an_encrypted_snapshot_is_hardly_larger_and_survives_a_new_master_key() {
    let folder = tempfile::tempdir().unwrap();
    let engine = sealed::open(folder.path());
    for number in 0..200 {
        hold(
            &engine,
            "many",
            &format!("key-{number}"),
            &format!("value of {number}"),
        );
    }
    let snapshot = taken(&engine, Form::Encrypted);
    let plain = engine.export_snapshot(&dev(), snapshot.id.as_str(), Form::Binary);
    let sealed = engine.export_snapshot(&dev(), snapshot.id.as_str(), Form::Encrypted);
    let [plain, sealed] = [plain, sealed].map(|it| it.unwrap().len());
    assert!(sealed * 10 <= plain * 11, "{sealed} for {plain} bytes");
    let kept = &engine.snapshots(&dev(), None, 50).unwrap()[0];
    assert!(kept.encrypted && kept.bytes * 10 <= plain as u64 * 11);
    // All copies of the values are on the desk itself, which is not sealed.
    clear(&engine);
    assert_eq!(
        inspect::files_with(folder.path(), "value of 17"),
        Vec::<PathBuf>::new()
    );

    let without = sealed::open_without_key(folder.path());
    let refused = without
        .find_snapshot(&dev(), snapshot.id.as_str())
        .unwrap_err();
    assert_eq!(refused.code(), Code::Crypto);
    let user = sealed::me();
    let file = folder.path().with_extension("key");
    engine.rotate_keys_to_file(&user, &file).unwrap();
    drop(engine);
    let refused = sealed::open(folder.path()).find_snapshot(&dev(), snapshot.id.as_str());
    assert_eq!(
        refused.unwrap_err().code(),
        Code::Crypto,
        "the old key opens nothing"
    );
    let options = LocalOptions {
        keyring: Arc::new(Keyring::new(vec![Source::File(file.clone())], false)),
        ..LocalOptions::default()
    };
    let store = LocalStore::open(folder.path(), options).unwrap();
    let engine = Mnemon::new(Arc::new(store), Config::default());
    let found = engine.find_snapshot(&dev(), snapshot.id.as_str());
    assert_eq!(found.unwrap(), snapshot);
    engine.destroy_key(&user, &Space::Agent(agent())).unwrap();
    let refused = engine.find_snapshot(&dev(), snapshot.id.as_str());
    assert_eq!(refused.unwrap_err().code(), Code::Crypto, "destroyed");
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn no_changed_byte_of_a_snapshot_goes_unnoticed() {
    let folder = tempfile::tempdir().unwrap();
    let engine = sealed::open(folder.path());
    busy(&engine);
    let snapshot = taken(&engine, Form::Binary);
    for form in [Form::Binary, Form::Encrypted] {
        let whole = engine
            .export_snapshot(&dev(), snapshot.id.as_str(), form)
            .unwrap();
        for place in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[place] ^= 1;
            match engine.import_snapshot(&dev(), &bytes) {
                Ok(read) => panic!("byte {place} of {form:?} was changed: {read:?}"),
                Err(error) => assert!(
                    matches!(
                        error.code(),
                        Code::InvalidFormat | Code::SchemaInvalid | Code::Crypto
                    ),
                    "{place}: {error}"
                ),
            }
            assert!(engine.import_snapshot(&dev(), &whole[..place]).is_err());
        }
    }
}

#[test]
fn what_is_erased_leaves_desks_and_snapshots_too() {
    let folder = tempfile::tempdir().unwrap();
    let engine = inspect::open(folder.path());
    busy(&engine);
    let secret = keep(&engine, "the zqcanary is in the vault");
    show(&engine, "", Some(secret.clone()));
    hold(
        &engine,
        "",
        "note",
        "remember: the zqcanary is in the vault, says ann",
    );
    taken(&engine, Form::Binary);
    taken(&engine, Form::Json);
    let erased = engine.erase_ids(&dev(), vec![secret], "asked to").unwrap();
    let places: Vec<String> = erased
        .cleaned
        .iter()
        .map(|it| it.place.display().to_string())
        .collect();
    assert!(
        places.contains(&"the working memory of dev".into()),
        "{places:?}"
    );
    assert_eq!(erased.not_cleaned, Vec::<String>::new());
    assert_eq!(erased.also_in, Vec::<PathBuf>::new());
    for summary in engine.snapshots(&dev(), None, 50).unwrap() {
        let snapshot = engine.find_snapshot(&dev(), summary.id.as_str()).unwrap();
        assert_eq!(
            (snapshot.working.len(), snapshot.window.items().len()),
            (2, 2)
        );
        assert_eq!(snapshot.long_term, Some(Vec::new()));
    }
    assert_eq!(
        inspect::files_with(folder.path(), "zqcanary"),
        Vec::<PathBuf>::new()
    );
}
