//! Import and export: memories as they come from and go to other places.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::remember::remembered;
use crate::anonymize::{Anonymized, Options};
use crate::caller::Caller;
use crate::engine::Mnemon;
use crate::error::{Error, Result};
use crate::memory::{Draft, Memory, MemoryId, Reference, SessionId, Space, State};
use crate::redact::{self, Redaction};
use crate::session::SessionDetails;
use crate::store::{Batch, Earlier, OnFull, Progress, Whereabouts, Write};

/// At most so many memories are written under one hold of the lock.
const CHUNK: usize = 500;

/// No line of a memory is shorter than this and its text.
const LINE_BYTES_MIN: u64 = 200;

/// Something to import.
#[derive(Clone, Debug)]
pub enum ImportItem {
    /// A memory.
    Memory {
        /// The line of the file; the first is 1.
        line: u64,
        /// Where it goes.
        space: Space,
        /// What it is.
        draft: Box<Draft>,
        /// What had happened to it.
        state: State,
    },
    /// A session's details.
    Session {
        /// Which.
        id: SessionId,
        /// What there is to say about it.
        details: SessionDetails,
    },
}

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Memories that are new.
    pub imported: u64,
    /// Memories that were there already.
    pub skipped: u64,
    /// Sessions that were made.
    pub sessions: Vec<SessionId>,
    /// Links whose other end is neither in the store nor in the file.
    pub dangling: u64,
    /// What was taken out before it was kept.
    pub redacted: Vec<Redaction>,
    /// Memories that were left out because their text was erased here once.
    pub erased: u64,
}

/// Whether an import may bring back what was erased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErasedTexts {
    /// It is left out.
    #[default]
    StayOut,
    /// It is taken like the rest.
    ComeBack,
}

