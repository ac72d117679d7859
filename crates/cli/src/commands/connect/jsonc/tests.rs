//! Texts before and after.

use super::Document;

const PATH: [&str; 2] = ["servers", "own"];
const VALUE: &str = "{\n  \"command\": \"x\",\n  \"args\": [\n    \"y\"\n  ]\n}";

fn set(text: &str) -> String {
    Document::parse(text).unwrap().set(&PATH, VALUE).unwrap()
}

#[test]
fn a_member_comes_behind_the_others_in_the_manner_of_the_file() {
    for (before, after) in [
        (
            "",
            "{\n  \"servers\": {\n    \"own\": {\n      \"command\": \"x\",\n      \"args\": [\n        \"y\"\n      ]\n    }\n  }\n}",
        ),
        (
            "{\n\t\"servers\": {\n\t\t\"other\": {} // theirs\n\t},\n}\n",
            "{\n\t\"servers\": {\n\t\t\"other\": {}, // theirs\n\t\t\"own\": {\n\t\t\t\"command\": \"x\",\n\t\t\t\"args\": [\n\t\t\t\t\"y\"\n\t\t\t]\n\t\t}\n\t},\n}\n",
        ),
        (
            "{\r\n    \"servers\": {\r\n        \"other\": 1,\r\n    }\r\n}",
            "{\r\n    \"servers\": {\r\n        \"other\": 1,\r\n        \"own\": {\r\n            \"command\": \"x\",\r\n            \"args\": [\r\n                \"y\"\r\n            ]\r\n        },\r\n    }\r\n}",
        ),
        (
            "{\"a\":1,\"servers\":{\"b\":2}}",
            "{\"a\":1,\"servers\":{\"b\":2, \"own\": { \"command\": \"x\", \"args\": [ \"y\" ] }}}",
        ),
        (
            "{\n  // nothing yet\n}\n",
            "{\n  // nothing yet\n  \"servers\": {\n    \"own\": {\n      \"command\": \"x\",\n      \"args\": [\n        \"y\"\n      ]\n    }\n  }\n}\n",
        ),
        (
            "{\n  \"servers\": {}\n}",
            "{\n  \"servers\": {\n    \"own\": {\n      \"command\": \"x\",\n      \"args\": [\n        \"y\"\n      ]\n    }\n  }\n}",
        ),
    ] {
        assert_eq!(set(before), after);
        // It says the same to whoever reads it, and nothing is set twice.
        assert_eq!(set(after), after);
    }
}

#[test]
fn what_was_set_can_be_removed() {
    for before in [
        "{\n  \"a\": 1,\n  \"servers\": {\n    \"other\": {} // theirs\n  }\n}\n",
        "{\n\t\"servers\": {\n\t\t/* one */ \"other\": [1, 2,], /* two */\n\t},\n}\n",
        "{\"servers\":{\"b\":2}}",
        "{\r\n  \"servers\": {\r\n    \"b\": 2\r\n  }\r\n}",
        "{\n  \"servers\": {}\n}",
    ] {
        let with = set(before);
        let without = Document::parse(&with).unwrap().remove(&PATH);
        let without = without.unwrap();
        assert_eq!(without, before, "{with}");
    }
    let only = "{\n  \"servers\": {\n    \"own\": 1,\n    \"b\": 2 // two\n  }\n}";
    assert_eq!(
        Document::parse(only).unwrap().remove(&PATH).unwrap(),
        "{\n  \"servers\": {\n    \"b\": 2 // two\n  }\n}"
    );
    assert_eq!(Document::parse("{}").unwrap().remove(&PATH), None);
}

#[test]
fn lists_grow_at_their_end_and_shrink_anywhere() {
    let text = "{\n  \"hooks\": {\n    \"Stop\": [\n      1\n    ]\n  }\n}";
    let path = ["hooks", "Stop"];
    let grown = Document::parse(text)
        .unwrap()
        .push(&path, "{\n  \"a\": 2\n}")
        .unwrap();
    assert_eq!(
        grown,
        "{\n  \"hooks\": {\n    \"Stop\": [\n      1,\n      {\n        \"a\": 2\n      }\n    ]\n  }\n}"
    );
    let document = Document::parse(&grown).unwrap();
    assert_eq!(document.items(&path)[0], "1");
    assert_eq!(document.remove_item(&path, 1).unwrap(), text);
    let fresh = Document::parse("{}").unwrap().push(&path, "7").unwrap();
    assert_eq!(
        fresh,
        "{\n  \"hooks\": {\n    \"Stop\": [\n      7\n    ]\n  }\n}"
    );
}

#[test]
fn what_is_no_json_is_refused_with_its_line() {
    for (text, problem) in [
        (
            "{\n  \"a\": 1\n  \"b\": 2\n}",
            "line 3: a comma or a bracket is missing",
        ),
        ("{\n", "line 2: a name in quotes is missing"),
        ("{\"a\": tru}", "line 1: this is no value"),
        ("{\"a\": \"b\n\"}", "line 1: a text has no end"),
        ("{} {}", "line 1: there is something behind the end"),
        ("{\"a\" 1}", "line 1: a colon is missing"),
        ("/* {", "line 1: a comment has no end"),
        ("[]", "line 1: there is no object"),
        ("{\"a\": \"\\q\"}", "line 1: a text is not JSON"),
    ] {
        assert_eq!(
            Document::parse(text).err().as_deref(),
            Some(problem),
            "{text}"
        );
    }
    let deep = "[".repeat(100_000);
    assert!(Document::parse(&deep).is_err());
    for in_the_way in ["{\"servers\": []}", "{\"servers\": 1}"] {
        assert!(
            Document::parse(in_the_way)
                .unwrap()
                .set(&PATH, VALUE)
                .is_err()
        );
    }
}
