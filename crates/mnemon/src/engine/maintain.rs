//! Maintenance: all that is due, or a little of what is long overdue.
//!
//! Nothing here is on anybody's way: questions never do it, and a write does
//! its little only after it was acknowledged. Every step can be taken again,
//! so it may end at any point.

mod copies;

use std::collections::HashSet;
use std::time::Instant;

use jiff::tz::TimeZone;

use crate::caller::{Caller, Operation, Who};
use crate::engine::{Mnemon, RetentionResult};
use crate::error::{Error, Result};
use crate::memory::{AgentId, Memory, MemoryId, SessionId, Space};
use crate::schedule::Schedule;
use crate::store::{Filter, Forgottenness, Job, JobTimes, Sort, Tended};
use crate::time::{DAY_MICROS, Time};

pub use copies::ScheduledBackup;

/// What is not done for a day after its time is long overdue.
const OVERDUE_MICROS: i64 = DAY_MICROS;

/// At most so many memories are forgotten or removed between two looks at the clock.
const CHUNK: usize = 200;

/// Why what was forgotten is removed for good.
pub(super) const PAST_RECOVERY: &str = "it was forgotten, and the time to bring it back is over";

/// How much is to be done.
#[derive(Clone, Copy, Debug, Default)]
pub struct MaintainOptions {
    /// Only tell what would be done.
    pub dry_run: bool,
    /// With it, also what will be due within so many days.
    pub ahead_days: u32,
    /// When to stop, whatever is left.
    pub until: Option<Instant>,
}

/// What was done, or would be.
#[derive(Debug, Default)]
pub struct Maintained {
    /// Memories whose retention is over.
    pub forgotten: Vec<Expired>,
    /// Memories that were forgotten and are past recovery, now removed for good.
    pub purged: Vec<MemoryId>,
    /// Deleted sessions that are past recovery, now removed for good.
    pub purged_sessions: Vec<SessionId>,
    /// Sessions that nobody used.
    pub archived: Vec<SessionId>,
    /// What was put in order; nothing in a dry run.
    pub tended: Option<Tended>,
    /// What the retention policies of agents did, if the time of any had come.
    pub policies: Option<RetentionResult>,
    /// The agents whose snapshot was due, and was taken.
    pub snapshots: Vec<AgentId>,
    /// The back-up that was due.
    pub backup: Option<ScheduledBackup>,
    /// What failed; the rest was done.
    pub failures: Vec<Error>,
    /// Whether time was enough for all of it.
    pub complete: bool,
}

/// How far a job got.
enum Done {
    Completely,
    InPart,
    NotDue,
}

/// A memory whose retention is over.
#[derive(Clone, Debug)]
pub struct Expired {
    /// Which.
    pub id: MemoryId,
    /// Where it lives.
    pub space: Space,
    /// Since when, or from when on.
    pub at: Time,
    /// Which rule says so.
    pub reason: String,
}

impl Mnemon {
    /// Does all that is due, whatever the schedules say.
    pub fn maintain(&self, caller: &Caller, options: &MaintainOptions) -> Result<Maintained> {
        caller.may(Operation::Maintain)?;
        if !options.dry_run {
            self.flush(caller)?;
        }
        self.do_as_user(caller, &Job::ALL, options)
    }

    /// Upkeep is done on behalf of the user, whoever lends the time for it; an agent is not told
    /// to what.
    fn do_as_user(
        &self,
        caller: &Caller,
        jobs: &[Job],
        options: &MaintainOptions,
    ) -> Result<Maintained> {
        if matches!(caller.who, Who::User(_)) {
            return self.do_jobs(caller, jobs, options);
        }
        let user = Caller::user(&self.config.defaults.user);
        let done = self.do_jobs(&user, jobs, options)?;
        Ok(Maintained {
            // What failed may name what the agent does not see.
            complete: done.complete && done.failures.is_empty(),
            tended: done.tended,
            ..Maintained::default()
        })
    }

