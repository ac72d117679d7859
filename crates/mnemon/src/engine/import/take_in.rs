//! What other programs kept comes in: as much of it as can be, as often as
//! somebody likes.
//!
//! A memory is known by the id that its reader made of the source's own. What
//! is here under that id already stays as it is, wherever it lies by now and
//! whatever became of it here. If the source says something else than it did,
//! that is kept too, beside the older one. What is refused takes no other
//! memory with it.

use std::collections::HashMap;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use super::{ErasedTexts, ImportItem, ImportOptions};
use crate::caller::{Caller, Operation, Sight};
use crate::engine::remember::unrecalled;
use crate::engine::{Filling, Mnemon};
use crate::error::{Code, Error, Result};
use crate::memory::{
    Draft, Link, Memory, MemoryId, Reference, SUPERSEDES, SessionId, Space, State,
};
use crate::redact::{self, Redaction};
use crate::session::SessionDetails;
use crate::store::What;

/// A memory of another program; its draft has an id.
#[derive(Clone, Debug)]
pub struct Incoming {
    /// Where it goes.
    pub space: Space,
    /// What it is.
    pub draft: Draft,
}

/// What became of memories of another program.
#[derive(Clone, Debug, Default)]
pub struct TakenIn {
    /// Memories that are new.
    pub kept: u64,
    /// How many of those say something else than what was taken in before under their id.
    pub beside: u64,
    /// Memories that were there already.
    pub already: u64,
    /// Memories that were left out because their text was erased here once.
    pub erased: u64,
    /// Memories that can't be kept, by their place in the list, and why.
    pub refused: Vec<(usize, Error)>,
    /// Sessions that were made.
    pub sessions: Vec<SessionId>,
    /// What was taken out before it was kept.
    pub redacted: Vec<Redaction>,
    /// Spaces that fill up.
    pub filling: Vec<Filling>,
}

/// A memory that is not here yet, with its place in the list.
struct Fresh {
    place: usize,
    space: Space,
    draft: Draft,
}

impl Mnemon {
    /// Takes in what it can; an error means that the store itself fails.
    ///
    /// `session` is made if it is not there and something goes into it.
    pub fn take_in(
        &self,
        caller: &Caller,
        session: Option<&(SessionId, SessionDetails)>,
        incoming: Vec<Incoming>,
        options: ImportOptions,
    ) -> Result<TakenIn> {
        caller.may(Operation::TakeIn)?;
        let mut report = TakenIn::default();
        let mut fresh: Vec<Fresh> = Vec::new();
        let mut texts: HashMap<MemoryId, String> = HashMap::new();
        for (place, Incoming { space, mut draft }) in incoming.into_iter().enumerate() {
            match self.is_new(caller, &mut draft, &mut texts) {
                Ok((Novelty::Known, _)) => report.already += 1,
                Ok((novelty, redacted)) => {
                    report.beside += u64::from(novelty == Novelty::Changed);
                    report.redacted.extend(redacted);
                    fresh.push(Fresh {
                        place,
                        space,
                        draft,
                    });
                }
                Err(error) if is_about_the_store(&error) => return Err(error),
                Err(error) => report.refused.push((place, error)),
            }
        }
        if options.erased_texts == ErasedTexts::StayOut {
            // Before an archived session is opened for it.
            let texts: Vec<&str> = fresh.iter().map(|it| it.draft.text.as_str()).collect();
            let mut erased = self.store.were_erased(&texts)?.into_iter();
            let before = fresh.len();
            fresh.retain(|_| erased.next() != Some(true));
            report.erased += (before - fresh.len()) as u64;
        }
        self.take_fresh(caller, session, fresh, options, &mut report)?;
        report.refused.sort_by_key(|(place, _)| *place);
        report.redacted = redact::sum(&report.redacted);
        Ok(report)
    }

