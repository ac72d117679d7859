//! Import: memories as they come from other places.
//!
//! Everything is checked before anything is written: `plan` reads what is to
//! be kept, `meeting` says what becomes of a memory that is here already.
//! `take_in` is for what other programs kept: it takes what it can, and again.

mod meeting;
mod plan;
mod take_in;

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use crate::caller::{Caller, Operation};
use crate::engine::{Filling, Mnemon};
use crate::error::{Error, Result};
use crate::memory::{Draft, Kind, MemoryId, Reference, SessionId, Space, State};
use crate::redact::{self, Redaction};
use crate::session::SessionDetails;
use crate::store::{Batch, Earlier, OnFull, Progress, Write};
use crate::time::Time;
use meeting::Meeting;
use plan::{ImportPlan, Planned};

pub use take_in::{Incoming, TakenIn};

/// At most so many memories of an import are written at once, under one hold of the lock. So many
/// of one space are kept together or not at all.
pub const IMPORTED_AT_ONCE: usize = 500;

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
        /// Which version it was, if it comes from an export.
        base: Option<Base>,
    },
    /// A session's details.
    Session {
        /// Which.
        id: SessionId,
        /// What there is to say about it.
        details: SessionDetails,
    },
}

/// The version that an export was made of; whoever edits the export changes that one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Base {
    /// Its number.
    pub version: u64,
    /// When its store wrote it down.
    pub updated_at: Option<Time>,
}

/// How an import is to be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Whether it may bring back what was erased.
    pub erased_texts: ErasedTexts,
    /// Whether it is done, or only told.
    pub dry_run: bool,
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

/// What an import did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Memories that are new.
    pub imported: u64,
    /// Memories that were changed in the file, and are now changed here.
    pub revised: u64,
    /// Memories that were there already, and stayed as they were.
    pub skipped: u64,
    /// How many of those were changed here since the file was written.
    pub older: u64,
    /// How many of those were compacted, and lie in the archive of their session.
    pub archived: u64,
    /// Memories that were changed here and in the file; they stayed as they were.
    pub conflicts: Vec<Conflict>,
    /// Sessions that were made.
    pub sessions: Vec<SessionId>,
    /// Links whose other end is neither in the store nor in the file.
    pub dangling: u64,
    /// What was taken out before it was kept.
    pub redacted: Vec<Redaction>,
    /// Memories that were left out because their text was erased here once.
    pub erased: u64,
    /// Spaces that fill up.
    pub filling: Vec<Filling>,
}

/// A memory that was changed here and in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The line of the file.
    pub line: u64,
    /// Which memory.
    pub id: MemoryId,
    /// The version that the file was made of.
    pub in_file: u64,
    /// The version that it has here.
    pub here: u64,
    /// Whether it was forgotten here.
    pub forgotten: bool,
}

impl Conflict {
    /// What to do next, in one sentence for a person.
    pub fn hint(&self) -> String {
        let Self { id, .. } = self;
        if self.forgotten {
            return format!("`mnemon unforget {id} --reason R` brings it back; then import again.");
        }
        format!("`mnemon get {id}` shows what it says here; `mnemon revise {id}` changes that.")
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            line,
            id,
            in_file,
            here,
            forgotten,
        } = self;
        if *forgotten {
            return write!(f, "line {line}: {id} was changed there and forgotten here");
        }
        write!(
            f,
            "line {line}: {id} was changed there, from version {in_file}, and here, to version {here}"
        )
    }
}

impl Mnemon {
    /// Imports everything, after checking everything; sessions that it names are made.
    ///
    /// Nothing is changed unless all of it can be kept. A memory that is here
    /// already stays if the file says nothing new, is revised if the file was
    /// edited since it was exported, and is told if it was changed here too.
    /// Space by space it is then written in pieces, so that others can write
    /// in between; if the machine stops half-way, the same import again does
    /// the rest.
    pub fn import(
        &self,
        caller: &Caller,
        items: Vec<ImportItem>,
        options: ImportOptions,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Imported> {
        caller.may(Operation::Import)?;
        let mut plan = ImportPlan::default();
        for item in items {
            plan.take(self, caller, item);
        }
        plan.refuse_if_bad()?;
        plan.open_archives(self, caller)?;
        plan.check_targets(self, caller);
        plan.refuse_if_bad()?;
        let erased = match options.erased_texts {
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
                if !options.dry_run {
                    let create = Write::CreateSession(parcel.details.unwrap_or_default());
                    self.commit(caller, space.clone(), vec![create], OnFull::Refuse)?;
                }
                report.sessions.push(id.clone());
            }
            let mut memories = in_order_of_handles(parcel.memories, &space)
                .into_iter()
                .peekable();
            while memories.peek().is_some() {
                let chunk: Vec<_> = memories.by_ref().take(IMPORTED_AT_ONCE).collect();
                done += chunk.len() as u64;
                let away = chunk.iter().filter(|planned| planned.goes_away(&space));
                let away: Vec<MemoryId> = away.map(|planned| planned.id.clone()).collect();
                let writes = report.count(chunk);
                if options.dry_run || writes.is_empty() {
                    // There is nothing to write.
                } else if away.is_empty() {
                    self.commit(caller, space.clone(), writes, OnFull::Refuse)?;
                } else {
                    self.import_away(caller, &space, &writes, away)?;
                }
                progress(Progress { done, total });
            }
            if !options.dry_run {
                report.filling.extend(self.filling_of(caller, &space)?);
            }
        }
        Ok(report)
    }

