//! What an agent developer does first.

use serde_json::json;

use crate::house::House;

#[test]
fn a_memory_is_kept_read_found_changed_forgotten_and_brought_back() {
    let house = House::new();
    let client = house.client();
    assert_eq!(client.get("/health").json(200)["status"], "ok");
    let made = client.json(
        "POST",
        "/v1/sessions",
        &json!({ "id": "review", "project": "shop" }),
    );
    assert_eq!(made.json(201)["session_id"], "review");
    let kept = client.json(
        "POST",
        "/v1/memories",
        &json!({ "session": "review", "kind": "decision", "text": "Use PostgreSQL", "tags": ["db"] }),
    );
    let receipt = kept.json(201);
    let id = receipt["id"].as_str().unwrap();
    assert_eq!(receipt["handle"], "DEC-001");
    assert_eq!(
        kept.header("location"),
        Some(&*format!("/v1/memories/{id}"))
    );

    let read = client.get("/v1/memories/review%2FDEC-001");
    assert_eq!(read.json(200)["text"], "Use PostgreSQL");
    assert_eq!(read.header("etag"), Some("\"1\""));
    let found = client.json("POST", "/v1/recall", &json!({ "query": "which database" }));
    assert_eq!(found.json(200)["hits"][0]["memory"]["id"], id);

    let change = json!({ "importance": 0.9 });
    let path = format!("/v1/memories/{id}");
    let changed = client.json_with("PATCH", &path, &[("if-match", "\"1\"")], &change);
    assert_eq!(changed.json(200)["version"], 2);
    let late = json!({ "importance": 0.8 });
    let refused = client.json_with("PATCH", &path, &[("if-match", "\"1\"")], &late);
    assert_eq!(refused.refusal(412), "E_CONCURRENT_MOD");

    let gone = client.delete(&format!("{path}?reason=wrong"));
    assert_eq!(gone.json(200)["count"], 1);
    assert_eq!(client.get(&path).refusal(404), "E_NOT_FOUND");
    let listed = client.get("/v1/forgotten?session=review").json(200);
    assert_eq!(listed["total"], 1);
    let body = json!({ "ids": [id], "reason": "right after all" });
    let back = client.json("POST", "/v1/memories/unforget", &body);
    assert_eq!(back.json(200)["count"], 1);
    assert_eq!(client.get(&path).status, 200);
    // All of it is there for whoever comes next.
    let stats = house.engine().stats(&mnemon::Caller::user("user")).unwrap();
    assert_eq!(stats.memories, 1);
}

#[test]
fn what_is_no_request_is_refused_with_what_would_be_one() {
    let house = House::new();
    let client = house.client();
    assert_eq!(client.get("/v1/nothing").refusal(404), "E_USAGE");
    assert_eq!(client.get("/v1/memories/").refusal(404), "E_USAGE");
    let wrong = client.send("PUT", "/v1/memories", &[], b"");
    assert_eq!(wrong.refusal(405), "E_USAGE");
    assert_eq!(wrong.header("allow"), Some("POST, GET"));
    let plain = client.send(
        "POST",
        "/v1/recall",
        &[("content-type", "text/plain")],
        b"{}",
    );
    assert_eq!(plain.refusal(415), "E_USAGE");
    let unknown = client.get("/v1/stats?colour=red");
    assert_eq!(unknown.refusal(400), "E_USAGE");
    let unknown = client.get("/v1/memories?kinds=fact");
    assert_eq!(unknown.refusal(400), "E_INVALID_QUERY");
    assert!(unknown.text().contains("did you mean kind?"));
    for (body, code) in [
        ("{", "E_INVALID_FORMAT"),
        ("[]", "E_INVALID_QUERY"),
        (r#"{"query":"a","query":"b"}"#, "E_INVALID_QUERY"),
        (r#"{"query":"a","limits":1}"#, "E_INVALID_QUERY"),
    ] {
        let refused = client.send(
            "POST",
            "/v1/recall",
            &[("content-type", "application/json")],
            body.as_bytes(),
        );
        assert_eq!(refused.refusal(400), code, "{body}");
    }
    for twice in [
        json!({ "text": "x", "session": "s", "space": "shared" }),
        json!({ "text": "x", "agent": "a", "shared": true }),
    ] {
        let refused = client.json("POST", "/v1/memories", &twice);
        assert_eq!(refused.refusal(422), "E_SCHEMA_INVALID");
    }
    let untold = client.json("POST", "/v1/memories", &json!({ "txt": "x" }));
    assert_eq!(untold.refusal(422), "E_SCHEMA_INVALID");
    let head = client.send("HEAD", "/health", &[], b"");
    assert_eq!((head.status, head.body.len()), (200, 0));
}

#[test]
fn memories_of_one_request_are_kept_together_or_not_at_all() {
    let house = House::new();
    let client = house.client();
    let batch = |texts: &[&str]| {
        let memories: Vec<_> = texts.iter().map(|text| json!({ "text": text })).collect();
        client.json(
            "POST",
            "/v1/memories/batch",
            &json!({ "shared": true, "memories": memories }),
        )
    };
    assert_eq!(batch(&["one", "two"]).json(201)["total"], 2);
    let refused = batch(&["three", ""]);
    assert_eq!(refused.refusal(422), "E_SCHEMA_INVALID");
    assert!(refused.text().contains("memories[1]"));
    assert_eq!(client.get("/v1/memories?shared=true").json(200)["total"], 2);
    let one = client.get("/v1/memories?limit=1&offset=1").json(200);
    assert_eq!(one["memories"].as_array().unwrap().len(), 1);
}

#[test]
fn an_export_comes_back_through_an_import_and_changes_nothing() {
    let house = House::new();
    let client = house.client();
    client
        .json("POST", "/v1/memories", &json!({ "text": "kept" }))
        .json(201);
    for format in ["jsonl", "json", "yaml", "markdown", "binary"] {
        let export = client.get(&format!("/v1/export?format={format}"));
        assert_eq!(export.status, 200);
        let import = client.send("POST", "/v1/import", &[], &export.body);
        let told = import.json(200);
        assert_eq!(
            (&told["imported"], &told["skipped"]),
            (&json!(0), &json!(1))
        );
    }
}

#[test]
fn a_filter_that_chooses_nothing_takes_nothing_away() {
    let house = House::new();
    let client = house.client();
    client
        .json("POST", "/v1/memories", &json!({ "text": "kept" }))
        .json(201);
    for filter in [
        json!({}),
        json!({ "session": null }),
        json!({ "tag": [] }),
        json!({ "all": false }),
        json!({ "contains": "" }),
        json!({ "meta": {} }),
        json!({ "limit": 5 }),
        json!({ "min_score": 0.9 }),
        json!({ "minScore": 0.9, "kind": "fact" }),
        json!({ "as_of": "2025-01-01", "kind": "fact" }),
        json!({ "query": "kept" }),
    ] {
        for path in ["/v1/memories/forget", "/v1/memories/erase"] {
            let body = json!({ "filter": filter, "reason": "because" });
            let refused = client.json("POST", path, &body);
            assert_eq!(refused.refusal(422), "E_SCHEMA_INVALID", "{filter}");
        }
    }
    assert_eq!(client.get("/v1/memories").json(200)["total"], 1);
    let body = json!({ "filter": { "minImportance": 0.1 }, "reason": "because" });
    let gone = client.json("POST", "/v1/memories/forget", &body);
    assert_eq!(gone.json(200)["count"], 1);
}