    /// Does some of what should have been done a day ago; the schedules are in that zone.
    ///
    /// Does nothing, and costs next to nothing, while all is in time.
    pub fn maintain_overdue(
        &self,
        caller: &Caller,
        zone: &TimeZone,
        until: Instant,
    ) -> Result<Maintained> {
        caller.may(Operation::MaintainOverdue)?;
        let mut overdue = self.jobs_since(OVERDUE_MICROS, zone)?;
        // A back-up is no small step, and nobody waits for one.
        overdue.retain(|job| *job != Job::Backup);
        let options = MaintainOptions {
            until: Some(until),
            ..MaintainOptions::default()
        };
        self.do_as_user(caller, &overdue, &options)
    }

    /// Does all whose time has come, for a program that stays and asks every minute or so; the
    /// schedules are in that zone.
    pub fn maintain_due(&self, caller: &Caller, zone: &TimeZone) -> Result<Maintained> {
        caller.may(Operation::MaintainDue)?;
        let due = self.jobs_since(0, zone)?;
        self.do_as_user(caller, &due, &MaintainOptions::default())
    }

    /// The jobs whose time came so long ago.
    fn jobs_since(&self, late_micros: i64, zone: &TimeZone) -> Result<Vec<Job>> {
        if !self.config.maintenance.enabled {
            return Ok(Vec::new());
        }
        let now = self.clock.now();
        let mut times = self.store.job_times()?;
        let is_new = Job::ALL.iter().any(|job| !times.contains_key(job));
        if is_new {
            // From now on it is known since when.
            for job in Job::ALL {
                times.entry(job).or_insert(now);
            }
            self.store.note_job_times(&times)?;
        }
        let user = Caller::user(&self.config.defaults.user);
        let mut due = Vec::new();
        for job in Job::ALL {
            let is_due = match self.schedule(job) {
                Some(schedule) => is_due(schedule, times[&job], now, late_micros, zone),
                None if job == Job::Backup => self.is_backup_due(Some(times[&job]), now),
                // Every agent has a schedule of its own.
                None => !self.take_due_snapshots(&user, true)?.is_empty(),
            };
            if is_due {
                due.push(job);
            }
        }
        Ok(due)
    }

    fn do_jobs(
        &self,
        caller: &Caller,
        jobs: &[Job],
        options: &MaintainOptions,
    ) -> Result<Maintained> {
        let mut done = Maintained {
            complete: true,
            ..Maintained::default()
        };
        // What the other jobs write must not count as use.
        let unused = self.unused_sessions(jobs, options)?;
        let mut finished = JobTimes::new();
        for job in jobs {
            let began = self.clock.now();
            match self.do_job(caller, *job, &unused, options, &mut done) {
                Ok(Done::Completely) => drop(finished.insert(*job, began)),
                Ok(Done::NotDue) => {}
                Ok(Done::InPart) => done.complete = false,
                // One that fails keeps nobody from the others.
                Err(error) => done.failures.push(error),
            }
        }
        if !options.dry_run && !finished.is_empty() {
            let mut times = self.store.job_times()?;
            times.extend(finished);
            self.store.note_job_times(&times)?;
        }
        Ok(done)
    }

    fn do_job(
        &self,
        caller: &Caller,
        job: Job,
        unused: &[SessionId],
        options: &MaintainOptions,
        done: &mut Maintained,
    ) -> Result<Done> {
        let is_complete = match job {
            Job::Retention => {
                done.policies = self.run_due_retention(caller, options.dry_run)?;
                self.forget_expired(caller, options, done)?
            }
            Job::Purge => self.purge_what_is_over(caller, options, done)?,
            Job::Archive => self.archive_unused(caller, unused, options, done)?,
            Job::Index => self.tend_index(options, done)?,
            Job::Snapshots => {
                done.snapshots = self.take_due_snapshots(caller, options.dry_run)?;
                true
            }
            // Its time is that of the last one, not when it was last asked for.
            Job::Backup if !self.back_up_if_due(caller, options, done)? => {
                return Ok(Done::NotDue);
            }
            Job::Backup => true,
        };
        Ok(if is_complete {
            Done::Completely
        } else {
            Done::InPart
        })
    }

