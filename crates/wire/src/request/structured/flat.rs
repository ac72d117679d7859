//! The short form: the commonest filters as members of the query itself.

use mnemon::Result;
use mnemon::recall::Condition;
use mnemon::recall::structured::{Field, Operator, Value as Wanted};
use serde_json::Value;

use super::Reading;
use crate::kind_from_word;
use crate::request::fields::{Fields, wrong};
use crate::request::{author, moment};

/// Adds a condition for every member that is there.
pub(super) fn read(
    fields: &mut Fields,
    reading: &Reading<'_>,
    conditions: &mut Vec<Condition>,
) -> Result<()> {
    let types = fields.one_or_many("types", |text| kind_from_word(text).map(Wanted::Kind))?;
    any_of(Field::Kind, types, conditions)?;
    let agents = fields.one_or_many("agents", |text| author(text).map(Wanted::Text))?;
    any_of(Field::Author, agents, conditions)?;
    let sessions = fields.one_or_many("session", |text| {
        text.parse::<mnemon::memory::SessionId>()
            .map(|id| Wanted::Text(id.to_string()))
    })?;
    any_of(Field::Session, sessions, conditions)?;
    tags(fields, conditions)?;
    time_range(fields, reading, conditions)?;
    for (name, field) in [
        ("min_importance", Field::Importance),
        ("min_priority", Field::Priority),
    ] {
        if let Some(least) = fields.share(name)? {
            let least = vec![Wanted::Number(least)];
            conditions.push(Condition::new(field, Operator::GreaterOrEqual, least)?);
        }
    }
    Ok(())
}

/// An empty list asks for nothing in particular.
fn any_of(
    field: Field,
    values: Option<Vec<Wanted>>,
    conditions: &mut Vec<Condition>,
) -> Result<()> {
    match values {
        Some(values) if !values.is_empty() => {
            conditions.push(Condition::new(field, Operator::In, values)?);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Any of the tags; or `include`, any of them, and `exclude`, none of them.
fn tags(fields: &mut Fields, conditions: &mut Vec<Condition>) -> Result<()> {
    let tag = |text: &str| text.parse().map(Wanted::Tag);
    let place = fields.place("tags");
    match fields.take("tags") {
        None => Ok(()),
        Some(value @ Value::Object(_)) => {
            let mut both = Fields::new(place, value, &["include", "exclude"])?;
            any_of(Field::Tags, both.one_or_many("include", tag)?, conditions)?;
            if let Some(values) = both.one_or_many("exclude", tag)? {
                conditions.push(Condition::new(Field::Tags, Operator::NotIn, values)?);
            }
            Ok(())
        }
        Some(value) => {
            let list = serde_json::json!({ "tags": value });
            let mut list = Fields::new("", list, &["tags"])?;
            any_of(Field::Tags, list.one_or_many("tags", tag)?, conditions)
        }
    }
}

/// `start` and `end`, each included; one of them may be missing.
fn time_range(
    fields: &mut Fields,
    reading: &Reading<'_>,
    conditions: &mut Vec<Condition>,
) -> Result<()> {
    let place = fields.place("time_range");
    let Some(value) = fields.take("time_range") else {
        return Ok(());
    };
    if !value.is_object() {
        return Err(wrong(
            place,
            "must be an object with start and end",
            Some(&value),
        ));
    }
    let mut range = Fields::new(place, value, &["start", "end"])?;
    for (name, operator) in [
        ("start", Operator::GreaterOrEqual),
        ("end", Operator::LessOrEqual),
    ] {
        if let Some(text) = range.text(name)? {
            let moment = moment(&range.place(name), &text, reading.now, reading.zone)?;
            let condition = Condition::new(Field::CreatedAt, operator, vec![moment.into()]);
            conditions.push(condition?);
        }
    }
    Ok(())
}
