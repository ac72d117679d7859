//! What an agent knows for good, and how long what it has is kept.

use mnemon::caller::Operation;
use mnemon::memory::AgentId;
use mnemon::retention::RetentionPolicy;
use mnemon::{Error, Result};
use mnemon_wire::{LongTermShape, PolicyShape, RetentionShape};
use serde_json::Value;

use crate::http::asked::Asked;
use crate::http::reply::Reply;
use crate::http::route::{Body, Route};
use crate::request::fields;

pub(super) const ROUTES: &[Route] = &[
    Route::get(
        "/v1/agents/{agent}/stats",
        &[Operation::LongTermStats],
        "Count what an agent knows for good",
        stats,
    )
    .answers("Object"),
    Route::get(
        "/v1/agents/{agent}/retention",
        &[Operation::Retention],
        "Tell how long what an agent has is kept",
        show,
    )
    .answers("Policy"),
    Route::put(
        "/v1/agents/{agent}/retention",
        &[Operation::SetRetention],
        "Say how long what an agent has is kept; what is not given has its default",
        set,
    )
    .takes(Body::Json("RetentionPolicy"))
    .answers("Policy"),
    Route::post(
        "/v1/agents/{agent}/retention/run",
        &[Operation::RunRetention],
        "Carry out the policy of an agent now",
        run_one,
    )
    .takes(Body::MaybeJson("DryRun"))
    .answers("Object")
    .long(),
    Route::post(
        "/v1/retention/run",
        &[Operation::RunRetention],
        "Carry out the policies of all agents now; an agent's own if one asks",
        run_all,
    )
    .takes(Body::MaybeJson("DryRun"))
    .answers("Object")
    .long(),
];

fn stats(asked: &Asked<'_>) -> Result<Reply> {
    let engine = asked.engine();
    let stats = engine.long_term_stats(asked.caller(), &asked.agent_part()?)?;
    Ok(Reply::json(&LongTermShape::of(&stats)))
}

fn show(asked: &Asked<'_>) -> Result<Reply> {
    let agent = asked.agent_part()?;
    let policy = asked.engine().retention(asked.caller(), &agent)?;
    Ok(Reply::json(&PolicyShape::of(&agent, policy)))
}

fn set(asked: &Asked<'_>) -> Result<Reply> {
    let agent = asked.agent_part()?;
    let mut whole = serde_json::to_value(RetentionPolicy::default()).expect("plain fields");
    if let Value::Object(members) = &mut whole {
        members.extend(asked.object()?);
    }
    let policy: RetentionPolicy =
        serde_json::from_value(whole).map_err(|error| Error::Unparsable {
            what: "a retention policy",
            input: String::new(),
            problem: error.to_string(),
        })?;
    asked
        .engine()
        .set_retention(asked.caller(), &agent, &policy)?;
    Ok(Reply::json(&PolicyShape::of(&agent, Some(policy))))
}

fn run_one(asked: &Asked<'_>) -> Result<Reply> {
    run(asked, Some(&asked.agent_part()?))
}

fn run_all(asked: &Asked<'_>) -> Result<Reply> {
    run(asked, None)
}

fn run(asked: &Asked<'_>, agent: Option<&AgentId>) -> Result<Reply> {
    let mut arguments = asked.members(&["dry_run"])?;
    let dry_run = fields::flag(&mut arguments, "dry_run")?;
    let engine = asked.engine();
    let result = engine.run_retention(asked.caller(), agent, dry_run)?;
    Ok(Reply::json(&RetentionShape::of(&result)))
}
