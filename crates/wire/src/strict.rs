//! JSON that says one thing only: what is given twice is refused, because only one of the two can
//! count and nobody can know which was meant, and so is a whole number that would lose digits.

use std::cell::RefCell;
use std::fmt;

use mnemon::{Error, Result};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::parse::shorten;

/// What is wrong with a text.
#[derive(Debug)]
pub(crate) enum Refused {
    /// It is no JSON.
    Unreadable(serde_json::Error),
    /// Something in it can't be kept as it stands there.
    At {
        /// Where: `filters[1].value`.
        place: String,
        problem: &'static str,
    },
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => error.fmt(f),
            Self::At { place, problem } => write!(f, "`{place}` {problem}"),
        }
    }
}

/// JSON of any sort; `what` it should have been is said of what can't be read.
pub fn parse_strictly(what: &'static str, text: &str) -> Result<Value> {
    read(text).map_err(|refused| Error::Unparsable {
        what,
        input: shorten(text),
        problem: refused.to_string(),
    })
}

/// JSON of any sort.
pub(crate) fn read(text: &str) -> Result<Value, Refused> {
    let wrong = RefCell::new(None);
    let any = Any {
        place: None,
        wrong: &wrong,
    };
    let mut source = serde_json::Deserializer::from_str(text);
    let read = any.deserialize(&mut source);
    let read = read.and_then(|value| source.end().map(|()| value));
    let value = read.map_err(Refused::Unreadable)?;
    match wrong.into_inner() {
        Some(Wrong::Twice(place)) => Err(Refused::At {
            place,
            problem: "is given twice",
        }),
        // Written as a fraction or with an exponent it is what it says.
        Some(Wrong::Large) => match long_whole_number(text) {
            Some(number) => Err(Refused::At {
                place: shorten(number),
                problem: "is too long for a number of 64 bits; give it as a text",
            }),
            None => Ok(value),
        },
        None => Ok(value),
    }
}

/// The first number that is written as a whole one and is kept as none.
fn long_whole_number(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        let begin = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit())?;
        rest = &rest[begin..];
        if let Some(inside) = rest.strip_prefix('"') {
            rest = behind_string(inside)?;
            continue;
        }
        let is_of_number = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
        let end = rest.find(|c| !is_of_number(c)).unwrap_or(rest.len());
        let (number, behind) = rest.split_at(end);
        let is_whole = !number.contains(['.', 'e', 'E']);
        if is_whole && number.parse::<i64>().is_err() && number.parse::<u64>().is_err() {
            return Some(number);
        }
        rest = behind;
    }
}

/// What follows a string, of which the first quote is gone.
fn behind_string(text: &str) -> Option<&str> {
    let mut is_escaped = false;
    let end = text.find(|c| {
        let is_end = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    })?;
    Some(&text[end + 1..])
}

/// From here on a whole number may be one that 64 bits don't hold.
const TWO_TO_THE_63: f64 = 9_223_372_036_854_775_808.0;

/// What was met first that can't be kept as it stands there.
enum Wrong {
    /// A member that was there before.
    Twice(String),
    /// A number beyond 64 bits.
    Large,
}

/// Where a value stands; told only if something is wrong there.
struct Place<'a> {
    outer: Option<&'a Place<'a>>,
    step: Step<'a>,
}

enum Step<'a> {
    Member(&'a str),
    Element(usize),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(outer) = self.outer {
            outer.fmt(f)?;
        }
        match self.step {
            Step::Element(number) => write!(f, "[{number}]"),
            Step::Member(name) if self.outer.is_none() => f.write_str(&shorten(name)),
            Step::Member(name) => write!(f, ".{}", shorten(name)),
        }
    }
}

/// A value that stands at a place; none if it is all of the text.
struct Any<'a> {
    place: Option<&'a Place<'a>>,
    wrong: &'a RefCell<Option<Wrong>>,
}

impl<'de> DeserializeSeed<'de> for Any<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Value, D::Error> {
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Any<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::from(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::from(number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        if number.abs() >= TWO_TO_THE_63 {
            self.wrong.borrow_mut().get_or_insert(Wrong::Large);
        }
        Ok(Number::from_f64(number).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut source: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        loop {
            let place = Place {
                outer: self.place,
                step: Step::Element(items.len()),
            };
            let element = Any {
                place: Some(&place),
                wrong: self.wrong,
            };
            match source.next_element_seed(element)? {
                Some(item) => items.push(item),
                None => return Ok(Value::Array(items)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut source: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = source.next_key::<String>()? {
            let place = Place {
                outer: self.place,
                step: Step::Member(&name),
            };
            let value = source.next_value_seed(Any {
                place: Some(&place),
                wrong: self.wrong,
            })?;
            let mut wrong = self.wrong.borrow_mut();
            // A large number may be what it says after all.
            if members.contains_key(&name) && !matches!(*wrong, Some(Wrong::Twice(_))) {
                *wrong = Some(Wrong::Twice(place.to_string()));
            }
            drop(wrong);
            members.insert(name, value);
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_read_as_it_is() {
        for text in [
            "null",
            "[true,-1,18446744073709551615,1.5,\"a\\u00e9\",{}]",
            "[1e300,-9223372036854775808,12345678901234567890123.0,\"12345678901234567890123\"]",
            "{\"a \\\" 12345678901234567890123\":1E22}",
            r#"{"a":{"b":[1,{"c":null}]},"b":1}"#,
        ] {
            let plain: Value = serde_json::from_str(text).unwrap();
            assert_eq!(read(text).unwrap(), plain);
        }
        for text in ["", "{", "1 2", "[1e999]"] {
            let error = parse_strictly("JSON", text).unwrap_err();
            assert_eq!(error.code().as_str(), "E_INVALID_FORMAT", "{text}");
        }
    }

    #[test]
    fn what_can_not_be_kept_as_it_stands_there_is_refused_with_its_place() {
        let long = "is too long for a number of 64 bits; give it as a text";
        for (text, place, problem) in [
            (r#"{"limit":1,"limit":2}"#, "limit", "is given twice"),
            (r#"{"limit":1,"limit":1}"#, "limit", "is given twice"),
            (
                r#"{"filters":[{},{"value":1,"field":"a","value":1}],"x":1,"x":2}"#,
                "filters[1].value",
                "is given twice",
            ),
            (
                r#"{"x":1e20,"text":"a","text":"b"}"#,
                "text",
                "is given twice",
            ),
            (
                r#"{"a":18446744073709551616}"#,
                "18446744073709551616",
                long,
            ),
            (
                r#"[1e300,"\\",-9223372036854775809]"#,
                "-9223372036854775809",
                long,
            ),
        ] {
            assert_eq!(
                read(text).unwrap_err().to_string(),
                format!("`{place}` {problem}")
            );
        }
    }
}
