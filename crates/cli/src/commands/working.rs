//! `mnemon working`

use clap::{Args, Subcommand};
use mnemon::agent::{DESK_BYTES_MAX, Entry, Key, Scope};
use mnemon::engine::NewEntry;
use mnemon::memory::{AgentId, Importance};
use mnemon_wire::{EntryShape, WorkingSetShape, WorkingShape};
use serde::Serialize;
use serde_json::Value;

use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::human::ago::ago;
use crate::human::table::{Column, Table};
use crate::human::text::harmless;
use crate::human::{LABEL, NAME, count};
use crate::input;
use crate::whose::Whose;

/// Hold values by name while a task goes on
#[derive(Debug, Subcommand)]
pub(crate) enum Working {
    /// Hold a value
    Set(Set),
    /// Tell a value, the innermost that is seen from a scope
    Get(Get),
    /// List the values
    List(List),
    /// Let go of values, of a scope and all within it, or of everything
    Clear(Clear),
}

/// Hold a value
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    mnemon --as dev working set goal \"green tests\"\n  \
    mnemon --as dev working set --scope review/file-3 line 120\n  \
    mnemon --as dev working set --value '{\"open\":[\"a.rs\"]}' files")]
pub(crate) struct Set {
    /// Its name, of letters, digits and any of . _ -
    #[arg(value_name = "KEY")]
    key: String,
    /// What it is, words joined by spaces; - reads standard input
    #[arg(
        value_name = "TEXT",
        conflicts_with = "value",
        allow_negative_numbers = true
    )]
    text: Vec<String>,
    /// The value as JSON, instead of a text
    #[arg(long, value_name = "JSON")]
    value: Option<String>,
    /// The scope, such as task or task/step [default: the outermost]
    #[arg(long, default_value = "", hide_default_value = true)]
    scope: String,
    /// How much it matters, from 0 to 1 [default: 0.5]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    importance: Option<String>,
    /// A label (repeatable)
    #[arg(long)]
    tag: Vec<String>,
    /// Never let it get too old
    #[arg(long)]
    pin: bool,
    #[command(flatten)]
    whose: Whose,
}

/// Tell a value, the innermost that is seen from a scope
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon --as dev working get goal --scope review/file-3")]
pub(crate) struct Get {
    /// Its name
    #[arg(value_name = "KEY")]
    key: String,
    /// The scope from which it is asked for
    #[arg(long, default_value = "", hide_default_value = true)]
    scope: String,
    #[command(flatten)]
    whose: Whose,
}

/// List the values
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon --as dev working list\n  \
    mnemon --as dev working list --scope review")]
pub(crate) struct List {
    /// Only what is seen from this scope, each name once
    #[arg(long)]
    scope: Option<String>,
    #[command(flatten)]
    whose: Whose,
}

/// Let go of values, of a scope and all within it, or of everything
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon --as dev working clear goal\n  \
    mnemon --as dev working clear --scope review\n  mnemon --as dev working clear --all")]
pub(crate) struct Clear {
    /// Only these, in just that scope
    #[arg(value_name = "KEY")]
    keys: Vec<String>,
    /// The scope that is left
    #[arg(long)]
    scope: Option<String>,
    /// Everything
    #[arg(long, conflicts_with_all = ["keys", "scope"])]
    all: bool,
    #[command(flatten)]
    whose: Whose,
}

#[derive(Serialize)]
struct Cleared<'a> {
    agent: &'a AgentId,
    count: usize,
}

impl Working {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        match self {
            Self::Set(command) => command.run(context),
            Self::Get(command) => command.run(context),
            Self::List(command) => command.run(context),
            Self::Clear(command) => command.run(context),
        }
    }
}

impl Set {
    fn run(&self, context: &Context) -> Outcome {
        let agent = self.whose.agent(context)?;
        let (scope, key): (Scope, Key) = (self.scope.parse()?, self.key.parse()?);
        let new = NewEntry {
            value: self.value()?,
            importance: match &self.importance {
                Some(text) => input::importance(text)?,
                None => Importance::default(),
            },
            tags: input::tags(&self.tag)?,
            pinned: self.pin,
        };
        let engine = context.writer()?;
        let (before, redacted) = engine.set_working(
            &context.caller()?,
            &agent,
            (&scope, &key),
            new,
            mnemon_tokens::count,
        )?;
        context.output.redacted(&redacted);
        let shape = WorkingSetShape::of(&agent, (&scope, &key), before.is_some(), &redacted);
        context.output.answer(&shape, || match before {
            Some(_) => format!("{NAME}{agent}{NAME:#} holds another {key} now.\n"),
            None => format!("{NAME}{agent}{NAME:#} holds {key} now.\n"),
        })
    }

