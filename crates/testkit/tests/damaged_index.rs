//! An index that is damaged or behind is put right by whoever meets it first.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use mnemon::Code;
use mnemon::memory::{Draft, Kind, Limits};
use mnemon::session::SessionDetails;
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::store::{Batch, OnFull, Store, Write};

const PAGE: usize = 4096;

fn create_session(root: &Path, name: &str) -> mnemon::Result<()> {
    let create = Write::CreateSession(SessionDetails::default());
    write(root, &format!("session/{name}"), create)
}

fn add(root: &Path, space: &str, text: &str) -> mnemon::Result<()> {
    let add = Write::Add {
        id: "a".parse()?,
        draft: Box::new(Draft::new(Kind::Fact, text.parse()?)),
    };
    write(root, space, add)
}

/// Opens the store only for this write.
fn write(root: &Path, space: &str, write: Write) -> mnemon::Result<()> {
    let batch = Batch {
        space: space.parse()?,
        by: "ann".into(),
        now: "2026-01-10T12:00:00Z".parse()?,
        writes: vec![write],
        limits: Limits {
            session_entry_bytes_max: 1 << 20,
            long_term_entry_bytes_max: 1 << 20,
        },
        quota_bytes: None,
        on_full: OnFull::Refuse,
    };
    LocalStore::create(root, LocalOptions::default())?
        .commit(batch)
        .map(drop)
}

fn index_file(root: &Path) -> PathBuf {
    let mut builds = fs::read_dir(root.join("index")).expect("an index");
    let file = builds.find_map(|build| {
        let file = build.ok()?.path().join("index.sqlite");
        file.exists().then_some(file)
    });
    let file = file.expect("a build");
    // What is in the write-ahead log so far goes into the file that is damaged.
    let index = rusqlite::Connection::open(&file).expect("an index that opens");
    index
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .expect("nobody else has it open");
    file
}

#[test]
fn a_write_that_meets_a_damaged_page_first_is_kept() {
    let mut page = 0;
    loop {
        let root = tempfile::tempdir().unwrap();
        create_session(root.path(), "s").unwrap();
        let index = fs::OpenOptions::new()
            .write(true)
            .open(index_file(root.path()))
            .unwrap();
        let begin = (page * PAGE) as u64;
        if begin >= index.metadata().unwrap().len() {
            break;
        }
        index.write_all_at(&[0xA5; PAGE], begin).unwrap();
        create_session(root.path(), "t").unwrap_or_else(|error| panic!("page {page}: {error}"));
        let store = LocalStore::open(root.path(), LocalOptions::default()).unwrap();
        let sessions = store.sessions().unwrap();
        let ids: Vec<_> = sessions.iter().map(|it| it.id.as_str()).collect();
        assert_eq!(ids, ["s", "t"], "page {page}");
        page += 1;
    }
    assert!(page > 10, "the index has {page} pages");
}

#[test]
fn a_write_that_meets_an_index_that_is_behind_knows_all_spaces() {
    let root = tempfile::tempdir().unwrap();
    create_session(root.path(), "s").unwrap();
    let index = index_file(root.path());
    let before = fs::read(&index).unwrap();
    create_session(root.path(), "T").unwrap();
    add(root.path(), "session/T", "x").unwrap();
    // A power cut takes what the index had not synced; the logs have it all.
    let refusal = |write: &dyn Fn() -> mnemon::Result<()>| {
        fs::write(&index, &before).unwrap();
        write().map_err(|error| error.code())
    };
    let twice = refusal(&|| create_session(root.path(), "t"));
    assert_eq!(twice, Err(Code::SchemaInvalid));
    let taken = refusal(&|| add(root.path(), "shared", "x"));
    assert_eq!(taken, Err(Code::ConcurrentMod));
    assert_eq!(refusal(&|| add(root.path(), "session/T", "x")), Ok(()));
}
