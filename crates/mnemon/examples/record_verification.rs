//! An agent that checked something keeps what it found, what came of it and where it stands:
//! all of it, or nothing.

use mnemon::engine::{AfterTurn, NewSession};
use mnemon::memory::{Body, Draft, Kind, SessionId};
use mnemon::store::Filter;
use mnemon::{Caller, Code, Mnemon, Result};
use serde_json::json;

/// Runs the example in a folder that goes away.
pub(crate) fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder for the example");
    let mnemon = Mnemon::open(folder.path())?;
    let veritas = Caller::agent("veritas".parse()?);
    let session = mnemon.create_session(&veritas, NewSession::default())?;

    let found = [
        ("The totals of chapter 3 don't add up", "critical"),
        ("Two sources have no date", "minor"),
    ];
    let kept = record(&mnemon, &veritas, &session, drafts(&found)?)?;
    let all = mnemon.list(&veritas, &Filter::all(mnemon.now().micros()))?;
    assert_eq!((kept, all.total), (4, 4));

    // One that can't be kept takes the others with it: nothing sensitive is kept without a key.
    let mut more = drafts(&found)?;
    more[1].sensitive = true;
    let refused = record(&mnemon, &veritas, &session, more);
    assert!(refused.is_err_and(|error| error.code() == Code::Crypto));
    let again = mnemon.list(&veritas, &Filter::all(mnemon.now().micros()))?;
    assert_eq!(again.total, 4, "nothing of it was kept");
    Ok(())
}

/// Keeps the findings, the decision and the agent's state in one transaction.
fn record(
    mnemon: &Mnemon,
    agent: &Caller,
    session: &SessionId,
    mut memories: Vec<Draft>,
) -> Result<usize> {
    let state = json!({"working_memory": {"findings_created": memories.len()}});
    let decided = format!("Verification completed with {} findings", memories.len());
    let by = json!({"made_by": agent.name()});
    memories.push(draft(Kind::Decision, &decided, &by)?);
    let kept = mnemon.keep_turn(
        agent,
        session,
        AfterTurn {
            turns: Vec::new(),
            memories,
            state: Some(draft(Kind::State, "The verification is done", &state)?),
        },
    )?;
    Ok(kept.memories.len() + usize::from(kept.state.is_some()))
}

fn drafts(found: &[(&str, &str)]) -> Result<Vec<Draft>> {
    let one = |(text, severity): &(&str, &str)| {
        draft(Kind::Finding, text, &json!({"severity": severity}))
    };
    found.iter().map(one).collect()
}

fn draft(kind: Kind, text: &str, body: &serde_json::Value) -> Result<Draft> {
    let mut draft = Draft::new(kind, text.parse()?);
    let fields = body.as_object().cloned().unwrap_or_default();
    draft.body = Body::from_map(kind, fields)?;
    Ok(draft)
}