impl Mnemon {
    /// Imports everything, after checking everything; sessions that it names are made.
    ///
    /// Nothing is changed unless all of it can be kept. Space by space it is
    /// then written in pieces, so that others can write in between; if the
    /// machine stops half-way, the same import again does the rest.
    pub fn import(
        &self,
        caller: &Caller,
        items: Vec<ImportItem>,
        erased_texts: ErasedTexts,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Imported> {
        let mut plan = ImportPlan::default();
        for item in items {
            plan.take(self, caller, item);
        }
        plan.refuse_if_bad()?;
        let erased = match erased_texts {
            ErasedTexts::StayOut => self.leave_out_what_was_erased(&mut plan)?,
            ErasedTexts::ComeBack => 0,
        };
        self.refuse_what_never_fits(&plan)?;
        let mut report = Imported {
            dangling: self.count_dangling(&plan)?,
            redacted: redact::sum(&plan.redacted),
            erased,
            ..Imported::default()
        };
        let total = plan
            .spaces
            .values()
            .map(|parcel| parcel.memories.len() as u64)
            .sum();
        let mut done = 0;
        for (space, parcel) in plan.spaces {
            if let Space::Session(id) = &space
                && self.store.session(id)?.is_none()
            {
                let create = Write::CreateSession(parcel.details.unwrap_or_default());
                self.commit(caller, space.clone(), vec![create], OnFull::Refuse)?;
                report.sessions.push(id.clone());
            }
            let goes_away = |(_, _, state): &(_, _, State)| state.goes_away(&space);
            // What goes away again comes first, so that it takes nobody's room.
            let (away, rest): (Vec<_>, Vec<_>) = parcel.memories.into_iter().partition(goes_away);
            for (memories, is_away) in [(away, true), (rest, false)] {
                let mut memories = memories.into_iter().peekable();
                while memories.peek().is_some() {
                    let chunk: Vec<_> = memories.by_ref().take(CHUNK).collect();
                    done += chunk.len() as u64;
                    let new = self.import_chunk(caller, &space, chunk, &mut report)?;
                    if is_away {
                        self.compact_again(caller, &space, new)?;
                    }
                    progress(Progress { done, total });
                }
            }
        }
        Ok(report)
    }

    /// Hands on every memory of the spaces (of all if none is named), forgotten and compacted
    /// ones included.
    ///
    /// Archived sessions are read without being opened.
    pub fn export(
        &self,
        _caller: &Caller,
        spaces: &[Space],
        each: &mut dyn FnMut(Memory) -> Result<()>,
    ) -> Result<()> {
        let mut left: BTreeSet<SessionId> = BTreeSet::new();
        for session in spaces.iter().filter_map(Space::session) {
            left.insert(self.require_session(session)?.id);
        }
        if spaces.is_empty() {
            left.extend(self.store.sessions()?.into_iter().map(|it| it.id));
        }
        let mut current: Option<SessionId> = None;
        let mut seen: HashSet<MemoryId> = HashSet::new();
        self.store.walk(spaces, &mut |memory| {
            let session = memory.space.session();
            if current.as_ref() != session {
                // What belongs together stays together.
                if let Some(before) = current.take() {
                    left.remove(&before);
                    self.export_compacted(&before, &seen, each)?;
                }
                current = session.cloned();
                seen.clear();
            }
            seen.insert(memory.id.clone());
            each(memory)
        })?;
        // The last of them, and those with nothing at hand, which were not seen at all.
        left.iter()
            .try_for_each(|session| self.export_compacted(session, &seen, each))
    }

    /// What was compacted meanwhile was handed on already.
    fn export_compacted(
        &self,
        session: &SessionId,
        seen: &HashSet<MemoryId>,
        each: &mut dyn FnMut(Memory) -> Result<()>,
    ) -> Result<()> {
        let of_it = std::slice::from_ref(session);
        self.store.put_away(of_it, &mut |located| {
            if located.at == Whereabouts::Compacted && !seen.contains(&located.memory.id) {
                each(located.memory)?;
            }
            Ok(())
        })
    }

    /// A session that can be handed on: without who and where, and without what is forgotten.
    pub fn anonymize(
        &self,
        caller: &Caller,
        session: &SessionId,
        options: Options,
    ) -> Result<Anonymized> {
        let session = self.require_session(session)?;
        let mut memories = Vec::new();
        let space = Space::Session(session.id.clone());
        self.export(caller, &[space], &mut |memory| {
            if memory.state.forgotten.is_none() {
                memories.push(memory);
            }
            Ok(())
        })?;
        Anonymized::of(&session, &memories, options)
    }

    fn import_chunk(
        &self,
        caller: &Caller,
        space: &Space,
        chunk: Vec<(MemoryId, Box<Draft>, State)>,
        report: &mut Imported,
    ) -> Result<Vec<MemoryId>> {
        let mut writes = Vec::new();
        let mut adds = Vec::new();
        let mut new = Vec::new();
        let goes_away = chunk.iter().all(|(_, _, state)| state.goes_away(space));
        for (id, draft, state) in chunk {
            let exists = self.store.find(&Reference::Id(id.clone()))?.is_some();
            adds.push(writes.len());
            writes.push(Write::Add {
                id: id.clone(),
                draft,
            });
            // What happened to a memory that is there already is better known here.
            if !exists {
                writes.extend(state_writes(id, state));
            }
        }
        let receipt = if goes_away {
            // It is on its way to the archive, which has no quota.
            let batch = self.batch(caller, space.clone(), writes, OnFull::Refuse);
            self.store.commit(Batch {
                quota_bytes: None,
                ..batch
            })?
        } else {
            self.commit(caller, space.clone(), writes, OnFull::Refuse)?
        };
        for place in adds {
            match remembered(receipt.outcomes[place].clone(), space, receipt.durable) {
                Some(kept) if kept.new => {
                    report.imported += 1;
                    new.push(kept.id);
                }
                _ => report.skipped += 1,
            }
        }
        Ok(new)
    }

    fn leave_out_what_was_erased(&self, plan: &mut ImportPlan) -> Result<u64> {
        let mut left_out = 0;
        for parcel in plan.spaces.values_mut() {
            let texts: Vec<&str> = parcel
                .memories
                .iter()
                .map(|(_, draft, _)| draft.text.as_str())
                .collect();
            let mut erased = self.store.were_erased(&texts)?.into_iter();
            let before = parcel.memories.len();
            parcel
                .memories
                .retain(|_| !erased.next().expect("one for each text"));
            left_out += (before - parcel.memories.len()) as u64;
        }
        Ok(left_out)
    }

    /// A session that would certainly outgrow its quota is refused before anything is written.
    fn refuse_what_never_fits(&self, plan: &ImportPlan) -> Result<()> {
        let limit_bytes = self.config.storage.session_bytes_max;
        for (space, parcel) in &plan.spaces {
            let Some(session) = space.session() else {
                continue;
            };
            let used_bytes = match self.store.session(session)? {
                Some(known) => known.activity.log_bytes,
                None => 0,
            };
            let mut needed_bytes = 0;
            for (id, draft, state) in &parcel.memories {
                if !state.goes_away(space) && self.store.find(&Reference::Id(id.clone()))?.is_none()
                {
                    needed_bytes += draft.text.as_str().len() as u64 + LINE_BYTES_MIN;
                }
            }
            if used_bytes + needed_bytes > limit_bytes {
                return Err(Error::SessionFull {
                    session: session.to_string(),
                    used_bytes,
                    needed_bytes,
                    limit_bytes,
                });
            }
        }
        Ok(())
    }

    fn count_dangling(&self, plan: &ImportPlan) -> Result<u64> {
        let mut dangling = 0;
        for (_, draft, _) in plan.spaces.values().flat_map(|parcel| &parcel.memories) {
            for target in draft.links.iter().map(|link| &link.to).chain(&draft.turn) {
                let known = plan.ids.contains_key(target)
                    || self.store.find(&Reference::Id(target.clone()))?.is_some()
                    || self.store.shelved(target)?.is_some();
                dangling += u64::from(!known);
            }
        }
        Ok(dangling)
    }
}

impl State {
    /// Whether a memory that comes into a space goes on to its archive; what is forgotten never does.
    fn goes_away(&self, space: &Space) -> bool {
        self.compacted && self.forgotten.is_none() && space.session().is_some()
    }
}

/// What had happened to a memory, said again.
fn state_writes(id: MemoryId, state: State) -> Vec<Write> {
    let mut writes = Vec::new();
    if state.access_count > 0
        && let Some(last) = state.last_access
    {
        writes.push(Write::Access {
            id: id.clone(),
            count: state.access_count,
            last,
        });
    }
    if let Some(forgotten) = state.forgotten {
        writes.push(Write::Forget {
            id,
            reason: forgotten.reason,
            recover_until: forgotten.recover_until,
            earlier: Some(Earlier {
                at: forgotten.at,
                by: forgotten.by,
            }),
        });
    }
    writes
}

/// Everything that is to be written, by space, and everything that is wrong with it.
#[derive(Default)]
struct ImportPlan {
    spaces: BTreeMap<Space, Parcel>,
    /// The line on which each id stands.
    ids: HashMap<MemoryId, u64>,
    folded_sessions: HashSet<String>,
    redacted: Vec<Redaction>,
    bad: Vec<Error>,
}

#[derive(Default)]
struct Parcel {
    details: Option<SessionDetails>,
    memories: Vec<(MemoryId, Box<Draft>, State)>,
}

impl ImportPlan {
    fn take(&mut self, engine: &Mnemon, caller: &Caller, item: ImportItem) {
        match item {
            ImportItem::Session { id, mut details } => {
                let own = &engine.config;
                let decay = own.decay.with_session(&details.decay).err();
                let compaction = own.compaction.with_session(&details.compaction).err();
                self.bad.extend(decay.into_iter().chain(compaction));
                if self
                    .folded_sessions
                    .insert(id.as_str().to_ascii_lowercase())
                    && let Err(error) = check_session(engine, caller, &id)
                {
                    self.bad.push(error);
                }
                self.redacted
                    .extend(engine.redactor.redact_details(&mut details));
                self.spaces.entry(Space::Session(id)).or_default().details = Some(details);
            }
            ImportItem::Memory {
                line,
                space,
                mut draft,
                mut state,
            } => {
                Mnemon::fill_in(caller, &mut draft);
                let id = engine.id_for(&draft);
                match self
                    .redact(engine, &mut draft, &mut state)
                    .and_then(|()| self.check(engine, caller, &space, &id, &mut draft, line))
                {
                    Ok(()) => {
                        self.ids.insert(id.clone(), line);
                        self.spaces
                            .entry(space)
                            .or_default()
                            .memories
                            .push((id, draft, state));
                    }
                    Err(error) => self.bad.push(Error::UnparsableLine {
                        line,
                        source: Box::new(error),
                    }),
                }
            }
        }
    }

