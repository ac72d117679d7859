//! What a store does for the engine, whether it keeps files or tables.
//!
//! Invariant: a [`Batch`] is kept whole or not at all, and once
//! [`Store::commit`] has answered, every later question of anybody sees it.
//! Ranking, who sees what and the lifecycle of sessions are decided above; what
//! a caller sees comes with the filter. [`local`] is the store on files.

mod backup;
mod batch;
mod compaction;
mod erasure;
mod filter;
mod life;
pub mod local;
mod located;
mod maintenance;
mod measure;
mod paper;
mod report;
mod vectors;

pub use backup::{BackedUp, BroughtBack};
pub use batch::{Batch, Earlier, Grown, OnFull, Outcome, Receipt, Write};
pub use compaction::{Away, Compacted, Compaction, Return};
pub use erasure::{AuditEntry, Cleaned, Deed, Erased, Erasure, Renewal};
pub use filter::{Filter, Forgottenness, Selection, Sort, Status};
pub(crate) use filter::{contains_text, metadata_text as filter_text};
pub use life::{Archiving, Place, Shelved};
pub use located::{Located, Whereabouts};
pub use maintenance::{Job, JobTimes, Tended};
pub use measure::{Measure, Weight};
pub use paper::{Edit, Paper, PaperSort};
pub use report::{
    GoneLog, Progress, Quarantined, Reindexed, Repair, RepairOptions, SpaceStats, Stats,
    Verification, VerifyProblem,
};
pub use vectors::{SetState, Waiting, WaitingText};

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::embed::{SetName, TextKey, Vector};
use crate::error::{Error, Result};
use crate::memory::{Memory, MemoryId, Reference, SessionId, Space};
use crate::recall::{Authors, Candidates, Key, Probe};
use crate::seal::{Keyring, Ring, SealProblem};
use crate::session::{DeletedSession, Session, SessionDeed};
use crate::time::Time;

/// Where memories are kept: on files, in tables, or in a model of both.
pub trait Store: Send + Sync {
    /// Keeps a batch for good, whole or not at all; an archived session is opened first.
    fn commit(&self, batch: Batch) -> Result<Receipt>;

    /// Counts accesses if nothing has to be waited for, neither others nor the disk, and if no
    /// archived session would have to be opened; false if they were not counted.
    fn count(&self, batches: Vec<Batch>) -> Result<bool>;

    /// The memory of that name, forgotten ones included.
    fn find(&self, reference: &Reference) -> Result<Option<Memory>>;

    /// Where the memory of that name is, forgotten or not, in one consistent look: whatever
    /// becomes of its session meanwhile, it is somewhere.
    fn locate(&self, reference: &Reference) -> Result<Place>;

    /// The memories that fit a filter, one page of them, and how many fit in all.
    fn select(&self, filter: &Filter) -> Result<Selection>;

    /// Every memory that one of these names, and every one that names one of
    /// them (see [`Memory::mentions`]), forgotten ones included, by their ids.
    ///
    /// One question for all of them, so that a step away from many costs no more than it must.
    fn neighbours(&self, of: &[Memory]) -> Result<Vec<Memory>>;

    /// Takes one consistent look, for a question that needs several steps.
    ///
    /// It may be taken again from the start if something was amiss.
    fn look(&self, question: &mut dyn FnMut(&dyn View) -> Result<()>) -> Result<()>;

    /// The store as it was at a moment, to be asked only.
    fn as_of(&self, moment: Time) -> Result<Arc<dyn Store>>;

    /// Every memory of the spaces (of all if none is named), forgotten ones
    /// included, each space in the order in which it was written.
    ///
    /// What archived sessions hold is handed on too, and they stay archived.
    fn walk(&self, spaces: &[Space], each: &mut dyn FnMut(Memory) -> Result<()>) -> Result<()>;

    /// What happened to a memory, oldest first; empty if there is none.
    fn history(&self, id: &MemoryId) -> Result<Vec<Change>>;

    /// The session of that id.
    fn session(&self, id: &SessionId) -> Result<Option<Session>>;

