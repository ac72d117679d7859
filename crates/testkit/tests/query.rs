//! The structured query against a store on files: every operator on every
//! field, random conditions beside a plain evaluation, and bad input.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

#[path = "query/answers.rs"]
mod answers;
#[path = "query/hostile.rs"]
mod hostile;
#[path = "query/operators.rs"]
mod operators;
#[path = "query/random.rs"]
mod random;

use jiff::tz::TimeZone;
use mnemon::engine::ImportOptions;
use mnemon::recall::Answer;
use mnemon::{Caller, Clock, Mnemon, Result, Time};
use mnemon_wire::import::{Format, read_import};
use mnemon_wire::parse_structured;
use serde_json::{Value, json};

/// Six memories, named by their first word.
const MEMORIES: &str = r#"
{"id":"a","space":"session/s","kind":"decision","author":"dana","text":"alpha uses PostgreSQL","created_at":"2026-01-01T10:00:00Z","importance":0.9,"tags":["db.sql","team"],"metadata":{"k":"v","n":5,"list":["x","y"]},"body":{"rationale":"It is known","scope":{"level":"high"}}}
{"id":"b","space":"session/s","kind":"finding","author":"erik","text":"beta is slow","created_at":"2026-01-02T10:00:00Z","importance":0.5,"confidence":0.9,"tags":["perf"],"links":[{"rel":"resolves","to":"a"}],"body":{"status":"resolved"},"state":{"access_count":3,"last_access":"2026-01-09T00:00:00Z"}}
{"id":"c","space":"session/r","kind":"fact","author":"dana","text":"gamma","created_at":"2026-01-02T11:30:00Z","importance":0.5,"confidence":0.3,"tags":["db"],"metadata":{"k":"w","n":12},"pinned":true}
{"id":"d","space":"agent/x","kind":"fact","text":"delta PostgreSQL","created_at":"2026-01-04T00:00:00Z","importance":0.1,"sensitive":true,"metadata":{"k":true,"a":{"b":1.5}}}
{"id":"e","space":"shared","kind":"preference","author":"Erik","text":"epsilon","created_at":"2026-01-05T00:00:00Z","importance":0.7,"tags":["dbx"],"links":[{"rel":"related","to":"b"}]}
{"id":"f","space":"session/r","kind":"decision","author":"dana","text":"zeta","created_at":"2026-01-06T00:00:00Z","importance":1.0,"metadata":{"n":null,"k":"5"}}
"#;

/// A store that is gone when it goes.
struct Stage {
    mnemon: Mnemon,
    _folder: tempfile::TempDir,
}

fn now() -> Time {
    "2026-01-11T00:00:00Z".parse().unwrap()
}

fn stage() -> Stage {
    let folder = tempfile::tempdir().unwrap();
    // One of them is sensitive, so it is sealed.
    let mnemon = mnemon_testkit::sealed::open(folder.path());
    let random = std::sync::Arc::new(|| [7; 10]);
    let mnemon = mnemon.with_sources(Clock::fixed_at(now()), random);
    let items = read_import(MEMORIES.as_bytes(), Format::Jsonl, None).unwrap();
    let me = Caller::user("me");
    mnemon
        .import(&me, items, ImportOptions::default(), &mut |_| ())
        .unwrap();
    Stage {
        mnemon,
        _folder: folder,
    }
}

impl Stage {
    fn ask(&self, query: Value) -> Result<Answer> {
        let query = parse_structured(query, now(), &TimeZone::UTC)?;
        self.mnemon.query(&Caller::user("me"), &query)
    }

    /// The ids of the answer, joined.
    fn ids(&self, query: Value) -> String {
        let said = query.to_string();
        let answer = self.ask(query);
        let answer = answer.unwrap_or_else(|error| panic!("{said}: {error}"));
        let ids: Vec<_> = answer
            .hits
            .iter()
            .map(|hit| hit.memory.id.as_str())
            .collect();
        assert_eq!(answer.total, ids.len() as u64, "{said}");
        ids.join(" ")
    }

    /// The ids of what fits one filter, the oldest first.
    fn fitting(&self, field: &str, operator: &str, value: &Value) -> String {
        let filter = json!({"field": field, "operator": operator, "value": value});
        self.ids(json!({"filters": [filter], "sort": "oldest"}))
    }
}
