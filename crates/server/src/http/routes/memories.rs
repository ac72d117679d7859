//! Memories: kept, read, changed, and what they are beside.

use mnemon::Result;
use mnemon::caller::Operation;
use mnemon::engine::Remembered;
use mnemon::memory::{Draft, Limits, Memory, Revision, Space};
use mnemon::recall::{RelatedOptions, SimilarOptions};
use mnemon::store::{Forgottenness, OnFull, What};
use mnemon::{Error, Mnemon};
use mnemon_wire::{
    HistoryShape, MemoriesShape, MemoryShape, RelatedShape, RememberedShape, SimilarShape,
};
use serde_json::{Value, json};

use crate::http::asked::Asked;
use crate::http::reply::Reply;
use crate::http::route::{Again, Body, ID, Parameter, Route, Sort};
use crate::http::seeded;
use crate::request::draft::{Reader, ids_of};
use crate::request::fields::{self, Arguments};
use crate::request::{members, revision, scope};

const SESSION: Parameter = Parameter {
    name: "session",
    sort: Sort::Matching(ID),
    about: "The session in which a bare handle is looked up",
};

const AS_OF: Parameter = Parameter {
    name: "as_of",
    sort: Sort::Text,
    about: "As it was then",
};

pub(super) const ROUTES: &[Route] = &[
    Route::post(
        "/v1/memories",
        &[Operation::Remember],
        "Keep a memory",
        remember,
    )
    .takes(Body::Json("NewMemory"))
    .answers("Remembered")
    .makes()
    .again(Again::Meets),
    Route::post(
        "/v1/memories/batch",
        &[Operation::RememberAll, Operation::Transact],
        "Keep memories of one space, all of them or none",
        remember_all,
    )
    .takes(Body::Json("NewMemories"))
    .answers("RememberedMany")
    .makes()
    .again(Again::Meets),
    Route::get(
        "/v1/memories",
        &[Operation::List],
        "List memories, the newest first",
        list,
    )
    .with(&[AS_OF])
    .filtered()
    .answers("Memories"),
    Route::post(
        "/v1/memories/get",
        &[Operation::GetMany],
        "Read memories by their names; what is not there is left out",
        get_many,
    )
    .takes(Body::Json("Names"))
    .answers("Memories"),
    Route::get(
        "/v1/memories/{id}",
        &[Operation::Get, Operation::Find],
        "Read a memory by its id, or by SESSION%2FHANDLE",
        get,
    )
    .with(&[
        SESSION,
        AS_OF,
        Parameter {
            name: "include_forgotten",
            sort: Sort::Flag,
            about: "Even if it is forgotten; that does not count as an access",
        },
    ])
    .answers("Memory"),
    Route::patch(
        "/v1/memories/{id}",
        &[Operation::Revise],
        "Change a memory; its history is kept",
        revise,
    )
    .with(&[SESSION])
    .takes(Body::Json("Revision"))
    .answers("Memory")
    .again(Again::Meets),
    Route::get(
        "/v1/memories/{id}/history",
        &[Operation::History],
        "Tell what happened to a memory",
        history,
    )
    .with(&[SESSION, AS_OF])
    .answers("History"),
    Route::get(
        "/v1/memories/{id}/related",
        &[Operation::Related],
        "Follow what a memory names, and what names it",
        related,
    )
    .with(&[
        AS_OF,
        Parameter {
            name: "depth",
            sort: Sort::Count(RelatedOptions::DEPTH_MAX as u64),
            about: "How many steps away, from 1 on",
        },
    ])
    .filtered()
    .answers("Related"),
    Route::get(
        "/v1/memories/{id}/similar",
        &[Operation::Similar],
        "Find memories that mean nearly the same",
        similar,
    )
    .with(&[
        AS_OF,
        Parameter {
            name: "min_similarity",
            sort: Sort::Share,
            about: "At least this near in meaning",
        },
    ])
    .filtered()
    .answers("Similar"),
];

fn remember(asked: &Asked<'_>) -> Result<Reply> {
    let mut members = asked.object()?;
    let space = scope::space(&mut members)?;
    let kept = keep(asked, space.as_ref(), vec![(None, members)])?;
    let kept = kept
        .into_iter()
        .next()
        .ok_or_else(|| fields::missing("text"))?;
    let location = format!("/v1/memories/{}", kept.id);
    Ok(Reply::json(&RememberedShape::of(&kept)).with("location", location))
}

