//! What a batch says of its session, and whether that session takes it.

use std::sync::Arc;

use rusqlite::OptionalExtension;

use super::Planner;
use crate::error::{Error, Result};
use crate::session::SessionDetails;
use crate::store::local::index::shelves;
use crate::store::local::log::line::Line;
use crate::store::{Outcome, Write};

/// A session as the index knows it.
struct FoundSession {
    id: String,
    details: SessionDetails,
    archived: bool,
}

impl Planner<'_> {
    pub(super) fn create_session(&mut self, details: &SessionDetails) -> Result<Outcome> {
        let existing = match (&self.planned.known.session, self.batch.space.session()) {
            // An earlier write of this batch made it.
            (Some(_), Some(id)) => Some(id.to_string()),
            _ => self.session_details()?.map(|found| found.id),
        };
        if let Some(session) = existing {
            return Err(Error::SessionExists { session });
        }
        if let Some(id) = self.batch.space.session()
            && let Some(session) =
                shelves::trashed(self.connection, id.as_str()).map_err(Error::index("index"))?
        {
            return Err(Error::SessionIdDeleted { session });
        }
        self.write_session(details)
    }

    pub(super) fn change_session(&mut self, details: &SessionDetails) -> Result<Outcome> {
        self.require_session()?;
        if self.planned.known.session.as_deref() == Some(details) {
            return Ok(Outcome {
                id: None,
                handle: None,
                version: 0,
                changed: false,
            });
        }
        self.write_session(details)
    }

    fn write_session(&mut self, details: &SessionDetails) -> Result<Outcome> {
        if self.batch.space.session().is_none() {
            return Err(Error::rule(
                "space",
                "a session",
                &self.batch.space.to_string(),
            ));
        }
        self.planned.known.session = Some(Arc::new(details.clone()));
        let line = Line::session(&self.batch.space, details, &self.batch.by, self.at);
        self.planned.lines.push(line.into());
        Ok(Outcome {
            id: None,
            handle: None,
            version: 0,
            changed: true,
        })
    }

    /// What is written to the short log of an archived session would be lost when it opens.
    pub(super) fn refuse_archived(&mut self) -> Result<()> {
        let is_made_anew = matches!(self.batch.writes.first(), Some(Write::CreateSession(_)));
        let Some(id) = self.batch.space.session() else {
            return Ok(());
        };
        // That something was asked for is no reason to open it.
        let only_counts = self
            .batch
            .writes
            .iter()
            .all(|write| matches!(write, Write::Access { .. }));
        if is_made_anew || only_counts || self.planned.known.session.is_some() {
            return Ok(());
        }
        match self.session_details()? {
            Some(found) if found.archived && found.id == id.as_str() => {
                Err(Error::SessionArchived {
                    session: found.id,
                    source: None,
                })
            }
            Some(found) if found.id == id.as_str() => {
                self.planned.known.session = Some(found.details.into());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Only a session that exists takes memories.
    pub(super) fn require_session(&mut self) -> Result<()> {
        let Some(id) = self.batch.space.session() else {
            return Ok(());
        };
        if self.planned.known.session.is_some() {
            return Ok(());
        }
        match self.session_details()? {
            // The folder has the case of the id that it was made with.
            Some(found) if found.id == id.as_str() => {
                self.planned.known.session = Some(found.details.into());
                Ok(())
            }
            _ => Err(
                match shelves::trashed(self.connection, id.as_str())
                    .map_err(Error::index("index"))?
                {
                    Some(session) => Error::SessionDeleted { session },
                    None => Error::SessionNotFound {
                        session: id.to_string(),
                    },
                },
            ),
        }
    }

    fn session_details(&self) -> Result<Option<FoundSession>> {
        let Some(id) = self.batch.space.session() else {
            return Ok(None);
        };
        self.connection
            .prepare_cached(
                "SELECT id, details, archived IS NOT NULL FROM sessions WHERE folded = ?1",
            )
            .and_then(|mut statement| {
                statement
                    .query_row([id.as_str().to_ascii_lowercase()], |row| {
                        let details: String = row.get(1)?;
                        Ok(FoundSession {
                            id: row.get(0)?,
                            details: serde_json::from_str(&details).unwrap_or_default(),
                            archived: row.get(2)?,
                        })
                    })
                    .optional()
            })
            .map_err(Error::index("index"))
    }
}
