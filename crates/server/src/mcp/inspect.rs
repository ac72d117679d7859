//! `inspect`: what there is: sessions, topics, a timeline, counts, one memory.
//!
//! Everything is looked at and nothing searched; [`super::recall`] searches.

mod record;

use std::fmt::Write as _;

use mnemon::Result;
use mnemon::context::text::on_one_line;
use mnemon::memory::{AgentId, SessionId};
use mnemon::recall::aggregate::TimelineEvent;
use mnemon::session::Session;
use mnemon::store::Filter;
use mnemon_wire::request::moment;
use mnemon_wire::{
    LongTermShape, SessionShape, SessionsShape, StatsShape, TimelineShape, TopicsShape,
};
use serde_json::{Value, json};

use super::Opened;
use super::Shared;
use super::answer::Answer;
use super::brief::{cut, enclosed};
use super::door::Need;
use super::fields::{self, Arguments};
use super::view::{by_kind, session_line};

/// What can be looked at.
pub(super) const WHAT: [&str; 5] = ["sessions", "topics", "timeline", "stats", "memory"];

/// So many lines if nothing is said.
const LIMIT: u64 = 20;
const LIMIT_MAX: u64 = 1000;
/// The bytes of one line's text.
const TEXT_BYTES: usize = 240;
/// So many names of memories stand beside a topic.
const NAMES_MAX: usize = 10;

/// Shows what the arguments ask for.
pub(super) fn inspect(shared: &Shared, arguments: Arguments) -> Answer {
    let empty = || json!({ "sessions": [], "total": 0 });
    answer(shared, arguments).unwrap_or_else(|error| shared.unanswered(&error, empty))
}

fn answer(shared: &Shared, mut arguments: Arguments) -> Result<Answer> {
    fields::only(
        &arguments,
        &["what", "id", "session", "agent", "since", "until", "limit"],
    )?;
    let id = fields::text(&mut arguments, "id")?;
    let what = fields::text(&mut arguments, "what")?;
    let what = match (what.as_deref(), &id) {
        (None, Some(_)) => "memory",
        (None, None) => "sessions",
        (Some(what), _) => what,
    };
    let agent = fields::text(&mut arguments, "agent")?;
    let session = shared.session_of(&mut arguments)?;
    let limit = fields::whole(&mut arguments, "limit", 0, LIMIT_MAX)?.unwrap_or(LIMIT);
    let look = Look {
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
        since: fields::text(&mut arguments, "since")?,
        until: fields::text(&mut arguments, "until")?,
        shared,
        session,
    };
    let opened = || shared.opened(Need::There);
    match what {
        "sessions" => look.sessions(&*opened()?),
        "topics" => look.topics(&*opened()?),
        "timeline" => look.timeline(&*opened()?),
        "stats" => match agent {
            Some(agent) => long_term(&*opened()?, &agent.parse()?),
            None => stats(&*opened()?),
        },
        "memory" => {
            let id = id.ok_or_else(|| fields::missing("id"))?;
            record::record(&*opened()?, &id, look.session.as_ref())
        }
        other => {
            let rule = format!("one of {}", WHAT.join(", "));
            Err(fields::wrong("what", &rule, &json!(other)))
        }
    }
}

/// What part of the store is looked at.
struct Look<'a> {
    shared: &'a Shared,
    session: Option<SessionId>,
    since: Option<String>,
    until: Option<String>,
    limit: usize,
}

impl Look<'_> {
    fn sessions(&self, opened: &Opened) -> Result<Answer> {
        let engine = &opened.engine;
        let mut sessions = engine.sessions(&opened.caller)?;
        let total = sessions.len();
        sessions.truncate(self.limit);
        let quota = engine.config().storage.session_bytes_max;
        let shapes = sessions
            .iter()
            .map(|it| SessionShape::of(it, engine.session_state(it), engine.now(), quota))
            .collect();
        let mut structured = json!(SessionsShape::of(shapes));
        structured["total"] = json!(total);
        if sessions.is_empty() {
            return Ok(Answer::new(
                format!("No sessions shown; {total} in all."),
                structured,
            ));
        }
        let intro = format!("{} of {total} sessions, last used first.", sessions.len());
        let line = |session: &Session| session_line(engine, session);
        Ok(Answer::new(
            enclosed(&intro, sessions.iter().map(line)),
            structured,
        ))
    }

    fn topics(&self, opened: &Opened) -> Result<Answer> {
        let topics = opened
            .engine
            .topics(&opened.caller, &self.filter(opened)?)?;
        let shape = TopicsShape::of(self.session.as_ref(), &topics, self.limit);
        let mut structured = json!(shape);
        shorten_names(&mut structured);
        if topics.is_empty() {
            return Ok(Answer::new(
                "Nothing says what it is about.".into(),
                structured,
            ));
        }
        let shown = topics.iter().take(self.limit);
        let intro = format!(
            "{} of {} topics, weightiest first.",
            shown.len(),
            topics.len()
        );
        let lines = shown.map(|topic| {
            let names = topic.memories.values().flatten().take(NAMES_MAX);
            let names: Vec<&str> = names.map(String::as_str).collect();
            let name = on_one_line(cut(&topic.name, TEXT_BYTES).0);
            format!(
                "{name}: weight {:.2}, {} mentions, last {}: {}",
                topic.weight,
                topic.mentions,
                topic.last.day(),
                names.join(" ")
            )
        });
        Ok(Answer::new(enclosed(&intro, lines), structured))
    }

    fn timeline(&self, opened: &Opened) -> Result<Answer> {
        let timeline = opened
            .engine
            .timeline(&opened.caller, &self.filter(opened)?)?;
        let total = timeline.events.len();
        let shown = &timeline.events[total.saturating_sub(self.limit)..];
        let mut structured = json!(TimelineShape::of(self.session.as_ref(), &timeline, shown));
        shorten_texts(&mut structured);
        if shown.is_empty() {
            return Ok(Answer::new(
                format!("No events shown; {total} in all."),
                structured,
            ));
        }
        let intro = format!("The last {} of {total} events, in order.", shown.len());
        Ok(Answer::new(
            enclosed(&intro, shown.iter().map(event_line)),
            structured,
        ))
    }

    fn filter(&self, opened: &Opened) -> Result<Filter> {
        let engine = &opened.engine;
        let mut filter = match &self.session {
            Some(session) => engine.all_of(&opened.caller, session)?,
            None => Filter::all(engine.now().micros()),
        };
        let at = |field, text: &String| moment(field, text, engine.now(), &self.shared.zone);
        if let Some(text) = &self.since {
            filter.since_micros = Some(at("since", text)?.since_micros());
        }
        if let Some(text) = &self.until {
            filter.until_micros = Some(at("until", text)?.until_micros());
        }
        Ok(filter)
    }
}

