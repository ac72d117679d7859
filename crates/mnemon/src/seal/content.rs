//! What of a memory is sealed, and what it is bound to.
//!
//! In the clear stays what a store must know without a key: id, space, handle,
//! kind, version, times, author, importance, whether it is pinned, sensitive
//! or forgotten. All of that which is known when it is sealed is associated
//! with the content, so that a line that was altered or moved does not open.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::aead::{self, Key};
use crate::error::Result;
use crate::memory::{
    Body, Closed, Confidence, Link, Memory, MemoryId, Seal, Shut, Tag, Text, sealed_text,
};

/// What only the holder of the key reads.
#[derive(Serialize, Deserialize)]
struct Content {
    text: Text,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    body: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    embedding: Option<Vec<f32>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    links: Vec<Link>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    metadata: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<Tag>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tokens: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    turn: Option<String>,
}

/// The memory with all that it says closed.
pub(crate) fn close(memory: &Memory, key_id: &str, key: &Key) -> Memory {
    let content = Content {
        text: memory.text.clone(),
        body: memory.body.to_map(),
        confidence: memory.confidence.map(Confidence::get),
        embedding: memory.embedding.clone(),
        links: memory.links.clone(),
        metadata: memory.metadata.clone(),
        tags: memory.tags.clone(),
        tokens: memory.tokens,
        turn: memory.turn.as_ref().map(ToString::to_string),
    };
    let plain = zeroize::Zeroizing::new(
        serde_json::to_vec(&content).expect("text keys and finite numbers"),
    );
    let mut closed = shell(memory);
    let private_to = memory.private_to().map(owned);
    closed.seal = Seal::Closed(Closed {
        key: key_id.to_owned(),
        content: aead::seal(
            key,
            &associated(memory, key_id, private_to.as_ref()),
            &plain,
        ),
        private_to,
        why: Shut::NoKey,
    });
    closed
}

/// The memory with all that it says; none if it was altered or belongs elsewhere.
pub(crate) fn open(memory: &Memory, closed: &Closed, key: &Key) -> Option<Memory> {
    let bound = associated(memory, &closed.key, closed.private_to.as_ref());
    let plain = aead::open(key, &bound, &closed.content)?;
    let content: Content = serde_json::from_slice(&plain).ok()?;
    opened(memory, content).ok()
}

fn opened(memory: &Memory, content: Content) -> Result<Memory> {
    Ok(Memory {
        text: content.text,
        body: Body::from_map(memory.kind(), content.body)?,
        confidence: content.confidence.map(TryInto::try_into).transpose()?,
        embedding: content.embedding,
        links: content.links,
        metadata: content.metadata,
        tags: content.tags,
        tokens: content.tokens,
        turn: content
            .turn
            .map(|turn| turn.parse::<MemoryId>())
            .transpose()?,
        seal: Seal::Opened,
        ..memory.clone()
    })
}

/// What is left in the clear.
fn shell(memory: &Memory) -> Memory {
    Memory {
        id: memory.id.clone(),
        space: memory.space.clone(),
        handle: memory.handle,
        version: memory.version,
        author: memory.author.clone(),
        turn: None,
        text: sealed_text(),
        importance: memory.importance,
        confidence: None,
        tags: Vec::new(),
        links: Vec::new(),
        pinned: memory.pinned,
        sensitive: memory.sensitive,
        body: Body::empty(memory.kind()),
        metadata: Map::new(),
        embedding: None,
        tokens: None,
        created_at: memory.created_at,
        recorded_at: memory.recorded_at,
        updated_at: memory.updated_at,
        state: memory.state.clone(),
        seal: Seal::Clear,
    }
}

fn owned(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}

/// What the content is bound to.
fn associated(memory: &Memory, key_id: &str, private_to: Option<&Vec<String>>) -> Vec<u8> {
    let mut bound = serde_json::json!([
        "mnemon memory 1",
        key_id,
        memory.space,
        memory.id,
        memory.version,
        memory.kind().to_string(),
        memory.author.as_ref().map(ToString::to_string),
        memory.importance.get(),
        memory.pinned,
        memory.sensitive,
    ]);
    if let (Value::Array(bound), Some(names)) = (&mut bound, private_to) {
        bound.push(serde_json::json!(names));
    }
    bound.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Draft, Kind, Space};

    fn memory() -> Memory {
        let mut draft = Draft::new(Kind::Decision, "Use the vault".parse().unwrap());
        draft.tags = vec!["security".parse().unwrap()];
        draft.links = vec![Link::related("dec_2".parse().unwrap())];
        draft.turn = Some("turn_1".parse().unwrap());
        draft.confidence = Some(0.9.try_into().unwrap());
        draft.embedding = Some(vec![0.1, -1e-7]);
        draft.tokens = Some(3);
        draft.body = Body::from_map(
            Kind::Decision,
            serde_json::json!({"rationale": "safe"})
                .as_object()
                .unwrap()
                .clone(),
        )
        .unwrap();
        draft.metadata.insert("ticket".into(), "SEC-7".into());
        draft.sensitive = true;
        let at = "2026-01-10T12:00:00Z".parse().unwrap();
        draft.into_memory("dec_1".parse().unwrap(), Space::Shared, None, at)
    }

    fn closed_of(memory: &Memory) -> &Closed {
        memory.closed().unwrap()
    }

    #[test]
    fn what_is_closed_says_nothing_and_opens_to_what_it_was() {
        let key = Key::random();
        let closed = close(&memory(), "k", &key);
        let told = format!("{closed:?}");
        for secret in ["vault", "security", "dec_2", "turn_1", "safe", "SEC-7"] {
            assert!(!told.contains(secret), "{secret}");
        }
        let opened = open(&closed, closed_of(&closed), &key).unwrap();
        assert!(opened.is_sealed());
        assert_eq!(opened, memory());
    }

    #[test]
    fn it_opens_only_where_it_was_sealed() {
        let key = Key::random();
        let closed = close(&memory(), "k", &key);
        let own = closed_of(&closed).clone();
        let moved: [fn(&mut Memory); 7] = [
            |it| it.id = "dec_9".parse().unwrap(),
            |it| it.space = "agent/a".parse().unwrap(),
            |it| it.version = 2,
            |it| it.author = Some("mallory".parse().unwrap()),
            |it| it.importance = 0.9.try_into().unwrap(),
            |it| it.pinned = true,
            |it| it.sensitive = false,
        ];
        for (place, change) in moved.into_iter().enumerate() {
            let mut altered = closed.clone();
            change(&mut altered);
            assert!(open(&altered, &own, &key).is_none(), "change {place}");
        }
    }
}
