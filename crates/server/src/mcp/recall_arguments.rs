//! The arguments of `recall`: the question, and the filters by their usual names.
//!
//! What is not known is refused, because a misspelt filter would give an
//! answer to another question.

use jiff::tz::TimeZone;
use mnemon::memory::body::confidence_from_word;
use mnemon::memory::{Confidence, Importance, Space};
use mnemon::recall::{Query, Question};
use mnemon::store::{Filter, Forgottenness, Status};
use mnemon::time::expression::{Moment, parse_expression};
use mnemon::{Error, Result, Time};
use mnemon_wire::kind_from_word;
use serde_json::Value;

use super::fields::{self, Arguments};

/// More hits than anybody reads; a page is asked for with `offset`.
const LIMIT_MAX: usize = 1000;
const OFFSET_MAX: usize = 1_000_000;

/// Reads a question; `zone` is that of times without one.
pub(super) fn query(mut arguments: Arguments, now: Time, zone: &TimeZone) -> Result<Query> {
    let from = &mut arguments;
    let question = fields::text(from, "query")?.unwrap_or_default();
    let mut query = Query::new(Question::parse(&question)?, filter(from, now, zone)?);
    if let Some(limit) = fields::count(from, "limit", LIMIT_MAX)? {
        query.filter.limit = limit;
    }
    if let Some(sort) = fields::text(from, "sort")?.filter(|sort| sort != "relevance") {
        query.sort = Some(sort.parse()?);
    }
    if let Some(mode) = fields::text(from, "mode")? {
        query.mode = mode.parse()?;
    }
    if let Some(profile) = fields::text(from, "profile")? {
        query.profile = profile.parse()?;
    }
    query.min_similarity = fields::share(from, "min_similarity")?;
    query.min_score = score(from)?;
    match arguments.keys().next() {
        None => Ok(query),
        Some(unknown) => Err(Error::InvalidQuery {
            field: "arguments",
            problem: format!("recall has no `{}`", fields::short(unknown)),
        }),
    }
}

fn filter(from: &mut Arguments, now: Time, zone: &TimeZone) -> Result<Filter> {
    let mut filter = Filter::all(now.micros());
    filter.spaces = spaces(from)?;
    for word in fields::texts(from, "kind")? {
        filter.kinds.push(kind_from_word(&word)?);
    }
    filter.authors = fields::texts(from, "author")?;
    let mut tags = |name| -> Result<Vec<_>> {
        let texts = fields::texts(from, name)?;
        texts.iter().map(|text| text.parse()).collect()
    };
    filter.tags = tags("tag")?;
    filter.any_tags = tags("any_tag")?;
    filter.not_tags = tags("not_tag")?;
    let mut moment = |name| -> Result<Option<Moment>> {
        let text = fields::text(from, name)?;
        text.map(|text| parse_expression(&text, now, zone))
            .transpose()
    };
    filter.since_micros = moment("since")?.map(Moment::since_micros);
    filter.until_micros = moment("until")?.map(Moment::until_micros);
    filter.min_importance = fields::share(from, "min_importance")?
        .map(Importance::try_from)
        .transpose()?;
    filter.min_priority = fields::share(from, "min_priority")?;
    filter.min_confidence = confidence(from)?;
    filter.status = status(from)?;
    filter.contains = fields::text(from, "contains")?;
    filter.metadata = metadata(from)?;
    if fields::flag(from, "include_forgotten")? {
        filter.forgotten = Forgottenness::With;
    }
    if let Some(offset) = fields::count(from, "offset", OFFSET_MAX)? {
        filter.offset = offset;
    }
    Ok(filter)
}

/// Any of the spaces that are named; all if none is.
fn spaces(from: &mut Arguments) -> Result<Vec<Space>> {
    let mut spaces = Vec::new();
    for session in fields::texts(from, "session")? {
        spaces.push(Space::Session(session.parse()?));
    }
    for agent in fields::texts(from, "agent")? {
        spaces.push(Space::Agent(agent.parse()?));
    }
    if fields::flag(from, "shared")? {
        spaces.push(Space::Shared);
    }
    if fields::flag(from, "all")? && !spaces.is_empty() {
        return Err(Error::InvalidQuery {
            field: "all",
            problem: "goes without session, agent and shared".into(),
        });
    }
    Ok(spaces)
}

fn status(from: &mut Arguments) -> Result<Option<Status>> {
    let open = fields::flag(from, "open")?;
    let resolved = fields::flag(from, "resolved")?;
    match (open, resolved) {
        (true, true) => Err(Error::InvalidQuery {
            field: "open",
            problem: "nothing is both open and resolved".into(),
        }),
        (true, false) => Ok(Some(Status::Open)),
        (false, true) => Ok(Some(Status::Resolved)),
        (false, false) => Ok(None),
    }
}

/// A number, or a word that stands for one.
fn confidence(from: &mut Arguments) -> Result<Option<Confidence>> {
    if let Some(Value::String(word)) = from.get("confidence")
        && let Some(number) = confidence_from_word(word)
    {
        from.remove("confidence");
        return Confidence::try_from(number).map(Some);
    }
    let number = fields::share(from, "confidence")?;
    number.map(Confidence::try_from).transpose()
}

/// An object, or texts such as `ticket=12`.
fn metadata(from: &mut Arguments) -> Result<Vec<(String, String)>> {
    if let Some(Value::Object(_)) = from.get("meta")
        && let Some(Value::Object(members)) = from.remove("meta")
    {
        let text = |value: Value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        return Ok(members
            .into_iter()
            .map(|(key, value)| (key, text(value)))
            .collect());
    }
    let pairs = fields::texts(from, "meta")?;
    pairs
        .iter()
        .map(|pair| match pair.split_once('=') {
            Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
            _ => Err(fields::wrong(
                "meta",
                "an object, or key=value",
                &Value::String(pair.clone()),
            )),
        })
        .collect()
}

/// Scores have no upper end.
fn score(from: &mut Arguments) -> Result<Option<f64>> {
    let Some(value) = fields::take(from, "min_score") else {
        return Ok(None);
    };
    let number = value.as_f64();
    number
        .map(Some)
        .ok_or_else(|| fields::wrong("min_score", "a number", &value))
}
