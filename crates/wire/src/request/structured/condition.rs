//! One filter: `{"field", "operator", "value"}`.

use mnemon::Result;
use mnemon::memory::{Handle, MemoryId, SessionId, Space, Tag};
use mnemon::recall::Condition;
use mnemon::recall::structured::{Field, Operator, Shape, Value as Wanted};
use mnemon::store::Status;
use serde_json::Value;

use super::Reading;
use crate::kind_from_word;
use crate::request::fields::{self, Fields, at, text, wrong};
use crate::request::{author, confidence, moment};

/// The members of a filter.
pub(crate) const MEMBERS: [&str; 3] = ["field", "operator", "value"];

/// Reads one filter; without an operator it is `equals`, or `in` for a list.
pub(super) fn read(place: &str, value: Value, reading: &Reading<'_>) -> Result<Condition> {
    let mut fields = Fields::new(place, value, &MEMBERS)?;
    let name = fields.text("field")?;
    let name = name.ok_or_else(|| wrong(fields.place("field"), "is missing", None))?;
    let field: Field = name.parse().map_err(at(&fields.place("field")))?;
    let operator = fields.text("operator")?;
    let place_of_value = fields.place("value");
    let place_of_operator = fields.place("operator");
    let value = fields.take("value");
    let operator = match (operator, &value) {
        (Some(name), _) => name.parse().map_err(at(&place_of_operator))?,
        (None, Some(Value::Array(_))) => Operator::In,
        (None, _) => Operator::Equals,
    };
    Condition::check(&field, operator).map_err(at(&place_of_operator))?;
    if operator == Operator::Exists {
        return match value {
            None | Some(Value::Bool(true)) => Ok(Condition::exists(field, true)),
            Some(Value::Bool(false)) => Ok(Condition::exists(field, false)),
            Some(other) => Err(wrong(
                place_of_value,
                "must be true or false, or missing",
                Some(&other),
            )),
        };
    }
    let value = value.ok_or_else(|| wrong(place_of_value.clone(), "is missing", None))?;
    let values = values(&place_of_value, &field, operator, value, reading)?;
    Condition::new(field, operator, values).map_err(at(&place_of_value))
}

/// One value, or as many as the operator takes.
fn values(
    place: &str,
    field: &Field,
    operator: Operator,
    value: Value,
    reading: &Reading<'_>,
) -> Result<Vec<Wanted>> {
    let each = |place: &str, value| wanted(place, field, operator, value, reading);
    match operator {
        Operator::In | Operator::NotIn => match value {
            Value::Array(items) => fields::list(place, items, each),
            other => Err(wrong(place.to_owned(), "must be a list", Some(&other))),
        },
        Operator::Between => match value {
            Value::Array(items) if items.len() == 2 => fields::list(place, items, each),
            other => Err(wrong(
                place.to_owned(),
                "must be a list of two, the lower one first",
                Some(&other),
            )),
        },
        _ => Ok(vec![each(place, value)?]),
    }
}

/// A value as the field has it.
fn wanted(
    place: &str,
    field: &Field,
    operator: Operator,
    value: Value,
    reading: &Reading<'_>,
) -> Result<Wanted> {
    match field.shape() {
        Shape::Kind => {
            let kind = kind_from_word(&text(place, value)?).map_err(at(place))?;
            Ok(Wanted::Kind(kind))
        }
        Shape::Status => status(place, &text(place, value)?).map(Wanted::Status),
        Shape::Flag => match value {
            Value::Bool(flag) => Ok(Wanted::Flag(flag)),
            other => Err(wrong(
                place.to_owned(),
                "must be true or false",
                Some(&other),
            )),
        },
        Shape::Share if *field == Field::Confidence => {
            confidence(place, &value).map(|own| Wanted::Number(own.get()))
        }
        Shape::Share => match fields::number(place, &value)? {
            number if (0.0..=1.0).contains(&number) => Ok(Wanted::Number(number)),
            _ => Err(wrong(
                place.to_owned(),
                "must be a number from 0 to 1",
                Some(&value),
            )),
        },
        Shape::Count => fields::number(place, &value).map(Wanted::Number),
        Shape::Time => {
            let text = text(place, value)?;
            moment(place, &text, reading.now, reading.zone).map(Wanted::from)
        }
        Shape::Tags => {
            let tag: Tag = text(place, value)?.parse().map_err(at(place))?;
            Ok(Wanted::Tag(tag))
        }
        Shape::Name | Shape::Text | Shape::Links => name(field, operator, text(place, value)?)
            .map(Wanted::Text)
            .map_err(at(place)),
        Shape::Any => match value {
            Value::Object(_) | Value::Array(_) => Err(wrong(
                place.to_owned(),
                "must be text, a number, true or false",
                Some(&value),
            )),
            plain => Ok(Wanted::Json(plain)),
        },
    }
}

fn status(place: &str, word: &str) -> Result<Status> {
    match word {
        "open" => Ok(Status::Open),
        "resolved" => Ok(Status::Resolved),
        _ => {
            let given = Value::String(word.to_owned());
            Err(wrong(
                place.to_owned(),
                "must be open or resolved",
                Some(&given),
            ))
        }
    }
}

/// A whole name as it is written; of a part of one nothing can be said.
fn name(field: &Field, operator: Operator, text: String) -> Result<String> {
    let is_whole = matches!(
        operator,
        Operator::Equals | Operator::NotEquals | Operator::In | Operator::NotIn
    );
    match field {
        _ if !is_whole => Ok(text),
        Field::Author => author(&text),
        Field::Space => text.parse::<Space>().map(|own| own.to_string()),
        Field::Session => text.parse::<SessionId>().map(|own| own.to_string()),
        Field::Id | Field::Links => text.parse::<MemoryId>().map(|own| own.to_string()),
        // `dec-1` is `DEC-001`.
        Field::Handle => text.parse::<Handle>().map(|own| own.to_string()),
        _ => Ok(text),
    }
}
