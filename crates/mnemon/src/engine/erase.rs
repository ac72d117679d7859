//! Erasing, so that it can't be undone.
//!
//! What is erased may be quoted: by the summary of a compaction, and by the one
//! that stands for an archived session. Those are made anew from what is left,
//! or go too.

mod papers;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::life::is_archive_summary;
use super::remember::check_reason;
use crate::caller::{Caller, Operation, Sight};
use crate::compact::{self, SUMMARIZES, is_summary};
use crate::engine::Mnemon;
use crate::error::Result;
use crate::memory::{Draft, Memory, MemoryId, Reference, SessionId, Space};
use crate::store::{AuditEntry, Erased, Erasure, Located, Renewal, Whereabouts};

impl Mnemon {
    /// Removes memories for good: no file of the store holds a byte of them afterwards.
    pub fn erase(&self, caller: &Caller, memories: &[Memory], reason: &str) -> Result<Erased> {
        caller.may(Operation::Erase)?;
        let ids = memories.iter().map(|memory| memory.id.clone()).collect();
        self.erase_ids(caller, ids, reason)
    }

    /// As [`Self::erase`], also of what is put away, where no question finds it.
    pub fn erase_ids(
        &self,
        caller: &Caller,
        mut ids: Vec<MemoryId>,
        reason: &str,
    ) -> Result<Erased> {
        caller.may(Operation::EraseIds)?;
        check_reason(reason)?;
        self.check_erasure(caller, &ids)?;
        // What waits to be written could bring a line about them back.
        self.flush(caller)?;
        ids.sort();
        ids.dedup();
        if ids.is_empty() {
            return Ok(Erased::default());
        }
        let (quoting, renewed) = self.renewals(&ids)?;
        ids.extend(quoting);
        // Before the memories go: afterwards nobody would know what they said.
        let papers = self.clean_papers(caller, &ids)?;
        let audiences = self.audiences(&ids);
        let mut erased = self.store.erase(&Erasure {
            ids,
            by: caller.name().to_owned(),
            reason: self.redactor.redact(reason).text,
            at: self.clock.now(),
            renewed,
        })?;
        erased.cleaned.extend(papers.cleaned);
        erased.not_cleaned = papers.not_cleaned;
        // The memories are gone by now: what fails is part of the receipt, not a refusal.
        if let Err(error) = self.clean_papers_again(&papers.gone) {
            let told = format!("desks and snapshots that somebody wrote to meanwhile: {error}");
            erased.not_cleaned.push(told);
        }
        self.publish_erased(audiences);
        Ok(erased)
    }

    /// What was forgotten, brought back and erased, and what became of sessions, the oldest first;
    /// never what they said.
    pub fn audit(&self, caller: &Caller) -> Result<Vec<AuditEntry>> {
        caller.may(Operation::Audit)?;
        let entries = self.store.audit()?;
        if Sight::of(caller).is_everything() {
            return Ok(entries);
        }
        let mut seen = Vec::new();
        for entry in entries {
            seen.extend(self.seen_entry(caller, entry)?);
        }
        Ok(seen)
    }

    /// The summaries that say nothing without these memories, and what the others say without them.
    fn renewals(&self, ids: &[MemoryId]) -> Result<(Vec<MemoryId>, Vec<Renewal>)> {
        let erased: HashSet<&MemoryId> = ids.iter().collect();
        let mut outcome = (Vec::new(), Vec::new());
        for session in self.sessions_of(ids)? {
            let all = self.everything_in(&session)?;
            let mut drafts = self.conversations_anew(&session, &all, &erased)?;
            drafts.extend(self.archive_anew(&session, &all, &erased, &drafts)?);
            for (id, draft) in drafts {
                match draft {
                    Some(draft) => outcome.1.push(Renewal { id, draft }),
                    None => outcome.0.push(id),
                }
            }
        }
        Ok(outcome)
    }

    fn sessions_of(&self, ids: &[MemoryId]) -> Result<BTreeSet<SessionId>> {
        let mut sessions = BTreeSet::new();
        for id in ids {
            match self.store.find(&Reference::Id(id.clone()))? {
                Some(memory) => sessions.extend(memory.space.session().cloned()),
                None => sessions.extend(self.store.shelved(id)?.map(|found| found.session)),
            }
        }
        Ok(sessions)
    }

    /// What summaries of turns say without some of them; nothing if no turn is left.
    fn conversations_anew(
        &self,
        session: &SessionId,
        all: &[Located],
        erased: &HashSet<&MemoryId>,
    ) -> Result<Drafts> {
        let by_id: HashMap<&MemoryId, &Memory> =
            all.iter().map(|it| (&it.memory.id, &it.memory)).collect();
        let mut drafts = Drafts::new();
        for summary in all.iter().map(|it| &it.memory) {
            let quotes_any = summary.links.iter().any(|link| erased.contains(&link.to));
            if !is_summary(summary) || !quotes_any || erased.contains(&summary.id) {
                continue;
            }
            let links = summary.links.iter();
            let turns: Vec<&Memory> = links
                .filter(|link| link.rel.as_str() == SUMMARIZES && !erased.contains(&link.to))
                .filter_map(|link| by_id.get(&link.to).copied())
                .filter(|turn| turn.state.forgotten.is_none())
                .collect();
            let draft = match compact::summary(&turns) {
                Some((draft, _)) => Some(self.renewed(session, summary, draft)?),
                None => None,
            };
            drafts.insert(summary.id.clone(), draft);
        }
        Ok(drafts)
    }

    /// What the summary of an archived session says without some of its memories.
    fn archive_anew(
        &self,
        session: &SessionId,
        all: &[Located],
        erased: &HashSet<&MemoryId>,
        drafts: &Drafts,
    ) -> Result<Option<(MemoryId, Option<Box<Draft>>)>> {
        let mut summaries = all.iter().filter(|it| is_archive_summary(&it.memory));
        let Some(Located { memory: own, at }) = summaries.next() else {
            return Ok(None);
        };
        if erased.contains(&own.id) {
            return Ok(None);
        }
        let inside = match at {
            Whereabouts::Deleted => Whereabouts::Deleted,
            _ => Whereabouts::Archived,
        };
        let mut left = Vec::new();
        for Located { memory, .. } in all.iter().filter(|it| it.at == inside) {
            // What had been compacted before was not summed up.
            let goes = erased.contains(&memory.id) || memory.id == own.id || memory.state.compacted;
            match drafts.get(&memory.id) {
                _ if goes => {}
                Some(Some(draft)) => left.push(Memory {
                    text: draft.text.clone(),
                    ..memory.clone()
                }),
                Some(None) => {}
                None => left.push(memory.clone()),
            }
        }
        let draft = match Self::archive_draft(session, own.created_at, left)? {
            Some(draft) => Some(self.renewed(session, own, draft)?),
            None => None,
        };
        Ok(Some((own.id.clone(), draft)))
    }

    /// A draft that takes the place of what a summary says.
    fn renewed(&self, session: &SessionId, before: &Memory, draft: Draft) -> Result<Box<Draft>> {
        let mut draft = Box::new(Draft {
            metadata: before.metadata.clone(),
            ..draft
        });
        // What it quotes may have been kept under other settings.
        self.redactor.redact_draft(&mut draft)?;
        draft.check(&Space::Session(session.clone()), &self.limits())?;
        Ok(draft)
    }
}

/// Summaries that must say something else, and what; nothing if they must go.
type Drafts = BTreeMap<MemoryId, Option<Box<Draft>>>;
