//! Telling those who listen, after what they are told was acknowledged.

use std::time::Instant;

use crate::caller::{Caller, Operation, Sight, Who};
use crate::engine::{Filling, Mnemon};
use crate::error::Result;
use crate::event::{Audience, Event, SessionChange, Subscription};
use crate::memory::{AgentId, Memory, MemoryId, Reference, SessionId, Space};
use crate::recall::Question;
use crate::store::{Receipt, Write};

impl Mnemon {
    /// Listens to what happens from now on through this engine; with `after`, from behind that
    /// number on, as far as it is still known.
    ///
    /// So many events wait at most. An agent is told of what it sees, and of nothing else.
    pub fn subscribe(
        &self,
        caller: &Caller,
        capacity: usize,
        after: Option<u64>,
    ) -> Result<Subscription> {
        caller.may(Operation::Subscribe)?;
        Ok(self.events.subscribe(Sight::of(caller), capacity, after))
    }

    /// What was written, as it was acknowledged.
    pub(super) fn publish_writes(
        &self,
        caller: &Caller,
        space: &Space,
        writes: &[Write],
        receipt: &Receipt,
    ) {
        if self.events.is_idle() {
            return;
        }
        let done = writes.iter().zip(&receipt.outcomes);
        for (write, _) in done.filter(|(_, outcome)| outcome.changed) {
            self.publish_write(space, write);
        }
        if let Some(filling) = self.filling(caller, space, receipt.grown) {
            self.publish_filling(filling);
        }
    }

    fn publish_write(&self, space: &Space, write: &Write) {
        let space = space.clone();
        let (audience, event) = match write {
            Write::Add { id, draft } => {
                let names = draft.private_to();
                let event = Event::MemoryStored {
                    space: space.clone(),
                    id: id.clone(),
                    kind: draft.body.kind(),
                    importance: draft.importance.get(),
                    text_bytes: draft.text.as_str().len() as u64,
                    encrypted: draft.sensitive,
                    embedding_micros: None,
                };
                (audience(&space, names), event)
            }
            Write::Revise { id, .. } => {
                let id = id.clone();
                (self.audience_of(&id), Event::MemoryRevised { space, id })
            }
            Write::Forget { id, .. } => {
                let event = Event::MemoryForgotten {
                    space: Some(space),
                    id: id.clone(),
                    permanent: false,
                };
                (self.audience_of(id), event)
            }
            Write::Restore { id, .. } => {
                let id = id.clone();
                (self.audience_of(&id), Event::MemoryRestored { space, id })
            }
            Write::CreateSession(_) => return self.publish_session(&space, SessionChange::Created),
            Write::ChangeSession(_) => return self.publish_session(&space, SessionChange::Changed),
            Write::Access { .. } => return,
        };
        self.publish(audience, event);
    }

    /// That a memory was asked for by its name.
    pub(super) fn publish_retrieval(&self, memory: &Memory) {
        if !self.events.is_idle() {
            let event = Event::MemoryRetrieved {
                space: memory.space.clone(),
                id: memory.id.clone(),
                kind: memory.kind(),
                decrypted: memory.sensitive,
            };
            self.publish(audience(&memory.space, memory.private_to()), event);
        }
    }

    /// That a question was answered; of the question only how long it was.
    pub(super) fn publish_search(
        &self,
        caller: &Caller,
        question: &Question,
        results: usize,
        began: Instant,
    ) {
        if self.events.is_idle() {
            return;
        }
        let agent = match &caller.who {
            Who::Agent(id) => Some(id.clone()),
            Who::User(_) => None,
        };
        let audience = Audience::Agents(agent.iter().map(ToString::to_string).collect());
        let event = Event::SearchCompleted {
            agent,
            query_chars: question.text().chars().count() as u64,
            results: results as u64,
            micros: u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX),
        };
        self.publish(audience, event);
    }

    /// Whom these concern, while they are still there.
    pub(super) fn audiences(&self, ids: &[MemoryId]) -> Vec<(MemoryId, Audience)> {
        if self.events.is_idle() {
            return Vec::new();
        }
        let with_audience = |id: &MemoryId| (id.clone(), self.audience_of(id));
        ids.iter().map(with_audience).collect()
    }

    /// That memories are gone for good.
    pub(super) fn publish_erased(&self, audiences: Vec<(MemoryId, Audience)>) {
        for (id, audience) in audiences {
            let event = Event::MemoryForgotten {
                space: None,
                id,
                permanent: true,
            };
            self.publish(audience, event);
        }
    }

    /// That something became of a session.
    pub(super) fn publish_session(&self, space: &Space, change: SessionChange) {
        if let Some(session) = space.session() {
            self.publish_change(session, change);
        }
    }

    pub(super) fn publish_change(&self, session: &SessionId, change: SessionChange) {
        let session = session.clone();
        self.publish(Audience::All, Event::SessionChanged { session, change });
    }

    fn publish_filling(&self, filling: Filling) {
        let event = Event::QuotaWarning {
            percent: filling.percent(),
            space: filling.space.clone(),
            used_bytes: filling.used_bytes,
            limit_bytes: filling.limit_bytes,
        };
        self.publish(Audience::Space(filling.space), event);
    }

    /// Something that concerns an agent alone.
    pub(super) fn publish_for(&self, agent: &AgentId, event: Event) {
        self.publish(Audience::Space(Space::Agent(agent.clone())), event);
    }

    /// Something that concerns the user alone.
    pub(super) fn publish_for_user(&self, event: Event) {
        self.publish(Audience::Agents(Vec::new()), event);
    }

    fn publish(&self, audience: Audience, event: Event) {
        self.events.publish(self.clock.now(), audience, event);
    }

    /// Whom a memory concerns; nobody but the user if it can't be found.
    fn audience_of(&self, id: &MemoryId) -> Audience {
        match self.store.find(&Reference::Id(id.clone())) {
            Ok(Some(memory)) => audience(&memory.space, memory.private_to()),
            _ => Audience::Agents(Vec::new()),
        }
    }
}

/// Who may know of something in this space that is private to these, if to any.
fn audience(space: &Space, names: Option<Vec<&str>>) -> Audience {
    match (space, names) {
        (Space::Session(_) | Space::Shared, Some(names)) => {
            Audience::Agents(names.into_iter().map(str::to_owned).collect())
        }
        // Its space says more than whose state it is.
        _ => Audience::Space(space.clone()),
    }
}
