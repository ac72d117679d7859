//! Drafts: a memory as its caller hands it in, before the store gave it its place.

use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::memory::{
    Author, Body, Confidence, Handle, Importance, Kind, Link, Memory, MemoryId, Seal, Space, State,
    Tag, Text,
};
use crate::time::Time;

/// Nested deeper than this, a value is a trick rather than a memory. JSON
/// readers stop at 128 levels, and a log line must always be readable again.
pub(crate) const DEPTH_MAX: usize = 64;

/// More numbers than any embedder in use gives.
const EMBEDDING_DIMENSIONS_MAX: usize = 8192;

/// Nobody reads more labels or links than this; comparing them all takes time.
const TAGS_MAX: usize = 1000;
const LINKS_MAX: usize = 1000;

/// A memory to be kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The caller's own id, if it has one.
    pub id: Option<MemoryId>,
    /// The handle that it had before, when it comes back from an export.
    pub handle: Option<Handle>,
    /// The agent or user that it comes from.
    pub author: Option<Author>,
    /// The turn of the conversation that it belongs to.
    pub turn: Option<MemoryId>,
    /// What is remembered.
    pub text: Text,
    /// How much it matters.
    pub importance: Importance,
    /// How sure it is.
    pub confidence: Option<Confidence>,
    /// Labels.
    pub tags: Vec<Tag>,
    /// Relations to other memories.
    pub links: Vec<Link>,
    /// Kept from fading.
    pub pinned: bool,
    /// To be treated with more care.
    pub sensitive: bool,
    /// The fields of its kind.
    pub body: Body,
    /// Whatever else the caller wants to keep beside it.
    pub metadata: Map<String, Value>,
    /// A vector that the caller brought along.
    pub embedding: Option<Vec<f32>>,
    /// How many tokens the text has.
    pub tokens: Option<u32>,
    /// When it came into being, if not now.
    pub created_at: Option<Time>,
}

impl Draft {
    /// A memory of this kind with nothing but its text.
    pub fn new(kind: Kind, text: Text) -> Self {
        Self {
            id: None,
            handle: None,
            author: None,
            turn: None,
            text,
            importance: Importance::default(),
            confidence: None,
            tags: Vec::new(),
            links: Vec::new(),
            pinned: false,
            sensitive: false,
            body: Body::empty(kind),
            metadata: Map::new(),
            embedding: None,
            tokens: None,
            created_at: None,
        }
    }

    /// Drops repeated tags and links, and refuses what no log may hold.
    pub fn check(&mut self, space: &Space, limits: &Limits) -> Result<()> {
        self.checked_body(space, limits).map(drop)
    }

    /// As [`Self::check`], and gives the body as a map, which the check needs anyway.
    pub(crate) fn checked_body(
        &mut self,
        space: &Space,
        limits: &Limits,
    ) -> Result<Map<String, Value>> {
        check_counts(&self.tags, &self.links)?;
        keep_first_of_each(&mut self.tags);
        keep_first_of_each(&mut self.links);
        let body = self.body.to_map();
        check_size(&self.text, &body, &self.metadata, space, limits)?;
        check_embedding(self.embedding.as_deref())?;
        Ok(body)
    }

    /// Whether it says what a memory said when it was first kept.
    pub(crate) fn says_the_same_as(&self, memory: &Memory) -> bool {
        self.author == memory.author
            && self.turn == memory.turn
            && self.text == memory.text
            && self.importance == memory.importance
            && self.confidence == memory.confidence
            && self.tags == memory.tags
            && self.links == memory.links
            && self.pinned == memory.pinned
            && self.sensitive == memory.sensitive
            && self.body == memory.body
            && self.metadata == memory.metadata
            && self.embedding == memory.embedding
            && self.tokens == memory.tokens
            && self
                .created_at
                .is_none_or(|created| created == memory.created_at)
    }

    /// The memory that it becomes when it is kept.
    pub(crate) fn into_memory(
        self,
        id: MemoryId,
        space: Space,
        handle: Option<Handle>,
        at: Time,
    ) -> Memory {
        Memory {
            id,
            space,
            handle,
            version: 1,
            author: self.author,
            turn: self.turn,
            text: self.text,
            importance: self.importance,
            confidence: self.confidence,
            tags: self.tags,
            links: self.links,
            pinned: self.pinned,
            sensitive: self.sensitive,
            body: self.body,
            metadata: self.metadata,
            embedding: self.embedding,
            tokens: self.tokens,
            created_at: self.created_at.unwrap_or(at),
            recorded_at: at,
            updated_at: at,
            state: State::default(),
            seal: Seal::Clear,
        }
    }
}

/// How large an entry may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// In a session.
    pub session_entry_bytes_max: u64,
    /// In long-term memory, an agent's or the shared one.
    pub long_term_entry_bytes_max: u64,
}

impl Limits {
    fn entry_bytes_max(&self, space: &Space) -> u64 {
        match space {
            Space::Session(_) => self.session_entry_bytes_max,
            Space::Agent(_) | Space::Shared => self.long_term_entry_bytes_max,
        }
    }
}

