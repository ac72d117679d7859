//! What a setting may be: the check of a value, and the sentence when it fails.
//!
//! A value that passes is kept as TOML, the form in which it is shown and merged.

use toml::Value;
use toml::de::DeValue;

use super::bytes;
use crate::memory::Tag;
use crate::nearest::nearest;
use crate::redact::Pattern;
use crate::schedule::Schedule;

/// The most words or patterns that a list may have.
const LIST_MAX: usize = 100;

const VARIABLE_CHARS_MAX: usize = 128;

/// The values that are possible, and the one that holds by default.
#[derive(Debug)]
pub(super) enum Rule {
    /// A whole number from `min` to `max`.
    Whole { default: i64, min: i64, max: i64 },
    /// Yes or no.
    Flag { default: bool },
    /// A number from `min` to `max`.
    Number { default: f64, min: f64, max: f64 },
    /// A size: a whole number of bytes, or text with a unit.
    Bytes { default: i64, min: i64, max: i64 },
    /// One of these words.
    Choice {
        default: &'static str,
        words: &'static [&'static str],
    },
    /// Text on one line that is not blank; nothing at all only where that is the default.
    Text {
        default: &'static str,
        chars_max: usize,
    },
    /// Some of these words, or none.
    Words {
        default: &'static [&'static str],
        words: &'static [&'static str],
    },
    /// Patterns for redaction; by default none.
    Patterns,
    /// Tags; by default none.
    Tags,
    /// Names of hosts, each with a port or without; by default none.
    Hosts,
    /// Origins as browsers name them; by default none.
    Origins,
    /// When something is done again and again, as cron writes it.
    Schedule { default: &'static str },
    /// The name of an environment variable that holds a secret.
    Variable { default: &'static str },
}

pub(super) const fn whole(default: i64, min: i64, max: i64) -> Rule {
    Rule::Whole { default, min, max }
}

pub(super) const fn number(default: f64, min: f64, max: f64) -> Rule {
    Rule::Number { default, min, max }
}

pub(super) const fn bytes(default: i64, min: i64, max: i64) -> Rule {
    Rule::Bytes { default, min, max }
}

pub(super) const fn choice(default: &'static str, words: &'static [&'static str]) -> Rule {
    Rule::Choice { default, words }
}

pub(super) const fn text(default: &'static str, chars_max: usize) -> Rule {
    Rule::Text { default, chars_max }
}

pub(super) const fn words(
    default: &'static [&'static str],
    words: &'static [&'static str],
) -> Rule {
    Rule::Words { default, words }
}

pub(super) const fn variable(default: &'static str) -> Rule {
    Rule::Variable { default }
}

impl Rule {
    /// The default, as TOML.
    pub(super) fn default(&self) -> String {
        match *self {
            Self::Whole { default, .. } | Self::Bytes { default, .. } => default.to_string(),
            Self::Choice { default, .. }
            | Self::Text { default, .. }
            | Self::Schedule { default }
            | Self::Variable { default } => quote(default),
            Self::Flag { default } => default.to_string(),
            Self::Number { default, .. } => Value::Float(default).to_string(),
            Self::Words { default, .. } => list(default.iter().copied()),
            Self::Patterns | Self::Tags | Self::Hosts | Self::Origins => list([]),
        }
    }

    /// A value from a file, as plain TOML if the rule allows it.
    pub(super) fn check_toml(&self, value: &DeValue<'_>) -> Option<String> {
        match (self, value) {
            (Self::Whole { .. } | Self::Bytes { .. }, DeValue::Integer(number)) => {
                self.check_number(i64::from_str_radix(number.as_str(), number.radix()).ok()?)
            }
            (Self::Flag { .. }, DeValue::Boolean(flag)) => Some(flag.to_string()),
            (Self::Number { .. }, DeValue::Float(number)) => {
                self.check_float(number.as_str().parse().ok()?)
            }
            (Self::Number { .. }, DeValue::Integer(number)) => {
                self.check_float(number.as_str().parse().ok()?)
            }
            (
                Self::Bytes { .. }
                | Self::Choice { .. }
                | Self::Text { .. }
                | Self::Schedule { .. }
                | Self::Variable { .. },
                DeValue::String(text),
            ) => self.check_text(text),
            (
                Self::Words { .. } | Self::Patterns | Self::Tags | Self::Hosts | Self::Origins,
                DeValue::Array(items),
            ) => {
                let texts: Option<Vec<&str>> =
                    items.iter().map(|item| item.get_ref().as_str()).collect();
                self.check_list(&texts?)
            }
            _ => None,
        }
    }

