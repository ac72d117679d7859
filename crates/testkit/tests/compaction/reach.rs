//! What is erased or forgotten is reached where a compaction put it, and in what quotes it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mnemon::Mnemon;
use mnemon::compact::{Reach, is_summary};
use mnemon::engine::{ImportOptions, MaintainOptions};
use mnemon::memory::{Kind, Memory};
use mnemon::store::{Filter, Located, OnFull, Whereabouts};
use mnemon::time::Time;
use mnemon_testkit::inspect;
use mnemon_wire::{Format, memory_line, read_import};

use super::{NOW, draft, engine, engine_at, ids, make, me, session, space};

/// Twelve turns of three weeks ago, each with a canary in every sentence.
fn fill_with_canaries(engine: &Mnemon) {
    make(engine);
    let turns = (0..12_i64).map(|turn| {
        let canary = canary(turn);
        let text = format!(
            "The parser reads {canary} as it is written. We tried {canary} for hours, and then \
             there was lunch. After it we looked at {canary} again, and it was still the same."
        );
        draft(Kind::Conversation, 504 - turn, &text)
    });
    engine
        .remember_all(&me(), &space(), turns.collect(), OnFull::Refuse)
        .unwrap();
}

fn canary(number: i64) -> String {
    format!("zqcanary{number:03}xv")
}

/// A session whose turns are compacted; one that its summary quotes, and the canary in it.
fn compacted(root: &Path) -> (Mnemon, Located, String) {
    let engine = engine(root, 10 << 20);
    fill_with_canaries(&engine);
    let report = engine
        .compact(&me(), &session(), Reach::Aggressive)
        .unwrap();
    assert_eq!(report.plan.shelved().count(), 12);
    let summary = summaries(&engine).remove(0);
    let quoted = |canary: &String| summary.text.as_str().contains(canary);
    let canary = (0..12).map(canary).find(quoted).unwrap();
    let mut found = located(&engine, &canary);
    found.retain(|it| !is_summary(&it.memory));
    assert_eq!(found[0].at, Whereabouts::Compacted);
    (engine, found.remove(0), canary)
}

fn located(engine: &Mnemon, text: &str) -> Vec<Located> {
    let filter = Filter {
        contains: Some(text.into()),
        ..Filter::all(engine.now().micros())
    };
    engine.list_everywhere(&me(), &filter).unwrap()
}

fn summaries(engine: &Mnemon) -> Vec<Memory> {
    let filter = Filter::all(engine.now().micros());
    let mut all = engine.list(&me(), &filter).unwrap().memories;
    all.retain(is_summary);
    all
}

#[test]
fn erasing_a_compacted_turn_takes_its_sentences_out_of_the_summary() {
    let folder = tempfile::tempdir().unwrap();
    let (engine, turn, canary) = compacted(folder.path());
    let before = summaries(&engine);
    let ids = vec![turn.memory.id.clone()];
    let erased = engine.erase_ids(&me(), ids.clone(), "asked to").unwrap();
    assert_eq!(
        (erased.ids, erased.renewed),
        (ids, vec![before[0].id.clone()])
    );
    assert_eq!(erased.also_in, Vec::<PathBuf>::new());
    assert_eq!(
        inspect::files_with(folder.path(), &canary),
        Vec::<PathBuf>::new()
    );
    let after = summaries(&engine);
    assert_eq!(after[0].handle, before[0].handle);
    assert_eq!(after[0].links.len(), 11);
    assert!(after[0].text.as_str().contains("11 turns"));
    assert!(engine.verify(&me(), &mut |_| {}).unwrap().is_ok());
    let back = engine
        .bring_back(&me(), &session(), None, "the rest")
        .unwrap();
    assert_eq!(back.len(), 11);
}

#[test]
fn a_turn_that_a_compaction_finds_past_recovery_leaves_the_summary_too() {
    let folder = tempfile::tempdir().unwrap();
    let (engine, turn, canary) = compacted(folder.path());
    engine
        .forget_located(&me(), std::slice::from_ref(&turn), "not needed")
        .unwrap();
    drop(engine);
    let now: Time = NOW.parse().unwrap();
    let later = Time::from_micros(now.micros() + 40 * 86_400_000_000).unwrap();
    let engine = engine_at(folder.path(), 10 << 20, later);
    engine
        .compact(&me(), &session(), Reach::Aggressive)
        .unwrap();
    assert_eq!(
        inspect::files_with(folder.path(), &canary),
        Vec::<PathBuf>::new()
    );
    let turns: usize = located(&engine, "zqcanary")
        .iter()
        .filter(|it| !is_summary(&it.memory))
        .count();
    assert_eq!(turns, 11);
}

