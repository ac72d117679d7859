//! What is to be written, by space, and all that is wrong with it.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::meeting::Meeting;
use super::{Base, ImportItem};
use crate::caller::{Caller, Who};
use crate::engine::Mnemon;
use crate::engine::rights::{check_draft, check_space, targets};
use crate::error::{Error, Result};
use crate::memory::{Draft, MemoryId, SessionId, Space, State};
use crate::redact::Redaction;
use crate::session::SessionDetails;

/// Everything that is to be written, by space, and everything that is wrong with it.
#[derive(Default)]
pub(super) struct ImportPlan {
    pub(super) spaces: BTreeMap<Space, Parcel>,
    /// The line on which each id stands.
    pub(super) ids: HashMap<MemoryId, u64>,
    folded_sessions: HashSet<String>,
    /// Sessions that are archived, folded.
    archived: HashSet<String>,
    /// What is compared once those are open.
    waiting: Vec<ImportItem>,
    pub(super) redacted: Vec<Redaction>,
    bad: Vec<Error>,
}

#[derive(Default)]
pub(super) struct Parcel {
    pub(super) details: Option<SessionDetails>,
    pub(super) memories: Vec<Planned>,
}

/// A memory of the file, and what becomes of it.
pub(super) struct Planned {
    pub(super) line: u64,
    pub(super) id: MemoryId,
    pub(super) draft: Box<Draft>,
    pub(super) state: State,
    pub(super) base: Option<Base>,
    pub(super) meeting: Meeting,
}

impl Planned {
    /// Whether it goes on to the archive of its session; what is forgotten never does.
    pub(super) fn goes_away(&self, space: &Space) -> bool {
        let is_new = matches!(self.meeting, Meeting::New);
        let is_away = self.state.compacted && self.state.forgotten.is_none();
        is_new && is_away && space.session().is_some()
    }
}

