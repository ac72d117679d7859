//! The power is cut behind every operation of the life of a session: it is as
//! before the deed or as after it, with every memory, archived or not.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test stops at what it did not expect, and says how much it checked"
)]

use std::path::Path;
use std::sync::Arc;

use mnemon::memory::{Draft, Kind, SessionId};
use mnemon::session::{SessionDeed, SessionDetails};
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::store::{Archiving, Store, Write};
use mnemon_testkit::disk::{CrashDisk, Loss};
use mnemon_testkit::script::writes::LIMITS;
use mnemon_testkit::workload::{add, batch, space};

const ROOT: &str = "/home/user/.mnemon";

/// Ways to lose what was not synced, behind each operation.
const WAYS: u64 = 24;

/// Where a session is, and what can be read of it.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    /// Whether it is archived, if it is there.
    live: Option<bool>,
    deleted: bool,
    memories: Vec<String>,
}

#[test]
fn a_power_cut_leaves_a_session_as_before_or_as_after() {
    let disk = CrashDisk::default();
    let store = open(&disk);
    let made = Write::CreateSession(SessionDetails::default());
    let facts = ["a", "b", "c"].map(|name| add(name, "a fact"));
    for (second, write) in (0..).zip([made].into_iter().chain(facts)) {
        store
            .commit(batch(&space("session/s"), second, vec![write]))
            .unwrap();
    }
    let mut steps = vec![(disk.operation_count(), look(&store))];
    let deeds: [&dyn Fn(&LocalStore); 9] = [
        &archive,
        &|store| assert!(store.restore(&deed()).unwrap()),
        &|store| drop(store.delete_session(&deed(), deed().at).unwrap()),
        &|store| store.undelete_session(&deed()).unwrap(),
        &archive,
        &|store| drop(store.delete_session(&deed(), deed().at).unwrap()),
        &|store| store.undelete_session(&deed()).unwrap(),
        &|store| drop(store.delete_session(&deed(), deed().at).unwrap()),
        &|store| store.purge_session(&deed()).unwrap(),
    ];
    for act in deeds {
        act(&store);
        steps.push((disk.operation_count(), look(&store)));
    }
    drop(store);
    let mut checked = 0;
    for count in steps[0].0..=disk.operation_count() {
        let done = steps.iter().rposition(|(at, _)| *at <= count).unwrap();
        for way in 0..WAYS {
            let loss = Loss::seeded(((count as u64) << 32) | way);
            let cut = disk.after_power_cut(count, loss);
            let store = open(&cut);
            let context = format!("behind operation {count}, {loss:?}, {done} deeds done");
            let found = look(&store);
            let possible = &steps[done..steps.len().min(done + 2)];
            assert!(
                possible.iter().any(|(_, seen)| *seen == found),
                "{context}\nfound {found:?}\npossible {possible:?}"
            );
            assert_eq!(store.verify(&mut |_| {}).unwrap().problems, [], "{context}");
            bring_back(&store, &found, &steps[0].1, &context);
            checked += 1;
        }
    }
    println!("{checked} states");
}

/// Whatever is left of it can be opened again and is whole.
fn bring_back(store: &LocalStore, found: &Seen, whole: &Seen, context: &str) {
    if found.deleted {
        store.undelete_session(&deed()).expect(context);
    }
    if found.deleted || found.live.is_some() {
        store.restore(&deed()).expect(context);
        assert_eq!(look(store), *whole, "{context}");
    }
}

fn open(disk: &CrashDisk) -> LocalStore {
    let options = LocalOptions {
        index_in_memory: true,
        write_attempts: 1,
        ..LocalOptions::default()
    };
    LocalStore::create_on(Arc::new(disk.clone()), Path::new(ROOT), options).unwrap()
}

fn id() -> SessionId {
    "s".parse().unwrap()
}

fn deed() -> SessionDeed {
    SessionDeed {
        session: id(),
        by: "ann".into(),
        reason: "a test".into(),
        at: "2026-01-10T12:00:00Z".parse().unwrap(),
    }
}

fn archive(store: &LocalStore) {
    let draft = Draft::new(Kind::Artifact, "what it was about".parse().unwrap());
    let archiving = Archiving {
        deed: deed(),
        summary: Some(("sum".parse().unwrap(), Box::new(draft))),
        limits: LIMITS,
    };
    assert!(store.archive(&archiving).unwrap());
}

fn look(store: &LocalStore) -> Seen {
    let mut memories = Vec::new();
    let each = &mut |memory: mnemon::memory::Memory| {
        memories.push(format!("{} {}", memory.id, memory.text.as_str()));
        Ok(())
    };
    store.walk(&[], each).unwrap();
    let session = store.session(&id()).unwrap();
    Seen {
        live: session.map(|session| session.archived.is_some()),
        deleted: !store.deleted_sessions().unwrap().is_empty(),
        memories,
    }
}
