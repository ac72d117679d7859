//! Every operator on every field that it suits, and no other.

use mnemon::recall::structured::{Field, Operator, Shape};
use serde_json::{Value, json};

use crate::stage;

#[test]
#[expect(clippy::too_many_lines, reason = "a table with a row for each case")]
fn every_operator_means_what_it_says() {
    let stage = stage();
    for (field, operator, value, expected) in [
        ("kind", "equals", json!("decision"), "a f"),
        ("type", "=", json!("decisions"), "a f"),
        ("kind", "not_equals", json!("decision"), "b c d e"),
        ("kind", "in", json!(["fact", "conversation_turn"]), "c d"),
        ("kind", "not_in", json!(["fact", "finding"]), "a e f"),
        ("kind", "in", json!([]), ""),
        ("kind", "not_in", json!([]), "a b c d e f"),
        ("kind", "exists", json!(true), "a b c d e f"),
        ("status", "equals", json!("open"), "a f"),
        ("status", "!=", json!("open"), "b c d e"),
        ("status", "in", json!(["open", "resolved"]), "a b f"),
        ("status", "exists", json!(false), "c d e"),
        ("pinned", "equals", json!(true), "c"),
        ("pinned", "not_equals", json!(true), "a b d e f"),
        ("sensitive", "equals", json!(true), "d"),
        ("importance", "equals", json!(0.5), "b c"),
        ("importance", "not_equals", json!(0.5), "a d e f"),
        ("importance", "in", json!([0.1, 1]), "d f"),
        ("importance", "greaterThan", json!(0.7), "a f"),
        ("importance", ">=", json!(0.7), "a e f"),
        ("importance", "lessThan", json!(0.5), "d"),
        ("importance", "<=", json!(0.5), "b c d"),
        ("importance", "between", json!([0.5, 0.9]), "a b c e"),
        ("confidence", ">=", json!("low"), "b c"),
        ("confidence", ">", json!(0.3), "b"),
        ("confidence", "<", json!("high"), "c"),
        ("confidence", "exists", json!(false), "a d e f"),
        ("decay.priority", "lessThan", json!(0.3), "d"),
        ("priority", ">=", json!(0.7), "a e f"),
        ("access_count", ">", json!(0), "b"),
        ("access_count", "equals", json!(3), "b"),
        ("access_count", "between", json!([0, 2]), "a c d e f"),
        ("created_at", "equals", json!("2026-01-02"), "b c"),
        ("timestamp", "not_equals", json!("2026-01-02"), "a d e f"),
        ("created_at", ">", json!("2026-01-02"), "d e f"),
        ("created_at", ">=", json!("2026-01-02"), "b c d e f"),
        ("created_at", "<", json!("2026-01-02"), "a"),
        ("created_at", "<=", json!("2026-01-02"), "a b c"),
        ("created_at", ">=", json!("6d"), "e f"),
        (
            "created_at",
            "between",
            json!(["2026-01-02T11:00:00Z", "2026-01-04"]),
            "c d",
        ),
        (
            "created_at",
            "in",
            json!(["2026-01-01", "2026-01-06"]),
            "a f",
        ),
        ("recorded_at", "equals", json!("today"), "a b c d e f"),
        ("updated_at", "<", json!("today"), ""),
        ("last_access", ">=", json!("2026-01-01"), "b"),
        ("last_access", "exists", Value::Null, "b"),
        ("author", "equals", json!("dana"), "a c f"),
        ("agent", "in", json!(["erik", "Erik"]), "b e"),
        ("author", "not_equals", json!("dana"), "b d e"),
        ("author", "contains", json!("RI"), "b e"),
        ("author", "starts_with", json!("D"), "a c f"),
        ("author", "exists", json!(false), ""),
        ("space", "equals", json!("shared"), "e"),
        ("space", "in", json!(["agent/x", "session/r"]), "c d f"),
        ("space", "not_equals", json!("session/s"), "c d e f"),
        ("space", "starts_with", json!("session/"), "a b c f"),
        ("session", "equals", json!("s"), "a b"),
        ("session", "not_in", json!(["s"]), "c d e f"),
        ("session", "exists", json!(false), "d e"),
        ("id", "in", json!(["a", "f", "z"]), "a f"),
        ("handle", "equals", json!("dec-1"), "a f"),
        ("handle", "starts_with", json!("FIND"), "b"),
        ("text", "contains", json!("postgres"), "a d"),
        ("content", "not_contains", json!("postgres"), "b c e f"),
        ("text", "equals", json!("gamma"), "c"),
        ("text", "starts_with", json!("ALPHA"), "a"),
        ("tags", "contains", json!("db"), "a c"),
        ("tags", "equals", json!("db.sql"), "a"),
        ("tags", "in", json!(["perf", "team"]), "a b"),
        ("tags", "not_contains", json!("db"), "b d e f"),
        ("tags", "not_in", json!(["db", "perf"]), "d e f"),
        ("tags", "starts_with", json!("db"), "a c e"),
        ("tags", "exists", json!(false), "d f"),
        ("references", "contains", json!("a"), "b"),
        ("links", "in", json!(["a", "b"]), "b e"),
        ("links", "not_equals", json!("a"), "a c d e f"),
        ("metadata.k", "equals", json!("v"), "a"),
        ("metadata.k", "equals", json!(true), "d"),
        ("metadata.k", "equals", json!(5), "f"),
        ("metadata.k", "in", json!(["v", "w"]), "a c"),
        ("metadata.k", "not_equals", json!("v"), "b c d e f"),
        ("metadata.k", "starts_with", json!("W"), "c"),
        ("metadata.n", ">", json!(5), "c"),
        ("metadata.n", "between", json!([5, 12.0]), "a c"),
        ("metadata.n", "equals", json!("5"), "a"),
        ("metadata.n", "equals", json!("null"), ""),
        ("metadata.n", "exists", json!(true), "a c"),
        ("metadata.a.b", "<=", json!(1.5), "d"),
        ("metadata.list", "contains", json!("y"), "a"),
        ("metadata.list", "contains", json!("z"), ""),
        ("body.rationale", "contains", json!("known"), "a"),
        ("body.scope.level", "equals", json!("high"), "a"),
        ("body.nothing", "exists", json!(true), ""),
    ] {
        let found = stage.fitting(field, operator, &value);
        assert_eq!(found, expected, "{field} {operator} {value}");
    }
}

