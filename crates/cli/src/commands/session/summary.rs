//! `mnemon session summary`

use std::fmt::Write as _;

use clap::Args;
use mnemon::Time;
use mnemon::memory::{Body, Memory, SessionId};
use mnemon::recall::aggregate::{AgentActivity, Summary as Content, SummaryOptions};
use mnemon_wire::SummaryShape;

use super::span::Span;
use crate::context::Context;
use crate::failure::Outcome;
use crate::human::ago::{ago, exact};
use crate::human::text::{one_line, wrap};
use crate::human::{BAD, LABEL, NAME, STRONG, count};

/// Sum a session up: who, what was decided, what is open, what was said
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon session summary review\n  \
    mnemon session summary review --sentences 10 --json")]
pub(crate) struct Summary {
    #[command(flatten)]
    span: Span,
    /// So many sentences of the conversation
    #[arg(long, value_name = "N", default_value_t = 5)]
    sentences: usize,
    /// At most so many decisions, findings and preferences of each sort
    #[arg(long, value_name = "N", default_value_t = 10)]
    items: usize,
}

impl Summary {
    pub(super) fn run(&self, context: &Context) -> Outcome {
        let engine = self.span.reader(context)?;
        let options = SummaryOptions {
            sentences: self.sentences,
            items: self.items,
            ..SummaryOptions::default()
        };
        let filter = self.span.filter(context, &engine)?;
        let summary = engine.summary(&context.caller()?, &filter, &options)?;
        let id: SessionId = self.span.id.parse()?;
        context.output.answer(&SummaryShape::of(&id, &summary), || {
            let mut page = Page {
                out: String::new(),
                session: &id,
                room: context.output.columns,
            };
            page.write(&summary, engine.now());
            page.out
        })
    }
}

struct Page<'a> {
    out: String,
    session: &'a SessionId,
    room: usize,
}

impl Page<'_> {
    fn write(&mut self, summary: &Content, now: Time) {
        let total = count(summary.memories, "memory", "memories");
        let id = self.session;
        let _ = writeln!(self.out, "{NAME}{id}{NAME:#}  {STRONG}{total}{STRONG:#}");
        if let Some((first, last)) = summary.span {
            self.fact("from", &exact(first, now));
            self.fact("to", &exact(last, now));
        }
        let kinds = summary
            .by_kind
            .iter()
            .map(|(kind, number)| format!("{number} {kind}"));
        self.fact("kinds", &kinds.collect::<Vec<_>>().join(", "));
        let topics = summary.topics.iter().map(|topic| one_line(&topic.name));
        self.fact("topics", &topics.collect::<Vec<_>>().join(", "));
        for agent in &summary.participants {
            self.fact("by", &activity(agent, now));
        }
        self.items("Open findings", &summary.open_findings);
        self.items("Open decisions", &summary.open_decisions);
        self.items("Settled decisions", &summary.resolved_decisions);
        self.items("Preferences", &summary.preferences);
        if !summary.sentences.is_empty() {
            self.heading("In their words");
        }
        for quote in &summary.sentences {
            let author = quote.author.iter().map(|author| format!("{author}: "));
            let text = format!("{}“{}”", author.collect::<String>(), quote.text);
            self.entry(&quote.name, "", &text);
        }
    }

    fn fact(&mut self, label: &str, value: &str) {
        if !value.is_empty() {
            let _ = writeln!(self.out, "{LABEL}{label:>9}{LABEL:#}  {value}");
        }
    }

    fn heading(&mut self, text: &str) {
        let _ = writeln!(self.out, "\n{STRONG}{text}{STRONG:#}");
    }

    fn items(&mut self, heading: &str, memories: &[Memory]) {
        if !memories.is_empty() {
            self.heading(heading);
        }
        for memory in memories {
            let severity = match &memory.body {
                Body::Finding(finding) => finding.severity.as_deref().unwrap_or_default(),
                _ => "",
            };
            let begin: String = memory.text.as_str().chars().take(500).collect();
            self.entry(&memory.name(Some(self.session)), severity, &begin);
        }
    }

    /// A name, and behind it a text in as many lines as it needs.
    fn entry(&mut self, name: &str, mark: &str, text: &str) {
        let mark = if mark.is_empty() {
            String::new()
        } else {
            format!("{} ", one_line(mark))
        };
        let lines = wrap(
            &one_line(&format!("{mark}{text}")),
            self.room.saturating_sub(13).max(20),
        );
        for (number, line) in lines.iter().enumerate() {
            if number > 0 {
                let _ = writeln!(self.out, "{:13}{line}", "");
                continue;
            }
            let rest = line.strip_prefix(&mark).unwrap_or(line);
            let _ = writeln!(
                self.out,
                "  {NAME}{name:<9}{NAME:#}  {BAD}{mark}{BAD:#}{rest}"
            );
        }
    }
}

fn activity(agent: &AgentActivity, now: Time) -> String {
    let name = agent.name.as_deref().unwrap_or("nobody in particular");
    let memories = count(agent.memories, "memory", "memories");
    let messages = count(agent.messages, "message", "messages");
    format!(
        "{name}: {memories}, {messages}, last {}",
        ago(agent.last, now)
    )
}
