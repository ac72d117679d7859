//! Edits by hand, damage and what verify and repair make of them.

#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod lost_logs;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mnemon::engine::{Action, Mnemon, NewSession};
use mnemon::memory::{Draft, Kind, Revision, Space};
use mnemon::session::SessionDetails;
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::store::{Filter, OnFull, Repair, RepairOptions, Verification};
use mnemon::{Caller, Config};

struct Desk {
    folder: tempfile::TempDir,
    engine: Mnemon,
    user: Caller,
    space: Space,
}

impl Desk {
    /// A session with five facts, `fact-0` to `fact-4`, the last two kept in one transaction.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let user = Caller::user("user");
        let engine = open(folder.path());
        let id = Some("s".parse().unwrap());
        let details = SessionDetails::default();
        engine
            .create_session(&user, NewSession { id, details })
            .unwrap();
        let desk = Self {
            folder,
            engine,
            user,
            space: "session/s".parse().unwrap(),
        };
        for number in 0..3 {
            desk.keep(&[number]);
        }
        desk.keep(&[3, 4]);
        desk
    }

    fn keep(&self, numbers: &[u32]) {
        let draft = |number: &u32| {
            let text = format!("this is fact {number}");
            let mut draft = Draft::new(Kind::Fact, text.parse().unwrap());
            draft.id = Some(format!("fact-{number}").parse().unwrap());
            draft
        };
        let drafts = numbers.iter().map(draft).collect();
        self.engine
            .remember_all(&self.user, &self.space, drafts, OnFull::Refuse)
            .unwrap();
    }

    /// One memory, `other`, in another log.
    fn keep_elsewhere(&self) {
        let mut draft = Draft::new(Kind::Fact, "of another space".parse().unwrap());
        draft.id = Some("other".parse().unwrap());
        let shared = "shared".parse().unwrap();
        self.engine.remember(&self.user, &shared, draft).unwrap();
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("sessions/s/memory.jsonl")
    }

    /// Saves the log as an editor does: another file, renamed over the old one.
    fn edit(&self, change: impl FnOnce(String) -> String) {
        let text = change(fs::read_to_string(self.log()).unwrap());
        let beside = self.folder.path().join("beside");
        fs::write(&beside, text).unwrap();
        fs::rename(&beside, self.log()).unwrap();
    }

    fn texts(&self) -> Vec<String> {
        let mut filter = Filter::all(0);
        filter.sort = "oldest".parse().unwrap();
        let selection = open(self.folder.path()).list(&self.user, &filter).unwrap();
        selection
            .memories
            .iter()
            .map(|memory| memory.text.to_string())
            .collect()
    }

    fn verify(&self) -> Verification {
        self.engine.verify(&self.user, &mut |_| {}).unwrap()
    }

    fn repair(&self, accept_edits: bool) -> Repair {
        let options = RepairOptions { accept_edits };
        self.engine
            .repair(&self.user, options, &mut |_| {})
            .unwrap()
    }
}

fn open(root: &Path) -> Mnemon {
    let store = LocalStore::create(root, LocalOptions::default()).unwrap();
    Mnemon::new(Arc::new(store), Config::default())
}

fn facts(numbers: &[u32]) -> Vec<String> {
    numbers
        .iter()
        .map(|number| format!("this is fact {number}"))
        .collect()
}

#[test]
fn a_sound_store_verifies() {
    let desk = Desk::new();
    let found = desk.verify();
    assert_eq!(found.problems, []);
    // Header, session, three facts, a transaction of two facts and its commit.
    assert_eq!(found.checked, 8);
    assert_eq!(desk.repair(false).rewritten, []);
}

#[test]
fn an_edited_line_is_reported_with_its_number_and_takes_no_other_with_it() {
    let desk = Desk::new();
    desk.edit(|text| text.replace("this is fact 1", "this was fact 1"));
    assert_eq!(desk.texts(), facts(&[0, 2, 3, 4]));
    let found = desk.verify();
    assert_eq!(found.problems.len(), 1, "{found:?}");
    let problem = &found.problems[0];
    assert_eq!(
        (problem.space.as_str(), problem.line),
        ("session/s", Some(4))
    );
    assert!(
        problem.message.contains("repair --accept-edits"),
        "{}",
        problem.message
    );
    let error = desk.engine.get(&desk.user, "fact-1", None).unwrap_err();
    assert_eq!(error.code().as_str(), "E_STORAGE_CORRUPT");
    assert!(error.hint().contains("--accept-edits"), "{}", error.hint());
}

#[test]
fn accepting_an_edit_makes_it_the_truth() {
    // A line of its own, and a member of a transaction that is the last memory of the log.
    for number in [1, 4] {
        let desk = Desk::new();
        let (from, to) = (
            format!("this is fact {number}"),
            format!("this was fact {number}"),
        );
        desk.edit(|text| text.replace(&from, &to));
        let report = desk.repair(true);
        assert_eq!(report.accepted.len(), 1, "{report:?}");
        assert_eq!(report.quarantined, []);
        let mut expected = facts(&[0, 1, 2, 3, 4]);
        expected[number] = to;
        assert_eq!(desk.texts(), expected);
        assert_eq!(desk.verify().problems, []);
    }
}

