//! What one source writes as a sentence and another as an object.

use serde::de::{DeserializeOwned, Error as _, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A sentence, or the same thing in parts; each is written as it was given.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum TextOr<T> {
    /// Only a sentence: `"PKCE"`.
    Text(String),
    /// The parts: `{"option": "PKCE", "rejected_because": "…"}`.
    Parts(T),
}

// Not derived: the derived reader of an untagged enum forgets why the parts
// were refused, and the caller has to learn which of them is wrong.
impl<'de, T: DeserializeOwned> Deserialize<'de> for TextOr<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self::Text(text)),
            parts @ Value::Object(_) => serde_json::from_value(parts)
                .map(Self::Parts)
                .map_err(D::Error::custom),
            other => Err(D::Error::invalid_type(
                Unexpected::Other(&other.to_string()),
                &"a string or an object",
            )),
        }
    }
}