    fn forget_expired(
        &self,
        caller: &Caller,
        options: &MaintainOptions,
        done: &mut Maintained,
    ) -> Result<bool> {
        let retention = &self.config.retention;
        if !retention.enabled {
            return Ok(true);
        }
        let horizon = self.horizon(options);
        // What is archived is out of the way already; opening it would make it young again.
        let archived: HashSet<SessionId> = self
            .store
            .sessions()?
            .into_iter()
            .filter(|session| session.archived.is_some())
            .map(|session| session.id)
            .collect();
        let mut expired: Vec<(Memory, Expired)> = Vec::new();
        self.store.walk(&[], &mut |mut memory| {
            // What was asked for and not written down yet counts as well.
            let asked = self.accesses().get(&memory.id).map(|(_, _, last)| *last);
            memory.state.last_access = memory.state.last_access.max(asked);
            let is_put_away = memory
                .space
                .session()
                .is_some_and(|session| archived.contains(session));
            if let Some(expiry) = retention.expiry(&memory)
                && expiry.at <= horizon
                && !is_put_away
            {
                let own = Expired {
                    id: memory.id.clone(),
                    space: memory.space.clone(),
                    at: expiry.at,
                    reason: expiry.reason,
                };
                expired.push((memory, own));
            }
            Ok(())
        })?;
        expired.sort_by_key(|(_, own)| own.at.micros());
        for chunk in expired.chunks(CHUNK) {
            if is_over(options) {
                return Ok(false);
            }
            if !options.dry_run {
                // Those of a kind and a day have one reason, and go together.
                for alike in chunk.chunk_by(|a, b| a.1.reason == b.1.reason) {
                    let memories: Vec<Memory> = alike.iter().map(|(it, _)| it.clone()).collect();
                    self.forget(caller, &memories, &alike[0].1.reason)?;
                }
            }
            done.forgotten
                .extend(chunk.iter().map(|(_, own)| own.clone()));
        }
        Ok(true)
    }

    fn purge_what_is_over(
        &self,
        caller: &Caller,
        options: &MaintainOptions,
        done: &mut Maintained,
    ) -> Result<bool> {
        let horizon = self.horizon(options);
        // One by one they may take long: not for who only lends a moment.
        if !options.dry_run && options.until.is_none() {
            self.drop_old_requests(caller, self.requests_kept_since())?;
        }
        for session in self.sessions_overdue_at(caller, horizon)? {
            if is_over(options) {
                return Ok(false);
            }
            if !options.dry_run {
                let reason = "it was deleted, and the time to bring it back is over";
                self.purge_session_because(caller, &session.session_id, reason)?;
            }
            done.purged_sessions.push(session.session_id);
        }
        let now = self.clock.now();
        let at_hand = self.store.select(&Filter {
            forgotten: Forgottenness::Only,
            sort: Sort::Oldest,
            limit: usize::MAX,
            ..Filter::all(now.micros())
        })?;
        let at_hand = at_hand.memories.iter();
        let mut ids: Vec<MemoryId> = at_hand
            .filter_map(|it| past_recovery(it, horizon))
            .collect();
        if is_over(options) {
            return Ok(ids.is_empty());
        }
        let complete = self.past_recovery_put_away(options, &done.purged_sessions, &mut ids)?;
        if !options.dry_run && !ids.is_empty() {
            // All at once: each erasure writes its logs anew.
            self.erase_ids(caller, ids.clone(), PAST_RECOVERY)?;
        }
        done.purged.extend(ids);
        Ok(complete)
    }