#[test]
fn an_accepted_edit_of_a_revision_that_ended_its_transaction_stays() {
    let desk = Desk::new();
    let revise = |number: u32, text: &str| {
        let revision = Revision {
            text: Some(text.parse().unwrap()),
            ..Revision::default()
        };
        Action::Revise {
            id: format!("fact-{number}").parse().unwrap(),
            expected: None,
            revision: Box::new(revision),
        }
    };
    let actions = vec![revise(0, "first revised"), revise(1, "then revised")];
    desk.engine
        .transact(&desk.user, &desk.space, actions, OnFull::Refuse)
        .unwrap();
    desk.edit(|text| text.replace("then revised", "then edited"));
    assert_eq!(desk.repair(true).accepted.len(), 1);
    assert_eq!(desk.texts()[..2], ["first revised", "then edited"]);
    // The next writer cuts a tail that was never committed.
    desk.keep(&[5]);
    assert_eq!(desk.texts()[..2], ["first revised", "then edited"]);
    assert_eq!(desk.verify().notes, [] as [String; 0]);
}

#[test]
fn without_acceptance_an_edit_is_set_aside_and_still_readable() {
    let desk = Desk::new();
    desk.edit(|text| text.replace("this is fact 3", "this was fact 3"));
    let report = desk.repair(false);
    assert_eq!(report.quarantined.len(), 1, "{report:?}");
    let aside = fs::read_to_string(&report.quarantined[0].file).unwrap();
    assert!(aside.contains("this was fact 3"), "{aside}");
    assert_eq!(desk.texts(), facts(&[0, 1, 2, 4]));
    assert_eq!(desk.verify().problems, []);
    desk.keep(&[5]);
    assert_eq!(desk.texts(), facts(&[0, 1, 2, 4, 5]));
}

#[test]
fn a_line_added_by_hand_needs_only_its_text() {
    let desk = Desk::new();
    desk.edit(|text| text + "{\"text\": \"added by hand\"}\n");
    assert_eq!(desk.texts(), facts(&[0, 1, 2, 3, 4]));
    desk.keep(&[5]);
    let report = desk.repair(true);
    assert_eq!(report.accepted, ["session/s:9"]);
    let texts = desk.texts();
    assert!(texts.contains(&"added by hand".to_owned()), "{texts:?}");
    assert_eq!(texts.len(), 7);
}

#[test]
fn writing_goes_on_in_a_log_that_an_editor_replaced() {
    let desk = Desk::new();
    desk.edit(|text| text);
    desk.keep(&[5]);
    assert_eq!(desk.texts(), facts(&[0, 1, 2, 3, 4, 5]));
    // Many editors drop or add a final newline.
    desk.edit(|text| text.trim_end().to_owned());
    desk.keep(&[6]);
    desk.edit(|text| text + "\n\n");
    desk.keep(&[7]);
    assert_eq!(desk.texts(), facts(&[0, 1, 2, 3, 4, 5, 6, 7]));
    assert_eq!(desk.verify().problems, []);
}

#[test]
fn handles_are_not_used_again_after_a_rewrite() {
    let desk = Desk::new();
    let last = desk.engine.get(&desk.user, "fact-4", None).unwrap();
    assert_eq!(last.handle.unwrap().to_string(), "FACT-005");
    desk.engine.forget(&desk.user, &[last], "wrong").unwrap();
    desk.edit(|text| text.replace("this is fact 0", "this was fact 0"));
    desk.repair(false);
    let draft = Draft::new(Kind::Fact, "and another".parse().unwrap());
    let kept = desk
        .engine
        .remember(&desk.user, &desk.space, draft)
        .unwrap();
    assert_eq!(kept.handle.unwrap().to_string(), "FACT-006");
}

#[test]
fn a_damaged_index_is_found_and_mended() {
    let desk = Desk::new();
    let memory = desk.engine.get(&desk.user, "fact-2", None).unwrap();
    let revision = Revision {
        pinned: Some(true),
        ..Revision::default()
    };
    desk.engine
        .revise(&desk.user, &memory, None, revision)
        .unwrap();
    let index = fs::read_dir(desk.folder.path().join("index"))
        .unwrap()
        .flatten()
        .map(|entry| entry.path().join("index.sqlite"))
        .find(|path| path.exists())
        .unwrap();
    let connection = rusqlite::Connection::open(index).unwrap();
    connection
        .execute(
            "UPDATE memories SET importance = 0.9 WHERE id = 'fact-3'",
            [],
        )
        .unwrap();
    drop(connection);
    let found = desk.verify();
    assert_eq!(found.problems.len(), 1, "{found:?}");
    assert!(
        found.problems[0].message.contains("fact-3"),
        "{}",
        found.problems[0].message
    );
    desk.engine.reindex(&desk.user, &mut |_| {}).unwrap();
    assert_eq!(desk.verify().problems, []);
}

