//! What a power cut can leave, put there by hand.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;

use mnemon::Caller;
use mnemon::memory::Space;
use mnemon::store::Filter;
use mnemon_testkit::{inspect, numbered};

/// The length of a file can reach the disk before its bytes do, and the index before both.
#[test]
fn a_last_line_that_never_reached_the_disk_is_no_error_for_readers() {
    let folder = tempfile::tempdir().unwrap();
    let caller = Caller::user("tester");
    let engine = inspect::open(folder.path());
    for id in ["wb1t0-000001", "wb1t0-000002"] {
        let draft = numbered::draft(id).unwrap();
        engine.remember(&caller, &Space::Shared, draft).unwrap();
    }
    drop(engine);
    let path = folder.path().join("shared/memory.jsonl");
    let log = std::fs::read_to_string(&path).unwrap();
    let last = log.lines().last().unwrap().len() + 1;
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    let modified = file.metadata().unwrap().modified().unwrap();
    file.write_all_at(&vec![0; last], (log.len() - last) as u64)
        .unwrap();
    file.set_modified(modified).unwrap();

    let engine = inspect::open(folder.path());
    let found = engine.list(&caller, &Filter::all(0)).unwrap();
    assert_eq!(found.total, 1);
    assert_eq!(found.memories[0].id.as_str(), "wb1t0-000001");
    let gone = engine.find(&caller, "wb1t0-000002", None).unwrap_err();
    assert_eq!(gone.code().as_str(), "E_NOT_FOUND");
    inspect::check(folder.path(), &BTreeSet::from(["wb1t0-000001".to_owned()]));
}