pub(crate) fn keep_first_of_each<T: PartialEq>(items: &mut Vec<T>) {
    let mut kept = Vec::with_capacity(items.len());
    for item in items.drain(..) {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    *items = kept;
}

pub(super) fn check_size(
    text: &Text,
    body: &Map<String, Value>,
    metadata: &Map<String, Value>,
    space: &Space,
    limits: &Limits,
) -> Result<()> {
    let mut bytes = text.as_str().len();
    for (field, map) in [("body", body), ("metadata", metadata)] {
        if map.values().any(|value| depth_exceeds(value, DEPTH_MAX)) {
            return Err(Error::rule(
                field,
                format!("nested at most {DEPTH_MAX} levels deep"),
                "",
            ));
        }
        if !map.is_empty() {
            bytes += serde_json::to_string(map).map_or(0, |json| json.len());
        }
    }
    let limit = limits.entry_bytes_max(space);
    if bytes as u64 > limit {
        let rule = format!("at most {limit} bytes long, body and metadata included");
        return Err(Error::rule("text", rule, &format!("{bytes} bytes")));
    }
    Ok(())
}

pub(super) fn check_counts(tags: &[Tag], links: &[Link]) -> Result<()> {
    for (field, count, max) in [
        ("tags", tags.len(), TAGS_MAX),
        ("links", links.len(), LINKS_MAX),
    ] {
        if count > max {
            return Err(Error::rule(
                field,
                format!("at most {max}"),
                &count.to_string(),
            ));
        }
    }
    Ok(())
}

pub(super) fn check_embedding(embedding: Option<&[f32]>) -> Result<()> {
    match embedding {
        Some(vector) if !(1..=EMBEDDING_DIMENSIONS_MAX).contains(&vector.len()) => {
            let rule = format!("a vector of 1 to {EMBEDDING_DIMENSIONS_MAX} numbers");
            Err(Error::rule(
                "embedding",
                rule,
                &format!("{} numbers", vector.len()),
            ))
        }
        Some(vector) if vector.iter().any(|number| !number.is_finite()) => {
            Err(Error::rule("embedding", "made of finite numbers", ""))
        }
        _ => Ok(()),
    }
}

pub(crate) fn depth_exceeds(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => {
            levels == 0 || items.iter().any(|item| depth_exceeds(item, levels - 1))
        }
        Value::Object(members) => {
            levels == 0 || members.values().any(|item| depth_exceeds(item, levels - 1))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        session_entry_bytes_max: 1 << 20,
        long_term_entry_bytes_max: 10 << 20,
    };

    fn draft(text: &str) -> Draft {
        Draft::new(Kind::Fact, text.parse().unwrap())
    }

    fn nested(levels: usize) -> Value {
        (0..levels).fold(Value::Null, |inner, _| Value::Array(vec![inner]))
    }

    #[test]
    fn an_entry_may_be_as_long_as_its_space_allows_and_not_a_byte_more() {
        let session: Space = "session/s".parse().unwrap();
        let agent: Space = "agent/a".parse().unwrap();
        let cases = [
            (&session, 1 << 20),
            (&agent, 10 << 20),
            (&Space::Shared, 10 << 20),
        ];
        for (space, limit) in cases {
            draft(&"x".repeat(limit)).check(space, &LIMITS).unwrap();
            let error = draft(&"x".repeat(limit + 1))
                .check(space, &LIMITS)
                .unwrap_err();
            assert_eq!(error.code().as_str(), "E_SCHEMA_INVALID");
            assert!(error.to_string().contains(&limit.to_string()), "{error}");
        }
    }

    #[test]
    fn what_could_not_be_read_again_is_refused() {
        let mut deep = draft("deep");
        deep.metadata.insert("a".into(), nested(64));
        deep.check(&Space::Shared, &LIMITS).unwrap();
        deep.metadata.insert("a".into(), nested(65));
        assert!(deep.check(&Space::Shared, &LIMITS).is_err());

        for bad in [
            vec![],
            vec![f32::NAN],
            vec![0.5, f32::INFINITY],
            vec![0.0; 8193],
        ] {
            let mut vector = draft("vector");
            vector.embedding = Some(bad);
            assert!(vector.check(&Space::Shared, &LIMITS).is_err());
        }
    }

    #[test]
    fn repeated_tags_count_once() {
        let mut tagged = draft("tagged");
        tagged.tags = ["b", "a", "b"].map(|tag| tag.parse().unwrap()).to_vec();
        tagged.check(&Space::Shared, &LIMITS).unwrap();
        assert_eq!(
            tagged.tags.iter().map(Tag::as_str).collect::<Vec<_>>(),
            ["b", "a"]
        );
    }

    #[test]
    fn a_flood_of_tags_or_links_is_refused() {
        let mut flood = draft("flood");
        flood.tags = vec!["t".parse().unwrap(); 1000];
        flood.check(&Space::Shared, &LIMITS).unwrap();
        flood.tags = (0..=1000)
            .map(|n| format!("t{n}").parse().unwrap())
            .collect();
        let error = flood.check(&Space::Shared, &LIMITS).unwrap_err();
        assert_eq!(error.to_string(), "tags must be at most 1000 (given: 1001)");
        flood.tags.clear();
        flood.links = vec![Link::related("fact_1".parse().unwrap()); 1001];
        assert!(flood.check(&Space::Shared, &LIMITS).is_err());
    }
}
