//! Compaction: sessions that fill up, what leaves them, and how it comes back.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use super::filling::percent;
use super::maintain::PAST_RECOVERY;
use super::remember::check_reason;
use super::shown::hidden_of;
use crate::caller::{Caller, Operation, Sight};
use crate::compact::{Item, Plan, Reach, Settings, Situation, Size, is_summary};
use crate::decay::At;
use crate::engine::Mnemon;
use crate::error::{Error, Result};
use crate::event::SessionChange;
use crate::memory::{Memory, MemoryId, SessionId, Space};
use crate::session::Session;
use crate::store::{Compacted, Compaction, Grown, Measure, Return};

/// So often at least a compaction is planned anew because somebody wrote meanwhile.
const ATTEMPTS: usize = 3;

/// What a compaction was to do, and did.
#[derive(Clone, Debug, PartialEq)]
pub struct CompactionReport {
    /// Which session.
    pub session: SessionId,
    /// What was planned.
    pub plan: Plan,
    /// The bytes of the session before.
    pub bytes_before: u64,
    /// What it came to; none if it was only planned, or if there was nothing to do.
    pub done: Option<Compacted>,
}

impl Mnemon {
    /// What a session is made of, how soon it is full, and what a compaction would free.
    pub fn session_size(&self, caller: &Caller, id: &SessionId) -> Result<Size> {
        caller.may(Operation::SessionSize)?;
        let sight = Sight::of(caller);
        let session = self.require_session(id)?;
        let quota = self.config.storage.session_bytes_max;
        let stats = self.store.stats()?;
        let (measure, items) = self.items(&session.id)?;
        let share = u128::from(stats.index_bytes) * u128::from(measure.log_bytes)
            / u128::from(stats.log_bytes.max(1));
        let index_bytes = u64::try_from(share).unwrap_or(stats.index_bytes);
        let mut size = self.in_situation(&session, &measure, &items, |situation| {
            Size::of(situation, &measure, quota, index_bytes)
        })?;
        let hidden = hidden_of(&items, &sight);
        size.largest.retain(|item| !hidden.contains(&item.id));
        Ok(size)
    }

    /// What a compaction would do; an archived session is looked into and stays archived.
    pub fn plan_compaction(
        &self,
        caller: &Caller,
        id: &SessionId,
        reach: Reach,
    ) -> Result<CompactionReport> {
        caller.may(Operation::PlanCompaction)?;
        let session = self.require_session(id)?;
        let report = self.planned(&session, |situation| Plan::new(situation, reach))?;
        self.shown_report(caller, report)
    }

    /// Compacts a session; what leaves it can be brought back by [`Self::bring_back`].
    pub fn compact(
        &self,
        caller: &Caller,
        id: &SessionId,
        reach: Reach,
    ) -> Result<CompactionReport> {
        caller.may(Operation::Compact)?;
        let session = self.open_session(caller, id)?;
        let plan = |situation: &Situation<'_>| Plan::new(situation, reach);
        let report = self.carry_out(caller, &session, reach.as_str(), plan)?;
        self.shown_report(caller, report)
    }

    /// Compacts the sessions that filled up since this was last called; call it
    /// when nobody waits, because it takes as long as it takes to read them.
    pub fn compact_what_is_due(&self, caller: &Caller) -> Vec<Result<CompactionReport>> {
        if let Err(refused) = caller.may(Operation::CompactWhatIsDue) {
            return vec![Err(refused)];
        }
        let due = std::mem::take(&mut *self.due());
        let mut due: Vec<_> = due.into_iter().collect();
        due.sort();
        due.iter()
            .map(|(session, reach)| self.compact(caller, session, *reach))
            .collect()
    }

    /// Whether [`Self::compact_what_is_due`] has anything to do.
    pub fn has_due(&self) -> bool {
        !self.due().is_empty()
    }