    /// Whether there is such a session and it is not archived: every question that names one asks.
    fn is_open(&self, id: &SessionId) -> Result<bool> {
        Ok(self
            .session(id)?
            .is_some_and(|session| session.archived.is_none()))
    }

    /// Every session, archived ones included, the one with the latest activity first.
    fn sessions(&self) -> Result<Vec<Session>>;

    /// Puts a compressed archive and a summary in the place of a session; false if it is archived.
    fn archive(&self, archiving: &Archiving) -> Result<bool>;

    /// Opens an archived session, to the byte as it was; false if it is not archived.
    fn restore(&self, deed: &SessionDeed) -> Result<bool>;

    /// Notes that a session is in use again.
    fn activate(&self, deed: &SessionDeed) -> Result<()>;

    /// Puts a session into the trash, where it is kept at least until the deadline.
    fn delete_session(&self, deed: &SessionDeed, recovery_deadline: Time)
    -> Result<DeletedSession>;

    /// Takes a session out of the trash.
    fn undelete_session(&self, deed: &SessionDeed) -> Result<()>;

    /// Removes a session from the trash for good.
    fn purge_session(&self, deed: &SessionDeed) -> Result<()>;

    /// The sessions in the trash, the last that was deleted first.
    fn deleted_sessions(&self) -> Result<Vec<DeletedSession>>;

    /// Where a memory lies that is not found because its session is put away.
    fn shelved(&self, id: &MemoryId) -> Result<Option<Shelved>>;

    /// Counts and sizes.
    fn stats(&self) -> Result<Stats>;

    /// Checks everything that is kept against its checksums, and what is derived against it.
    fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<Verification>;

    /// Sets damage aside, makes what is derived anew, and says what was done.
    fn repair(&self, options: RepairOptions, progress: &mut dyn FnMut(Progress)) -> Result<Repair>;

    /// Makes what is derived anew.
    fn reindex(&self, progress: &mut dyn FnMut(Progress)) -> Result<Reindexed>;

    /// Texts that have no vector in a set yet, each once, at most so many.
    ///
    /// Not always the same ones, so that several who embed at once help each other.
    fn waiting(&self, set: &SetName, limit: usize) -> Result<Waiting>;

    /// Puts vectors into a set, none for a text that can't have one; what is there stays.
    ///
    /// Keeps no writer waiting: a set is derived, and can be made again.
    fn put_vectors(&self, set: &SetName, vectors: &[(TextKey, Option<Vector>)]) -> Result<()>;

    /// Notes that a set lacked nothing, so that it answers questions from now on.
    fn complete_set(&self, set: &SetName) -> Result<()>;

    /// How many bytes of a session are about what.
    fn measure(&self, session: &SessionId) -> Result<Measure>;

    /// Takes memories out of a session, whole or not at all; they can be brought back.
    ///
    /// Refused with [`Error::LogReplaced`] if anything happened to
    /// one of them meanwhile, so that another plan is due.
    fn compact(&self, compaction: &Compaction) -> Result<Compacted>;

    /// Brings back what was compacted: as it was, where it was. Gives the ids, sorted.
    fn bring_back(&self, wanted: &Return) -> Result<Vec<MemoryId>>;

    /// Everything in a session's archive that was compacted away, by id.
    fn away_in(&self, session: &SessionId) -> Result<Vec<Away>>;

    /// Hands on every memory that is put away, where no question finds it: compacted, in an
    /// archived session, or in a deleted one. Of these sessions, or of all if none is named.
    ///
    /// Nothing is opened for it. The summary of an archived session that was deleted is among them.
    fn put_away(
        &self,
        sessions: &[SessionId],
        each: &mut dyn FnMut(Located) -> Result<()>,
    ) -> Result<()>;

    /// The sessions among what is put away in which something may be forgotten, so that the
    /// others need not be read for it.
    fn sessions_with_forgotten_put_away(&self) -> Result<Vec<SessionId>>;

