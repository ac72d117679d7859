//! The memory that stands for an archived session: a summary that quotes.

use std::fmt::Write;

use serde_json::Value;

use crate::decay::SESSION_SUMMARY;
use crate::error::Result;
use crate::memory::body::artifact::Artifact;
use crate::memory::{Body, Draft, Kind, Memory, SessionId};
use crate::recall::aggregate::Summary;
use crate::time::Time;

/// What the metadata of such a memory says.
const MARK: &str = "archived";

/// Of a memory no more than this is quoted.
const QUOTE_CHARS_MAX: usize = 300;

/// Whether a memory stands for an archived session; all others of a session have a handle.
pub(in crate::engine) fn is_archive_summary(memory: &Memory) -> bool {
    let is_marked = memory.metadata.get(MARK) == Some(&Value::Bool(true));
    is_marked && memory.handle.is_none() && memory.space.session().is_some()
}

/// The draft of the summary of a session.
pub(super) fn draft(session: &SessionId, last_activity: Time, sums: &Summary) -> Result<Draft> {
    let mut draft = Draft::new(Kind::Artifact, text(session, sums).try_into()?);
    draft.body = Body::Artifact(Artifact {
        artifact_type: Some(SESSION_SUMMARY.into()),
        ..Artifact::default()
    });
    let topics = sums.topics.iter().map(|topic| topic.name.as_str());
    draft.tags = topics.filter_map(|name| name.parse().ok()).collect();
    draft.metadata.insert(MARK.into(), Value::Bool(true));
    draft.created_at = Some(last_activity);
    Ok(draft)
}

fn text(session: &SessionId, sums: &Summary) -> String {
    let mut text = format!("Archived session {session}: {} memories", sums.memories);
    if let Some((first, last)) = sums.span {
        let day = |time: Time| time.to_string().chars().take(10).collect::<String>();
        match (day(first), day(last)) {
            (first, last) if first == last => drop(write!(text, " of {first}")),
            (first, last) => drop(write!(text, " from {first} to {last}")),
        }
    }
    let names: Vec<&str> = sums
        .participants
        .iter()
        .filter_map(|it| it.name.as_deref())
        .collect();
    if !names.is_empty() {
        let _ = write!(text, " by {}", names.join(", "));
    }
    text.push_str(".\n");
    let topics: Vec<&str> = sums.topics.iter().map(|it| &*it.name).collect();
    if !topics.is_empty() {
        let _ = writeln!(text, "About: {}.", topics.join(", "));
    }
    for (label, memories) in [
        ("Decided", &sums.resolved_decisions),
        ("To be decided", &sums.open_decisions),
        ("Found and open", &sums.open_findings),
        ("Preferred", &sums.preferences),
    ] {
        for memory in memories {
            let _ = writeln!(text, "{label}: {}", quoted(memory));
        }
    }
    for sentence in &sums.sentences {
        let _ = writeln!(text, "Said: {}", sentence.text);
    }
    text.truncate(text.trim_end().len());
    text
}

fn quoted(memory: &Memory) -> String {
    let text = memory.text.as_str();
    let mut short: String = text.chars().take(QUOTE_CHARS_MAX).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
