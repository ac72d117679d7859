//! Names in working memory: keys, and scopes within scopes.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::memory::as_text::as_text;

/// The longest name of a key or of one scope.
const NAME_CHARS_MAX: usize = 64;

/// Scopes lie within each other so deep at most.
const DEPTH_MAX: usize = 16;

/// What a value is called in its scope.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(String);

/// Where values lie: nowhere in particular, or in a scope such as `review/file-3`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope(String);

impl Key {
    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Scope {
    /// The outermost one, in which all others lie.
    pub fn outermost() -> Self {
        Self::default()
    }

    /// The scope as text; empty for the outermost.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Itself, and each one around it, from the inside to the outside.
    pub fn outward(&self) -> impl Iterator<Item = Self> {
        let mut next = Some(self.clone());
        std::iter::from_fn(move || {
            let own = next.take()?;
            next = own.parent();
            Some(own)
        })
    }

    /// The one around it.
    pub fn parent(&self) -> Option<Self> {
        if self.0.is_empty() {
            return None;
        }
        let parent = self.0.rsplit_once('/').map_or("", |(parent, _)| parent);
        Some(Self(parent.to_owned()))
    }

    /// Whether it is the other one or lies within it.
    pub fn is_within(&self, other: &Self) -> bool {
        let rest = self.0.strip_prefix(&other.0);
        other.0.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl FromStr for Key {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if !is_name(text) {
            return Err(Error::rule("key", NAME_RULE, text));
        }
        Ok(Self(text.to_owned()))
    }
}

impl FromStr for Scope {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim_matches('/');
        if text.is_empty() {
            return Ok(Self::outermost());
        }
        if !text.split('/').all(is_name) {
            return Err(Error::rule(
                "scope",
                "names such as task/step, each of 1 to 64 letters, digits, _, - or .",
                text,
            ));
        }
        if text.split('/').count() > DEPTH_MAX {
            return Err(Error::rule(
                "scope",
                "at most 16 scopes within each other",
                text,
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

const NAME_RULE: &str = "1 to 64 letters, digits, _, - or .";

fn is_name(text: &str) -> bool {
    (1..=NAME_CHARS_MAX).contains(&text.chars().count())
        && text
            .chars()
            .all(|it| it.is_alphanumeric() || matches!(it, '_' | '-' | '.'))
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

as_text!(Key);
as_text!(Scope);

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(text: &str) -> Scope {
        text.parse().unwrap()
    }

    #[test]
    fn a_scope_lies_within_those_around_it() {
        let around: Vec<String> = scope("a/b/c").outward().map(|it| it.to_string()).collect();
        assert_eq!(around, ["a/b/c", "a/b", "a", ""]);
        for (inner, outer, is) in [
            ("a/b", "a", true),
            ("a/b", "", true),
            ("a", "a", true),
            ("ab", "a", false),
            ("a", "a/b", false),
        ] {
            assert_eq!(scope(inner).is_within(&scope(outer)), is, "{inner} {outer}");
        }
        assert_eq!(scope("/a/"), scope("a"));
    }

    #[test]
    fn names_that_are_no_names_are_refused() {
        let deep = "a/".repeat(17);
        let long = "x".repeat(65);
        for bad in ["a//b", "a b", "..\n", "a\\b", deep.as_str(), long.as_str()] {
            assert!(bad.parse::<Scope>().is_err(), "{bad:?}");
        }
        for bad in ["", "a/b", "a b", long.as_str()] {
            assert!(bad.parse::<Key>().is_err(), "{bad:?}");
        }
        for good in ["größe", "file-3.rs", "a_b"] {
            assert!(good.parse::<Key>().is_ok(), "{good:?}");
        }
    }
}
