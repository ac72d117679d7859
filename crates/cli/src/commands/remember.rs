//! `mnemon remember`

use clap::Args;
use mnemon::Caller;
use mnemon::caller::Who;
use mnemon::memory::body::confidence_from_word;
use mnemon::memory::{Body, Draft, Kind, Space, Text};
use mnemon_wire::{RememberedShape, kind_from_word};
use serde_json::{Map, Value};

use crate::commands::after;
use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::human::NAME;
use crate::input::{self, Names};
use crate::output::Output;

/// Keep a memory
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    mnemon remember \"Use PostgreSQL\" --session review --kind decision --body '{\"rationale\":\"ACID\"}'\n  \
    git log -1 | mnemon remember - --agent architect --tag project.history")]
pub(crate) struct Remember {
    /// What to remember, words joined by spaces; - reads standard input
    #[arg(required = true, value_name = "TEXT", allow_negative_numbers = true)]
    text: Vec<String>,
    #[command(flatten)]
    target: Target,
    /// conversation, decision, finding, preference, learning, fact, event, procedure, state or artifact [default: fact]
    #[arg(long, value_name = "K")]
    kind: Option<String>,
    /// An id of your own: letters, digits, _ and -
    #[arg(long)]
    id: Option<String>,
    /// The agent or user that it comes from [default: who asks]
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
    /// A label; dots make a hierarchy (repeatable)
    #[arg(long)]
    tag: Vec<String>,
    /// How much it matters, from 0 to 1 [default: 0.5]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    importance: Option<String>,
    /// How sure it is: a number from 0 to 1, or explicit, high, medium, inferred, low, uncertain
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    confidence: Option<String>,
    /// A related memory: an id, or a handle such as DEC-001 (repeatable)
    #[arg(long = "ref", value_name = "ID")]
    reference: Vec<String>,
    /// A typed link, such as supersedes:DEC-001 (repeatable)
    #[arg(long, value_name = "REL:ID")]
    link: Vec<String>,
    /// The turn of the conversation that it belongs to
    #[arg(long, value_name = "ID")]
    turn: Option<String>,
    /// Keep it from fading
    #[arg(long)]
    pin: bool,
    /// Treat it with more care
    #[arg(long)]
    sensitive: bool,
    /// When it came into being [default: now]
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// Something to keep beside it (repeatable)
    #[arg(long, value_name = "K=V")]
    meta: Vec<String>,
    /// The fields of its kind, as a JSON object
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    body: Option<String>,
}

/// Where it goes.
#[derive(Debug, Args)]
#[group(multiple = false)]
struct Target {
    /// Into this session
    #[arg(long, value_name = "S")]
    session: Option<String>,
    /// Into this agent's long-term memory
    #[arg(long, value_name = "A")]
    agent: Option<String>,
    /// Into the memory that all agents share
    #[arg(long)]
    shared: bool,
    /// Into the long-term memory of the agent that asks (--as A)
    #[arg(long)]
    long_term: bool,
}

impl Target {
    fn space(&self, caller: &Caller) -> Outcome<Space> {
        if self.long_term {
            return match &caller.who {
                Who::Agent(agent) => Ok(Space::Agent(agent.clone())),
                Who::User(_) => Err(Failure::misused(
                    "it is not said whose long-term memory is meant",
                    "Ask as the agent, with --as A, or name it with --agent A.",
                )),
            };
        }
        match (&self.session, &self.agent, self.shared) {
            (Some(session), _, _) => Ok(Space::Session(session.parse()?)),
            (_, Some(agent), _) => Ok(Space::Agent(agent.parse()?)),
            (_, _, true) => Ok(Space::Shared),
            _ => Err(Failure::misused(
                "it is not said where to remember this",
                "Give --session S (`mnemon session list` shows them), --agent A for an agent's \
                 long-term memory, or --shared for what all agents should know.",
            )),
        }
    }
}

impl Remember {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let space = self.target.space(&context.caller()?)?;
        let bytes_max = context.config()?.limits.long_term_entry_bytes_max;
        let text = Text::try_from(input::words_or_stdin(&self.text, bytes_max)?)?;
        let kind = self
            .kind
            .as_deref()
            .map_or(Ok(Kind::Fact), kind_from_word)?;
        let mut draft = Draft::new(kind, text);
        self.fill(&mut draft)?;

        let engine = context.writer()?;
        let caller = context.caller()?;
        let names = Names {
            engine: &engine,
            caller: &caller,
            session: space.session(),
        };
        draft.links = names.links(&self.reference, &self.link)?;
        draft.turn = self.turn.as_ref().map(|name| names.id(name)).transpose()?;
        if let Some(text) = &self.at {
            draft.created_at = Some(input::moment(text, engine.now(), &context.zone)?.start);
        }
        let kept = engine.remember(&caller, &space, draft)?;
        context.output.redacted(&kept.redacted);
        if !context.output.is_json() {
            for note in kept.notes() {
                Output::say("warning", &note);
            }
        }
        context.output.answer(&RememberedShape::of(&kept), || {
            let name = match kept.handle {
                Some(handle) => format!("{NAME}{handle}{NAME:#} ({})", kept.id),
                None => format!("{NAME}{}{NAME:#}", kept.id),
            };
            let verb = if kept.new { "Kept" } else { "Had already kept" };
            format!("{verb} {name} in {}.", kept.space)
        })?;
        after::a_write(context, &engine, &caller);
        Ok(())
    }

    /// What needs no store.
    fn fill(&self, draft: &mut Draft) -> Outcome {
        draft.id = self.id.as_ref().map(|id| id.parse()).transpose()?;
        draft.author = self.author.as_ref().map(|name| name.parse()).transpose()?;
        draft.tags = input::tags(&self.tag)?;
        if let Some(text) = &self.importance {
            draft.importance = input::importance(text)?;
        }
        draft.pinned = self.pin;
        draft.sensitive = self.sensitive;
        draft.metadata = input::metadata(&self.meta)?;
        let mut body = match &self.body {
            Some(json) => input::body(json)?,
            None => Map::new(),
        };
        if let Some(text) = &self.confidence {
            draft.confidence = Some(input::confidence(text)?);
            if confidence_from_word(text).is_some() {
                // The word says more than the number that it stands for.
                body.entry("confidence")
                    .or_insert_with(|| Value::String(text.clone()));
            }
        }
        draft.body = Body::from_map(draft.body.kind(), body)?;
        Ok(())
    }
}
