//! Logs that are gone or can't be read: told, and no other suffers.

use std::fs;

use mnemon::memory::{Draft, Kind, Space};
use mnemon::store::Verification;

use super::{Desk, facts, open};

/// Where something is wrong, and of which sort it is.
fn told(found: &Verification) -> Vec<(&str, &str)> {
    let problems = found.problems.iter();
    problems
        .map(|problem| (problem.space.as_str(), problem.code.as_str()))
        .collect()
}

/// What the quarantine has of logs that are gone, by the endings of their names.
fn traces(desk: &Desk) -> Vec<String> {
    let Ok(entries) = fs::read_dir(desk.folder.path().join("quarantine")) else {
        return Vec::new();
    };
    let endings = entries.map(|entry| entry.unwrap().path());
    endings
        .map(|path| path.extension().unwrap().to_string_lossy().into_owned())
        .collect()
}

fn check_that_a_loss_is_told(desk: &Desk) {
    let found = desk.verify();
    assert_eq!(
        told(&found),
        [("session/s", "E_STORAGE_CORRUPT")],
        "{found:?}"
    );
    let message = &found.problems[0].message;
    assert!(
        message.contains("sessions/s/memory.jsonl is gone, with 5 memories"),
        "{message}"
    );
    assert!(message.contains("`mnemon repair`"), "{message}");
}

#[test]
fn a_log_that_was_taken_away_is_told_until_it_is_back() {
    let desk = Desk::new();
    let log = fs::read(desk.log()).unwrap();
    fs::remove_file(desk.log()).unwrap();
    check_that_a_loss_is_told(&desk);
    // Neither questions nor another index make it forgotten.
    assert_eq!(desk.texts(), [] as [String; 0]);
    desk.engine.reindex(&desk.user, &mut |_| {}).unwrap();
    check_that_a_loss_is_told(&desk);
    fs::create_dir_all(desk.log().parent().unwrap()).unwrap();
    fs::write(desk.log(), log).unwrap();
    assert_eq!(desk.texts(), facts(&[0, 1, 2, 3, 4]));
    assert_eq!(desk.verify(), Desk::new().verify());
    assert_eq!(traces(&desk), [] as [String; 0]);
}

#[test]
fn a_question_that_comes_first_does_not_hide_a_loss() {
    let desk = Desk::new();
    fs::remove_dir_all(desk.log().parent().unwrap()).unwrap();
    assert_eq!(desk.texts(), [] as [String; 0]);
    check_that_a_loss_is_told(&desk);
    assert_eq!(traces(&desk), ["lost"]);
}

#[test]
fn a_log_that_was_emptied_is_a_loss_too() {
    let desk = Desk::new();
    fs::write(desk.log(), "").unwrap();
    assert_eq!(desk.texts(), [] as [String; 0]);
    check_that_a_loss_is_told(&desk);
}

#[test]
fn an_index_that_is_made_anew_does_not_hide_a_loss() {
    let desk = Desk::new();
    fs::remove_file(desk.log()).unwrap();
    desk.engine.reindex(&desk.user, &mut |_| {}).unwrap();
    check_that_a_loss_is_told(&desk);
}

#[test]
fn a_log_that_is_begun_anew_does_not_hide_that_the_old_one_is_gone() {
    let desk = Desk::new();
    let shared: Space = "shared".parse().unwrap();
    let keep = |text: &str| {
        let draft = Draft::new(Kind::Fact, text.parse().unwrap());
        desk.engine.remember(&desk.user, &shared, draft).unwrap();
    };
    keep("before");
    fs::remove_file(desk.folder.path().join("shared/memory.jsonl")).unwrap();
    keep("after");
    let problems = desk.verify().problems;
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].space, "shared");
    assert!(
        problems[0].message.contains("with 1 memory "),
        "{}",
        problems[0].message
    );
}

#[test]
fn repair_goes_on_without_a_log_that_is_gone() {
    let desk = Desk::new();
    fs::remove_file(desk.log()).unwrap();
    let report = desk.repair(false);
    let gone: Vec<_> = report
        .gone
        .iter()
        .map(|log| (log.space.to_string(), log.memories))
        .collect();
    assert_eq!(gone, [("session/s".to_owned(), 5)]);
    let found = desk.verify();
    assert_eq!((found.problems, found.notes), (vec![], vec![]));
    assert_eq!(traces(&desk), ["gone"], "what was known of it stays");
    assert_eq!(desk.repair(false).gone, []);
}

#[test]
fn a_session_that_was_deleted_is_no_loss() {
    let desk = Desk::new();
    let session = "s".parse().unwrap();
    desk.engine
        .delete_session(&desk.user, &session, "done")
        .unwrap();
    assert_eq!(desk.verify().problems, []);
    assert_eq!(traces(&desk), [] as [String; 0]);
}

#[test]
fn a_log_that_cannot_be_read_keeps_nobody_from_the_others_and_stays_known() {
    let desk = Desk::new();
    desk.keep_elsewhere();
    let kept = desk.folder.path().join("kept");
    fs::rename(desk.log(), &kept).unwrap();
    fs::create_dir(desk.log()).unwrap();
    let engine = open(desk.folder.path());
    let other = engine.get(&desk.user, "other", None).unwrap();
    assert_eq!(other.text.to_string(), "of another space");
    let found = desk.verify();
    assert_eq!(told(&found), [("session/s", "E_STORAGE_IO")], "{found:?}");
    // An index without it would give its ids away.
    let refusal = engine.reindex(&desk.user, &mut |_| {}).unwrap_err();
    assert_eq!(refusal.code().as_str(), "E_STORAGE_IO");
    fs::remove_dir(desk.log()).unwrap();
    fs::rename(&kept, desk.log()).unwrap();
    assert_eq!(desk.texts().len(), 6);
    assert_eq!(desk.verify().problems, []);
}
