//! One session on its own.

use std::collections::BTreeMap;

use mnemon::Mnemon;
use mnemon::memory::{Kind, Tag};
use mnemon::session::{DeletedSession, Session, SessionState};
use mnemon_wire::{DeletedSessionShape, SessionShape};
use serde_json::Value;

use crate::context::Context;
use crate::failure::Outcome;
use crate::human::ago::{ago, days_left, exact};
use crate::human::card::Card;
use crate::human::{NAME, STRONG, bytes, count};

/// Prints a session.
pub(super) fn answer(context: &Context, engine: &Mnemon, session: &Session) -> Outcome {
    let quota = context.config()?.storage.session_bytes_max;
    let shape = SessionShape::of(session, engine.session_state(session), engine.now(), quota);
    context
        .output
        .answer(&shape, || card(context, engine, session, quota))
}

/// Prints a session that is in the trash.
pub(super) fn answer_deleted(
    context: &Context,
    engine: &Mnemon,
    deleted: &DeletedSession,
) -> Outcome {
    let shape = DeletedSessionShape::of(deleted, SessionState::Deleted);
    context.output.answer(&shape, || {
        let now = engine.now();
        let mut card = Card::new(context.output.columns);
        let state = SessionState::Deleted.as_str();
        card.heading(&format!(
            "{NAME}{}{NAME:#}  {STRONG}{state}{STRONG:#}",
            deleted.session_id
        ));
        card.blank();
        let when = exact(deleted.deleted_at, now);
        card.line("deleted", &format!("{when} by {}", deleted.deleted_by));
        card.line("reason", &deleted.reason);
        card.line("recoverable", &days_left(deleted.recovery_deadline, now));
        card.line("size", &bytes(deleted.bytes));
        let memories = count(deleted.memories(), "memory", "memories");
        card.line("holds", &kinds(&memories, &deleted.by_kind));
        card.finish()
    })
}

/// `3 memories: 1 decision, 2 fact`
fn kinds(memories: &str, by_kind: &BTreeMap<Kind, u64>) -> String {
    let kinds: Vec<_> = by_kind
        .iter()
        .map(|(kind, number)| format!("{number} {kind}"))
        .collect();
    if kinds.is_empty() {
        return "nothing yet".into();
    }
    format!("{memories}: {}", kinds.join(", "))
}

fn card(context: &Context, engine: &Mnemon, session: &Session, quota: u64) -> String {
    let now = engine.now();
    let details = &session.details;
    let mut card = Card::new(context.output.columns);
    let state = engine.session_state(session).as_str();
    card.heading(&format!(
        "{NAME}{}{NAME:#}  {STRONG}{state}{STRONG:#}",
        session.id
    ));
    card.blank();
    let tags: Vec<_> = details.tags.iter().map(Tag::as_str).collect();
    let title = details.metadata.get("title").and_then(Value::as_str);
    for (label, value) in [
        ("title", title.unwrap_or_default().to_owned()),
        ("user", details.user.clone().unwrap_or_default()),
        ("agents", details.agents.join(", ")),
        ("project", details.project.clone().unwrap_or_default()),
        ("phase", details.phase.clone().unwrap_or_default()),
        ("tags", tags.join(", ")),
    ] {
        if !value.is_empty() {
            card.line(label, &value);
        }
    }
    card.line("made", &exact(session.created_at, now));
    card.line("last used", &exact(session.last_activity, now));
    if let Some(closed) = details.closed_at {
        let since = if session.last_activity > session.detailed_at {
            ", used again since"
        } else {
            ""
        };
        card.line("closed", &format!("{}{since}", exact(closed, now)));
    }
    if let Some(archived) = &session.archived {
        let when = exact(archived.at, now);
        card.line("archived", &format!("{when} by {}", archived.by));
        card.line("reason", &archived.reason);
    }
    let used = session.activity.log_bytes;
    card.line(
        "size",
        &format!(
            "{} of {} ({} %)",
            bytes(used),
            bytes(quota),
            used.saturating_mul(100) / quota.max(1)
        ),
    );
    let memories = count(session.activity.memories(), "memory", "memories");
    card.line("holds", &kinds(&memories, &session.activity.by_kind));
    for participant in &session.activity.participants {
        let memories = count(participant.memories, "memory", "memories");
        let messages = count(participant.messages, "message", "messages");
        card.line(
            "by",
            &format!(
                "{}: {memories}, {messages}, last {}",
                participant.name,
                ago(participant.last_active, now)
            ),
        );
    }
    card.finish()
}
