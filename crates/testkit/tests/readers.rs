//! Questions are answered whatever the lock, the index or another log are doing.

#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use mnemon::engine::{Mnemon, NewSession};
use mnemon::memory::{Draft, Kind, Space};
use mnemon::session::SessionDetails;
use mnemon::store::Filter;
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::{Caller, Config};

fn open(root: &Path) -> Mnemon {
    let store = LocalStore::create(root, LocalOptions::default()).unwrap();
    Mnemon::new(Arc::new(store), Config::default())
}

fn user() -> Caller {
    Caller::user("user")
}

/// Opens the store only for this.
fn make_session(root: &Path, id: &str) {
    let new = NewSession {
        id: Some(id.parse().unwrap()),
        details: SessionDetails::default(),
    };
    open(root).create_session(&user(), new).unwrap();
}

/// Opens the store only for this.
fn keep(root: &Path, session: &str, id: &str) {
    let mut draft = Draft::new(Kind::Fact, format!("this is {id}").parse().unwrap());
    draft.id = Some(id.parse().unwrap());
    let space: Space = format!("session/{session}").parse().unwrap();
    open(root).remember(&user(), &space, draft).unwrap();
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy(&source, &target);
        } else {
            fs::copy(source, target).unwrap();
        }
    }
}

#[test]
fn an_older_index_hides_nothing_even_while_somebody_has_the_lock() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("store");
    make_session(&root, "s");
    keep(&root, "s", "early");
    let aside = folder.path().join("index");
    copy(&root.join("index"), &aside);
    keep(&root, "s", "late");
    fs::remove_dir_all(root.join("index")).unwrap();
    copy(&aside, &root.join("index"));
    let lock = fs::File::open(root.join("lock")).unwrap();
    lock.lock().unwrap();
    let found = open(&root).get(&user(), "late", None).unwrap();
    assert_eq!(found.text.as_str(), "this is late");
}

#[test]
fn a_log_that_cant_be_read_keeps_nobody_from_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    make_session(root, "sound");
    keep(root, "sound", "one");
    fs::create_dir_all(root.join("sessions/broken/memory.jsonl")).unwrap();
    keep(root, "sound", "two");
    fs::remove_dir_all(root.join("index")).unwrap();
    let engine = open(root);
    let listed = engine.list(&user(), &Filter::all(0)).unwrap();
    assert_eq!(listed.total, 2);
    let found = engine.verify(&user(), &mut |_| {}).unwrap();
    let problems: Vec<_> = found
        .problems
        .iter()
        .map(|problem| (problem.space.as_str(), problem.code.as_str()))
        .collect();
    assert_eq!(problems, [("session/broken", "E_STORAGE_IO")]);
}

#[test]
fn a_store_that_was_taken_away_is_told_of_until_it_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let (here, there) = (folder.path().join("here"), folder.path().join("there"));
    let engine = open(&here);
    let draft = Draft::new(Kind::Fact, "it is where it was".parse().unwrap());
    engine.remember(&user(), &Space::Shared, draft).unwrap();
    let list = || {
        let found = engine.list(&user(), &Filter::all(0));
        found.map(|found| found.total)
    };
    assert_eq!(list().unwrap(), 1);
    fs::rename(&here, &there).unwrap();
    list().unwrap_err();
    fs::rename(&there, &here).unwrap();
    assert_eq!(list().unwrap(), 1);
}
