//! Forgetting, bringing back and erasing.

use mnemon::caller::Operation;
use mnemon::memory::MemoryId;
use mnemon::store::{Filter, Forgottenness, Located, Whereabouts};
use mnemon::{Error, Result};
use mnemon_wire::request::{CHOOSING, LIMIT_MAX, snake_case};
use mnemon_wire::{DeletedShape, ErasedShape, ForgottenShape, RecallRequest};
use serde_json::{Value, json};

use crate::http::asked::Asked;
use crate::http::reply::Reply;
use crate::http::route::{Again, Body, ID, Parameter, REASON, Route, Sort};
use crate::request::fields::{self, Arguments};

pub(super) const ROUTES: &[Route] = &[
    Route::delete(
        "/v1/memories/{id}",
        &[Operation::ForgetLocated],
        "Forget a memory; it can be brought back for a while",
        forget_one,
    )
    .with(&[
        Parameter {
            name: "session",
            sort: Sort::Matching(ID),
            about: "The session in which a bare handle is looked up",
        },
        Parameter {
            name: "reason",
            sort: Sort::Matching(REASON),
            about: "Why",
        },
    ])
    .answers("Forgotten")
    .again(Again::Meets),
    Route::post(
        "/v1/memories/forget",
        &[Operation::ForgetLocated, Operation::ListEverywhere],
        "Forget memories, by name or by filters; they can be brought back for a while",
        forget,
    )
    .takes(Body::Json("Forget"))
    .answers("Forgotten")
    .again(Again::Meets),
    Route::post(
        "/v1/memories/unforget",
        &[Operation::UnforgetNamed],
        "Bring back memories that were forgotten or compacted",
        unforget,
    )
    .takes(Body::Json("Unforget"))
    .answers("Forgotten")
    .again(Again::Meets),
    Route::post(
        "/v1/memories/erase",
        &[Operation::EraseIds],
        "Remove memories for good; no file of the store keeps a byte of them",
        erase,
    )
    .takes(Body::Json("Erase"))
    .answers("Erased")
    .long()
    .again(Again::Meets),
    Route::get(
        "/v1/memories/{id}/location",
        &[Operation::Locate],
        "Tell where a memory lies, without opening anything",
        locate,
    )
    .with(&[Parameter {
        name: "session",
        sort: Sort::Matching(ID),
        about: "The session in which a bare handle is looked up",
    }])
    .answers("Location"),
    Route::get(
        "/v1/forgotten",
        &[Operation::ListForgotten],
        "List what is forgotten and can be brought back",
        forgotten,
    )
    .filtered()
    .answers("Deleted"),
];

fn forget_one(asked: &Asked<'_>) -> Result<Reply> {
    let (engine, caller) = (asked.engine(), asked.caller());
    let session = asked.session_parameter()?;
    let located = engine.locate(caller, asked.part("id"), session.as_ref())?;
    let ids = engine.forget_located(caller, &[located], asked.reason()?)?;
    Ok(Reply::json(&ForgottenShape::of(&ids, false)))
}

fn forget(asked: &Asked<'_>) -> Result<Reply> {
    let mut arguments = asked.members(&["ids", "session", "filter", "reason", "dry_run"])?;
    let dry_run = fields::flag(&mut arguments, "dry_run")?;
    let reason = fields::needed(&mut arguments, "reason")?;
    let is_named = has(&arguments, "ids");
    let mut found = targets(asked, &mut arguments, None)?;
    if !is_named {
        // What lies in the trash can only be erased.
        found.retain(|it| it.at != Whereabouts::Deleted);
    }
    if dry_run {
        found.retain(|it| it.memory.state.forgotten.is_none());
        return Ok(told(&found));
    }
    let engine = asked.engine();
    let ids = engine.forget_located(asked.caller(), &found, &reason)?;
    Ok(Reply::json(&ForgottenShape::of(&ids, false)))
}

fn unforget(asked: &Asked<'_>) -> Result<Reply> {
    let mut arguments = asked.members(&["ids", "session", "reason"])?;
    let names = fields::texts(&mut arguments, "ids")?;
    asked.check_batch("ids", names.len())?;
    let session = fields::text(&mut arguments, "session")?;
    let session = session.map(|it| it.parse()).transpose()?;
    let reason = fields::needed(&mut arguments, "reason")?;
    let engine = asked.engine();
    let ids = engine.unforget_named(asked.caller(), &names, session.as_ref(), &reason)?;
    asked.wrote();
    Ok(Reply::json(&ForgottenShape::of(&ids, false)))
}

