//! Questions as JSON: the same for MCP, HTTP and every line of a batch.
//!
//! A request is read in two steps, because what a time means depends on who
//! asks and when: [`RecallRequest::parse`] checks names and types,
//! [`RecallRequest::to_query`] makes the question. Whatever is wrong is
//! refused with the place where it stands.

mod fields;
mod schema;
mod structured;

pub use fields::snake_case;
pub use structured::{parse_structured, parse_structured_text};

use jiff::tz::TimeZone;
use mnemon::memory::body::confidence_from_word;
use mnemon::memory::{AgentId, Author, Confidence, Importance, Kind, SessionId, Space, Tag};
use mnemon::recall::{Mode, Profile, Query, Question};
use mnemon::store::{Filter, Forgottenness, Sort, Status};
use mnemon::time::expression::{Moment, parse_expression};
use mnemon::{Error, Result, Time};
use serde_json::Value;

use crate::kind_from_word;
use crate::parse::shorten;
use crate::strict::{self, Refused};
use fields::{Fields, at, text, wrong};

/// The JSON of a question; `what` it should have been is said of what is no JSON at all.
pub fn parse_json(what: &'static str, text: &str) -> Result<Value> {
    strict::read(text).map_err(|refused| match refused {
        Refused::At { place, problem } => wrong(place, problem, None),
        Refused::Unreadable(error) => Error::Unparsable {
            what,
            input: shorten(text),
            problem: error.to_string(),
        },
    })
}

/// What chooses memories; `all` says that none are left out.
pub const CHOOSING: [&str; 18] = [
    "session",
    "agent",
    "shared",
    "all",
    "kind",
    "author",
    "tag",
    "any_tag",
    "not_tag",
    "since",
    "until",
    "min_importance",
    "min_priority",
    "confidence",
    "open",
    "resolved",
    "contains",
    "meta",
];

/// The largest page, and how far one can lie behind the first.
pub const LIMIT_MAX: usize = 1_000_000;

/// A question with its filters; what is missing leaves the default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecallRequest {
    /// What is asked.
    pub query: Option<Question>,
    /// Where: in any of these spaces, or everywhere if the list is empty.
    pub spaces: Option<Vec<Space>>,
    /// Of any of these kinds.
    pub kinds: Option<Vec<Kind>>,
    /// By any of these authors.
    pub authors: Option<Vec<String>>,
    /// With all of these tags.
    pub tags: Option<Vec<Tag>>,
    /// With any of these tags.
    pub any_tags: Option<Vec<Tag>>,
    /// With none of these tags.
    pub not_tags: Option<Vec<Tag>>,
    /// Created then or later, as it was written.
    pub since: Option<String>,
    /// Created then or earlier, as it was written.
    pub until: Option<String>,
    /// At least as important.
    pub min_importance: Option<Importance>,
    /// With at least this priority.
    pub min_priority: Option<f64>,
    /// At least as sure.
    pub min_confidence: Option<Confidence>,
    /// Open or resolved; `Some(None)` says that it does not matter.
    pub status: Option<Option<Status>>,
    /// With this in the text.
    pub contains: Option<String>,
    /// With these members in the metadata.
    pub metadata: Option<Vec<(String, String)>>,
    /// Forgotten memories too.
    pub include_forgotten: Option<bool>,
    /// The order; `Some(None)` is by relevance.
    pub sort: Option<Option<Sort>>,
    /// At most so many.
    pub limit: Option<usize>,
    /// After so many.
    pub offset: Option<usize>,
    /// By words, by meaning, or by both.
    pub mode: Option<Mode>,
    /// Which ranking.
    pub profile: Option<Profile>,
    /// At least this near in meaning.
    pub min_similarity: Option<f64>,
    /// With at least this score.
    pub min_score: Option<f64>,
    /// As of which moment, as it was written.
    pub as_of: Option<String>,
}

