//! Papers: read and replaced whole, and nobody's change is lost.

use mnemon::Error;
use mnemon::memory::AgentId;
use mnemon::store::{AuditEntry, Deed, Paper, PaperSort, Store};

use super::Open;
use super::stage::{add, done, fact};

fn agent(name: &str) -> AgentId {
    name.parse().expect("an id")
}

fn write(store: &dyn Store, paper: &Paper, text: &str) {
    store
        .edit_paper(paper, &mut |_| Ok(Some(text.into())))
        .expect("the store changes it");
}

fn read(store: &dyn Store, paper: &Paper) -> Option<String> {
    let bytes = store.paper(paper).expect("an answer")?;
    Some(String::from_utf8(bytes).expect("what was written"))
}

/// Another handle reads what one wrote; an edit that fails changes nothing; none takes it away.
pub fn a_paper_says_what_it_was_last_told(open: Open) {
    let (one, other) = (open(), open());
    let paper = Paper::Working(agent("ann"));
    assert_eq!(read(&*one, &paper), None);
    write(&*one, &paper, "first");
    assert_eq!(read(&*other, &paper).as_deref(), Some("first"));
    let refused = other.edit_paper(&paper, &mut |before| {
        assert_eq!(before, Some(b"first".as_slice()));
        Err(Error::QueryTimeout)
    });
    assert!(matches!(refused, Err(Error::QueryTimeout)));
    assert_eq!(read(&*one, &paper).as_deref(), Some("first"));
    one.edit_paper(&paper, &mut |_| Ok(None)).expect("it goes");
    assert_eq!(read(&*other, &paper), None);
    one.edit_paper(&paper, &mut |_| Ok(None))
        .expect("it is gone already");
}

/// Papers are listed by their sort, in order, and are no memories.
pub fn papers_are_listed_by_sort(open: Open) {
    let store = open();
    done(&*store, "agent/zoe", vec![add("a", fact("long-term"))]);
    let working = ["zoe", "ann"].map(|name| Paper::Working(agent(name)));
    let snapshots = ["b", "a"].map(|id| Paper::Snapshot(agent("zoe"), id.parse().expect("an id")));
    for paper in working.iter().chain(&snapshots) {
        write(&*store, paper, "something");
    }
    let listed = |sort| store.papers(sort).expect("an answer");
    let sorted = |papers: &[Paper; 2]| vec![papers[1].clone(), papers[0].clone()];
    assert_eq!(listed(PaperSort::Working), sorted(&working));
    assert_eq!(listed(PaperSort::Snapshot), sorted(&snapshots));
    assert_eq!(listed(PaperSort::Retention), []);
    let stats = store.stats().expect("an answer");
    assert_eq!(stats.spaces.len(), 1);
    assert_eq!(store.verify(&mut |_| {}).expect("an answer").problems, []);
}

/// Papers of the store are listed beside those of agents, and are nobody's.
pub fn papers_of_the_store_are_nobodys(open: Open) {
    let store = open();
    assert_eq!(store.papers(PaperSort::Tokens).expect("an answer"), []);
    let requests = ["b", "a"].map(|id| Paper::Request(id.parse().expect("an id")));
    for paper in requests.iter().chain([&Paper::Tokens]) {
        write(&*store, paper, "something");
        assert_eq!(paper.agent(), None);
    }
    let listed = |sort| store.papers(sort).expect("an answer");
    assert_eq!(listed(PaperSort::Tokens), [Paper::Tokens]);
    assert_eq!(
        listed(PaperSort::Request),
        [requests[1].clone(), requests[0].clone()]
    );
    assert_eq!(listed(PaperSort::Working), []);
}

/// A deed that no log tells of is in the audit, for everybody, between those of logs.
pub fn what_is_entered_is_in_the_audit(open: Open) {
    let (one, other) = (open(), open());
    let entry = AuditEntry {
        at: mnemon::Time::from_micros(1_000_000).expect("a time"),
        deed: Deed::KeyDestroyed,
        by: "me".into(),
        reason: "told to".into(),
        memories: 0,
        ids: Vec::new(),
        spaces: vec!["agent/ann".parse().expect("a space")],
    };
    one.enter(&entry).expect("it is entered");
    assert_eq!(other.audit().expect("an answer"), [entry]);
}

/// Eight who count at once come to the sum of what they counted.
pub fn nobody_loses_a_change_to_a_paper(open: Open) {
    let paper = Paper::Working(agent("ann"));
    let handles: Vec<Box<dyn Store>> = (0..8).map(|_| open()).collect();
    std::thread::scope(|scope| {
        for store in &handles {
            scope.spawn(|| {
                for _ in 0..10 {
                    let edited = store.edit_paper(&paper, &mut |before| {
                        let before = before.map_or("0".into(), String::from_utf8_lossy);
                        let count: u32 = before.parse().expect("a number");
                        Ok(Some((count + 1).to_string().into_bytes()))
                    });
                    edited.expect("the store changes it");
                }
            });
        }
    });
    assert_eq!(read(&*handles[0], &paper).as_deref(), Some("80"));
}