#[test]
fn a_copied_folder_is_reported_and_not_believed() {
    let desk = Desk::new();
    let copy = desk.folder.path().join("sessions/copy");
    fs::create_dir(&copy).unwrap();
    fs::copy(desk.log(), copy.join("memory.jsonl")).unwrap();
    assert_eq!(desk.texts(), facts(&[0, 1, 2, 3, 4]));
    let found = desk.verify();
    assert_eq!(found.problems.len(), 5, "{found:?}");
    assert!(
        found
            .problems
            .iter()
            .all(|problem| problem.space == "session/copy")
    );
}

#[test]
fn an_edit_of_the_last_line_is_noticed_without_its_newline_too() {
    let desk = Desk::new();
    desk.keep(&[5]);
    desk.edit(|text| {
        let text = text.replace("this is fact 5", "this was fact 5");
        text.trim_end().to_owned()
    });
    let found = desk.verify();
    let lines: Vec<_> = found.problems.iter().map(|it| it.line).collect();
    assert_eq!(lines, [Some(9)], "{found:?}");
    assert_eq!(desk.repair(true).accepted, ["session/s:9"]);
    assert_eq!(desk.texts()[5], "this was fact 5");
    desk.keep(&[6]);
    assert_eq!(desk.verify().problems, []);
}

#[test]
fn an_edit_that_takes_the_id_of_another_memory_is_not_accepted() {
    let desk = Desk::new();
    desk.keep_elsewhere();
    // One of another space, one of the same log, and one that two edits want.
    desk.edit(|text| {
        text.replace("fact-1", "other")
            .replace("fact-2", "fact-0")
            .replace("fact-3", "new")
            .replace("fact-4", "new")
    });
    let report = desk.repair(true);
    assert_eq!(report.accepted, ["session/s:6"], "{report:?}");
    let refused: Vec<_> = report
        .quarantined
        .iter()
        .map(|piece| {
            (
                piece.line,
                piece.problem.contains("the edit can't be taken"),
            )
        })
        .collect();
    assert_eq!(refused, [(4, true), (5, true), (7, true)], "{report:?}");
    assert_eq!(desk.verify().problems, []);
    let other = desk.engine.get(&desk.user, "other", None).unwrap();
    assert_eq!(other.text.to_string(), "of another space");
}

#[test]
fn an_edit_that_takes_the_handle_of_another_memory_is_not_accepted() {
    let desk = Desk::new();
    // One that a sound line has, and one that two edits want.
    desk.edit(|text| {
        text.replace("FACT-002", "FACT-001")
            .replace("FACT-003", "FACT-009")
            .replace("FACT-004", "FACT-009")
    });
    let report = desk.repair(true);
    assert_eq!(report.accepted, ["session/s:5"], "{report:?}");
    let refused: Vec<_> = report
        .quarantined
        .iter()
        .map(|piece| {
            (
                piece.line,
                piece.problem.contains("handle must be one that no other"),
            )
        })
        .collect();
    assert_eq!(refused, [(4, true), (6, true)], "{report:?}");
    assert_eq!(desk.verify().problems, []);
    for (handle, id) in [("s/FACT-001", "fact-0"), ("s/FACT-009", "fact-2")] {
        let named = desk.engine.get(&desk.user, handle, None).unwrap();
        assert_eq!(named.id.as_str(), id);
    }
}

#[test]
fn an_edit_of_a_memory_that_was_revised_later_is_accepted() {
    let desk = Desk::new();
    let memory = desk.engine.find(&desk.user, "fact-1", None).unwrap();
    let revision = Revision {
        text: Some("revised".parse().unwrap()),
        ..Revision::default()
    };
    desk.engine
        .revise(&desk.user, &memory, None, revision)
        .unwrap();
    desk.edit(|text| text.replace("this is fact 1", "this was fact 1"));
    let report = desk.repair(true);
    assert_eq!(report.accepted, ["session/s:4"], "{report:?}");
    assert_eq!(desk.verify().problems, []);
}

#[test]
fn an_id_that_edits_of_two_logs_want_is_given_to_one() {
    let desk = Desk::new();
    desk.keep_elsewhere();
    desk.edit(|text| text.replace("fact-1", "new"));
    let shared = desk.folder.path().join("shared/memory.jsonl");
    let text = fs::read_to_string(&shared).unwrap();
    fs::write(&shared, text.replace("\"other\"", "\"new\"")).unwrap();
    let report = desk.repair(true);
    assert_eq!(report.accepted.len(), 1, "{report:?}");
    assert_eq!(report.quarantined.len(), 1, "{report:?}");
    assert_eq!(desk.verify().problems, []);
}
