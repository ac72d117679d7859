//! What is sent from one process to another: memories to keep, and what became of them.
//!
//! A message is its length in four bytes and as much JSON. Only new memories
//! are sent: they are kept once even if they are told twice, so that a sender
//! that heard nothing may write them itself.

use std::io::{self, Read, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::net::SendFlags;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::memory::{
    Author, Body, Confidence, Draft, Handle, Importance, Kind, Limits, Link, MemoryId, Space, Tag,
    Text,
};
use crate::store::{Batch, Grown, OnFull, Outcome, Receipt, Write};
use crate::time::Time;

/// Another number means other messages: each program keeps to its own kind.
pub(super) const FOLDER: &str = "post-3";

/// Larger requests are written by whoever makes them.
const BYTES_MAX: usize = 256 << 10;

/// A message begins with its length.
const LENGTH_BYTES: usize = size_of::<u32>();

/// Neither waiting nor a signal if nobody is there.
#[cfg(not(target_vendor = "apple"))]
const AT_ONCE: SendFlags = SendFlags::DONTWAIT.union(SendFlags::NOSIGNAL);

/// There a socket is told once that it must not signal.
#[cfg(target_vendor = "apple")]
const AT_ONCE: SendFlags = SendFlags::DONTWAIT;

/// Nearly every message is shorter.
const USUAL_BYTES: usize = 4 << 10;

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

/// What became of a draft; the sender knows which.
#[derive(Serialize, Deserialize)]
struct Kept {
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

/// The answer that was sent to this batch; only what is durable is told to be kept.
pub(super) fn read_answer(batch: &Batch, bytes: &[u8]) -> io::Result<Option<(Receipt, usize)>> {
    let answer: Answer = serde_json::from_slice(bytes)?;
    let outcome = |(kept, write): (Kept, &Write)| Outcome {
        id: match write {
            Write::Add { id, .. } => Some(id.clone()),
            _ => None,
        },
        handle: kept.handle,
        version: kept.version,
        changed: kept.changed,
    };
    let is_whole = |kept: &Vec<Kept>| kept.len() == batch.writes.len();
    if !answer.kept.as_ref().is_none_or(is_whole) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(answer.kept.map(|kept| {
        let receipt = Receipt {
            outcomes: kept.into_iter().zip(&batch.writes).map(outcome).collect(),
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
    stream.write_all(&with_length(message)?)
}

/// As [`write()`], but never waits: whoever does not take its answers gets none.
pub(super) fn write_at_once(stream: &UnixStream, message: &[u8]) -> io::Result<()> {
    let bytes = with_length(message)?;
    match rustix::net::send(stream, &bytes, AT_ONCE)? {
        sent if sent == bytes.len() => Ok(()),
        _ => Err(io::ErrorKind::WouldBlock.into()),
    }
}

/// In one piece: the other side wakes up once.
fn with_length(message: &[u8]) -> io::Result<Vec<u8>> {
    let length = u32::try_from(message.len()).map_err(io::Error::other)?;
    let mut bytes = Vec::with_capacity(message.len() + LENGTH_BYTES);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(message);
    Ok(bytes)
}

/// Waits for a message, for ever if there is no limit to it. There is never more than one on its
/// way, so most come with one call.
pub(super) fn read(mut stream: &UnixStream, patience: Option<Duration>) -> io::Result<Vec<u8>> {
    wait_for(stream, patience)?;
    let mut bytes = vec![0; USUAL_BYTES];
    let mut count = loop {
        match stream.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => break read?,
        }
    };
    if count < LENGTH_BYTES {
        stream.read_exact(&mut bytes[count..LENGTH_BYTES])?;
        count = LENGTH_BYTES;
    }
    let (length, _) = bytes.split_first_chunk().expect("it is longer");
    let length = u32::from_le_bytes(*length) as usize;
    if length > BYTES_MAX || count > LENGTH_BYTES + length {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let end = LENGTH_BYTES + length;
    bytes.resize(end, 0);
    stream.read_exact(&mut bytes[count..])?;
    bytes.drain(..LENGTH_BYTES);
    Ok(bytes)
}

/// Waits until there is something to read.
///
/// Whoever waits in a call that reads is also woken whenever the other side takes what it was
/// sent, for nothing: twice for each message, which is much of what one costs.
fn wait_for(stream: &UnixStream, patience: Option<Duration>) -> io::Result<()> {
    let timeout = patience.and_then(|patience| Timespec::try_from(patience).ok());
    let mut awaited = [PollFd::new(stream, PollFlags::IN)];
    loop {
        match rustix::event::poll(&mut awaited, timeout.as_ref()) {
            Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
            Ok(_) => return Ok(()),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
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
    use crate::store::local::fixture::batch;

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
        let write = Write::Add {
            id: "a".parse().unwrap(),
            draft: Box::new(draft()),
        };
        let mut batch = batch(vec![write]);
        let sent = Some((receipt, 3));
        assert_eq!(read_answer(&batch, &answer(sent.clone())).unwrap(), sent);
        assert_eq!(read_answer(&batch, &answer(None)).unwrap(), None);
        // An answer to something else.
        batch.writes.clear();
        assert!(read_answer(&batch, &answer(sent)).is_err());
    }

    #[test]
    fn a_message_arrives_whole_however_it_is_cut() {
        let long = vec![7; USUAL_BYTES + 1];
        for message in [
            &b""[..],
            b"x",
            b"a few words",
            &long[..USUAL_BYTES - 4],
            &long,
        ] {
            let (here, there) = UnixStream::pair().unwrap();
            let length = u32::try_from(message.len()).unwrap();
            let mut bytes = length.to_le_bytes().to_vec();
            bytes.extend_from_slice(message);
            for cut in [0, 1, 3, 4, 5, bytes.len() / 2, bytes.len()] {
                let (first, rest) = bytes.split_at(cut.min(bytes.len()));
                let read = std::thread::scope(|scope| {
                    let reading = scope.spawn(|| read(&there, None));
                    (&here).write_all(first).unwrap();
                    std::thread::yield_now();
                    (&here).write_all(rest).unwrap();
                    reading.join().unwrap()
                });
                assert_eq!(read.unwrap(), message);
            }
            (&here).write_all(&bytes[..3]).unwrap();
            drop(here);
            assert!(read(&there, None).is_err(), "it was cut off");
        }
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
