//! What an agent needs for its next turn, from a real store.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

use mnemon::context::{ContextPack, ContextRequest, Section};
use mnemon::engine::NewSession;
use mnemon::memory::{Draft, Kind, Space};
use mnemon::{Caller, Mnemon};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Words, so that budgets can be worked out by hand.
fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

struct Desk {
    _folder: tempfile::TempDir,
    engine: Mnemon,
    me: Caller,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = Mnemon::open(folder.path()).unwrap();
        let me = Caller::user("ana");
        let session = NewSession {
            id: "work".parse().ok(),
            ..NewSession::default()
        };
        engine.create_session(&me, session).unwrap();
        Self {
            _folder: folder,
            engine,
            me,
        }
    }

    fn keep(&self, space: &str, kind: Kind, text: &str, body: Value) -> String {
        let body: Map<String, Value> = serde_json::from_value(body).unwrap();
        let mut draft = Draft::new(kind, text.parse().unwrap());
        draft.body = mnemon::memory::Body::from_map(kind, body).unwrap();
        let space: Space = space.parse().unwrap();
        let kept = self.engine.remember(&self.me, &space, draft).unwrap();
        kept.id.to_string()
    }

    fn as_agent(&self, agent: &str, request: &ContextRequest) -> ContextPack {
        let agent = Caller::agent(agent.parse().unwrap());
        self.engine.context(&agent, request, words).unwrap()
    }
}

fn request(topic: Option<&str>) -> ContextRequest {
    ContextRequest {
        topic: topic.map(Into::into),
        ..ContextRequest::new("work".parse().unwrap())
    }
}

fn told(pack: &ContextPack) -> Vec<(Section, &str)> {
    let items = pack.items.iter();
    items
        .map(|item| (item.section, item.memory.text.as_str()))
        .collect()
}

#[test]
fn an_agent_gets_its_state_what_holds_what_is_open_and_what_was_said() {
    let desk = Desk::new();
    let work = "session/work";
    desk.keep(
        work,
        Kind::State,
        "At the tests of refunds.",
        json!({"agent_id": "dev"}),
    );
    desk.keep(
        work,
        Kind::State,
        "Reviewing invoices.",
        json!({"agent_id": "qa"}),
    );
    desk.keep(
        "shared",
        Kind::Preference,
        "Answers in French.",
        json!({"key": "language"}),
    );
    desk.keep(
        work,
        Kind::Decision,
        "Refunds go through Stripe.",
        json!({}),
    );
    desk.keep(
        work,
        Kind::Finding,
        "Refunds can be sent twice.",
        json!({"severity": "critical"}),
    );
    desk.keep(
        work,
        Kind::Finding,
        "A label is misspelt.",
        json!({"severity": "minor", "status": "resolved"}),
    );
    desk.keep(
        "agent/dev",
        Kind::Fact,
        "The refunds API needs an idempotency key.",
        json!({}),
    );
    desk.keep(
        "agent/qa",
        Kind::Fact,
        "Refunds were tested by hand before.",
        json!({}),
    );
    desk.keep(
        "agent/dev",
        Kind::Fact,
        "The office cat is called Minka.",
        json!({}),
    );
    desk.keep(
        work,
        Kind::Conversation,
        "The invoices are done.",
        json!({}),
    );
    desk.keep(work, Kind::Conversation, "And now the refunds?", json!({}));

    let pack = desk.as_agent("dev", &request(Some("refunds")));
    assert_eq!(
        told(&pack),
        [
            (Section::State, "At the tests of refunds."),
            (Section::Preferences, "Answers in French."),
            (Section::Decisions, "Refunds go through Stripe."),
            (Section::Findings, "Refunds can be sent twice."),
            (
                Section::Knowledge,
                "The refunds API needs an idempotency key."
            ),
            (Section::Conversation, "The invoices are done."),
            (Section::Conversation, "And now the refunds?"),
        ]
    );
    let reasons: Vec<&str> = pack.items.iter().map(|item| &*item.reason).collect();
    assert_eq!(reasons[0], "the last state of dev");
    assert_eq!(reasons[1], "a preference of everybody");
    assert_eq!(reasons[3], "open finding, critical");
    assert_eq!(reasons[6], "one of the last 20 turns");
    assert_eq!(pack.tokens, words(&pack.text));
    // Without a topic it is what the last turns were about.
    assert_eq!(told(&desk.as_agent("dev", &request(None))), told(&pack));
    // Nobody sees the state and the knowledge of another.
    let other = desk.as_agent("qa", &request(Some("refunds")));
    let foreign = [
        "At the tests of refunds.",
        "The refunds API needs an idempotency key.",
    ];
    assert!(told(&other).iter().all(|(_, text)| !foreign.contains(text)));
}

#[test]
fn a_preference_with_the_same_key_takes_the_older_ones_place() {
    let desk = Desk::new();
    desk.keep(
        "shared",
        Kind::Preference,
        "Dark mode, always.",
        json!({"key": "theme"}),
    );
    desk.keep(
        "session/work",
        Kind::Preference,
        "Light mode for this work.",
        json!({"key": "theme"}),
    );
    let pack = desk.as_agent("dev", &request(None));
    assert_eq!(
        told(&pack),
        [(Section::Preferences, "Light mode for this work.")]
    );
}

