//! Finding memories wherever they lie, without opening anything for it.
//!
//! What is taken away must be reached where it is put away, too: compacted, in
//! archived sessions, in the trash.

use std::collections::HashSet;

use super::life::is_archive_summary;
use crate::caller::{Caller, Operation, Sight};
use crate::engine::Mnemon;
use crate::error::{Error, Result};
use crate::memory::{Memory, Reference, SessionId, Space};
use crate::session::{Archived, Session};
use crate::store::{Filter, Forgottenness, Located, Place, Selection, Whereabouts};
use crate::time::Time;

/// A session, how it is archived, and when it was last opened.
type SessionPlace = (SessionId, Option<Archived>, Option<Time>);

/// So often a memory is looked for while others open and archive its session.
const LOOKS_MAX: usize = 10;

impl Mnemon {
    /// As [`Self::find`], but also what is put away, and nothing is opened for it.
    pub fn locate(
        &self,
        caller: &Caller,
        name: &str,
        session: Option<&SessionId>,
    ) -> Result<Located> {
        caller.may(Operation::Locate)?;
        let sight = Sight::of(caller);
        let references = Reference::parse(name, session)?;
        for _ in 0..LOOKS_MAX {
            // What a name means first comes first, wherever it lies.
            for reference in &references {
                if let Some(memory) = self.seen(caller, reference)? {
                    return Ok(Located::at_hand(memory));
                }
                let located = self.locate_put_away(caller, reference)?;
                if let Some(located) = located.filter(|it| sight.sees(&it.memory)) {
                    return Ok(located);
                }
            }
            // Somebody may have brought it from where we looked last to where we looked first. (Of
            // the handles of what is put away the store does not know whether they are given.)
            let mut is_somewhere = false;
            for reference in &references {
                if let Reference::Id(_) = reference {
                    is_somewhere |= !matches!(self.place(caller, reference)?, Place::Nowhere);
                }
            }
            if !is_somewhere {
                break;
            }
        }
        Err(Reference::not_found(name))
    }

