//! What an agent tries with desks and snapshots: its own and those of others.

use mnemon::Caller;
use mnemon::agent::Snapshot;
use mnemon::agent::snapshot::Form;
use mnemon::engine::{AfterTurn, Clearing, NewEntry, NewItem, RestoreOptions, SnapshotOptions};
use mnemon::memory::{AgentId, Importance};
use serde_json::json;

use super::town::{AGENTS, Town, told};

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

fn agent(town: &mut Town) -> AgentId {
    town.pick(&AGENTS).0.parse().unwrap()
}

/// What belongs to an agent bears its mark.
fn mark(agent: &AgentId) -> &'static str {
    let mut known = AGENTS.iter();
    known.find(|(name, _)| *name == agent.as_str()).unwrap().1
}

/// Somebody's desk gets something that only its agent may see.
pub(crate) fn fill_a_desk(town: &mut Town) {
    let (agent, user) = (agent(town), town.user.clone());
    let mark = mark(&agent);
    let new = NewEntry {
        value: json!({ "kept": mark }),
        importance: Importance::default(),
        tags: vec![mark.parse().unwrap()],
        pinned: false,
    };
    let place = (&mark.parse().unwrap(), &mark.parse().unwrap());
    let set = town.engine.set_working(&user, &agent, place, new, words);
    set.unwrap();
    let item = NewItem {
        text: format!("before the eyes of {mark}"),
        priority: None,
        pinned: false,
        memory: None,
    };
    town.engine
        .add_to_window(&user, &agent, item, words)
        .unwrap();
    if town.one_in(4) {
        let _ = taken(town, &user, &agent);
    }
}

fn taken(town: &Town, caller: &Caller, agent: &AgentId) -> mnemon::Result<Snapshot> {
    let mark = mark(agent);
    let options = SnapshotOptions {
        name: Some(format!("name {mark}")),
        long_term: true,
        metadata: json!({ "mark": mark }).as_object().unwrap().clone(),
    };
    let snapshot = town.engine.snapshot(caller, agent, &options)?;
    town.engine.keep_snapshot(caller, &snapshot, Form::Binary)?;
    Ok(snapshot)
}

/// One that anybody may have taken; its name is then known to who asks.
fn any_snapshot(town: &mut Town) -> Option<Snapshot> {
    let user = town.user.clone();
    let all = town.engine.snapshots(&user, None, 20).unwrap();
    let one = (!all.is_empty()).then(|| town.pick(&all).clone())?;
    let snapshot = town.engine.find_snapshot(&user, one.id.as_str()).unwrap();
    town.asked.push(one.id.to_string());
    Some(snapshot)
}

pub(crate) fn desk(town: &mut Town, me: &Caller) -> String {
    fill_a_desk(town);
    let agent = agent(town);
    told(town.engine.desk(me, &agent))
}

pub(crate) fn working(town: &mut Town, me: &Caller) -> String {
    let agent = agent(town);
    told(town.engine.working(me, &agent))
}

pub(crate) fn window(town: &mut Town, me: &Caller) -> String {
    let agent = agent(town);
    told(town.engine.window(me, &agent))
}

pub(crate) fn set_working(town: &mut Town, me: &Caller) -> String {
    let agent = agent(town);
    let new = NewEntry {
        value: json!("new"),
        importance: Importance::default(),
        tags: Vec::new(),
        pinned: false,
    };
    // The name that is in use there already: what it held before is told to its owner only.
    let name = mark(&agent);
    let place = (&name.parse().unwrap(), &name.parse().unwrap());
    told(town.engine.set_working(me, &agent, place, new, words))
}

pub(crate) fn drop_working(town: &mut Town, me: &Caller) -> String {
    let agent = agent(town);
    let name = mark(&agent);
    let keys = [name.parse().unwrap()];
    let dropped = town
        .engine
        .drop_working(me, &agent, &name.parse().unwrap(), &keys);
    told(dropped)
}

pub(crate) fn clear_working(town: &mut Town, me: &Caller) -> String {
    let agent = agent(town);
    let scope = mark(&agent).parse().unwrap();
    told(town.engine.clear_working(me, &agent, &scope))
}

pub(crate) fn add_to_window(town: &mut Town, me: &Caller) -> String {
    let (agent, memory) = (agent(town), town.id());
    town.asked.push(memory.to_string());
    let item = NewItem {
        text: String::new(),
        priority: None,
        pinned: false,
        memory: Some(memory),
    };
    let added = town.engine.add_to_window(me, &agent, item, words);
    let after = town.engine.window(me, &agent);
    format!("{} {}", told(added), told(after))
}

