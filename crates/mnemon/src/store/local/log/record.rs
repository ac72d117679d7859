//! What a line means: the step from text on the disk to the nouns, and back.

use serde_json::{Map, Value};

use base64ct::{Base64, Encoding};

use super::line::{FORMAT, Line, SealedMember};
use crate::error::{Error, Result};
use crate::memory::{
    Body, Closed, Forgotten, Handle, Kind, Memory, Seal, Shut, Space, State, Text, sealed_text,
};
use crate::session::{Archived, SessionDetails};
use crate::store::Renewal;
use crate::time::Time;

/// A line with its meaning.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Record {
    /// The first line: which log this is.
    Header {
        generation: String,
        counters: Vec<(Kind, u32)>,
    },
    /// A memory is kept.
    Add(Box<Memory>),
    /// A memory is as this says from now on.
    Update {
        memory: Box<Memory>,
        by: Option<String>,
    },
    /// A memory is forgotten.
    Delete { id: String, forgotten: Forgotten },
    /// A memory is back.
    Restore {
        id: String,
        by: Option<String>,
        reason: String,
        at: Time,
    },
    /// A memory was asked for; the count is the sum so far.
    Access { id: String, count: u64, last: Time },
    /// The session is made, or its details change, or it is archived.
    Session {
        details: SessionDetails,
        archived: Option<Box<Archived>>,
        at: Time,
    },
    /// A transaction ends.
    Commit,
    /// Something that a later version of this format adds.
    Unknown,
}

impl Record {
    /// What a sound line means; an error if it lacks what its op needs.
    pub(crate) fn read(line: Line) -> Result<Self> {
        match line.op.as_deref() {
            None => Ok(Self::Add(Box::new(memory(line)?))),
            Some("update") => {
                let by = line.by.clone();
                Ok(Self::Update {
                    memory: Box::new(memory(line)?),
                    by,
                })
            }
            Some("delete") => Ok(Self::Delete {
                id: need(line.id, "id")?,
                forgotten: Forgotten {
                    at: need(line.forgotten_at.or(line.recorded_at), "recorded_at")?,
                    by: line.by.unwrap_or_default(),
                    reason: line.reason.unwrap_or_default(),
                    recover_until: need(line.recover_until, "recover_until")?,
                },
            }),
            Some("restore") => Ok(Self::Restore {
                id: need(line.id, "id")?,
                by: line.by,
                reason: line.reason.unwrap_or_default(),
                at: need(line.recorded_at, "recorded_at")?,
            }),
            Some("access") => Ok(Self::Access {
                id: need(line.id, "id")?,
                count: need(line.access_count, "access_count")?,
                last: need(line.last_access, "last_access")?,
            }),
            Some("session") => Ok(Self::Session {
                details: need(line.details, "details")?,
                archived: line.archived,
                at: need(line.recorded_at, "recorded_at")?,
            }),
            Some("log") => Ok(Self::Header {
                generation: need(line.generation, "generation")?,
                counters: counters(&line.counters),
            }),
            Some("commit") => Ok(Self::Commit),
            Some(_) => Ok(Self::Unknown),
        }
    }
}

impl Line {
    /// The first line of a log.
    pub(crate) fn header(
        space: &Space,
        generation: &str,
        counters: &[(Kind, u32)],
        at: Time,
    ) -> Self {
        Self {
            op: Some("log".into()),
            format: Some(FORMAT),
            generation: Some(generation.into()),
            space: Some(space.to_string()),
            counters: counters
                .iter()
                .map(|(kind, number)| (kind.to_string(), Value::from(*number)))
                .collect::<Map<_, _>>(),
            recorded_at: Some(at),
            ..Self::default()
        }
    }

    /// A memory that is kept, with its body as a map, which the caller has already.
    pub(crate) fn add(memory: &Memory, body: Map<String, Value>) -> Self {
        let mut line = Self::of(memory, body);
        line.created_at = (memory.created_at != memory.recorded_at).then_some(memory.created_at);
        line
    }

    /// A memory in its new version, complete, so that a lost line before it does no harm.
    pub(crate) fn update(memory: &Memory, by: &str) -> Self {
        let mut line = Self::of(memory, memory.body.to_map());
        line.op = Some("update".into());
        line.by = Some(by.into());
        line.created_at = Some(memory.created_at);
        line.first_recorded_at = Some(memory.recorded_at);
        line
    }

    /// What a memory says that is renewed; the rest is in its own line.
    pub(crate) fn renewal(renewal: &Renewal) -> Self {
        let draft = &renewal.draft;
        Self {
            id: Some(renewal.id.to_string()),
            body: draft.body.to_map(),
            created_at: draft.created_at,
            importance: Some(draft.importance.get()),
            links: draft.links.clone(),
            metadata: draft.metadata.clone(),
            tags: draft.tags.clone(),
            text: Some(draft.text.to_string()),
            ..Self::default()
        }
    }

    /// The line of a memory, saying what was renewed as if it never had said anything else.
    pub(crate) fn renewed(&self, renewal: &Self) -> Self {
        Self {
            body: renewal.body.clone(),
            confidence: None,
            created_at: renewal.created_at,
            embedding: None,
            importance: renewal.importance,
            links: renewal.links.clone(),
            metadata: renewal.metadata.clone(),
            // It quotes only what is not sealed.
            sealed: None,
            tags: renewal.tags.clone(),
            text: renewal.text.clone(),
            tokens: None,
            version: Some(1),
            ..self.clone()
        }
    }

    /// A memory that is forgotten.
    pub(crate) fn delete(id: &str, forgotten: &Forgotten, at: Time) -> Self {
        Self {
            op: Some("delete".into()),
            id: Some(id.into()),
            by: Some(forgotten.by.clone()),
            reason: Some(forgotten.reason.clone()),
            forgotten_at: Some(forgotten.at).filter(|own| *own != at),
            recorded_at: Some(at),
            recover_until: Some(forgotten.recover_until),
            ..Self::default()
        }
    }

