//! What is offered: few tools, described in as few words as do.
//!
//! Every client hands these descriptions to its model at every turn, so each
//! word is paid for again and again. A test counts them. What a tool takes
//! beyond what is shown here, `docs/mcp.md` tells.

use mnemon::context::ContextRequest;
use mnemon::recall::Query;
use mnemon_wire::RecallRequest;
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::inspect::{self, WHAT};
use super::recall::{self, HITS_MAX};
use super::schema::{any_object, flag, input, list, output, text, texts};
use super::table::{Entry, Turn};
use super::{context, forget, related, remember, revise};

/// When to use which; clients hand this to their model.
pub(super) const INSTRUCTIONS: &str = "\
    mnemon is your memory across sessions. \
    Recall before you start a task, or ask the user something that they may have told before. \
    Remember decisions with their reasons, findings, preferences and corrections as soon as they \
    come up, one self-contained statement each.";

/// The tools, in the order in which they are needed.
pub(super) const TOOLS: [Entry; 7] = [
    Entry {
        name: "remember",
        describe: describe_remember,
        run: remember::remember,
        turn: Turn::Alone,
    },
    Entry {
        name: "recall",
        describe: describe_recall,
        run: recall::recall,
        turn: Turn::Beside,
    },
    Entry {
        name: "context",
        describe: describe_context,
        run: context::context,
        turn: Turn::Beside,
    },
    Entry {
        name: "revise",
        describe: describe_revise,
        run: revise::revise,
        turn: Turn::Alone,
    },
    Entry {
        name: "forget",
        describe: describe_forget,
        run: forget::forget,
        turn: Turn::Alone,
    },
    Entry {
        name: "related",
        describe: describe_related,
        run: related::related,
        turn: Turn::Beside,
    },
    Entry {
        name: "inspect",
        describe: describe_inspect,
        run: inspect::inspect,
        turn: Turn::Beside,
    },
];

fn describe_remember() -> Tool {
    let description = "Keep a memory for later: `text`, or several as `memories`. Goes to the \
        session (made if new), agent or shared memory that is named, else to the default.";
    let fields = json!({
        "text": text("Self-contained statement"),
        "session": text(""),
        "agent": text("In its long-term memory"),
        "shared": flag("For all agents"),
        "kind": { "type": "string", "enum": KINDS, "default": "fact" },
        "tags": texts("Dots make a hierarchy"),
        "importance": { "type": "number", "maximum": 1, "default": 0.5 },
        "author": text(""),
        "ref": texts("Related ids or handles"),
        "links": list("{rel: supersedes|resolves|led_to|…, to: id or handle}"),
        "pinned": flag("Never fades"),
        "created_at": text("If not now"),
        "body": any_object("Fields of its kind: rationale, severity, key, value…"),
        "metadata": any_object(""),
        "id": text("Your own; makes repeating safe"),
        "memories": list("Each with these fields"),
    });
    Tool::new("remember", description, input(&fields, &[]))
        .with_raw_output_schema(output(&[("memories", "array")]))
        .with_annotations(
            ToolAnnotations::new()
                .destructive(false)
                // The same again is kept twice, unless it has an id.
                .idempotent(false)
                .open_world(false),
        )
}

fn describe_recall() -> Tool {
    let description = "Find memories by words and meaning, best first. Without session, agent or \
        shared everything is searched.";
    let mut schema = RecallRequest::schema();
    without_bounds(&mut schema);
    let fields = &mut schema["properties"];
    if let Value::Object(fields) = fields {
        for rare in RARE {
            fields.remove(rare);
        }
    }
    fields["limit"]["default"] = json!(Query::LIMIT);
    fields["limit"]["maximum"] = json!(HITS_MAX);
    fields["full"] = flag("Whole texts, body and metadata");
    let schema = schema.as_object().cloned().unwrap_or_default();
    Tool::new("recall", description, schema)
        .with_raw_output_schema(output(&[("hits", "array"), ("total", "integer")]))
        .with_annotations(reads())
}