impl ImportPlan {
    pub(super) fn take(&mut self, engine: &Mnemon, caller: &Caller, item: ImportItem) {
        match item {
            ImportItem::Session { id, mut details } => {
                let own = &engine.config;
                let decay = own.decay.with_session(&details.decay).err();
                let compaction = own.compaction.with_session(&details.compaction).err();
                self.bad.extend(decay.into_iter().chain(compaction));
                self.bad.extend(details.check().err());
                if let Err(error) = self.check_session(engine, &id) {
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
                state,
                base,
            } => {
                match self.has_to_wait(engine, &space, &mut draft) {
                    Ok(false) => {}
                    Ok(true) => {
                        self.waiting.push(ImportItem::Memory {
                            line,
                            space,
                            draft,
                            state,
                            base,
                        });
                        return;
                    }
                    Err(error) => {
                        self.bad.push(on_line(line, error));
                        return;
                    }
                }
                let mut planned = Planned {
                    line,
                    id: engine.id_for(&draft),
                    draft,
                    state,
                    base,
                    meeting: Meeting::New,
                };
                match self.check(engine, caller, &space, &mut planned) {
                    Ok(()) => {
                        self.ids.insert(planned.id.clone(), line);
                        let parcel = self.spaces.entry(space).or_default();
                        parcel.memories.push(planned);
                    }
                    Err(error) => self.bad.push(on_line(line, error)),
                }
            }
        }
    }

    /// Opens the archived sessions that take something, now that nothing else is wrong.
    pub(super) fn open_archives(&mut self, engine: &Mnemon, caller: &Caller) -> Result<()> {
        self.archived.clear();
        for item in std::mem::take(&mut self.waiting) {
            if let ImportItem::Memory { space, .. } = &item
                && let Some(session) = space.session()
            {
                engine.open_session(caller, session)?;
            }
            self.take(engine, caller, item);
        }
        Ok(())
    }

    /// Whether a sound memory goes to an archived session, which nobody opens for a file that
    /// is refused.
    fn has_to_wait(&mut self, engine: &Mnemon, space: &Space, draft: &mut Draft) -> Result<bool> {
        engine.check(space, draft)?;
        let Some(session) = space.session() else {
            return Ok(false);
        };
        self.check_session(engine, session)?;
        Ok(self.archived.contains(&folded(session)))
    }

    fn check(
        &mut self,
        engine: &Mnemon,
        caller: &Caller,
        space: &Space,
        planned: &mut Planned,
    ) -> Result<()> {
        check_space(caller, space)?;
        engine.require_spaces(caller, std::slice::from_ref(space))?;
        let (id, line) = (&planned.id, planned.line);
        if let Some(earlier) = self.ids.get(id).filter(|earlier| **earlier != line) {
            let rule = format!("used once in a file (line {earlier} has it too)");
            return Err(Error::rule("id", rule, id.as_str()));
        }
        let known = engine.known(caller, space, id)?;
        if known.already_says(&mut planned.draft) {
            planned.meeting = Meeting::Same;
            return Ok(());
        }
        let author = planned.draft.author.clone();
        Mnemon::fill_in(caller, &mut planned.draft);
        if planned.base.is_some() {
            // An export says who wrote something, also where that is nobody.
            planned.draft.author = author;
        }
        if let Who::Agent(me) = &caller.who {
            check_draft(caller, me, &planned.draft)?;
        }
        let redacted = engine.redactor.redact_draft(&mut planned.draft)?;
        engine.note_sensitive(&mut planned.draft)?;
        engine.refuse_unsealed(planned.draft.sensitive)?;
        engine.check(space, &mut planned.draft)?;
        planned.meeting = engine.meet(caller, known, planned)?;
        if matches!(planned.meeting, Meeting::New | Meeting::Edited { .. }) {
            self.redacted.extend(redacted);
        }
        if let (Meeting::New, Some(forgotten)) = (&planned.meeting, &mut planned.state.forgotten) {
            let reason = &mut forgotten.reason;
            self.redacted.extend(engine.redactor.redact_text(reason));
        }
        Ok(())
    }

    /// Refuses links of an agent to what it does not see, now that all of the file is known.
    pub(super) fn check_targets(&mut self, engine: &Mnemon, caller: &Caller) {
        let made: HashSet<MemoryId> = self.ids.keys().cloned().collect();
        for planned in self.spaces.values().flat_map(|parcel| &parcel.memories) {
            if !matches!(planned.meeting, Meeting::New | Meeting::Edited { .. }) {
                continue;
            }
            let checked = engine.check_targets(caller, targets(&planned.draft), &made);
            self.bad
                .extend(checked.err().map(|error| on_line(planned.line, error)));
        }
    }

    /// A session takes what is imported if it is new or known under the same id.
    fn check_session(&mut self, engine: &Mnemon, session: &SessionId) -> Result<()> {
        if !self.folded_sessions.insert(folded(session)) {
            return Ok(());
        }
        match engine.require_session(session) {
            Ok(known) if known.id != *session => Err(Error::SessionExists {
                session: known.id.to_string(),
            }),
            Ok(known) => {
                if known.archived.is_some() {
                    self.archived.insert(folded(session));
                }
                Ok(())
            }
            Err(Error::SessionNotFound { .. }) => Ok(()),
            Err(Error::SessionDeleted { session }) => Err(Error::SessionIdDeleted { session }),
            Err(error) => Err(error),
        }
    }

    pub(super) fn refuse_if_bad(&mut self) -> Result<()> {
        let mut bad = std::mem::take(&mut self.bad);
        // Links are looked at last, but people read a file from its beginning.
        bad.sort_by_key(|error| match error {
            Error::UnparsableLine { line, .. } => *line,
            _ => 0,
        });
        Error::bad_lines(bad).map_or(Ok(()), Err)
    }
}

fn on_line(line: u64, error: Error) -> Error {
    Error::UnparsableLine {
        line,
        source: Box::new(error),
    }
}

fn folded(session: &SessionId) -> String {
    session.as_str().to_ascii_lowercase()
}