    /// Brings back memories that were compacted away, as they were, where they were: those
    /// of these ids, or all of the session. Gives their ids.
    pub fn bring_back(
        &self,
        caller: &Caller,
        id: &SessionId,
        ids: Option<&[MemoryId]>,
        reason: &str,
    ) -> Result<Vec<MemoryId>> {
        caller.may(Operation::BringBack)?;
        check_reason(reason)?;
        self.check_seen(caller, ids.unwrap_or_default())?;
        let mut attempts = self.attempts();
        loop {
            // Somebody may archive it between two attempts.
            let session = self.open_session(caller, id)?;
            let ids = match ids {
                Some(ids) => Some(ids.to_vec()),
                None => self.away_seen(caller, &session.id)?,
            };
            let wanted = Return {
                session: session.id.clone(),
                by: caller.name().to_owned(),
                reason: self.redactor.redact(reason).text,
                at: self.clock.now(),
                summaries: self.needless_summaries(&session.id, ids.as_deref())?,
                ids,
            };
            match self.store.bring_back(&wanted) {
                Err(Error::LogReplaced { .. }) if attempts.are_left() => {}
                brought => {
                    let brought = brought?;
                    self.publish_change(&session.id, SessionChange::Restored);
                    return self.without_needless_summaries(brought, wanted);
                }
            }
        }
    }

    /// Summaries that came back themselves can stand for nothing any more as well.
    fn without_needless_summaries(
        &self,
        mut brought: Vec<MemoryId>,
        wanted: Return,
    ) -> Result<Vec<MemoryId>> {
        let needless = self.needless_summaries(&wanted.session, Some(&[]))?;
        if !needless.is_empty() {
            brought.retain(|id| !needless.contains(id));
            self.store.bring_back(&Return {
                ids: Some(Vec::new()),
                summaries: needless,
                ..wanted
            })?;
        }
        Ok(brought)
    }

    /// Brings back what was forgotten or compacted, by name; gives the ids that it changed.
    pub fn unforget_named(
        &self,
        caller: &Caller,
        names: &[String],
        session: Option<&SessionId>,
        reason: &str,
    ) -> Result<Vec<MemoryId>> {
        caller.may(Operation::UnforgetNamed)?;
        check_reason(reason)?;
        let mut forgotten: Vec<Memory> = Vec::new();
        let mut compacted: HashMap<SessionId, Vec<MemoryId>> = HashMap::new();
        for name in names {
            match self.find(caller, name, session) {
                Err(Error::Compacted { id, session, .. }) => {
                    compacted
                        .entry(session.parse()?)
                        .or_default()
                        .push(id.parse()?);
                }
                found => forgotten.push(found?),
            }
        }
        let mut changed = Vec::new();
        for (session, ids) in &compacted {
            changed.extend(self.bring_back(caller, session, Some(ids), reason)?);
        }
        // Who asked for them wants to keep them: that counts, or they would be the next to go.
        for id in &changed {
            let back = self.find(caller, id.as_str(), None)?;
            self.count_access(&back);
            if back.state.forgotten.is_some() {
                forgotten.push(back);
            }
        }
        changed.extend(self.unforget(caller, &forgotten, reason)?);
        changed.sort();
        changed.dedup();
        Ok(changed)
    }

    /// Puts memories that come from elsewhere to where they were: compacted away.
    pub(super) fn compact_again(
        &self,
        caller: &Caller,
        space: &Space,
        ids: Vec<MemoryId>,
    ) -> Result<()> {
        let Some(session) = space.session().filter(|_| !ids.is_empty()) else {
            return Ok(());
        };
        let compaction = Compaction {
            session: session.clone(),
            by: caller.name().to_owned(),
            now: self.clock.now(),
            reason: "import".into(),
            shelve: ids,
            purge: Vec::new(),
            summaries: Vec::new(),
            limits: self.limits(),
        };
        let mut attempts = self.attempts();
        loop {
            // Somebody may archive it between two attempts.
            self.open_session(caller, session)?;
            match self.store.compact(&compaction) {
                Err(Error::LogReplaced { .. }) if attempts.are_left() => {}
                done => return done.map(drop),
            }
        }
    }