    /// A value from the environment, where everything is text.
    pub(super) fn check_text(&self, text: &str) -> Option<String> {
        match self {
            Self::Whole { .. } => self.check_number(text.trim().parse().ok()?),
            Self::Bytes { .. } => self.check_number(bytes::parse(text)?),
            Self::Flag { .. } => text
                .trim()
                .parse::<bool>()
                .ok()
                .map(|flag| flag.to_string()),
            Self::Number { .. } => self.check_float(text.trim().parse().ok()?),
            Self::Choice { words, .. } => words.contains(&text).then(|| quote(text)),
            Self::Text { default, chars_max } => {
                let fits = (!text.trim().is_empty() || text == *default)
                    && text.chars().count() <= *chars_max
                    && !text.chars().any(char::is_control);
                fits.then(|| quote(text))
            }
            Self::Variable { default } => {
                let is_name = text.len() <= VARIABLE_CHARS_MAX
                    && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                    && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                // Ours are settings, and would be refused as unknown ones.
                let is_free = text == *default || !text.starts_with("MNEMON_");
                (is_name && is_free).then(|| quote(text))
            }
            Self::Schedule { default } => {
                let is_one = text == *default || text.parse::<Schedule>().is_ok();
                is_one.then(|| quote(text))
            }
            Self::Words { .. } | Self::Patterns | Self::Tags | Self::Hosts | Self::Origins => {
                self.check_list_text(text.trim())
            }
        }
    }

    /// A list from the environment: as TOML writes it, words with commas, or one pattern.
    fn check_list_text(&self, text: &str) -> Option<String> {
        if text.starts_with('[') {
            return self.check_toml(DeValue::parse(text).ok()?.get_ref());
        }
        match self {
            Self::Words { .. } | Self::Tags | Self::Hosts | Self::Origins if !text.is_empty() => {
                let words: Vec<_> = text.split(',').map(str::trim).collect();
                self.check_list(&words)
            }
            Self::Patterns if !text.is_empty() => self.check_list(&[text]),
            _ => self.check_list(&[]),
        }
    }

    fn check_list(&self, items: &[&str]) -> Option<String> {
        let fits = |item: &&str| match self {
            Self::Words { words, .. } => words.contains(item),
            Self::Tags => item.parse::<Tag>().is_ok(),
            Self::Hosts => is_host(item),
            Self::Origins => is_origin(item),
            _ => item.parse::<Pattern>().is_ok(),
        };
        (items.len() <= LIST_MAX && items.iter().all(fits)).then(|| list(items.iter().copied()))
    }

    fn check_float(&self, number: f64) -> Option<String> {
        match self {
            Self::Number { min, max, .. } if (*min..=*max).contains(&number) => {
                Some(Value::Float(number).to_string())
            }
            _ => None,
        }
    }

    fn check_number(&self, number: i64) -> Option<String> {
        match self {
            Self::Whole { min, max, .. } | Self::Bytes { min, max, .. } => {
                (*min..=*max).contains(&number).then(|| number.to_string())
            }
            _ => None,
        }
    }

    /// What the setting demands, to follow its key.
    pub(super) fn demand(&self) -> String {
        match self {
            Self::Whole { min, max, .. } => {
                format!("must be a whole number from {min} to {max}")
            }
            Self::Bytes {
                min, max: i64::MAX, ..
            } => format!(
                "must be a size of at least {}, in bytes or as text such as \"10 MiB\"",
                bytes::show(*min)
            ),
            Self::Bytes { min, max, .. } => format!(
                "must be a size from {} to {}, in bytes or as text such as \"10 MiB\"",
                bytes::show(*min),
                bytes::show(*max)
            ),
            Self::Choice { words, .. } => {
                let words: Vec<_> = words.iter().map(|word| quote(word)).collect();
                format!("must be one of {}", words.join(", "))
            }
            Self::Text {
                default: "",
                chars_max,
            } => format!(
                "must be text of at most {chars_max} characters that is not blank and has no \
                 control characters"
            ),
            Self::Text { chars_max, .. } => format!(
                "must be text of 1 to {chars_max} characters that is not blank and has no \
                 control characters"
            ),
            Self::Variable { .. } => format!(
                "must be the name of an environment variable: 1 to {VARIABLE_CHARS_MAX} letters, \
                 digits and _, and none of mnemon's own"
            ),
            Self::Flag { .. } => "must be true or false".to_owned(),
            Self::Number { min, max, .. } => format!("must be a number from {min} to {max}"),
            Self::Words { words, .. } => {
                let words: Vec<_> = words.iter().map(|word| quote(word)).collect();
                format!("must be a list of any of {}", words.join(", "))
            }
            Self::Tags => format!("must be a list of at most {LIST_MAX} tags"),
            Self::Hosts => format!(
                "must be a list of at most {LIST_MAX} hosts such as \"memory.example.com\" or \
                 \"10.0.0.7:7077\""
            ),
            Self::Origins => format!(
                "must be a list of at most {LIST_MAX} origins such as \"https://app.example.com\""
            ),
            Self::Schedule { .. } => "must be five fields as in cron, such as \"0 4 * * *\" for \
                 every day at four, or @daily and the like"
                .to_owned(),
            Self::Patterns => format!(
                "must be a list of at most {LIST_MAX} texts of the form \
                 'class=regular expression', the class in small letters, digits and _"
            ),
        }
    }

