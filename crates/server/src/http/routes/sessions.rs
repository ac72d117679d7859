//! Sessions: their life, and what they come to.

use mnemon::caller::Operation;
use mnemon::compact::Reach;
use mnemon::engine::NewSession;
use mnemon::memory::{MemoryId, SessionId};
use mnemon::recall::aggregate::SummaryOptions;
use mnemon::session::{Session, SessionDetails, SessionState};
use mnemon::{Error, Mnemon, Result};
use mnemon_wire::{
    AnonymizedShape, CompactedShape, DeletedSessionShape, DeletedSessionsShape, ForgottenShape,
    SessionShape, SessionsShape, SizeShape, SummaryShape, TimelineShape, TopicsShape,
};
use serde_json::{Value, json};

use crate::http::asked::Asked;
use crate::http::reply::Reply;
use crate::http::route::{Again, Body, Parameter, REASON, Route, Sort};
use crate::http::seeded;
use crate::request::fields;

const AS_OF: Parameter = Parameter {
    name: "as_of",
    sort: Sort::Text,
    about: "As it was then",
};

const LIMIT: Parameter = Parameter {
    name: "limit",
    sort: Sort::Count(1_000_000),
    about: "At most so many",
};

const OFFSET: Parameter = Parameter {
    name: "offset",
    sort: Sort::Count(1_000_000),
    about: "After so many",
};

pub(super) const ROUTES: &[Route] = &[
    Route::post(
        "/v1/sessions",
        &[Operation::CreateSession],
        "Make a session",
        create,
    )
    .takes(Body::MaybeJson("NewSession"))
    .answers("MadeSession")
    .makes()
    .again(Again::Meets),
    Route::get(
        "/v1/sessions",
        &[Operation::Sessions],
        "List the sessions, the latest first",
        list,
    )
    .with(&[AS_OF, LIMIT, OFFSET])
    .answers("Sessions"),
    Route::get(
        "/v1/sessions/{session}",
        &[Operation::Session],
        "Show a session",
        show,
    )
    .with(&[AS_OF])
    .answers("Session"),
    Route::delete(
        "/v1/sessions/{session}",
        &[Operation::DeleteSession],
        "Put a session into the trash, from where it can be brought back for a while",
        delete,
    )
    .with(&[Parameter {
        name: "reason",
        sort: Sort::Matching(REASON),
        about: "Why",
    }])
    .answers("DeletedSession")
    .again(Again::Unknown),
    Route::post(
        "/v1/sessions/{session}/close",
        &[Operation::CloseSession],
        "Close a session; whatever is kept in it later opens it again",
        close,
    )
    .answers("Session"),
    Route::post(
        "/v1/sessions/{session}/activate",
        &[Operation::ActivateSession],
        "Put a session into use again",
        activate,
    )
    .answers("Session"),
    Route::post(
        "/v1/sessions/{session}/archive",
        &[Operation::ArchiveSession],
        "Compress a session; a summary is found in its place",
        archive,
    )
    .takes(Body::MaybeJson("MaybeReason"))
    .answers("Session")
    .long(),
    Route::post(
        "/v1/sessions/{session}/restore",
        &[Operation::RestoreSession, Operation::BringBack],
        "Open an archived session, and bring back all that was compacted",
        restore,
    )
    .answers("Session")
    .long(),
    Route::post(
        "/v1/sessions/{session}/bring-back",
        &[Operation::BringBack],
        "Bring back memories that were compacted",
        bring_back,
    )
    .takes(Body::Json("BringBack"))
    .answers("Forgotten")
    .long(),
    Route::post(
        "/v1/sessions/{session}/undelete",
        &[Operation::UndeleteSession],
        "Take a session out of the trash",
        undelete,
    )
    .takes(Body::Json("Reason"))
    .answers("Session")
    .again(Again::Unknown),
    Route::post(
        "/v1/sessions/{session}/purge",
        &[Operation::PurgeSession],
        "Remove a deleted session for good",
        purge,
    )
    .answers("DeletedSession")
    .again(Again::Unknown),
    Route::post(
        "/v1/sessions/{session}/compact",
        &[Operation::Compact, Operation::PlanCompaction],
        "Move what a session needs least to its archive",
        compact,
    )
    .takes(Body::MaybeJson("Compact"))
    .answers("Object")
    .long(),
    Route::get(
        "/v1/sessions/{session}/size",
        &[Operation::SessionSize],
        "Tell what takes the space of a session",
        size,
    )
    .answers("Object"),
    Route::get(
        "/v1/sessions/{session}/summary",
        &[Operation::SessionSummary],
        "Tell what a session comes to",
        summary,
    )
    .answers("Object"),
    Route::get(
        "/v1/sessions/{session}/timeline",
        &[Operation::SessionTimeline],
        "Tell what happened in a session, in order",
        timeline,
    )
    .with(&[LIMIT])
    .answers("Timeline"),
    Route::get(
        "/v1/sessions/{session}/topics",
        &[Operation::SessionTopics],
        "Tell what a session is about",
        topics,
    )
    .with(&[LIMIT])
    .answers("Topics"),
    Route::get(
        "/v1/sessions/{session}/anonymized",
        &[Operation::Anonymize],
        "Hand out a session without who and where",
        anonymized,
    )
    .answers("Object")
    .long(),
    Route::get(
        "/v1/deleted-sessions",
        &[Operation::DeletedSessions, Operation::OverdueSessions],
        "List the sessions in the trash",
        deleted,
    )
    .with(&[Parameter {
        name: "overdue",
        sort: Sort::Flag,
        about: "Only those whose time to be brought back is over",
    }])
    .answers("DeletedSessions"),
    Route::get(
        "/v1/deleted-sessions/{session}",
        &[Operation::DeletedSession],
        "Show a session in the trash",
        deleted_one,
    )
    .answers("DeletedSession"),
];

