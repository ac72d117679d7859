//! Erasing reaches what is put away.

use std::fs;
use std::path::{Path, PathBuf};

use mnemon::memory::{Draft, Kind, Space};
use mnemon::store::Deed;

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

/// Files with a word, as they are or unpacked.
fn files_with(folder: &Path, word: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, word));
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let unpacked = zstd::decode_all(&*bytes).unwrap_or_default();
        let has = |bytes: &[u8]| bytes.windows(word.len()).any(|it| it == word.as_bytes());
        if has(&bytes) || has(&unpacked) {
            found.push(path);
        }
    }
    found
}
