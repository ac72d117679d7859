//! `mnemon window`

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use mnemon::Caller;
use mnemon::agent::{DESK_BYTES_MAX, WindowItem};
use mnemon::engine::{Clearing, NewItem};
use mnemon::memory::AgentId;
use mnemon_wire::{AddedShape, WindowShape};
use serde::Serialize;

use crate::context::{Context, session_of};
use crate::failure::{Failure, Outcome};
use crate::human::ago::ago;
use crate::human::table::{Column, Table};
use crate::human::text::one_line;
use crate::human::{LABEL, NAME, count};
use crate::input::{self, Names};
use crate::whose::Whose;

/// Keep what an agent has before its eyes within a token budget
#[derive(Debug, Subcommand)]
pub(crate) enum Window {
    /// Add something; what matters least falls out if need be
    Add(Add),
    /// Keep items whatever comes
    Pin(Pin),
    /// Let pinned items fall out again
    Unpin(Pin),
    /// List the items, in the order in which they came
    List(List),
    /// Take items out: these, all that are not pinned, or really all
    Clear(Clear),
    /// Change how many tokens the window may hold
    Budget(Budget),
}

/// Add something; what matters least falls out if need be
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    mnemon --as dev window add \"The user wants it in French\" --pin\n  \
    mnemon --as dev window add --memory DEC-001 --session review\n\n\
    Tokens are those of o200k_base; other models count a little differently.")]
pub(crate) struct Add {
    /// What it says, words joined by spaces; - reads standard input
    #[arg(value_name = "TEXT", required_unless_present = "memory")]
    text: Vec<String>,
    /// Take it from this memory: an id, or a handle with --session
    #[arg(long, value_name = "ID")]
    memory: Option<String>,
    /// The session within which a handle is looked up
    #[arg(long, value_name = "S")]
    session: Option<String>,
    /// The lowest falls out first, from 0 to 1 [default: the memory's importance, or 0.5]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    priority: Option<String>,
    /// Keep it whatever comes
    #[arg(long)]
    pin: bool,
    #[command(flatten)]
    whose: Whose,
}

/// Items of a window
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon --as dev window pin w3")]
pub(crate) struct Pin {
    /// Their names, such as w3
    #[arg(value_name = "ITEM", required = true)]
    items: Vec<String>,
    #[command(flatten)]
    whose: Whose,
}

/// List the items, in the order in which they came
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon --as dev window list --json")]
pub(crate) struct List {
    #[command(flatten)]
    whose: Whose,
}

/// Take items out: these, all that are not pinned, or really all
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon --as dev window clear w3 w4\n  \
    mnemon --as dev window clear\n  mnemon --as dev window clear --all")]
pub(crate) struct Clear {
    /// Only these [default: all that are not pinned]
    #[arg(value_name = "ITEM")]
    items: Vec<String>,
    /// Pinned ones too
    #[arg(long, conflicts_with = "items")]
    all: bool,
    #[command(flatten)]
    whose: Whose,
}

/// Change how many tokens the window may hold
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon --as dev window budget 16000")]
pub(crate) struct Budget {
    /// How many
    #[arg(value_name = "TOKENS")]
    tokens: usize,
    #[command(flatten)]
    whose: Whose,
}

#[derive(Serialize)]
struct Gone<'a> {
    agent: &'a AgentId,
    count: usize,
}

#[derive(Serialize)]
struct NewBudget<'a> {
    agent: &'a AgentId,
    budget: usize,
    fallen_out: &'a [WindowItem],
}

impl Window {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        match self {
            Self::Add(command) => command.run(context),
            Self::Pin(command) => command.run(context, true),
            Self::Unpin(command) => command.run(context, false),
            Self::List(command) => command.run(context),
            Self::Clear(command) => command.run(context),
            Self::Budget(command) => command.run(context),
        }
    }
}

