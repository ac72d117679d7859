//! Which part of a body is wrong, and what it should have been.
//!
//! serde says what was expected but not where. So the smallest part that is
//! refused on its own is looked for, from the outside in. This runs only
//! after a refusal, and relies on every field being optional: a part can be
//! tried without its neighbours.

use serde_json::{Map, Value};

use crate::error::Error;

/// Tries a whole body; what serde says when it is refused.
type Try<'a> = &'a dyn Fn(Value) -> Option<String>;

/// The error for a body that `attempt` refuses with `message`.
pub(super) fn explain(whole: &Value, message: &str, attempt: Try) -> Error {
    let (path, part, message) = smallest(whole, String::new(), message.to_owned(), attempt);
    if let Some(field) = message.strip_prefix("duplicate field ") {
        let place = if path.is_empty() {
            String::new()
        } else {
            format!(" in `{path}`")
        };
        return Error::rule(
            "body",
            format!("an object that has {field}{place} under one of its names only"),
            "",
        );
    }
    let rule = format!("an object whose `{path}` is {}", wanted(&message));
    Error::rule("body", rule, &described(part))
}

fn smallest<'v>(
    part: &'v Value,
    path: String,
    message: String,
    attempt: Try,
) -> (String, &'v Value, String) {
    match part {
        // When even an empty object is refused, no object is wanted here at
        // all, and looking inside would blame an innocent member.
        Value::Object(members) if attempt(Value::Object(Map::new())).is_none() => {
            for (name, member) in members {
                let within =
                    |value| attempt(Value::Object(Map::from_iter([(name.clone(), value)])));
                if let Some(message) = within(member.clone()) {
                    let dot = if path.is_empty() { "" } else { "." };
                    return smallest(member, format!("{path}{dot}{name}"), message, &within);
                }
            }
        }
        Value::Array(items) if attempt(Value::Array(Vec::new())).is_none() => {
            for (index, item) in items.iter().enumerate() {
                let within = |value| attempt(Value::Array(vec![value]));
                if let Some(message) = within(item.clone()) {
                    return smallest(item, format!("{path}[{index}]"), message, &within);
                }
            }
        }
        _ => {}
    }
    (path, part, message)
}

/// What was given, said so that the text `15` is not taken for the number.
fn described(part: &Value) -> String {
    match part {
        Value::String(text) => format!("the string {text}"),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        other => other.to_string(),
    }
}

/// serde's words for a type, in the words of JSON.
fn wanted(message: &str) -> &str {
    let wanted = message
        .rsplit_once("expected ")
        .map_or(message, |(_, wanted)| wanted);
    match wanted {
        "a sequence" => "a list",
        "a map" => "an object",
        "a boolean" => "true or false",
        "a JSON number" => "a number",
        "u64" => "a whole number, 0 or more",
        other if other.starts_with("struct ") => "an object",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::examples::map;
    use super::*;
    use crate::memory::{Body, Kind};

    #[track_caller]
    fn check_refused(kind: Kind, value: Value, message: &str) {
        let error = Body::from_map(kind, map(value)).unwrap_err();
        assert!(matches!(error, Error::Rule { field: "body", .. }));
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn a_wrong_type_is_refused_with_its_place() {
        for (kind, given, wanted) in [
            (
                Kind::Conversation,
                json!({"tokens": -1}),
                "`tokens` is a whole number, 0 or more (given: -1)",
            ),
            (
                Kind::Conversation,
                json!({"processing_time_ms": "1"}),
                "`processing_time_ms` is a number (given: the string 1)",
            ),
            (
                Kind::Decision,
                json!({"a": 1, "reversible": "yes"}),
                "`reversible` is true or false (given: the string yes)",
            ),
            (
                Kind::Decision,
                json!({"alternatives": "PKCE"}),
                "`alternatives` is a list (given: the string PKCE)",
            ),
            (
                Kind::Decision,
                json!({"alternatives": ["A", 5]}),
                "`alternatives[1]` is a string or an object (given: 5)",
            ),
            (
                Kind::Decision,
                json!({"alternatives": [{"option": 5}]}),
                "`alternatives[0].option` is a string (given: 5)",
            ),
            (
                Kind::Finding,
                json!({"severity": {"a": {"b": 1}}}),
                "`severity` is a string (given: an object)",
            ),
            (
                Kind::Finding,
                json!({"location": "here"}),
                "`location` is an object (given: the string here)",
            ),
            (
                Kind::Finding,
                json!({"location": ["a"]}),
                "`location` is an object (given: a list)",
            ),
            (
                Kind::Finding,
                json!({"location": {"line_numbers": [1, "2"]}}),
                "`location.line_numbers[1]` is a whole number, 0 or more (given: the string 2)",
            ),
            (
                Kind::Preference,
                json!({"confidence": true}),
                "`confidence` is a word or a number (given: true)",
            ),
            (
                Kind::Learning,
                json!({"learned_from": "s"}),
                "`learned_from` is a list (given: the string s)",
            ),
            (
                Kind::Fact,
                json!({"subject": 1.5}),
                "`subject` is a string (given: 1.5)",
            ),
            (
                Kind::Event,
                json!({"type": 1}),
                "`type` is a string (given: 1)",
            ),
            (
                Kind::Procedure,
                json!({"steps": [{"command": []}]}),
                "`steps[0].command` is a string (given: a list)",
            ),
            (
                Kind::State,
                json!({"working_memory": []}),
                "`working_memory` is an object (given: a list)",
            ),
            (
                Kind::Artifact,
                json!({"size_bytes": 1.5}),
                "`size_bytes` is a whole number, 0 or more (given: 1.5)",
            ),
        ] {
            check_refused(
                kind,
                given,
                &format!("body must be an object whose {wanted}"),
            );
        }
    }

    #[test]
    fn a_field_under_two_names_is_refused() {
        check_refused(
            Kind::Decision,
            json!({"impact": "high", "implementation_impact": "low"}),
            "body must be an object that has `impact` under one of its names only",
        );
        check_refused(
            Kind::Decision,
            json!({"alternatives": ["A", {"rejected_because": "b", "rejected_reason": "c"}]}),
            "body must be an object that has `rejected_because` in `alternatives[1]` \
             under one of its names only",
        );
    }
}
