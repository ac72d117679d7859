//! What says the same is found, linked and told once; nothing is lost, and all can be undone.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that can't go on should stop, and how well it does is told"
)]

#[path = "consolidation/pairs.rs"]
mod pairs;

use std::collections::BTreeSet;

use mnemon::consolidate::{DuplicateOptions, Group, LIKENESS_MIN};
use mnemon::memory::{Body, Draft, Kind, Space};
use mnemon::store::Filter;
use mnemon::{Caller, Mnemon};
use proptest::prelude::*;
use serde_json::{Value, json};

struct Desk {
    _folder: tempfile::TempDir,
    engine: Mnemon,
    user: Caller,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            engine: Mnemon::open(folder.path()).unwrap(),
            user: Caller::user("me"),
            _folder: folder,
        }
    }

    fn keep(&self, space: &str, kind: Kind, text: &str, author: &str, body: Value) -> String {
        let space: Space = space.parse().unwrap();
        let mut draft = Draft::new(kind, text.parse().unwrap());
        draft.author = Some(author.parse().unwrap());
        draft.body = Body::from_map(kind, serde_json::from_value(body).unwrap()).unwrap();
        let kept = self.engine.remember(&self.user, &space, draft).unwrap();
        kept.id.to_string()
    }

    fn fact(&self, space: &str, text: &str, author: &str) -> String {
        self.keep(space, Kind::Fact, text, author, json!({}))
    }

    fn groups(&self, caller: &Caller) -> Vec<Group> {
        self.engine.duplicates(caller, &options()).unwrap()
    }

    fn links(&self, id: &str) -> Vec<String> {
        let memory = self.engine.find(&self.user, id, None).unwrap();
        let links = memory.links.iter();
        links
            .map(|link| format!("{} {}", link.rel, link.to))
            .collect()
    }
}

fn options() -> DuplicateOptions {
    DuplicateOptions {
        filter: Filter::all(0),
        likeness_min: LIKENESS_MIN,
    }
}

/// Each group as its ids, the original first.
fn ids(groups: &[Group]) -> Vec<Vec<String>> {
    let all = |group: &Group| {
        let others = group.others.iter().map(|it| it.memory.id.to_string());
        std::iter::once(group.original.id.to_string())
            .chain(others)
            .collect()
    };
    groups.iter().map(all).collect()
}

type Pair = (&'static str, &'static str);

/// How many that say the same are found, and how many that are found do.
#[track_caller]
fn check_pairs(same: &[Pair], different: &[Pair], recall_min: f64, precision_min: f64) {
    let are_same = |(a, b): &Pair| {
        let desk = Desk::new();
        desk.fact("shared", a, "dev");
        desk.fact("shared", b, "qa");
        !desk.groups(&desk.user).is_empty()
    };
    let missed: Vec<_> = same.iter().filter(|it| !are_same(it)).collect();
    let wrong: Vec<_> = different.iter().filter(|it| are_same(it)).collect();
    let found = same.len() - missed.len();
    #[expect(clippy::cast_precision_loss, reason = "a few dozen pairs")]
    let (recall, precision) = (
        found as f64 / same.len() as f64,
        found as f64 / (found + wrong.len()) as f64,
    );
    println!("recall {recall:.3}, precision {precision:.3}");
    println!("missed: {missed:#?}\nwrong: {wrong:#?}");
    assert!(recall >= recall_min, "{recall}: {missed:?}");
    assert!(precision >= precision_min, "{precision}: {wrong:?}");
}

#[test]
fn pairs_that_say_the_same_are_told_from_those_that_only_look_like_it() {
    check_pairs(&pairs::SAME, &pairs::DIFFERENT, 0.95, 0.97);
    check_pairs(&pairs::HELD_OUT_SAME, &pairs::HELD_OUT_DIFFERENT, 0.8, 0.9);
}

#[test]
fn a_linked_duplicate_is_told_once_with_all_who_say_it_and_nothing_is_lost() {
    let desk = Desk::new();
    let session: mnemon::memory::SessionId = "s".parse().unwrap();
    let new = mnemon::engine::NewSession {
        id: Some(session.clone()),
        ..Default::default()
    };
    desk.engine.create_session(&desk.user, new).unwrap();
    let finding = |text: &str, author: &str, severity: &str| {
        let body = json!({"severity": severity});
        desk.keep("session/s", Kind::Finding, text, author, body)
    };
    let first = finding("SQL injection in the login form", "dev", "minor");
    let second = finding("The login form has an SQL injection", "qa", "critical");
    let other = finding("SQL injection in the search form", "qa", "minor");
    let groups = desk.groups(&desk.user);
    assert_eq!(ids(&groups), [[first.clone(), second.clone()]]);
    assert!(!groups[0].others[0].is_linked);
    assert_eq!(groups[0].aggregate.authors, ["dev", "qa"]);
    assert_eq!(groups[0].aggregate.severity.as_deref(), Some("critical"));
    assert_eq!(groups[0].aggregate.is_open, Some(true));

    let done = desk.engine.link_duplicates(&desk.user, &options()).unwrap();
    assert_eq!(done.len(), 1);
    assert_eq!(desk.links(&second), [format!("duplicate_of {first}")]);
    assert!(desk.groups(&desk.user)[0].others[0].is_linked);
    let again = desk.engine.link_duplicates(&desk.user, &options()).unwrap();
    assert_eq!(again, [], "it is linked already");
    for (id, text) in [
        (&first, "SQL injection in the login form"),
        (&second, "The login form has an SQL injection"),
        (&other, "SQL injection in the search form"),
    ] {
        let kept = desk.engine.find(&desk.user, id, None).unwrap();
        assert_eq!(kept.text.as_str(), text);
    }
    let request = mnemon::context::ContextRequest::new(session);
    let pack = desk.engine.context(&desk.user, &request, str::len).unwrap();
    let told: Vec<&str> = pack.items.iter().map(|it| it.memory.id.as_str()).collect();
    assert_eq!(told.len(), 2, "{}", pack.text);
    let both = pack.items.iter().find(|it| !it.also_by.is_empty()).unwrap();
    let mut by = both.also_by.clone();
    by.extend(both.memory.author.iter().map(ToString::to_string));
    by.sort();
    assert_eq!(by, ["dev", "qa"]);
}