fn stats(opened: &Opened) -> Result<Answer> {
    let stats = opened.engine.stats(&opened.caller)?;
    let embedding = opened.engine.embedding(&opened.caller)?;
    let mut structured = json!(StatsShape::of(&stats, &embedding));
    if let Some(Value::Array(spaces)) = structured.get_mut("spaces") {
        spaces.truncate(usize::try_from(LIMIT_MAX).unwrap_or(usize::MAX));
    }
    let mut text = format!("{} memories, {} forgotten", stats.memories, stats.forgotten);
    let _ = write!(text, " in {} spaces", stats.spaces.len());
    let _ = write!(text, "; logs {} bytes", stats.log_bytes);
    if !stats.by_kind.is_empty() {
        let _ = write!(text, "\nby kind: {}", by_kind(&stats.by_kind));
    }
    if stats.damaged_lines > 0 {
        let damaged = stats.damaged_lines;
        let _ = write!(
            text,
            "\n{damaged} damaged lines; `mnemon verify` shows them"
        );
    }
    Ok(Answer::new(text, structured))
}

/// What an agent knows for good, in numbers.
fn long_term(opened: &Opened, agent: &AgentId) -> Result<Answer> {
    let stats = opened.engine.long_term_stats(&opened.caller, agent)?;
    let mut text = format!(
        "{} memories of {agent}, {} forgotten; {} bytes",
        stats.active, stats.forgotten, stats.used_bytes
    );
    if let Some(limit) = stats.limit_bytes {
        let _ = write!(text, " of {limit} ({:.1} %)", stats.percent);
    }
    if !stats.by_kind.is_empty() {
        let _ = write!(text, "\nby kind: {}", by_kind(&stats.by_kind));
    }
    let tags: Vec<String> = stats
        .top_tags
        .iter()
        .map(|(tag, n)| format!("{tag} {n}"))
        .collect();
    if !tags.is_empty() {
        let _ = write!(text, "\ntags: {}", tags.join(", "));
    }
    Ok(Answer::new(text, json!(LongTermShape::of(&stats))))
}

/// `2026-01-10T14:03 DEC-001 decision, architect: …`
fn event_line(event: &TimelineEvent) -> String {
    let at: String = event.at.to_string().chars().take(16).collect();
    let mut line = format!("{at} {} {}", event.name, event.kind);
    if let Some(who) = event.participants.first() {
        let _ = write!(line, ", {}", on_one_line(cut(who, 32).0));
    }
    let (text, is_cut) = cut(&event.text, TEXT_BYTES);
    let mark = if is_cut { "…[cut]" } else { "" };
    let _ = write!(line, ": {}{mark}", on_one_line(text));
    line
}

/// A topic can have thousands of memories, whose names nobody reads.
fn shorten_names(topics: &mut Value) {
    let Some(Value::Array(topics)) = topics.get_mut("topics") else {
        return;
    };
    for topic in topics {
        if let Some(Value::Object(kinds)) = topic.get_mut("related_memories") {
            for names in kinds.values_mut().filter_map(Value::as_array_mut) {
                names.truncate(NAMES_MAX);
            }
        }
    }
}

/// The events are cut as their lines are; the hours, which name each of them again, are left out.
fn shorten_texts(timeline: &mut Value) {
    if let Value::Object(members) = timeline {
        members.remove("buckets");
    }
    let Some(Value::Array(events)) = timeline.get_mut("events") else {
        return;
    };
    for event in events {
        let text = event["text"].as_str().unwrap_or_default();
        let (short, is_cut) = cut(text, TEXT_BYTES);
        if is_cut {
            event["text"] = json!(short);
            event["cut"] = json!(true);
        }
    }
}
