//! A file of YAML: one document with `memories` and `sessions`, a list of
//! memories, or single memories, one a document.
//!
//! Read by the rules of YAML 1.2 for what looks like a number or a flag.
//! Anchors, aliases and own tags are refused: no export has them, and with
//! them a small file can be as large as it likes.

use mnemon::{Error, Result};
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput};
use serde_json::{Map, Number, Value};

use super::gather::Gatherer;

/// As deep as JSON may be.
const DEPTH_MAX: usize = 128;

/// Whether a text that is no JSON begins like YAML.
pub(super) fn looks_like_it(text: &str) -> bool {
    let is_content = |line: &&str| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#') && line != "---" && !line.starts_with('%')
    };
    let Some(first) = text.lines().find(is_content) else {
        return false;
    };
    let is_name = |name: &str| {
        let name = name.trim_matches(['"', '\'']);
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
    };
    first.starts_with("- ") || first.split_once(':').is_some_and(|(name, _)| is_name(name))
}

/// Reads the file.
pub(super) fn read(text: &str, gatherer: &mut Gatherer) -> Result<()> {
    let mut reader = Reader {
        parser: Parser::new_from_str(text),
    };
    loop {
        match reader.next()? {
            (Event::StreamEnd, _) => return Ok(()),
            (Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd, _) => {}
            (event, span) => reader.document(event, span, gatherer)?,
        }
    }
}

/// Every document of a text, as values.
pub(crate) fn documents(text: &str) -> Result<Vec<Value>> {
    let mut reader = Reader {
        parser: Parser::new_from_str(text),
    };
    let mut documents = Vec::new();
    loop {
        match reader.next()? {
            (Event::StreamEnd, _) => return Ok(documents),
            (Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd, _) => {}
            (event, span) => documents.push(reader.value(event, span, 0)?),
        }
    }
}

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span)> {
        match self.parser.next_event() {
            Some(found) => found.map_err(|error| broken(&error)),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn document(&mut self, event: Event<'a>, span: Span, gatherer: &mut Gatherer) -> Result<()> {
        match event {
            Event::SequenceStart(..) => self.items(gatherer, Gatherer::take_value_of),
            Event::MappingStart(..) => self.root(line_of(span), gatherer),
            // A document that says nothing.
            Event::Scalar(text, ScalarStyle::Plain, ..) if text.is_empty() => Ok(()),
            event => {
                let value = self.value(event, span, 0)?;
                gatherer.take_value_of(line_of(span), value);
                Ok(())
            }
        }
    }

    /// A map at the top: lists of sessions and memories, or one memory.
    fn root(&mut self, line: u64, gatherer: &mut Gatherer) -> Result<()> {
        let mut rest = Map::new();
        let mut is_document = false;
        loop {
            let (event, span) = self.next()?;
            if event == Event::MappingEnd {
                break;
            }
            let name = key(event, span)?;
            let (event, span) = self.next()?;
            match (name.as_str(), event) {
                ("sessions", Event::SequenceStart(..)) => {
                    is_document = true;
                    self.items(gatherer, Gatherer::take_session_value_of)?;
                }
                ("memories", Event::SequenceStart(..)) => {
                    is_document = true;
                    self.items(gatherer, Gatherer::take_value_of)?;
                }
                (_, event) => {
                    let value = self.value(event, span, 1)?;
                    insert(&mut rest, name, value, span)?;
                }
            }
        }
        if !is_document {
            gatherer.take_value_of(line, Value::Object(rest));
        }
        Ok(())
    }

    /// The items of a list that has just begun, each with its line.
    fn items(
        &mut self,
        gatherer: &mut Gatherer,
        take: fn(&mut Gatherer, u64, Value),
    ) -> Result<()> {
        loop {
            let (event, span) = self.next()?;
            if event == Event::SequenceEnd {
                return Ok(());
            }
            let value = self.value(event, span, 1)?;
            take(gatherer, line_of(span), value);
        }
    }

    fn value(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Value> {
        if depth > DEPTH_MAX {
            return Err(refused(span, "it is nested too deep"));
        }
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                refuse_anchor(anchor, span)?;
                match tag {
                    None => scalar(&text, style, span),
                    Some(tag) if tag.is_yaml_core_schema() && tag.suffix == "str" => {
                        Ok(Value::String(text.into_owned()))
                    }
                    Some(tag) if tag.is_yaml_core_schema() => {
                        scalar(&text, ScalarStyle::Plain, span)
                    }
                    Some(_) => Err(refused(span, "tags of one's own mean nothing here")),
                }
            }
            Event::SequenceStart(anchor, _) => {
                refuse_anchor(anchor, span)?;
                let mut list = Vec::new();
                loop {
                    let (event, span) = self.next()?;
                    if event == Event::SequenceEnd {
                        return Ok(Value::Array(list));
                    }
                    list.push(self.value(event, span, depth + 1)?);
                }
            }
            Event::MappingStart(anchor, _) => {
                refuse_anchor(anchor, span)?;
                let mut map = Map::new();
                loop {
                    let (event, span) = self.next()?;
                    if event == Event::MappingEnd {
                        return Ok(Value::Object(map));
                    }
                    let name = key(event, span)?;
                    let (event, at) = self.next()?;
                    let value = self.value(event, at, depth + 1)?;
                    insert(&mut map, name, value, span)?;
                }
            }
            Event::Alias(_) => Err(refused(span, "aliases are not followed")),
            _ => Err(refused(span, "a value was expected")),
        }
    }
}