    /// Whether a value that is refused may be repeated; a key that was typed in
    /// place of its variable's name may not.
    pub(super) fn may_show(&self) -> bool {
        !matches!(self, Self::Variable { .. })
    }

    /// The next step for someone who gave `given` instead.
    pub(super) fn suggestion(&self, given: &str) -> String {
        let near = match self {
            Self::Choice { words, .. } => {
                nearest(given.trim_matches(['"', '\'']), words.iter().copied())
            }
            _ => None,
        };
        match near {
            Some(word) => format!("Did you mean {}?", quote(word)),
            None => format!("The default is {}.", self.default()),
        }
    }
}

/// A host as a request names it: in small letters, with a port or without.
fn is_host(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-:[]".contains(c);
    (1..=255).contains(&text.len()) && text.chars().all(fits)
}

fn is_origin(text: &str) -> bool {
    let schemes = ["http://", "https://"];
    let host = schemes.iter().find_map(|it| text.strip_prefix(it));
    host.is_some_and(is_host)
}

fn list<'a>(items: impl IntoIterator<Item = &'a str>) -> String {
    let items: Vec<_> = items.into_iter().map(quote).collect();
    format!("[{}]", items.join(", "))
}

fn quote(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::super::keys::KEYS;
    use super::*;

    #[test]
    fn every_default_keeps_its_own_rule() {
        for key in KEYS {
            let default = key.rule.default();
            let value = DeValue::parse(&default).unwrap();
            assert_eq!(
                key.rule.check_toml(value.get_ref()),
                Some(default.clone()),
                "{}",
                key.name
            );
        }
    }

    #[test]
    fn demands_name_the_limits() {
        let cases = [
            (whole(3, 1, 10), "must be a whole number from 1 to 10"),
            (
                bytes(1, 1 << 16, i64::MAX),
                "must be a size of at least 64 KiB, in bytes or as text such as \"10 MiB\"",
            ),
            (
                bytes(1, 0, 1 << 30),
                "must be a size from 0 B to 1 GiB, in bytes or as text such as \"10 MiB\"",
            ),
            (choice("a", &["a", "b"]), "must be one of \"a\", \"b\""),
        ];
        for (rule, demand) in cases {
            assert_eq!(rule.demand(), demand);
        }
    }

    #[test]
    fn numbers_of_any_base_are_read() {
        for (given, read) in [
            ("7", Some("7")),
            ("+7", Some("7")),
            ("0xa", Some("10")),
            ("1_0", Some("10")),
            ("11", None),
            ("-1", None),
            ("7.0", None),
            ("\"7\"", None),
            ("99999999999999999999", None),
            ("true", None),
        ] {
            let value = DeValue::parse(given).unwrap();
            assert_eq!(
                whole(3, 1, 10).check_toml(value.get_ref()).as_deref(),
                read,
                "{given}"
            );
        }
    }

    #[test]
    fn text_is_counted_in_characters_and_stays_on_one_line() {
        let rule = text("user", 4);
        for (given, fits) in [
            ("Zoë", true),
            ("日本語字", true),
            ("12345", false),
            ("", false),
            ("  ", false),
            ("a\nb", false),
            ("a\u{7f}", false),
        ] {
            assert_eq!(rule.check_text(given).is_some(), fits, "{given:?}");
        }
    }
}
