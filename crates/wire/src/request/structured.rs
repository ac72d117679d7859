//! The structured query as JSON: `{"text", "filters", "sort", …}`.
//!
//! `condition` reads one filter. `flat` reads the short form, in which the
//! commonest filters are members of their own (`types`, `tags`, `time_range`).

mod condition;
mod flat;

use jiff::tz::TimeZone;
use mnemon::recall::structured::{Aggregation, Direction, Key, Order};
use mnemon::recall::{Question, StructuredQuery};
use mnemon::store::Sort;
use mnemon::{Result, Time};
use serde_json::Value;

use super::fields::{self, Fields, at, wrong};
use super::{LIMIT_MAX, parse_json, past_moment};

/// As many conditions as one query can have.
const CONDITIONS_MAX: usize = 256;

/// The members of a query, then those of the short form.
pub(crate) const MEMBERS: [&str; 23] = [
    "text",
    "filters",
    "sort",
    "aggregations",
    "include_related",
    "limit",
    "offset",
    "mode",
    "profile",
    "min_similarity",
    "min_score",
    "include_forgotten",
    "as_of",
    "query",
    "types",
    "tags",
    "agents",
    "session",
    "time_range",
    "min_relevance",
    "min_importance",
    "min_priority",
    "sort_by",
];

/// When and where it is asked: what times mean depends on it.
pub(crate) struct Reading<'a> {
    /// The moment from which times are counted: that of `as_of` if there is one.
    pub(crate) now: Time,
    pub(crate) zone: &'a TimeZone,
}

/// Reads a structured query.
pub fn parse_structured(value: Value, now: Time, zone: &TimeZone) -> Result<StructuredQuery> {
    let mut fields = Fields::new("", value, &MEMBERS)?;
    let as_of = fields.text("as_of")?;
    let as_of = as_of
        .map(|text| past_moment(&text, now, zone))
        .transpose()?;
    let reading = Reading {
        now: as_of.unwrap_or(now),
        zone,
    };
    let mut query = StructuredQuery::new(reading.now, zone.clone());
    query.as_of = as_of;
    if let Some((place, text)) = either(&mut fields, "text", "query", Fields::text)? {
        query.question = Some(Question::parse(&text).map_err(at(&place))?);
    }
    let condition = |place: &str, value| condition::read(place, value, &reading);
    query.conditions = fields.list("filters", condition)?.unwrap_or_default();
    flat::read(&mut fields, &reading, &mut query.conditions)?;
    if query.conditions.len() > CONDITIONS_MAX {
        let problem = format!(
            "{} are too many (at most {CONDITIONS_MAX})",
            query.conditions.len()
        );
        return Err(wrong("filters", problem, None));
    }
    if let Some((_, order)) = either(&mut fields, "sort", "sort_by", order)? {
        query.order = order;
    }
    query.aggregations = fields
        .one_or_many("aggregations", str::parse::<Aggregation>)?
        .unwrap_or_default();
    query.related_depth = related_depth(&mut fields)?;
    query.limit = fields.whole("limit", LIMIT_MAX)?.unwrap_or(query.limit);
    query.offset = fields.whole("offset", LIMIT_MAX)?.unwrap_or(0);
    if let Some(text) = fields.text("mode")? {
        query.mode = text.parse()?;
    }
    if let Some(text) = fields.text("profile")? {
        query.profile = text.parse()?;
    }
    query.min_similarity = fields.share("min_similarity")?;
    let min_score = either(&mut fields, "min_score", "min_relevance", Fields::number)?;
    query.min_score = min_score.map(|(_, score)| score);
    query.include_forgotten = fields.flag("include_forgotten")?.unwrap_or(false);
    Ok(query)
}

/// Reads a structured query that is still text.
pub fn parse_structured_text(text: &str, now: Time, zone: &TimeZone) -> Result<StructuredQuery> {
    parse_structured(parse_json("a query", text)?, now, zone)
}

/// A member that has two names, of which only one may be used, and its place.
fn either<T>(
    fields: &mut Fields,
    name: &str,
    other: &str,
    read: impl Fn(&mut Fields, &str) -> Result<Option<T>>,
) -> Result<Option<(String, T)>> {
    let own = read(fields, name)?;
    match (own, read(fields, other)?) {
        (Some(_), Some(_)) => Err(wrong(
            fields.place(other),
            format!("is the same as {name}: leave one of them out"),
            None,
        )),
        (Some(own), None) => Ok(Some((fields.place(name), own))),
        (None, Some(own)) => Ok(Some((fields.place(other), own))),
        (None, None) => Ok(None),
    }
}

/// A list of keys, or one word.
fn order(fields: &mut Fields, name: &str) -> Result<Option<Vec<Order>>> {
    let place = fields.place(name);
    match fields.take(name) {
        None => Ok(None),
        Some(Value::String(word)) => Ok(Some(vec![order_by_word(&place, &word)?])),
        Some(Value::Array(items)) => fields::list(&place, items, order_by_key).map(Some),
        Some(other) => Err(wrong(
            place,
            "must be a list of objects with field and direction",
            Some(&other),
        )),
    }
}

fn order_by_key(place: &str, value: Value) -> Result<Order> {
    if let Value::String(word) = &value {
        return order_by_word(place, word);
    }
    let mut fields = Fields::new(place, value, &["field", "direction"])?;
    let name = fields.text("field")?;
    let place = fields.place("field");
    let name = name.ok_or_else(|| wrong(place.clone(), "is missing", None))?;
    let direction = fields.text("direction")?;
    let direction = direction.map(|text| text.parse().map_err(at(&fields.place("direction"))));
    Ok(Order {
        key: name.parse().map_err(at(&place))?,
        direction: direction.transpose()?.unwrap_or(Direction::Descending),
    })
}

/// `newest`, `relevance`, `importance_desc`: what `--sort` takes, or a field and its direction.
fn order_by_word(place: &str, word: &str) -> Result<Order> {
    if let Ok(sort) = word.parse::<Sort>() {
        return Ok(sort.into());
    }
    let (name, direction) = match word.rsplit_once('_') {
        Some((name, "asc")) => (name, Direction::Ascending),
        Some((name, "desc")) => (name, Direction::Descending),
        _ => (word, Direction::Descending),
    };
    let key = name.parse::<Key>().map_err(at(place))?;
    Ok(Order { key, direction })
}

/// Yes, no, or how many links away.
fn related_depth(fields: &mut Fields) -> Result<u32> {
    let max = StructuredQuery::RELATED_DEPTH_MAX;
    match fields.take("include_related") {
        None | Some(Value::Bool(false)) => Ok(0),
        Some(Value::Bool(true)) => Ok(1),
        Some(other) => other
            .as_u64()
            .and_then(|depth| u32::try_from(depth).ok())
            .filter(|depth| *depth <= max)
            .ok_or_else(|| {
                let problem = format!("must be true, false or a whole number from 0 to {max}");
                wrong("include_related", problem, Some(&other))
            }),
    }
}
