//! What readers make of files in the shape of the real ones.

use std::fmt::Write as _;

use mnemon::memory::{Draft, Space};
use mnemon::{Result, Time};
use serde_json::{Value, json};

use super::*;

mod chats;
mod exports;
mod hostile;
mod projects;

/// Everything that is found in a file.
fn pieces(program: Program, file: &str, text: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let about = about(file);
    // Small portions, so that no boundary is spared.
    let mut input = std::io::BufReader::with_capacity(7, text.as_bytes());
    read(program, &mut input, &about, &mut |piece| {
        found.push(piece);
        Ok(())
    })
    .unwrap();
    found
}

fn about(file: &str) -> About<'_> {
    About {
        file,
        user: "ada",
        file_time: "2026-02-01T00:00:00Z".parse().unwrap(),
        space: None,
        extract: false,
    }
}

/// A line for each piece; ids are shortened to what tells them apart.
fn told(pieces: &[Piece]) -> String {
    let mut out = String::new();
    for piece in pieces {
        match piece {
            Piece::Session { id, details } => {
                let metadata = Value::Object(details.metadata.clone());
                let project = details.project.as_deref().unwrap_or("-");
                let made = details.created_at.map_or("-".into(), |it| it.to_string());
                writeln!(out, "= {id} {project} {made} {metadata}").unwrap();
            }
            Piece::Memory {
                place,
                space,
                draft,
            } => writeln!(out, "{}", memory(place, space, draft)).unwrap(),
            Piece::Left { place, why } => match why {
                Why::OnPurpose(why) => writeln!(out, "  - {place}: {why}").unwrap(),
                Why::NotUnderstood(problem) => writeln!(out, "  ! {place}: {problem}").unwrap(),
            },
        }
    }
    out
}

fn memory(place: &str, space: &Space, draft: &Draft) -> String {
    let mut metadata = draft.metadata.clone();
    metadata.remove("source");
    let mut body = draft.body.to_map();
    let parent = body.remove("parent").map_or(String::new(), |it| {
        format!(
            " <{}",
            it.as_str().unwrap().chars().take(10).collect::<String>()
        )
    });
    let turn = draft.turn.as_ref().map_or(String::new(), |it| {
        format!(" @{}", it.as_str().chars().take(10).collect::<String>())
    });
    let id: String = draft
        .id
        .as_ref()
        .unwrap()
        .as_str()
        .chars()
        .take(10)
        .collect();
    let space = match space {
        Space::Session(_) => String::new(),
        other => format!(" in {other}"),
    };
    let author = draft.author.as_ref().map_or("-", |it| it.as_str());
    let text = draft.text.as_str();
    let at = draft.created_at.unwrap();
    let (body, metadata) = (Value::Object(body), Value::Object(metadata));
    format!("{id}{parent}{turn}{space} {author} {at} {text:?} {body} {metadata} ({place})")
}

/// The ids of the memories in a file, in order.
fn ids_of(pieces: &[Piece]) -> Vec<String> {
    let ids = pieces.iter().filter_map(|piece| match piece {
        Piece::Memory { draft, .. } => draft.id.as_ref().map(ToString::to_string),
        _ => None,
    });
    ids.collect()
}

fn lines(values: &[Value]) -> String {
    let lines: Vec<String> = values.iter().map(Value::to_string).collect();
    lines.join("\n") + "\n"
}
