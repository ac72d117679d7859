//! Changing some members of an object: the merge of RFC 7396.

use serde_json::{Map, Value};

/// A null removes the member, an object is merged into it, anything else replaces it.
pub(super) fn merge_member(target: &mut Map<String, Value>, name: &str, change: &Value) {
    match change {
        Value::Null => {
            target.remove(name);
        }
        Value::Object(changes) => {
            let member = target.entry(name).or_insert(Value::Null);
            if !member.is_object() {
                *member = Value::Object(Map::new());
            }
            if let Value::Object(member) = member {
                for (name, change) in changes {
                    merge_member(member, name, change);
                }
            }
        }
        other => {
            target.insert(name.to_owned(), other.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::examples::{body, map};
    use super::*;
    use crate::error::Error;
    use crate::memory::Kind;

    #[test]
    fn changes_replace_remove_and_merge() {
        let given = json!({
            "rationale": "fast",
            "alternatives": ["A"],
            "impact": "low",
            "resolution": {"status": "open", "next_steps": "ask", "x": {"y": 1, "z": 2}},
            "unknown": 1,
        });
        for (changes, member, after) in [
            (json!({}), "/rationale", Some(json!("fast"))),
            (
                json!({"rationale": "safe"}),
                "/rationale",
                Some(json!("safe")),
            ),
            (json!({"rationale": null}), "/rationale", None),
            (json!({"unknown": null}), "/unknown", None),
            (
                json!({"unknown": {"a": null, "b": 1}}),
                "/unknown",
                Some(json!({"b": 1})),
            ),
            (
                json!({"alternatives": ["B", "C"]}),
                "/alternatives",
                Some(json!(["B", "C"])),
            ),
            (
                json!({"alternatives_considered": ["B"]}),
                "/alternatives",
                Some(json!(["B"])),
            ),
            (json!({"implementation_impact": null}), "/impact", None),
            (
                json!({"resolution": {"next_steps": null, "x": {"y": 3}}}),
                "/resolution",
                Some(json!({"status": "open", "x": {"y": 3, "z": 2}})),
            ),
        ] {
            let merged = body(Kind::Decision, given.clone())
                .merged(&map(changes.clone()))
                .unwrap();
            let merged = Value::Object(merged.to_map());
            assert_eq!(merged.pointer(member), after.as_ref(), "{changes}");
        }
    }

    #[test]
    fn changes_that_are_wrong_change_nothing() {
        let before = body(Kind::Decision, json!({"impact": "low"}));
        for changes in [
            json!({"impact": 5}),
            json!({"impact": "high", "implementation_impact": "low"}),
        ] {
            assert!(matches!(
                before.merged(&map(changes)),
                Err(Error::Rule { field: "body", .. })
            ));
        }
    }
}
