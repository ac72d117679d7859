//! What an agent reads before its next turn: five questions, or one context pack.

use mnemon::context::ContextRequest;
use mnemon::engine::{AfterTurn, NewSession};
use mnemon::memory::{Body, Draft, Kind, Memory, SessionId, Space};
use mnemon::store::{Filter, Sort, Status};
use mnemon::{Caller, Mnemon, Result};
use serde_json::json;

/// What an agent reads, question by question.
struct AgentContext {
    conversation: Vec<Memory>,
    decisions: Vec<Memory>,
    open_findings: Vec<Memory>,
    preferences: Vec<Memory>,
    state: Option<Memory>,
}

/// Runs the example in a folder that goes away.
pub(crate) fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder for the example");
    let mnemon = Mnemon::open(folder.path())?;
    let dev = Caller::agent("dev".parse()?);
    let session = mnemon.create_session(&dev, NewSession::default())?;
    talk(&mnemon, &dev, &session)?;

    let read = read(&mnemon, &dev, &session)?;
    assert_eq!(read.conversation.len(), 2);
    assert_eq!(read.decisions.len(), 1);
    assert_eq!(read.open_findings.len(), 1, "the other one is resolved");
    assert_eq!(read.preferences.len(), 1);
    assert!(read.state.is_some());

    // The same in one call, within a budget, ready to be put before a model.
    let request = ContextRequest {
        budget_tokens: 400,
        ..ContextRequest::new(session)
    };
    let words = |text: &str| text.split_whitespace().count();
    let pack = mnemon.context(&dev, &request, words)?;
    let told: Vec<_> = pack.items.iter().map(|item| &item.memory.id).collect();
    let parts = [
        read.conversation,
        read.decisions,
        read.open_findings,
        read.preferences,
        read.state.into_iter().collect(),
    ];
    for memory in parts.iter().flatten() {
        assert!(told.contains(&&memory.id), "{} is in the pack", memory.text);
    }
    assert_eq!(told.len(), 6);
    assert!(pack.tokens <= 400);
    Ok(())
}

/// Five questions, each with its own filter and order.
fn read(mnemon: &Mnemon, agent: &Caller, session: &SessionId) -> Result<AgentContext> {
    let of = |kind: Kind| Filter {
        spaces: vec![Space::Session(session.clone())],
        kinds: vec![kind],
        sort: Sort::Newest,
        ..Filter::all(mnemon.now().micros())
    };
    let list = |filter: Filter| Ok::<_, mnemon::Error>(mnemon.list(agent, &filter)?.memories);
    Ok(AgentContext {
        conversation: list(Filter {
            limit: 20,
            ..of(Kind::Conversation)
        })?,
        decisions: list(Filter {
            // Half of an importance of 0.5: what has not faded by more than a half.
            min_priority: Some(0.25),
            ..of(Kind::Decision)
        })?,
        open_findings: list(Filter {
            status: Some(Status::Open),
            ..of(Kind::Finding)
        })?,
        preferences: list(of(Kind::Preference))?,
        state: list(of(Kind::State))?.into_iter().next(),
    })
}

fn talk(mnemon: &Mnemon, dev: &Caller, session: &SessionId) -> Result<()> {
    let draft = |kind: Kind, text: &str, body: serde_json::Value| -> Result<Draft> {
        let mut draft = Draft::new(kind, text.parse()?);
        let fields = body.as_object().cloned().unwrap_or_default();
        draft.body = Body::from_map(kind, fields)?;
        Ok(draft)
    };
    let none = || json!({});
    mnemon.keep_turn(
        dev,
        session,
        AfterTurn {
            turns: vec![
                draft(Kind::Conversation, "Which database do we take?", none())?,
                draft(
                    Kind::Conversation,
                    "PostgreSQL: we need transactions.",
                    none(),
                )?,
            ],
            memories: vec![
                draft(Kind::Decision, "Use PostgreSQL", json!({"impact": "high"}))?,
                draft(Kind::Finding, "The old schema has no keys", none())?,
                draft(Kind::Finding, "A typo", json!({"status": "resolved"}))?,
                draft(Kind::Preference, "Short answers, please", none())?,
            ],
            state: Some(draft(Kind::State, "The schema comes next", none())?),
        },
    )?;
    Ok(())
}
