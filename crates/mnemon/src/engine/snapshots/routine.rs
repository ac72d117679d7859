//! Taking snapshots by themselves when their time has come.

use crate::agent::SnapshotSummary;
use crate::agent::routine::{Routine, Running};
use crate::agent::snapshot::Form;
use crate::caller::{Caller, Operation};
use crate::engine::desk::check_desk;
use crate::engine::json_paper::{read, written};
use crate::engine::{Mnemon, SnapshotOptions};
use crate::error::{Error, Result};
use crate::memory::{AgentId, SnapshotId};
use crate::store::{Paper, PaperSort};
use crate::tier::Gate;

/// What a snapshot is called that was taken by itself.
const NAME: &str = "scheduled";

impl Mnemon {
    /// Says when snapshots of an agent are taken by themselves, or that none are.
    pub fn set_snapshot_routine(
        &self,
        caller: &Caller,
        agent: &AgentId,
        routine: Option<&Routine>,
    ) -> Result<()> {
        caller.may(Operation::SetSnapshotRoutine)?;
        self.require(caller, Gate::SnapshotPersistence)?;
        check_desk(caller, agent)?;
        let now = self.clock.now();
        routine.map_or(Ok(()), |it| it.check(now))?;
        let paper = Paper::Routine(agent.clone());
        self.store.edit_paper(&paper, &mut |before| {
            let before = before.and_then(|it| read::<Running>(&paper, it).ok());
            let taken = before.map_or_else(Vec::new, |it| it.taken);
            Ok(routine.map(|routine| {
                written(&Running {
                    routine: routine.clone(),
                    last: now,
                    taken: taken.clone(),
                })
            }))
        })
    }

    /// When snapshots of an agent are taken by themselves, if they are.
    pub fn snapshot_routine(&self, caller: &Caller, agent: &AgentId) -> Result<Option<Routine>> {
        caller.may(Operation::SnapshotRoutine)?;
        check_desk(caller, agent)?;
        Ok(self.running(agent)?.map(|it| it.routine))
    }

    /// Takes the snapshots whose time has come; in a dry run they are only counted.
    pub(in crate::engine) fn take_due_snapshots(
        &self,
        caller: &Caller,
        dry_run: bool,
    ) -> Result<Vec<AgentId>> {
        if !self.tier_of(caller).includes(Gate::SnapshotPersistence) {
            return Ok(Vec::new());
        }
        let now = self.clock.now();
        let mut due = Vec::new();
        for paper in self.store.papers(PaperSort::Routine)? {
            let Some(agent) = paper.agent() else {
                continue;
            };
            let running = match self.running(agent) {
                // One paper that can't be read keeps nobody from the others.
                Err(Error::Paper { .. }) => continue,
                running => running?,
            };
            if let Some(running) = running.filter(|it| it.is_due(now)) {
                if !dry_run {
                    self.take_scheduled(caller, agent, &running)?;
                }
                due.push(agent.clone());
            }
        }
        Ok(due)
    }

    fn take_scheduled(&self, caller: &Caller, agent: &AgentId, running: &Running) -> Result<()> {
        let snapshot = self.snapshot(
            caller,
            agent,
            &SnapshotOptions {
                name: Some(NAME.into()),
                long_term: running.routine.long_term,
                ..SnapshotOptions::default()
            },
        )?;
        let form = if self.has_key() {
            Form::Encrypted
        } else {
            Form::Binary
        };
        let kept = self.keep_snapshot(caller, &snapshot, form)?;
        let old = self.note_taken(agent, &kept)?;
        for id in old {
            let paper = Paper::Snapshot(agent.clone(), id);
            self.store.edit_paper(&paper, &mut |_| Ok(None))?;
        }
        Ok(())
    }

    /// Notes a snapshot that was taken, and gives those that are one too many then.
    fn note_taken(&self, agent: &AgentId, kept: &SnapshotSummary) -> Result<Vec<SnapshotId>> {
        let paper = Paper::Routine(agent.clone());
        let mut old = Vec::new();
        self.store.edit_paper(&paper, &mut |before| {
            // Somebody may have ended it meanwhile.
            let Some(before) = before else {
                return Ok(None);
            };
            let mut running: Running = read(&paper, before)?;
            running.last = kept.created_at;
            running.taken.push(kept.id.clone());
            let many = running
                .taken
                .len()
                .saturating_sub(running.routine.keep as usize);
            old = running.taken.drain(..many).collect();
            Ok(Some(written(&running)))
        })?;
        Ok(old)
    }

    fn running(&self, agent: &AgentId) -> Result<Option<Running>> {
        let paper = Paper::Routine(agent.clone());
        let content = self.store.paper(&paper)?;
        content.map(|it| read(&paper, &it)).transpose()
    }
}