fn remember_all(asked: &Asked<'_>) -> Result<Reply> {
    let known = ["memories", "session", "agent", "shared", "space"];
    let mut arguments = asked.members(&known)?;
    let space = scope::space(&mut arguments)?;
    let items = match fields::take(&mut arguments, "memories") {
        Some(Value::Array(items)) => items,
        Some(other) => return Err(fields::wrong("memories", "a list", &other)),
        None => return Err(fields::missing("memories")),
    };
    asked.check_batch("memories", items.len())?;
    let items = items.into_iter().enumerate().map(|(number, item)| {
        let place = format!("memories[{number}]");
        match item {
            Value::Object(members) => Ok((Some(place), members)),
            other => Err(fields::wrong("memories", "a list of objects", &other)),
        }
    });
    let kept = keep(asked, space.as_ref(), items.collect::<Result<_>>()?)?;
    let shapes: Vec<_> = kept.iter().map(RememberedShape::of).collect();
    Ok(Reply::json(
        &json!({ "memories": shapes, "total": shapes.len() }),
    ))
}

/// Keeps memories of one space together; each may stand at a place of the request.
fn keep(
    asked: &Asked<'_>,
    space: Option<&Space>,
    items: Vec<(Option<String>, Arguments)>,
) -> Result<Vec<Remembered>> {
    let own_ids = ids_of(items.iter().map(|(_, members)| members));
    let default = space.cloned().unwrap_or(Space::Shared);
    let reader = Reader {
        opened: &asked.opened,
        zone: asked.zone,
        default: &default,
        own_ids: &own_ids,
    };
    let mut drafts: Vec<Draft> = Vec::with_capacity(items.len());
    let mut goes_to: Option<Space> = None;
    for (place, mut members) in items {
        let read = || -> Result<(Space, Draft)> {
            let own = scope::space(&mut members)?;
            members::check(&mut members)?;
            reader.read(own.or_else(|| space.cloned()), members)
        };
        let (own, draft) = read().map_err(|error| match place {
            None => error,
            Some(place) => Error::At {
                place,
                source: Box::new(error),
            },
        })?;
        if goes_to.as_ref().is_some_and(|it| *it != own) {
            return Err(Error::Rule {
                field: "space",
                rule: "the same for all of one request, which are kept together".into(),
                given: own.to_string(),
            });
        }
        goes_to = Some(own);
        drafts.push(draft);
    }
    let space = goes_to.unwrap_or(default);
    if let Some(seed) = &asked.seed {
        seeded::name_drafts(seed, drafts.iter_mut());
    }
    let (engine, caller) = (asked.engine(), asked.caller());
    let kept = engine.remember_all(caller, &space, drafts, OnFull::Refuse)?;
    asked.wrote();
    Ok(kept)
}

fn list(asked: &Asked<'_>) -> Result<Reply> {
    asked.at_moment(|engine| {
        let filter = asked.filter(engine, &["as_of"])?;
        let found = engine.list(asked.caller(), &filter)?;
        let shape = MemoriesShape::of(&found.memories, found.total, asked.skew());
        Ok(Reply::json(&shape))
    })
}

fn get_many(asked: &Asked<'_>) -> Result<Reply> {
    let mut arguments = asked.members(&["ids", "session"])?;
    let names = fields::texts(&mut arguments, "ids")?;
    asked.check_batch("ids", names.len())?;
    let session = fields::text(&mut arguments, "session")?;
    let session = session.map(|it| it.parse()).transpose()?;
    let engine = asked.engine();
    let found = engine.get_many(asked.caller(), &names, session.as_ref())?;
    let total = found.len() as u64;
    Ok(Reply::json(&MemoriesShape::of(&found, total, asked.skew())))
}

fn get(asked: &Asked<'_>) -> Result<Reply> {
    let (name, session) = (asked.part("id"), asked.session_parameter()?);
    let forgotten_too = asked.flag("include_forgotten")?;
    asked.at_moment(|engine| {
        let memory = if forgotten_too {
            engine.find(asked.caller(), name, session.as_ref())?
        } else {
            engine.get(asked.caller(), name, session.as_ref())?
        };
        shown(asked, engine, &memory)
    })
}

