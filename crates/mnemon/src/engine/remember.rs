//! Keeping and revising.

use std::borrow::Cow;

use super::rights::targets;
use super::supersede::Setting;
use crate::caller::{Caller, Operation, Sight};
use crate::context::text::without_recalled;
use crate::engine::{Filling, Mnemon};
use crate::error::{Error, Result};
use crate::memory::body::confidence_from_word;
use crate::memory::{
    Confidence, Draft, Handle, Kind, Memory, MemoryId, Reference, Revision, Space, Text,
};
use crate::redact::Redaction;
use crate::store::{OnFull, Outcome, Receipt, Write};
use serde_json::Value;

/// A text without the pack that an agent was given before it spoke; one that is nothing else is refused.
pub(super) fn unrecalled(text: Text) -> Result<Text> {
    let own = match without_recalled(text.as_str()) {
        Cow::Borrowed(_) => return Ok(text),
        Cow::Owned(own) => own,
    };
    if own.is_empty() {
        return Err(Error::Rule {
            field: "text",
            rule: "more than what was recalled, which is kept already".into(),
            given: "a context pack".into(),
        });
    }
    own.try_into()
}

/// What became of a memory that was handed in.
#[derive(Clone, Debug, PartialEq)]
pub struct Remembered {
    /// Its id.
    pub id: MemoryId,
    /// Its short name in its session.
    pub handle: Option<Handle>,
    /// Where it lives.
    pub space: Space,
    /// Whether it is on the disk for good.
    pub durable: bool,
    /// False if it was there already.
    pub new: bool,
    /// Whether it was there already and is forgotten, so that no question finds it.
    pub forgotten: bool,
    /// What was taken out of it before it was kept.
    pub redacted: Vec<Redaction>,
    /// Set if its space fills up.
    pub filling: Option<Filling>,
}

impl Remembered {
    /// What whoever handed it in should know beside that it is kept.
    pub fn notes(&self) -> Vec<String> {
        let forgotten = self.forgotten.then(|| {
            let id = &self.id;
            format!(
                "{id} is forgotten: no question finds it until `mnemon unforget {id} --reason R`"
            )
        });
        let filling = self.filling.iter().map(ToString::to_string);
        forgotten.into_iter().chain(filling).collect()
    }
}

/// One step of a transaction.
#[derive(Clone, Debug)]
pub enum Action {
    /// Keep a memory.
    Remember(Box<Draft>),
    /// Change one.
    Revise {
        /// Which.
        id: MemoryId,
        /// The version that the caller has seen, if it wants to be sure.
        expected: Option<u64>,
        /// What shall be different.
        revision: Box<Revision>,
    },
    /// Forget one.
    Forget {
        /// Which.
        id: MemoryId,
        /// Why.
        reason: String,
    },
    /// Bring one back.
    Restore {
        /// Which.
        id: MemoryId,
        /// Why.
        reason: String,
    },
}

impl Mnemon {
    /// Keeps a memory.
    pub fn remember(&self, caller: &Caller, space: &Space, draft: Draft) -> Result<Remembered> {
        caller.may(Operation::Remember)?;
        let mut kept = self.remember_all(caller, space, vec![draft], OnFull::Refuse)?;
        Ok(kept.remove(0))
    }

    /// Keeps several memories of one space together, or none of them.
    pub fn remember_all(
        &self,
        caller: &Caller,
        space: &Space,
        drafts: Vec<Draft>,
        on_full: OnFull,
    ) -> Result<Vec<Remembered>> {
        caller.may(Operation::RememberAll)?;
        let actions = drafts
            .into_iter()
            .map(|draft| Action::Remember(Box::new(draft)))
            .collect();
        let (receipt, redacted) = self.act(caller, space, actions, on_full)?;
        let durable = receipt.durable;
        let filling = self.filling(caller, space, receipt.grown);
        Ok(receipt
            .outcomes
            .into_iter()
            .zip(redacted)
            .filter_map(|(outcome, redacted)| {
                let kept = remembered(outcome, space, durable)?;
                Some(Remembered {
                    redacted,
                    filling: filling.clone(),
                    forgotten: !kept.new && self.is_forgotten(&kept.id),
                    ..kept
                })
            })
            .collect())
    }

