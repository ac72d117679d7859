//! Parts of an archive that are damaged or lost.

use std::fs;
use std::path::Path;

use mnemon::compact::Reach;
use mnemon::memory::MemoryId;
use mnemon::store::RepairOptions;
use mnemon::{Code, Mnemon};

use crate::{engine, fill, ids, me, parts, session};

/// A store with one part; the memories that lie there.
fn compacted(root: &Path) -> (Mnemon, Vec<MemoryId>) {
    let engine = engine(root, 10 << 20);
    fill(&engine);
    let report = engine
        .compact(&me(), &session(), Reach::Aggressive)
        .unwrap();
    let away: Vec<MemoryId> = report.plan.shelved().cloned().collect();
    assert!(away.len() > 3);
    (engine, away)
}

#[test]
fn a_damaged_or_lost_part_is_missed_named_and_given_up_by_repair() {
    for what in ["changed", "cut", "emptied", "gone"] {
        let folder = tempfile::tempdir().unwrap();
        let (before, away) = compacted(folder.path());
        let there = ids(&before);
        drop(before);
        let [part] = &*parts(folder.path()) else {
            panic!("one part");
        };
        let name = part.file_name().unwrap().to_str().unwrap().to_owned();
        let bytes = fs::read(part).unwrap();
        let middle = bytes.len() / 2;
        match what {
            "changed" => {
                let changed = [&bytes[..middle], &[!bytes[middle]], &bytes[middle + 1..]];
                fs::write(part, changed.concat()).unwrap();
            }
            "cut" => fs::write(part, &bytes[..middle]).unwrap(),
            "emptied" => fs::write(part, "").unwrap(),
            _ => fs::remove_file(part).unwrap(),
        }

        let engine = engine(folder.path(), 10 << 20);
        let refused = engine.get(&me(), away[0].as_str(), None).unwrap_err();
        assert_eq!(refused.code(), Code::StorageCorrupt, "{what}: {refused}");
        assert!(refused.to_string().contains(&name), "{what}: {refused}");
        assert!(refused.hint().contains("mnemon verify"), "{what}");
        let found = engine.verify(&me(), &mut |_| {}).unwrap();
        let named = format!("sessions/one/archive/{name}");
        let places: Vec<_> = found.problems.iter().map(|it| it.space.as_str()).collect();
        assert_eq!(places, [named.as_str()], "{what}: {found:?}");
        assert_eq!(ids(&engine), there, "{what}: the rest is as it was");

        let repaired = engine
            .repair(&me(), RepairOptions::default(), &mut |_| {})
            .unwrap();
        let [aside] = &*repaired.quarantined else {
            panic!("{what}: {repaired:?}");
        };
        let lost = format!("{} ", away.len());
        assert!(aside.problem.contains(&lost), "{what}: {}", aside.problem);
        let found = engine.verify(&me(), &mut |_| {}).unwrap();
        assert_eq!(found.problems, [], "{what}");
        let gone = engine.get(&me(), away[0].as_str(), None).unwrap_err();
        assert_eq!(gone.code(), Code::NotFound, "{what}: {gone}");
        assert_eq!(ids(&engine), there, "{what}");
    }
}

#[test]
fn a_part_that_came_back_as_a_whole_is_not_missed() {
    let folder = tempfile::tempdir().unwrap();
    let (engine, away) = compacted(folder.path());
    let (first, rest) = away.split_at(1);
    for ids in [first, rest] {
        engine
            .bring_back(&me(), &session(), Some(ids), "needed")
            .unwrap();
        let found = engine.verify(&me(), &mut |_| {}).unwrap();
        assert_eq!(found.problems, []);
    }
    assert_eq!(parts(folder.path()), Vec::<std::path::PathBuf>::new());
}
