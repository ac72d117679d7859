//! `mnemon revise`

use clap::Args;
use mnemon::memory::body::confidence_from_word;
use mnemon::memory::{Kind, Memory, Resolution, Revision};
use mnemon_wire::kind_from_word;
use serde_json::Value;

use crate::commands::{after, get};
use crate::context::{Context, session_of};
use crate::failure::{Failure, Outcome};
use crate::input::{self, Names};
use crate::output::Output;

/// Change a memory; what it was before stays in its history
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
#[command(
    after_help = "Examples:\n  mnemon revise FIND-001 --session review --resolve \"Limit is in place\"\n  \
    mnemon revise review/DEC-001 --importance 0.9 --add-tag security --pin"
)]
pub(crate) struct Revise {
    /// Its id, its handle with --session, or SESSION/HANDLE
    #[arg(value_name = "ID")]
    id: String,
    /// The session in which bare handles are looked up
    #[arg(long, value_name = "S")]
    session: Option<String>,
    /// Another text; - reads standard input
    #[arg(long, allow_hyphen_values = true)]
    text: Option<String>,
    /// Another kind; the fields of the body come along
    #[arg(long, value_name = "K")]
    kind: Option<String>,
    /// Another importance, from 0 to 1
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    importance: Option<String>,
    /// Another confidence: a number from 0 to 1, or a word
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    confidence: Option<String>,
    /// A label to add (repeatable)
    #[arg(long, value_name = "TAG")]
    add_tag: Vec<String>,
    /// A label to take away (repeatable)
    #[arg(long, value_name = "TAG")]
    remove_tag: Vec<String>,
    /// A member of the metadata to set; an empty value takes it away (repeatable)
    #[arg(long, value_name = "K=V")]
    meta: Vec<String>,
    /// Settle a decision or a finding, and say how
    #[arg(long, value_name = "TEXT", conflicts_with = "reopen")]
    resolve: Option<String>,
    /// Open a decision or a finding again
    #[arg(long)]
    reopen: bool,
    /// Keep it from fading
    #[arg(long, conflicts_with = "unpin")]
    pin: bool,
    /// Let it fade
    #[arg(long)]
    unpin: bool,
    /// Treat it with more care
    #[arg(long, conflicts_with = "not_sensitive")]
    sensitive: bool,
    /// Treat it as any other
    #[arg(long)]
    not_sensitive: bool,
    /// A related memory to add (repeatable)
    #[arg(long = "ref", value_name = "ID")]
    reference: Vec<String>,
    /// A typed link to add, such as supersedes:DEC-001 (repeatable)
    #[arg(long, value_name = "REL:ID")]
    link: Vec<String>,
    /// A typed link to take away (repeatable)
    #[arg(long, value_name = "REL:ID")]
    unlink: Vec<String>,
    /// Fields of the body to set, as a JSON object; null takes one away
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    body: Option<String>,
    /// Only if it still has this version
    #[arg(long, value_name = "N")]
    if_version: Option<u64>,
}

impl Revise {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let session = session_of(self.session.as_ref())?;
        let mut revision = self.revision(context)?;
        let engine = context.reader()?;
        let caller = context.caller()?;
        let memory = engine.find(&caller, &self.id, session.as_ref())?;
        let names = Names {
            engine: &engine,
            caller: &caller,
            // Links of a memory in a session mean that session unless told otherwise.
            session: session.as_ref().or(memory.space.session()),
        };
        revision.add_links = names.links(&self.reference, &self.link)?;
        revision.remove_links = names.links(&[], &self.unlink)?;
        if revision.confidence.is_some() && revision.confidence != memory.confidence {
            leave_no_other_word(&memory, &mut revision);
        }
        if revision == Revision::default() {
            return Err(Failure::misused(
                "there is nothing to change",
                "Say what, for example --text, --importance, --add-tag, --resolve; \
                 `mnemon revise --help` has the list.",
            ));
        }
        // Once more below, where nothing is left to be found; here to say what it was.
        let redacted = engine.redactor().redact_revision(&mut revision)?;
        context.output.redacted(&redacted);
        let memory = engine.revise(&caller, &memory, self.if_version, revision)?;
        if let Some(filling) = engine.filling_of(&caller, &memory.space)? {
            // The answer is the memory and has no place for it.
            Output::say("warning", &filling.to_string());
        }
        get::answer(context, &engine, &caller, &memory)?;
        after::a_write(context, &engine, &caller);
        Ok(())
    }

    /// What needs no store.
    fn revision(&self, context: &Context) -> Outcome<Revision> {
        let mut revision = Revision::default();
        if let Some(text) = &self.text {
            let bytes_max = context.config()?.limits.long_term_entry_bytes_max;
            let text = input::words_or_stdin(std::slice::from_ref(text), bytes_max)?;
            revision.text = Some(text.try_into()?);
        }
        revision.kind = self.kind.as_deref().map(kind_from_word).transpose()?;
        if let Some(text) = &self.importance {
            revision.importance = Some(input::importance(text)?);
        }
        revision.add_tags = input::tags(&self.add_tag)?;
        revision.remove_tags = input::tags(&self.remove_tag)?;
        for (key, value) in input::pairs("meta", &self.meta)? {
            let value = if value.is_empty() {
                Value::Null
            } else {
                Value::String(value)
            };
            revision.metadata.insert(key, value);
        }
        revision.pinned = either(self.pin, self.unpin);
        revision.sensitive = either(self.sensitive, self.not_sensitive);
        if let Some(json) = &self.body {
            revision.body = input::body(json)?;
        }
        if let Some(text) = &self.confidence {
            revision.confidence = Some(input::confidence(text)?);
            if confidence_from_word(text).is_some() {
                let word = Value::String(text.clone());
                revision.body.entry("confidence").or_insert(word);
            }
        }
        revision.resolution = match (&self.resolve, self.reopen) {
            (Some(how), _) => Some(Resolution::Resolve(how.clone())),
            (None, true) => Some(Resolution::Reopen),
            (None, false) => None,
        };
        Ok(revision)
    }
}

/// Yes, no, or as it was.
fn either(yes: bool, no: bool) -> Option<bool> {
    match (yes, no) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    }
}

/// A word of the body that stood for the number of before would say something else than the new one.
fn leave_no_other_word(memory: &Memory, revision: &mut Revision) {
    const WORD: &str = "confidence";
    let is_word = matches!(memory.body.to_map().get(WORD), Some(Value::String(_)));
    // Turns stay as they were said.
    if is_word && memory.kind() != Kind::Conversation {
        revision.body.entry(WORD).or_insert(Value::Null);
    }
}
