//! What of the conditions a filter can say, so that the store's index answers it.

use super::condition::Condition;
use super::field::Field;
use super::operator::Operator;
use super::value::Value;
use crate::memory::{Confidence, Importance, Space, Tag};
use crate::store::Filter;

/// Narrows the filter by a condition; true if that says all of it.
///
/// Invariant: the filter never refuses a memory that fits the condition.
pub(super) fn push(condition: &Condition, filter: &mut Filter) -> bool {
    let values = condition.values();
    if values.len() + filter.tags.len() + filter.not_tags.len() > Filter::TAGS_MAX {
        // More than the index takes in one question; each memory is asked instead.
        return false;
    }
    match (condition.field(), condition.operator()) {
        (Field::Kind, Operator::Equals | Operator::In) => {
            set(&mut filter.kinds, values, |value| match value {
                Value::Kind(kind) => Some(*kind),
                _ => None,
            })
        }
        (Field::Author, Operator::Equals | Operator::In) => {
            set(&mut filter.authors, values, |value| text(value).cloned())
        }
        (Field::Space, Operator::Equals | Operator::In) => {
            set(&mut filter.spaces, values, |value| {
                text(value)?.parse().ok()
            })
        }
        (Field::Session, Operator::Equals | Operator::In) => {
            set(&mut filter.spaces, values, |value| {
                text(value)?.parse().ok().map(Space::Session)
            })
        }
        (Field::Tags, Operator::Equals | Operator::Contains) => {
            filter.tags.extend(values.iter().filter_map(tag));
            true
        }
        (Field::Tags, Operator::In) => set(&mut filter.any_tags, values, tag),
        (Field::Tags, Operator::NotEquals | Operator::NotContains | Operator::NotIn) => {
            filter.not_tags.extend(values.iter().filter_map(tag));
            true
        }
        (Field::CreatedAt, operator) => push_time(operator, values, filter),
        (
            Field::Importance | Field::Confidence | Field::Priority,
            Operator::Equals | Operator::GreaterThan | Operator::GreaterOrEqual | Operator::Between,
        ) => {
            push_least(condition, filter);
            condition.operator() == Operator::GreaterOrEqual
        }
        (Field::Status, Operator::Equals) => match (values, filter.status) {
            ([Value::Status(status)], None) => {
                filter.status = Some(*status);
                true
            }
            _ => false,
        },
        (Field::Text, Operator::Contains) if filter.contains.is_none() => {
            filter.contains = values.first().and_then(text).cloned();
            true
        }
        (Field::Metadata(key), Operator::Equals) => push_metadata(key, values, filter),
        _ => false,
    }
}

/// Fills a list of alternatives, which only the first condition can.
fn set<T>(list: &mut Vec<T>, values: &[Value], read: impl Fn(&Value) -> Option<T>) -> bool {
    let read: Option<Vec<T>> = values.iter().map(read).collect();
    match read {
        // An empty list would let everything through.
        Some(read) if list.is_empty() && !read.is_empty() => {
            *list = read;
            true
        }
        _ => false,
    }
}

fn text(value: &Value) -> Option<&String> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

fn tag(value: &Value) -> Option<Tag> {
    match value {
        Value::Tag(tag) => Some(tag.clone()),
        _ => None,
    }
}

fn push_time(operator: Operator, values: &[Value], filter: &mut Filter) -> bool {
    let [Value::Span(first, last), rest @ ..] = values else {
        return false;
    };
    let (since, until) = match (operator, rest) {
        (Operator::Equals, _) => (Some(*first), Some(*last)),
        (Operator::GreaterThan, _) => (Some(last.saturating_add(1)), None),
        (Operator::GreaterOrEqual, _) => (Some(*first), None),
        (Operator::LessThan, _) => (None, Some(first.saturating_sub(1))),
        (Operator::LessOrEqual, _) => (None, Some(*last)),
        (Operator::Between, [Value::Span(_, end)]) => (Some(*first), Some(*end)),
        _ => return false,
    };
    filter.since_micros = filter.since_micros.max(since);
    filter.until_micros = match (filter.until_micros, until) {
        (Some(own), Some(until)) => Some(own.min(until)),
        (own, until) => own.or(until),
    };
    true
}

/// The least that fits; what is below it need not be looked at.
fn push_least(condition: &Condition, filter: &mut Filter) {
    let Some(Value::Number(least)) = condition.values().first() else {
        return;
    };
    let least = *least;
    match condition.field() {
        Field::Importance => raise(&mut filter.min_importance, Importance::try_from(least).ok()),
        Field::Confidence => raise(&mut filter.min_confidence, Confidence::try_from(least).ok()),
        _ => raise(&mut filter.min_priority, Some(least)),
    }
}

fn raise<T: PartialOrd>(own: &mut Option<T>, least: Option<T>) {
    if *own < least {
        *own = least;
    }
}

/// Texts and flags under a plain name, which the filter compares as we do.
fn push_metadata(key: &str, values: &[Value], filter: &mut Filter) -> bool {
    let wanted = match values {
        [Value::Json(serde_json::Value::String(text))] => text.clone(),
        [Value::Json(serde_json::Value::Bool(flag))] => flag.to_string(),
        _ => return false,
    };
    // A dot may lead into an object, of which the filter knows nothing.
    if key.contains('.') {
        return false;
    }
    // For the filter a null is a text too; for us it is nothing.
    let all_said = wanted != "null";
    filter.metadata.push((key.to_owned(), wanted));
    all_said
}
