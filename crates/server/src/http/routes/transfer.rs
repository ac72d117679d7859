//! Memories handed out and taken in.

use std::io::{self, Write};

use mnemon::caller::Operation;
use mnemon::engine::{ErasedTexts, ImportItem, ImportOptions};
use mnemon::memory::Space;
use mnemon::session::Session;
use mnemon::{Caller, Error, Mnemon, Result};
use mnemon_wire::{ExportFormat, ExportWriter, Format, ImportedShape, read_import};

use crate::http::asked::{Asked, invalid};
use crate::http::reply::Reply;
use crate::http::route::{Again, Body, ID, Parameter, Route, Sort};
use crate::http::seeded;
use crate::opened::Opened;

pub(super) const ROUTES: &[Route] = &[
    Route::get(
        "/v1/export",
        &[Operation::Export],
        "Hand out memories with all that is known about them, forgotten ones included",
        export,
    )
    .with(&[
        Parameter {
            name: "session",
            sort: Sort::Matching(ID),
            about: "This session (repeatable); everything if nothing is chosen",
        },
        Parameter {
            name: "agent",
            sort: Sort::Matching(ID),
            about: "This agent's long-term memory (repeatable)",
        },
        Parameter {
            name: "shared",
            sort: Sort::Flag,
            about: "The shared memory",
        },
        Parameter {
            name: "format",
            sort: Sort::OneOf(&["jsonl", "json", "yaml", "markdown", "binary"]),
            about: "How it is written",
        },
    ])
    .media("application/x-ndjson")
    .long(),
    Route::post(
        "/v1/import",
        &[Operation::Import],
        "Take in memories; everything is checked before anything is kept",
        import,
    )
    .with(&[
        Parameter {
            name: "format",
            sort: Sort::OneOf(&["auto", "jsonl", "json", "yaml", "markdown", "binary"]),
            about: "How it is written",
        },
        Parameter {
            name: "session",
            sort: Sort::Matching(ID),
            about: "Put everything into this session, whatever the body says",
        },
        Parameter {
            name: "even_erased",
            sort: Sort::Flag,
            about: "Take texts too that were erased from this store once",
        },
        Parameter {
            name: "dry_run",
            sort: Sort::Flag,
            about: "Only tell what would be done",
        },
    ])
    .takes(Body::Bytes)
    .answers("Imported")
    .long()
    .again(Again::Meets),
];

fn export(asked: &Asked<'_>) -> Result<Reply> {
    let mut spaces = Vec::new();
    for (name, value) in &asked.query {
        match name.as_str() {
            "session" => spaces.push(Space::Session(value.parse()?)),
            "agent" => spaces.push(Space::Agent(value.parse()?)),
            _ => {}
        }
    }
    if asked.flag("shared")? {
        spaces.push(Space::Shared);
    }
    let (format, media) = match asked.parameter("format")?.unwrap_or("jsonl") {
        "jsonl" => (ExportFormat::Jsonl, "application/x-ndjson"),
        "json" => (ExportFormat::Json, "application/json"),
        "yaml" => (ExportFormat::Yaml, "application/yaml"),
        "markdown" => (ExportFormat::Markdown, "text/markdown; charset=utf-8"),
        "binary" => (ExportFormat::Binary, "application/octet-stream"),
        _ => {
            let problem = "must be jsonl, json, yaml, markdown or binary";
            return Err(invalid("format", problem));
        }
    };
    let (engine, caller) = (asked.engine(), asked.caller());
    // Before the first byte: half an answer looks like a whole one.
    for space in &spaces {
        match space {
            Space::Session(session) => drop(engine.session(caller, session)?),
            Space::Agent(agent) => drop(engine.long_term_stats(caller, agent)?),
            Space::Shared => {}
        }
    }
    let mut sessions = engine.sessions(caller)?;
    let is_in = |session: &Session| {
        let mut chosen = spaces.iter();
        spaces.is_empty() || chosen.any(|space| space.session() == Some(&session.id))
    };
    sessions.retain(is_in);
    sessions.sort_by(|a, b| a.id.cmp(&b.id));
    let (opened, skew): (Opened, u64) = (asked.opened.clone(), asked.skew());
    Ok(Reply::written(
        media,
        Box::new(move |pieces| {
            let mut writer = ExportWriter::new(pieces, format, &sessions, skew)?;
            write_memories(&mut writer, &opened.engine, &opened.caller, &spaces)?;
            writer.finish()
        }),
    ))
}

/// One after another, so that a large store needs no large memory.
fn write_memories(
    writer: &mut ExportWriter<'_, impl Write>,
    engine: &Mnemon,
    caller: &Caller,
    spaces: &[Space],
) -> io::Result<()> {
    let mut failed = None;
    let ended = engine.export(caller, spaces, &mut |memory| {
        // What is sealed and was not opened has nothing to hand out.
        if memory.closed().is_some() {
            return Ok(());
        }
        writer.add(&memory).map_err(|error| {
            failed = Some(error);
            // Only ends the walk; ours says what happened.
            Error::QueryTimeout
        })
    });
    match failed {
        Some(error) => Err(error),
        None => ended.map_err(io::Error::other),
    }
}

fn import(asked: &Asked<'_>) -> Result<Reply> {
    let format = match asked.parameter("format")?.unwrap_or("auto") {
        "auto" => Format::Auto,
        "jsonl" => Format::Jsonl,
        "json" => Format::Json,
        "yaml" => Format::Yaml,
        "markdown" => Format::Markdown,
        "binary" => Format::Binary,
        _ => {
            let problem = "must be auto, jsonl, json, yaml, markdown or binary";
            return Err(invalid("format", problem));
        }
    };
    let session = asked.session_parameter()?;
    let dry_run = asked.flag("dry_run")?;
    let mut items = read_import(&asked.body, format, session.as_ref())?;
    if let Some(seed) = &asked.seed {
        let drafts = items.iter_mut().filter_map(|item| match item {
            ImportItem::Memory { draft, .. } => Some(&mut **draft),
            ImportItem::Session { .. } => None,
        });
        seeded::name_drafts(seed, drafts);
    }
    let options = ImportOptions {
        erased_texts: if asked.flag("even_erased")? {
            ErasedTexts::ComeBack
        } else {
            ErasedTexts::StayOut
        },
        dry_run,
    };
    let engine = asked.engine();
    let imported = engine.import(asked.caller(), items, options, &mut |_| ())?;
    asked.wrote();
    Ok(Reply::json(&ImportedShape::of(&imported, dry_run)))
}
