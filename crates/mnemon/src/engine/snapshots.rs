//! Snapshots of desks: taken, kept, put back, taken elsewhere.

mod routine;
mod sealed;

use std::collections::HashSet;
use std::time::Instant;

use serde_json::{Map, Value};

use super::desk::check_desk;
use crate::agent::snapshot::{self, Form};
use crate::agent::{Desk, Snapshot, SnapshotSummary};
use crate::caller::{Caller, Operation};
use crate::engine::Mnemon;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::memory::{AgentId, Memory, MemoryId, SnapshotId, Space};
use crate::store::{Filter, Forgottenness, Paper, PaperSort, Sort};
use crate::tier::Gate;
use crate::time::{DAY_MICROS, Time};

/// How many snapshots a list shows if nobody says.
pub const SNAPSHOTS_LISTED: usize = 50;

/// What a snapshot is to hold.
#[derive(Clone, Debug, Default)]
pub struct SnapshotOptions {
    /// What it is called.
    pub name: Option<String>,
    /// Whether the ids of long-term memories are in it.
    pub long_term: bool,
    /// Whatever else is to be kept beside it.
    pub metadata: Map<String, Value>,
}

/// What is put back.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is chosen on its own")]
pub struct RestoreOptions {
    /// Whether what is there now goes first.
    pub clear: bool,
    /// Values by name.
    pub working: bool,
    /// The window.
    pub window: bool,
    /// Long-term memories, as far as the snapshot names any: those that were forgotten since
    /// come back and, if what is there goes, those that came since are forgotten.
    pub long_term: bool,
}

impl Default for RestoreOptions {
    fn default() -> Self {
        Self {
            clear: true,
            working: true,
            window: true,
            long_term: false,
        }
    }
}

/// What was put back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Restored {
    /// How many values.
    pub working_entries: usize,
    /// How many items of the window.
    pub window_items: usize,
    /// Long-term memories that are not forgotten any more.
    pub unforgotten: Vec<MemoryId>,
    /// Long-term memories that came since and are forgotten now.
    pub forgotten: Vec<MemoryId>,
    /// Long-term memories that are gone for good.
    pub lost: Vec<MemoryId>,
}

/// All snapshots together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SnapshotStats {
    /// How many there are.
    pub snapshots: u64,
    /// Their bytes.
    pub bytes: u64,
    /// How many were taken within a day.
    pub taken_last_day: u64,
    /// How often one was put back within a day.
    pub restored_last_day: u64,
    /// How long it took to take one, on average, in microseconds.
    pub average_micros: u64,
}

impl Mnemon {
    /// Takes a snapshot of what an agent holds now; it is only in memory until it is kept.
    pub fn snapshot(
        &self,
        caller: &Caller,
        agent: &AgentId,
        options: &SnapshotOptions,
    ) -> Result<Snapshot> {
        caller.may(Operation::Snapshot)?;
        let began = Instant::now();
        let desk = self.desk(caller, agent)?;
        let now = self.clock.now();
        let millis = u64::try_from(now.micros() / 1000).unwrap_or(0);
        let id = SnapshotId::generate(millis, (self.random)());
        let mut snapshot = Snapshot::of(desk, id, agent.clone(), now);
        snapshot.name = options
            .name
            .as_deref()
            .map(|it| self.redactor.redact(it).text);
        snapshot.metadata.clone_from(&options.metadata);
        for (name, value) in &mut snapshot.metadata {
            self.redactor.redact_value(name, value);
        }
        if options.long_term {
            let known = self.long_term_of(agent, Forgottenness::Without)?;
            snapshot.long_term = Some(known.into_iter().map(|it| it.id).collect());
        }
        let micros = began.elapsed().as_micros();
        snapshot.made_in_micros = u64::try_from(micros).unwrap_or(u64::MAX);
        let event = Event::SnapshotCreated {
            agent: agent.clone(),
            snapshot: snapshot.id.to_string(),
            bytes: snapshot.plain_bytes(),
            includes_long_term: options.long_term,
            micros: snapshot.made_in_micros,
        };
        self.publish_for(agent, event);
        Ok(snapshot)
    }

