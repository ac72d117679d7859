//! Batches as data.

use mnemon::memory::{
    Author, Body, Confidence, Draft, Handle, Importance, Kind, Limits, Link, MemoryId, Resolution,
    Revision, Space, Tag, Text,
};
use mnemon::session::SessionDetails;
use mnemon::store::{Batch, Earlier, OnFull, Write};
use mnemon::time::Time;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The entry sizes of the default configuration.
pub const LIMITS: Limits = Limits {
    session_entry_bytes_max: 1 << 20,
    long_term_entry_bytes_max: 10 << 20,
};

/// A [`Batch`] as data.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of Batch")]
pub struct BatchSpec {
    pub space: Space,
    pub by: String,
    pub now: Time,
    pub quota_bytes: Option<u64>,
    pub writes: Vec<WriteSpec>,
}

/// A [`Write`] as data.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the variants are those of Write")]
pub enum WriteSpec {
    CreateSession(SessionDetails),
    ChangeSession(SessionDetails),
    Add {
        id: MemoryId,
        draft: Box<DraftSpec>,
    },
    Revise {
        id: MemoryId,
        expected: Option<u64>,
        revision: Box<RevisionSpec>,
    },
    Forget {
        id: MemoryId,
        reason: String,
        recover_until: Time,
        #[serde(default)]
        earlier: Option<(Time, String)>,
    },
    Restore {
        id: MemoryId,
        reason: String,
    },
    Access {
        id: MemoryId,
        count: u64,
        last: Time,
    },
}

/// A [`Draft`] as data.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of Draft")]
pub struct DraftSpec {
    pub kind: Kind,
    pub text: Text,
    pub handle: Option<Handle>,
    pub author: Option<Author>,
    pub turn: Option<MemoryId>,
    pub importance: Importance,
    pub confidence: Option<Confidence>,
    pub tags: Vec<Tag>,
    pub links: Vec<Link>,
    pub pinned: bool,
    pub sensitive: bool,
    pub body: Map<String, Value>,
    pub metadata: Map<String, Value>,
    pub embedding: Option<Vec<f32>>,
    pub tokens: Option<u32>,
    pub created_at: Option<Time>,
}

/// A [`Revision`] as data.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of Revision")]
pub struct RevisionSpec {
    pub text: Option<Text>,
    pub kind: Option<Kind>,
    pub importance: Option<Importance>,
    pub confidence: Option<Confidence>,
    pub add_tags: Vec<Tag>,
    pub remove_tags: Vec<Tag>,
    pub add_links: Vec<Link>,
    pub remove_links: Vec<Link>,
    pub pinned: Option<bool>,
    pub sensitive: Option<bool>,
    pub body: Map<String, Value>,
    pub metadata: Map<String, Value>,
    pub embedding: Option<Vec<f32>>,
    /// How it was resolved, or that it is open again.
    pub resolution: Option<Result<String, ()>>,
}

impl BatchSpec {
    /// The batch that this describes.
    pub fn batch(&self) -> Batch {
        Batch {
            space: self.space.clone(),
            by: self.by.clone(),
            now: self.now,
            writes: self.writes.iter().map(WriteSpec::write).collect(),
            limits: LIMITS,
            quota_bytes: self.quota_bytes,
            on_full: OnFull::Refuse,
        }
    }
}

impl WriteSpec {
    fn write(&self) -> Write {
        match self.clone() {
            Self::CreateSession(details) => Write::CreateSession(details),
            Self::ChangeSession(details) => Write::ChangeSession(details),
            Self::Add { id, draft } => Write::Add {
                id,
                draft: Box::new(draft.draft()),
            },
            Self::Revise {
                id,
                expected,
                revision,
            } => Write::Revise {
                id,
                expected,
                revision: Box::new(revision.revision()),
            },
            Self::Forget {
                id,
                reason,
                recover_until,
                earlier,
            } => Write::Forget {
                id,
                reason,
                recover_until,
                earlier: earlier.map(|(at, by)| Earlier { at, by }),
            },
            Self::Restore { id, reason } => Write::Restore { id, reason },
            Self::Access { id, count, last } => Write::Access { id, count, last },
        }
    }
}

impl DraftSpec {
    /// The draft that this describes.
    pub(super) fn draft(self) -> Draft {
        let body = Body::from_map(self.kind, self.body);
        Draft {
            id: None,
            handle: self.handle,
            author: self.author,
            turn: self.turn,
            text: self.text,
            importance: self.importance,
            confidence: self.confidence,
            tags: self.tags,
            links: self.links,
            pinned: self.pinned,
            sensitive: self.sensitive,
            body: body.expect("scripts hold bodies that fit their kind"),
            metadata: self.metadata,
            embedding: self.embedding,
            tokens: self.tokens,
            created_at: self.created_at,
        }
    }
}

impl RevisionSpec {
    fn revision(self) -> Revision {
        Revision {
            text: self.text,
            kind: self.kind,
            importance: self.importance,
            confidence: self.confidence,
            add_tags: self.add_tags,
            remove_tags: self.remove_tags,
            add_links: self.add_links,
            remove_links: self.remove_links,
            pinned: self.pinned,
            sensitive: self.sensitive,
            body: self.body,
            metadata: self.metadata,
            embedding: self.embedding,
            resolution: self.resolution.map(|resolution| match resolution {
                Ok(how) => Resolution::Resolve(how),
                Err(()) => Resolution::Reopen,
            }),
        }
    }
}