pub(crate) fn pin_in_window(town: &mut Town, me: &Caller) -> String {
    let agent = agent(town);
    let pinned = town.one_in(2);
    told(
        town.engine
            .pin_in_window(me, &agent, &["w1".into()], pinned),
    )
}

pub(crate) fn clear_window(town: &mut Town, me: &Caller) -> String {
    let agent = agent(town);
    told(town.engine.clear_window(me, &agent, &Clearing::All))
}

pub(crate) fn set_window_budget(town: &mut Town, me: &Caller) -> String {
    let agent = agent(town);
    told(town.engine.set_window_budget(me, &agent, 40))
}

pub(crate) fn snapshot(town: &mut Town, me: &Caller) -> String {
    let agent = agent(town);
    let options = SnapshotOptions {
        long_term: true,
        ..SnapshotOptions::default()
    };
    told(town.engine.snapshot(me, &agent, &options))
}

pub(crate) fn keep_snapshot(town: &mut Town, me: &Caller) -> String {
    match any_snapshot(town) {
        Some(stolen) => told(town.engine.keep_snapshot(me, &stolen, Form::Binary)),
        None => String::new(),
    }
}

pub(crate) fn snapshots(town: &mut Town, me: &Caller) -> String {
    let agent = town.one_in(2).then(|| agent(town));
    told(town.engine.snapshots(me, agent.as_ref(), 50))
}

pub(crate) fn snapshot_routine(town: &mut Town, me: &Caller) -> String {
    let agent = agent(town);
    told(town.engine.snapshot_routine(me, &agent))
}

pub(crate) fn set_snapshot_routine(town: &mut Town, me: &Caller) -> String {
    let agent = agent(town);
    let routine = mnemon::agent::Routine::new("* * * * *".parse().unwrap());
    let routine = town.one_in(2).then_some(&routine);
    told(town.engine.set_snapshot_routine(me, &agent, routine))
}

pub(crate) fn snapshot_stats(town: &mut Town, me: &Caller) -> String {
    let agent = town.one_in(2).then(|| agent(town));
    told(town.engine.snapshot_stats(me, agent.as_ref()))
}

pub(crate) fn find_snapshot(town: &mut Town, me: &Caller) -> String {
    match any_snapshot(town) {
        Some(it) => told(town.engine.find_snapshot(me, it.id.as_str())),
        None => String::new(),
    }
}

pub(crate) fn export_snapshot(town: &mut Town, me: &Caller) -> String {
    match any_snapshot(town) {
        Some(it) => {
            let bytes = town.engine.export_snapshot(me, it.id.as_str(), Form::Json);
            told(bytes.map(|bytes| String::from_utf8(bytes).unwrap()))
        }
        None => String::new(),
    }
}

pub(crate) fn import_snapshot(town: &mut Town, me: &Caller) -> String {
    let user = town.user.clone();
    match any_snapshot(town) {
        Some(it) => {
            let bytes = town
                .engine
                .export_snapshot(&user, it.id.as_str(), Form::Binary);
            told(town.engine.import_snapshot(me, &bytes.unwrap()))
        }
        None => String::new(),
    }
}

pub(crate) fn restore_snapshot(town: &mut Town, me: &Caller) -> String {
    let agent = agent(town);
    match any_snapshot(town) {
        Some(stolen) => {
            let options = RestoreOptions {
                clear: town.one_in(2),
                long_term: true,
                ..RestoreOptions::default()
            };
            let restored = town.engine.restore_snapshot(me, &agent, &stolen, options);
            told(restored)
        }
        None => String::new(),
    }
}

pub(crate) fn delete_snapshot(town: &mut Town, me: &Caller) -> String {
    match any_snapshot(town) {
        Some(it) => told(town.engine.delete_snapshot(me, it.id.as_str())),
        None => String::new(),
    }
}

pub(crate) fn keep_turn(town: &mut Town, me: &Caller) -> String {
    let session = town.session();
    let after = AfterTurn {
        turns: Vec::new(),
        memories: vec![town.public_draft()],
        state: None,
    };
    told(town.engine.keep_turn(me, &session, after))
}

pub(crate) fn back_up(town: &mut Town, me: &Caller) -> String {
    let folder = tempfile::tempdir().unwrap();
    told(town.engine.back_up(me, &folder.path().join("copy")))
}
