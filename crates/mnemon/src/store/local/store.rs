//! What a store does for the engine, done on files: each question and each deed by its module.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::{LocalOptions, LocalStore, audit, index, search};
use crate::embed::{SetName, TextKey, Vector};
use crate::error::{Error, Result};
use crate::memory::{Memory, MemoryId, Reference, SessionId, Space};
use crate::seal::{Keyring, Ring};
use crate::session::{DeletedSession, Session, SessionDeed};
use crate::store::{
    Archiving, AuditEntry, Away, BackedUp, Batch, Change, Compacted, Compaction, Edit, Erased,
    Erasure, Filter, JobTimes, Located, Measure, Paper, PaperSort, Place, Progress, Receipt,
    Reindexed, Repair, RepairOptions, Return, Selection, Shelved, Stats, Store, Tended,
    Verification, View, Waiting,
};
use crate::time::Time;

impl LocalStore {
    /// Hands on every memory of a space, each once, whatever becomes of its session meanwhile.
    fn walk_one(&self, space: &Space, each: &mut dyn FnMut(Memory) -> Result<()>) -> Result<()> {
        let (is_archived, pointers) = self.ask(|connection| {
            let is_archived = index::read::is_archived(connection, space);
            let pointers = index::read::pointers_of(connection, space);
            is_archived
                .and_then(|is_archived| Ok((is_archived, pointers?)))
                .map_err(Error::index("index"))
        })?;
        let mut handed_on: HashSet<MemoryId> = HashSet::new();
        let mut is_replaced = is_archived;
        for pointer in pointers.into_iter().take_while(|_| !is_archived) {
            let memory = match pointer.load(&self.files) {
                Err(Error::Damaged { .. })
                    if space.session().is_some() && self.looks_into.is_none() =>
                {
                    // Archived or compacted since the index was asked.
                    is_replaced = true;
                    break;
                }
                Err(Error::Damaged { id, .. }) => self.find(&Reference::Id(id.parse()?))?,
                loaded => Some(loaded?),
            };
            if let Some(memory) = memory {
                handed_on.insert(memory.id.clone());
                each(memory)?;
            }
        }
        let Some(session) = space.session().filter(|_| is_replaced) else {
            return Ok(());
        };
        self.look_into(session)?.walk_one(space, &mut |memory| {
            if handed_on.contains(&memory.id) {
                return Ok(());
            }
            each(memory)
        })
    }
}

impl Store for LocalStore {
    fn commit(&self, batch: Batch) -> Result<Receipt> {
        self.refuse_writing()?;
        self.commit_with_retries(batch)
    }

    fn count(&self, batches: Vec<Batch>) -> Result<bool> {
        self.refuse_writing()?;
        self.append_if_free(batches)
    }

    fn find(&self, reference: &Reference) -> Result<Option<Memory>> {
        let (found, damaged) =
            self.ask(|connection| match self.find_in(connection, reference)? {
                Some(memory) => Ok((Some(memory), None)),
                None => Ok((None, self.damage_about(connection, reference)?)),
            })?;
        // More than "not found": the only line about it can't be believed.
        damaged.map_or(Ok(found), Err)
    }

    fn locate(&self, reference: &Reference) -> Result<Place> {
        self.locate_on_disk(reference)
    }

    fn select(&self, filter: &Filter) -> Result<Selection> {
        self.ask(|connection| {
            index::read::refuse_archived(connection, filter)?;
            // From here on: an index that had to be made first is no fault of the question.
            let deadline = filter.patience.map(|it| Instant::now() + it);
            search::until(deadline, || {
                index::select::select(connection, &self.files, filter)
            })
        })
    }

    fn neighbours(&self, of: &[Memory]) -> Result<Vec<Memory>> {
        self.ask(|connection| index::neighbours::neighbours(connection, &self.files, of))
    }

