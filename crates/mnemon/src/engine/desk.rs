//! An agent's desk: its working memory and its context window.
//!
//! A desk belongs to its agent alone; the user sees all. Secrets are taken out
//! before anything is put there, as everywhere.

use serde_json::Value;

use crate::agent::{Added, Desk, Entry, Key, Scope, Window, WindowItem, Working};
use crate::caller::{Caller, Operation, Who};
use crate::context::Counter;
use crate::context::text::without_recalled;
use crate::engine::Mnemon;
use crate::engine::agent_key::{Sealable, is_sealed};
use crate::error::{Error, Result};
use crate::memory::{AgentId, Importance, Memory, MemoryId, Tag};
use crate::redact::Redaction;
use crate::seal::SealProblem;
use crate::store::Paper;

/// A value to be held.
#[derive(Clone, Debug)]
pub struct NewEntry {
    /// What it is.
    pub value: Value,
    /// How much it matters.
    pub importance: Importance,
    /// Labels.
    pub tags: Vec<Tag>,
    /// Whether it never gets too old.
    pub pinned: bool,
}

/// Something to be put before an agent's eyes.
#[derive(Clone, Debug)]
pub struct NewItem {
    /// What it says.
    pub text: String,
    /// The lowest falls out first; a memory's importance if it was taken from one.
    pub priority: Option<Importance>,
    /// Whether it stays whatever comes.
    pub pinned: bool,
    /// The memory that it is taken from: then the text may be empty, and is what the memory says.
    pub memory: Option<MemoryId>,
}

impl Mnemon {
    /// What an agent holds now.
    pub fn desk(&self, caller: &Caller, agent: &AgentId) -> Result<Desk> {
        caller.may(Operation::Desk)?;
        check_desk(caller, agent)?;
        let paper = Paper::Working(agent.clone());
        self.read_desk(agent, self.store.paper(&paper)?.as_deref())
    }

    /// The desk that a paper tells of.
    pub(super) fn read_desk(&self, agent: &AgentId, bytes: Option<&[u8]>) -> Result<Desk> {
        let Some(sealed) = bytes.filter(|it| is_sealed(it)) else {
            return Desk::read(agent, bytes);
        };
        let opened = self.open_for_agent(&sealable(agent), sealed)?;
        Desk::read(agent, Some(&opened))
    }

    /// What the paper of a desk says then: sealed if that is wanted, or if it was.
    pub(super) fn written_desk(
        &self,
        agent: &AgentId,
        desk: &Desk,
        before: Option<&[u8]>,
        seals: bool,
    ) -> Result<Option<Vec<u8>>> {
        let Some(plain) = desk.write()? else {
            return Ok(None);
        };
        if seals || before.is_some_and(is_sealed) {
            return self.seal_for_agent(&sealable(agent), &plain).map(Some);
        }
        Ok(Some(plain))
    }

    /// An agent's working memory.
    pub fn working(&self, caller: &Caller, agent: &AgentId) -> Result<Working> {
        caller.may(Operation::Working)?;
        Ok(self.desk(caller, agent)?.working)
    }

    /// Puts a value into a scope; gives what was there before, and what was taken out of the new one.
    pub fn set_working(
        &self,
        caller: &Caller,
        agent: &AgentId,
        (scope, key): (&Scope, &Key),
        new: NewEntry,
        count: Counter,
    ) -> Result<(Option<Entry>, Vec<Redaction>)> {
        caller.may(Operation::SetWorking)?;
        let mut value = new.value;
        let redacted = self.redactor.redact_value(key.as_str(), &mut value);
        let now = self.clock.now();
        let tokens = match &value {
            Value::String(text) => count(text),
            value => count(&value.to_string()),
        };
        let entry = Entry {
            value,
            importance: new.importance,
            tags: new.tags,
            pinned: new.pinned,
            tokens,
            created_at: now,
            updated_at: now,
        };
        let before = self.at_desk(caller, agent, |desk| {
            Ok(desk.working.set(scope, key, entry.clone()))
        })?;
        Ok((before, redacted))
    }

    /// Takes values out of just that scope; those of these names that were there.
    pub fn drop_working(
        &self,
        caller: &Caller,
        agent: &AgentId,
        scope: &Scope,
        keys: &[Key],
    ) -> Result<Vec<Key>> {
        caller.may(Operation::DropWorking)?;
        self.at_desk(caller, agent, |desk| {
            let there = |key: &&Key| desk.working.remove(scope, key).is_some();
            Ok(keys.iter().filter(there).cloned().collect())
        })
    }

    /// Leaves a scope: all that lies in it and within it goes. How many values that were.
    pub fn clear_working(&self, caller: &Caller, agent: &AgentId, scope: &Scope) -> Result<usize> {
        caller.may(Operation::ClearWorking)?;
        let cleared = self.at_desk(caller, agent, |desk| Ok(desk.working.clear(scope)));
        match cleared {
            // Nobody can ever read it again: who clears everything begins anew.
            Err(Error::Crypto(SealProblem::Destroyed { .. })) if *scope == Scope::default() => {
                let paper = Paper::Working(agent.clone());
                self.store.edit_paper(&paper, &mut |_| Ok(None))?;
                Ok(0)
            }
            cleared => cleared,
        }
    }

    /// An agent's context window.
    pub fn window(&self, caller: &Caller, agent: &AgentId) -> Result<Window> {
        caller.may(Operation::Window)?;
        Ok(self.desk(caller, agent)?.window)
    }