fn key(event: Event<'_>, span: Span) -> Result<String> {
    match event {
        Event::Scalar(text, ..) => Ok(text.into_owned()),
        _ => Err(refused(span, "the name of a member must be a word")),
    }
}

fn insert(map: &mut Map<String, Value>, name: String, value: Value, span: Span) -> Result<()> {
    if map.contains_key(&name) {
        let problem = format!("`{}` is given twice", crate::parse::shorten(&name));
        return Err(refused(span, problem));
    }
    map.insert(name, value);
    Ok(())
}

fn refuse_anchor(anchor: usize, span: Span) -> Result<()> {
    if anchor > 0 {
        return Err(refused(span, "anchors are not taken"));
    }
    Ok(())
}

/// What a word stands for, by the core schema of YAML 1.2.
fn scalar(text: &str, style: ScalarStyle, span: Span) -> Result<Value> {
    if style != ScalarStyle::Plain {
        return Ok(Value::String(text.to_owned()));
    }
    Ok(match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => match number(text, span)? {
            Some(number) => Value::Number(number),
            None => Value::String(text.to_owned()),
        },
    })
}

fn number(text: &str, span: Span) -> Result<Option<Number>> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if matches!(unsigned.to_ascii_lowercase().as_str(), ".inf" | ".nan") {
        return Err(refused(span, "a number must be finite"));
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(rest) = text.strip_prefix(prefix)
            && let Ok(number) = u64::from_str_radix(rest, radix)
            && !rest.starts_with('+')
        {
            return Ok(Some(number.into()));
        }
    }
    if digits(unsigned) {
        let plain = text.strip_prefix('+').unwrap_or(text);
        if let Ok(number) = plain.parse::<u64>() {
            return Ok(Some(number.into()));
        }
        if let Ok(number) = plain.parse::<i64>() {
            return Ok(Some(number.into()));
        }
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_mantissa = (digits(whole) && (fraction.is_empty() || digits(fraction)))
        || (whole.is_empty() && digits(fraction));
    let is_exponent = |text: &str| digits(text.strip_prefix(['-', '+']).unwrap_or(text));
    if !is_mantissa || !exponent.is_none_or(is_exponent) {
        return Ok(None);
    }
    let number = text.parse::<f64>().ok().and_then(Number::from_f64);
    match number {
        Some(number) => Ok(Some(number)),
        None => Err(refused(span, "a number must be finite")),
    }
}

fn line_of(span: Span) -> u64 {
    span.start.line() as u64
}

fn refused(span: Span, problem: impl Into<String>) -> Error {
    unparsable(line_of(span), problem.into())
}

fn broken(error: &ScanError) -> Error {
    let column = error.marker().col() + 1;
    let problem = format!("{}, column {column}", error.info());
    unparsable(error.marker().line() as u64, problem)
}

fn unparsable(line: u64, problem: String) -> Error {
    Error::UnparsableLine {
        line,
        source: Box::new(Error::Unparsable {
            what: "YAML",
            input: String::new(),
            problem,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_for_what_the_core_schema_says() {
        let read = |text: &str| scalar(text, ScalarStyle::Plain, Span::default());
        let cases = [
            ("~", Value::Null),
            ("True", Value::Bool(true)),
            ("yes", "yes".into()),
            ("12", 12.into()),
            ("-7", (-7).into()),
            ("+7", 7.into()),
            ("18446744073709551615", u64::MAX.into()),
            ("0x1f", 31.into()),
            ("0o17", 15.into()),
            ("1.5", 1.5.into()),
            (".5", 0.5.into()),
            ("5.", 5.0.into()),
            ("1e3", 1000.0.into()),
            ("1.2.3", "1.2.3".into()),
            ("2026-01-11", "2026-01-11".into()),
            ("1_000", "1_000".into()),
            ("-", "-".into()),
            ("e5", "e5".into()),
            ("0x", "0x".into()),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text).unwrap(), expected, "{text}");
        }
        for text in [".inf", "-.INF", ".nan", "1e999"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