    /// Takes note of whether a session is due after a write.
    pub(super) fn note_growth(&self, space: &Space, grown: Option<Grown>) {
        let (Some(session), Some(grown)) = (space.session(), grown) else {
            return;
        };
        let limit_bytes = self.config.storage.session_bytes_max;
        let [before, after] =
            [grown.from_bytes, grown.to_bytes].map(|bytes| percent(bytes, limit_bytes));
        // Not with every write: what could not go a moment ago can't go now.
        if before < after
            && let Ok(settings) = self.compaction_settings(session)
            && let Some(reach) = settings.due(grown.to_bytes, limit_bytes)
        {
            self.due().insert(session.clone(), reach);
        }
    }

    /// Makes room for a write that did not fit; whether there is more than before.
    pub(super) fn make_room(&self, caller: &Caller, space: &Space, full: &Error) -> bool {
        let (
            Some(session),
            Error::SessionFull {
                used_bytes,
                needed_bytes,
                limit_bytes,
                ..
            },
        ) = (space.session(), full)
        else {
            return false;
        };
        let missing = (used_bytes + needed_bytes).saturating_sub(*limit_bytes);
        let may = self.compaction_settings(session).is_ok_and(|it| it.enabled);
        let Some(session) = self.require_session(session).ok().filter(|_| may) else {
            return false;
        };
        let reach = Reach::Aggressive;
        let done = self.carry_out(caller, &session, reach.as_str(), |situation| {
            let target = situation.settings.target_bytes(reach, situation.log_bytes);
            Plan::to_free(situation, target.max(missing))
        });
        // The refusal says enough; why it could not be compacted is another story.
        done.is_ok_and(|report| {
            report
                .done
                .is_some_and(|done| done.bytes_after < done.bytes_before)
        })
    }

    fn compaction_settings(&self, session: &SessionId) -> Result<Settings> {
        let session = self.require_session(session)?;
        self.config
            .compaction
            .with_session(&session.details.compaction)
    }