    /// Keeps memories of which some were compacted where they come from, and compacts those here too.
    fn import_away(
        &self,
        caller: &Caller,
        space: &Space,
        writes: &[Write],
        ids: Vec<MemoryId>,
    ) -> Result<()> {
        let batch = self.batch(caller, space.clone(), writes.to_vec(), OnFull::Refuse);
        let receipt = self.store.commit(Batch {
            // Some are on their way to the archive, which has no quota; the rest was looked at before.
            quota_bytes: None,
            ..batch
        })?;
        self.publish_writes(caller, space, writes, &receipt);
        self.compact_again(caller, space, ids)
    }

    fn leave_out_what_was_erased(&self, plan: &mut ImportPlan) -> Result<u64> {
        let mut left_out = 0;
        for parcel in plan.spaces.values_mut() {
            let texts: Vec<&str> = parcel
                .memories
                .iter()
                .map(|planned| planned.draft.text.as_str())
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
            let new = parcel
                .memories
                .iter()
                .filter(|planned| matches!(planned.meeting, Meeting::New))
                .filter(|planned| !planned.goes_away(space));
            let needed_bytes = new
                .map(|planned| planned.draft.text.as_str().len() as u64 + LINE_BYTES_MIN)
                .sum();
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
        for planned in plan.spaces.values().flat_map(|parcel| &parcel.memories) {
            let draft = &planned.draft;
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

impl Imported {
    /// Counts what becomes of memories, and gives the writes for it.
    fn count(&mut self, chunk: Vec<Planned>) -> Vec<Write> {
        let mut writes = Vec::new();
        for planned in chunk {
            let Planned {
                id, draft, state, ..
            } = planned;
            match planned.meeting {
                Meeting::New => {
                    self.imported += 1;
                    writes.push(Write::Add {
                        id: id.clone(),
                        draft,
                    });
                    writes.extend(state_writes(id, state));
                }
                // What happened to a memory that is there already is better known here.
                Meeting::Edited { expected, revision } => {
                    self.revised += 1;
                    writes.push(Write::Revise {
                        id,
                        expected: Some(expected),
                        revision,
                    });
                }
                Meeting::Same => self.skipped += 1,
                Meeting::Older => {
                    self.skipped += 1;
                    self.older += 1;
                }
                Meeting::Archived => {
                    self.skipped += 1;
                    self.archived += 1;
                }
                Meeting::Conflict(conflict) => self.conflicts.push(conflict),
            }
        }
        writes
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

/// As they are in the file, but what goes on to the archive stands before what has a higher
/// number of its kind: a handle is given again only if it is higher than all before it.
fn in_order_of_handles(memories: Vec<Planned>, space: &Space) -> Vec<Planned> {
    let (mut away, rest): (Vec<_>, Vec<_>) = memories
        .into_iter()
        .partition(|planned| planned.goes_away(space));
    let handle = |planned: &Planned| planned.draft.handle.map(|own| (own.kind, own.number));
    away.sort_by_key(|planned| handle(planned));
    let mut waiting: BTreeMap<Option<Kind>, VecDeque<Planned>> = BTreeMap::new();
    for planned in away {
        let kind = handle(&planned).map(|(kind, _)| kind);
        waiting.entry(kind).or_default().push_back(planned);
    }
    let mut ordered = Vec::new();
    for planned in rest {
        if let Some((kind, number)) = handle(&planned)
            && let Some(queue) = waiting.get_mut(&Some(kind))
        {
            let lower = |own: &Planned| handle(own).is_some_and(|(_, own)| own < number);
            while queue.front().is_some_and(lower) {
                ordered.extend(queue.pop_front());
            }
        }
        ordered.push(planned);
    }
    ordered.extend(waiting.into_values().flatten());
    ordered
}