    /// What lies on a shelf or in the trash under that name, whoever asks.
    pub(super) fn locate_put_away(
        &self,
        caller: &Caller,
        reference: &Reference,
    ) -> Result<Option<Located>> {
        let session = match reference {
            Reference::Id(id) => self.store.shelved(id)?.map(|found| found.session),
            Reference::Handle(session, _) => match self.store.session(session)? {
                Some(known) => Some(known.id),
                None => self
                    .deleted_session(caller, session)?
                    .map(|deleted| deleted.session_id),
            },
        };
        let Some(session) = session else {
            return Ok(None);
        };
        let is_meant = |memory: &Memory| match reference {
            Reference::Id(id) => memory.id == *id,
            Reference::Handle(_, handle) => memory.handle == Some(*handle),
        };
        let mut found = None;
        self.store.put_away(&[session], &mut |located| {
            if is_meant(&located.memory) {
                found = Some(located);
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// The memories that fit a filter, wherever they lie: in archives and in the trash too.
    ///
    /// The summary that stands for an archived session is left out: it says what its memories say.
    pub fn list_everywhere(&self, caller: &Caller, filter: &Filter) -> Result<Vec<Located>> {
        caller.may(Operation::ListEverywhere)?;
        let found = self.everywhere(caller, filter)?.into_iter();
        Ok(found.skip(filter.offset).take(filter.limit).collect())
    }

    /// The forgotten memories that fit and can be brought back; those of archived sessions too.
    ///
    /// What lies in the trash comes back with its session.
    pub fn list_forgotten(&self, caller: &Caller, filter: &Filter) -> Result<Selection> {
        caller.may(Operation::ListForgotten)?;
        let forgotten = Filter {
            forgotten: Forgottenness::Only,
            ..filter.clone()
        };
        let mut found = self.everywhere(caller, &forgotten)?;
        found.retain(|located| located.at != Whereabouts::Deleted);
        let total = found.len() as u64;
        let page = found.into_iter().skip(filter.offset).take(filter.limit);
        Ok(Selection {
            memories: page.map(|located| located.memory).collect(),
            total,
        })
    }

    /// All that fits, in the order of the filter.
    fn everywhere(&self, caller: &Caller, filter: &Filter) -> Result<Vec<Located>> {
        filter.check()?;
        let filter = self.ruled(caller, filter)?;
        let everything = Filter {
            limit: usize::MAX,
            offset: 0,
            ..filter.clone()
        };
        let sessions = self.sessions_among(caller, &filter.spaces)?;
        let mut found = self.while_nothing_moves(|| {
            let mut found = Vec::new();
            let at_hand = self.store.select(&everything)?.memories;
            found.extend(at_hand.into_iter().map(Located::at_hand));
            if let Some(sessions) = self.worth_reading(&filter, &sessions)? {
                self.store.put_away(&sessions, &mut |located| {
                    if filter.fits(&located.memory) {
                        found.push(located);
                    }
                    Ok(())
                })?;
            }
            Ok(found)
        })?;
        found.retain(|located| !is_archive_summary(&located.memory));
        found.sort_by(|a, b| filter.compare(&a.memory, &b.memory));
        Ok(found)
    }

    /// The sessions to be looked through for what is put away, all if none is named; none if no
    /// session is meant, or if none holds anything of it.
    fn worth_reading(
        &self,
        filter: &Filter,
        meant: &[SessionId],
    ) -> Result<Option<Vec<SessionId>>> {
        if !filter.spaces.is_empty() && meant.is_empty() {
            return Ok(None);
        }
        if filter.forgotten != Forgottenness::Only {
            return Ok(Some(meant.to_vec()));
        }
        let mut forgetful = self.store.sessions_with_forgotten_put_away()?;
        forgetful.retain(|it| meant.is_empty() || meant.contains(it));
        Ok(Some(forgetful).filter(|it| !it.is_empty()))
    }

    /// Looks again if a session was archived, opened, deleted or brought back meanwhile, so that
    /// nothing is missed; what was compacted meanwhile is found once, at hand.
    fn while_nothing_moves(&self, look: impl Fn() -> Result<Vec<Located>>) -> Result<Vec<Located>> {
        let mut attempts = self.attempts();
        loop {
            let before = self.states()?;
            let mut found = match look() {
                Err(Error::SessionArchived { source: None, .. }) if attempts.are_left() => continue,
                found => found?,
            };
            if self.states()? == before || !attempts.are_left() {
                let mut seen = HashSet::new();
                found.retain(|located| seen.insert(located.memory.id.clone()));
                return Ok(found);
            }
        }
    }

    /// Which sessions there are, how they are archived, and when they were last opened.
    fn states(&self) -> Result<Vec<SessionPlace>> {
        let sessions = self.store.sessions()?.into_iter();
        let state = |it: Session| (it.id, it.archived, it.opened_at);
        Ok(sessions.map(state).collect())
    }

    /// The sessions among some spaces; refused if one of them is nowhere.
    fn sessions_among(&self, caller: &Caller, spaces: &[Space]) -> Result<Vec<SessionId>> {
        let mut sessions = Vec::new();
        for id in spaces.iter().filter_map(Space::session) {
            match self.require_session(id) {
                Err(Error::SessionDeleted { .. }) => {
                    let deleted = self.deleted_session(caller, id)?;
                    sessions.extend(deleted.map(|it| it.session_id));
                }
                known => sessions.push(known?.id),
            }
        }
        Ok(sessions)
    }

    /// Everything in a session, forgotten memories included, wherever it lies.
    pub(super) fn everything_in(&self, session: &SessionId) -> Result<Vec<Located>> {
        let of_session = Filter {
            spaces: vec![Space::Session(session.clone())],
            forgotten: Forgottenness::With,
            limit: usize::MAX,
            ..Filter::all(self.clock.now_micros())
        };
        self.while_nothing_moves(|| {
            let known = self.store.session(session)?;
            let at_hand = self.store.select(&Filter {
                only_open: known.is_some_and(|it| it.archived.is_none()),
                ..of_session.clone()
            })?;
            let at_hand = at_hand.memories.into_iter();
            let mut all: Vec<_> = at_hand.map(Located::at_hand).collect();
            let of_it = std::slice::from_ref(session);
            self.store.put_away(of_it, &mut |located| {
                all.push(located);
                Ok(())
            })?;
            Ok(all)
        })
    }
}
