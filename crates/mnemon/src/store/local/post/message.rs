//! What is sent from one process to another: memories to keep, and what became of them.
//!
//! A message is its length in four bytes and as much JSON. Only new memories
//! are sent: they are kept once even if they are told twice, so that a sender
//! that heard nothing may write them itself.

use std::io::{self, Read, Write as _};
use std::os::unix::net::UnixStream;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::memory::{
    Author, Body, Confidence, Draft, Handle, Importance, Kind, Limits, Link, MemoryId, Space, Tag,
    Text,
};
use crate::store::{Batch, Grown, OnFull, Outcome, Receipt, Write};
use crate::time::Time;

/// Another number means other messages: each program keeps to its own kind.
pub(super) const FOLDER: &str = "post-2";

/// Larger requests are written by whoever makes them.
const BYTES_MAX: usize = 256 << 10;

#[derive(Serialize, Deserialize)]
struct Request {
    space: Space,
    by: String,
    now: Time,
    limits: (u64, u64),
    quota_bytes: Option<u64>,
    buffer: bool,
    drafts: Vec<(MemoryId, Sent)>,
}

/// A draft on its way.
#[derive(Serialize, Deserialize)]
struct Sent {
    id: Option<MemoryId>,
    handle: Option<Handle>,
    author: Option<Author>,
    turn: Option<MemoryId>,
    text: Text,
    importance: Importance,
    confidence: Option<Confidence>,
    tags: Vec<Tag>,
    links: Vec<Link>,
    pinned: bool,
    sensitive: bool,
    kind: Kind,
    body: Map<String, Value>,
    metadata: Map<String, Value>,
    embedding: Option<Vec<f32>>,
    tokens: Option<u32>,
    created_at: Option<Time>,
}

#[derive(Serialize, Deserialize)]
struct Answer {
    /// None if the sender has to write itself.
    kept: Option<Vec<Kept>>,
    together: usize,
    /// The bytes of the space before and after.
    grown: Option<(u64, u64)>,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    id: Option<MemoryId>,
    handle: Option<Handle>,
    version: u64,
    changed: bool,
}

/// A batch as it is sent; none if it can't be.
pub(super) fn request(batch: &Batch) -> Option<Vec<u8>> {
    let drafts = batch.writes.iter().map(|write| match write {
        Write::Add { id, draft } => Some((id.clone(), Sent::of(draft))),
        _ => None,
    });
    let request = Request {
        space: batch.space.clone(),
        by: batch.by.clone(),
        now: batch.now,
        limits: (
            batch.limits.session_entry_bytes_max,
            batch.limits.long_term_entry_bytes_max,
        ),
        quota_bytes: batch.quota_bytes,
        buffer: batch.on_full == OnFull::Buffer,
        drafts: drafts.collect::<Option<_>>()?,
    };
    let bytes = serde_json::to_vec(&request).ok()?;
    (bytes.len() <= BYTES_MAX).then_some(bytes)
}

/// The batch that was sent; none if it makes no sense.
pub(super) fn read_request(bytes: &[u8]) -> Option<Batch> {
    let request: Request = serde_json::from_slice(bytes).ok()?;
    let add = |(id, sent): (MemoryId, Sent)| {
        let draft = Box::new(sent.into_draft()?);
        Some(Write::Add { id, draft })
    };
    Some(Batch {
        space: request.space,
        by: request.by,
        now: request.now,
        writes: request.drafts.into_iter().map(add).collect::<Option<_>>()?,
        limits: Limits {
            session_entry_bytes_max: request.limits.0,
            long_term_entry_bytes_max: request.limits.1,
        },
        quota_bytes: request.quota_bytes,
        on_full: if request.buffer {
            OnFull::Buffer
        } else {
            OnFull::Refuse
        },
    })
}

/// An answer as it is sent: what was kept, and how many requests together.
pub(super) fn answer(kept: Option<(Receipt, usize)>) -> Vec<u8> {
    let together = kept.as_ref().map_or(0, |(_, together)| *together);
    let told = |outcome: Outcome| Kept {
        id: outcome.id,
        handle: outcome.handle,
        version: outcome.version,
        changed: outcome.changed,
    };
    let grown = kept.as_ref().and_then(|(receipt, _)| receipt.grown);
    let answer = Answer {
        grown: grown.map(|grown| (grown.from_bytes, grown.to_bytes)),
        kept: kept.map(|(receipt, _)| receipt.outcomes.into_iter().map(told).collect()),
        together,
    };
    serde_json::to_vec(&answer).unwrap_or_default()
}

/// The answer that was sent; only what is durable is told to be kept.
pub(super) fn read_answer(bytes: &[u8]) -> io::Result<Option<(Receipt, usize)>> {
    let answer: Answer = serde_json::from_slice(bytes)?;
    let outcome = |kept: Kept| Outcome {
        id: kept.id,
        handle: kept.handle,
        version: kept.version,
        changed: kept.changed,
    };
    Ok(answer.kept.map(|kept| {
        let receipt = Receipt {
            outcomes: kept.into_iter().map(outcome).collect(),
            durable: true,
            grown: answer.grown.map(|(from_bytes, to_bytes)| Grown {
                from_bytes,
                to_bytes,
            }),
        };
        (receipt, answer.together)
    }))
}

