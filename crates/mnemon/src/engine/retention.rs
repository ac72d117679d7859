//! Retention policies by agent: kept as papers, carried out by hand or by maintenance.
//!
//! What is too old is forgotten, and can be brought back; what was forgotten
//! long ago is erased. Each agent is looked after on its own: what fails for one
//! is told and keeps nobody from the others.

use std::time::Instant;

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::json_paper::{read, written};
use super::rights::check_space;
use crate::agent::snapshot;
use crate::caller::{Caller, Operation, Sight, Who};
use crate::engine::Mnemon;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::memory::{AgentId, Memory, MemoryId, Space};
use crate::retention::{RetentionPolicy, is_past};
use crate::store::{Filter, Forgottenness, Paper, PaperSort};
use crate::tier::Gate;
use crate::time::Time;

/// What a run did, or would do.
#[derive(Clone, Debug, PartialEq)]
pub struct RetentionResult {
    /// When it began.
    pub started_at: Time,
    /// When it ended.
    pub completed_at: Time,
    /// Entries of working memory that are gone.
    pub working_entries_deleted: u64,
    /// Long-term memories that were forgotten for their age.
    pub long_term_entries_deleted: u64,
    /// Memories that had been forgotten and are gone for good.
    pub forgotten_entries_purged: u64,
    /// Which memories were forgotten or are gone for good.
    pub memories: Vec<MemoryId>,
    /// Snapshots that are gone.
    pub snapshots_deleted: u64,
    /// Bytes that are free again; none in a dry run.
    pub bytes_freed: u64,
    /// How many agents were looked after.
    pub agents_processed: u64,
    /// What went wrong, and for whom.
    pub errors: Vec<String>,
    /// Whether it was only told.
    pub dry_run: bool,
}

/// A policy as it is written down, with when it was last carried out.
#[derive(Serialize, Deserialize)]
struct Written {
    policy: RetentionPolicy,
    last_run: Option<Time>,
}

impl Mnemon {
    /// Sets how long what an agent has is kept.
    pub fn set_retention(
        &self,
        caller: &Caller,
        agent: &AgentId,
        policy: &RetentionPolicy,
    ) -> Result<()> {
        caller.may(Operation::SetRetention)?;
        self.require(caller, Gate::RetentionPolicies)?;
        check_space(caller, &Space::Agent(agent.clone()))?;
        policy.check()?;
        let paper = Paper::Retention(agent.clone());
        self.store.edit_paper(&paper, &mut |before| {
            let last_run = before.and_then(|it| read::<Written>(&paper, it).ok()?.last_run);
            let policy = policy.clone();
            Ok(Some(written(&Written { policy, last_run })))
        })
    }

    /// How long what an agent has is kept, if anybody said so; of other agents an agent learns
    /// nothing.
    pub fn retention(&self, caller: &Caller, agent: &AgentId) -> Result<Option<RetentionPolicy>> {
        caller.may(Operation::Retention)?;
        if !Sight::of(caller).reaches(&Space::Agent(agent.clone())) {
            return Ok(None);
        }
        Ok(self.written_policy(agent)?.map(|it| it.policy))
    }

    /// Carries out the policy of an agent, or of all that have one, whatever their schedules say.
    pub fn run_retention(
        &self,
        caller: &Caller,
        agent: Option<&AgentId>,
        dry_run: bool,
    ) -> Result<RetentionResult> {
        caller.may(Operation::RunRetention)?;
        self.require(caller, Gate::RetentionPolicies)?;
        let agents = match (agent, &caller.who) {
            (Some(agent), _) => {
                check_space(caller, &Space::Agent(agent.clone()))?;
                vec![agent.clone()]
            }
            (None, Who::Agent(own)) => vec![own.clone()],
            (None, Who::User(_)) => self.agents_with_policy()?,
        };
        Ok(self.carry_out_policies(caller, &agents, agent, dry_run))
    }