fn shape<'a>(engine: &Mnemon, session: &'a Session) -> SessionShape<'a> {
    let quota = engine.config().storage.session_bytes_max;
    SessionShape::of(session, engine.session_state(session), engine.now(), quota)
}

fn create(asked: &Asked<'_>) -> Result<Reply> {
    let mut arguments = asked.members(&[
        "id",
        "user",
        "agents",
        "project",
        "phase",
        "tags",
        "metadata",
        "preferences",
        "decay",
        "compaction",
    ])?;
    let given = fields::text(&mut arguments, "id")?;
    let given: Option<SessionId> = given.map(|id| id.parse()).transpose()?;
    let details: SessionDetails =
        serde_json::from_value(Value::Object(arguments)).map_err(|error| Error::Unparsable {
            what: "a session",
            input: String::new(),
            problem: error.to_string(),
        })?;
    let id = given.or_else(|| asked.seed.as_ref().map(seeded::session));
    let new = NewSession {
        id: id.clone(),
        details,
    };
    let made = match asked.engine().create_session(asked.caller(), new) {
        // The first try made it, and could not say so any more.
        Err(Error::SessionExists { session })
            if asked.begun_before && id.as_ref().is_some_and(|id| id.as_str() == session) =>
        {
            session.parse()?
        }
        made => made?,
    };
    let location = format!("/v1/sessions/{made}");
    Ok(Reply::json(&json!({ "session_id": made })).with("location", location))
}

fn list(asked: &Asked<'_>) -> Result<Reply> {
    let limit = asked.count("limit", 1_000_000)?;
    let offset = asked.count("offset", 1_000_000)?.unwrap_or(0);
    let limit = limit.and_then(|it| usize::try_from(it).ok());
    asked.check_page(limit)?;
    asked.at_moment(|engine| {
        let all = engine.sessions(asked.caller())?;
        let page = all
            .iter()
            .skip(usize::try_from(offset).unwrap_or(usize::MAX))
            .take(limit.unwrap_or(asked.limits().page_max));
        let shapes = page.map(|it| shape(engine, it)).collect();
        let mut answer = json!(SessionsShape::of(shapes));
        answer["total"] = json!(all.len());
        Ok(Reply::json(&answer))
    })
}

fn show(asked: &Asked<'_>) -> Result<Reply> {
    let id = asked.session_part()?;
    asked.at_moment(|engine| {
        let session = engine.session(asked.caller(), &id)?;
        Ok(Reply::json(&shape(engine, &session)))
    })
}

fn delete(asked: &Asked<'_>) -> Result<Reply> {
    let (engine, id) = (asked.engine(), asked.session_part()?);
    let deleted = engine.delete_session(asked.caller(), &id, asked.reason()?)?;
    let shape = DeletedSessionShape::of(&deleted, SessionState::Deleted);
    Ok(Reply::json(&shape))
}

fn close(asked: &Asked<'_>) -> Result<Reply> {
    let engine = asked.engine();
    let session = engine.close_session(asked.caller(), &asked.session_part()?)?;
    Ok(Reply::json(&shape(engine, &session)))
}

fn activate(asked: &Asked<'_>) -> Result<Reply> {
    let engine = asked.engine();
    let session = engine.activate_session(asked.caller(), &asked.session_part()?)?;
    Ok(Reply::json(&shape(engine, &session)))
}

fn archive(asked: &Asked<'_>) -> Result<Reply> {
    let mut arguments = asked.members(&["reason"])?;
    let reason = fields::text(&mut arguments, "reason")?;
    let (engine, id) = (asked.engine(), asked.session_part()?);
    let session = engine.archive_session(asked.caller(), &id, reason.as_deref())?;
    Ok(Reply::json(&shape(engine, &session)))
}

fn restore(asked: &Asked<'_>) -> Result<Reply> {
    let (engine, caller, id) = (asked.engine(), asked.caller(), asked.session_part()?);
    engine.restore_session(caller, &id)?;
    engine.bring_back(caller, &id, None, "restored by request")?;
    let session = engine.session(caller, &id)?;
    Ok(Reply::json(&shape(engine, &session)))
}

