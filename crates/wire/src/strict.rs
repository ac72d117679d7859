//! The JSON of a question: what is given twice is refused, because only one
//! of the two can count and nobody can know which was meant.

use std::cell::RefCell;
use std::fmt;

use mnemon::{Error, Result};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::fields::wrong;
use crate::parse::shorten;

/// JSON of any sort; `what` it should have been is said of what is no JSON at all.
pub fn parse_json(what: &'static str, text: &str) -> Result<Value> {
    let twice = RefCell::new(None);
    let any = Any {
        place: String::new(),
        twice: &twice,
    };
    let mut source = serde_json::Deserializer::from_str(text);
    let read = any.deserialize(&mut source);
    let read = read.and_then(|value| source.end().map(|()| value));
    let value = read.map_err(|error| Error::Unparsable {
        what,
        input: shorten(text),
        problem: error.to_string(),
    })?;
    match twice.into_inner() {
        Some(place) => Err(wrong(place, "is given twice", None)),
        None => Ok(value),
    }
}

/// A value that stands at a place.
struct Any<'a> {
    place: String,
    /// The first member that was there twice.
    twice: &'a RefCell<Option<String>>,
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
        Ok(Number::from_f64(number).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut source: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = source.next_element_seed(Any {
            place: format!("{}[{}]", self.place, items.len()),
            twice: self.twice,
        })? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut source: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = source.next_key::<String>()? {
            let place = match self.place.as_str() {
                "" => shorten(&name),
                outer => format!("{outer}.{}", shorten(&name)),
            };
            let value = source.next_value_seed(Any {
                place: place.clone(),
                twice: self.twice,
            })?;
            if members.insert(name, value).is_some() {
                self.twice.borrow_mut().get_or_insert(place);
            }
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_read_as_it_is_and_a_member_given_twice_is_refused_with_its_place() {
        for text in [
            "null",
            "[true,-1,18446744073709551615,1.5,\"a\\u00e9\",{}]",
            r#"{"a":{"b":[1,{"c":null}]},"b":1}"#,
        ] {
            let plain: Value = serde_json::from_str(text).unwrap();
            assert_eq!(parse_json("JSON", text).unwrap(), plain);
        }
        for (text, place) in [
            (r#"{"limit":1,"limit":2}"#, "limit"),
            (r#"{"limit":1,"limit":1}"#, "limit"),
            (
                r#"{"filters":[{},{"value":1,"field":"a","value":1}],"x":1,"x":2}"#,
                "filters[1].value",
            ),
        ] {
            let error = parse_json("JSON", text).unwrap_err();
            assert_eq!(error.code().as_str(), "E_INVALID_QUERY");
            assert_eq!(error.to_string(), format!("{place}: is given twice"));
        }
        for text in ["", "{", "1 2", "[1e999]"] {
            let error = parse_json("JSON", text).unwrap_err();
            assert_eq!(error.code().as_str(), "E_INVALID_FORMAT", "{text}");
        }
    }
}
