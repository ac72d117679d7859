//! What an agent holds now: working memory and context window.

use mnemon::agent::{Key, Scope};
use mnemon::caller::Operation;
use mnemon::engine::{Clearing, NewEntry, NewItem};
use mnemon::memory::{AgentId, Importance, Tag};
use mnemon::{Error, Result};
use mnemon_wire::{AddedShape, EntryShape, WindowShape, WorkingSetShape, WorkingShape};
use serde_json::{Value, json};

use crate::http::asked::Asked;
use crate::http::reply::Reply;
use crate::http::route::{Again, Body, Parameter, Route, Sort};
use crate::request::fields::{self, Arguments};

/// More than any model reads at once.
const BUDGET_MAX: u64 = 100_000_000;

const SCOPE: Parameter = Parameter {
    name: "scope",
    sort: Sort::Matching("^[A-Za-z0-9_.-]{0,64}$"),
    about: "The scope, such as task or task/step; the outermost if there is none",
};

pub(super) const ROUTES: &[Route] = &[
    Route::get(
        "/v1/agents/{agent}/working",
        &[Operation::Working],
        "List what an agent holds; with a scope what is seen from there, each name once",
        list,
    )
    .with(&[SCOPE])
    .answers("Working"),
    Route::delete(
        "/v1/agents/{agent}/working",
        &[Operation::ClearWorking],
        "Let go of a scope and all within it, or of everything",
        clear,
    )
    .with(&[SCOPE])
    .answers("Counted"),
    Route::get(
        "/v1/agents/{agent}/working/{key}",
        &[Operation::Working],
        "Tell a value, the innermost that is seen from a scope",
        get,
    )
    .with(&[SCOPE])
    .answers("Entry"),
    Route::put(
        "/v1/agents/{agent}/working/{key}",
        &[Operation::SetWorking],
        "Hold a value",
        set,
    )
    .with(&[SCOPE])
    .takes(Body::Json("NewEntry"))
    .answers("WorkingSet"),
    Route::delete(
        "/v1/agents/{agent}/working/{key}",
        &[Operation::DropWorking],
        "Let go of a value, in just that scope",
        drop_one,
    )
    .with(&[SCOPE])
    .answers("Counted"),
    Route::get(
        "/v1/agents/{agent}/window",
        &[Operation::Window],
        "List what an agent has before its eyes",
        window,
    )
    .answers("Window"),
    Route::post(
        "/v1/agents/{agent}/window",
        &[Operation::AddToWindow],
        "Add something to the window; what matters least falls out if need be",
        add,
    )
    .takes(Body::Json("NewItem"))
    .answers("Added")
    .makes()
    .again(Again::Unknown),
    Route::delete(
        "/v1/agents/{agent}/window",
        &[Operation::ClearWindow],
        "Take all out of the window that is not pinned, or really all",
        clear_window,
    )
    .with(&[Parameter {
        name: "all",
        sort: Sort::Flag,
        about: "Pinned items too",
    }])
    .answers("Counted"),
    Route::delete(
        "/v1/agents/{agent}/window/{item}",
        &[Operation::ClearWindow],
        "Take an item out of the window",
        take_out,
    )
    .answers("Counted"),
    Route::post(
        "/v1/agents/{agent}/window/pin",
        &[Operation::PinInWindow],
        "Keep items of the window whatever comes, or let them fall out again",
        pin,
    )
    .takes(Body::Json("Pin"))
    .answers("Window"),
    Route::put(
        "/v1/agents/{agent}/window/budget",
        &[Operation::SetWindowBudget],
        "Change how many tokens the window may hold",
        budget,
    )
    .takes(Body::Json("Budget"))
    .answers("Object"),
];

fn scope(asked: &Asked<'_>) -> Result<Scope> {
    asked.parameter("scope")?.unwrap_or_default().parse()
}

fn counted(agent: &AgentId, count: usize) -> Reply {
    Reply::json(&json!({ "agent": agent, "count": count }))
}

fn list(asked: &Asked<'_>) -> Result<Reply> {
    let agent = asked.agent_part()?;
    let working = asked.engine().working(asked.caller(), &agent)?;
    let mut rows = Vec::new();
    if asked.parameter("scope")?.is_some() {
        let seen = working.seen_from(&scope(asked)?).into_iter();
        rows.extend(seen.map(|(key, (scope, entry))| (scope, key, entry)));
    } else {
        rows.extend(working.all().map(|(s, key, entry)| (s.clone(), key, entry)));
    }
    let entries = rows.iter();
    Ok(Reply::json(&WorkingShape {
        agent: &agent,
        entries: entries
            .map(|(scope, key, entry)| EntryShape::of(scope, key, entry))
            .collect(),
        total: rows.len(),
    }))
}

fn clear(asked: &Asked<'_>) -> Result<Reply> {
    let agent = asked.agent_part()?;
    let scope = scope(asked)?;
    let count = asked
        .engine()
        .clear_working(asked.caller(), &agent, &scope)?;
    Ok(counted(&agent, count))
}

fn get(asked: &Asked<'_>) -> Result<Reply> {
    let (agent, key) = (asked.agent_part()?, asked.part("key").parse::<Key>()?);
    let working = asked.engine().working(asked.caller(), &agent)?;
    let found = working.get(&scope(asked)?, &key);
    let (scope, entry) = found.ok_or_else(|| Error::Missing {
        what: format!("value {key} in what {agent} holds"),
        suggestion: "GET the working memory to see what is held.",
    })?;
    Ok(Reply::json(&EntryShape::of(&scope, &key, entry)))
}