    /// A memory that is back.
    pub(crate) fn restore(id: &str, by: &str, reason: &str, at: Time) -> Self {
        Self {
            op: Some("restore".into()),
            id: Some(id.into()),
            by: Some(by.into()),
            reason: Some(reason.into()),
            recorded_at: Some(at),
            ..Self::default()
        }
    }

    /// How often a memory was asked for so far.
    pub(crate) fn access(id: &str, count: u64, last: Time, at: Time) -> Self {
        Self {
            op: Some("access".into()),
            id: Some(id.into()),
            access_count: Some(count),
            last_access: Some(last),
            recorded_at: Some(at),
            ..Self::default()
        }
    }

    /// The session's details.
    pub(crate) fn session(space: &Space, details: &SessionDetails, by: &str, at: Time) -> Self {
        Self {
            op: Some("session".into()),
            space: Some(space.to_string()),
            details: Some(details.clone()),
            by: Some(by.into()),
            recorded_at: Some(at),
            ..Self::default()
        }
    }

    /// That so many memories left the log.
    pub(crate) fn compact(space: &Space, count: u64, reason: &str, by: &str, at: Time) -> Self {
        Self {
            op: Some("compact".into()),
            space: Some(space.to_string()),
            count: Some(count),
            reason: Some(reason.into()),
            by: Some(by.into()),
            recorded_at: Some(at),
            ..Self::default()
        }
    }

    /// A session that is archived from here on.
    pub(crate) fn archived(
        space: &Space,
        details: &SessionDetails,
        archived: &Archived,
        at: Time,
    ) -> Self {
        Self {
            archived: Some(Box::new(archived.clone())),
            ..Self::session(space, details, &archived.by, at)
        }
    }

    /// The end of a transaction of so many lines.
    pub(crate) fn commit(tx: &str, count: u64, digest: &[u8; 64], at: Time) -> Self {
        Self {
            op: Some("commit".into()),
            tx: Some(tx.into()),
            count: Some(count),
            digest: Some(format!("sha256:{}", String::from_utf8_lossy(digest))),
            recorded_at: Some(at),
            ..Self::default()
        }
    }

    fn of(memory: &Memory, body: Map<String, Value>) -> Self {
        let sealed = memory.closed().map(|closed| SealedMember {
            content: Base64::encode_string(&closed.content),
            key: closed.key.clone(),
            private_to: closed.private_to.clone(),
        });
        Self {
            author: memory.author.as_ref().map(ToString::to_string),
            body,
            confidence: memory.confidence.map(crate::memory::Confidence::get),
            embedding: memory.embedding.clone(),
            handle: memory.handle.map(|handle| handle.to_string()),
            id: Some(memory.id.to_string()),
            importance: Some(memory.importance.get()),
            kind: Some(memory.kind().to_string()),
            links: memory.links.clone(),
            metadata: memory.metadata.clone(),
            pinned: memory.pinned,
            recorded_at: Some(memory.updated_at),
            // What stands for a sealed text says nothing.
            text: sealed.is_none().then(|| memory.text.to_string()),
            sealed,
            sensitive: memory.sensitive,
            space: Some(memory.space.to_string()),
            tags: memory.tags.clone(),
            tokens: memory.tokens,
            turn: memory.turn.as_ref().map(ToString::to_string),
            version: Some(memory.version),
            ..Self::default()
        }
    }
}

fn memory(line: Line) -> Result<Memory> {
    let updated_at = need(line.recorded_at, "recorded_at")?;
    let recorded_at = line.first_recorded_at.unwrap_or(updated_at);
    let kind: Kind = need(line.kind, "kind")?.parse()?;
    let text = match &line.sealed {
        Some(_) => sealed_text(),
        None => Text::try_from(need(line.text, "text")?)?,
    };
    let seal = line.sealed.map_or(Seal::Clear, |sealed| {
        Seal::Closed(Closed {
            // What is no base64 is nothing that opens.
            content: Base64::decode_vec(&sealed.content).unwrap_or_default(),
            key: sealed.key,
            private_to: sealed.private_to,
            why: Shut::NoKey,
        })
    });
    Ok(Memory {
        id: need(line.id, "id")?.parse()?,
        space: need(line.space, "space")?.parse()?,
        handle: line
            .handle
            .map(|handle| handle.parse::<Handle>())
            .transpose()?,
        version: line.version.unwrap_or(1),
        author: line.author.map(|author| author.parse()).transpose()?,
        turn: line.turn.map(|turn| turn.parse()).transpose()?,
        text,
        importance: line
            .importance
            .map(TryInto::try_into)
            .transpose()?
            .unwrap_or_default(),
        confidence: line.confidence.map(TryInto::try_into).transpose()?,
        tags: line.tags,
        links: line.links,
        pinned: line.pinned,
        sensitive: line.sensitive,
        body: Body::from_map(kind, line.body)?,
        metadata: line.metadata,
        embedding: line.embedding,
        tokens: line.tokens,
        created_at: line.created_at.unwrap_or(recorded_at),
        recorded_at,
        updated_at,
        state: State::default(),
        seal,
    })
}

fn counters(members: &Map<String, Value>) -> Vec<(Kind, u32)> {
    members
        .iter()
        .filter_map(|(kind, number)| {
            Some((kind.parse().ok()?, u32::try_from(number.as_u64()?).ok()?))
        })
        .collect()
}

fn need<T>(member: Option<T>, name: &str) -> Result<T> {
    member.ok_or_else(|| Error::unparsable("a line of a log", name, "this member is missing"))
}
