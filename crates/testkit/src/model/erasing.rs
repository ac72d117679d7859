//! What is erased, and everything that was taken away or brought back.

use mnemon::error::Result;
use mnemon::memory::{Reference, Space};
use mnemon::session::SessionDeed;
use mnemon::store::{AuditEntry, Deed, Erasure, What};

use super::life::Aside;
use super::state::{Kept, State};

impl State {
    /// Takes memories out, and with them all that is known of them but their texts.
    pub(super) fn erase(&mut self, erasure: &Erasure) -> Result<()> {
        for id in &erasure.ids {
            if let Some(found) = self.shelved(id).filter(|found| !found.deleted) {
                self.restore_session(&SessionDeed {
                    session: found.session,
                    by: erasure.by.clone(),
                    reason: "something in it is erased".into(),
                    at: erasure.at,
                })?;
            }
        }
        let is_meant = |kept: &Kept| erasure.ids.contains(&kept.now.id);
        let mut meant: Vec<Kept> = self
            .memories
            .iter()
            .filter(|it| is_meant(it))
            .cloned()
            .collect();
        meant.extend(self.erase_deleted(&erasure.ids));
        for id in &erasure.ids {
            if !meant.iter().any(|kept| kept.now.id == *id) {
                return Err(Reference::not_found(id.as_str()));
            }
        }
        for kept in &meant {
            let versions = kept.changes.iter().filter_map(|change| match &change.what {
                What::Kept(memory) | What::Revised(memory) => Some(memory.text.to_string()),
                _ => None,
            });
            self.erased_texts.extend(versions);
        }
        self.keep_deeds_of(&meant);
        self.memories.retain(|kept| !is_meant(kept));
        let mut spaces: Vec<Space> = Vec::new();
        for id in &erasure.ids {
            let kept = meant.iter().find(|kept| kept.now.id == *id);
            let space = kept.map(|kept| kept.now.space.clone());
            spaces.extend(space.filter(|space| !spaces.contains(space)));
        }
        self.erasures.push(AuditEntry {
            at: erasure.at,
            deed: Deed::Erased,
            by: erasure.by.clone(),
            reason: erasure.reason.clone(),
            memories: erasure.ids.len() as u64,
            ids: erasure.ids.iter().map(ToString::to_string).collect(),
            spaces,
        });
        Ok(())
    }

    /// That they were forgotten and brought back is told even when they are gone.
    pub(super) fn keep_deeds_of(&mut self, kept: &[Kept]) {
        self.deeds.extend(kept.iter().flat_map(deeds_of));
    }

    pub(super) fn audit(&self) -> Vec<AuditEntry> {
        let mut trail = [&*self.erasures, &*self.deeds].concat();
        let archived = self.archived.values().map(|(_, aside)| aside);
        let aside = archived.chain(self.deleted.iter().map(|(_, aside)| aside));
        let put_away = aside.flat_map(Aside::all);
        for kept in self.memories.iter().chain(put_away) {
            trail.extend(deeds_of(kept));
        }
        trail.sort_by_key(|entry| entry.at.micros());
        trail
    }
}

/// When it was forgotten and brought back.
fn deeds_of(kept: &Kept) -> Vec<AuditEntry> {
    let mut deeds = Vec::new();
    for change in &kept.changes {
        let (deed, reason) = match &change.what {
            What::Forgotten { reason } => (Deed::Forgotten, reason),
            What::Restored { reason } => (Deed::Restored, reason),
            _ => continue,
        };
        deeds.push(AuditEntry {
            at: change.at,
            deed,
            by: change.by.clone().unwrap_or_default(),
            reason: reason.clone(),
            memories: 1,
            ids: vec![kept.now.id.to_string()],
            spaces: vec![kept.now.space.clone()],
        });
    }
    deeds
}
