//! With everything sealed, what agents hold is sealed too, and is theirs alone.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

use std::path::Path;
use std::sync::Arc;

use mnemon::engine::{NewEntry, NewItem};
use mnemon::memory::{AgentId, Draft, Importance, Kind, Space};
use mnemon::seal::{Keyring, Source};
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::{Caller, Code, Config, Mnemon};
use mnemon_testkit::inspect;
use serde_json::json;

const CANARY: &str = "canary-4711";

fn dev() -> AgentId {
    "dev".parse().unwrap()
}

fn user() -> Caller {
    Caller::user("me")
}

fn open(folder: &Path, everything: bool, with_key: bool) -> Mnemon {
    let source = Source::File(folder.join("master.key"));
    let sources = if with_key { vec![source] } else { Vec::new() };
    let options = LocalOptions {
        keyring: Arc::new(Keyring::new(sources, everything)),
        ..LocalOptions::from(&Config::default())
    };
    let store = LocalStore::create(&folder.join("store"), options).unwrap();
    Mnemon::new(Arc::new(store), Config::default())
}

fn hold(engine: &Mnemon, value: &str) {
    let new = NewEntry {
        value: json!(value),
        importance: Importance::default(),
        tags: Vec::new(),
        pinned: false,
    };
    let place = (&"".parse().unwrap(), &"goal".parse().unwrap());
    engine
        .set_working(&user(), &dev(), place, new, str::len)
        .unwrap();
}

fn held(engine: &Mnemon) -> usize {
    engine.working(&user(), &dev()).unwrap().len()
}

/// The files in which the canary can be read.
fn in_the_clear(folder: &Path) -> Vec<std::path::PathBuf> {
    inspect::files_with(&folder.join("store"), CANARY)
}

#[test]
fn no_file_tells_what_an_agent_holds_and_without_the_key_nobody_learns_it() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path(), true, true);
    let key = folder.path().join("master.key");
    engine.make_keys_for_file(&user(), &key).unwrap();
    hold(&engine, CANARY);
    let item = NewItem {
        text: format!("before its eyes: {CANARY}"),
        priority: None,
        pinned: false,
        memory: None,
    };
    engine
        .add_to_window(&user(), &dev(), item, str::len)
        .unwrap();
    assert!(in_the_clear(folder.path()).is_empty());
    assert_eq!(held(&engine), 1);
    engine.rotate_keys_to_file(&user(), &key).unwrap();
    drop(engine);
    assert_eq!(held(&open(folder.path(), true, true)), 1, "another master");
    let locked = open(folder.path(), true, false);
    let refused = locked.working(&user(), &dev()).unwrap_err();
    assert_eq!(refused.code(), Code::Crypto);
    assert_eq!(
        refused.to_string(),
        "the working memory of dev is sealed, and its key was not given"
    );
    assert_eq!(locked.snapshot_stats(&user(), None).unwrap().snapshots, 0);
}

#[test]
fn a_desk_that_is_clear_is_sealed_with_the_rest_and_stays_so() {
    let folder = tempfile::tempdir().unwrap();
    let clear = open(folder.path(), false, true);
    let key = folder.path().join("master.key");
    clear.make_keys_for_file(&user(), &key).unwrap();
    hold(&clear, CANARY);
    assert_eq!(in_the_clear(folder.path()).len(), 1);
    drop(clear);
    let engine = open(folder.path(), true, true);
    let sealed = engine.seal_what_is_clear(&user()).unwrap();
    assert_eq!(sealed.desks, 1);
    assert!(in_the_clear(folder.path()).is_empty());
    drop(engine);
    let engine = open(folder.path(), false, true);
    hold(&engine, &format!("{CANARY} again"));
    assert!(in_the_clear(folder.path()).is_empty());
    assert_eq!(held(&engine), 1);
}

#[test]
fn a_desk_of_another_agent_or_an_altered_one_is_refused_and_a_destroyed_one_begins_anew() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path(), true, true);
    let key = folder.path().join("master.key");
    engine.make_keys_for_file(&user(), &key).unwrap();
    hold(&engine, CANARY);
    let agents = folder.path().join("store/agents");
    let own = agents.join("dev/working.json");
    let bytes = std::fs::read(&own).unwrap();
    let ada: AgentId = "ada".parse().unwrap();
    std::fs::create_dir_all(agents.join("ada")).unwrap();
    std::fs::write(agents.join("ada/working.json"), &bytes).unwrap();
    let swapped = engine.working(&user(), &ada).unwrap_err();
    assert_eq!(swapped.code(), Code::Crypto);
    for place in 0..bytes.len() {
        let mut altered = bytes.clone();
        altered[place] ^= 1;
        std::fs::write(&own, &altered).unwrap();
        assert!(engine.working(&user(), &dev()).is_err(), "byte {place}");
    }
    std::fs::write(&own, &bytes).unwrap();
    assert_eq!(held(&engine), 1);
    assert!(engine.destroy_key(&user(), &Space::Agent(dev())).unwrap());
    let refused = engine.working(&user(), &dev()).unwrap_err();
    assert_eq!(refused.code(), Code::Crypto);
    let outermost = "".parse().unwrap();
    engine.clear_working(&user(), &dev(), &outermost).unwrap();
    hold(&engine, "anew");
    assert_eq!(held(&engine), 1);
}

#[test]
fn what_is_taken_from_a_sealed_memory_is_sealed_on_the_desk_too() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path(), false, true);
    let key = folder.path().join("master.key");
    engine.make_keys_for_file(&user(), &key).unwrap();
    let mut draft = Draft::new(Kind::Fact, CANARY.parse().unwrap());
    draft.sensitive = true;
    let kept = engine.remember(&user(), &Space::Shared, draft).unwrap();
    let item = NewItem {
        text: String::new(),
        priority: None,
        pinned: false,
        memory: Some(kept.id),
    };
    engine
        .add_to_window(&user(), &dev(), item, str::len)
        .unwrap();
    assert!(in_the_clear(folder.path()).is_empty());
    let shown = engine.window(&user(), &dev()).unwrap();
    assert_eq!(shown.items()[0].text, CANARY);
}

#[test]
fn erasing_reaches_a_sealed_desk() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path(), true, true);
    let key = folder.path().join("master.key");
    engine.make_keys_for_file(&user(), &key).unwrap();
    let draft = Draft::new(Kind::Fact, CANARY.parse().unwrap());
    let kept = engine.remember(&user(), &Space::Shared, draft).unwrap();
    hold(&engine, CANARY);
    engine.erase_ids(&user(), vec![kept.id], "told to").unwrap();
    assert_eq!(held(&engine), 0);
}

#[test]
fn what_is_done_to_keys_is_in_the_audit_and_agents_see_only_what_is_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path(), true, true);
    let key = folder.path().join("master.key");
    engine.make_keys_for_file(&user(), &key).unwrap();
    engine.rotate_keys_to_file(&user(), &key).unwrap();
    hold(&engine, CANARY);
    engine.destroy_key(&user(), &Space::Agent(dev())).unwrap();
    let told = |caller: &Caller| -> Vec<(&str, String)> {
        let entries = engine.audit(caller).unwrap();
        let told = entries.into_iter().map(|it| (it.deed.as_str(), it.by));
        told.collect()
    };
    let me = || "me".to_owned();
    assert_eq!(
        told(&user()),
        [
            ("key_new", me()),
            ("key_rotate", me()),
            ("key_destroy", me())
        ]
    );
    assert_eq!(told(&Caller::agent(dev())), [("key_destroy", me())]);
    assert_eq!(told(&Caller::agent("ada".parse().unwrap())), []);
}
