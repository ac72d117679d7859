//! What is done to whole sessions, as data.

use mnemon::Result;
use mnemon::memory::{MemoryId, SessionId};
use mnemon::session::{DeletedSession, SessionDeed};
use mnemon::store::{Archiving, Store};
use mnemon::time::Time;
use serde::{Deserialize, Serialize};

use super::writes::{DraftSpec, LIMITS};

/// Something that is done to a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of SessionDeed")]
pub struct LifeSpec {
    pub session: SessionId,
    pub by: String,
    pub at: Time,
    pub reason: String,
    pub what: LifeStep,
}

/// What is done.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the variants are methods of Store")]
pub enum LifeStep {
    Archive(Option<(MemoryId, Box<DraftSpec>)>),
    Restore,
    Activate,
    Delete(Time),
    Undelete,
    Purge,
}

impl LifeSpec {
    /// Does it, and tells what came of it.
    pub(super) fn answer(&self, store: &dyn Store) -> Result<String> {
        let deed = SessionDeed {
            session: self.session.clone(),
            by: self.by.clone(),
            reason: self.reason.clone(),
            at: self.at,
        };
        Ok(match self.what.clone() {
            LifeStep::Archive(summary) => {
                let archiving = Archiving {
                    deed,
                    summary: summary.map(|(id, draft)| (id, Box::new(draft.draft()))),
                    limits: LIMITS,
                };
                format!("archived: {}", store.archive(&archiving)?)
            }
            LifeStep::Restore => format!("restored: {}", store.restore(&deed)?),
            LifeStep::Activate => format!("activated: {:?}", store.activate(&deed)?),
            LifeStep::Delete(deadline) => {
                let deleted = store.delete_session(&deed, deadline)?;
                format!("{:#?}", without_size(deleted))
            }
            LifeStep::Undelete => format!("undeleted: {:?}", store.undelete_session(&deed)?),
            LifeStep::Purge => format!("purged: {:?}", store.purge_session(&deed)?),
        })
    }
}

/// Stores differ in how large things are.
pub(super) fn without_size(mut deleted: DeletedSession) -> DeletedSession {
    deleted.bytes = 0;
    deleted
}