    /// Imports all of it, or each half alone if something in it is refused.
    fn take_fresh(
        &self,
        caller: &Caller,
        session: Option<&(SessionId, SessionDetails)>,
        mut fresh: Vec<Fresh>,
        options: ImportOptions,
        report: &mut TakenIn,
    ) -> Result<()> {
        if fresh.is_empty() {
            return Ok(());
        }
        let details = session.map(|(id, details)| ImportItem::Session {
            id: id.clone(),
            details: details.clone(),
        });
        let memories = fresh.iter().map(|it| ImportItem::Memory {
            line: it.place as u64 + 1,
            space: it.space.clone(),
            draft: Box::new(it.draft.clone()),
            state: State::default(),
            base: None,
        });
        let items = details.into_iter().chain(memories).collect();
        match self.import(caller, items, options, &mut |_| {}) {
            Ok(done) => {
                report.kept += done.imported;
                report.already += done.skipped;
                report.erased += done.erased;
                report.sessions.extend(done.sessions);
                report.redacted.extend(done.redacted);
                report.filling.extend(done.filling);
                Ok(())
            }
            Err(error) if is_about_the_store(&error) => Err(error),
            Err(error) if fresh.len() == 1 => {
                report.refused.push((fresh[0].place, innermost(error)));
                Ok(())
            }
            Err(_) => {
                let rest = fresh.split_off(fresh.len() / 2);
                self.take_fresh(caller, session, fresh, options, report)?;
                self.take_fresh(caller, session, rest, options, report)
            }
        }
    }

    /// Whether a memory is here already, or in the same list; one that says something else gets
    /// an id of its own and a link to the older one.
    fn is_new(
        &self,
        caller: &Caller,
        draft: &mut Draft,
        texts: &mut HashMap<MemoryId, String>,
    ) -> Result<(Novelty, Vec<Redaction>)> {
        let id = self.id_for(draft);
        draft.id = Some(id.clone());
        // As for any write, and before the comparison: what is here went through it too.
        draft.text = unrecalled(draft.text.clone())?;
        let redacted = self.redactor.redact_draft(draft)?;
        if !self.says_otherwise(caller, &id, draft, texts)? {
            let before = texts.insert(id.clone(), draft.text.as_str().to_owned());
            let is_known = before.is_some() || self.is_known(&id)?;
            let novelty = if is_known {
                Novelty::Known
            } else {
                Novelty::New
            };
            return Ok((novelty, redacted));
        }
        let other = other_id(&id, draft.text.as_str());
        if texts.contains_key(&other) || self.is_known(&other)? {
            return Ok((Novelty::Known, redacted));
        }
        texts.insert(other.clone(), draft.text.as_str().to_owned());
        draft.id = Some(other);
        draft.handle = None;
        draft.links.push(Link {
            rel: SUPERSEDES.parse()?,
            to: id,
        });
        Ok((Novelty::Changed, redacted))
    }

    fn is_known(&self, id: &MemoryId) -> Result<bool> {
        let reference = Reference::Id(id.clone());
        Ok(self.store.find(&reference)?.is_some() || self.store.shelved(id)?.is_some())
    }

    /// Whether what is here under an id never had these words.
    fn says_otherwise(
        &self,
        caller: &Caller,
        id: &MemoryId,
        draft: &Draft,
        texts: &HashMap<MemoryId, String>,
    ) -> Result<bool> {
        if let Some(text) = texts.get(id) {
            return Ok(text != draft.text.as_str());
        }
        let Some(memory) = self.store.find(&Reference::Id(id.clone()))? else {
            return Ok(false);
        };
        if !Sight::of(caller).sees(&memory) {
            return Err(Error::IdTaken { id: id.to_string() });
        }
        // What is closed can't be compared, and what it says is not to be kept twice.
        if memory.closed().is_some() || memory.text == draft.text {
            return Ok(false);
        }
        let said = |earlier: &Memory| earlier.text == draft.text;
        let history = self.store.history(id)?;
        Ok(!history.iter().any(|change| match &change.what {
            What::Kept(earlier) | What::Revised(earlier) => said(earlier),
            What::Forgotten { .. } | What::Restored { .. } => false,
        }))
    }
}

/// Whether a memory is here already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Novelty {
    New,
    /// Under its id something else is here.
    Changed,
    Known,
}

/// The id of what says something else than the memory of that id.
fn other_id(id: &MemoryId, text: &str) -> MemoryId {
    let digest = Sha256::digest(text);
    let mut tail = String::new();
    for byte in digest.iter().take(5) {
        let _ = write!(tail, "{byte:02x}");
    }
    let head: String = id.as_str().chars().take(53).collect();
    format!("{head}-{tail}").parse().expect("an id and digits")
}

/// Whether nothing else will succeed either.
fn is_about_the_store(error: &Error) -> bool {
    matches!(
        error.code(),
        Code::StorageIo
            | Code::StorageFull
            | Code::StorageCorrupt
            | Code::LockTimeout
            | Code::License
            | Code::Forbidden
    )
}

/// What is wrong, without the lines of a file that there is not.
fn innermost(error: Error) -> Error {
    match error {
        Error::BadLines { first, .. } => innermost(*first),
        Error::UnparsableLine { source, .. } => innermost(*source),
        error => error,
    }
}
