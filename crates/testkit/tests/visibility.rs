//! No agent is ever told anything of what belongs to another.
//!
//! Everything that is private carries a mark of its owner in its id, text,
//! tags, metadata, body and author. Agents then do whatever they can do, with
//! names and memories that they can't know, and no answer and no refusal may
//! hold the mark of another. `town` is the store that they share, `deeds` has
//! one for every operation of the engine.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

#[path = "visibility/deeds.rs"]
mod deeds;
#[path = "visibility/desks.rs"]
mod desks;
#[path = "visibility/keys.rs"]
mod keys;
#[path = "visibility/town.rs"]
mod town;
#[path = "visibility/tricks.rs"]
mod tricks;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use deeds::DEEDS;
use mnemon::caller::{Operation, Role};
use regex::Regex;
use town::Town;

/// How many towns, and how much is done in each: 100,000 deeds in all.
const TOWNS: u64 = 125;
const DEEDS_EACH: usize = 800;

#[test]
fn no_answer_and_no_refusal_tells_an_agent_of_what_belongs_to_another() {
    let threads = 4;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                for seed in (0..TOWNS).filter(|seed| seed % threads == thread) {
                    live_in(seed);
                }
            });
        }
    });
}

fn live_in(seed: u64) {
    let mut town = Town::new(seed);
    for step in 0..DEEDS_EACH {
        if step % 25 == 0 {
            town.weather();
        }
        let caller = town.caller();
        let deed = town.choose(DEEDS, |deed| deed.weight);
        town.asked.clear();
        let told = (deed.run)(&mut town, &caller);
        let place = format!(
            "town {seed}, step {step}: {} by {caller}",
            deed.operation.name()
        );
        town.check(&caller, &told, &place);
        if deed.operation.needs() > caller.role && !told.is_empty() {
            assert!(told.contains("E_FORBIDDEN"), "{place}: {told}");
        }
    }
}

#[test]
fn every_operation_of_the_engine_has_a_deed_and_a_role() {
    let in_table: BTreeSet<&str> = Operation::ALL.iter().map(|it| it.name()).collect();
    let done: BTreeSet<&str> = DEEDS.iter().map(|deed| deed.operation.name()).collect();
    assert_eq!(done, in_table, "each operation has a deed");

    let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mnemon/src/engine");
    let mut sources = vec![fs::read_to_string(engine.with_extension("rs")).unwrap()];
    let mut folders = vec![engine];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                sources.push(fs::read_to_string(path).unwrap());
            }
        }
    }
    let taking = Regex::new(r"pub fn (\w+)(?:<[^>]*>)?\(\s*&self,\s*(_?)caller: &Caller").unwrap();
    let mut written: BTreeSet<&str> = BTreeSet::new();
    for found in sources
        .iter()
        .flat_map(|source| taking.captures_iter(source))
    {
        let name = found.get(1).unwrap().as_str();
        assert!(found[2].is_empty(), "{name} does not look at who asks");
        written.insert(name);
    }
    assert_eq!(
        written, in_table,
        "the table of rights names what the engine does"
    );
}

#[test]
fn an_agent_keeps_asks_and_takes_back_but_does_not_look_after_the_store() {
    let by_role = |role: Role| Operation::ALL.iter().filter(move |it| it.needs() == role);
    let admin: Vec<&str> = by_role(Role::Admin).map(|it| it.name()).collect();
    for care in [
        "verify",
        "repair",
        "reindex",
        "maintain",
        "purge_session",
        "master",
    ] {
        assert!(admin.contains(&care), "{care}");
    }
}