fn bring_back(asked: &Asked<'_>) -> Result<Reply> {
    let mut arguments = asked.members(&["ids", "reason"])?;
    let names = fields::texts(&mut arguments, "ids")?;
    let reason = fields::needed(&mut arguments, "reason")?;
    let ids: Vec<MemoryId> = names.iter().map(|it| it.parse()).collect::<Result<_>>()?;
    if !ids.is_empty() {
        asked.check_batch("ids", ids.len())?;
    }
    let some = (!ids.is_empty()).then_some(ids.as_slice());
    let (engine, id) = (asked.engine(), asked.session_part()?);
    let back = engine.bring_back(asked.caller(), &id, some, &reason)?;
    Ok(Reply::json(&ForgottenShape::of(&back, false)))
}

fn undelete(asked: &Asked<'_>) -> Result<Reply> {
    let mut arguments = asked.members(&["reason"])?;
    let reason = fields::needed(&mut arguments, "reason")?;
    let (engine, id) = (asked.engine(), asked.session_part()?);
    let session = engine.undelete_session(asked.caller(), &id, &reason)?;
    Ok(Reply::json(&shape(engine, &session)))
}

fn purge(asked: &Asked<'_>) -> Result<Reply> {
    let engine = asked.engine();
    let purged = engine.purge_session(asked.caller(), &asked.session_part()?)?;
    let shape = DeletedSessionShape::of(&purged, SessionState::Purged);
    Ok(Reply::json(&shape))
}

fn compact(asked: &Asked<'_>) -> Result<Reply> {
    let mut arguments = asked.members(&["dry_run", "aggressive"])?;
    let dry_run = fields::flag(&mut arguments, "dry_run")?;
    let reach = if fields::flag(&mut arguments, "aggressive")? {
        Reach::Aggressive
    } else {
        Reach::Gentle
    };
    let (engine, caller, id) = (asked.engine(), asked.caller(), asked.session_part()?);
    let report = if dry_run {
        engine.plan_compaction(caller, &id, reach)?
    } else {
        engine.compact(caller, &id, reach)?
    };
    Ok(Reply::json(&CompactedShape::of(&report, dry_run)))
}

fn size(asked: &Asked<'_>) -> Result<Reply> {
    let (engine, caller) = (asked.engine(), asked.caller());
    let id = engine.session(caller, &asked.session_part()?)?.id;
    let size = engine.session_size(caller, &id)?;
    Ok(Reply::json(&SizeShape::of(&id, &size)))
}

fn summary(asked: &Asked<'_>) -> Result<Reply> {
    let (engine, id) = (asked.engine(), asked.session_part()?);
    let options = SummaryOptions::default();
    let summary = engine.session_summary(asked.caller(), &id, &options)?;
    Ok(Reply::json(&SummaryShape::of(&id, &summary)))
}

fn timeline(asked: &Asked<'_>) -> Result<Reply> {
    let (engine, id) = (asked.engine(), asked.session_part()?);
    let timeline = engine.session_timeline(asked.caller(), &id)?;
    let from = timeline.events.len().saturating_sub(page(asked)?);
    let shown = &timeline.events[from..];
    Ok(Reply::json(&TimelineShape::of(Some(&id), &timeline, shown)))
}

fn topics(asked: &Asked<'_>) -> Result<Reply> {
    let (engine, id) = (asked.engine(), asked.session_part()?);
    let topics = engine.session_topics(asked.caller(), &id)?;
    Ok(Reply::json(&TopicsShape::of(
        Some(&id),
        &topics,
        page(asked)?,
    )))
}

/// How many of a list are shown.
fn page(asked: &Asked<'_>) -> Result<usize> {
    let limit = asked.count("limit", 1_000_000)?;
    let limit = limit.and_then(|it| usize::try_from(it).ok());
    asked.check_page(limit)?;
    Ok(limit.unwrap_or(asked.limits().page_max))
}

fn anonymized(asked: &Asked<'_>) -> Result<Reply> {
    let (engine, id) = (asked.engine(), asked.session_part()?);
    let options = mnemon::anonymize::Options::default();
    let anonymized = engine.anonymize(asked.caller(), &id, options)?;
    Ok(Reply::json(&AnonymizedShape::of(
        &anonymized,
        asked.skew(),
        None,
    )))
}

fn deleted(asked: &Asked<'_>) -> Result<Reply> {
    let (engine, caller) = (asked.engine(), asked.caller());
    let deleted = if asked.flag("overdue")? {
        engine.overdue_sessions(caller)?
    } else {
        engine.deleted_sessions(caller)?
    };
    Ok(Reply::json(&DeletedSessionsShape::of(&deleted)))
}

fn deleted_one(asked: &Asked<'_>) -> Result<Reply> {
    let id = asked.session_part()?;
    let deleted = asked.engine().deleted_session(asked.caller(), &id)?;
    let deleted = deleted.ok_or_else(|| Error::SessionNotFound {
        session: id.to_string(),
    })?;
    let shape = DeletedSessionShape::of(&deleted, SessionState::Deleted);
    Ok(Reply::json(&shape))
}
