//! Filters: which memories, in which order, which page of them.

use std::cmp::Ordering;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use crate::caller::Sight;
use crate::decay::{At, Rules};
use crate::error::{Error, Result};
use crate::memory::{Confidence, Importance, Kind, Memory, Space, Tag};
use crate::time::Time;

/// Which memories to select. An empty list and a `None` leave all in.
#[derive(Clone, Debug)]
pub struct Filter {
    /// In any of these spaces.
    pub spaces: Vec<Space>,
    /// Refuse with [`Error::SessionArchived`] if one of these is archived,
    /// instead of answering from its summary.
    pub only_open: bool,
    /// Of any of these kinds.
    pub kinds: Vec<Kind>,
    /// By any of these authors.
    pub authors: Vec<String>,
    /// With all of these tags, or tags below them.
    pub tags: Vec<Tag>,
    /// With any of these tags, or tags below them.
    pub any_tags: Vec<Tag>,
    /// With none of these tags, nor tags below them.
    pub not_tags: Vec<Tag>,
    /// Created at this moment or later, in microseconds since 1970.
    pub since_micros: Option<i64>,
    /// Created at this moment or earlier.
    pub until_micros: Option<i64>,
    /// At least as important.
    pub min_importance: Option<Importance>,
    /// At least as sure; memories of which nobody said how sure they are don't count.
    pub min_confidence: Option<Confidence>,
    /// With at least this priority at `now_micros`.
    pub min_priority: Option<f64>,
    /// Open or resolved; memories that can be neither don't count.
    pub status: Option<Status>,
    /// With this text in theirs, whatever the case.
    pub contains: Option<String>,
    /// With these members in their metadata, compared as text.
    pub metadata: Vec<(String, String)>,
    /// Preferences that set this; those that another of their space replaces may be left out.
    pub preference_key: Option<String>,
    /// Forgotten or not.
    pub forgotten: Forgottenness,
    /// Seen by whoever asks; [`Mnemon`](crate::Mnemon) puts the caller's in.
    pub sight: Sight,
    /// The moment for which priorities are computed.
    pub now_micros: i64,
    /// How they are; [`Mnemon`](crate::Mnemon) puts its own settings in.
    pub decay: Arc<Rules>,
    /// In which order.
    pub sort: Sort,
    /// At most so many.
    pub limit: usize,
    /// After so many.
    pub offset: usize,
    /// Given up with [`Error::QueryTimeout`] after so long; [`Mnemon`](crate::Mnemon) puts its
    /// own in where somebody waits for the answer.
    pub patience: Option<Duration>,
}

impl Filter {
    /// Everything that is not forgotten, newest first, a hundred of it.
    pub fn all(now_micros: i64) -> Self {
        Self {
            spaces: Vec::new(),
            only_open: false,
            kinds: Vec::new(),
            authors: Vec::new(),
            tags: Vec::new(),
            any_tags: Vec::new(),
            not_tags: Vec::new(),
            since_micros: None,
            until_micros: None,
            min_importance: None,
            min_confidence: None,
            min_priority: None,
            status: None,
            contains: None,
            metadata: Vec::new(),
            preference_key: None,
            forgotten: Forgottenness::Without,
            sight: Sight::Everything,
            now_micros,
            decay: Rules::shared_default(),
            sort: Sort::Newest,
            limit: 100,
            offset: 0,
            patience: None,
        }
    }

    /// As many tags, or members of the metadata, may be asked for.
    pub const TAGS_MAX: usize = 100;

    /// As many names may be alternatives: of spaces, of authors.
    pub const NAMES_MAX: usize = 1000;

    /// Refuses excess, which no question of a person or an agent has.
    pub fn check(&self) -> Result<()> {
        let lists = [
            ("session", self.spaces.len(), Self::NAMES_MAX),
            ("author", self.authors.len(), Self::NAMES_MAX),
            ("tag", self.tags.len(), Self::TAGS_MAX),
            ("any_tag", self.any_tags.len(), Self::TAGS_MAX),
            ("not_tag", self.not_tags.len(), Self::TAGS_MAX),
            ("meta", self.metadata.len(), Self::TAGS_MAX),
        ];
        match lists.into_iter().find(|(_, given, most)| given > most) {
            Some((field, given, most)) => Err(Error::InvalidQuery {
                field: field.into(),
                problem: format!("{given} are too many (at most {most})"),
            }),
            None => Ok(()),
        }
    }

