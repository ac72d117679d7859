//! What must be true of a store, whatever was done to the processes that wrote it.
//!
//! The logs are read as they are, and the store is asked as a new process
//! would ask it; both must tell the same.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mnemon::engine::NewSession;
use mnemon::memory::Space;
use mnemon::store::local::disk::{Disk, RealDisk};
use mnemon::store::local::log::scan::{Found, Start, scan};
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::{Caller, Config, Error, Mnemon};

use crate::numbered::{self, Stream};

/// The engine on a store, as a new process sees it.
pub fn open(root: &Path) -> Mnemon {
    let config = Config::default();
    let store = LocalStore::create(root, LocalOptions::from(&config)).expect("the store opens");
    Mnemon::new(Arc::new(store), config)
}

/// Makes the sessions that writers need.
pub fn make_sessions(root: &Path, names: &[&str]) {
    let engine = open(root);
    for name in names {
        let new = NewSession {
            id: Some(name.parse().expect("a session id")),
            ..NewSession::default()
        };
        match engine.create_session(&Caller::user("tester"), new) {
            Ok(_) | Err(Error::SessionExists { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// Puts what killed writers left in the write-ahead log into the index file.
///
/// Else it would grow with every kill, and whoever writes next would have
/// thousands of calls more to be killed at.
fn shorten_write_ahead_log(root: &Path) {
    let builds = std::fs::read_dir(root.join("index")).into_iter().flatten();
    for build in builds.flatten() {
        let file = build.path().join("index.sqlite");
        if file.exists() {
            let index = rusqlite::Connection::open(file).expect("an index that opens");
            index
                .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
                .expect("nobody else has it open");
        }
    }
}

/// Checks a store to which nobody writes; the ids of all memories in it.
///
/// It panics if an acknowledged memory is missing, one is there twice or with other
/// content, a batch is there in part, a line is damaged, or the index does not
/// tell what the logs tell.
pub fn check(root: &Path, acknowledged: &BTreeSet<String>) -> BTreeSet<String> {
    let in_logs = read_logs(root);
    for id in acknowledged {
        assert!(in_logs.contains(id), "{id} was acknowledged and is lost");
    }
    for id in &in_logs {
        let Some((stream, number)) = Stream::parse(id) else {
            continue;
        };
        for other in stream.together_with(number) {
            assert!(in_logs.contains(&other), "{id} is there without {other}");
        }
    }
    let told = ask_for_all(root);
    shorten_write_ahead_log(root);
    let missing: Vec<_> = in_logs.difference(&told).collect();
    let invented: Vec<_> = told.difference(&in_logs).collect();
    assert!(missing.is_empty(), "in a log but not told: {missing:?}");
    assert!(invented.is_empty(), "told but in no log: {invented:?}");
    told
}

/// Every log below the root.
pub fn logs(root: &Path) -> Vec<PathBuf> {
    let mut folders = vec![root.join("shared")];
    for above in ["sessions", "agents"] {
        let names = RealDisk.list(&root.join(above)).expect("folders are read");
        folders.extend(names.iter().map(|name| root.join(above).join(name)));
    }
    folders
        .into_iter()
        .map(|folder| folder.join("memory.jsonl"))
        .filter(|path| path.exists())
        .collect()
}

/// The ids in all logs; only a torn tail is forgiven.
fn read_logs(root: &Path) -> BTreeSet<String> {
    let mut seen_in: HashMap<String, PathBuf> = HashMap::new();
    for path in logs(root) {
        let file = RealDisk.open_read(&path).expect("the log opens");
        scan(&*file, Start::BEGINNING, |found| {
            let placed = match found {
                Found::Record(placed) => placed,
                Found::Damage(damage) => panic!("{}: {damage:?}", path.display()),
            };
            // Lines with an `op` don't add a memory.
            if let (None, Some(id)) = (&placed.line.op, placed.line.id) {
                check_text(&id, placed.line.text.as_deref().unwrap_or_default());
                let before = seen_in.insert(id.clone(), path.clone());
                assert_eq!(before, None, "{id} is there twice");
            }
            Ok::<_, std::io::Error>(())
        })
        .expect("the log is read");
    }
    seen_in.into_keys().collect()
}

/// The logs that end with what a dead writer left there.
pub fn torn_logs(root: &Path) -> Vec<PathBuf> {
    let is_torn = |path: &PathBuf| {
        let file = RealDisk.open_read(path).expect("the log opens");
        let end = scan(&*file, Start::BEGINNING, |_| Ok::<_, std::io::Error>(()));
        end.expect("the log is read").tail.is_some()
    };
    logs(root).into_iter().filter(is_torn).collect()
}

/// What a new process is told.
fn ask_for_all(root: &Path) -> BTreeSet<String> {
    let engine = open(root);
    let mut told = BTreeSet::new();
    engine
        .export(&Caller::user("tester"), &[] as &[Space], &mut |memory| {
            let id = memory.id.to_string();
            check_text(&id, memory.text.as_str());
            assert!(told.insert(id.clone()), "{id} is told twice");
            Ok(())
        })
        .expect("all memories are told");
    told
}

fn check_text(id: &str, text: &str) {
    if Stream::parse(id).is_some() {
        assert_eq!(text, numbered::text(id), "{id} has other content");
    }
}

/// The files below a folder with a word in them, as they are or unpacked.
pub fn files_with(folder: &Path, word: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files_with(&path, word));
            continue;
        }
        let bytes = std::fs::read(&path).expect("a file");
        let unpacked = zstd::decode_all(&*bytes).unwrap_or_default();
        let has = |bytes: &[u8]| bytes.windows(word.len()).any(|it| it == word.as_bytes());
        if has(&bytes) || has(&unpacked) {
            found.push(path);
        }
    }
    found
}
