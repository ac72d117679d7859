//! What becomes of archives that are damaged, torn or left by crashes.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use mnemon::Code;
use mnemon::memory::{Draft, Kind, Space};
use mnemon::store::{Filter, RepairOptions};

use crate::Desk;

#[test]
fn restoring_gives_back_every_byte() {
    let torn = b"{\"id\":\"half".as_slice();
    let damaged = b"{\"id\":\"x\",\"text\":\"by hand\"}\n".as_slice();
    for (what, more, whole) in [
        ("as it is", b"".as_slice(), true),
        ("with a torn end", torn, false),
        ("with a damaged line", damaged, false),
        (
            "with a torn end behind a damaged line",
            &[damaged, torn].concat(),
            false,
        ),
    ] {
        let mut desk = Desk::with_memories();
        let mut bytes = fs::read(desk.log()).unwrap();
        bytes.extend_from_slice(more);
        fs::write(desk.log(), &bytes).unwrap();
        desk.at("2026-01-02T00:00:00Z");
        desk.archive();
        assert!(fs::metadata(desk.log()).unwrap().len() < 3000, "{what}");
        assert_ne!(fs::read(desk.log()).unwrap(), bytes, "{what}");
        let problems = desk.engine.verify(&desk.me, &mut |_| {}).unwrap().problems;
        assert_eq!(
            problems.is_empty(),
            whole || more == torn,
            "{what}: {problems:?}"
        );
        desk.at("2026-01-03T00:00:00Z");
        desk.restore();
        assert_eq!(fs::read(desk.log()).unwrap(), bytes, "{what}");
        let left = fs::read_dir(desk.folder.path().join("sessions/review/archive")).unwrap();
        assert_eq!(left.count(), 0, "{what}");
    }
}

/// Whoever needs a damaged archive is told so, and sees no half of it.
fn check_that_it_is_told(desk: &Desk, what: &str) {
    let (engine, me) = (&desk.engine, &desk.me);
    let refused = engine.restore_session(me, &desk.session).unwrap_err();
    assert_eq!(refused.code(), Code::SessionArchived, "{what}: {refused}");
    assert!(
        refused.hint().contains("mnemon verify"),
        "{what}: {refused}: {}",
        refused.hint()
    );
    let refused = engine.get(me, "review/FACT-001", None).unwrap_err();
    assert_eq!(refused.code(), Code::SessionArchived, "{what}: {refused}");
    let refused = engine.export(me, &[], &mut |_| Ok(())).unwrap_err();
    assert_eq!(refused.code(), Code::SessionArchived, "{what}: {refused}");
    let space = Space::Session(desk.session.clone());
    let draft = Draft::new(Kind::Fact, "More".parse().unwrap());
    let refused = engine.remember(me, &space, draft).unwrap_err();
    assert_eq!(refused.code(), Code::SessionArchived, "{what}: {refused}");
    let refused = engine.as_of(engine.now()).err().unwrap();
    assert_eq!(refused.code(), Code::StorageCorrupt, "{what}: {refused}");
    let found = engine.verify(me, &mut |_| {}).unwrap();
    assert_eq!(found.problems.len(), 1, "{what}: {found:?}");
    let name = found.problems[0].space.clone();
    assert!(name.starts_with("sessions/review/archive/whole-"), "{name}");
}

#[test]
fn an_archive_that_is_not_there_is_told_and_waits_for_its_copy() {
    let mut desk = Desk::with_memories();
    let bytes = fs::read(desk.log()).unwrap();
    let listed = desk.engine.list(&desk.me, &Filter::all(0)).unwrap();
    let id = listed.memories[0].id.to_string();
    desk.archive();
    let shelf = desk.shelf();
    let (sound, short) = (fs::read(&shelf).unwrap(), fs::read(desk.log()).unwrap());
    fs::remove_file(&shelf).unwrap();
    desk.at("2026-01-02T00:00:00Z");
    check_that_it_is_told(&desk, "gone");
    let refused = desk.engine.get(&desk.me, &id, None).unwrap_err();
    assert_eq!(refused.code(), Code::SessionArchived, "{refused}");
    desk.engine
        .repair(&desk.me, RepairOptions::default(), &mut |_| {})
        .unwrap();
    assert_eq!(fs::read(desk.log()).unwrap(), short);
    assert_eq!(desk.found("gate").len(), 1, "the summary is still there");
    fs::write(&shelf, &sound).unwrap();
    desk.at("2026-01-03T00:00:00Z");
    desk.restore();
    assert_eq!(fs::read(desk.log()).unwrap(), bytes);
}