/// Sends a message.
pub(super) fn write(mut stream: &UnixStream, message: &[u8]) -> io::Result<()> {
    let length = u32::try_from(message.len()).map_err(io::Error::other)?;
    // In one call: the other side wakes up once.
    let mut bytes = Vec::with_capacity(message.len() + 4);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(message);
    stream.write_all(&bytes)
}

/// Waits for a message.
pub(super) fn read(mut stream: &UnixStream) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > BYTES_MAX {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut message = vec![0; length];
    stream.read_exact(&mut message)?;
    Ok(message)
}

impl Sent {
    fn of(draft: &Draft) -> Self {
        Self {
            id: draft.id.clone(),
            handle: draft.handle,
            author: draft.author.clone(),
            turn: draft.turn.clone(),
            text: draft.text.clone(),
            importance: draft.importance,
            confidence: draft.confidence,
            tags: draft.tags.clone(),
            links: draft.links.clone(),
            pinned: draft.pinned,
            sensitive: draft.sensitive,
            kind: draft.body.kind(),
            body: draft.body.to_map(),
            metadata: draft.metadata.clone(),
            embedding: draft.embedding.clone(),
            tokens: draft.tokens,
            created_at: draft.created_at,
        }
    }

    fn into_draft(self) -> Option<Draft> {
        Some(Draft {
            id: self.id,
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
            body: Body::from_map(self.kind, self.body).ok()?,
            metadata: self.metadata,
            embedding: self.embedding,
            tokens: self.tokens,
            created_at: self.created_at,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn draft() -> Draft {
        let mut draft = Draft::new(Kind::Decision, "naïve \0 \"text\"".parse().unwrap());
        let Value::Object(body) = json!({"rationale": "fast", "unknown": [1, 2.5, null]}) else {
            unreachable!("it is an object")
        };
        draft.id = Some("dec_1".parse().unwrap());
        draft.handle = Some("DEC-007".parse().unwrap());
        draft.author = Some("ann".parse().unwrap());
        draft.turn = Some("turn_1".parse().unwrap());
        draft.importance = 0.1_f64.try_into().unwrap();
        draft.confidence = Some(0.3_f64.try_into().unwrap());
        draft.tags = vec!["a.b".parse().unwrap(), "c".parse().unwrap()];
        draft.links = vec![Link {
            rel: "led_to".parse().unwrap(),
            to: "x".parse().unwrap(),
        }];
        draft.pinned = true;
        draft.sensitive = true;
        draft.body = Body::from_map(Kind::Decision, body).unwrap();
        draft.metadata.insert("k\0".into(), json!({"deep": [true]}));
        draft.embedding = Some(vec![0.1, -1.5e-7, 3.0]);
        draft.tokens = Some(9);
        draft.created_at = Some("2026-01-10T12:00:00.123456+02:00".parse().unwrap());
        draft
    }

    #[test]
    fn a_batch_arrives_as_it_was_sent() {
        let bare = Draft::new(Kind::Fact, "x".parse().unwrap());
        let sent = Batch {
            space: "session/S".parse().unwrap(),
            by: "ann".into(),
            now: "2026-01-10T12:00:00.000001Z".parse().unwrap(),
            writes: [draft(), bare]
                .into_iter()
                .map(|draft| Write::Add {
                    id: "one".parse().unwrap(),
                    draft: Box::new(draft),
                })
                .collect(),
            limits: Limits {
                session_entry_bytes_max: 1,
                long_term_entry_bytes_max: u64::MAX,
            },
            quota_bytes: Some(7),
            on_full: OnFull::Buffer,
        };
        let arrived = read_request(&request(&sent).unwrap()).unwrap();
        assert_eq!(format!("{arrived:?}"), format!("{sent:?}"));
    }

    #[test]
    fn an_answer_arrives_as_it_was_sent() {
        let receipt = Receipt {
            outcomes: vec![Outcome {
                id: Some("a".parse().unwrap()),
                handle: Some("DEC-001".parse().unwrap()),
                version: 1,
                changed: true,
            }],
            durable: true,
            grown: Some(Grown {
                from_bytes: 1,
                to_bytes: 9,
            }),
        };
        let sent = Some((receipt, 3));
        assert_eq!(read_answer(&answer(sent.clone())).unwrap(), sent);
        assert_eq!(read_answer(&answer(None)).unwrap(), None);
    }

    #[test]
    fn large_batches_are_not_sent() {
        let text = "x".repeat(BYTES_MAX);
        let large = Batch {
            space: "shared".parse().unwrap(),
            by: "ann".into(),
            now: "2026-01-10T12:00:00Z".parse().unwrap(),
            writes: vec![Write::Add {
                id: "one".parse().unwrap(),
                draft: Box::new(Draft::new(Kind::Fact, text.parse().unwrap())),
            }],
            limits: Limits {
                session_entry_bytes_max: 1,
                long_term_entry_bytes_max: 1,
            },
            quota_bytes: None,
            on_full: OnFull::Refuse,
        };
        assert!(request(&large).is_none());
    }
}