    fn look(&self, question: &mut dyn FnMut(&dyn View) -> Result<()>) -> Result<()> {
        let question = std::cell::RefCell::new(question);
        self.ask_build(|connection| {
            let generation = connection.generation();
            let view = search::LocalView {
                connection,
                path: generation.path(),
                files: &self.files,
                embedder: &*self.options.embedder,
                chunks: &generation.chunks,
                pending: &generation.pending,
                postings: &generation.postings,
                vectors: &generation.vectors,
                sets: &self.sets,
                row_map: &generation.row_map,
                seen: connection.seen(),
                corpus: std::cell::OnceCell::new(),
            };
            (question.borrow_mut())(&view)
        })
    }

    fn as_of(&self, moment: Time) -> Result<Arc<dyn Store>> {
        let options = LocalOptions {
            index_in_memory: true,
            as_of: Some(moment),
            ..self.options.clone()
        };
        let disk = self.disk_as_of(moment)?;
        let mut past = Self::open_on(disk, self.layout.root(), options)?;
        past.sets = self.sets.clone();
        Ok(Arc::new(past))
    }

    fn walk(&self, spaces: &[Space], each: &mut dyn FnMut(Memory) -> Result<()>) -> Result<()> {
        let spaces = if spaces.is_empty() {
            self.spaces()?
        } else {
            spaces.to_vec()
        };
        for space in spaces {
            self.walk_one(&space, each)?;
        }
        Ok(())
    }

    fn history(&self, id: &MemoryId) -> Result<Vec<Change>> {
        self.ask(|connection| {
            let reference = Reference::Id(id.clone());
            match index::read::find(connection, &reference).map_err(Error::index("index"))? {
                Some(pointer) => index::read::history(connection, &self.files, &pointer),
                None => Ok(Vec::new()),
            }
        })
    }

    fn session(&self, id: &SessionId) -> Result<Option<Session>> {
        let found = self.ask(|connection| {
            index::read::sessions(connection, Some(id)).map_err(Error::index("index"))
        })?;
        found
            .into_iter()
            .next()
            .map(|session| self.with_opening(session))
            .transpose()
    }

    fn is_open(&self, id: &SessionId) -> Result<bool> {
        self.ask(|connection| index::read::is_open(connection, id).map_err(Error::index("index")))
    }

    fn sessions(&self) -> Result<Vec<Session>> {
        let found = self.ask(|connection| {
            index::read::sessions(connection, None).map_err(Error::index("index"))
        })?;
        found
            .into_iter()
            .map(|session| self.with_opening(session))
            .collect()
    }

    fn archive(&self, archiving: &Archiving) -> Result<bool> {
        self.archive_session(archiving)
    }

    fn restore(&self, deed: &SessionDeed) -> Result<bool> {
        self.restore_session(deed)
    }

    fn activate(&self, deed: &SessionDeed) -> Result<()> {
        self.enter_activation(deed)
    }

    fn delete_session(
        &self,
        deed: &SessionDeed,
        recovery_deadline: Time,
    ) -> Result<DeletedSession> {
        self.delete_session_on_disk(deed, recovery_deadline)
    }

    fn undelete_session(&self, deed: &SessionDeed) -> Result<()> {
        self.undelete_session_on_disk(deed)
    }

    fn purge_session(&self, deed: &SessionDeed) -> Result<()> {
        self.purge_session_on_disk(deed)
    }

    fn deleted_sessions(&self) -> Result<Vec<DeletedSession>> {
        self.trashed_sessions()
    }

    fn shelved(&self, id: &MemoryId) -> Result<Option<Shelved>> {
        let found = self.ask(|connection| {
            index::shelves::find(connection, id.as_str()).map_err(Error::index("index"))
        })?;
        found
            .map(|found| {
                Ok(Shelved {
                    session: found.session.parse()?,
                    deleted: found.trashed,
                })
            })
            .transpose()
    }

    fn stats(&self) -> Result<Stats> {
        let mut stats =
            self.ask(|connection| index::read::stats(connection).map_err(Error::index("index")))?;
        stats.index_bytes = index::generation::bytes(&self.layout.index());
        Ok(stats)
    }

    fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<Verification> {
        self.verify_everything(progress)
    }

    fn repair(&self, options: RepairOptions, progress: &mut dyn FnMut(Progress)) -> Result<Repair> {
        self.refuse_after_fork()?;
        self.repair_everything(options, progress)
    }