    /// Carries out the policies whose time has come; none if there are none.
    pub(super) fn run_due_retention(
        &self,
        caller: &Caller,
        dry_run: bool,
    ) -> Result<Option<RetentionResult>> {
        if !self.tier_of(caller).includes(Gate::RetentionPolicies) {
            return Ok(None);
        }
        let mut due = Vec::new();
        for agent in self.agents_with_policy()? {
            let is_due = match self.written_policy(&agent) {
                // That it can't be read is told where it is carried out.
                Err(Error::Paper { .. }) => true,
                policy => policy?.is_some_and(|it| it.is_due(self.clock.now())),
            };
            if is_due {
                due.push(agent);
            }
        }
        if due.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.carry_out_policies(caller, &due, None, dry_run)))
    }

    fn carry_out_policies(
        &self,
        caller: &Caller,
        agents: &[AgentId],
        only: Option<&AgentId>,
        dry_run: bool,
    ) -> RetentionResult {
        let began = Instant::now();
        let started_at = self.clock.now();
        let mut result = RetentionResult {
            started_at,
            completed_at: started_at,
            working_entries_deleted: 0,
            long_term_entries_deleted: 0,
            forgotten_entries_purged: 0,
            memories: Vec::new(),
            snapshots_deleted: 0,
            bytes_freed: 0,
            agents_processed: 0,
            errors: Vec::new(),
            dry_run,
        };
        for agent in agents {
            if let Err(error) = self.look_after(caller, agent, &mut result) {
                result.errors.push(format!("{agent}: {error}"));
            }
            result.agents_processed += 1;
        }
        result.completed_at = self.clock.now();
        if !dry_run {
            let event = Event::RetentionCompleted {
                agent: only.cloned(),
                entries_deleted: result.entries_deleted(),
                snapshots_deleted: result.snapshots_deleted,
                bytes_freed: result.bytes_freed,
                micros: u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX),
            };
            match only {
                Some(agent) => self.publish_for(agent, event),
                None => self.publish_for_user(event),
            }
        }
        result
    }

    fn look_after(
        &self,
        caller: &Caller,
        agent: &AgentId,
        result: &mut RetentionResult,
    ) -> Result<()> {
        let Some(Written { policy, .. }) = self.written_policy(agent)? else {
            return Ok(());
        };
        let space = Space::Agent(agent.clone());
        let now = self.clock.now();
        let all = self.store.select(&Filter {
            spaces: vec![space.clone()],
            forgotten: Forgottenness::With,
            limit: usize::MAX,
            ..Filter::all(now.micros())
        })?;
        let (mut too_old, mut gone): (Vec<Memory>, Vec<MemoryId>) = Default::default();
        for mut memory in all.memories {
            // What was asked for and not written down yet counts as well.
            let asked = self.accesses().get(&memory.id).map(|(_, _, last)| *last);
            memory.state.last_access = memory.state.last_access.max(asked);
            if policy.is_past_recovery(&memory, now) {
                gone.push(memory.id);
            } else if policy.is_expired(&memory, now) {
                too_old.push(memory);
            }
        }
        result.long_term_entries_deleted += too_old.len() as u64;
        result.forgotten_entries_purged += gone.len() as u64;
        result
            .memories
            .extend(too_old.iter().map(|it| it.id.clone()));
        result.memories.extend(gone.iter().cloned());
        let (snapshots, bytes) = self.snapshots_to_delete(agent, &policy, now)?;
        result.snapshots_deleted += snapshots.len() as u64;
        let desk = self.desk(caller, agent)?;
        let held = desk.working.all();
        let too_long = held.filter(|(_, _, entry)| policy.is_entry_expired(entry, now));
        result.working_entries_deleted += too_long.count() as u64;
        if result.dry_run {
            return Ok(());
        }
        if policy.working_max_age_days.is_some() {
            self.at_desk(caller, agent, |desk| {
                let stays = |entry: &_| !policy.is_entry_expired(entry, now);
                Ok(desk.working.retain(|_, _, entry| stays(entry)))
            })?;
        }
        let before = self.bytes_of(caller, &space)?;
        self.forget(
            caller,
            &too_old,
            "retention: it is older than the policy of its agent allows",
        )?;
        let reason = "retention: it was forgotten, and the time to bring it back is over";
        self.erase_ids(caller, gone, reason)?;
        for paper in &snapshots {
            self.store.edit_paper(paper, &mut |_| Ok(None))?;
        }
        let after = self.bytes_of(caller, &space)?;
        result.bytes_freed += before.saturating_sub(after) + bytes;
        self.note_run(agent, now)
    }

    /// The snapshots that are too many or too old, and how many bytes they have. One that can't
    /// be read is left alone.
    fn snapshots_to_delete(
        &self,
        agent: &AgentId,
        policy: &RetentionPolicy,
        now: Time,
    ) -> Result<(Vec<Paper>, u64)> {
        let mut dated: Vec<(Time, u64, Paper)> = Vec::new();
        for paper in self.store.papers(PaperSort::Snapshot)? {
            if paper.agent() != Some(agent) {
                continue;
            }
            let content = self.store.paper(&paper)?.unwrap_or_default();
            if let Ok(told) = snapshot::read_head(&content) {
                dated.push((told.created_at, told.bytes, paper));
            }
        }
        dated.sort_by_key(|(created_at, ..)| std::cmp::Reverse(created_at.micros()));
        let most = policy
            .max_snapshots
            .map_or(usize::MAX, |most| most as usize);
        let is_old = |created_at: &Time| {
            let days = policy.snapshot_max_age_days;
            days.is_some_and(|days| is_past(created_at.micros(), days, now))
        };
        let goes = dated.into_iter().enumerate();
        let goes = goes.filter(|(place, (created_at, ..))| *place >= most || is_old(created_at));
        let goes: Vec<(u64, Paper)> = goes.map(|(_, (_, bytes, paper))| (bytes, paper)).collect();
        let bytes = goes.iter().map(|(bytes, _)| bytes).sum();
        Ok((goes.into_iter().map(|(_, paper)| paper).collect(), bytes))
    }

    fn note_run(&self, agent: &AgentId, at: Time) -> Result<()> {
        let paper = Paper::Retention(agent.clone());
        self.store.edit_paper(&paper, &mut |before| {
            let Some(before) = before else {
                return Ok(None);
            };
            let last_run = Some(at);
            Ok(Some(written(&Written {
                last_run,
                ..read::<Written>(&paper, before)?
            })))
        })
    }

    fn written_policy(&self, agent: &AgentId) -> Result<Option<Written>> {
        let paper = Paper::Retention(agent.clone());
        let content = self.store.paper(&paper)?;
        content.map(|content| read(&paper, &content)).transpose()
    }

    fn agents_with_policy(&self) -> Result<Vec<AgentId>> {
        let papers = self.store.papers(PaperSort::Retention)?;
        Ok(papers.iter().filter_map(|it| it.agent().cloned()).collect())
    }
}

impl RetentionResult {
    /// How many entries are gone, of whatever sort.
    pub fn entries_deleted(&self) -> u64 {
        self.working_entries_deleted
            + self.long_term_entries_deleted
            + self.forgotten_entries_purged
    }
}

impl Written {
    /// Whether maintenance has to carry it out.
    fn is_due(&self, now: Time) -> bool {
        let Some(last) = self.last_run.filter(|_| self.policy.auto_cleanup) else {
            return self.policy.auto_cleanup;
        };
        let last = last.timestamp().to_zoned(TimeZone::UTC);
        let next = self.policy.schedule.next_after(&last);
        next.is_some_and(|next| next.timestamp() <= now.timestamp())
    }
}
