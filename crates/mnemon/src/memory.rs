//! The nouns: what a memory is made of.
//!
//! Everything here is checked where it is made ([`Tag`], [`MemoryId`],
//! [`Importance`] come only from text or numbers that fit their rule), so the
//! code below never meets a bad one. A [`Draft`] is what a caller hands in, a
//! [`Memory`] what the store gives back, a [`Revision`] a wish for change.

pub(crate) mod as_text;
mod author;
pub mod body;
mod by_kind;
pub(crate) mod draft;
mod handle;
mod id;
mod kind;
mod link;
mod mention;
mod reference;
mod revision;
mod score;
mod sealed;
mod space;
mod tag;
mod text;

use std::cmp::Ordering;

use serde_json::{Map, Value};

pub use author::Author;
pub use body::Body;
pub use by_kind::ByKind;
pub(crate) use draft::keep_first_of_each;
pub use draft::{Draft, Limits};
pub use handle::Handle;
pub(crate) use id::ulid;
pub use id::{AgentId, MemoryId, RequestId, SessionId, SnapshotId, TokenId};
pub use kind::Kind;
pub use link::{DISTINCT_FROM, DUPLICATE_OF, Link, RELATED, Relation, SUPERSEDES};
pub use mention::{Mention, TURN};
pub use reference::Reference;
pub use revision::{Resolution, Revision};
pub use score::{Confidence, Importance};
pub(crate) use sealed::sealed_text;
pub use sealed::{Closed, SEALED_TEXT, Seal, Shut};
pub use space::Space;
pub use tag::Tag;
pub use text::Text;

use crate::time::Time;

/// Something that is kept: its content, and the state that changes around it.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// Unique in the store.
    pub id: MemoryId,
    /// Where it lives.
    pub space: Space,
    /// Its short name, if it lives in a session.
    pub handle: Option<Handle>,
    /// 1 when it was kept, one more for every revision.
    pub version: u64,
    /// The agent or user that it comes from.
    pub author: Option<Author>,
    /// The turn of the conversation that it belongs to.
    pub turn: Option<MemoryId>,
    /// What is remembered.
    pub text: Text,
    /// How much it matters.
    pub importance: Importance,
    /// How sure it is, if anybody said so.
    pub confidence: Option<Confidence>,
    /// Labels, without repetition, in the order given.
    pub tags: Vec<Tag>,
    /// Relations to other memories, without repetition, in the order given.
    pub links: Vec<Link>,
    /// Pinned memories don't fade and are never compacted away.
    pub pinned: bool,
    /// Sensitive memories deserve more care than others.
    pub sensitive: bool,
    /// The fields of its kind.
    pub body: Body,
    /// Whatever else the caller wants to keep beside it.
    pub metadata: Map<String, Value>,
    /// A vector that the caller brought along.
    pub embedding: Option<Vec<f32>>,
    /// How many tokens the text has, if the caller counted them.
    pub tokens: Option<u32>,
    /// When it came into being, as the caller says; else when it was recorded.
    pub created_at: Time,
    /// When this store first wrote it down.
    pub recorded_at: Time,
    /// When this store wrote this version down.
    pub updated_at: Time,
    /// What happened to it since.
    pub state: State,
    /// Whether what it says is sealed on the disk; unopened, all of that is in here.
    pub seal: Seal,
}

impl Memory {
    /// What sort of thing it is.
    pub fn kind(&self) -> Kind {
        self.body.kind()
    }

    /// Which of two came into being first; of those of one moment, which was kept first.
    pub(crate) fn compare_age(&self, other: &Self) -> Ordering {
        let moments = |it: &Self| (it.created_at.micros(), it.recorded_at.micros(), it.handle);
        let order = moments(self).cmp(&moments(other));
        order.then_with(|| self.id.cmp(&other.id))
    }

    /// What is sealed and was not opened; its text is only a placeholder then.
    pub fn closed(&self) -> Option<&Closed> {
        match &self.seal {
            Seal::Closed(closed) => Some(closed),
            Seal::Clear | Seal::Opened => None,
        }
    }

    /// Its text as far as anybody here can read it: nothing if it was not opened.
    pub fn readable_text(&self) -> &str {
        match self.closed() {
            Some(_) => "",
            None => self.text.as_str(),
        }
    }

    /// Whether it is sealed on the disk, opened here or not.
    pub fn is_sealed(&self) -> bool {
        !matches!(self.seal, Seal::Clear)
    }

    /// Whether others may quote it: neither sensitive nor sealed.
    pub fn is_quotable(&self) -> bool {
        !self.sensitive && !self.is_sealed()
    }

    /// What can be typed to get it: its handle, bare within that session, else its id.
    pub fn name(&self, within: Option<&SessionId>) -> String {
        match (self.handle, self.space.session()) {
            (Some(handle), Some(own)) if Some(own) == within => handle.to_string(),
            (Some(handle), Some(own)) => format!("{own}/{handle}"),
            _ => self.id.to_string(),
        }
    }

    /// Whether its created time lies further ahead of the recorded one than clocks differ.
    pub fn is_from_the_future(&self, skew_minutes: u64) -> bool {
        let skew_micros = i64::try_from(skew_minutes)
            .unwrap_or(i64::MAX)
            .saturating_mul(60_000_000);
        self.created_at.micros() > self.recorded_at.micros().saturating_add(skew_micros)
    }
}

/// What changes around a memory without making a new version of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// How often it was asked for.
    pub access_count: u64,
    /// When it was last asked for.
    pub last_access: Option<Time>,
    /// Set while it is forgotten and can still be brought back.
    pub forgotten: Option<Forgotten>,
    /// Set while it is compacted away, where no question finds it.
    pub compacted: bool,
}

/// How a memory came to be forgotten.
#[derive(Clone, Debug, PartialEq)]
pub struct Forgotten {
    /// When.
    pub at: Time,
    /// By whom.
    pub by: String,
    /// Why.
    pub reason: String,
    /// Until when it can be brought back.
    pub recover_until: Time,
}
