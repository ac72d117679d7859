//! Values: what a memory has in a field, and what a condition compares it with.

use std::cmp::Ordering;

use super::field::Shape;
use crate::memory::{Kind, Tag};
use crate::store::{Status, contains_text, filter_text};
use crate::time::expression::Moment;

/// A value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A kind.
    Kind(Kind),
    /// Open or resolved.
    Status(Status),
    /// Yes or no.
    Flag(bool),
    /// A number that is one.
    Number(f64),
    /// A time, or the span of time that somebody named: first and last moment,
    /// in microseconds since 1970.
    Span(i64, i64),
    /// A name or a text.
    Text(String),
    /// A tag, which as a wish stands for those below it too.
    Tag(Tag),
    /// Whatever somebody put into the metadata or the body.
    Json(serde_json::Value),
}

impl From<Moment> for Value {
    fn from(moment: Moment) -> Self {
        Self::Span(moment.since_micros(), moment.until_micros())
    }
}

impl Value {
    /// Whether a field of this shape can have it.
    pub(super) fn is_of(&self, shape: Shape) -> bool {
        match self {
            Self::Kind(_) => shape == Shape::Kind,
            Self::Status(_) => shape == Shape::Status,
            Self::Flag(_) => shape == Shape::Flag,
            Self::Number(number) => match shape {
                Shape::Share => (0.0..=1.0).contains(number),
                Shape::Count => number.is_finite(),
                _ => false,
            },
            Self::Span(_, _) => shape == Shape::Time,
            Self::Text(_) => matches!(shape, Shape::Name | Shape::Text | Shape::Links),
            Self::Tag(_) => shape == Shape::Tags,
            Self::Json(_) => shape == Shape::Any,
        }
    }

    /// How it stands to what is wanted; none if they can't be compared.
    ///
    /// A moment within a span is equal to it, and a tag below another as well.
    pub(super) fn compare(&self, wanted: &Value) -> Option<Ordering> {
        match (self, wanted) {
            (Self::Kind(own), Self::Kind(wanted)) => Some(own.as_str().cmp(wanted.as_str())),
            (Self::Status(own), Self::Status(wanted)) => {
                Some((*own == Status::Resolved).cmp(&(*wanted == Status::Resolved)))
            }
            (Self::Flag(own), Self::Flag(wanted)) => Some(own.cmp(wanted)),
            (Self::Number(own), Self::Number(wanted)) => own.partial_cmp(wanted),
            (Self::Span(own, _), Self::Span(first, last)) => Some(if own < first {
                Ordering::Less
            } else if own > last {
                Ordering::Greater
            } else {
                Ordering::Equal
            }),
            (Self::Text(own), Self::Text(wanted)) => Some(own.cmp(wanted)),
            (Self::Tag(own), Self::Tag(wanted)) => own.is_within(wanted).then_some(Ordering::Equal),
            (Self::Json(own), Self::Json(wanted)) => compare_json(own, wanted),
            _ => None,
        }
    }

    /// Whether what is wanted is in it, whatever the case of letters.
    pub(super) fn contains(&self, wanted: &Value) -> bool {
        if let (Self::Json(serde_json::Value::Array(own)), Self::Json(wanted)) = (self, wanted) {
            let mut members = own.iter();
            return members.any(|own| compare_json(own, wanted) == Some(Ordering::Equal));
        }
        match (self.as_text(), wanted.as_text()) {
            (Some(own), Some(wanted)) => contains_text(own, wanted),
            _ => self.compare(wanted) == Some(Ordering::Equal),
        }
    }

    /// Whether it begins with what is wanted, whatever the case of letters.
    pub(super) fn starts_with(&self, wanted: &Value) -> bool {
        let own = match self {
            Self::Tag(tag) => Some(tag.as_str()),
            other => other.as_text(),
        };
        let wanted = match wanted {
            Self::Tag(tag) => Some(tag.as_str()),
            other => other.as_text(),
        };
        match (own, wanted) {
            (Some(own), Some(wanted)) => own.to_lowercase().starts_with(&wanted.to_lowercase()),
            _ => false,
        }
    }

    fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Json(serde_json::Value::String(text)) => Some(text),
            _ => None,
        }
    }
}

/// Numbers by size, texts by their letters; of other things only whether they are the same.
fn compare_json(own: &serde_json::Value, wanted: &serde_json::Value) -> Option<Ordering> {
    if let (Some(own), Some(wanted)) = (own.as_f64(), wanted.as_f64()) {
        return own.partial_cmp(&wanted);
    }
    if let (Some(own), Some(wanted)) = (own.as_str(), wanted.as_str()) {
        return Some(own.cmp(wanted));
    }
    (filter_text(own) == filter_text(wanted)).then_some(Ordering::Equal)
}
