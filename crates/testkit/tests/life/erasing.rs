//! Erasing reaches what is put away.

use std::path::PathBuf;

use mnemon::engine::MaintainOptions;
use mnemon::memory::{Draft, Kind, Space};
use mnemon::store::{Deed, Filter};
use mnemon_testkit::inspect::files_with;

use crate::Desk;

#[test]
fn canaries_in_archives_and_in_the_trash_are_erased() {
    for trashed in [false, true] {
        let mut desk = Desk::with_memories();
        let canary = "zqcanary418xv";
        let victim = desk.keep(&format!("The gate code is {canary}, said nobody."));
        desk.archive();
        if trashed {
            desk.engine
                .delete_session(&desk.me, &desk.session, "over")
                .unwrap();
        }
        desk.at("2026-01-02T00:00:00Z");
        let ids = vec![victim.id.clone()];
        let erased = desk.engine.erase_ids(&desk.me, ids, "asked to").unwrap();
        assert_eq!(erased.also_in, Vec::<PathBuf>::new());
        assert_eq!(
            files_with(desk.folder.path(), canary),
            Vec::<PathBuf>::new()
        );
        if trashed {
            desk.engine
                .undelete_session(&desk.me, &desk.session, "after all")
                .unwrap();
        }
        assert_eq!(
            desk.engine.verify(&desk.me, &mut |_| {}).unwrap().problems,
            []
        );
        let session = desk.engine.session(&desk.me, &desk.session).unwrap();
        assert_eq!(session.activity.memories(), 3);
        let erasure = desk.engine.audit(&desk.me).unwrap();
        assert!(erasure.iter().any(|entry| entry.deed == Deed::Erased));
    }
}

#[test]
fn the_search_after_an_erasure_looks_into_archives() {
    let desk = Desk::with_memories();
    let words = "The same words in two places zqcanary";
    desk.keep(words);
    desk.archive();
    let draft = Draft::new(Kind::Fact, words.parse().unwrap());
    let other = desk
        .engine
        .remember(&desk.me, &Space::Shared, draft)
        .unwrap();
    let erased = desk
        .engine
        .erase_ids(&desk.me, vec![other.id], "asked to")
        .unwrap();
    let mut also_in: Vec<_> = erased
        .also_in
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    also_in.retain(|path| path.contains("/archive/"));
    assert_eq!(also_in.len(), 1, "{:?}", erased.also_in);
}

#[test]
fn a_filter_reaches_into_archives_and_the_trash_and_leaves_them_there() {
    for trashed in [false, true] {
        let mut desk = Desk::with_memories();
        desk.keep("The gate code is zqcanary418xv, said nobody.");
        desk.archive();
        if trashed {
            desk.engine
                .delete_session(&desk.me, &desk.session, "over")
                .unwrap();
        }
        desk.at("2026-01-02T00:00:00Z");
        let filter = Filter {
            contains: Some("ZQcanary".into()),
            ..Filter::all(desk.engine.now().micros())
        };
        let found = desk.engine.list_everywhere(&desk.me, &filter).unwrap();
        let at = if trashed { "deleted" } else { "archived" };
        assert_eq!(found.len(), 1, "not the summary: {found:?}");
        assert_eq!(found[0].at.as_str(), Some(at));
        let ids = vec![found[0].memory.id.clone()];
        let erased = desk.engine.erase_ids(&desk.me, ids, "asked to").unwrap();
        assert_eq!(erased.renewed.len(), 1, "the summary");
        assert_eq!(erased.also_in, Vec::<PathBuf>::new());
        let places = erased
            .cleaned
            .iter()
            .map(|it| it.place.display().to_string());
        let folder = if trashed {
            "trash/review/archive/whole-"
        } else {
            "sessions/review/archive/whole-"
        };
        assert!(
            places.into_iter().any(|it| it.starts_with(folder)),
            "{:?}",
            erased.cleaned
        );
        assert_eq!(
            files_with(desk.folder.path(), "zqcanary"),
            Vec::<PathBuf>::new()
        );
        if trashed {
            desk.engine
                .undelete_session(&desk.me, &desk.session, "after all")
                .unwrap();
        }
        assert_eq!(desk.state(), "archived");
        assert_eq!(desk.found("Archived session review").len(), 1);
        assert_eq!(
            desk.engine.verify(&desk.me, &mut |_| {}).unwrap().problems,
            []
        );
        desk.restore();
        let session = desk.engine.session(&desk.me, &desk.session).unwrap();
        assert_eq!(session.activity.memories(), 3);
        assert_eq!(desk.keep("One more").handle.unwrap().number, 5);
    }
}

#[test]
fn the_summary_of_an_archive_goes_with_the_last_memory_of_it() {
    let desk = Desk::new();
    let only = desk.keep("The gate code is zqcanary418xv, said nobody.");
    desk.archive();
    let erased = desk
        .engine
        .erase_ids(&desk.me, vec![only.id], "asked to")
        .unwrap();
    assert_eq!(erased.ids.len(), 2);
    assert_eq!(
        files_with(desk.folder.path(), "zqcanary"),
        Vec::<PathBuf>::new()
    );
    assert_eq!(desk.state(), "archived");
    assert_eq!(desk.found("gate"), []);
}

#[test]
fn what_was_forgotten_in_an_archived_session_is_listed_and_purged_there() {
    let mut desk = Desk::with_memories();
    let victim = desk.keep("The gate code is zqcanary418xv, said nobody.");
    desk.engine
        .forget(&desk.me, std::slice::from_ref(&victim), "wrong")
        .unwrap();
    desk.archive();
    let filter = Filter::all(desk.engine.now().micros());
    let listed = desk.engine.list_forgotten(&desk.me, &filter).unwrap();
    assert_eq!((listed.total, &listed.memories[0].id), (1, &victim.id));
    for (day, purged) in [("2026-01-29", 0), ("2026-02-02", 1)] {
        desk.at(&format!("{day}T00:00:00Z"));
        let all = MaintainOptions::default();
        let done = desk.engine.maintain(&desk.me, &all).unwrap();
        assert_eq!(done.purged.len(), purged, "{day}");
    }
    assert_eq!(
        files_with(desk.folder.path(), "zqcanary"),
        Vec::<PathBuf>::new()
    );
    assert_eq!(desk.state(), "archived");
    desk.restore();
    let session = desk.engine.session(&desk.me, &desk.session).unwrap();
    assert_eq!(session.activity.memories(), 3);
}
