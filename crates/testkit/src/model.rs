//! The model: a second store, in memory and as plain as possible.
//!
//! What a write does and which memories a filter finds is spelled out here
//! without files, indexes or caches, so that it can be seen to be right; the
//! real stores are compared with it. Clones share their memories, as handles
//! on one folder do. `state` says what writes do, `life` what becomes of
//! sessions, `answers` what questions get.

mod answers;
mod compaction;
mod erasing;
mod life;
mod search;
mod sets;
mod state;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mnemon::embed::{SetName, TextKey, Vector};
use mnemon::memory::{Memory, MemoryId, Reference, SessionId, Space};
use mnemon::session::{DeletedSession, Session, SessionDeed};
use mnemon::store::{
    Archiving, AuditEntry, Away, BackedUp, Batch, Change, Compacted, Compaction, Edit, Erased,
    Erasure, Filter, Grown, JobTimes, Located, Measure, Paper, PaperSort, Place, Progress, Receipt,
    Reindexed, Repair, RepairOptions, Return, Selection, Shelved, Stats, Store, Tended,
    Verification, View, Waiting, Write,
};
use mnemon::time::Time;
use mnemon::{Error, Result};

use sets::Sets;
use state::State;

/// A store in memory; it is lost with its last clone.
///
/// Sizes are its own: each write that changes something counts one byte and
/// the bytes of the text that it brings. Quotas are held against that sum.
#[derive(Clone, Debug, Default)]
pub struct ModelStore(Arc<Mutex<State>>, Past, Arc<Mutex<Sets>>);

/// Everything that was done, and when it was recorded.
type Past = Arc<Mutex<Vec<(i64, Event)>>>;

/// Something that was done.
#[derive(Clone, Debug)]
enum Event {
    Batch(Batch),
    Compaction(Compaction),
}

impl Event {
    fn session(&self) -> Option<&SessionId> {
        match self {
            Self::Batch(batch) => batch.space.session(),
            Self::Compaction(compaction) => Some(&compaction.session),
        }
    }
}

impl ModelStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn sets(&self) -> MutexGuard<'_, Sets> {
        self.2.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of what was done, with the time that the space has afterwards.
    fn happened(&self, next: &State, space: &Space, event: Event) {
        let recorded = next.places.get(space).and_then(|it| it.recorded_micros);
        let mut past = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        past.push((recorded.unwrap_or(i64::MIN), event));
    }
}

impl Store for ModelStore {
    fn count(&self, batches: Vec<Batch>) -> Result<bool> {
        for batch in batches {
            let session = batch.space.session();
            if !session.is_some_and(|id| self.state().archived.contains_key(id)) {
                // Each on its own: one that is gone for good does not hold up the others.
                let _ = self.commit(batch);
            }
        }
        Ok(true)
    }

    fn commit(&self, batch: Batch) -> Result<Receipt> {
        let mut state = self.state();
        state.open_for(&batch)?;
        // All or nothing: the writes change a copy, which counts if none is refused.
        let mut next = state.clone();
        let outcomes = next.commit(&batch)?;
        let bytes = |state: &State| {
            state
                .places
                .get(&batch.space)
                .map_or(0, |place| place.bytes)
        };
        let grown = Some(Grown {
            from_bytes: bytes(&state),
            to_bytes: bytes(&next),
        });
        let is_archived = |id: &SessionId| state.archived.contains_key(id);
        // What is counted of a summary is gone with it.
        if !batch.space.session().is_some_and(is_archived) {
            self.happened(&next, &batch.space.clone(), Event::Batch(batch));
        }
        *state = next;
        Ok(Receipt {
            outcomes,
            durable: true,
            grown,
        })
    }

    fn find(&self, reference: &Reference) -> Result<Option<Memory>> {
        Ok(self.state().find(reference))
    }

    fn locate(&self, reference: &Reference) -> Result<Place> {
        Ok(self.state().locate(reference))
    }

    fn select(&self, filter: &Filter) -> Result<Selection> {
        let state = self.state();
        state.refuse_archived(filter)?;
        Ok(state.select(filter))
    }

    fn neighbours(&self, of: &[Memory]) -> Result<Vec<Memory>> {
        Ok(self.state().neighbours(of))
    }

    fn look(&self, question: &mut dyn FnMut(&dyn View) -> Result<()>) -> Result<()> {
        let (state, sets) = (self.state().clone(), self.sets().clone());
        question(&search::ModelView(&state, &sets))
    }

