//! Sessions and memories as Markdown, to be read by people and models.
//!
//! What memories say stands on lines of its own, quoted or in lists, so that
//! it can't be taken for a heading.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use mnemon::context::text::on_one_line;
use mnemon::memory::{Body, Kind, Memory, SessionId};
use mnemon::recall::aggregate::{Summary, SummaryOptions};
use mnemon::session::Session;
use mnemon::store::{Change, Filter, Sort, What};
use mnemon::{Mnemon, Result};

use super::Opened;
use super::brief::cut;

/// Decisions, findings and preferences of each sort.
const ITEMS: usize = 30;
/// Sentences of the conversation.
const SENTENCES: usize = 8;
/// The latest memories.
const LATEST: usize = 20;
/// The bytes of one item.
const ITEM_BYTES: usize = 600;

/// All sessions, the last used first.
pub(super) fn sessions(opened: &Opened) -> Result<String> {
    let engine = &opened.engine;
    let mut text = "# Sessions\n".to_owned();
    for session in engine.sessions(&opened.caller)? {
        let _ = write!(text, "\n- {}", session_line(engine, &session));
    }
    Ok(text + "\n")
}

/// `review: active, 3 memories (1 decision, 2 fact), last 2026-01-10, project shop, with ada`
pub(super) fn session_line(engine: &Mnemon, session: &Session) -> String {
    let (activity, details) = (&session.activity, &session.details);
    let state = engine.session_state(session).as_str();
    let mut line = format!("{}: {state}, {} memories", session.id, activity.memories());
    if !activity.by_kind.is_empty() {
        let _ = write!(line, " ({})", by_kind(&activity.by_kind));
    }
    let _ = write!(line, ", last {}", session.last_activity.day());
    if let Some(project) = &details.project {
        let _ = write!(line, ", project {}", on_one_line(cut(project, 60).0));
    }
    if !details.agents.is_empty() {
        let agents = details.agents.join(", ");
        let _ = write!(line, ", with {}", on_one_line(cut(&agents, 120).0));
    }
    line
}

/// `1 decision, 2 fact`
pub(super) fn by_kind(counts: &BTreeMap<Kind, u64>) -> String {
    let counts = counts.iter();
    let counts = counts.map(|(kind, number)| format!("{number} {kind}"));
    counts.collect::<Vec<_>>().join(", ")
}

/// One session: what it comes to, and its latest memories.
pub(super) fn session(opened: &Opened, id: &SessionId) -> Result<String> {
    let (engine, caller) = (&opened.engine, &opened.caller);
    // Opens it if it is archived, because somebody asks for it.
    let all = engine.all_of(caller, id)?;
    let session = engine.session(caller, id)?;
    let options = SummaryOptions {
        sentences: SENTENCES,
        items: ITEMS,
        ..SummaryOptions::default()
    };
    let summary = engine.summary(caller, &all, &options)?;
    let mut text = format!(
        "# Session {}\n\n{}\n",
        session.id,
        session_line(engine, &session)
    );
    sum_up(&mut text, &session.id, &summary);
    let latest = Filter {
        sort: Sort::Newest,
        limit: LATEST,
        ..all
    };
    let mut memories = engine.list(caller, &latest)?.memories;
    memories.reverse();
    items(&mut text, "Latest", &session.id, &memories);
    Ok(text)
}

fn sum_up(text: &mut String, id: &SessionId, summary: &Summary) {
    if !summary.topics.is_empty() {
        let topics = summary.topics.iter().map(|topic| on_one_line(&topic.name));
        let _ = writeln!(text, "\nTopics: {}", topics.collect::<Vec<_>>().join(", "));
    }
    items(text, "Open findings", id, &summary.open_findings);
    items(text, "Open decisions", id, &summary.open_decisions);
    items(text, "Settled decisions", id, &summary.resolved_decisions);
    items(text, "Preferences", id, &summary.preferences);
    if !summary.sentences.is_empty() {
        text.push_str("\n## In their words\n\n");
    }
    for quote in &summary.sentences {
        let author = quote.author.iter().map(|author| format!("{author}: "));
        let said = format!("{}{}", author.collect::<String>(), quote.text);
        let _ = writeln!(text, "- {} {}", quote.name, on_one_line(&said));
    }
}

fn items(text: &mut String, heading: &str, within: &SessionId, memories: &[Memory]) {
    if !memories.is_empty() {
        let _ = write!(text, "\n## {heading}\n\n");
    }
    for memory in memories {
        let (said, is_cut) = cut(memory.text.as_str(), ITEM_BYTES);
        let mark = if is_cut { "…" } else { "" };
        let author = memory.author.as_ref().map(|author| format!("{author}, "));
        let severity = match &memory.body {
            Body::Finding(finding) => finding.severity.as_deref().map(|it| format!("{it}, ")),
            _ => None,
        };
        let line = format!(
            "{} ({}{}{}): {said}{mark}",
            memory.name(Some(within)),
            severity.unwrap_or_default(),
            author.unwrap_or_default(),
            memory.created_at.day()
        );
        let _ = writeln!(text, "- {}", on_one_line(&line));
    }
}

/// One memory in full, and what happened to it.
pub(super) fn memory(opened: &Opened, name: &str) -> Result<String> {
    let (memory, changes) = opened.engine.history(&opened.caller, name, None)?;
    let mut text = format!("# {} ({})\n\n", memory.name(None), memory.kind());
    for line in memory.text.as_str().lines() {
        let _ = writeln!(text, "> {}", on_one_line(line));
    }
    text.push('\n');
    let tags: Vec<&str> = memory
        .tags
        .iter()
        .map(mnemon::memory::Tag::as_str)
        .collect();
    let author = memory.author.as_ref().map(ToString::to_string);
    let mut facts = vec![
        ("id", memory.id.to_string()),
        ("space", memory.space.to_string()),
        ("author", author.unwrap_or_default()),
        ("created", memory.created_at.to_string()),
        ("importance", memory.importance.get().to_string()),
        ("tags", tags.join(", ")),
    ];
    for link in &memory.links {
        facts.push(("link", format!("{} {}", link.rel, link.to)));
    }
    facts.retain(|(_, value)| !value.is_empty());
    for (name, value) in facts {
        let _ = writeln!(text, "- {name}: {}", on_one_line(&value));
    }
    for (name, value) in memory.body.to_map() {
        let said = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        let _ = writeln!(text, "- {}: {}", on_one_line(&name), on_one_line(&said));
    }
    text.push_str("\n## History\n\n");
    for change in &changes {
        let _ = writeln!(text, "- {}", change_line(change));
    }
    Ok(text)
}

fn change_line(change: &Change) -> String {
    let what = match &change.what {
        What::Kept(_) => "kept".to_owned(),
        What::Revised(memory) => format!("revised to version {}", memory.version),
        What::Forgotten { reason } => format!("forgotten: {reason}"),
        What::Restored { reason } => format!("brought back: {reason}"),
    };
    let by = change.by.as_ref().map(|by| format!(" by {by}"));
    on_one_line(&format!("{}{} {what}", change.at, by.unwrap_or_default()))
}