#[test]
fn a_workflow_reads_what_it_asks_for_and_nothing_else() {
    let desk = Desk::new();
    let work = "session/work";
    desk.keep(
        work,
        Kind::Finding,
        "Refunds can be sent twice.",
        json!({"severity": "critical"}),
    );
    desk.keep(
        work,
        Kind::Finding,
        "The footer is grey.",
        json!({"severity": "minor"}),
    );
    desk.keep(
        work,
        Kind::Preference,
        "Verify deeply.",
        json!({"key": "workflow_depth"}),
    );
    desk.keep(
        work,
        Kind::Preference,
        "Dark mode.",
        json!({"key": "theme"}),
    );
    for number in 1..=5 {
        desk.keep(
            work,
            Kind::Conversation,
            &format!("Turn number {number}."),
            json!({}),
        );
    }
    let mut request = request(None);
    request.selectors = [
        "conversation.last_2_turns",
        "findings.by_severity:critical",
        "preferences.workflow_depth",
    ]
    .iter()
    .map(|selector| selector.parse().unwrap())
    .collect();
    assert_eq!(
        told(&desk.as_agent("dev", &request)),
        [
            (Section::Preferences, "Verify deeply."),
            (Section::Findings, "Refunds can be sent twice."),
            (Section::Conversation, "Turn number 4."),
            (Section::Conversation, "Turn number 5."),
        ]
    );
}

#[test]
fn what_was_recalled_is_not_kept_again() {
    let desk = Desk::new();
    desk.keep("shared", Kind::Fact, "Stripe takes three days.", json!({}));
    let pack = desk.as_agent("dev", &request(Some("Stripe")));
    let said = format!("{}\nSo refunds take three days.", pack.text);
    let id = desk.keep("session/work", Kind::Conversation, &said, json!({}));
    let kept = desk.engine.get(&desk.me, &id, None).unwrap();
    assert_eq!(kept.text.as_str(), "So refunds take three days.");
    let draft = Draft::new(Kind::Conversation, pack.text.parse().unwrap());
    let refused = desk.engine.remember(&desk.me, &Space::Shared, draft);
    assert_eq!(
        refused.unwrap_err().to_string(),
        "text must be more than what was recalled, which is kept already (given: a context pack)"
    );
}

#[test]
fn a_pack_is_within_its_budget_whatever_the_budget_and_always_the_same() {
    let desk = Desk::new();
    for number in 0..60 {
        let text = format!("Refund number {number} was sent to customer {number} without a hitch.");
        let kind = [
            Kind::Decision,
            Kind::Finding,
            Kind::Conversation,
            Kind::Preference,
        ][number % 4];
        desk.keep("session/work", kind, &text, json!({}));
        desk.keep(
            "agent/dev",
            Kind::Fact,
            &format!("Known fact {number} about refunds."),
            json!({}),
        );
    }
    for budget in (0..600).step_by(7) {
        let request = ContextRequest {
            budget_tokens: budget,
            ..request(Some("refunds"))
        };
        let pack = desk.as_agent("dev", &request);
        assert!(pack.tokens <= budget, "{} of {budget}", pack.tokens);
        assert_eq!(pack, desk.as_agent("dev", &request));
    }
}

#[test]
fn a_new_decision_is_told_whatever_it_matters_and_an_old_one_only_if_it_is_about_the_topic() {
    let desk = Desk::new();
    let decide = |text: &str, importance: f64, days_ago: i64| {
        let mut draft = Draft::new(Kind::Decision, text.parse().unwrap());
        draft.importance = importance.try_into().unwrap();
        let at = desk.engine.now().micros() - days_ago * 86_400_000_000;
        draft.created_at = Some(mnemon::Time::from_micros(at).unwrap());
        let space: Space = "session/work".parse().unwrap();
        desk.engine.remember(&desk.me, &space, draft).unwrap();
    };
    decide("Refunds go through the ledger", 0.2, 1);
    decide("Holidays are in August", 0.9, 60);
    decide("The ledger has one writer", 0.9, 60);
    let pack = desk.as_agent("dev", &request(Some("ledger")));
    let mut said: Vec<&str> = told(&pack).into_iter().map(|(_, text)| text).collect();
    said.sort_unstable();
    assert_eq!(
        said,
        ["Refunds go through the ledger", "The ledger has one writer"]
    );
    let pack = desk.as_agent("dev", &request(Some("coffee")));
    assert_eq!(
        told(&pack),
        [(Section::Decisions, "Refunds go through the ledger")]
    );
}

const KINDS: [Kind; 6] = [
    Kind::Conversation,
    Kind::Decision,
    Kind::Finding,
    Kind::Preference,
    Kind::Fact,
    Kind::State,
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_pack_of_any_store_is_over_its_budget_repeats_itself_or_differs_the_second_time(
        memories in prop::collection::vec(
            (0..KINDS.len(), 0..3_usize, "([a-z]{2,9} ){1,60}", any::<bool>()),
            0..40,
        ),
        budgets in prop::collection::vec(0..3_000_usize, 1..6),
    ) {
        let desk = Desk::new();
        for (kind, space, text, resolved) in memories {
            let body = match KINDS[kind] {
                Kind::Finding if resolved => json!({"status": "resolved"}),
                Kind::State => json!({"agent_id": "dev"}),
                _ => json!({}),
            };
            let space = ["session/work", "shared", "agent/dev"][space];
            desk.keep(space, KINDS[kind], &text, body);
        }
        for budget_tokens in budgets {
            let request = ContextRequest { budget_tokens, ..request(Some("ab cd")) };
            let pack = desk.as_agent("dev", &request);
            prop_assert!(pack.tokens <= budget_tokens);
            prop_assert_eq!(words(&pack.text), pack.tokens);
            prop_assert!(pack.items.iter().all(|item| !item.reason.is_empty()));
            let mut ids: Vec<_> = pack.items.iter().map(|item| &item.memory.id).collect();
            ids.sort();
            ids.dedup();
            prop_assert_eq!(ids.len(), pack.items.len());
            prop_assert_eq!(desk.as_agent("dev", &request).text, pack.text);
        }
    }
}