/// A memory with its version as the tag that `If-Match` takes.
fn shown(asked: &Asked<'_>, engine: &Mnemon, memory: &Memory) -> Result<Reply> {
    let faded = engine.fade(memory)?;
    let shape = MemoryShape::of(memory, asked.skew()).with_fading(&faded);
    Ok(Reply::json(&shape).with("etag", format!("\"{}\"", memory.version)))
}

fn revise(asked: &Asked<'_>) -> Result<Reply> {
    let mut arguments = asked.members(&revision::KNOWN)?;
    let (engine, caller) = (asked.engine(), asked.caller());
    let session = asked.session_parameter()?;
    let mut revision = revision::plain(&mut arguments)?;
    let memory = engine.find(caller, asked.part("id"), session.as_ref())?;
    revision::add_links(
        &asked.opened,
        &memory,
        session.as_ref(),
        &mut arguments,
        &mut revision,
    )?;
    revision::refuse_empty(&revision)?;
    let after = match engine.revise(caller, &memory, asked.if_match, revision.clone()) {
        Err(error @ Error::VersionMismatch { .. }) if asked.begun_before => {
            changed_before(asked, &memory, revision)?.ok_or(error)?
        }
        after => after?,
    };
    asked.wrote();
    shown(asked, engine, &after)
}

/// The version that the same change made before, when nobody could say so any more: the one behind
/// what it was made for, by the same caller, which the change would leave as it is.
fn changed_before(
    asked: &Asked<'_>,
    memory: &Memory,
    mut revision: Revision,
) -> Result<Option<Memory>> {
    let (engine, caller) = (asked.engine(), asked.caller());
    engine.redactor().redact_revision(&mut revision)?;
    let version = asked.if_match.map(|before| before + 1);
    let limits = &engine.config().limits;
    let limits = Limits {
        session_entry_bytes_max: limits.session_entry_bytes_max,
        long_term_entry_bytes_max: limits.long_term_entry_bytes_max,
    };
    let (_, changes) = engine.history(caller, memory.id.as_str(), None)?;
    for change in changes {
        let is_own = change.by.as_deref() == Some(caller.name());
        if let What::Revised(then) = change.what
            && is_own
            && Some(then.version) == version
        {
            let again = revision.apply(&then, caller.name(), then.updated_at, &limits)?;
            return Ok((again == *then).then_some(*then));
        }
    }
    Ok(None)
}

fn history(asked: &Asked<'_>) -> Result<Reply> {
    let session = asked.session_parameter()?;
    asked.at_moment(|engine| {
        let name = asked.part("id");
        let (memory, changes) = engine.history(asked.caller(), name, session.as_ref())?;
        Ok(Reply::json(&HistoryShape::of(&memory, &changes)))
    })
}

fn related(asked: &Asked<'_>) -> Result<Reply> {
    let session = asked.session_parameter()?;
    let depth = asked.count("depth", RelatedOptions::DEPTH_MAX.into())?;
    asked.at_moment(|engine| {
        let request = asked.request(&["as_of", "depth", "session"])?;
        let (filter, sort) = asked.narrowed(engine, &request)?;
        let mut options = RelatedOptions::new(filter);
        options.sort = sort;
        if let Some(depth) = depth.and_then(|depth| u32::try_from(depth).ok()) {
            options.depth = depth;
        }
        let name = asked.part("id");
        let related = engine.related(asked.caller(), name, session.as_ref(), &options)?;
        let offset = options.filter.offset;
        Ok(Reply::json(&RelatedShape::of(
            &related,
            offset,
            asked.skew(),
        )))
    })
}

fn similar(asked: &Asked<'_>) -> Result<Reply> {
    let session = asked.session_parameter()?;
    asked.at_moment(|engine| {
        let request = asked.request(&["as_of", "session"])?;
        let (filter, sort) = asked.narrowed(engine, &request)?;
        let (caller, name) = (asked.caller(), asked.part("id"));
        let memory = if filter.forgotten == Forgottenness::Without {
            engine.get(caller, name, session.as_ref())?
        } else {
            engine.find(caller, name, session.as_ref())?
        };
        let mut options = SimilarOptions::new(filter);
        options.filter.limit = request.limit.unwrap_or(options.filter.limit);
        options.sort = sort;
        options.min_similarity = request.min_similarity.unwrap_or(options.min_similarity);
        let similar = engine.similar(caller, &memory, &options)?;
        Ok(Reply::json(&SimilarShape::of(
            &memory.id,
            &similar,
            asked.skew(),
        )))
    })
}
