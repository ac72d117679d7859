//! One memory with all that is known of it: its record, and what happened to it.

use std::fmt::Write as _;

use mnemon::Result;
use mnemon::context::text::on_one_line;
use mnemon::memory::{Memory, SessionId};
use mnemon_wire::{HistoryShape, MemoryShape};
use serde_json::{Value, json};

use crate::mcp::answer::Answer;
use crate::mcp::brief::{Brief, FULL_BYTES, cut, enclosed};
use crate::opened::Opened;

/// The bytes of one field before or after a change.
const SIDE_BYTES: usize = 160;
/// The last so many changes are told.
const CHANGES_MAX: usize = 50;

/// The memory of that name, forgotten or not.
pub(super) fn record(opened: &Opened, name: &str, session: Option<&SessionId>) -> Result<Answer> {
    let (engine, caller) = (&opened.engine, &opened.caller);
    let (memory, changes) = engine.history(caller, name, session)?;
    let faded = engine.fade(&memory)?;
    let skew = engine.config().limits.future_skew_minutes.into();
    let mut record = json!(MemoryShape::of(&memory, skew).with_fading(&faded));
    shorten(&mut record);
    let history = HistoryShape::of(&memory, &changes);
    let shown = history.changes();
    let shown = &shown[shown.len().saturating_sub(CHANGES_MAX)..];
    let mut past = json!(shown);
    shorten_changes(&mut past);

    let mut lines = vec![Brief::whole(1).line(&memory).0];
    lines.extend(facts(&memory, &record));
    lines.push("history:".into());
    for change in past.as_array().into_iter().flatten() {
        lines.push(change_line(change));
    }
    let intro = format!("{} with its history.", memory.name(None));
    Ok(Answer::new(
        enclosed(&intro, lines),
        json!({ "memory": record, "history": past }),
    ))
}

/// What the record says beside the text, a line each.
fn facts(memory: &Memory, record: &Value) -> Vec<String> {
    let mut facts = vec![format!("id: {}", memory.id)];
    let names = [
        "space",
        "version",
        "importance",
        "confidence",
        "tags",
        "links",
        "pinned",
        "sensitive",
        "body",
        "metadata",
        "state",
    ];
    for name in names {
        let value = &record[name];
        let is_empty =
            value.is_null() || value == &json!(false) || value == &json!([]) || value == &json!({});
        if !is_empty {
            let said = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            facts.push(format!("{name}: {}", on_one_line(cut(&said, 4000).0)));
        }
    }
    facts
}

/// `2026-01-10T14:03:22Z revised by ada, version 2, importance: 0.5 → 0.9`
fn change_line(change: &Value) -> String {
    let part = |name: &str| change[name].as_str().unwrap_or_default();
    let mut line = format!("- {} {}", part("at"), part("what"));
    if !part("by").is_empty() {
        let _ = write!(line, " by {}", part("by"));
    }
    let _ = write!(line, ", version {}", change["version"]);
    if !part("reason").is_empty() {
        let _ = write!(line, ", because {}", part("reason"));
    }
    for (name, sides) in change["fields"].as_object().into_iter().flatten() {
        let _ = write!(line, "; {name}: {} → {}", sides["from"], sides["to"]);
    }
    on_one_line(&line)
}

/// Without the vector, and with no more text than a model reads.
fn shorten(record: &mut Value) {
    if let Value::Object(members) = record {
        members.remove("embedding");
    }
    let mut is_cut = false;
    for name in ["text", "body", "metadata"] {
        let value = &record[name];
        let said = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        let (short, is_longer) = cut(&said, FULL_BYTES);
        if is_longer {
            record[name] = json!(short);
            is_cut = true;
        }
    }
    if is_cut {
        record["cut"] = json!(true);
    }
}

fn shorten_changes(changes: &mut Value) {
    for change in changes.as_array_mut().into_iter().flatten() {
        let Some(Value::Object(fields)) = change.get_mut("fields") else {
            continue;
        };
        for side in fields.values_mut().filter_map(Value::as_object_mut) {
            for value in side.values_mut() {
                let said = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                let (short, is_cut) = cut(&said, SIDE_BYTES);
                if is_cut {
                    *value = json!(format!("{short}…"));
                }
            }
        }
    }
}
