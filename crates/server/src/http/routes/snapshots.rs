//! Snapshots: what an agent held at a moment.

use mnemon::agent::snapshot::Form;
use mnemon::agent::{Routine, Snapshot};
use mnemon::caller::Operation;
use mnemon::engine::{RestoreOptions, SNAPSHOTS_LISTED, SnapshotOptions};
use mnemon::{Error, Result};
use mnemon_wire::{RestoredShape, RoutineShape, SnapshotStatsShape, SnapshotsShape};
use serde_json::{Value, json};

use crate::http::asked::{Asked, invalid};
use crate::http::reply::Reply;
use crate::http::route::{Again, Body, Parameter, Route, Sort};
use crate::request::fields::{self, Arguments};

pub(super) const ROUTES: &[Route] = &[
    Route::get(
        "/v1/agents/{agent}/snapshots",
        &[Operation::Snapshots, Operation::SnapshotStats],
        "List snapshots, the latest first, and what they take",
        list,
    )
    .with(&[Parameter {
        name: "limit",
        sort: Sort::Count(1_000_000),
        about: "At most so many",
    }])
    .answers("Snapshots"),
    Route::post(
        "/v1/agents/{agent}/snapshots",
        &[Operation::Snapshot, Operation::KeepSnapshot],
        "Take a snapshot of working memory and window, and keep it",
        create,
    )
    .takes(Body::MaybeJson("NewSnapshot"))
    .answers("SnapshotSummary")
    .makes()
    .again(Again::Unknown),
    Route::post(
        "/v1/agents/{agent}/snapshots/import",
        &[Operation::ImportSnapshot],
        "Keep a snapshot that was exported, of any form",
        import,
    )
    .takes(Body::Bytes)
    .answers("SnapshotSummary")
    .makes()
    .again(Again::Unknown),
    Route::get(
        "/v1/agents/{agent}/snapshots/{snapshot}",
        &[Operation::FindSnapshot],
        "Show all that is in a snapshot, by its id or its name",
        show,
    )
    .answers("Object"),
    Route::delete(
        "/v1/agents/{agent}/snapshots/{snapshot}",
        &[Operation::DeleteSnapshot],
        "Remove a snapshot for good",
        delete,
    )
    .answers("Object")
    .again(Again::Unknown),
    Route::post(
        "/v1/agents/{agent}/snapshots/{snapshot}/restore",
        &[Operation::RestoreSnapshot],
        "Put working memory and window back to what a snapshot says",
        restore,
    )
    .takes(Body::MaybeJson("RestoreSnapshot"))
    .answers("Object"),
    Route::get(
        "/v1/agents/{agent}/snapshots/{snapshot}/export",
        &[Operation::ExportSnapshot],
        "Hand out a snapshot",
        export,
    )
    .with(&[Parameter {
        name: "format",
        sort: Sort::OneOf(&["json", "binary", "encrypted"]),
        about: "How it is written",
    }])
    .media("application/octet-stream"),
    Route::get(
        "/v1/agents/{agent}/snapshot-schedule",
        &[Operation::SnapshotRoutine],
        "Tell when snapshots of an agent are taken by themselves",
        schedule,
    )
    .answers("SnapshotSchedule"),
    Route::put(
        "/v1/agents/{agent}/snapshot-schedule",
        &[Operation::SetSnapshotRoutine],
        "Say when snapshots of an agent are taken by themselves",
        set_schedule,
    )
    .takes(Body::Json("NewSchedule"))
    .answers("SnapshotSchedule"),
    Route::delete(
        "/v1/agents/{agent}/snapshot-schedule",
        &[Operation::SetSnapshotRoutine],
        "Take no more snapshots of an agent by themselves",
        drop_schedule,
    )
    .answers("SnapshotSchedule"),
];

/// The snapshot of that name, if it is that agent's.
fn found(asked: &Asked<'_>) -> Result<Snapshot> {
    let (agent, name) = (asked.agent_part()?, asked.part("snapshot"));
    let snapshot = asked.engine().find_snapshot(asked.caller(), name)?;
    if snapshot.agent == agent {
        return Ok(snapshot);
    }
    Err(Error::Missing {
        what: format!("snapshot {name} of {agent}"),
        suggestion: "GET the snapshots of the agent to see which there are.",
    })
}

/// Sealed if there is a key, unless it is said otherwise.
fn form(asked: &Asked<'_>, arguments: &mut Arguments) -> Result<Form> {
    let seals = match fields::take(arguments, "encrypt") {
        None => asked.engine().has_key(),
        Some(Value::Bool(seals)) => seals,
        Some(other) => return Err(fields::wrong("encrypt", "true or false", &other)),
    };
    Ok(if seals { Form::Encrypted } else { Form::Binary })
}

fn list(asked: &Asked<'_>) -> Result<Reply> {
    let agent = asked.agent_part()?;
    let limit = asked.count("limit", 1_000_000)?;
    let limit = limit.and_then(|it| usize::try_from(it).ok());
    asked.check_page(limit)?;
    let limit = limit.unwrap_or(SNAPSHOTS_LISTED);
    let (engine, caller) = (asked.engine(), asked.caller());
    let snapshots = engine.snapshots(caller, Some(&agent), limit)?;
    let stats = engine.snapshot_stats(caller, Some(&agent))?;
    Ok(Reply::json(&SnapshotsShape {
        snapshots: &snapshots,
        total: snapshots.len(),
        stats: SnapshotStatsShape::from(&stats),
    }))
}

