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

#[test]
fn a_damaged_archive_is_told_and_nothing_is_lost() {
    let mut desk = Desk::with_memories();
    let bytes = fs::read(desk.log()).unwrap();
    desk.archive();
    let shelf = desk.shelf();
    let sound = fs::read(&shelf).unwrap();
    let short = fs::read(desk.log()).unwrap();
    let damages: [(&str, &dyn Fn()); 3] = [
        ("changed", &|| {
            let mut changed = sound.clone();
            changed[sound.len() / 2] ^= 1;
            fs::write(&shelf, changed).unwrap();
        }),
        ("cut", &|| {
            fs::write(&shelf, &sound[..sound.len() - 1]).unwrap();
        }),
        ("gone", &|| fs::remove_file(&shelf).unwrap()),
    ];
    for (what, damage) in damages {
        damage();
        desk.at("2026-01-02T00:00:00Z");
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
        assert!(!engine.verify(me, &mut |_| {}).unwrap().is_ok(), "{what}");
        engine
            .repair(me, RepairOptions::default(), &mut |_| {})
            .unwrap();
        assert_eq!(fs::read(desk.log()).unwrap(), short, "{what}");
        assert_eq!(
            desk.found("gate").len(),
            1,
            "{what}: the summary is still there"
        );
        fs::write(&shelf, &sound).unwrap();
    }
    desk.at("2026-01-03T00:00:00Z");
    desk.restore();
    assert_eq!(fs::read(desk.log()).unwrap(), bytes);
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
