//! Numbers from 0 to 1: how much a memory matters, and how sure it is.

use crate::error::{Error, Result};

macro_rules! score_type {
    ($(#[$doc:meta])* $name:ident, $field:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
        pub struct $name(f64);

        impl $name {
            /// The number, from 0 to 1.
            pub fn get(self) -> f64 {
                self.0
            }
        }

        impl TryFrom<f64> for $name {
            type Error = Error;

            fn try_from(number: f64) -> Result<Self> {
                if (0.0..=1.0).contains(&number) {
                    // -0.0 is in the range, but would be written as another number.
                    Ok(Self(number.abs()))
                } else {
                    Err(Error::rule($field, "a number from 0 to 1", &number.to_string()))
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_f64(self.0)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                f64::deserialize(from)?.try_into().map_err(serde::de::Error::custom)
            }
        }
    };
}

score_type!(
    /// How much a memory matters; 0.5 when nothing is said.
    Importance,
    "importance"
);
score_type!(
    /// How sure a memory is.
    Confidence,
    "confidence"
);

impl Default for Importance {
    fn default() -> Self {
        Self(0.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_finite_and_from_0_to_1() {
        for good in [0.0, -0.0, 0.5, 1.0, f64::MIN_POSITIVE] {
            assert_eq!(
                Importance::try_from(good).unwrap().get().to_bits(),
                good.abs().to_bits()
            );
        }
        for bad in [
            -0.1,
            1.000_000_1,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ] {
            assert_eq!(
                Confidence::try_from(bad).unwrap_err().code().as_str(),
                "E_SCHEMA_INVALID",
                "{bad}"
            );
        }
    }
}
