//! Tags: exact labels whose dots make a hierarchy (`security.authentication`).

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::memory::as_text::as_text;

/// The longest tag.
const TAG_CHARS_MAX: usize = 64;

/// A label of a memory or a session.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(String);

impl Tag {
    /// The tag as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this tag is `ancestor` or lies below it: `a.b` is within `a`, `ab` is not.
    pub fn is_within(&self, ancestor: &Tag) -> bool {
        self.0
            .strip_prefix(ancestor.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

impl FromStr for Tag {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let chars = text.chars().count();
        if !(1..=TAG_CHARS_MAX).contains(&chars) {
            return Err(Error::rule("tag", "1 to 64 characters long", text));
        }
        if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(Error::rule(
                "tag",
                "free of white space and control characters",
                text,
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

as_text!(Tag);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_make_a_hierarchy() {
        let tag = |text: &str| text.parse::<Tag>().unwrap();
        let cases = [
            ("security", "security", true),
            ("security.authentication", "security", true),
            (
                "security.authentication.mfa",
                "security.authentication",
                true,
            ),
            ("securityx", "security", false),
            ("security", "security.authentication", false),
        ];
        for (own, ancestor, within) in cases {
            assert_eq!(
                tag(own).is_within(&tag(ancestor)),
                within,
                "{own} in {ancestor}"
            );
        }
    }

    #[test]
    fn tags_have_no_white_space_and_at_most_64_characters() {
        let just_right = "ä".repeat(64);
        assert_eq!(just_right.parse::<Tag>().unwrap().as_str(), just_right);
        for bad in [
            "",
            "two words",
            "tab\t",
            "line\n",
            "nul\0",
            "\u{7f}",
            "\u{a0}",
            &"x".repeat(65),
        ] {
            assert_eq!(
                bad.parse::<Tag>().unwrap_err().code().as_str(),
                "E_SCHEMA_INVALID",
                "{bad:?}"
            );
        }
    }
}
