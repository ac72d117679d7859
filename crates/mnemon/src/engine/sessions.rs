//! Sessions: made, shown, listed, closed; `life` has the rest of their life.

use crate::caller::{Caller, Operation};
use crate::engine::Mnemon;
use crate::error::{Error, Result};
use crate::memory::{SessionId, Space, keep_first_of_each};
use crate::session::{Session, SessionDetails, SessionState};
use crate::store::{OnFull, Write};

/// A session to be made.
#[derive(Clone, Debug, Default)]
pub struct NewSession {
    /// Its id; one that tells the day if none is given.
    pub id: Option<SessionId>,
    /// What there is to say about it.
    pub details: SessionDetails,
}

impl Mnemon {
    /// Makes a session.
    pub fn create_session(&self, caller: &Caller, new: NewSession) -> Result<SessionId> {
        caller.may(Operation::CreateSession)?;
        let mut details = new.details;
        let user = details
            .user
            .get_or_insert_with(|| self.config.defaults.user.clone());
        check_name("user", user)?;
        details
            .agents
            .iter()
            .try_for_each(|agent| check_name("agent", agent))?;
        keep_first_of_each(&mut details.agents);
        keep_first_of_each(&mut details.tags);
        details.check()?;
        self.config.decay.with_session(&details.decay)?;
        self.config.compaction.with_session(&details.compaction)?;
        self.redactor.redact_details(&mut details);
        let id = new.id.unwrap_or_else(|| {
            let now = self.clock.now().to_string();
            SessionId::generate(&now[..10], (self.random)())
        });
        self.commit(
            caller,
            Space::Session(id.clone()),
            vec![Write::CreateSession(details)],
            OnFull::Refuse,
        )?;
        Ok(id)
    }

    /// The session of that id; an archived one stays so.
    pub fn session(&self, caller: &Caller, id: &SessionId) -> Result<Session> {
        caller.may(Operation::Session)?;
        let session = self.require_session(id)?;
        let mut shown = self.shown(caller, vec![session])?;
        Ok(shown.remove(0))
    }

    /// Every session, the one with the latest activity first.
    pub fn sessions(&self, caller: &Caller) -> Result<Vec<Session>> {
        caller.may(Operation::Sessions)?;
        self.shown(caller, self.store.sessions()?)
    }

    /// Closes a session. Whatever is kept in it later opens it again.
    pub fn close_session(&self, caller: &Caller, id: &SessionId) -> Result<Session> {
        caller.may(Operation::CloseSession)?;
        let session = self.require_session(id)?;
        let state = self.session_state(&session);
        if matches!(state, SessionState::Idle | SessionState::Archived) {
            return self.session(caller, &session.id);
        }
        let details = SessionDetails {
            closed_at: Some(self.clock.now()),
            ..session.details
        };
        let space = Space::Session(session.id.clone());
        self.commit(
            caller,
            space,
            vec![Write::ChangeSession(details)],
            OnFull::Refuse,
        )?;
        self.session(caller, &session.id)
    }

    /// Where a session is in its life.
    pub fn session_state(&self, session: &Session) -> SessionState {
        session.state(self.clock.now(), &self.config.sessions)
    }

    pub(super) fn require_session(&self, id: &SessionId) -> Result<Session> {
        if let Some(session) = self.store.session(id)? {
            return Ok(session);
        }
        let is_same = |other: &str| other.eq_ignore_ascii_case(id.as_str());
        let mut deleted = self.store.deleted_sessions()?.into_iter();
        Err(match deleted.find(|it| is_same(it.session_id.as_str())) {
            Some(deleted) => Error::SessionDeleted {
                session: deleted.session_id.to_string(),
            },
            None => Error::SessionNotFound {
                session: id.to_string(),
            },
        })
    }
}

fn check_name(field: &'static str, name: &str) -> Result<()> {
    match name.parse::<crate::memory::Author>() {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::rule(
            field,
            "1 to 128 characters without control characters",
            name,
        )),
    }
}