    /// Removes memories for good, from every place that it has; the ids are all there.
    ///
    /// Archived sessions stay archived, and deleted ones deleted.
    fn erase(&self, erasure: &Erasure) -> Result<Erased>;

    /// Which of these texts were erased here once.
    fn were_erased(&self, texts: &[&str]) -> Result<Vec<bool>>;

    /// What was forgotten, brought back and erased, and what became of sessions, the oldest first.
    fn audit(&self) -> Result<Vec<AuditEntry>>;

    /// Puts in order what is derived, and removes what crashes left.
    fn tend(&self) -> Result<Tended>;

    /// When each job was last done completely.
    fn job_times(&self) -> Result<JobTimes>;

    /// Notes when jobs were done.
    fn note_job_times(&self, times: &JobTimes) -> Result<()>;

    /// The wrapped data keys; none if there are none.
    fn ring(&self) -> Result<Option<Arc<Ring>>> {
        Ok(None)
    }

    /// Enters a deed that no log tells of into the audit.
    fn enter(&self, entry: &AuditEntry) -> Result<()>;

    /// Puts other data keys in the place of those that are there, whole or not at all.
    fn change_ring(&self, change: &mut dyn FnMut(Option<&Ring>) -> Result<Ring>) -> Result<()> {
        let _ = change;
        Err(Error::Crypto(SealProblem::NoRing))
    }

    /// The keys that this process holds; none if this store seals nothing.
    fn keyring(&self) -> Option<&Keyring> {
        None
    }

    /// Seals what is to be sealed and is not yet, in all its versions; how many memories that were.
    fn seal_what_is_clear(&self) -> Result<u64> {
        Ok(0)
    }

    /// What a paper says; nothing if there is none.
    fn paper(&self, paper: &Paper) -> Result<Option<Vec<u8>>>;

    /// Changes a paper, durably, whole or not at all, and while nobody else changes any; an error
    /// of the edit leaves it as it is.
    fn edit_paper(&self, paper: &Paper, edit: Edit<'_>) -> Result<()>;

    /// The papers of a sort that there are, in their order.
    fn papers(&self, sort: PaperSort) -> Result<Vec<Paper>>;

    /// Copies everything that is true, as it is at one moment, into a folder that is not there
    /// yet; others go on writing meanwhile.
    fn back_up(&self, folder: &Path) -> Result<BackedUp>;

    /// Writes what waits in memory (see [`OnFull::Buffer`]) and syncs what is not synced yet.
    fn flush(&self) -> Result<()>;

    /// Tells the store that it is shared, so that it may go on working for others on its own.
    fn be_shared(self: Arc<Self>) {}

    /// Tells the store that nobody will use it soon, so that it finishes what it does on its own.
    fn be_left(&self) {}
}

/// One consistent look at a store.
pub trait View {
    /// Everybody who wrote anything, by the number that candidates give.
    fn authors(&self) -> Result<Arc<Authors>>;

    /// What is known of the memories that could be meant.
    fn candidates(&self, probe: &Probe) -> Result<Candidates>;

    /// The sessions that fade in their own way, and what they say about it.
    fn session_decay(&self) -> Result<Vec<(SessionId, Map<String, Value>)>>;

    /// How far a set of vectors has come.
    fn set_state(&self, set: &SetName) -> Result<SetState>;

    /// The vector of a text in a set.
    fn vector_in(&self, set: &SetName, key: TextKey) -> Result<Option<Vector>>;

    /// The memories of these keys, in this order; the keys come from the same look.
    fn load(&self, keys: &[Key]) -> Result<Vec<Memory>>;
}

/// One thing that happened to a memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// When it was recorded.
    pub at: Time,
    /// Who did it.
    pub by: Option<String>,
    /// What it was.
    pub what: What,
}

/// What happened to a memory.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// It was kept; this is how.
    Kept(Box<Memory>),
    /// It was revised; this is how it was afterwards.
    Revised(Box<Memory>),
    /// It was forgotten, and why.
    Forgotten {
        /// Why.
        reason: String,
    },
    /// It was brought back, and why.
    Restored {
        /// Why.
        reason: String,
    },
}