#[test]
fn a_damaged_archive_is_told_and_set_aside_and_what_can_be_read_stays() {
    // Words that don't compress, so that there is more than one piece to lose.
    let words = |seed: u64| {
        let step = |word: &u64| Some(word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
        let words = std::iter::successors(Some(seed + 7), step).take(400);
        words
            .map(|word| word.to_string())
            .collect::<Vec<_>>()
            .join(" ")
    };
    for what in ["changed", "cut"] {
        let mut desk = Desk::with_memories();
        let many: Vec<_> = (0..100).map(|seed| desk.keep(&words(seed))).collect();
        desk.archive();
        let shelf = desk.shelf();
        let mut damaged = fs::read(&shelf).unwrap();
        let length = damaged.len();
        match what {
            "changed" => damaged[length / 2] ^= 1,
            _ => damaged.truncate(length * 2 / 3),
        }
        fs::write(&shelf, &damaged).unwrap();
        desk.at("2026-01-02T00:00:00Z");
        check_that_it_is_told(&desk, what);
        let repaired = desk
            .engine
            .repair(&desk.me, RepairOptions::default(), &mut |_| {})
            .unwrap();
        let [aside] = &*repaired.quarantined else {
            panic!("{what}: {repaired:?}");
        };
        assert_eq!(fs::read(&aside.file).unwrap(), damaged, "{what}");
        let found = desk.engine.verify(&desk.me, &mut |_| {}).unwrap();
        assert_eq!(found.problems, [], "{what}");
        desk.restore();
        let first = desk.engine.get(&desk.me, "review/FACT-001", None).unwrap();
        assert_eq!(first.text.as_str(), "The gate opens at seven", "{what}");
        let is_left = |memory: &&mnemon::memory::Memory| {
            desk.engine.get(&desk.me, memory.id.as_str(), None).is_ok()
        };
        let left = 3 + many.iter().filter(is_left).count();
        assert!((4..103).contains(&left), "{what}: {left}");
        let told = format!("{left} memories were kept, {} are lost", 103 - left);
        assert!(aside.problem.ends_with(&told), "{what}: {}", aside.problem);
        // The summary may be all that tells of the rest.
        let summaries = Filter {
            kinds: vec![Kind::Artifact],
            ..Filter::all(0)
        };
        let summaries = desk.engine.list(&desk.me, &summaries).unwrap();
        assert_eq!(summaries.total, 1, "{what}");
        assert_eq!(
            desk.keep("Handles go on").handle.unwrap().to_string(),
            "FACT-104"
        );
    }
}

#[test]
fn an_archive_in_a_folder_that_can_not_be_written_says_so() {
    let mut desk = Desk::with_memories();
    desk.archive();
    let folder = desk.folder.path().join("sessions/review");
    let may = |mode| fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
    may(0o500);
    let is_root = fs::write(folder.join("probe"), "").is_ok();
    desk.at("2026-01-02T00:00:00Z");
    let asked = desk.engine.get(&desk.me, "review/FACT-001", None);
    may(0o700);
    // Whoever may do everything is kept from nothing.
    if !is_root {
        assert_eq!(asked.unwrap_err().code(), Code::SessionArchived);
    }
}

#[test]
fn what_crashes_leave_is_noted_and_repaired() {
    let desk = Desk::with_memories();
    desk.archive();
    let sound = fs::read(desk.shelf()).unwrap();
    desk.restore();
    let folder = desk.folder.path().join("sessions/review");
    let left = [
        "archive/whole-01ABC.jsonl.zst",
        "archive/01ABC.jsonl.zst.next",
        "deletion.json",
    ];
    for name in left {
        fs::write(folder.join(name), &sound).unwrap();
    }
    let purged = desk.folder.path().join("trash/old.purged-01ABC");
    fs::create_dir_all(&purged).unwrap();
    fs::write(purged.join("memory.jsonl"), "").unwrap();
    let found = desk.engine.verify(&desk.me, &mut |_| {}).unwrap();
    assert_eq!(found.problems, []);
    assert_eq!(found.notes.len(), 3, "{:?}", found.notes);
    let repaired = desk
        .engine
        .repair(&desk.me, RepairOptions::default(), &mut |_| {})
        .unwrap();
    assert_eq!(repaired.removed.len(), 4, "{:?}", repaired.removed);
    assert!(left.iter().all(|name| !folder.join(name).exists()));
    assert!(!purged.exists());
    assert_eq!(
        desk.engine.verify(&desk.me, &mut |_| {}).unwrap().notes,
        Vec::<String>::new()
    );
    assert_eq!(
        desk.engine.list(&desk.me, &Filter::all(0)).unwrap().total,
        3
    );
}