    /// Keeps a snapshot in the store, sealed if the store has a key or if that is demanded.
    pub fn keep_snapshot(
        &self,
        caller: &Caller,
        snapshot: &Snapshot,
        form: Form,
    ) -> Result<SnapshotSummary> {
        caller.may(Operation::KeepSnapshot)?;
        self.require(caller, Gate::SnapshotPersistence)?;
        check_desk(caller, &snapshot.agent)?;
        let bytes = self.snapshot_kept(snapshot, form)?;
        let paper = Paper::Snapshot(snapshot.agent.clone(), snapshot.id.clone());
        self.store.edit_paper(&paper, &mut |before| match before {
            // The same again is fine; another of the same name is not ours to replace.
            Some(before) if self.read_snapshot(before)? != *snapshot => Err(Error::Rule {
                field: "snapshot",
                rule: "an id that no other snapshot has".into(),
                given: snapshot.id.to_string(),
            }),
            Some(before) => Ok(Some(before.to_vec())),
            None => Ok(Some(bytes.clone())),
        })?;
        let event = Event::SnapshotPersisted {
            agent: snapshot.agent.clone(),
            snapshot: snapshot.id.to_string(),
            bytes: bytes.len() as u64,
        };
        self.publish_for(&snapshot.agent, event);
        snapshot::read_head(&bytes)
    }

    /// The snapshots of an agent, or of all that the caller sees, the latest first.
    pub fn snapshots(
        &self,
        caller: &Caller,
        agent: Option<&AgentId>,
        limit: usize,
    ) -> Result<Vec<SnapshotSummary>> {
        caller.may(Operation::Snapshots)?;
        if let Some(agent) = agent {
            check_desk(caller, agent)?;
        }
        let mut found = Vec::new();
        for paper in self.store.papers(PaperSort::Snapshot)? {
            let own = paper
                .agent()
                .filter(|own| agent.is_none_or(|it| it == *own));
            if own.is_none_or(|own| check_desk(caller, own).is_err()) {
                continue;
            }
            // One that goes meanwhile is gone.
            if let Some(bytes) = self.store.paper(&paper)? {
                found.push(snapshot::read_head(&bytes).map_err(|it| damaged(&paper, &it))?);
            }
        }
        found.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
        found.truncate(limit);
        Ok(found)
    }

    /// The snapshot of that id or name; of several with one name the latest.
    pub fn find_snapshot(&self, caller: &Caller, name: &str) -> Result<Snapshot> {
        caller.may(Operation::FindSnapshot)?;
        let paper = self.snapshot_paper(caller, name)?;
        let bytes = self.store.paper(&paper)?.ok_or_else(|| no_snapshot(name))?;
        self.read_snapshot(&bytes).map_err(|it| match it {
            Error::Unparsable { .. } => damaged(&paper, &it),
            it => it,
        })
    }