    fn value(&self) -> Outcome<Value> {
        if let Some(json) = &self.value {
            return serde_json::from_str(json).map_err(|error| {
                Failure::misused(
                    format!("--value is not JSON: {error}"),
                    "Give a JSON value such as '{\"n\":1}', or leave --value out for a text.",
                )
            });
        }
        if self.text.is_empty() {
            return Err(Failure::misused(
                "there is no value",
                "Give a text, or --value with JSON.",
            ));
        }
        Ok(Value::String(input::words_or_stdin(
            &self.text,
            DESK_BYTES_MAX as u64,
        )?))
    }
}

impl Get {
    fn run(&self, context: &Context) -> Outcome {
        let agent = self.whose.agent(context)?;
        let (scope, key): (Scope, Key) = (self.scope.parse()?, self.key.parse()?);
        let working = context.reader()?.working(&context.caller()?, &agent)?;
        let (scope, entry) = working.get(&scope, &key).ok_or(mnemon::Error::Missing {
            what: format!("value {key} in what {agent} holds"),
            suggestion: "`mnemon working list` shows what is held.",
        })?;
        let shape = EntryShape::of(&scope, &key, entry);
        context
            .output
            .answer(&shape, || format!("{}\n", told(entry)))
    }
}

impl List {
    fn run(&self, context: &Context) -> Outcome {
        let agent = self.whose.agent(context)?;
        let engine = context.reader()?;
        let working = engine.working(&context.caller()?, &agent)?;
        let mut rows: Vec<(Scope, &Key, &Entry)> = Vec::new();
        match &self.scope {
            Some(scope) => {
                let seen = working.seen_from(&scope.parse()?).into_iter();
                rows.extend(seen.map(|(key, (scope, entry))| (scope, key, entry)));
            }
            None => rows.extend(working.all().map(|(s, key, entry)| (s.clone(), key, entry))),
        }
        let entries = rows.iter();
        let shape = WorkingShape {
            agent: &agent,
            entries: entries
                .map(|(s, key, entry)| EntryShape::of(s, key, entry))
                .collect(),
            total: rows.len(),
        };
        context.output.answer(&shape, || {
            if rows.is_empty() {
                return format!("{agent} holds nothing.\n");
            }
            let mut table = Table::new(vec![
                Column::new("scope").styled(LABEL),
                Column::new("key").styled(NAME),
                Column::new("value").flexible(),
                Column::new("tokens"),
                Column::new("set").styled(LABEL),
            ]);
            for (scope, key, entry) in &rows {
                table.row(&[
                    scope.to_string(),
                    key.to_string(),
                    told(entry).chars().take(1000).collect(),
                    entry.tokens.to_string(),
                    ago(entry.updated_at, engine.now()),
                ]);
            }
            let total = count(rows.len() as u64, "value", "values");
            format!(
                "{}{LABEL}{total}{LABEL:#}\n",
                table.render(context.output.columns)
            )
        })
    }
}

impl Clear {
    fn run(&self, context: &Context) -> Outcome {
        let agent = self.whose.agent(context)?;
        let caller = context.caller()?;
        let scope: Scope = self.scope.as_deref().unwrap_or_default().parse()?;
        if self.keys.is_empty() && self.scope.is_none() && !self.all {
            return Err(Failure::misused(
                "it is not said what to let go",
                "Name keys, a scope with --scope S, or everything with --all.",
            ));
        }
        let engine = context.reader()?;
        let count_gone = if self.keys.is_empty() {
            engine.clear_working(&caller, &agent, &scope)?
        } else {
            let keys: Vec<Key> = self
                .keys
                .iter()
                .map(|key| key.parse())
                .collect::<mnemon::Result<_>>()?;
            engine.drop_working(&caller, &agent, &scope, &keys)?.len()
        };
        let shape = Cleared {
            agent: &agent,
            count: count_gone,
        };
        context.output.answer(&shape, || {
            let values = count(count_gone as u64, "value", "values");
            format!("{agent} let go of {values}.\n")
        })
    }
}

/// A value for people: a text as it is, anything else as JSON.
fn told(entry: &Entry) -> String {
    match &entry.value {
        Value::String(text) => harmless(text),
        value => value.to_string(),
    }
}
