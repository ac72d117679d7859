//! Sessions are put away and brought back while the disk fails: whichever call it is, nothing is
//! lost, and everything works again once the disk does.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::print_stderr, reason = "how much was tried is worth knowing")]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use mnemon::compact::Reach;
use mnemon::engine::NewSession;
use mnemon::memory::{Draft, Kind, SessionId, Space};
use mnemon::store::local::disk::{Disk, RealDisk};
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::store::{OnFull, RepairOptions};
use mnemon::{Caller, Config, Mnemon};
use mnemon_testkit::disk::{Call, Fault, FaultDisk, Lasting};
use rustix::io::Errno;

const TURNS: usize = 12;

fn me() -> Caller {
    Caller::user("ada")
}

fn session() -> SessionId {
    "one".parse().unwrap()
}

fn engine(disk: Arc<dyn Disk>, root: &Path) -> Mnemon {
    let options = LocalOptions {
        write_attempts: 1,
        ..LocalOptions::default()
    };
    let store = LocalStore::create_on(disk, root, options).unwrap();
    Mnemon::new(Arc::new(store), Config::default())
}

/// A session with turns that are old enough to be compacted; what each of them says.
fn fill(engine: &Mnemon) -> BTreeSet<String> {
    let new = NewSession {
        id: Some(session()),
        ..NewSession::default()
    };
    engine.create_session(&me(), new).unwrap();
    let draft = |n: usize| {
        let text = format!("Turn {n}: the parser reads numbers as they are written. ").repeat(8);
        let mut draft = Draft::new(Kind::Conversation, text.trim().parse().unwrap());
        draft.created_at = Some("2026-01-01T12:00:00Z".parse().unwrap());
        draft
    };
    let drafts: Vec<Draft> = (0..TURNS).map(draft).collect();
    let texts = drafts.iter().map(|it| it.text.to_string()).collect();
    let space = Space::Session(session());
    engine
        .remember_all(&me(), &space, drafts, OnFull::Refuse)
        .unwrap();
    texts
}

/// Lets each call of a deed that changes the disk fail once.
fn fail_everywhere(what: &str, prepare: fn(&Mnemon), deed: fn(&Mnemon)) {
    let mut struck = 0;
    for call in Call::CHANGES {
        for nth in 1.. {
            let folder = tempfile::tempdir().unwrap();
            let disk = FaultDisk::new(Arc::new(RealDisk));
            let victim = engine(Arc::new(disk.clone()), folder.path());
            let texts = fill(&victim);
            prepare(&victim);
            disk.fail(&[Fault {
                call,
                nth,
                error: Errno::IO,
                lasting: Lasting::Once,
                written: 0,
            }]);
            deed(&victim);
            let has_failed = disk.struck() > 0;
            disk.heal();
            drop(victim);
            check(folder.path(), &texts, &format!("{what}, {call:?} {nth}"));
            if !has_failed {
                break;
            }
            struck += 1;
        }
    }
    assert!(struck > 5, "{what}: only {struck} calls failed");
    eprintln!("{what}: {struck} calls failed");
}

fn check(root: &Path, texts: &BTreeSet<String>, what: &str) {
    let engine = engine(Arc::new(RealDisk), root);
    let store = LocalStore::open(root, LocalOptions::default()).unwrap();
    if store.poisoned().unwrap().is_some() {
        let options = RepairOptions {
            accept_edits: false,
        };
        engine.repair(&me(), options, &mut |_| {}).unwrap();
    }
    let found = engine.verify(&me(), &mut |_| {}).unwrap();
    assert_eq!(found.problems, [], "{what}");
    let mut told = BTreeSet::new();
    let spaces = [Space::Session(session())];
    engine
        .export(&me(), &spaces, &mut |memory| {
            told.insert(memory.text.to_string());
            Ok(())
        })
        .unwrap();
    let lost: Vec<&String> = texts.difference(&told).collect();
    assert_eq!(lost, Vec::<&String>::new(), "{what}");
    // It goes on as if nothing had been.
    engine.restore_session(&me(), &session()).unwrap();
    engine.archive_session(&me(), &session(), None).unwrap();
    engine.restore_session(&me(), &session()).unwrap();
    let draft = Draft::new(Kind::Fact, "The disk is well again.".parse().unwrap());
    engine.remember(&me(), &spaces[0], draft).unwrap();
}

fn archive(engine: &Mnemon) {
    let _ = engine.archive_session(&me(), &session(), None);
}

fn restore(engine: &Mnemon) {
    let _ = engine.restore_session(&me(), &session());
}

fn compact(engine: &Mnemon) {
    let _ = engine.compact(&me(), &session(), Reach::Aggressive);
}

#[test]
fn a_call_that_fails_while_a_session_is_archived_loses_nothing() {
    fail_everywhere("archive", |_| {}, archive);
}

#[test]
fn a_call_that_fails_while_a_session_is_opened_loses_nothing() {
    fail_everywhere("restore", archive, restore);
}

#[test]
fn a_call_that_fails_while_a_session_is_compacted_loses_nothing() {
    fail_everywhere("compact", |_| {}, compact);
}
