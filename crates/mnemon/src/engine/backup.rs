//! Back-ups of the whole store, and what becomes of erasures when one comes back.

use std::path::Path;
use std::sync::Arc;

use super::Mnemon;
use crate::caller::{Caller, Operation};
use crate::config::Config;
use crate::error::Result;
use crate::memory::{MemoryId, Reference};
use crate::session::SessionDeed;
use crate::store::local::{GoneSince, LocalOptions, restore_backup};
use crate::store::{BackedUp, BroughtBack, Place};

/// Why something goes once more.
const AGAIN: &str = "it was removed for good after the back-up was taken";

impl Mnemon {
    /// Copies the whole store, as it is at one moment, into a folder that is not there yet.
    ///
    /// Others go on writing meanwhile. What was erased is in no back-up that is taken later, but
    /// stays in those that were taken before.
    pub fn back_up(&self, caller: &Caller, folder: &Path) -> Result<BackedUp> {
        caller.may(Operation::BackUp)?;
        self.flush(caller)?;
        self.store.back_up(folder)
    }
}

/// Makes a store in a folder from a back-up. One that is there is replaced only if that is said,
/// and is kept beside; what was removed from it for good since stays removed.
pub fn bring_back(
    caller: &Caller,
    backup: &Path,
    root: &Path,
    replace: bool,
    config: &Config,
) -> Result<BroughtBack> {
    // Whoever may look after a store may make one from its copy.
    caller.may(Operation::BackUp)?;
    let options = LocalOptions::from(config);
    restore_backup(backup, root, replace, options, |store, gone| {
        let engine = Mnemon::new(Arc::new(store), config.clone());
        engine.remove_again(caller, gone)
    })
}

impl Mnemon {
    fn remove_again(&self, caller: &Caller, gone: GoneSince) -> Result<u64> {
        let mut there: Vec<MemoryId> = Vec::new();
        for id in gone.ids {
            let place = self.store.locate(&Reference::Id(id.clone()))?;
            if !matches!(place, Place::Nowhere) {
                there.push(id);
            }
        }
        let mut count = there.len() as u64;
        if !there.is_empty() {
            self.erase_ids(caller, there, AGAIN)?;
        }
        for session in gone.sessions {
            let deed = SessionDeed {
                session: session.clone(),
                by: caller.name().to_owned(),
                reason: AGAIN.into(),
                at: self.clock.now(),
            };
            if let Some(known) = self.store.session(&session)? {
                count += known.activity.by_kind.values().sum::<u64>();
                self.store.delete_session(&deed, deed.at)?;
            }
            let deleted = self.store.deleted_sessions()?;
            if deleted.iter().any(|it| it.session_id == session) {
                self.store.purge_session(&deed)?;
            }
        }
        Ok(count)
    }
}