    /// Puts something before an agent's eyes; what matters least falls out if need be.
    pub fn add_to_window(
        &self,
        caller: &Caller,
        agent: &AgentId,
        new: NewItem,
        count: Counter,
    ) -> Result<(Added, Vec<Redaction>)> {
        caller.may(Operation::AddToWindow)?;
        let of_memory = match &new.memory {
            Some(id) => Some(self.find(caller, id.as_str(), None)?),
            None => None,
        };
        let mut text = match &of_memory {
            Some(memory) if new.text.is_empty() => memory.text.to_string(),
            _ => without_recalled(&new.text).into_owned(),
        };
        let redacted = self.redactor.redact_text(&mut text);
        if text.trim().is_empty() {
            return Err(Error::rule("text", "not empty", &text));
        }
        // What is sealed elsewhere is not laid open here.
        let is_secret = |memory: &Memory| memory.sensitive || memory.is_sealed();
        let seals = of_memory.as_ref().is_some_and(is_secret);
        let importance = of_memory.map_or_else(Importance::default, |it| it.importance);
        let item = WindowItem {
            id: String::new(),
            tokens: count(&text),
            text,
            priority: new.priority.unwrap_or(importance),
            pinned: new.pinned,
            memory: new.memory,
            added_at: self.clock.now(),
        };
        let added = self.at_desk_sealed(caller, agent, seals, |desk| {
            // It may have been erased since it was read; what can't be looked at is there.
            if let Some(id) = &item.memory
                && let Err(gone @ Error::NotFound { .. }) = self.locate(caller, id.as_str(), None)
            {
                return Err(gone);
            }
            desk.window.add(item.clone())
        })?;
        Ok((added, redacted))
    }

    /// Pins items of a window, or lets them go.
    pub fn pin_in_window(
        &self,
        caller: &Caller,
        agent: &AgentId,
        ids: &[String],
        pinned: bool,
    ) -> Result<()> {
        caller.may(Operation::PinInWindow)?;
        self.at_desk(caller, agent, |desk| {
            let missing = ids.iter().find(|id| !desk.window.pin(id, pinned));
            missing.map_or(Ok(()), |id| Err(no_item(id)))
        })
    }

    /// Takes items out of a window: these, or all that are not pinned, or really all.
    pub fn clear_window(
        &self,
        caller: &Caller,
        agent: &AgentId,
        which: &Clearing,
    ) -> Result<usize> {
        caller.may(Operation::ClearWindow)?;
        self.at_desk(caller, agent, |desk| match which {
            Clearing::Loose => Ok(desk.window.retain(|item| item.pinned)),
            Clearing::All => Ok(desk.window.retain(|_| false)),
            Clearing::These(ids) => {
                let missing = ids.iter().find(|id| desk.window.remove(id).is_none());
                missing.map_or(Ok(ids.len()), |id| Err(no_item(id)))
            }
        })
    }

    /// Changes what a window may hold; gives what falls out.
    pub fn set_window_budget(
        &self,
        caller: &Caller,
        agent: &AgentId,
        budget_tokens: usize,
    ) -> Result<Vec<WindowItem>> {
        caller.may(Operation::SetWindowBudget)?;
        self.at_desk(caller, agent, |desk| desk.window.set_budget(budget_tokens))
    }

    /// Changes a desk, or leaves it as it is if that fails.
    pub(super) fn at_desk<T>(
        &self,
        caller: &Caller,
        agent: &AgentId,
        change: impl FnMut(&mut Desk) -> Result<T>,
    ) -> Result<T> {
        self.at_desk_sealed(caller, agent, false, change)
    }

    /// As [`Self::at_desk`]; from now on it is sealed, if that is said or everything is.
    fn at_desk_sealed<T>(
        &self,
        caller: &Caller,
        agent: &AgentId,
        seals: bool,
        mut change: impl FnMut(&mut Desk) -> Result<T>,
    ) -> Result<T> {
        check_desk(caller, agent)?;
        let seals = seals || self.seals_everything();
        if seals {
            // Now, because a key can't be made while a paper is changed.
            self.key_of(agent)?;
        }
        let mut outcome = None;
        self.store
            .edit_paper(&Paper::Working(agent.clone()), &mut |before| {
                let found = self.read_desk(agent, before)?;
                let mut desk = found.clone();
                outcome = Some(change(&mut desk)?);
                let is_as_wanted = !seals || before.is_none_or(is_sealed);
                if desk == found && is_as_wanted {
                    return Ok(before.map(<[u8]>::to_vec));
                }
                self.written_desk(agent, &desk, before, seals)
            })?;
        Ok(outcome.expect("a paper is changed only by its edit"))
    }
}

/// Which items of a window go.
#[derive(Clone, Debug)]
pub enum Clearing {
    /// All that are not pinned.
    Loose,
    /// All of them.
    All,
    /// Those of these names.
    These(Vec<String>),
}

fn sealable(agent: &AgentId) -> Sealable<'_> {
    Sealable {
        agent,
        sort: "working memory 1",
        id: "",
    }
}

/// Refuses another agent's desk.
pub(super) fn check_desk(caller: &Caller, agent: &AgentId) -> Result<()> {
    match &caller.who {
        Who::Agent(me) if me != agent => {
            Err(caller.forbidden(format!("see or change what {agent} holds")))
        }
        _ => Ok(()),
    }
}

fn no_item(id: &str) -> Error {
    Error::Missing {
        what: format!("item {id} in the window"),
        suggestion: "`mnemon window list` shows what is in it.",
    }
}