    /// Puts an agent's desk back to what a snapshot says.
    pub fn restore_snapshot(
        &self,
        caller: &Caller,
        agent: &AgentId,
        snapshot: &Snapshot,
        options: RestoreOptions,
    ) -> Result<Restored> {
        caller.may(Operation::RestoreSnapshot)?;
        if snapshot.agent != *agent {
            let other = &snapshot.agent;
            return Err(caller.forbidden(format!(
                "put the desk of {agent} back to a snapshot of {other}"
            )));
        }
        let (began, now) = (Instant::now(), self.clock.now());
        let mut restored =
            self.at_desk(caller, agent, |desk| put_back(desk, snapshot, options, now))?;
        if options.long_term
            && let Some(ids) = &snapshot.long_term
        {
            self.put_back_long_term(caller, snapshot, ids, options.clear, &mut restored)?;
        }
        let event = Event::SnapshotRestored {
            agent: agent.clone(),
            snapshot: snapshot.id.to_string(),
            working_entries: restored.working_entries as u64,
            context_items: restored.window_items as u64,
            micros: u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX),
        };
        self.publish_for(agent, event);
        Ok(restored)
    }

    /// Removes a snapshot for good.
    pub fn delete_snapshot(&self, caller: &Caller, name: &str) -> Result<SnapshotId> {
        caller.may(Operation::DeleteSnapshot)?;
        let paper = self.snapshot_paper(caller, name)?;
        self.store.edit_paper(&paper, &mut |_| Ok(None))?;
        match paper {
            Paper::Snapshot(_, id) => Ok(id),
            _ => unreachable!("it is the paper of a snapshot"),
        }
    }

    /// A snapshot as a file for elsewhere.
    pub fn export_snapshot(&self, caller: &Caller, name: &str, form: Form) -> Result<Vec<u8>> {
        caller.may(Operation::ExportSnapshot)?;
        let snapshot = self.find_snapshot(caller, name)?;
        self.snapshot_for_elsewhere(&snapshot, form)
    }

    /// The snapshot in a file from elsewhere, of whatever form; it is not kept yet.
    pub fn import_snapshot(&self, caller: &Caller, bytes: &[u8]) -> Result<Snapshot> {
        caller.may(Operation::ImportSnapshot)?;
        let snapshot = self.read_snapshot(bytes)?;
        check_desk(caller, &snapshot.agent)?;
        snapshot.window.check()?;
        Ok(snapshot)
    }

    /// All snapshots of an agent, or of all, together.
    pub fn snapshot_stats(
        &self,
        caller: &Caller,
        agent: Option<&AgentId>,
    ) -> Result<SnapshotStats> {
        caller.may(Operation::SnapshotStats)?;
        let all = self.snapshots(caller, agent, usize::MAX)?;
        let day_ago = self.clock.now_micros() - DAY_MICROS;
        let is_new = |at: &Time| at.micros() > day_ago;
        let mut restored_last_day = 0;
        for paper in self.store.papers(PaperSort::Working)? {
            if let Some(own) = paper.agent()
                && agent.is_none_or(|it| it == own)
                && check_desk(caller, own).is_ok()
            {
                let desk = match self.desk(caller, own) {
                    // What nobody here can read is not counted.
                    Err(Error::Crypto(_)) => continue,
                    desk => desk?,
                };
                restored_last_day += desk.restored_at.iter().filter(|at| is_new(at)).count() as u64;
            }
        }
        let micros: u64 = all.iter().map(|it| it.made_in_micros).sum();
        Ok(SnapshotStats {
            snapshots: all.len() as u64,
            bytes: all.iter().map(|it| it.bytes).sum(),
            taken_last_day: all.iter().filter(|it| is_new(&it.created_at)).count() as u64,
            restored_last_day,
            average_micros: micros / (all.len() as u64).max(1),
        })
    }

    fn snapshot_paper(&self, caller: &Caller, name: &str) -> Result<Paper> {
        let all = self.snapshots(caller, None, usize::MAX)?;
        let by_id = all.iter().find(|it| it.id.as_str() == name);
        let found = by_id.or_else(|| all.iter().find(|it| it.name.as_deref() == Some(name)));
        let found = found.ok_or_else(|| no_snapshot(name))?;
        Ok(Paper::Snapshot(found.agent.clone(), found.id.clone()))
    }

    fn put_back_long_term(
        &self,
        caller: &Caller,
        snapshot: &Snapshot,
        ids: &[MemoryId],
        clear: bool,
        restored: &mut Restored,
    ) -> Result<()> {
        let wanted: HashSet<&MemoryId> = ids.iter().collect();
        let all = self.long_term_of(&snapshot.agent, Forgottenness::With)?;
        let there: HashSet<MemoryId> = all.iter().map(|it| it.id.clone()).collect();
        let (back, since): (Vec<Memory>, Vec<Memory>) =
            all.into_iter().partition(|it| wanted.contains(&it.id));
        let back: Vec<Memory> = back
            .into_iter()
            .filter(|it| it.state.forgotten.is_some())
            .collect();
        let reason = format!("put back to the snapshot {}", snapshot.id);
        restored.unforgotten = self.unforget(caller, &back, &reason)?;
        if clear {
            let since: Vec<Memory> = since
                .into_iter()
                .filter(|it| it.state.forgotten.is_none())
                .collect();
            restored.forgotten = self.forget(caller, &since, &reason)?;
        }
        restored.lost = ids
            .iter()
            .filter(|id| !there.contains(id))
            .cloned()
            .collect();
        Ok(())
    }

    fn long_term_of(&self, agent: &AgentId, forgotten: Forgottenness) -> Result<Vec<Memory>> {
        let selection = self.store.select(&Filter {
            spaces: vec![Space::Agent(agent.clone())],
            forgotten,
            sort: Sort::Oldest,
            limit: usize::MAX,
            ..Filter::all(self.clock.now_micros())
        })?;
        Ok(selection.memories)
    }
}

fn put_back(
    desk: &mut Desk,
    snapshot: &Snapshot,
    options: RestoreOptions,
    now: Time,
) -> Result<Restored> {
    let mut restored = Restored::default();
    if options.working {
        if options.clear {
            desk.working = snapshot.working.clone();
        } else {
            for (scope, key, entry) in snapshot.working.all() {
                desk.working.set(scope, key, entry.clone());
            }
        }
        restored.working_entries = snapshot.working.len();
    }
    if options.window {
        if options.clear {
            desk.window = snapshot.window.clone();
            restored.window_items = snapshot.window.items().len();
        } else {
            for item in snapshot.window.items() {
                restored.window_items += usize::from(desk.window.add(item.clone())?.is_kept);
            }
        }
    }
    desk.restored_at
        .retain(|at| now.micros() - at.micros() < DAY_MICROS);
    desk.restored_at.push(now);
    Ok(restored)
}

fn damaged(paper: &Paper, error: &Error) -> Error {
    Error::Paper {
        paper: paper.to_string(),
        problem: error.to_string(),
    }
}

fn no_snapshot(name: &str) -> Error {
    Error::Missing {
        what: format!("snapshot {name}"),
        suggestion: "`mnemon snapshot list` shows those that are there.",
    }
}
