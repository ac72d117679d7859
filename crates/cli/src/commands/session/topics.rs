//! `mnemon session topics`

use clap::Args;
use mnemon::recall::aggregate::Topic;
use mnemon_wire::TopicsShape;

use super::span::Span;
use crate::context::Context;
use crate::failure::Outcome;
use crate::human::ago::ago;
use crate::human::table::{Column, Table};
use crate::human::{LABEL, NAME, count};

/// Tell what a session is about
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon session topics review\n  \
    mnemon session topics review --since yesterday --limit 5")]
pub(crate) struct Topics {
    #[command(flatten)]
    span: Span,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

impl Topics {
    pub(super) fn run(&self, context: &Context) -> Outcome {
        let engine = self.span.reader(context)?;
        let topics = engine.topics(&context.caller()?, &self.span.filter(context, &engine)?)?;
        let id = self.span.id.parse()?;
        let shape = TopicsShape::of(Some(&id), &topics, self.limit);
        context.output.answer(&shape, || {
            if topics.is_empty() {
                return format!("Nothing in {id} says what it is about.\n");
            }
            let mut table = Table::new(vec![
                Column::new("topic").styled(NAME),
                Column::new("weight").right(),
                Column::new("mentions").right(),
                Column::new("memories").flexible(),
                Column::new("last").styled(LABEL),
            ]);
            for topic in topics.iter().take(self.limit) {
                table.row(&[
                    topic.name.clone(),
                    format!("{:.2}", topic.weight),
                    topic.mentions.to_string(),
                    names(topic),
                    ago(topic.last, engine.now()),
                ]);
            }
            let total = count(topics.len() as u64, "topic", "topics");
            let table = table.render(context.output.columns);
            format!("{table}{LABEL}{total}{LABEL:#}\n")
        })
    }
}

/// What was decided and found before what was said.
fn names(topic: &Topic) -> String {
    use mnemon::memory::Kind;
    let (turns, others): (Vec<_>, Vec<_>) = topic
        .memories
        .iter()
        .partition(|(kind, _)| **kind == Kind::Conversation);
    let names = others.into_iter().chain(turns).flat_map(|(_, names)| names);
    names.map(String::as_str).collect::<Vec<_>>().join(" ")
}