    /// Whether a memory that was just handed in again is forgotten. It is kept in any case, so
    /// what can't be looked at is no reason to say otherwise.
    fn is_forgotten(&self, id: &MemoryId) -> bool {
        let kept = self.store.find(&Reference::Id(id.clone()));
        matches!(kept, Ok(Some(kept)) if kept.state.forgotten.is_some())
    }

    /// Does several things in one space together, or none of them.
    pub fn transact(
        &self,
        caller: &Caller,
        space: &Space,
        actions: Vec<Action>,
        on_full: OnFull,
    ) -> Result<Receipt> {
        caller.may(Operation::Transact)?;
        let (receipt, _) = self.act(caller, space, actions, on_full)?;
        Ok(receipt)
    }

    /// As [`Self::transact`], and says what was taken out for each action.
    fn act(
        &self,
        caller: &Caller,
        space: &Space,
        actions: Vec<Action>,
        on_full: OnFull,
    ) -> Result<(Receipt, Vec<Vec<Redaction>>)> {
        self.check_actions(caller, space, &actions)?;
        self.require_spaces(caller, std::slice::from_ref(space))?;
        let mut writes = Vec::with_capacity(actions.len());
        let mut redacted = Vec::with_capacity(actions.len());
        let mut settings: Vec<(Setting, MemoryId)> = Vec::new();
        for mut action in actions {
            if let Action::Remember(draft) = &mut action {
                self.supersede(caller, space, draft, &settings)?;
            }
            let (write, redactions) = self.write(caller, space, action)?;
            if let Write::Add { id, draft } = &write
                && let Some(setting) = Setting::of(&draft.body)
            {
                settings.push((setting, id.clone()));
            }
            writes.push(write);
            redacted.push(redactions);
        }
        let receipt = self.commit(caller, space.clone(), writes, on_full)?;
        Ok((receipt, redacted))
    }

    /// Changes a memory and gives it back as it is then.
    pub fn revise(
        &self,
        caller: &Caller,
        memory: &Memory,
        expected: Option<u64>,
        revision: Revision,
    ) -> Result<Memory> {
        caller.may(Operation::Revise)?;
        if memory.state.forgotten.is_some() {
            return Err(Error::Forgotten {
                id: memory.id.to_string(),
            });
        }
        let action = Action::Revise {
            id: memory.id.clone(),
            expected,
            revision: Box::new(revision),
        };
        self.transact(caller, &memory.space, vec![action], OnFull::Refuse)?;
        self.find(caller, memory.id.as_str(), None)
    }

    /// Refuses links to what is not there: most are slips of the pen.
    pub fn check_references(&self, caller: &Caller, draft: &Draft) -> Result<()> {
        caller.may(Operation::CheckReferences)?;
        let sight = Sight::of(caller);
        for target in targets(draft) {
            // What is archived is there, and need not be opened to be linked.
            let is_archived = || -> Result<bool> {
                let there = self.store.shelved(target)?.is_some_and(|it| !it.deleted);
                if !there || sight.is_everything() {
                    return Ok(there);
                }
                let located = self.locate_put_away(caller, &Reference::Id(target.clone()))?;
                Ok(located.is_some_and(|it| sight.sees(&it.memory)))
            };
            if self.peek(caller, target)?.is_none() && !is_archived()? {
                return Err(Reference::not_found(target.as_str()));
            }
        }
        Ok(())
    }

    /// Drops repeated tags and links, and refuses what can't be kept in that space.
    pub fn check(&self, space: &Space, draft: &mut Draft) -> Result<()> {
        draft.check(space, &self.limits())?;
        self.check_dimension(draft.embedding.as_deref())
    }

