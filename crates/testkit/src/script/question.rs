//! Questions as data.

use std::sync::Arc;

use mnemon::Result;
use mnemon::caller::Sight;
use mnemon::decay::Rules;
use mnemon::embed::BuiltIn;
use mnemon::memory::{
    AgentId, Confidence, Handle, Importance, Kind, MemoryId, Reference, SessionId, Space, Tag,
};
use mnemon::recall::{self, Query, Question as Ask};
use mnemon::session::Session;
use mnemon::store::{Filter, Forgottenness, Stats, Status, Store};
use mnemon::time::Time;
use serde::{Deserialize, Serialize};

use super::life::without_size;

/// A question to a store.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the variants are the methods of Store")]
pub enum Question {
    Find(MemoryId),
    FindHandle(SessionId, Handle),
    Select(Box<FilterSpec>),
    /// Of the memories with these ids.
    Neighbours(Vec<MemoryId>),
    Walk(Vec<Space>),
    History(MemoryId),
    Session(SessionId),
    Sessions,
    DeletedSessions,
    Shelved(MemoryId),
    Stats,
    Recall(Box<RecallSpec>),
    AsOf(Time, Box<Question>),
}

/// A [`Query`] as data.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of Query")]
pub struct RecallSpec {
    pub text: String,
    pub mode: String,
    pub profile: String,
    pub filter: FilterSpec,
    /// Whether the filter's order holds, instead of relevance.
    pub sorted: bool,
    pub min_similarity: Option<f64>,
}

/// A [`Filter`] as data.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of Filter")]
pub struct FilterSpec {
    pub spaces: Vec<Space>,
    pub kinds: Vec<Kind>,
    pub authors: Vec<String>,
    pub tags: Vec<Tag>,
    pub any_tags: Vec<Tag>,
    pub not_tags: Vec<Tag>,
    pub since_micros: Option<i64>,
    pub until_micros: Option<i64>,
    pub min_importance: Option<Importance>,
    pub min_confidence: Option<Confidence>,
    pub min_priority: Option<f64>,
    /// Open or not, if that matters.
    pub open: Option<bool>,
    pub contains: Option<String>,
    pub metadata: Vec<(String, String)>,
    /// Only forgotten ones, only others, or both.
    pub forgotten: Option<bool>,
    /// What this agent sees, or does not see.
    #[serde(default)]
    pub agent: Option<(AgentId, bool)>,
    pub now_micros: i64,
    /// The settings of decay, and those of sessions.
    pub decay: Rules,
    /// One of the names that `Sort` reads.
    pub sort: String,
    pub limit: usize,
    pub offset: usize,
}

impl Question {
    /// What a store says to it, as a text.
    pub(super) fn answer(&self, store: &dyn Store) -> Result<String> {
        Ok(match self {
            Self::Find(id) => format!("{:#?}", store.find(&Reference::Id(id.clone()))?),
            Self::FindHandle(session, handle) => {
                let reference = Reference::Handle(session.clone(), *handle);
                format!("{:#?}", store.find(&reference)?)
            }
            Self::Select(filter) => format!("{:#?}", store.select(&filter.filter())?),
            Self::Neighbours(ids) => {
                let mut of = Vec::new();
                for id in ids {
                    of.extend(store.find(&Reference::Id(id.clone()))?);
                }
                format!("{:#?}", store.neighbours(&of)?)
            }
            Self::Walk(spaces) => {
                let mut walked = Vec::new();
                store.walk(spaces, &mut |memory| {
                    walked.push(memory);
                    Ok(())
                })?;
                format!("{walked:#?}")
            }
            Self::History(id) => format!("{:#?}", store.history(id)?),
            Self::Session(id) => format!("{:#?}", store.session(id)?.map(without_sizes)),
            Self::Sessions => {
                let sessions = store.sessions()?.into_iter().map(without_sizes);
                format!("{:#?}", sessions.collect::<Vec<_>>())
            }
            Self::DeletedSessions => {
                let deleted = store.deleted_sessions()?.into_iter().map(without_size);
                format!("{:#?}", deleted.collect::<Vec<_>>())
            }
            Self::Shelved(id) => format!("{:#?}", store.shelved(id)?),
            Self::Stats => format!("{:#?}", stats_without_sizes(store.stats()?)),
            Self::Recall(recall) => recall.answer(store)?,
            Self::AsOf(moment, question) => question.answer(&*store.as_of(*moment)?)?,
        })
    }
}

impl RecallSpec {
    fn answer(&self, store: &dyn Store) -> Result<String> {
        let filter = self.filter.filter();
        let query = Query {
            mode: self.mode.parse()?,
            profile: self.profile.parse()?,
            sort: self.sorted.then_some(filter.sort),
            min_similarity: self.min_similarity,
            min_score: None,
            zone: jiff::tz::TimeZone::UTC,
            question: Ask::parse(&self.text)?,
            filter,
        };
        let recalled = recall::recall(store, &BuiltIn::new(), None, &query)?;
        Ok(format!("{recalled:#?}"))
    }
}

impl FilterSpec {
    /// Everything, forgotten or not.
    pub fn everything() -> Self {
        Self {
            spaces: Vec::new(),
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
            open: None,
            contains: None,
            metadata: Vec::new(),
            forgotten: None,
            agent: None,
            now_micros: 0,
            decay: Rules::default(),
            sort: "newest".into(),
            limit: usize::MAX,
            offset: 0,
        }
    }

    /// The filter that this describes.
    pub fn filter(&self) -> Filter {
        let all = self.clone();
        Filter {
            only_open: false,
            spaces: all.spaces,
            kinds: all.kinds,
            authors: all.authors,
            tags: all.tags,
            any_tags: all.any_tags,
            not_tags: all.not_tags,
            since_micros: all.since_micros,
            until_micros: all.until_micros,
            min_importance: all.min_importance,
            min_confidence: all.min_confidence,
            min_priority: all.min_priority,
            status: all
                .open
                .map(|open| if open { Status::Open } else { Status::Resolved }),
            contains: all.contains,
            metadata: all.metadata,
            // Its own claim of conformance is about it.
            preference_key: None,
            forgotten: match all.forgotten {
                None => Forgottenness::With,
                Some(true) => Forgottenness::Only,
                Some(false) => Forgottenness::Without,
            },
            sight: match all.agent {
                None => Sight::Everything,
                Some((agent, true)) => Sight::Agent(agent),
                Some((agent, false)) => Sight::HiddenFrom(agent),
            },
            now_micros: all.now_micros,
            decay: Arc::new(all.decay),
            sort: all.sort.parse().expect("scripts name sorts that exist"),
            limit: all.limit,
            offset: all.offset,
            patience: None,
        }
    }
}

fn without_sizes(mut session: Session) -> Session {
    session.activity.log_bytes = 0;
    if let Some(archived) = &mut session.archived {
        archived.bytes = 0;
        archived.sha256.clear();
        archived.shelf.clear();
    }
    session
}

fn stats_without_sizes(mut stats: Stats) -> Stats {
    stats.log_bytes = 0;
    stats.index_bytes = 0;
    stats.archive_bytes = 0;
    stats.trash_bytes = 0;
    for space in &mut stats.spaces {
        space.log_bytes = 0;
    }
    stats
}
