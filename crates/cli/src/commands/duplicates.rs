//! `mnemon duplicates`

use std::fmt::Write as _;

use clap::Args;
use mnemon::Mnemon;
use mnemon::consolidate::{Aggregate, Consolidated, DuplicateOptions, Group, LIKENESS_MIN};
use mnemon::memory::Memory;
use mnemon_wire::{ConsolidatedShape, DuplicatesShape};
use serde_json::Map;

use crate::commands::after;
use crate::context::{Context, session_of};
use crate::failure::Outcome;
use crate::filters::{Filters, number, request};
use crate::human::table::{Column, Table};
use crate::human::{LABEL, NAME, count};

/// Find memories that say what an older one says, and link them
#[derive(Debug, Args)]
#[command(
    after_help = "Nothing is merged or removed. A linked duplicate counts once in a context pack \
        and stays where it is.\n\nExamples:\n  \
        mnemon duplicates --kind finding\n  \
        mnemon duplicates --session review --link\n  \
        mnemon duplicates --undo review/FIND-007",
    mut_arg("sort", |sort| sort.hide(true)),
    mut_arg("limit", |limit| limit.help("At most so many groups [default: 100]")),
    mut_arg("offset", |offset| offset.help("After so many groups [default: 0]"))
)]
pub(crate) struct Duplicates {
    /// Only what is at least this much alike, from 0 to 1 [default: 0.75]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    min_similarity: Option<String>,
    /// Link each to the memory that counts for it
    #[arg(long)]
    link: bool,
    /// This one says something else (repeatable): unlink it, and don't take it for a duplicate again
    #[arg(long, value_name = "ID", conflicts_with = "link")]
    undo: Vec<String>,
    #[command(flatten)]
    filters: Filters,
}

impl Duplicates {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let caller = context.caller()?;
        if !self.undo.is_empty() {
            return self.take_back(context);
        }
        let engine = if self.link {
            context.writer()?
        } else {
            context.reader()?
        };
        let options = self.options(context, &engine)?;
        if self.link {
            let done = engine.link_duplicates(&caller, &options)?;
            answer(context, &done, "Linked")?;
            after::a_write(context, &engine, &caller);
            return Ok(());
        }
        let groups = engine.duplicates(&caller, &options)?;
        let (limit, offset) = (options.filter.limit, options.filter.offset);
        let last = offset.saturating_add(limit).min(groups.len());
        let page = groups.get(offset..last).unwrap_or_default();
        let shape = DuplicatesShape::of(page, groups.len());
        context.output.answer(&shape, || {
            listed(page, groups.len(), context.output.columns)
        })
    }

    fn take_back(&self, context: &Context) -> Outcome {
        let (engine, caller) = (context.writer()?, context.caller()?);
        let session = session_of(self.filters.session.first())?;
        let find = |id: &String| engine.find(&caller, id, session.as_ref());
        let memories: Vec<Memory> = self.undo.iter().map(find).collect::<mnemon::Result<_>>()?;
        let done = engine.unlink_duplicates(&caller, &memories)?;
        answer(context, &done, "Unlinked")?;
        after::a_write(context, &engine, &caller);
        Ok(())
    }

    fn options(&self, context: &Context, engine: &Mnemon) -> Outcome<DuplicateOptions> {
        let least = match &self.min_similarity {
            None => None,
            Some(least) => {
                let least = Map::from_iter([("min_similarity".to_owned(), number(least))]);
                request(least)?.min_similarity
            }
        };
        Ok(DuplicateOptions {
            filter: self.filters.filter(context, engine.now())?,
            likeness_min: least.unwrap_or(LIKENESS_MIN),
        })
    }
}

fn answer(context: &Context, done: &[Consolidated], did: &str) -> Outcome {
    context.output.answer(&ConsolidatedShape::of(done), || {
        if done.is_empty() {
            return "Nothing to link.\n".to_owned();
        }
        let all = count(done.len() as u64, "duplicate", "duplicates");
        format!("{did} {all}.\n")
    })
}

fn listed(page: &[Group], total: usize, room: usize) -> String {
    if total == 0 {
        return "No memory says what an older one says.\n".to_owned();
    }
    let mut table = Table::new(vec![
        Column::new("memory").styled(NAME),
        Column::new("text").flexible(),
        Column::new("alike").right(),
        Column::new("by"),
    ]);
    for group in page {
        let original = &group.original;
        let text = original.text.to_string();
        table.row(&[
            original.name(None),
            text,
            String::new(),
            said_by(&group.aggregate),
        ]);
        for other in &group.others {
            let alike = format!("{:.2}", other.likeness);
            let state = if other.is_linked {
                "linked"
            } else {
                "not linked"
            };
            let text = format!("= {}", other.memory.text);
            table.row(&[other.memory.name(None), text, alike, state.to_owned()]);
        }
    }
    let mut out = table.render(room);
    let groups = count(total as u64, "group", "groups");
    let _ = write!(out, "{LABEL}{groups}");
    if page.len() < total {
        let _ = write!(out, ", {} shown", page.len());
    }
    let mut others = page.iter().flat_map(|group| &group.others);
    if others.any(|other| !other.is_linked) {
        out.push_str("; --link links them, --undo ID takes it back");
    }
    let _ = writeln!(out, "{LABEL:#}");
    out
}

/// `dev, qa; critical; resolved`
fn said_by(aggregate: &Aggregate) -> String {
    let authors = Some(aggregate.authors.join(", ")).filter(|it| !it.is_empty());
    let resolved = (aggregate.is_open == Some(false)).then(|| "resolved".to_owned());
    let parts = [authors, aggregate.severity.clone(), resolved];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}
