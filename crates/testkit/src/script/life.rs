//! What is done to whole sessions, as data.

use mnemon::Result;
use mnemon::memory::{MemoryId, Reference, SessionId, Space};
use mnemon::session::{DeletedSession, SessionDeed};
use mnemon::store::{Archiving, Compaction, Return, Store};
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
    /// Those of these that are there.
    Compact(Vec<MemoryId>),
    BringBack,
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
            LifeStep::Compact(ids) => compact(store, deed, &ids)?,
            LifeStep::BringBack => bring_back(store, deed)?,
        })
    }
}

/// As the engine does it: an open session, and memories that are in it.
fn compact(store: &dyn Store, deed: SessionDeed, ids: &[MemoryId]) -> Result<String> {
    let Some(session) = open_session(store, &deed)? else {
        return Ok("nothing to compact".into());
    };
    let space = Space::Session(session.clone());
    let mut shelve = Vec::new();
    for id in ids {
        let found = store.find(&Reference::Id(id.clone()))?;
        if found.is_some_and(|memory| memory.space == space) && !shelve.contains(id) {
            shelve.push(id.clone());
        }
    }
    if shelve.is_empty() {
        return Ok("nothing to compact".into());
    }
    store.compact(&Compaction {
        session,
        by: deed.by,
        now: deed.at,
        reason: deed.reason,
        shelve: shelve.clone(),
        purge: Vec::new(),
        summaries: Vec::new(),
        limits: LIMITS,
    })?;
    Ok(format!("compacted: {shelve:?}"))
}

fn bring_back(store: &dyn Store, deed: SessionDeed) -> Result<String> {
    let Some(session) = open_session(store, &deed)? else {
        return Ok("nothing to bring back".into());
    };
    let brought = store.bring_back(&Return {
        session,
        by: deed.by,
        reason: deed.reason,
        at: deed.at,
        ids: None,
        summaries: Vec::new(),
    })?;
    Ok(format!("brought back: {brought:?}"))
}

fn open_session(store: &dyn Store, deed: &SessionDeed) -> Result<Option<SessionId>> {
    let session = store.session(&deed.session)?;
    Ok(session
        .filter(|session| session.archived.is_none())
        .map(|session| session.id))
}

/// Stores differ in how large things are.
pub(super) fn without_size(mut deleted: DeletedSession) -> DeletedSession {
    deleted.bytes = 0;
    deleted
}
