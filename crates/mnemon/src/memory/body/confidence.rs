//! How sure somebody is, as the sources write it: a word or a number.

use serde::{Deserialize, Serialize};
use serde_json::Number;

/// A confidence as it was given; the memory itself has it as a number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "a word or a number")]
pub enum Confidence {
    /// `explicit`, `inferred`, `uncertain`, `high`, `medium`, `low` or another word.
    Word(String),
    /// A number, kept as it was written: `1` does not become `1.0`.
    Number(Number),
}

impl Confidence {
    /// The number itself, or what the word stands for; nothing for other words.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Word(word) => confidence_from_word(word),
            Self::Number(number) => number.as_f64(),
        }
    }
}

/// The number that a word of the sources stands for, in any case of letters.
pub fn confidence_from_word(word: &str) -> Option<f64> {
    match word.trim().to_ascii_lowercase().as_str() {
        "explicit" => Some(1.0),
        "high" => Some(0.9),
        "medium" | "inferred" => Some(0.6),
        "low" | "uncertain" => Some(0.3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_stand_for_numbers() {
        for (word, number) in [
            ("explicit", Some(1.0)),
            ("High", Some(0.9)),
            ("medium", Some(0.6)),
            ("INFERRED", Some(0.6)),
            ("low", Some(0.3)),
            (" uncertain ", Some(0.3)),
            ("somewhat", None),
            ("", None),
        ] {
            assert_eq!(confidence_from_word(word), number, "{word}");
        }
    }

    #[test]
    fn a_number_is_kept_as_it_was_written() {
        for (given, number) in [
            (json!(0.9), Some(0.9)),
            (json!(1), Some(1.0)),
            (json!("high"), Some(0.9)),
        ] {
            let confidence: Confidence = serde_json::from_value(given.clone()).unwrap();
            assert_eq!(confidence.as_f64(), number);
            assert_eq!(
                serde_json::to_value(confidence).unwrap().to_string(),
                given.to_string()
            );
        }
    }
}