fn erase(asked: &Asked<'_>) -> Result<Reply> {
    let mut arguments = asked.members(&["ids", "session", "filter", "reason", "dry_run"])?;
    let dry_run = fields::flag(&mut arguments, "dry_run")?;
    let reason = fields::needed(&mut arguments, "reason")?;
    // What is only hidden is what people most want to be rid of.
    let found = targets(asked, &mut arguments, Some(Forgottenness::With))?;
    if dry_run {
        return Ok(told(&found));
    }
    let ids = found.into_iter().map(|it| it.memory.id).collect();
    let erased = asked.engine().erase_ids(asked.caller(), ids, &reason)?;
    Ok(Reply::json(&ErasedShape::of(&erased)))
}

fn told(found: &[Located]) -> Reply {
    let ids: Vec<MemoryId> = found.iter().map(|it| it.memory.id.clone()).collect();
    Reply::json(&ForgottenShape::of(&ids, true).with_put_away(found))
}

/// The memories that are named, or that fit a filter; nothing is done to what is not clearly meant.
fn targets(
    asked: &Asked<'_>,
    arguments: &mut Arguments,
    forgotten: Option<Forgottenness>,
) -> Result<Vec<Located>> {
    let (engine, caller) = (asked.engine(), asked.caller());
    let filter = fields::take(arguments, "filter");
    let names = fields::texts(arguments, "ids")?;
    match (filter, names.is_empty()) {
        (Some(filter), true) => {
            check_narrow(&filter)?;
            let request = RecallRequest::parse(filter)?;
            let now = engine.now();
            let all = Filter {
                limit: LIMIT_MAX,
                ..Filter::all(now.micros())
            };
            let mut filter = request.narrow(all, now, asked.zone)?;
            filter.forgotten = forgotten.unwrap_or(filter.forgotten);
            engine.list_everywhere(caller, &filter)
        }
        (None, false) => {
            asked.check_batch("ids", names.len())?;
            let session = fields::text(arguments, "session")?;
            let session = session.map(|it| it.parse()).transpose()?;
            let locate = |name: &String| engine.locate(caller, name, session.as_ref());
            names.iter().map(locate).collect()
        }
        _ => Err(Error::Rule {
            field: "ids",
            rule: "there, or filter, but not both".into(),
            given: String::new(),
        }),
    }
}

/// Refuses a filter that chooses nothing, which would take everything away, and what does not
/// choose but finds, orders or looks back: what it would take is not clearly meant.
fn check_narrow(filter: &Value) -> Result<()> {
    let Some(members) = filter.as_object() else {
        return Ok(());
    };
    let is_said = |value: &Value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::String(text) => !text.is_empty(),
        _ => true,
    };
    let said = members.iter().filter(|(_, value)| is_said(value));
    let names: Vec<String> = said.map(|(name, _)| snake_case(name)).collect();
    let mut names = names.iter().map(String::as_str);
    let others = ["include_forgotten", "limit", "offset"];
    if let Some(name) = names
        .clone()
        .find(|name| !CHOOSING.contains(name) && !others.contains(name))
    {
        let rule = format!("without {}: it chooses nothing", fields::short(name));
        return Err(fields::wrong("filter", &rule, &Value::Null));
    }
    if !names.any(|name| CHOOSING.contains(&name)) {
        let rule = "of something: {\"all\": true} means everything";
        return Err(fields::wrong("filter", rule, filter));
    }
    Ok(())
}

fn has(arguments: &Arguments, name: &str) -> bool {
    arguments.get(name).is_some_and(|value| !value.is_null())
}

fn locate(asked: &Asked<'_>) -> Result<Reply> {
    let session = asked.session_parameter()?;
    let engine = asked.engine();
    let located = engine.locate(asked.caller(), asked.part("id"), session.as_ref())?;
    Ok(Reply::json(&json!({
        "id": located.memory.id,
        "space": located.memory.space,
        "at": located.at.as_str().unwrap_or("here"),
    })))
}

fn forgotten(asked: &Asked<'_>) -> Result<Reply> {
    let (engine, caller) = (asked.engine(), asked.caller());
    let filter = asked.filter(engine, &[])?;
    let found = engine.list_forgotten(caller, &filter)?;
    let shape = DeletedShape::of(&found.memories, found.total, asked.skew(), &[]);
    Ok(Reply::json(&shape))
}
