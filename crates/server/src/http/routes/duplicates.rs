//! What says the same as something older: found, linked, and taken back.

use mnemon::Result;
use mnemon::caller::Operation;
use mnemon::consolidate::{DuplicateOptions, LIKENESS_MIN};
use mnemon::memory::Memory;
use mnemon_wire::{ConsolidatedShape, DuplicatesShape};

use crate::http::asked::Asked;
use crate::http::reply::Reply;
use crate::http::route::{Again, Body, Parameter, Route, Sort};
use crate::request::fields;

const MIN_SIMILARITY: Parameter = Parameter {
    name: "min_similarity",
    sort: Sort::Share,
    about: "Only what is at least this much alike",
};

pub(super) const ROUTES: &[Route] = &[
    Route::get(
        "/v1/duplicates",
        &[Operation::Duplicates],
        "Find memories that say what an older one says",
        list,
    )
    .with(&[MIN_SIMILARITY])
    .filtered()
    .answers("Duplicates")
    .long(),
    Route::post(
        "/v1/duplicates/link",
        &[Operation::LinkDuplicates],
        "Link each duplicate to the memory that counts for it",
        link,
    )
    .with(&[MIN_SIMILARITY])
    .filtered()
    .answers("Consolidated")
    .long()
    .again(Again::Meets),
    Route::post(
        "/v1/duplicates/unlink",
        &[Operation::UnlinkDuplicates],
        "Unlink memories that say something else, and don't take them for duplicates again",
        unlink,
    )
    .takes(Body::Json("Names"))
    .answers("Consolidated")
    .again(Again::Meets),
];

fn options(asked: &Asked<'_>) -> Result<DuplicateOptions> {
    let least = asked.request(&[])?.min_similarity;
    Ok(DuplicateOptions {
        filter: asked.filter(asked.engine(), &[])?,
        likeness_min: least.unwrap_or(LIKENESS_MIN),
    })
}

fn list(asked: &Asked<'_>) -> Result<Reply> {
    let options = options(asked)?;
    let groups = asked.engine().duplicates(asked.caller(), &options)?;
    let (limit, offset) = (options.filter.limit, options.filter.offset);
    let last = offset.saturating_add(limit).min(groups.len());
    let page = groups.get(offset..last).unwrap_or_default();
    Ok(Reply::json(&DuplicatesShape::of(page, groups.len())))
}

fn link(asked: &Asked<'_>) -> Result<Reply> {
    let done = asked
        .engine()
        .link_duplicates(asked.caller(), &options(asked)?)?;
    asked.wrote();
    Ok(Reply::json(&ConsolidatedShape::of(&done)))
}

fn unlink(asked: &Asked<'_>) -> Result<Reply> {
    let mut arguments = asked.members(&["ids", "session"])?;
    let names = fields::texts(&mut arguments, "ids")?;
    asked.check_batch("ids", names.len())?;
    let session = fields::text(&mut arguments, "session")?;
    let session = session.map(|it| it.parse()).transpose()?;
    let (engine, caller) = (asked.engine(), asked.caller());
    let find = |name: &String| engine.find(caller, name, session.as_ref());
    let memories: Vec<Memory> = names.iter().map(find).collect::<Result<_>>()?;
    let done = engine.unlink_duplicates(caller, &memories)?;
    asked.wrote();
    Ok(Reply::json(&ConsolidatedShape::of(&done)))
}
