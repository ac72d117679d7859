//! The order of an answer: by several keys, the first first.

use std::cmp::Ordering;
use std::str::FromStr;

use super::field::{Field, Shape};
use super::value::Value;
use crate::decay::At;
use crate::error::{Error, Result};
use crate::recall::hit::Hit;
use crate::store::Sort;

/// One key of an order, and which way.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// By what.
    pub key: Key,
    /// Which way.
    pub direction: Direction,
}

/// What an order can be by.
#[derive(Clone, Debug, PartialEq)]
pub enum Key {
    /// How well a memory answers.
    Relevance,
    /// A field with one value.
    Field(Field),
}

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The least first.
    Ascending,
    /// The most first.
    Descending,
}

impl Order {
    /// The most, or the latest, first.
    pub fn descending(key: Key) -> Self {
        Self {
            key,
            direction: Direction::Descending,
        }
    }

    /// Which of two comes first; whoever has no value comes last, either way.
    pub(crate) fn compare(&self, a: &Hit, b: &Hit, at: At<'_>) -> Ordering {
        let directed = |order: Ordering| match self.direction {
            Direction::Ascending => order,
            Direction::Descending => order.reverse(),
        };
        let field = match &self.key {
            Key::Relevance => return directed(a.score.total_cmp(&b.score)),
            Key::Field(field) => field,
        };
        let own = |hit: &Hit| field.values(&hit.memory, at).into_iter().next();
        match (own(a), own(b)) {
            (Some(a), Some(b)) => directed(compare_any(&a, &b)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        }
    }

    /// The order of a filter that is the same, if there is one.
    pub(crate) fn as_sort(&self) -> Option<Sort> {
        let Key::Field(field) = &self.key else {
            return None;
        };
        match (field, self.direction) {
            (Field::CreatedAt, Direction::Ascending) => Some(Sort::Oldest),
            (Field::CreatedAt, Direction::Descending) => Some(Sort::Newest),
            (Field::Importance, Direction::Descending) => Some(Sort::Importance),
            (Field::LastAccess, Direction::Descending) => Some(Sort::LastAccess),
            (Field::AccessCount, Direction::Descending) => Some(Sort::AccessCount),
            (Field::Priority, Direction::Descending) => Some(Sort::Priority),
            _ => None,
        }
    }
}

impl From<Sort> for Order {
    fn from(sort: Sort) -> Self {
        let (field, direction) = match sort {
            Sort::Newest => (Field::CreatedAt, Direction::Descending),
            Sort::Oldest => (Field::CreatedAt, Direction::Ascending),
            Sort::Importance => (Field::Importance, Direction::Descending),
            Sort::LastAccess => (Field::LastAccess, Direction::Descending),
            Sort::AccessCount => (Field::AccessCount, Direction::Descending),
            Sort::Priority => (Field::Priority, Direction::Descending),
        };
        Self {
            key: Key::Field(field),
            direction,
        }
    }
}

/// Values that can't be compared are ordered by their sort, so that there is an order at all.
fn compare_any(a: &Value, b: &Value) -> Ordering {
    let rank = |value: &Value| match value {
        Value::Json(serde_json::Value::Bool(false)) => 0,
        Value::Json(serde_json::Value::Bool(true)) => 1,
        Value::Json(serde_json::Value::Number(_)) => 2,
        Value::Json(serde_json::Value::String(_)) => 3,
        _ => 4,
    };
    match rank(a).cmp(&rank(b)) {
        Ordering::Equal => a.compare(b).unwrap_or(Ordering::Equal),
        other => other,
    }
}

impl FromStr for Key {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text == "relevance" {
            return Ok(Self::Relevance);
        }
        let field: Field = text.parse()?;
        match field.shape() {
            Shape::Tags | Shape::Links => Err(Error::InvalidQuery {
                field: "field".into(),
                problem: format!("{field} has many values, so nothing can be sorted by it"),
            }),
            _ => Ok(Self::Field(field)),
        }
    }
}

impl FromStr for Direction {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.to_ascii_lowercase().as_str() {
            "asc" | "ascending" => Ok(Self::Ascending),
            "desc" | "descending" => Ok(Self::Descending),
            _ => Err(Error::InvalidQuery {
                field: "direction".into(),
                problem: format!("{} is none of asc, desc", crate::error::shorten(text)),
            }),
        }
    }
}