#[test]
fn what_was_taken_back_is_not_taken_for_a_duplicate_again() {
    let desk = Desk::new();
    let first = desk.fact("shared", "The user prefers short answers", "dev");
    let second = desk.fact("shared", "User prefers short answers.", "qa");
    desk.engine.link_duplicates(&desk.user, &options()).unwrap();
    let memory = |id: &str| desk.engine.find(&desk.user, id, None).unwrap();
    let none = desk.engine.unlink_duplicates(&desk.user, &[memory(&first)]);
    assert_eq!(none.unwrap_err().code().as_str(), "E_SCHEMA_INVALID");
    let done = desk
        .engine
        .unlink_duplicates(&desk.user, &[memory(&second)]);
    assert_eq!(done.unwrap().len(), 1);
    assert_eq!(desk.links(&second), [format!("distinct_from {first}")]);
    assert!(desk.groups(&desk.user).is_empty());
    let again = desk.engine.link_duplicates(&desk.user, &options()).unwrap();
    assert_eq!(again, []);
}

#[test]
fn findings_of_two_places_and_preferences_for_two_things_are_two() {
    let desk = Desk::new();
    let at = |artifact: &str| json!({"location": {"artifact": artifact}});
    let text = "Errors are swallowed here";
    let one = desk.keep("shared", Kind::Finding, text, "dev", at("a.rs"));
    desk.keep("shared", Kind::Finding, text, "dev", at("b.rs"));
    let third = desk.keep("shared", Kind::Finding, text, "qa", at("a.rs"));
    let set = |key: &str| json!({"key": key, "value": "on"});
    desk.keep("shared", Kind::Preference, "It is on", "dev", set("cache"));
    desk.keep("shared", Kind::Preference, "It is on", "dev", set("trace"));
    assert_eq!(ids(&desk.groups(&desk.user)), [[one, third]]);
}

#[test]
fn no_link_tells_of_what_somebody_does_not_see() {
    let desk = Desk::new();
    let text = "The ledger is kept in PostgreSQL";
    let own = desk.fact("agent/ada", text, "ada");
    let shared = desk.fact("shared", text, "dev");
    let later = desk.fact("agent/ada", text, "ada");
    let foreign = desk.fact("agent/bob", text, "bob");
    let ada = Caller::agent("ada".parse().unwrap());
    let seen: BTreeSet<String> = ids(&desk.groups(&ada)).concat().into_iter().collect();
    assert!(!seen.contains(&foreign), "{seen:?}");
    desk.engine.link_duplicates(&desk.user, &options()).unwrap();
    assert_eq!(desk.links(&shared), [""; 0], "the older one is ada's alone");
    assert_eq!(desk.links(&later), [format!("duplicate_of {own}")]);
    assert_eq!(desk.links(&foreign), [format!("duplicate_of {shared}")]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_memory_is_in_one_group_at_most_behind_an_older_original_and_linking_is_undone_whole(
        texts in prop::collection::vec("(cache|token|page|user|[0-9]) (cache|token|not|slow)( slow)?", 1..20),
    ) {
        let desk = Desk::new();
        for text in &texts {
            desk.fact("shared", text, "dev");
        }
        let groups = desk.groups(&desk.user);
        let all = ids(&groups).concat();
        let once: BTreeSet<&String> = all.iter().collect();
        prop_assert_eq!(once.len(), all.len());
        for group in &groups {
            for other in &group.others {
                prop_assert!(group.original.created_at <= other.memory.created_at);
                prop_assert!(other.likeness >= LIKENESS_MIN);
            }
        }
        let linked = desk.engine.link_duplicates(&desk.user, &options()).unwrap();
        prop_assert_eq!(linked.len(), all.len() - groups.len());
        prop_assert_eq!(ids(&desk.groups(&desk.user)), ids(&groups), "linked as suggested");
        let find = |it: &mnemon::consolidate::Consolidated| {
            desk.engine.find(&desk.user, it.id.as_str(), None).unwrap()
        };
        let memories: Vec<_> = linked.iter().map(find).collect();
        let undone = desk.engine.unlink_duplicates(&desk.user, &memories).unwrap();
        prop_assert_eq!(undone, linked);
        for memory in memories {
            for link in desk.links(memory.id.as_str()) {
                prop_assert!(link.starts_with("distinct_from "), "{}", link);
            }
        }
    }
}
