//! A condition: a field, an operator and what the field is compared with.

use std::cmp::Ordering;

use super::field::Field;
use super::operator::Operator;
use super::value::Value;
use crate::decay::At;
use crate::error::{Error, Result};
use crate::memory::Memory;

/// Something that a memory fits or does not.
///
/// Invariant: the operator suits the field, and there are as many values, of
/// the right shape, as the operator takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    field: Field,
    operator: Operator,
    values: Vec<Value>,
    /// For [`Operator::Exists`]: whether it must be there.
    wanted: bool,
}

impl Condition {
    /// A condition with one value, any number for `in` and `not_in`, two for
    /// `between`, the lower one first.
    pub fn new(field: Field, operator: Operator, values: Vec<Value>) -> Result<Self> {
        Self::check(&field, operator)?;
        let fits = match operator {
            Operator::In | Operator::NotIn => true,
            Operator::Between => values.len() == 2,
            Operator::Exists => false,
            _ => values.len() == 1,
        };
        let shape = field.shape();
        if !fits || !values.iter().all(|value| value.is_of(shape)) {
            return Err(Error::InvalidQuery {
                field: "value".into(),
                problem: format!("is not what {field} {operator} takes"),
            });
        }
        if operator == Operator::Between
            && values[0].compare(&values[1]).is_some_and(Ordering::is_gt)
        {
            return Err(Error::InvalidQuery {
                field: "value".into(),
                problem: "nothing lies between these two: the lower one must come first".into(),
            });
        }
        Ok(Self {
            field,
            operator,
            values,
            wanted: true,
        })
    }

    /// That a field has a value at all, or has none.
    pub fn exists(field: Field, wanted: bool) -> Self {
        Self {
            field,
            operator: Operator::Exists,
            values: Vec::new(),
            wanted,
        }
    }

    /// Refuses an operator that does not suit the field, and says which do.
    pub fn check(field: &Field, operator: Operator) -> Result<()> {
        let shape = field.shape();
        if operator.suits(shape) {
            return Ok(());
        }
        let suitable = Operator::ALL
            .into_iter()
            .filter(|operator| operator.suits(shape));
        let suitable: Vec<_> = suitable.map(Operator::as_str).collect();
        Err(Error::InvalidQuery {
            field: "operator".into(),
            problem: format!(
                "{operator} can't be asked of {field}; what can is {}",
                suitable.join(", ")
            ),
        })
    }

    /// The field.
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// How it is compared.
    pub fn operator(&self) -> Operator {
        self.operator
    }

    /// With what.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// Whether a memory fits, with priorities as they are at that moment.
    ///
    /// Of a list any member may fit; the opposite of an operator fits
    /// whatever the operator does not.
    pub fn fits(&self, memory: &Memory, at: At<'_>) -> bool {
        let own = self.field.values(memory, at);
        let (operator, opposite) = self.operator.positive();
        if operator == Operator::Exists {
            return own.is_empty() != self.wanted;
        }
        own.iter().any(|own| self.is_true_of(operator, own)) != opposite
    }

    fn is_true_of(&self, operator: Operator, own: &Value) -> bool {
        let order = |place: usize| own.compare(&self.values[place]);
        match operator {
            Operator::Contains => own.contains(&self.values[0]),
            Operator::StartsWith => own.starts_with(&self.values[0]),
            Operator::GreaterThan => order(0).is_some_and(Ordering::is_gt),
            Operator::GreaterOrEqual => order(0).is_some_and(Ordering::is_ge),
            Operator::LessThan => order(0).is_some_and(Ordering::is_lt),
            Operator::LessOrEqual => order(0).is_some_and(Ordering::is_le),
            Operator::Between => {
                order(0).is_some_and(Ordering::is_ge) && order(1).is_some_and(Ordering::is_le)
            }
            // `positive` leaves Equals and In, which is Equals with any of several.
            _ => (0..self.values.len()).any(|place| order(place) == Some(Ordering::Equal)),
        }
    }
}
