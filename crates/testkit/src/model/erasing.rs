//! What is erased, and everything that was taken away or brought back.

use mnemon::error::Result;
use mnemon::memory::{Memory, Reference, SessionId, Space};
use mnemon::store::{AuditEntry, Deed, Erasure, Located, Renewal, What, Whereabouts};

use super::compaction::Parked;
use super::life::Aside;
use super::state::{Kept, State};

impl State {
    /// Takes memories out wherever they lie, and with them all that is known of them but their texts.
    pub(super) fn erase(&mut self, erasure: &Erasure) -> Result<()> {
        let is_meant = |kept: &Kept| erasure.ids.contains(&kept.now.id);
        let mut meant: Vec<Kept> = Vec::new();
        let mut before: Vec<Kept> = Vec::new();
        for list in self.lists() {
            for kept in list.iter() {
                if is_meant(kept) {
                    meant.push(kept.clone());
                }
                if erasure.renewed.iter().any(|it| it.id == kept.now.id) {
                    before.push(kept.clone());
                }
            }
        }
        let parked = self.away.iter().map(Parked::kept);
        meant.extend(parked.filter(|kept| is_meant(kept)).cloned());
        for id in &erasure.ids {
            if !meant.iter().any(|kept| kept.now.id == *id) {
                return Err(Reference::not_found(id.as_str()));
            }
        }
        for kept in meant.iter().chain(&before) {
            let versions = kept.changes.iter().filter_map(|change| match &change.what {
                What::Kept(memory) | What::Revised(memory) => Some(memory.text.to_string()),
                _ => None,
            });
            self.erased_texts.extend(versions);
        }
        self.keep_deeds_of(&meant);
        for list in self.lists() {
            list.retain(|kept| !is_meant(kept));
            for kept in list.iter_mut() {
                for renewal in &erasure.renewed {
                    kept.renew(renewal);
                }
            }
        }
        self.away.retain(|parked| !is_meant(parked.kept()));
        self.count_archived_anew();
        self.enter_erasure(erasure, &meant);
        Ok(())
    }

    fn enter_erasure(&mut self, erasure: &Erasure, meant: &[Kept]) {
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
    }

    /// What is put away of these sessions, or of all.
    pub(super) fn put_away(&self, sessions: &[SessionId]) -> Vec<Located> {
        let mut all: Vec<Located> = Vec::new();
        let mut put = |kept: &Kept, at, compacted| {
            let mut memory = kept.now.clone();
            memory.state.compacted = compacted;
            all.push(Located { memory, at });
        };
        for (_, aside) in self.archived.values() {
            let kept = aside.kept.iter();
            kept.for_each(|it| put(it, Whereabouts::Archived, false));
        }
        for (_, aside) in &self.deleted {
            let kept = aside.all().into_iter();
            kept.for_each(|it| put(it, Whereabouts::Deleted, false));
        }
        for parked in &self.away {
            let session = parked.session();
            let is_deleted = session.is_some_and(|it| self.deleted_of(it).is_some());
            let at = if is_deleted {
                Whereabouts::Deleted
            } else {
                Whereabouts::Compacted
            };
            put(parked.kept(), at, true);
        }
        let is_wanted = |it: &Located| {
            sessions.is_empty()
                || it
                    .memory
                    .space
                    .session()
                    .is_some_and(|own| sessions.contains(own))
        };
        all.retain(is_wanted);
        all
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
        let put_away = put_away.chain(self.away.iter().map(Parked::kept));
        for kept in self.memories.iter().chain(put_away) {
            trail.extend(deeds_of(kept));
        }
        trail.sort_by_key(|entry| entry.at.micros());
        trail
    }
}

impl Kept {
    /// Makes it say something else, as if it always had.
    fn renew(&mut self, renewal: &Renewal) {
        if self.now.id != renewal.id {
            return;
        }
        let draft = &renewal.draft;
        let first = Memory {
            text: draft.text.clone(),
            body: draft.body.clone(),
            importance: draft.importance,
            confidence: None,
            tags: draft.tags.clone(),
            links: draft.links.clone(),
            metadata: draft.metadata.clone(),
            embedding: None,
            tokens: None,
            created_at: draft.created_at.unwrap_or(self.first.created_at),
            ..self.first.clone()
        };
        self.now = Memory {
            state: self.now.state.clone(),
            ..first.clone()
        };
        self.changes
            .retain(|change| !matches!(change.what, What::Revised(_)));
        for change in &mut self.changes {
            if let What::Kept(memory) = &mut change.what {
                **memory = first.clone();
            }
        }
        self.first = first;
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