impl RecallRequest {
    /// Reads a request.
    pub fn parse(value: Value) -> Result<Self> {
        let mut fields = Fields::new("", value, &schema::names())?;
        let tags = |text: &str| text.parse();
        Ok(Self {
            query: fields
                .text("query")?
                .map(|text| Question::parse(&text))
                .transpose()?,
            spaces: spaces(&mut fields)?,
            kinds: fields.one_or_many("kind", kind_from_word)?,
            authors: fields.one_or_many("author", author)?,
            tags: fields.one_or_many("tag", tags)?,
            any_tags: fields.one_or_many("any_tag", tags)?,
            not_tags: fields.one_or_many("not_tag", tags)?,
            since: fields.text("since")?,
            until: fields.text("until")?,
            min_importance: fields
                .share("min_importance")?
                .map(Importance::try_from)
                .transpose()?,
            min_priority: fields.share("min_priority")?,
            min_confidence: min_confidence(&mut fields)?,
            status: status(&mut fields)?,
            contains: fields.text("contains")?,
            metadata: metadata(&mut fields)?,
            include_forgotten: fields.flag("include_forgotten")?,
            sort: sort(&mut fields)?,
            limit: fields.whole("limit", LIMIT_MAX)?,
            offset: fields.whole("offset", LIMIT_MAX)?,
            mode: fields.text("mode")?.map(|text| text.parse()).transpose()?,
            profile: fields
                .text("profile")?
                .map(|text| text.parse())
                .transpose()?,
            min_similarity: fields.share("min_similarity")?,
            min_score: fields.number("min_score")?,
            as_of: fields.text("as_of")?,
        })
    }

    /// Reads a request that is still text.
    pub fn parse_text(text: &str) -> Result<Self> {
        Self::parse(parse_json("a request", text)?)
    }

    /// The JSON Schema of a request: how each member is best written.
    pub fn schema() -> Value {
        schema::schema()
    }

    /// The question, which must be there, with its filters.
    pub fn to_query(&self, now: Time, zone: &TimeZone) -> Result<Query> {
        let question = self.question()?.clone();
        self.over(Query::new(question, Filter::all(now.micros())), now, zone)
    }

    /// What is asked, which must be there.
    pub fn question(&self) -> Result<&Question> {
        let missing = || wrong("query", "is missing: nothing is asked", None);
        self.query.as_ref().ok_or_else(missing)
    }

    /// The same question with whatever this request says otherwise.
    pub fn over(&self, mut query: Query, now: Time, zone: &TimeZone) -> Result<Query> {
        set(&mut query.question, self.query.as_ref());
        set(&mut query.mode, self.mode.as_ref());
        set(&mut query.profile, self.profile.as_ref());
        set(&mut query.sort, self.sort.as_ref());
        query.min_similarity = self.min_similarity.or(query.min_similarity);
        query.min_score = self.min_score.or(query.min_score);
        query.filter = self.narrow(query.filter, now, zone)?;
        Ok(query)
    }

    /// The same filter with whatever this request says otherwise, but for the order.
    pub fn narrow(&self, mut filter: Filter, now: Time, zone: &TimeZone) -> Result<Filter> {
        set(&mut filter.spaces, self.spaces.as_ref());
        set(&mut filter.kinds, self.kinds.as_ref());
        set(&mut filter.authors, self.authors.as_ref());
        set(&mut filter.tags, self.tags.as_ref());
        set(&mut filter.any_tags, self.any_tags.as_ref());
        set(&mut filter.not_tags, self.not_tags.as_ref());
        if let Some(text) = &self.since {
            filter.since_micros = Some(moment("since", text, now, zone)?.since_micros());
        }
        if let Some(text) = &self.until {
            filter.until_micros = Some(moment("until", text, now, zone)?.until_micros());
        }
        filter.min_importance = self.min_importance.or(filter.min_importance);
        filter.min_priority = self.min_priority.or(filter.min_priority);
        filter.min_confidence = self.min_confidence.or(filter.min_confidence);
        set(&mut filter.status, self.status.as_ref());
        if self.contains.is_some() {
            filter.contains.clone_from(&self.contains);
        }
        set(&mut filter.metadata, self.metadata.as_ref());
        match self.include_forgotten {
            None => {}
            Some(true) => filter.forgotten = Forgottenness::With,
            Some(false) => filter.forgotten = Forgottenness::Without,
        }
        set(&mut filter.limit, self.limit.as_ref());
        set(&mut filter.offset, self.offset.as_ref());
        Ok(filter)
    }

    /// As of which moment the question is asked, if not as of now.
    ///
    /// All other times of the request are then counted from that moment.
    pub fn as_of(&self, now: Time, zone: &TimeZone) -> Result<Option<Time>> {
        let past = |text: &String| past_moment(text, now, zone);
        self.as_of.as_ref().map(past).transpose()
    }
}

/// The moment to look back to: the end of what is named, or now if that has not ended yet.
pub fn past_moment(text: &str, now: Time, zone: &TimeZone) -> Result<Time> {
    let named = moment("as_of", text, now, zone)?;
    if named.since_micros() > now.micros() {
        let given = Value::String(text.to_owned());
        return Err(wrong("as_of", "lies in the future", Some(&given)));
    }
    let end = named.until_micros().min(now.micros());
    Time::from_micros(end).map_err(at("as_of"))
}