    fn reindex(&self, progress: &mut dyn FnMut(Progress)) -> Result<Reindexed> {
        self.refuse_after_fork()?;
        self.rebuild(progress)
    }

    fn waiting(&self, set: &SetName, limit: usize) -> Result<Waiting> {
        let known = self.sets.keys(set)?;
        self.ask(|connection| search::waiting(connection, &self.files, &known, limit))
    }

    fn put_vectors(&self, set: &SetName, vectors: &[(TextKey, Option<Vector>)]) -> Result<()> {
        self.refuse_after_fork()?;
        self.sets.put(set, vectors, false)
    }

    fn complete_set(&self, set: &SetName) -> Result<()> {
        self.refuse_after_fork()?;
        self.sets.put(set, &[], true)
    }

    fn measure(&self, session: &SessionId) -> Result<Measure> {
        self.measure_session(session)
    }

    fn compact(&self, compaction: &Compaction) -> Result<Compacted> {
        self.refuse_writing()?;
        self.compact_session(compaction)
    }

    fn bring_back(&self, wanted: &Return) -> Result<Vec<MemoryId>> {
        self.refuse_writing()?;
        self.bring_back_lines(wanted)
    }

    fn away_in(&self, session: &SessionId) -> Result<Vec<Away>> {
        self.away_of(session)
    }

    fn put_away(
        &self,
        sessions: &[SessionId],
        each: &mut dyn FnMut(Located) -> Result<()>,
    ) -> Result<()> {
        self.each_put_away(sessions, each)
    }

    fn sessions_with_forgotten_put_away(&self) -> Result<Vec<SessionId>> {
        self.forgetful_sessions()
    }

    fn erase(&self, erasure: &Erasure) -> Result<Erased> {
        self.refuse_writing()?;
        self.erase_everywhere(erasure)
    }

    fn were_erased(&self, texts: &[&str]) -> Result<Vec<bool>> {
        audit::were_erased(&*self.disk, &self.layout, texts)
    }

    fn audit(&self) -> Result<Vec<AuditEntry>> {
        self.audit_trail()
    }

    fn enter(&self, entry: &AuditEntry) -> Result<()> {
        self.enter_deed(entry)
    }

    fn tend(&self) -> Result<Tended> {
        self.put_in_order()
    }

    fn paper(&self, paper: &Paper) -> Result<Option<Vec<u8>>> {
        self.read_paper(paper)
    }

    fn edit_paper(&self, paper: &Paper, edit: Edit<'_>) -> Result<()> {
        self.change_paper(paper, edit)
    }

    fn papers(&self, sort: PaperSort) -> Result<Vec<Paper>> {
        self.list_papers(sort)
    }

    fn back_up(&self, folder: &Path) -> Result<BackedUp> {
        self.back_up_into(folder)
    }

    fn job_times(&self) -> Result<JobTimes> {
        self.read_job_times()
    }

    fn note_job_times(&self, times: &JobTimes) -> Result<()> {
        self.write_job_times(times)
    }

    fn ring(&self) -> Result<Option<Arc<Ring>>> {
        self.keys.ring()
    }

    fn change_ring(&self, change: &mut dyn FnMut(Option<&Ring>) -> Result<Ring>) -> Result<()> {
        self.refuse_writing()?;
        self.replace_ring(change)
    }

    fn keyring(&self) -> Option<&Keyring> {
        Some(self.keys.keyring())
    }

    fn seal_what_is_clear(&self) -> Result<u64> {
        self.refuse_writing()?;
        self.seal_clear_lines()
    }

    fn flush(&self) -> Result<()> {
        self.refuse_after_fork()?;
        self.write_what_waits()?;
        self.sync_everything()
    }

    fn be_shared(self: Arc<Self>) {
        self.may_serve(Arc::downgrade(&self));
        self.filler.work_for(Arc::downgrade(&self));
        if self.options.expects_others && self.options.as_of.is_none() {
            self.met_others();
        }
    }

    fn be_left(&self) {
        // A forked child has no such thread to wait for.
        if self.refuse_after_fork().is_ok() {
            self.filler.stop();
        }
    }
}
