//! The members of a request, each refused with the place where it stands.

use std::borrow::Cow;

use mnemon::nearest::nearest;
use mnemon::{Error, Result};
use serde_json::{Map, Value};

use crate::parse::shorten;

/// As many values as one list can have.
pub(crate) const VALUES_MAX: usize = 1000;

/// The members of one object of a request; what was read is gone.
pub(crate) struct Fields {
    /// Where the object stands: `filters[2].`, or nothing for the request itself.
    place: String,
    members: Map<String, Value>,
}

impl Fields {
    /// Takes an object apart; a member that is not known is refused.
    ///
    /// `includeRelated` is read as `include_related`, and null is the same as
    /// missing.
    pub(crate) fn new(place: impl Into<String>, value: Value, known: &[&str]) -> Result<Self> {
        let place = place.into();
        let Value::Object(given) = value else {
            return Err(wrong(
                named(&place, "request"),
                "must be an object",
                Some(&value),
            ));
        };
        let prefix = if place.is_empty() { place } else { place + "." };
        let mut members = Map::new();
        for (name, value) in given {
            let own = snake_case(&name);
            if !known.contains(&own.as_str()) {
                return Err(unknown(&prefix, &name, known));
            }
            if value.is_null() {
                continue;
            }
            if members.insert(own, value).is_some() {
                let place = prefix + &shorten(&name);
                return Err(wrong(place, "is given twice", None));
            }
        }
        Ok(Self {
            place: prefix,
            members,
        })
    }

    /// Where a member stands.
    pub(crate) fn place(&self, name: &str) -> String {
        format!("{}{name}", self.place)
    }

    pub(crate) fn take(&mut self, name: &str) -> Option<Value> {
        self.members.remove(name)
    }

    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>> {
        let place = self.place(name);
        self.take(name).map(|value| text(&place, value)).transpose()
    }

    pub(crate) fn flag(&mut self, name: &str) -> Result<Option<bool>> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(other) => Err(wrong(
                self.place(name),
                "must be true or false",
                Some(&other),
            )),
        }
    }

    /// Any number that is one.
    pub(crate) fn number(&mut self, name: &str) -> Result<Option<f64>> {
        let place = self.place(name);
        self.take(name)
            .map(|value| number(&place, &value))
            .transpose()
    }

    /// A number from 0 to 1.
    pub(crate) fn share(&mut self, name: &str) -> Result<Option<f64>> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        match value.as_f64() {
            Some(number) if (0.0..=1.0).contains(&number) => Ok(Some(number)),
            _ => Err(wrong(
                self.place(name),
                "must be a number from 0 to 1",
                Some(&value),
            )),
        }
    }

    /// A whole number from 0 to this.
    pub(crate) fn whole(&mut self, name: &str, max: usize) -> Result<Option<usize>> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        match whole_number(&value).and_then(|given| usize::try_from(given).ok()) {
            Some(given) if given <= max => Ok(Some(given)),
            _ => Err(wrong(
                self.place(name),
                format!("must be a whole number from 0 to {max}"),
                Some(&value),
            )),
        }
    }

    /// A list, each item read with its place.
    pub(crate) fn list<T>(
        &mut self,
        name: &str,
        each: impl Fn(&str, Value) -> Result<T>,
    ) -> Result<Option<Vec<T>>> {
        let place = self.place(name);
        match self.take(name) {
            None => Ok(None),
            Some(Value::Array(items)) => list(&place, items, each).map(Some),
            Some(other) => Err(wrong(place, "must be a list", Some(&other))),
        }
    }

    /// One text or a list of them, each read with its place.
    pub(crate) fn one_or_many<T>(
        &mut self,
        name: &str,
        each: impl Fn(&str) -> Result<T>,
    ) -> Result<Option<Vec<T>>> {
        let place = self.place(name);
        let read = |place: &str, value| each(&text(place, value)?).map_err(at(place));
        match self.take(name) {
            None => Ok(None),
            Some(Value::Array(items)) => list(&place, items, read).map(Some),
            Some(one @ Value::String(_)) => Ok(Some(vec![read(&place, one)?])),
            Some(other) => Err(wrong(
                place,
                "must be text or a list of texts",
                Some(&other),
            )),
        }
    }
}

pub(crate) fn text(place: &str, value: Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(wrong(place.to_owned(), "must be text", Some(&other))),
    }
}

pub(crate) fn number(place: &str, value: &Value) -> Result<f64> {
    let number = value.as_f64().filter(|number| number.is_finite());
    number.ok_or_else(|| wrong(place.to_owned(), "must be a number", Some(value)))
}

pub(crate) fn list<T>(
    place: &str,
    items: Vec<Value>,
    each: impl Fn(&str, Value) -> Result<T>,
) -> Result<Vec<T>> {
    if items.len() > VALUES_MAX {
        let problem = format!("{} are too many (at most {VALUES_MAX})", items.len());
        return Err(wrong(place.to_owned(), problem, None));
    }
    let numbered = items.into_iter().enumerate();
    numbered
        .map(|(number, item)| each(&format!("{place}[{number}]"), item))
        .collect()
}

/// What is wrong, and what was given instead.
pub(crate) fn wrong(
    place: impl Into<Cow<'static, str>>,
    problem: impl Into<String>,
    given: Option<&Value>,
) -> Error {
    let mut problem = problem.into();
    if let Some(given) = given {
        problem = format!("{problem} (given: {})", shorten(&given.to_string()));
    }
    Error::InvalidQuery {
        field: place.into(),
        problem,
    }
}

/// For `map_err`: whatever a value broke, it stands at this place of a request.
pub(crate) fn at(place: &str) -> impl FnOnce(Error) -> Error {
    let field = place.to_owned().into();
    move |error| match error {
        Error::InvalidQuery { problem, .. } => Error::InvalidQuery { field, problem },
        Error::Rule { rule, given, .. } if given.is_empty() => Error::InvalidQuery {
            field,
            problem: format!("must be {rule}"),
        },
        Error::Rule { rule, given, .. } => Error::InvalidQuery {
            field,
            problem: format!("must be {rule} (given: {given})"),
        },
        other => Error::InvalidQuery {
            field,
            problem: other.to_string(),
        },
    }
}

fn unknown(prefix: &str, name: &str, known: &[&str]) -> Error {
    let meant = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("there are {}", known.join(", ")),
    };
    wrong(
        format!("{prefix}{}", shorten(name)),
        format!("is not known; {meant}"),
        None,
    )
}

fn named(place: &str, otherwise: &str) -> String {
    let name = if place.is_empty() { otherwise } else { place };
    name.to_owned()
}

/// `includeRelated` as `include_related`: members may be written either way.
pub fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// A whole number; some programs know only one sort of number, and write 10.0.
pub(crate) fn whole_number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is whole, and within what a float counts exactly"
        )]
        (number.fract() == 0.0 && (0.0..1e15).contains(&number)).then_some(number as u64)
    })
}
