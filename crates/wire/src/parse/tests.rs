use mnemon::memory::Memory;
use serde_json::json;

use super::*;
use crate::MemoryShape;

fn parsed(value: Value) -> Parsed {
    parse_memory(value).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(value: Value) -> (String, String) {
    let error = parse_memory(value).unwrap_err();
    (error.code().to_string(), error.to_string())
}

/// A memory as a store would give a draft back.
fn stored(parsed: Parsed) -> Memory {
    let at = "2026-01-11T10:00:00Z".parse().unwrap();
    Memory {
        id: parsed.draft.id.unwrap(),
        space: parsed.space.unwrap(),
        handle: parsed.draft.handle,
        version: 1,
        author: parsed.draft.author,
        turn: parsed.draft.turn,
        text: parsed.draft.text,
        importance: parsed.draft.importance,
        confidence: parsed.draft.confidence,
        tags: parsed.draft.tags,
        links: parsed.draft.links,
        pinned: parsed.draft.pinned,
        sensitive: parsed.draft.sensitive,
        seal: mnemon::memory::Seal::Clear,
        body: parsed.draft.body,
        metadata: parsed.draft.metadata,
        embedding: parsed.draft.embedding,
        tokens: parsed.draft.tokens,
        created_at: parsed.draft.created_at.unwrap_or(at),
        recorded_at: at,
        updated_at: at,
        state: parsed.state,
    }
}

fn complete() -> Value {
    json!({
        "id": "dec_1", "handle": "DEC-001", "space": "session/s", "kind": "decision",
        "author": "architect", "text": "Use PostgreSQL",
        "created_at": "2026-01-10T14:23:45+02:00", "recorded_at": "2026-01-11T10:00:00Z",
        "updated_at": "2026-01-11T10:00:00Z", "version": 1,
        "importance": 0.7, "confidence": 0.9, "tags": ["a.b", "c"],
        "links": [{"rel": "supersedes", "to": "dec_0"}],
        "pinned": true, "sensitive": true, "turn": "turn_1", "tokens": 7,
        "body": {"rationale": "ACID", "confidence": "high", "unknown": [1, null]},
        "metadata": {"k": {"deep": 1.0}},
        "state": {
            "access_count": 3, "last_access": "2026-01-12T00:00:00Z",
            "forgotten": {
                "at": "2026-01-13T00:00:00Z", "by": "user", "reason": "wrong",
                "recover_until": "2026-02-12T00:00:00Z",
            },
            "open": true, "flags": [],
        },
        "embedding": [0.1, -2.5],
    })
}

#[test]
fn what_is_printed_is_read_back_unchanged() {
    let memory = stored(parsed(complete()));
    // Through text: a vector has fewer digits there than as a number in Rust.
    let printed = serde_json::to_string(&MemoryShape::of(&memory, 5)).unwrap();
    let printed: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(printed, complete());
    assert_eq!(stored(parsed(printed)), memory);
}

#[test]
fn all_but_the_text_may_be_missing() {
    let Parsed {
        space,
        draft,
        state,
        base,
    } = parsed(json!({"text": "only this"}));
    assert_eq!(base, None);
    assert_eq!(space, None);
    assert_eq!(draft, Draft::new(Kind::Fact, "only this".parse().unwrap()));
    assert_eq!(state, State::default());
    let nulls = json!({"text": "only this", "id": null, "tags": null, "body": null, "state": null});
    assert_eq!(parsed(nulls).draft, draft);
}

#[test]
fn a_time_far_ahead_is_flagged() {
    let mut ahead = complete();
    ahead["created_at"] = json!("2026-01-11T10:06:00Z");
    let memory = stored(parsed(ahead));
    let printed = serde_json::to_value(MemoryShape::of(&memory, 5)).unwrap();
    assert_eq!(printed["state"]["flags"], json!(["created_in_the_future"]));
}

#[test]
fn unknown_members_are_kept_in_the_body() {
    let draft = parsed(json!({"text": "t", "decay_factor": 1.0, "body": {"topic": "x"}})).draft;
    assert_eq!(
        Value::Object(draft.body.to_map()),
        json!({"decay_factor": 1.0, "topic": "x"})
    );
    let (code, message) = refusal(json!({"text": "t", "topic": "x", "body": {"topic": "y"}}));
    assert_eq!(code, "E_SCHEMA_INVALID");
    assert_eq!(
        message,
        "body must be without `topic`, or it is given twice"
    );
}

#[test]
fn entries_of_the_sources_are_understood() {
    for (given, kind, text, author, body) in [
        (
            json!({"id": "mem_001", "session_id": "sess_1", "timestamp": "2026-01-10T10:00:00Z",
                "type": "conversation", "content": {"role": "user", "message": "Hello"},
                "importance": 0.5, "tags": [], "references": ["mem_000"], "checksum": "sha256:x"}),
            Kind::Conversation,
            "Hello",
            Some("user"),
            json!({"role": "user"}),
        ),
        (
            json!({"type": "decisions", "content": {"decision": "Use it", "rationale": "Fast"}}),
            Kind::Decision,
            "Use it",
            None,
            json!({"rationale": "Fast"}),
        ),
        (
            json!({"id": "msg-001", "timestamp": "2026-01-11T10:05:23Z", "agent_id": "architect",
                "role": "assistant", "content": "I recommend PostgreSQL.",
                "context": {"conversation_id": "conv", "parent_message_id": "msg-000", "topic": "db"},
                "metadata": {"tokens": 15}}),
            Kind::Conversation,
            "I recommend PostgreSQL.",
            Some("architect"),
            json!({"role": "assistant", "conversation_id": "conv", "parent": "msg-000", "topic": "db"}),
        ),
        (
            json!({"made_by": "architect", "decision": "Use PostgreSQL", "impact": "high",
                "references": {"conversations": ["msg-001"], "findings": ["finding-003"]}}),
            Kind::Decision,
            "Use PostgreSQL",
            Some("architect"),
            json!({"impact": "high", "made_by": "architect"}),
        ),
        (
            json!({"discovered_by": "analyst", "severity": "high", "description": "No pool",
                "status": "open"}),
            Kind::Finding,
            "No pool",
            Some("analyst"),
            json!({"discovered_by": "analyst", "severity": "high", "status": "open"}),
        ),
        (
            json!({"key": "style", "value": "brief", "confidence": "inferred"}),
            Kind::Preference,
            "style: brief",
            None,
            json!({"key": "style", "value": "brief", "confidence": "inferred"}),
        ),
        (
            json!({"type": "conversation_turn", "text": "Hi", "role": "user", "author": "dana"}),
            Kind::Conversation,
            "Hi",
            Some("dana"),
            json!({"role": "user"}),
        ),
    ] {
        let draft = parsed(given.clone()).draft;
        assert_eq!(draft.body.kind(), kind, "{given}");
        assert_eq!(draft.text.as_str(), text, "{given}");
        let found = draft.author.as_ref().map(mnemon::memory::Author::as_str);
        assert_eq!(found, author, "{given}");
        assert_eq!(Value::Object(draft.body.to_map()), body, "{given}");
    }
    let first = parsed(json!({
        "session_id": "sess_1", "timestamp": "2026-01-10T10:00:00Z", "text": "t",
        "references": ["a", "b"],
    }));
    assert_eq!(first.space.unwrap().to_string(), "session/sess_1");
    assert_eq!(
        first.draft.created_at.unwrap().to_string(),
        "2026-01-10T10:00:00Z"
    );
    let ends: Vec<_> = first
        .draft
        .links
        .iter()
        .map(|link| link.to.as_str())
        .collect();
    assert_eq!(ends, ["a", "b"]);
}

#[test]
fn a_word_for_confidence_becomes_a_number_and_stays() {
    let draft = parsed(json!({"text": "t", "confidence": "uncertain"})).draft;
    assert!((draft.confidence.unwrap().get() - 0.3).abs() < 1e-9);
    assert_eq!(draft.body.to_map()["confidence"], "uncertain");
}

#[test]
fn what_breaks_a_rule_is_refused_with_its_field() {
    for (given, code, message) in [
        (
            json!([]),
            "E_INVALID_FORMAT",
            "this is not a memory: a memory is an object (given: [])",
        ),
        (
            json!({}),
            "E_SCHEMA_INVALID",
            "text must be there: a memory without it has nothing to say",
        ),
        (
            json!({"text": 5}),
            "E_SCHEMA_INVALID",
            "text must be text (given: 5)",
        ),
        (
            json!({"text": " "}),
            "E_SCHEMA_INVALID",
            "text must be more than white space (given:  )",
        ),
        (
            json!({"text": "t", "importance": 1.1}),
            "E_SCHEMA_INVALID",
            "importance must be a number from 0 to 1 (given: 1.1)",
        ),
        (
            json!({"text": "t", "importance": "high"}),
            "E_SCHEMA_INVALID",
            "importance must be a number from 0 to 1 (given: \"high\")",
        ),
        (
            json!({"text": "t", "tags": ["a b"]}),
            "E_SCHEMA_INVALID",
            "tag must be free of white space and control characters (given: a b)",
        ),
        (
            json!({"text": "t", "tags": "a"}),
            "E_SCHEMA_INVALID",
            "tags must be a list (given: \"a\")",
        ),
        (
            json!({"text": "t", "id": "../x"}),
            "E_SCHEMA_INVALID",
            "id must be 1 to 64 letters, digits, _ or - (given: ../x)",
        ),
        (
            json!({"text": "t", "session_id": "a/b"}),
            "E_SCHEMA_INVALID",
            "session must be 1 to 64 letters, digits, _ or - (given: a/b)",
        ),
        (
            json!({"text": "t", "links": [{"rel": "Bad", "to": "x"}]}),
            "E_SCHEMA_INVALID",
            "link must be a word such as resolves, led_to or supersedes (a-z, 0-9, _; at most 32) (given: Bad)",
        ),
        (
            json!({"text": "t", "links": [{"rel": "x"}]}),
            "E_SCHEMA_INVALID",
            "links must be objects with `rel` and `to`",
        ),
        (
            json!({"text": "t", "kind": "idea"}),
            "E_SCHEMA_INVALID",
            "kind must be one of conversation, decision, finding, preference, learning, fact, event, procedure, state, artifact (given: idea)",
        ),
        (
            json!({"text": "t", "pinned": "yes"}),
            "E_SCHEMA_INVALID",
            "pinned must be true or false (given: \"yes\")",
        ),
        (
            json!({"text": "t", "confidence": "sort of"}),
            "E_SCHEMA_INVALID",
            "confidence must be a number from 0 to 1, or explicit, high, medium, inferred, low, uncertain (given: sort of)",
        ),
        (
            json!({"text": "t", "embedding": ["x"]}),
            "E_SCHEMA_INVALID",
            "embedding must be made of numbers (given: \"x\")",
        ),
        (
            json!({"text": "t", "body": []}),
            "E_SCHEMA_INVALID",
            "body must be an object (given: [])",
        ),
        (
            json!({"text": "t", "tokens": -1}),
            "E_SCHEMA_INVALID",
            "tokens must be a whole number (given: -1)",
        ),
    ] {
        assert_eq!(refusal(given), (code.to_owned(), message.to_owned()));
    }
    assert_eq!(
        refusal(json!({"text": "t", "created_at": "soon"})).0,
        "E_INVALID_FORMAT"
    );
}