    /// Plans and does it, anew if somebody wrote meanwhile.
    fn carry_out(
        &self,
        caller: &Caller,
        session: &Session,
        reason: &str,
        plan: impl Fn(&Situation<'_>) -> Plan,
    ) -> Result<CompactionReport> {
        let failed = |source| Error::CompactionFailed {
            session: session.id.to_string(),
            source: Box::new(source),
        };
        let mut attempts = self.attempts();
        loop {
            let session = &self.open_session(caller, &session.id)?;
            let mut report = self.planned(session, &plan)?;
            if report.plan.actions.is_empty() {
                return Ok(report);
            }
            if self.erase_what_is_quoted(caller, session, &report.plan)? {
                continue;
            }
            let compaction = self.compaction(caller, session, reason, &report.plan)?;
            match self.store.compact(&compaction) {
                Ok(done) => {
                    self.publish_change(&session.id, SessionChange::Compacted);
                    report.done = Some(done);
                    return Ok(report);
                }
                Err(Error::LogReplaced { .. }) if attempts.are_left() => {}
                Err(error) => return Err(failed(error)),
            }
        }
    }

    /// Erases what a plan would purge if a summary quotes any of it, and whether it did: a
    /// compaction takes lines away, but does not make summaries say something else.
    fn erase_what_is_quoted(
        &self,
        caller: &Caller,
        session: &Session,
        plan: &Plan,
    ) -> Result<bool> {
        let purged: HashSet<&MemoryId> = plan.purged().collect();
        if purged.is_empty() {
            return Ok(false);
        }
        let mut is_quoted = false;
        self.store
            .walk(&[Space::Session(session.id.clone())], &mut |memory| {
                let mut links = memory.links.iter();
                is_quoted |= is_summary(&memory) && links.any(|it| purged.contains(&it.to));
                Ok(())
            })?;
        if is_quoted {
            let ids = purged.into_iter().cloned().collect();
            self.erase_ids(caller, ids, PAST_RECOVERY)?;
        }
        Ok(is_quoted)
    }

    /// As long as one would wait for the lock.
    pub(super) fn attempts(&self) -> Attempts {
        let patience = Duration::from_millis(self.config.lock.timeout_ms);
        Attempts {
            until: Instant::now() + patience,
            made: 0,
        }
    }

    /// A plan as the store carries it out.
    fn compaction(
        &self,
        caller: &Caller,
        session: &Session,
        reason: &str,
        plan: &Plan,
    ) -> Result<Compaction> {
        let mut summaries = Vec::new();
        for summary in plan.actions.iter().filter_map(|it| it.summary.as_ref()) {
            let mut draft = summary.clone();
            // What it quotes may have been kept under other settings.
            self.redactor.redact_draft(&mut draft)?;
            summaries.push((self.id_for(&draft), draft));
        }
        Ok(Compaction {
            session: session.id.clone(),
            by: caller.name().to_owned(),
            now: self.clock.now(),
            reason: reason.to_owned(),
            shelve: plan.shelved().cloned().collect(),
            purge: plan.purged().cloned().collect(),
            summaries,
            limits: self.limits(),
        })
    }

    fn planned(
        &self,
        session: &Session,
        plan: impl Fn(&Situation<'_>) -> Plan,
    ) -> Result<CompactionReport> {
        let (measure, items) = self.items(&session.id)?;
        Ok(CompactionReport {
            session: session.id.clone(),
            plan: self.in_situation(session, &measure, &items, plan)?,
            bytes_before: measure.log_bytes,
            done: None,
        })
    }

    fn in_situation<T>(
        &self,
        session: &Session,
        measure: &Measure,
        items: &[Item],
        ask: impl FnOnce(&Situation<'_>) -> T,
    ) -> Result<T> {
        let own = &session.details.compaction;
        let settings = self.config.compaction.with_session(own)?;
        let rules = self.current_rules()?;
        Ok(ask(&Situation {
            items,
            log_bytes: measure.log_bytes,
            settings: &settings,
            at: At {
                rules: &rules,
                now_micros: self.clock.now_micros(),
            },
        }))
    }

    /// Everything in a session with its bytes, and with accesses that are not written yet.
    fn items(&self, session: &SessionId) -> Result<(Measure, Vec<Item>)> {
        let measure = self.store.measure(session)?;
        let weights: HashMap<&MemoryId, u64> = measure
            .weights
            .iter()
            .map(|weight| (&weight.id, weight.bytes()))
            .collect();
        let mut items = Vec::new();
        self.store
            .walk(&[Space::Session(session.clone())], &mut |memory| {
                // What came in after it was measured is too young to go anyway.
                let bytes = weights.get(&memory.id).copied().unwrap_or(0);
                items.push(Item { memory, bytes });
                Ok(())
            })?;
        let accesses = self.accesses();
        for Item { memory, .. } in &mut items {
            if let Some((_, _, last)) = accesses.get(&memory.id) {
                memory.state.last_access = memory.state.last_access.max(Some(*last));
            }
        }
        drop(accesses);
        Ok((measure, items))
    }

    /// Summaries of which every turn is back, unless somebody made them their own.
    fn needless_summaries(
        &self,
        session: &SessionId,
        ids: Option<&[MemoryId]>,
    ) -> Result<Vec<MemoryId>> {
        let mut summaries: Vec<Memory> = Vec::new();
        let mut there: HashSet<MemoryId> = HashSet::new();
        self.store
            .walk(&[Space::Session(session.clone())], &mut |memory| {
                there.insert(memory.id.clone());
                if is_summary(&memory) && memory.version == 1 && !memory.pinned {
                    summaries.push(memory);
                }
                Ok(())
            })?;
        match ids {
            Some(ids) => there.extend(ids.iter().cloned()),
            None => {
                let all = self.store.away_in(session)?;
                there.extend(all.into_iter().map(|shelved| shelved.id));
            }
        }
        summaries.retain(|summary| summary.links.iter().all(|link| there.contains(&link.to)));
        Ok(summaries.into_iter().map(|summary| summary.id).collect())
    }
}

/// How often something is tried that others keep from being done.
pub(super) struct Attempts {
    until: Instant,
    made: usize,
}

impl Attempts {
    /// After one that failed: as long as one would wait for the lock, and a few times at least.
    pub(super) fn are_left(&mut self) -> bool {
        self.made += 1;
        self.made < ATTEMPTS || Instant::now() < self.until
    }
}
