//! A preference with a key takes the place of the one before it, and nothing is lost.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

use mnemon::engine::Remembered;
use mnemon::memory::{Body, Draft, Kind, Space};
use mnemon::recall::{Query, Question};
use mnemon::store::{Filter, OnFull};
use mnemon::{Caller, Mnemon};
use serde_json::{Value, json};

struct Desk {
    _folder: tempfile::TempDir,
    engine: Mnemon,
    me: Caller,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = Mnemon::open(folder.path()).unwrap();
        let me = Caller::user("me");
        Self {
            engine,
            me,
            _folder: folder,
        }
    }

    fn keep(&self, space: &str, text: &str, body: Value) -> Remembered {
        let space: Space = space.parse().unwrap();
        self.engine
            .remember(&self.me, &space, draft(text, body))
            .unwrap()
    }

    fn replaced_by(&self, kept: &Remembered) -> Vec<String> {
        let memory = self.engine.find(&self.me, kept.id.as_str(), None).unwrap();
        let links = memory.links.iter();
        links
            .map(|link| format!("{} {}", link.rel.as_str(), link.to))
            .collect()
    }
}

fn draft(text: &str, body: Value) -> Draft {
    let mut draft = Draft::new(Kind::Preference, text.parse().unwrap());
    draft.body = Body::from_map(Kind::Preference, serde_json::from_value(body).unwrap()).unwrap();
    draft
}

#[test]
fn the_newer_one_links_the_older_and_ranks_before_it() {
    let desk = Desk::new();
    let first = desk.keep("agent/ada", "The theme is light", json!({"key": "theme"}));
    let second = desk.keep("agent/ada", "The theme is dark", json!({"key": "theme"}));
    let third = desk.keep("agent/ada", "The theme is blue", json!({"key": "theme"}));
    assert_eq!(desk.replaced_by(&first), [""; 0]);
    assert_eq!(
        desk.replaced_by(&second),
        [format!("supersedes {}", first.id)]
    );
    assert_eq!(
        desk.replaced_by(&third),
        [format!("supersedes {}", second.id)]
    );
    let query = Query::new(Question::parse("theme").unwrap(), Filter::all(0));
    let hits = desk.engine.recall(&desk.me, &query).unwrap().hits;
    assert_eq!(hits[0].memory.id, third.id);
    assert_eq!(hits.len(), 3, "nothing is lost");
}

#[test]
fn only_the_same_key_in_the_same_space_and_scope_is_replaced() {
    let desk = Desk::new();
    let scoped = json!({"key": "theme", "applies_to": {"projects": ["x"]}});
    desk.keep("agent/ada", "light", json!({"key": "theme"}));
    for (space, body) in [
        ("agent/ada", json!({"key": "language"})),
        ("agent/ada", json!({"topic": "theme"})),
        ("agent/ada", scoped.clone()),
        ("agent/bob", json!({"key": "theme"})),
        ("shared", json!({"key": "theme"})),
    ] {
        let kept = desk.keep(space, "something else", body);
        assert_eq!(desk.replaced_by(&kept), [""; 0], "{space}");
    }
    let kept = desk.keep("agent/ada", "dark in x", scoped);
    assert_eq!(desk.replaced_by(&kept).len(), 1);
}

#[test]
fn within_one_transaction_the_last_one_holds_and_saying_it_again_changes_nothing() {
    let desk = Desk::new();
    let mut drafts: Vec<Draft> = ["light", "dark"]
        .map(|text| draft(text, json!({"key": "theme"})))
        .into();
    drafts[0].id = "one".parse().ok();
    drafts[1].id = "two".parse().ok();
    let space = Space::Shared;
    let keep = || {
        desk.engine
            .remember_all(&desk.me, &space, drafts.clone(), OnFull::Refuse)
            .unwrap()
    };
    let kept = keep();
    assert_eq!(desk.replaced_by(&kept[1]), ["supersedes one"]);
    assert!(keep().iter().all(|again| !again.new));
}

#[test]
fn an_agent_replaces_nothing_that_it_does_not_see() {
    let desk = Desk::new();
    let body = json!({"key": "theme", "applies_to": {"agents": ["ada"]}});
    let hidden = desk.keep("shared", "light", body.clone());
    let bob = Caller::agent("bob".parse().unwrap());
    let kept = desk
        .engine
        .remember(&bob, &Space::Shared, draft("dark", body))
        .unwrap();
    assert_eq!(desk.replaced_by(&kept), [""; 0]);
    assert_eq!(desk.replaced_by(&hidden), [""; 0]);
}