#[test]
fn an_operator_that_does_not_suit_the_field_is_refused_with_its_place() {
    let stage = stage();
    let names = Field::NAMES.iter().map(|(name, _)| *name);
    for name in names.chain(["metadata.k", "body.k"]) {
        let field: Field = name.parse().unwrap();
        for operator in Operator::ALL {
            let one = match field.shape() {
                Shape::Kind => json!("fact"),
                Shape::Status => json!("open"),
                Shape::Flag => json!(true),
                Shape::Share => json!(0.5),
                Shape::Count => json!(1),
                Shape::Time => json!("2026-01-02"),
                _ if name == "space" => json!("session/s"),
                _ if name.starts_with("session") => json!("s"),
                _ if name == "handle" => json!("DEC-001"),
                _ => json!("x"),
            };
            let value = match operator {
                Operator::In | Operator::NotIn | Operator::Between => json!([one, one]),
                Operator::Exists => json!(true),
                _ => one,
            };
            let filter = json!({"field": name, "operator": operator.as_str(), "value": value});
            let asked = stage.ask(json!({"filters": [{"field": "id", "value": "a"}, filter]}));
            if operator.suits(field.shape()) {
                asked.unwrap();
            } else {
                let said = asked.unwrap_err().to_string();
                let place = "filters[1].operator: ";
                assert!(said.starts_with(place), "{name} {operator}: {said}");
            }
        }
    }
}