#[test]
fn a_summary_of_which_no_turn_is_left_is_erased_too() {
    let folder = tempfile::tempdir().unwrap();
    let (engine, _, canary) = compacted(folder.path());
    let summary = summaries(&engine).remove(0);
    let turns: Vec<_> = summary.links.iter().map(|link| link.to.clone()).collect();
    let erased = engine.erase_ids(&me(), turns, "asked to").unwrap();
    assert!(erased.ids.contains(&summary.id));
    assert_eq!(summaries(&engine), []);
    assert_eq!(
        inspect::files_with(folder.path(), &canary),
        Vec::<PathBuf>::new()
    );
    // The log still names the archive, which is empty now and not missing.
    assert!(engine.verify(&me(), &mut |_| {}).unwrap().is_ok());
}

#[test]
fn a_compacted_memory_that_is_forgotten_can_be_brought_back_until_it_is_purged() {
    let folder = tempfile::tempdir().unwrap();
    let (engine, turn, canary) = compacted(folder.path());
    let forgotten = engine.forget_located(&me(), std::slice::from_ref(&turn), "not needed");
    let (forgotten, turn) = (forgotten.unwrap(), turn.memory);
    assert_eq!(forgotten, std::slice::from_ref(&turn.id));
    let listed = || {
        let filter = Filter::all(engine.now().micros());
        engine.list_forgotten(&me(), &filter).unwrap()
    };
    assert_eq!(listed().memories[0].id, turn.id);
    let name = [turn.id.to_string()];
    engine
        .unforget_named(&me(), &name, None, "after all")
        .unwrap();
    assert_eq!(listed().total, 0);
    let again = engine.find(&me(), turn.id.as_str(), None).unwrap();
    engine.forget(&me(), &[again], "not needed").unwrap();

    let later = NOW.parse::<mnemon::Time>().unwrap().micros() + 31 * 86_400_000_000;
    let later = engine_at(
        folder.path(),
        10 << 20,
        mnemon::Time::from_micros(later).unwrap(),
    );
    let done = later.maintain(&me(), &MaintainOptions::default()).unwrap();
    assert_eq!(done.purged, [turn.id]);
    assert_eq!(
        inspect::files_with(folder.path(), &canary),
        Vec::<PathBuf>::new()
    );
}

#[test]
fn an_export_holds_what_was_compacted_and_an_import_compacts_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let (engine, ..) = compacted(folder.path());
    let exported = |engine: &Mnemon| {
        let mut all = Vec::new();
        engine
            .export(&me(), &[], &mut |memory| {
                all.push(memory);
                Ok(())
            })
            .unwrap();
        all
    };
    let before = exported(&engine);
    let lines: String = before.iter().map(|it| memory_line(it, 60)).collect();
    let items = read_import(lines.as_bytes(), Format::Jsonl, None).unwrap();

    let other = tempfile::tempdir().unwrap();
    // Room for what is at hand alone.
    let quota_bytes = 4 << 10;
    let engine = self::engine(other.path(), quota_bytes);
    let options = ImportOptions::default();
    let report = engine.import(&me(), items, options, &mut |_| {}).unwrap();
    assert_eq!(report.imported, 13);
    let said = |memories: &[Memory]| -> BTreeSet<(String, String, bool)> {
        let said = memories.iter().map(|it| {
            let text = it.text.as_str().to_owned();
            (it.id.to_string(), text, it.state.compacted)
        });
        said.collect()
    };
    let after = exported(&engine);
    assert_eq!(said(&after), said(&before));
    assert_eq!(after.iter().filter(|it| it.state.compacted).count(), 12);
    assert_eq!(ids(&engine).len(), 1);
    let back = engine
        .bring_back(&me(), &session(), None, "needed")
        .unwrap();
    assert_eq!(back.len(), 12);
}