    /// The write of an action, without what must not be kept.
    fn write(
        &self,
        caller: &Caller,
        space: &Space,
        action: Action,
    ) -> Result<(Write, Vec<Redaction>)> {
        Ok(match action {
            Action::Remember(mut draft) => {
                self.check_dimension(draft.embedding.as_deref())?;
                Self::fill_in(caller, &mut draft);
                draft.text = unrecalled(draft.text)?;
                let redacted = self.redactor.redact_draft(&mut draft)?;
                self.note_sensitive(&mut draft)?;
                self.refuse_unsealed(draft.sensitive)?;
                let id = self.id_for(&draft);
                (Write::Add { id, draft }, redacted)
            }
            Action::Revise {
                id,
                expected,
                mut revision,
            } => {
                self.check_dimension(revision.embedding.as_deref())?;
                let redacted = self.redactor.redact_revision(&mut revision)?;
                self.note_sensitive_revision(&mut revision)?;
                self.refuse_unsealed(revision.sensitive == Some(true))?;
                let write = Write::Revise {
                    id,
                    expected,
                    revision,
                };
                (write, redacted)
            }
            Action::Forget { id, mut reason } => {
                let redacted = self.redactor.redact_text(&mut reason);
                let write = Write::Forget {
                    id,
                    reason,
                    recover_until: self.recover_until(space),
                    earlier: None,
                };
                (write, redacted)
            }
            Action::Restore { id, mut reason } => {
                let redacted = self.redactor.redact_text(&mut reason);
                (Write::Restore { id, reason }, redacted)
            }
        })
    }

    /// What a caller leaves out and is known all the same.
    pub(super) fn fill_in(caller: &Caller, draft: &mut Draft) {
        if draft.author.is_none() {
            draft.author = caller.name().parse().ok();
        }
        if draft.confidence.is_none() && !draft.body.is_empty() {
            draft.confidence = match draft.body.to_map().get("confidence") {
                Some(Value::String(word)) => confidence_from_word(word),
                Some(number) => number.as_f64(),
                None => None,
            }
            .and_then(|number| Confidence::try_from(number).ok());
        }
    }

    /// An id that no memory has, for one that others of the same call are to name.
    pub fn new_id(&self, kind: Kind) -> MemoryId {
        let millis = u64::try_from(self.clock.now_micros() / 1000).unwrap_or(0);
        MemoryId::generate(kind, millis, (self.random)())
    }

    pub(super) fn id_for(&self, draft: &Draft) -> MemoryId {
        let own = draft.id.clone();
        own.unwrap_or_else(|| self.new_id(draft.body.kind()))
    }
}

pub(super) fn remembered(outcome: Outcome, space: &Space, durable: bool) -> Option<Remembered> {
    Some(Remembered {
        id: outcome.id?,
        handle: outcome.handle,
        space: space.clone(),
        durable,
        new: outcome.changed,
        forgotten: false,
        redacted: Vec::new(),
        filling: None,
    })
}

/// The rule for reasons: whoever reads the history should find one.
pub(super) fn check_reason(reason: &str) -> Result<()> {
    if reason.trim().is_empty() || reason.chars().count() > 1000 {
        return Err(Error::rule(
            "reason",
            "1 to 1000 characters that say why",
            reason,
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Text;

    #[test]
    fn a_vector_of_another_dimension_is_refused_with_both_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Mnemon::open(folder.path()).unwrap();
        let me = Caller::user("me");
        let draft = |numbers: usize| {
            let mut draft = Draft::new(Kind::Fact, Text::try_from("x".to_owned()).unwrap());
            draft.embedding = Some(vec![0.5; numbers]);
            draft
        };
        let refusal = "the embedding has 3 numbers, and vectors of mnemon-english-1 have 256";
        let refused = engine.remember(&me, &Space::Shared, draft(3)).unwrap_err();
        assert_eq!(refused.code().as_str(), "E_EMBEDDING");
        assert_eq!(refused.to_string(), refusal);

        let kept = engine.remember(&me, &Space::Shared, draft(256)).unwrap();
        let memory = engine.get(&me, kept.id.as_str(), None).unwrap();
        let revision = |numbers: usize| Revision {
            embedding: Some(vec![0.25; numbers]),
            ..Revision::default()
        };
        let refused = engine.revise(&me, &memory, None, revision(3)).unwrap_err();
        assert_eq!(refused.to_string(), refusal);
        let revised = engine.revise(&me, &memory, None, revision(256)).unwrap();
        assert_eq!(revised.embedding, Some(vec![0.25; 256]));
    }
}