    fn redact(&mut self, engine: &Mnemon, draft: &mut Draft, state: &mut State) -> Result<()> {
        self.redacted.extend(engine.redactor.redact_draft(draft)?);
        if let Some(forgotten) = &mut state.forgotten {
            let reason = &mut forgotten.reason;
            self.redacted.extend(engine.redactor.redact_text(reason));
        }
        Ok(())
    }

    fn check(
        &mut self,
        engine: &Mnemon,
        caller: &Caller,
        space: &Space,
        id: &MemoryId,
        draft: &mut Draft,
        line: u64,
    ) -> Result<()> {
        engine.check(space, draft)?;
        if let Some(session) = space.session()
            && self
                .folded_sessions
                .insert(session.as_str().to_ascii_lowercase())
        {
            check_session(engine, caller, session)?;
        }
        if let Some(earlier) = self.ids.get(id).filter(|earlier| **earlier != line) {
            let rule = format!("used once in a file (line {earlier} has it too)");
            return Err(Error::rule("id", rule, id.as_str()));
        }
        match engine.store.find(&Reference::Id(id.clone()))? {
            Some(existing) if existing.space != *space => {
                Err(Error::IdTaken { id: id.to_string() })
            }
            Some(_) => Ok(()),
            None => match engine.store.shelved(id)? {
                Some(found) => Err(Error::IdShelved {
                    id: id.to_string(),
                    session: found.session.to_string(),
                    deleted: found.deleted,
                }),
                None => Ok(()),
            },
        }
    }

    fn refuse_if_bad(&mut self) -> Result<()> {
        if self.bad.is_empty() {
            return Ok(());
        }
        let count = self.bad.len() as u64;
        Err(Error::BadLines {
            count,
            first: Box::new(self.bad.swap_remove(0)),
        })
    }
}

/// A session takes what is imported if it is new or known under the same id; an archived one is opened.
fn check_session(engine: &Mnemon, caller: &Caller, session: &SessionId) -> Result<()> {
    match engine.open_session(caller, session) {
        Ok(known) if known.id != *session => Err(Error::SessionExists {
            session: known.id.to_string(),
        }),
        Ok(_) | Err(Error::SessionNotFound { .. }) => Ok(()),
        Err(Error::SessionDeleted { session }) => Err(Error::SessionIdDeleted { session }),
        Err(error) => Err(error),
    }
}
