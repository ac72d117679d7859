//! Operators: how a field is compared with a value.

use std::fmt;
use std::str::FromStr;

use super::field::Shape;
use crate::error::{Error, Result};
use crate::nearest::nearest;

/// How a field is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// Is this.
    Equals,
    /// Is not this, or nothing.
    NotEquals,
    /// Is one of these.
    In,
    /// Is none of these, or nothing.
    NotIn,
    /// Has this in it.
    Contains,
    /// Does not have this in it.
    NotContains,
    /// Begins with this.
    StartsWith,
    /// Is more, or later.
    GreaterThan,
    /// Is as much or more.
    GreaterOrEqual,
    /// Is less, or earlier.
    LessThan,
    /// Is as much or less.
    LessOrEqual,
    /// Lies between these two, or is one of them.
    Between,
    /// Is there at all, or is not.
    Exists,
}

impl Operator {
    /// All of them, in the order of the documents.
    pub const ALL: [Operator; 13] = [
        Operator::Equals,
        Operator::NotEquals,
        Operator::In,
        Operator::NotIn,
        Operator::Contains,
        Operator::NotContains,
        Operator::StartsWith,
        Operator::GreaterThan,
        Operator::GreaterOrEqual,
        Operator::LessThan,
        Operator::LessOrEqual,
        Operator::Between,
        Operator::Exists,
    ];

    /// Other names; `lessThan` is understood besides.
    pub const OTHER_NAMES: [(&'static str, Operator); 13] = [
        ("=", Operator::Equals),
        ("==", Operator::Equals),
        ("!=", Operator::NotEquals),
        (">", Operator::GreaterThan),
        (">=", Operator::GreaterOrEqual),
        ("<", Operator::LessThan),
        ("<=", Operator::LessOrEqual),
        ("gt", Operator::GreaterThan),
        ("gte", Operator::GreaterOrEqual),
        ("lt", Operator::LessThan),
        ("lte", Operator::LessOrEqual),
        ("greater_than_or_equal", Operator::GreaterOrEqual),
        ("less_than_or_equal", Operator::LessOrEqual),
    ];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Equals => "equals",
            Self::NotEquals => "not_equals",
            Self::In => "in",
            Self::NotIn => "not_in",
            Self::Contains => "contains",
            Self::NotContains => "not_contains",
            Self::StartsWith => "starts_with",
            Self::GreaterThan => "greater_than",
            Self::GreaterOrEqual => "greater_or_equal",
            Self::LessThan => "less_than",
            Self::LessOrEqual => "less_or_equal",
            Self::Between => "between",
            Self::Exists => "exists",
        }
    }

    /// Whether values of this shape can be compared like that.
    pub fn suits(self, shape: Shape) -> bool {
        match self {
            Self::Equals | Self::NotEquals | Self::Exists => true,
            Self::In | Self::NotIn => shape != Shape::Flag,
            Self::Contains | Self::NotContains => {
                matches!(
                    shape,
                    Shape::Text | Shape::Name | Shape::Tags | Shape::Links | Shape::Any
                )
            }
            Self::StartsWith => {
                matches!(shape, Shape::Text | Shape::Name | Shape::Tags | Shape::Any)
            }
            Self::GreaterThan
            | Self::GreaterOrEqual
            | Self::LessThan
            | Self::LessOrEqual
            | Self::Between => {
                matches!(
                    shape,
                    Shape::Share | Shape::Count | Shape::Time | Shape::Any
                )
            }
        }
    }

    /// The operator that this one is the opposite of, and whether it is one.
    pub(super) fn positive(self) -> (Operator, bool) {
        match self {
            Self::NotEquals => (Self::Equals, true),
            Self::NotIn => (Self::In, true),
            Self::NotContains => (Self::Contains, true),
            other => (other, false),
        }
    }
}

impl FromStr for Operator {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let own = Self::ALL.into_iter().map(|known| (known.as_str(), known));
        let mut known = own.chain(Self::OTHER_NAMES);
        let given = |name: &str| name == text || camel_case(name) == text;
        if let Some((_, operator)) = known.find(|(name, _)| given(name)) {
            return Ok(operator);
        }
        let meant = match nearest(text, Self::ALL.map(Self::as_str)) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("there are {}", Self::ALL.map(Self::as_str).join(", ")),
        };
        Err(Error::InvalidQuery {
            field: "operator".into(),
            problem: format!("{} is not known; {meant}", crate::error::shorten(text)),
        })
    }
}

/// `less_than` as `lessThan`.
fn camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let mut camel = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (first, rest) = part.split_at(1.min(part.len()));
        camel.push_str(&first.to_ascii_uppercase());
        camel.push_str(rest);
    }
    camel
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