    /// Finds what is past recovery in archived and in deleted sessions; false if time was up.
    fn past_recovery_put_away(
        &self,
        options: &MaintainOptions,
        purged: &[SessionId],
        ids: &mut Vec<MemoryId>,
    ) -> Result<bool> {
        let horizon = self.horizon(options);
        for session in self.store.sessions_with_forgotten_put_away()? {
            if is_over(options) {
                return Ok(false);
            }
            if purged.contains(&session) {
                // In a preview it is still there.
                continue;
            }
            let looked = self.store.put_away(&[session], &mut |located| {
                ids.extend(past_recovery(&located.memory, horizon));
                Ok(())
            });
            match looked {
                // One damaged archive keeps nobody from the others; `verify` tells of it.
                Err(Error::Corrupt { .. }) => {}
                looked => looked?,
            }
        }
        Ok(true)
    }

    /// The sessions that are due for their archive.
    fn unused_sessions(&self, jobs: &[Job], options: &MaintainOptions) -> Result<Vec<SessionId>> {
        if !jobs.contains(&Job::Archive) {
            return Ok(Vec::new());
        }
        let horizon = self.horizon(options);
        let mut sessions = self.store.sessions()?;
        sessions.retain(|session| session.is_due_for_archive(horizon, &self.config.sessions));
        // What was asked for there is use, written down or not.
        let asked: HashSet<SessionId> = self
            .accesses()
            .values()
            .filter_map(|(space, ..)| space.session().cloned())
            .collect();
        sessions.retain(|session| !asked.contains(&session.id));
        Ok(sessions.into_iter().map(|session| session.id).collect())
    }

    fn archive_unused(
        &self,
        caller: &Caller,
        unused: &[SessionId],
        options: &MaintainOptions,
        done: &mut Maintained,
    ) -> Result<bool> {
        for session in unused {
            if is_over(options) {
                return Ok(false);
            }
            if !options.dry_run {
                let days = self.config.sessions.archive_after_days;
                let reason = format!("not used for {days} days");
                self.archive_session(caller, session, Some(&reason))?;
            }
            done.archived.push(session.clone());
        }
        Ok(true)
    }

    fn tend_index(&self, options: &MaintainOptions, done: &mut Maintained) -> Result<bool> {
        if is_over(options) {
            return Ok(false);
        }
        if !options.dry_run {
            done.tended = Some(self.store.tend()?);
        }
        Ok(true)
    }

    /// What is due until then is looked at: now, or later in a preview.
    fn horizon(&self, options: &MaintainOptions) -> Time {
        let days = if options.dry_run {
            options.ahead_days
        } else {
            0
        };
        let ahead = i64::from(days) * DAY_MICROS;
        Time::nearest_to_micros(self.clock.now_micros() + ahead)
    }

    /// When a job is done, if the settings say so in the user's zone.
    fn schedule(&self, job: Job) -> Option<&Schedule> {
        let maintenance = &self.config.maintenance;
        match job {
            Job::Retention => Some(&maintenance.retention),
            Job::Purge => Some(&maintenance.purge),
            Job::Archive => Some(&maintenance.archive),
            Job::Index => Some(&maintenance.index),
            Job::Snapshots | Job::Backup => None,
        }
    }
}

/// The id of a memory that was forgotten and can't be brought back any more.
fn past_recovery(memory: &Memory, now: Time) -> Option<MemoryId> {
    let forgotten = memory.state.forgotten.as_ref()?;
    (forgotten.recover_until <= now).then(|| memory.id.clone())
}

fn is_over(options: &MaintainOptions) -> bool {
    options.until.is_some_and(|until| Instant::now() >= until)
}

/// Whether the next time after the last one is over since so long.
fn is_due(schedule: &Schedule, last: Time, now: Time, late_micros: i64, zone: &TimeZone) -> bool {
    let last = last.timestamp().to_zoned(zone.clone());
    schedule.next_after(&last).is_some_and(|next| {
        let next = Time::nearest_to_micros(next.timestamp().as_microsecond());
        now.micros() - next.micros() >= late_micros
    })
}