fn set(asked: &Asked<'_>) -> Result<Reply> {
    let (agent, key) = (asked.agent_part()?, asked.part("key").parse::<Key>()?);
    let scope = scope(asked)?;
    let mut arguments = asked.members(&["value", "importance", "tags", "pinned"])?;
    // Null is a value that can be held.
    let value = arguments.remove("value");
    let new = NewEntry {
        value: value.ok_or_else(|| fields::missing("value"))?,
        importance: importance(&mut arguments, "importance")?.unwrap_or_default(),
        tags: fields::texts(&mut arguments, "tags")?
            .iter()
            .map(|tag| tag.parse())
            .collect::<Result<Vec<Tag>>>()?,
        pinned: fields::flag(&mut arguments, "pinned")?,
    };
    let (before, redacted) = asked.engine().set_working(
        asked.caller(),
        &agent,
        (&scope, &key),
        new,
        mnemon_tokens::count,
    )?;
    let is_replaced = before.is_some();
    let shape = WorkingSetShape::of(&agent, (&scope, &key), is_replaced, &redacted);
    Ok(Reply::json(&shape))
}

fn importance(arguments: &mut Arguments, field: &'static str) -> Result<Option<Importance>> {
    let Some(value) = fields::take(arguments, field) else {
        return Ok(None);
    };
    let wrong = || fields::wrong(field, "a number from 0 to 1", &value);
    let number = value.as_f64().ok_or_else(wrong)?;
    Importance::try_from(number).map(Some)
}

fn drop_one(asked: &Asked<'_>) -> Result<Reply> {
    let (agent, key) = (asked.agent_part()?, asked.part("key").parse::<Key>()?);
    let scope = scope(asked)?;
    let gone = asked
        .engine()
        .drop_working(asked.caller(), &agent, &scope, &[key])?;
    Ok(counted(&agent, gone.len()))
}

fn window(asked: &Asked<'_>) -> Result<Reply> {
    let agent = asked.agent_part()?;
    let window = asked.engine().window(asked.caller(), &agent)?;
    let shape = WindowShape::of(&agent, &window, mnemon_tokens::TOKENIZER);
    Ok(Reply::json(&shape))
}

fn add(asked: &Asked<'_>) -> Result<Reply> {
    let agent = asked.agent_part()?;
    let (engine, caller) = (asked.engine(), asked.caller());
    let mut arguments = asked.members(&["text", "memory", "session", "priority", "pinned"])?;
    let memory = fields::text(&mut arguments, "memory")?;
    let session = fields::text(&mut arguments, "session")?;
    let session = session.map(|it| it.parse()).transpose()?;
    let memory = match memory {
        Some(name) => Some(engine.find(caller, &name, session.as_ref())?.id),
        None => None,
    };
    let text = fields::text(&mut arguments, "text")?;
    if text.is_none() && memory.is_none() {
        return Err(fields::missing("text"));
    }
    let new = NewItem {
        text: text.unwrap_or_default(),
        priority: importance(&mut arguments, "priority")?,
        pinned: fields::flag(&mut arguments, "pinned")?,
        memory,
    };
    let (added, redacted) = engine.add_to_window(caller, &agent, new, mnemon_tokens::count)?;
    Ok(Reply::json(&AddedShape::of(&added, &redacted)))
}

fn clear_window(asked: &Asked<'_>) -> Result<Reply> {
    let which = if asked.flag("all")? {
        Clearing::All
    } else {
        Clearing::Loose
    };
    cleared(asked, &which)
}

fn take_out(asked: &Asked<'_>) -> Result<Reply> {
    cleared(asked, &Clearing::These(vec![asked.part("item").to_owned()]))
}

fn cleared(asked: &Asked<'_>, which: &Clearing) -> Result<Reply> {
    let agent = asked.agent_part()?;
    let count = asked.engine().clear_window(asked.caller(), &agent, which)?;
    Ok(counted(&agent, count))
}

fn pin(asked: &Asked<'_>) -> Result<Reply> {
    let agent = asked.agent_part()?;
    let mut arguments = asked.members(&["items", "pinned"])?;
    let items = fields::texts(&mut arguments, "items")?;
    asked.check_batch("items", items.len())?;
    let pinned = match fields::take(&mut arguments, "pinned") {
        None => true,
        Some(Value::Bool(pinned)) => pinned,
        Some(other) => return Err(fields::wrong("pinned", "true or false", &other)),
    };
    let engine = asked.engine();
    engine.pin_in_window(asked.caller(), &agent, &items, pinned)?;
    window(asked)
}

fn budget(asked: &Asked<'_>) -> Result<Reply> {
    let agent = asked.agent_part()?;
    let mut arguments = asked.members(&["tokens"])?;
    let tokens = fields::whole(&mut arguments, "tokens", 1, BUDGET_MAX)?;
    let tokens = tokens.ok_or_else(|| fields::missing("tokens"))?;
    let tokens = usize::try_from(tokens).unwrap_or(usize::MAX);
    let engine = asked.engine();
    let fallen = engine.set_window_budget(asked.caller(), &agent, tokens)?;
    Ok(Reply::json(
        &json!({ "agent": agent, "budget": tokens, "fallen_out": fallen }),
    ))
}