fn create(asked: &Asked<'_>) -> Result<Reply> {
    let agent = asked.agent_part()?;
    let mut arguments = asked.members(&["name", "long_term", "metadata", "encrypt"])?;
    let form = form(asked, &mut arguments)?;
    let options = SnapshotOptions {
        name: fields::text(&mut arguments, "name")?,
        long_term: fields::flag(&mut arguments, "long_term")?,
        metadata: fields::members(&mut arguments, "metadata")?,
    };
    let (engine, caller) = (asked.engine(), asked.caller());
    let taken = engine.snapshot(caller, &agent, &options)?;
    let kept = engine.keep_snapshot(caller, &taken, form)?;
    let location = format!("/v1/agents/{agent}/snapshots/{}", kept.id);
    Ok(Reply::json(&kept).with("location", location))
}

fn import(asked: &Asked<'_>) -> Result<Reply> {
    let agent = asked.agent_part()?;
    let (engine, caller) = (asked.engine(), asked.caller());
    let snapshot = engine.import_snapshot(caller, &asked.body)?;
    if snapshot.agent != agent {
        return Err(Error::Rule {
            field: "agent",
            rule: format!("{}, whose snapshot it is", snapshot.agent),
            given: agent.to_string(),
        });
    }
    let form = form(asked, &mut Arguments::new())?;
    let kept = engine.keep_snapshot(caller, &snapshot, form)?;
    Ok(Reply::json(&kept))
}

fn show(asked: &Asked<'_>) -> Result<Reply> {
    Ok(Reply::json(&found(asked)?))
}

fn delete(asked: &Asked<'_>) -> Result<Reply> {
    let snapshot = found(asked)?;
    let engine = asked.engine();
    let deleted = engine.delete_snapshot(asked.caller(), snapshot.id.as_str())?;
    Ok(Reply::json(&json!({ "deleted": deleted })))
}

fn restore(asked: &Asked<'_>) -> Result<Reply> {
    let mut arguments = asked.members(&["keep", "working", "window", "long_term"])?;
    let mut unless_said = |name: &'static str| match fields::take(&mut arguments, name) {
        None => Ok(true),
        Some(Value::Bool(flag)) => Ok(flag),
        Some(other) => Err(fields::wrong(name, "true or false", &other)),
    };
    let (working, window) = (unless_said("working")?, unless_said("window")?);
    let options = RestoreOptions {
        clear: !fields::flag(&mut arguments, "keep")?,
        working,
        window,
        long_term: fields::flag(&mut arguments, "long_term")?,
    };
    let snapshot = found(asked)?;
    let agent = asked.agent_part()?;
    let engine = asked.engine();
    let restored = engine.restore_snapshot(asked.caller(), &agent, &snapshot, options)?;
    Ok(Reply::json(&RestoredShape::of(
        &snapshot.id,
        &agent,
        &restored,
    )))
}

fn export(asked: &Asked<'_>) -> Result<Reply> {
    let (form, media) = match asked.parameter("format")?.unwrap_or("json") {
        "json" => (Form::Json, "application/json"),
        "binary" => (Form::Binary, "application/octet-stream"),
        "encrypted" => (Form::Encrypted, "application/octet-stream"),
        _ => return Err(invalid("format", "must be json, binary or encrypted")),
    };
    let snapshot = found(asked)?;
    let engine = asked.engine();
    let bytes = engine.export_snapshot(asked.caller(), snapshot.id.as_str(), form)?;
    Ok(Reply::of(media, bytes))
}

fn schedule(asked: &Asked<'_>) -> Result<Reply> {
    let agent = asked.agent_part()?;
    let routine = asked.engine().snapshot_routine(asked.caller(), &agent)?;
    Ok(Reply::json(&RoutineShape::of(&agent, routine.as_ref())))
}

fn set_schedule(asked: &Asked<'_>) -> Result<Reply> {
    let mut arguments = asked.members(&["schedule", "long_term", "keep"])?;
    let mut routine = Routine::new(fields::needed(&mut arguments, "schedule")?.parse()?);
    routine.long_term = fields::flag(&mut arguments, "long_term")?;
    if let Some(keep) = fields::whole(&mut arguments, "keep", 1, u32::MAX.into())? {
        routine.keep = u32::try_from(keep).unwrap_or(u32::MAX);
    }
    changed_schedule(asked, Some(&routine))
}

fn drop_schedule(asked: &Asked<'_>) -> Result<Reply> {
    changed_schedule(asked, None)
}

fn changed_schedule(asked: &Asked<'_>, routine: Option<&Routine>) -> Result<Reply> {
    let agent = asked.agent_part()?;
    asked
        .engine()
        .set_snapshot_routine(asked.caller(), &agent, routine)?;
    Ok(Reply::json(&RoutineShape::of(&agent, routine)))
}