fn describe_context() -> Tool {
    let description = "All you need for the next turn of a session, within a token budget: your \
        state, preferences, decisions, open findings, what you know, last turns.";
    let fields = json!({
        "session": text(""),
        "topic": text("Else what the last turns were about"),
        "budget": { "type": "integer", "default": ContextRequest::BUDGET_TOKENS },
    });
    Tool::new("context", description, input(&fields, &[]))
        .with_raw_output_schema(output(&[("text", "string"), ("tokens", "integer")]))
        .with_annotations(reads())
}

fn describe_revise() -> Tool {
    let description = "Change a memory; its history is kept. Body and metadata members replace \
        those of the same name; null removes.";
    let fields = json!({
        "id": text("Id, or SESSION/HANDLE"),
        "text": text(""),
        "kind": text(""),
        "importance": { "type": "number" },
        "add_tags": texts(""),
        "remove_tags": texts(""),
        "links": list("To add"),
        "pinned": flag(""),
        "resolve": text("How a decision or finding was settled"),
        "reopen": flag(""),
        "body": any_object(""),
        "metadata": any_object(""),
    });
    Tool::new("revise", description, input(&fields, &["id"]))
        .with_raw_output_schema(output(&[("memory", "object")]))
        .with_annotations(changes().destructive(false))
}

fn describe_forget() -> Tool {
    let description = "Forget memories that are wrong or unwanted; `restore` brings them back.";
    let fields = json!({
        "ids": texts("Ids, or SESSION/HANDLE"),
        "reason": text(""),
        "restore": flag(""),
    });
    Tool::new("forget", description, input(&fields, &["ids", "reason"]))
        .with_raw_output_schema(output(&[("count", "integer"), ("ids", "array")]))
        .with_annotations(changes().destructive(true))
}

fn describe_related() -> Tool {
    let description = "Follow what a memory names and what names it.";
    let fields = json!({
        "id": text("Id, or SESSION/HANDLE"),
        "depth": { "type": "integer", "default": 2 },
        "limit": { "type": "integer" },
    });
    Tool::new("related", description, input(&fields, &["id"]))
        .with_raw_output_schema(output(&[("hits", "array"), ("total", "integer")]))
        .with_annotations(reads())
}

fn describe_inspect() -> Tool {
    let description = "Look around: sessions, topics or timeline (of a session or all), stats, \
        or one memory in full with its history.";
    let fields = json!({
        "what": { "type": "string", "enum": WHAT },
        "id": text("Of the memory"),
        "session": text(""),
        "limit": { "type": "integer" },
    });
    Tool::new("inspect", description, input(&fields, &[]))
        .with_raw_output_schema(output(&[]))
        .with_annotations(reads())
}

fn reads() -> ToolAnnotations {
    ToolAnnotations::new().read_only(true).open_world(false)
}

fn changes() -> ToolAnnotations {
    ToolAnnotations::new().idempotent(true).open_world(false)
}

/// Understood, but seldom worth the words that every turn would pay for.
const RARE: [&str; 11] = [
    "all",
    "any_tag",
    "confidence",
    "include_forgotten",
    "min_priority",
    "min_score",
    "min_similarity",
    "mode",
    "not_tag",
    "profile",
    "resolved",
];

/// Bounds are told once, in words: as members of each field they cost a model more.
fn without_bounds(schema: &mut Value) {
    if let Value::Object(members) = schema {
        for name in ["minimum", "maximum", "additionalProperties"] {
            members.remove(name);
        }
        members.values_mut().for_each(without_bounds);
    }
}

const KINDS: [&str; 10] = [
    "conversation",
    "decision",
    "finding",
    "preference",
    "learning",
    "fact",
    "event",
    "procedure",
    "state",
    "artifact",
];

#[cfg(test)]
mod tests {
    use super::*;
    use mnemon::memory::Kind;

    #[test]
    fn the_schema_names_every_kind() {
        assert_eq!(KINDS, Kind::ALL.map(Kind::as_str));
    }

    #[test]
    fn every_tool_is_described_under_its_name() {
        for entry in TOOLS {
            assert_eq!((entry.describe)().name, entry.name);
        }
    }
}