    fn as_of(&self, moment: Time) -> Result<Arc<dyn Store>> {
        let past = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.state();
        let is_deleted = |event: &Event| {
            let session = event.session();
            session.is_some_and(|id| now.was_deleted(id, moment))
        };
        let then = past
            .iter()
            .filter(|(at, event)| *at <= moment.micros() && !is_deleted(event));
        let store = Self(Arc::default(), Arc::default(), self.2.clone());
        for (_, event) in then {
            match event {
                Event::Batch(batch) => drop(store.commit(batch.clone())?),
                Event::Compaction(compaction) => drop(store.compact(compaction)?),
            }
        }
        let deeds = now.deeds.iter().filter(|deed| deed.at <= moment);
        store.state().deeds = deeds.cloned().collect();
        Ok(Arc::new(store))
    }

    fn measure(&self, session: &SessionId) -> Result<Measure> {
        Ok(self.state().measure(session))
    }

    fn compact(&self, compaction: &Compaction) -> Result<Compacted> {
        let mut state = self.state();
        let mut next = state.clone();
        let compacted = next.compact(compaction)?;
        let space = Space::Session(compaction.session.clone());
        self.happened(&next, &space, Event::Compaction(compaction.clone()));
        *state = next;
        Ok(compacted)
    }

    fn bring_back(&self, wanted: &Return) -> Result<Vec<MemoryId>> {
        let brought = self.state().bring_back(wanted)?;
        // As if they had never left.
        let mut past = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, event) in past.iter_mut() {
            if let Event::Compaction(compaction) = event {
                compaction.shelve.retain(|id| !brought.contains(id));
                let gone = &wanted.summaries;
                compaction.summaries.retain(|(id, _)| !gone.contains(id));
            }
        }
        Ok(brought)
    }

    fn away_in(&self, session: &SessionId) -> Result<Vec<Away>> {
        Ok(self.state().away_in(session))
    }

    fn walk(&self, spaces: &[Space], each: &mut dyn FnMut(Memory) -> Result<()>) -> Result<()> {
        // Not while the state is locked: `each` may ask something itself.
        let memories = self.state().walk(spaces);
        memories.into_iter().try_for_each(each)
    }

    fn history(&self, id: &MemoryId) -> Result<Vec<Change>> {
        Ok(self.state().history(id))
    }

    fn session(&self, id: &SessionId) -> Result<Option<Session>> {
        let folded = id.as_str().to_ascii_lowercase();
        Ok(self
            .state()
            .sessions()
            .into_iter()
            .find(|session| session.id.as_str().to_ascii_lowercase() == folded))
    }

    fn sessions(&self) -> Result<Vec<Session>> {
        Ok(self.state().sessions())
    }

    fn archive(&self, archiving: &Archiving) -> Result<bool> {
        let mut state = self.state();
        let mut next = state.clone();
        let done = next.archive(archiving)?;
        *state = next;
        Ok(done)
    }

    fn restore(&self, deed: &SessionDeed) -> Result<bool> {
        self.state().restore_session(deed)
    }

    fn activate(&self, deed: &SessionDeed) -> Result<()> {
        self.state().activate(deed)
    }

    fn delete_session(
        &self,
        deed: &SessionDeed,
        recovery_deadline: Time,
    ) -> Result<DeletedSession> {
        self.state().delete_session(deed, recovery_deadline)
    }

    fn undelete_session(&self, deed: &SessionDeed) -> Result<()> {
        self.state().undelete_session(deed)
    }

    fn purge_session(&self, deed: &SessionDeed) -> Result<()> {
        let gone = self.state().purge_session(deed)?;
        let mut past = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        past.retain(|(_, event)| event.session() != Some(&gone));
        Ok(())
    }

    fn deleted_sessions(&self) -> Result<Vec<DeletedSession>> {
        Ok(self.state().deleted_sessions())
    }

    fn shelved(&self, id: &MemoryId) -> Result<Option<Shelved>> {
        Ok(self.state().shelved(id))
    }

    fn stats(&self) -> Result<Stats> {
        Ok(self.state().stats())
    }

    /// Always well: there are no bytes that could be damaged.
    fn verify(&self, _progress: &mut dyn FnMut(Progress)) -> Result<Verification> {
        Ok(Verification {
            checked: self.state().count(),
            ..Verification::default()
        })
    }

    /// Nothing to do.
    fn repair(
        &self,
        _options: RepairOptions,
        _progress: &mut dyn FnMut(Progress),
    ) -> Result<Repair> {
        Ok(Repair {
            checked: self.state().count(),
            ..Repair::default()
        })
    }

    fn put_away(
        &self,
        sessions: &[SessionId],
        each: &mut dyn FnMut(Located) -> Result<()>,
    ) -> Result<()> {
        let located = self.state().put_away(sessions);
        located.into_iter().try_for_each(each)
    }

    fn sessions_with_forgotten_put_away(&self) -> Result<Vec<SessionId>> {
        let mut away = self.state().put_away(&[]);
        away.retain(|it| it.memory.state.forgotten.is_some());
        let sessions = away.iter().filter_map(|it| it.memory.space.session());
        let sessions: BTreeSet<SessionId> = sessions.cloned().collect();
        Ok(sessions.into_iter().collect())
    }

    fn erase(&self, erasure: &Erasure) -> Result<Erased> {
        let mut past = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, event) in past.iter_mut() {
            match event {
                Event::Batch(batch) => {
                    batch.writes.retain(|write| !is_about(write, &erasure.ids));
                }
                Event::Compaction(compaction) => {
                    compaction.shelve.retain(|id| !erasure.ids.contains(id));
                    let gone = &erasure.ids;
                    compaction.summaries.retain(|(id, _)| !gone.contains(id));
                    for (id, draft) in &mut compaction.summaries {
                        let renewal = erasure.renewed.iter().find(|it| it.id == *id);
                        *draft = renewal.map_or(draft.clone(), |it| it.draft.clone());
                    }
                }
            }
        }
        self.state().erase(erasure)?;
        self.sets().keep_only(&self.state());
        Ok(Erased {
            ids: erasure.ids.clone(),
            renewed: erasure.renewed.iter().map(|it| it.id.clone()).collect(),
            ..Erased::default()
        })
    }

    fn were_erased(&self, texts: &[&str]) -> Result<Vec<bool>> {
        let state = self.state();
        let was = |text: &&str| state.erased_texts.contains(*text);
        Ok(texts.iter().map(was).collect())
    }

    fn audit(&self) -> Result<Vec<AuditEntry>> {
        Ok(self.state().audit())
    }

    /// Nothing to do: nothing is derived.
    fn reindex(&self, _progress: &mut dyn FnMut(Progress)) -> Result<Reindexed> {
        Ok(Reindexed {
            memories: self.state().count(),
            ..Reindexed::default()
        })
    }

    fn waiting(&self, set: &SetName, limit: usize) -> Result<Waiting> {
        Ok(self.sets().waiting(set, &self.state(), limit))
    }

    fn put_vectors(&self, set: &SetName, vectors: &[(TextKey, Option<Vector>)]) -> Result<()> {
        self.sets().put(set, vectors);
        Ok(())
    }

    fn complete_set(&self, set: &SetName) -> Result<()> {
        self.sets().complete(set);
        Ok(())
    }

    fn tend(&self) -> Result<Tended> {
        Ok(Tended::default())
    }

    fn paper(&self, paper: &Paper) -> Result<Option<Vec<u8>>> {
        Ok(self.state().papers.get(paper).cloned())
    }

    fn edit_paper(&self, paper: &Paper, edit: Edit<'_>) -> Result<()> {
        let mut state = self.state();
        match edit(state.papers.get(paper).map(Vec::as_slice))? {
            Some(bytes) => drop(state.papers.insert(paper.clone(), bytes)),
            None => drop(state.papers.remove(paper)),
        }
        Ok(())
    }

    fn enter(&self, entry: &AuditEntry) -> Result<()> {
        self.state().deeds.push(entry.clone());
        Ok(())
    }

    fn papers(&self, sort: PaperSort) -> Result<Vec<Paper>> {
        let state = self.state();
        let papers = state.papers.keys().filter(|it| it.sort() == sort);
        Ok(papers.cloned().collect())
    }

    /// There is nothing outside of this process that it could be copied from.
    fn back_up(&self, folder: &Path) -> Result<BackedUp> {
        Err(Error::NoStore {
            root: folder.into(),
        })
    }

    fn job_times(&self) -> Result<JobTimes> {
        Ok(self.state().job_times.clone())
    }

    fn note_job_times(&self, times: &JobTimes) -> Result<()> {
        self.state().job_times.clone_from(times);
        Ok(())
    }

    fn flush(&self) -> Result<()> {
        Ok(())
    }
}

fn is_about(write: &Write, ids: &[MemoryId]) -> bool {
    match write {
        Write::CreateSession(_) | Write::ChangeSession(_) => false,
        Write::Add { id, .. }
        | Write::Revise { id, .. }
        | Write::Forget { id, .. }
        | Write::Restore { id, .. }
        | Write::Access { id, .. } => ids.contains(id),
    }
}
