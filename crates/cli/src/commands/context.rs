//! `mnemon context`

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use mnemon::context::{ContextPack, ContextRequest};
use mnemon_wire::{ContextShape, workflow_selectors};

use crate::context::{Context, session_of};
use crate::failure::{Failure, Outcome};
use crate::human::{LABEL, NAME};
use crate::input::{file_or_stdin, without_mark};

/// Assemble what an agent needs for its next turn, within a token budget
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon context --session review --topic \"refunds\"\n  \
        mnemon --as dev context --session review --budget 4000\n  \
        mnemon context --session review --workflow deep-verify.md --json\n\n\
        Tokens are those of o200k_base; other models count a little differently."
)]
pub(crate) struct ContextPackCommand {
    /// The session that goes on
    #[arg(long, value_name = "S")]
    session: String,
    /// What the next turn is about [default: what the last turns were about]
    #[arg(long, value_name = "TEXT")]
    topic: Option<String>,
    /// At most so many tokens
    #[arg(long, value_name = "TOKENS", default_value_t = ContextRequest::BUDGET_TOKENS)]
    budget: usize,
    /// A workflow file whose memory requirements say what to read; - for standard input
    #[arg(long, value_name = "FILE")]
    workflow: Option<PathBuf>,
    /// Say beside the text why each memory is there and what it takes
    #[arg(long)]
    explain: bool,
}

impl ContextPackCommand {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let session = session_of(Some(&self.session))?.expect("one was given");
        let selectors = match &self.workflow {
            Some(path) => {
                let bytes = file_or_stdin(path)?;
                let text = std::str::from_utf8(without_mark(&bytes)).map_err(|_| {
                    Failure::misused(
                        format!("{} is not text in UTF-8", path.display()),
                        "Give a workflow file in YAML or Markdown.",
                    )
                })?;
                workflow_selectors(text)?
            }
            None => Vec::new(),
        };
        let request = ContextRequest {
            session: session.clone(),
            topic: self.topic.clone(),
            budget_tokens: self.budget,
            selectors,
        };
        let engine = context.reader()?;
        let pack = engine.context(&context.caller()?, &request, mnemon_tokens::count)?;
        let shape = ContextShape::of(&pack, &session, self.budget, mnemon_tokens::TOKENIZER);
        context.output.answer(&shape, || self.tell(&pack))
    }

    fn tell(&self, pack: &ContextPack) -> String {
        if pack.items.is_empty() && pack.left_out > 0 {
            return format!(
                "Nothing fits into {} tokens; {} memories would be there.\n",
                self.budget, pack.left_out
            );
        }
        if pack.items.is_empty() {
            return "There is nothing to say about that session yet.\n".into();
        }
        let mut text = pack.text.clone();
        if self.explain {
            text.push('\n');
            for item in &pack.items {
                let name = item.memory.name(item.memory.space.session());
                let _ = writeln!(
                    text,
                    "{NAME}{name}{NAME:#}  {} tokens  {LABEL}{}{LABEL:#}",
                    item.tokens, item.reason
                );
            }
            let _ = writeln!(
                text,
                "{LABEL}{} of {} tokens, {} left out{LABEL:#}",
                pack.tokens, self.budget, pack.left_out
            );
        }
        text
    }
}