    /// Whether this memory fits: the plain meaning of every field above.
    pub fn fits(&self, memory: &Memory) -> bool {
        let within = |wanted: &Tag| memory.tags.iter().any(|tag| tag.is_within(wanted));
        let created = memory.created_at.micros();
        (self.spaces.is_empty() || self.spaces.contains(&memory.space))
            && (self.kinds.is_empty() || self.kinds.contains(&memory.kind()))
            && (self.authors.is_empty()
                || memory.author.as_ref().is_some_and(|author| {
                    self.authors.iter().any(|wanted| wanted == author.as_str())
                }))
            && self.tags.iter().all(within)
            && (self.any_tags.is_empty() || self.any_tags.iter().any(within))
            && !self.not_tags.iter().any(within)
            && self.since_micros.is_none_or(|since| created >= since)
            && self.until_micros.is_none_or(|until| created <= until)
            && self
                .min_importance
                .is_none_or(|least| memory.importance >= least)
            && self
                .min_confidence
                .is_none_or(|least| memory.confidence.is_some_and(|own| own >= least))
            && self
                .min_priority
                .is_none_or(|least| self.at().priority(memory) >= least)
            && self.status.is_none_or(|status| {
                memory.closed().is_none() && memory.body.is_open() == Some(status == Status::Open)
            })
            && self.contains.as_ref().is_none_or(|part| {
                memory.closed().is_none() && contains_text(memory.text.as_str(), part)
            })
            && self.metadata.iter().all(|(key, wanted)| {
                memory
                    .metadata
                    .get(key)
                    .is_some_and(|own| metadata_text(own) == *wanted)
            })
            && self
                .preference_key
                .as_deref()
                .is_none_or(|wanted| memory.body.preference_key() == Some(wanted))
            && match self.forgotten {
                Forgottenness::Without => memory.state.forgotten.is_none(),
                Forgottenness::With => true,
                Forgottenness::Only => memory.state.forgotten.is_some(),
            }
            && self.sight.sees(memory)
    }
}

impl Filter {
    /// The moment for which priorities are computed, and how.
    pub fn at(&self) -> At<'_> {
        At {
            rules: &self.decay,
            now_micros: self.now_micros,
        }
    }

    /// Whether it asks for priorities.
    pub(crate) fn asks_priority(&self) -> bool {
        self.min_priority.is_some() || self.sort == Sort::Priority
    }

    /// The same in another order.
    pub(crate) fn sorted(&self, sort: Sort) -> Self {
        Self {
            sort,
            ..self.clone()
        }
    }

    /// Which of two comes first in this order; what is equal comes newest first, then by id.
    pub fn compare(&self, a: &Memory, b: &Memory) -> Ordering {
        let created = |memory: &Memory| memory.created_at.micros();
        let last_access = |memory: &Memory| memory.state.last_access.map(Time::micros);
        let priority = |memory: &Memory| self.at().priority(memory);
        let wanted = match self.sort {
            Sort::Newest => created(b).cmp(&created(a)),
            Sort::Oldest => created(a).cmp(&created(b)),
            Sort::Importance => b.importance.get().total_cmp(&a.importance.get()),
            // None is less than anything, so it comes last.
            Sort::LastAccess => last_access(b).cmp(&last_access(a)),
            Sort::AccessCount => b.state.access_count.cmp(&a.state.access_count),
            Sort::Priority => priority(b).total_cmp(&priority(a)),
        };
        wanted
            .then_with(|| created(b).cmp(&created(a)))
            .then_with(|| a.id.cmp(&b.id))
    }
}

/// Whether `part` is in `text`, whatever the case of either.
pub(crate) fn contains_text(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

/// A member of the metadata as filters compare it: texts bare, the rest as JSON.
pub(crate) fn metadata_text(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Whether a decision or finding is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Not settled yet.
    Open,
    /// Settled.
    Resolved,
}

/// Which side of forgetting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgottenness {
    /// Only what is not forgotten.
    Without,
    /// Both.
    With,
    /// Only what is forgotten.
    Only,
}

/// In which order; what is equal comes newest first, then by id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Latest created first.
    #[default]
    Newest,
    /// Earliest created first.
    Oldest,
    /// Most important first.
    Importance,
    /// Last asked for first; what never was comes last.
    LastAccess,
    /// Most often asked for first.
    AccessCount,
    /// Highest priority first.
    Priority,
}

impl Sort {
    /// The names, with what each means.
    const NAMES: [(&'static str, Sort); 12] = [
        ("newest", Sort::Newest),
        ("oldest", Sort::Oldest),
        ("importance", Sort::Importance),
        ("accessed", Sort::LastAccess),
        ("access-count", Sort::AccessCount),
        ("priority", Sort::Priority),
        // The names of the sources, for those who know them.
        ("time", Sort::Newest),
        ("created", Sort::Newest),
        ("time_desc", Sort::Newest),
        ("time_asc", Sort::Oldest),
        ("last_access", Sort::LastAccess),
        ("access_count", Sort::AccessCount),
    ];
}

impl FromStr for Sort {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::NAMES
            .iter()
            .find(|(name, _)| *name == text)
            .map(|(_, sort)| *sort)
            .ok_or_else(|| {
                let names: Vec<_> = Self::NAMES[..6].iter().map(|(name, _)| *name).collect();
                Error::InvalidQuery {
                    field: "sort".into(),
                    problem: format!("{text} is none of {}", names.join(", ")),
                }
            })
    }
}

/// One page of what fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The page.
    pub memories: Vec<Memory>,
    /// How many fit, whatever the limit.
    pub total: u64,
}
