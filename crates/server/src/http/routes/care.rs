//! Looking after the store.

use std::path::Path;

use mnemon::caller::Operation;
use mnemon::engine::MaintainOptions;
use mnemon::memory::TokenId;
use mnemon::store::RepairOptions;
use mnemon::{Error, Result};
use mnemon_wire::{
    AuditShape, BackedUpShape, EmbeddedShape, MaintainedShape, ReindexedShape, RepairShape,
    SealingShape, StatsShape, VerificationShape,
};
use serde_json::json;

use crate::http::asked::Asked;
use crate::http::reply::Reply;
use crate::http::route::{Again, Body, Parameter, Route, Sort};
use crate::request::fields;

/// Ten years.
const AHEAD_DAYS_MAX: u64 = 3_650;

pub(super) const ROUTES: &[Route] = &[
    Route::get(
        "/v1/stats",
        &[Operation::Stats],
        "Count memories and bytes",
        stats,
    )
    .answers("Stats"),
    Route::get(
        "/v1/audit",
        &[Operation::Audit],
        "Tell what was forgotten, erased, archived and deleted, by whom and why",
        audit,
    )
    .with(&[Parameter {
        name: "limit",
        sort: Sort::Count(1_000_000),
        about: "The last so many",
    }])
    .answers("Audit"),
    Route::get(
        "/v1/embedding",
        &[Operation::Embedding],
        "Tell who makes vectors, and how many are missing",
        embedding,
    )
    .answers("Object"),
    Route::post(
        "/v1/embedding/run",
        &[Operation::EmbedPending],
        "Embed what waits for the service that the settings name",
        embed,
    )
    .answers("Object")
    .long(),
    Route::get(
        "/v1/sealing",
        &[Operation::Sealing],
        "Tell what is sealed, and by which key",
        sealing,
    )
    .answers("Object"),
    Route::post(
        "/v1/maintenance",
        &[Operation::Maintain],
        "Do all that is due: retention, purging, archiving, care of the index",
        maintain,
    )
    .takes(Body::MaybeJson("Maintain"))
    .answers("Object")
    .long(),
    Route::post(
        "/v1/maintenance/verify",
        &[Operation::Verify],
        "Check every line and the index",
        verify,
    )
    .answers("Verification")
    .long(),
    Route::post(
        "/v1/maintenance/repair",
        &[Operation::Repair],
        "Set damage aside and make the index anew",
        repair,
    )
    .takes(Body::MaybeJson("Repair"))
    .answers("Object")
    .long(),
    Route::post(
        "/v1/maintenance/reindex",
        &[Operation::Reindex],
        "Make the index anew",
        reindex,
    )
    .answers("Object")
    .long(),
    Route::post(
        "/v1/backup",
        &[Operation::BackUp],
        "Copy the whole store into a folder below backup.folder",
        back_up,
    )
    .takes(Body::Json("Backup"))
    .answers("Object")
    .makes()
    .long()
    .again(Again::Unknown),
];

fn stats(asked: &Asked<'_>) -> Result<Reply> {
    let (engine, caller) = (asked.engine(), asked.caller());
    let (stats, embedding) = (engine.stats(caller)?, engine.embedding(caller)?);
    Ok(Reply::json(&StatsShape::of(&stats, &embedding)))
}

fn audit(asked: &Asked<'_>) -> Result<Reply> {
    let limit = asked.count("limit", 1_000_000)?;
    let limit = limit.and_then(|it| usize::try_from(it).ok());
    asked.check_page(limit)?;
    let limit = limit.unwrap_or(asked.limits().page_max);
    let all = asked.engine().audit(asked.caller())?;
    let shown = &all[all.len().saturating_sub(limit)..];
    Ok(Reply::json(&AuditShape::of(shown, all.len())))
}

fn embedding(asked: &Asked<'_>) -> Result<Reply> {
    let report = asked.engine().embedding(asked.caller())?;
    Ok(Reply::json(&json!({
        "embedder": report.embedder,
        "dimension": report.dimension,
        "answering": report.answering,
        "waiting": report.waiting,
    })))
}

fn embed(asked: &Asked<'_>) -> Result<Reply> {
    let engine = asked.engine();
    let done = engine.embed_pending(asked.caller(), usize::MAX, None, &mut |_| ())?;
    Ok(Reply::json(&EmbeddedShape::of(done)))
}

fn sealing(asked: &Asked<'_>) -> Result<Reply> {
    let sealing = asked.engine().sealing(asked.caller())?;
    // Whether the key fits is looked at where the key is.
    Ok(Reply::json(&SealingShape::of(&sealing, None)))
}

fn maintain(asked: &Asked<'_>) -> Result<Reply> {
    let mut arguments = asked.members(&["dry_run", "ahead_days"])?;
    let ahead = fields::whole(&mut arguments, "ahead_days", 0, AHEAD_DAYS_MAX)?;
    let options = MaintainOptions {
        dry_run: fields::flag(&mut arguments, "dry_run")?,
        ahead_days: ahead.and_then(|it| u32::try_from(it).ok()).unwrap_or(0),
        until: None,
    };
    let done = asked.engine().maintain(asked.caller(), &options)?;
    Ok(Reply::json(&MaintainedShape::of(&done, options.dry_run)))
}

fn verify(asked: &Asked<'_>) -> Result<Reply> {
    let done = asked.engine().verify(asked.caller(), &mut |_| ())?;
    Ok(Reply::json(&VerificationShape::of(&done)))
}

fn repair(asked: &Asked<'_>) -> Result<Reply> {
    let mut arguments = asked.members(&["accept_edits"])?;
    let options = RepairOptions {
        accept_edits: fields::flag(&mut arguments, "accept_edits")?,
    };
    let engine = asked.engine();
    let done = engine.repair(asked.caller(), options, &mut |_| ())?;
    Ok(Reply::json(&RepairShape::of(&done)))
}

fn reindex(asked: &Asked<'_>) -> Result<Reply> {
    let done = asked.engine().reindex(asked.caller(), &mut |_| ())?;
    Ok(Reply::json(&ReindexedShape::of(&done)))
}

fn back_up(asked: &Asked<'_>) -> Result<Reply> {
    let mut arguments = asked.members(&["name"])?;
    let name = fields::needed(&mut arguments, "name")?;
    // The rule of ids: letters, digits, _ and -, so that it never leads elsewhere.
    let name: TokenId = name.parse().map_err(|_| Error::Rule {
        field: "name",
        rule: "1 to 64 letters, digits, _ or -".into(),
        given: fields::short(&name),
    })?;
    let folder = &asked.engine().config().backup.folder;
    if folder.is_empty() {
        return Err(Error::Rule {
            field: "backup.folder",
            rule: "set before back-ups are asked for over HTTP".into(),
            given: String::new(),
        });
    }
    let folder = Path::new(folder).join(name.as_str());
    let done = asked.engine().back_up(asked.caller(), &folder)?;
    Ok(Reply::json(&BackedUpShape::of(&done)))
}
