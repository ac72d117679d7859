//! One session on its own.

use mnemon::Mnemon;
use mnemon::memory::Tag;
use mnemon::session::Session;
use mnemon_wire::SessionShape;

use crate::context::Context;
use crate::failure::Outcome;
use crate::human::ago::{ago, exact};
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
    for (label, value) in [
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
        card.line("closed", &exact(closed, now));
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
    let kinds: Vec<_> = session
        .activity
        .by_kind
        .iter()
        .map(|(kind, number)| format!("{number} {kind}"))
        .collect();
    let memories = count(session.activity.memories(), "memory", "memories");
    if kinds.is_empty() {
        card.line("holds", "nothing yet");
    } else {
        card.line("holds", &format!("{memories}: {}", kinds.join(", ")));
    }
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