impl Add {
    fn run(&self, context: &Context) -> Outcome {
        let agent = self.whose.agent(context)?;
        let (engine, caller) = (context.writer()?, context.caller()?);
        let session = session_of(self.session.as_ref())?;
        let names = Names {
            engine: &engine,
            caller: &caller,
            session: session.as_ref(),
        };
        let text = match &self.memory {
            Some(_) if self.text.is_empty() => String::new(),
            _ => input::words_or_stdin(&self.text, DESK_BYTES_MAX as u64)?,
        };
        let new = NewItem {
            text,
            priority: self
                .priority
                .as_deref()
                .map(input::importance)
                .transpose()?,
            pinned: self.pin,
            memory: self.memory.as_ref().map(|it| names.id(it)).transpose()?,
        };
        let (added, redacted) = engine.add_to_window(&caller, &agent, new, mnemon_tokens::count)?;
        context.output.redacted(&redacted);
        context
            .output
            .answer(&AddedShape::of(&added, &redacted), || {
                if !added.is_kept {
                    return "It fell out at once: everything else there matters more.\n".into();
                }
                let mut text = format!("Added {NAME}{}{NAME:#}.\n", added.id);
                text.push_str(&fallen_out(&added.fallen_out));
                text
            })
    }
}

impl Pin {
    fn run(&self, context: &Context, pinned: bool) -> Outcome {
        let agent = self.whose.agent(context)?;
        let (engine, caller) = (context.reader()?, context.caller()?);
        engine.pin_in_window(&caller, &agent, &self.items, pinned)?;
        show(context, &engine, &caller, &agent)
    }
}

impl List {
    fn run(&self, context: &Context) -> Outcome {
        let agent = self.whose.agent(context)?;
        show(context, &context.reader()?, &context.caller()?, &agent)
    }
}

impl Clear {
    fn run(&self, context: &Context) -> Outcome {
        let agent = self.whose.agent(context)?;
        let which = match (self.all, self.items.is_empty()) {
            (true, _) => Clearing::All,
            (false, true) => Clearing::Loose,
            (false, false) => Clearing::These(self.items.clone()),
        };
        let engine = context.reader()?;
        let gone = engine.clear_window(&context.caller()?, &agent, &which)?;
        let shape = Gone {
            agent: &agent,
            count: gone,
        };
        context.output.answer(&shape, || {
            let items = count(gone as u64, "item", "items");
            format!("Took out {items}.\n")
        })
    }
}

impl Budget {
    fn run(&self, context: &Context) -> Outcome {
        if self.tokens == 0 {
            return Err(Failure::misused(
                "a window of no tokens holds nothing",
                "Give a number of tokens, such as 8000.",
            ));
        }
        let agent = self.whose.agent(context)?;
        let engine = context.writer()?;
        let fallen = engine.set_window_budget(&context.caller()?, &agent, self.tokens)?;
        let shape = NewBudget {
            agent: &agent,
            budget: self.tokens,
            fallen_out: &fallen,
        };
        context.output.answer(&shape, || {
            let mut text = format!("The window of {agent} holds {} tokens now.\n", self.tokens);
            text.push_str(&fallen_out(&fallen));
            text
        })
    }
}

fn fallen_out(items: &[WindowItem]) -> String {
    let mut text = String::new();
    for item in items {
        let _ = writeln!(text, "{} fell out: {}", item.id, one_line(&item.text));
    }
    text
}

fn show(context: &Context, engine: &mnemon::Mnemon, caller: &Caller, agent: &AgentId) -> Outcome {
    let window = engine.window(caller, agent)?;
    let shape = WindowShape::of(agent, &window, mnemon_tokens::TOKENIZER);
    context.output.answer(&shape, || {
        let mut table = Table::new(vec![
            Column::new("item").styled(NAME),
            Column::new("text").flexible(),
            Column::new("tokens"),
            Column::new("priority"),
            Column::new("pinned"),
            Column::new("added").styled(LABEL),
        ]);
        for item in window.items() {
            table.row(&[
                item.id.clone(),
                item.text.chars().take(1000).collect(),
                item.tokens.to_string(),
                format!("{:.2}", item.priority.get()),
                if item.pinned { "yes" } else { "" }.into(),
                ago(item.added_at, engine.now()),
            ]);
        }
        let used = format!("{} of {} tokens", window.tokens(), window.budget_tokens());
        let table = match window.items() {
            [] => "The window is empty.\n".into(),
            _ => table.render(context.output.columns),
        };
        format!("{table}{LABEL}{used}{LABEL:#}\n")
    })
}