/// What people type for a time; `place` is what a refusal says about it.
pub fn moment(place: &str, text: &str, now: Time, zone: &TimeZone) -> Result<Moment> {
    parse_expression(text, now, zone).map_err(at(place))
}

fn set<T: Clone>(own: &mut T, given: Option<&T>) {
    if let Some(given) = given {
        own.clone_from(given);
    }
}

/// Where, if anything says so; `all` is everywhere.
fn spaces(fields: &mut Fields) -> Result<Option<Vec<Space>>> {
    let sessions = fields.one_or_many("session", str::parse::<SessionId>)?;
    let agents = fields.one_or_many("agent", str::parse::<AgentId>)?;
    let shared = fields.flag("shared")?;
    let all = fields.flag("all")?;
    let mut spaces = Vec::new();
    spaces.extend(sessions.into_iter().flatten().map(Space::Session));
    spaces.extend(agents.into_iter().flatten().map(Space::Agent));
    if shared == Some(true) {
        spaces.push(Space::Shared);
    }
    match (all, spaces.is_empty()) {
        (Some(true), false) => Err(wrong(
            "all",
            "is the whole store: leave session, agent and shared out",
            None,
        )),
        (Some(true), true) => Ok(Some(Vec::new())),
        (_, true) => Ok(None),
        (_, false) => Ok(Some(spaces)),
    }
}

pub(crate) fn author(text: &str) -> Result<String> {
    text.parse::<Author>().map(|author| author.to_string())
}

fn min_confidence(fields: &mut Fields) -> Result<Option<Confidence>> {
    match fields.take("confidence") {
        None => Ok(None),
        Some(value) => confidence("confidence", &value).map(Some),
    }
}

/// A number, or a word that stands for one.
pub(crate) fn confidence(place: &str, value: &Value) -> Result<Confidence> {
    let number = match value {
        Value::String(word) => confidence_from_word(word),
        other => other.as_f64(),
    };
    number
        .and_then(|number| Confidence::try_from(number).ok())
        .ok_or_else(|| {
            let rule = "must be a number from 0 to 1, or explicit, high, medium, inferred, low, \
                uncertain";
            wrong(place.to_owned(), rule, Some(value))
        })
}

#[expect(
    clippy::option_option,
    reason = "not said differs from said not to matter"
)]
fn status(fields: &mut Fields) -> Result<Option<Option<Status>>> {
    match (fields.flag("open")?, fields.flag("resolved")?) {
        (None, None) => Ok(None),
        (Some(true), Some(true)) => Err(wrong("resolved", "nothing is open and resolved", None)),
        (Some(true), _) => Ok(Some(Some(Status::Open))),
        (_, Some(true)) => Ok(Some(Some(Status::Resolved))),
        _ => Ok(Some(None)),
    }
}

fn metadata(fields: &mut Fields) -> Result<Option<Vec<(String, String)>>> {
    match fields.take("meta") {
        None => Ok(None),
        Some(Value::Object(members)) => members
            .into_iter()
            .map(|(key, value)| {
                // As filters compare them: texts bare, the rest as JSON.
                let said = match value {
                    Value::String(text) => text,
                    Value::Number(_) | Value::Bool(_) => value.to_string(),
                    other => {
                        let place = format!("meta.{}", shorten(&key));
                        text(&place, other)?
                    }
                };
                Ok((key, said))
            })
            .collect::<Result<_>>()
            .map(Some),
        // As they are typed on a command line.
        Some(Value::Array(pairs)) => pairs
            .into_iter()
            .enumerate()
            .map(|(number, pair)| {
                let place = format!("meta[{number}]");
                let pair = text(&place, pair)?;
                match pair.split_once('=') {
                    Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
                    _ => Err(wrong(
                        place,
                        "must be key=value",
                        Some(&Value::String(pair)),
                    )),
                }
            })
            .collect::<Result<_>>()
            .map(Some),
        Some(other) => Err(wrong("meta", "must be an object of texts", Some(&other))),
    }
}

#[expect(
    clippy::option_option,
    reason = "not said differs from said not to matter"
)]
fn sort(fields: &mut Fields) -> Result<Option<Option<Sort>>> {
    match fields.text("sort")?.as_deref() {
        None => Ok(None),
        Some("relevance") => Ok(Some(None)),
        Some(name) => match name.parse() {
            Ok(sort) => Ok(Some(Some(sort))),
            Err(_) => {
                let problem = format!("{} is none of {}", shorten(name), schema::SORTS.join(", "));
                Err(wrong("sort", problem, None))
            }
        },
    }
}

#[cfg(test)]
mod tests;
