//! Revisions: a wish for change, applied to the version that is there.

use serde_json::{Map, Value};

use super::draft::{check_counts, check_embedding, check_size, keep_first_of_each};
use crate::error::{Error, Result};
use crate::memory::{Confidence, Importance, Kind, Limits, Link, Memory, Seal, Tag, Text};
use crate::seal::SealProblem;
use crate::time::Time;

/// What shall be different; what is not named stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Revision {
    /// Another text.
    pub text: Option<Text>,
    /// Another kind; the fields of the body come along.
    pub kind: Option<Kind>,
    /// Another importance.
    pub importance: Option<Importance>,
    /// Another confidence.
    pub confidence: Option<Confidence>,
    /// Labels to add.
    pub add_tags: Vec<Tag>,
    /// Labels to take away.
    pub remove_tags: Vec<Tag>,
    /// Relations to add.
    pub add_links: Vec<Link>,
    /// Relations to take away.
    pub remove_links: Vec<Link>,
    /// Pin or unpin.
    pub pinned: Option<bool>,
    /// Sensitive or not.
    pub sensitive: Option<bool>,
    /// Members to set in the body; a null takes one away.
    pub body: Map<String, Value>,
    /// Members to set in the metadata; a null takes one away.
    pub metadata: Map<String, Value>,
    /// Another vector.
    pub embedding: Option<Vec<f32>>,
    /// Resolve or reopen a decision or a finding.
    pub resolution: Option<Resolution>,
}

/// Whether a decision or a finding is still open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// It is settled, and how.
    Resolve(String),
    /// It is open again.
    Reopen,
}

impl Revision {
    /// The memory as it shall be; the same one if nothing would change.
    pub fn apply(&self, memory: &Memory, by: &str, at: Time, limits: &Limits) -> Result<Memory> {
        refuse_closed(memory)?;
        self.refuse_to_rewrite_turns(memory)?;
        let mut new = memory.clone();
        if let Some(text) = &self.text {
            new.text = text.clone();
            // A vector and a count that the caller gave belong to the old text.
            new.embedding = None;
            new.tokens = None;
        }
        if let Some(kind) = self.kind {
            new.body = new.body.into_kind(kind)?;
        }
        if !self.body.is_empty() {
            new.body = new.body.merged(&self.body)?;
        }
        match &self.resolution {
            Some(Resolution::Resolve(how)) => new.body.resolve(how, Some(by), &at.to_string())?,
            Some(Resolution::Reopen) => new.body.reopen()?,
            None => {}
        }
        new.importance = self.importance.unwrap_or(new.importance);
        new.confidence = self.confidence.or(new.confidence);
        new.pinned = self.pinned.unwrap_or(new.pinned);
        new.sensitive = self.sensitive.unwrap_or(new.sensitive);
        if self.sensitive == Some(false) {
            // Whoever says that it is not sensitive any more wants it readable again.
            new.seal = Seal::Clear;
        }
        new.tags.retain(|tag| !self.remove_tags.contains(tag));
        new.tags.extend(self.add_tags.iter().cloned());
        check_counts(&new.tags, &[])?;
        keep_first_of_each(&mut new.tags);
        new.links.retain(|link| !self.remove_links.contains(link));
        new.links.extend(self.add_links.iter().cloned());
        check_counts(&[], &new.links)?;
        keep_first_of_each(&mut new.links);
        for (key, value) in &self.metadata {
            match value {
                Value::Null => new.metadata.remove(key),
                value => new.metadata.insert(key.clone(), value.clone()),
            };
        }
        if self.embedding.is_some() {
            new.embedding.clone_from(&self.embedding);
        }
        check_size(
            &new.text,
            &new.body.to_map(),
            &new.metadata,
            &new.space,
            limits,
        )?;
        check_embedding(new.embedding.as_deref())?;
        if new != *memory {
            new.version += 1;
            new.updated_at = at;
        }
        Ok(new)
    }

    /// What was said was said: labels may change, the words may not.
    fn refuse_to_rewrite_turns(&self, memory: &Memory) -> Result<()> {
        let rewrites = self.text.is_some() || self.kind.is_some() || !self.body.is_empty();
        if memory.kind() == Kind::Conversation && rewrites {
            let rule = "left as it is, because turns are immutable; keep the correction as a new \
                        memory that links to this one with `supersedes`";
            let field = match (&self.text, &self.kind) {
                (None, Some(_)) => "kind",
                (None, None) => "body",
                (Some(_), _) => "text",
            };
            return Err(Error::rule(field, rule, ""));
        }
        Ok(())
    }
}

/// What can't be read can't be changed.
fn refuse_closed(memory: &Memory) -> Result<()> {
    match memory.closed() {
        Some(closed) => Err(Error::Crypto(SealProblem::of(closed.why, &memory.id))),
        None => Ok(()),
    }
}
