//! `mnemon similar`

use clap::Args;
use mnemon::recall::{Likeness, SimilarOptions};
use mnemon::store::Forgottenness;
use mnemon_wire::SimilarShape;
use serde_json::Map;

use crate::as_of::AsOf;
use crate::context::{Context, session_of};
use crate::failure::Outcome;
use crate::filters::{Filters, RANKED_LIMIT, RANKED_SORT, number, request};
use crate::human::hits::{Page, hit_list};
use crate::human::{LABEL, NAME};

/// Find memories that mean nearly the same as one
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon similar FACT-001 --session review\n  \
        mnemon similar review/FACT-001 --min-similarity 0.9",
    mut_arg("session", |session| session.help("The session in which a bare handle is looked up")),
    mut_arg("sort", |sort| sort.help(RANKED_SORT)),
    mut_arg("limit", |limit| limit.help(RANKED_LIMIT))
)]
pub(crate) struct Similar {
    /// Its id, its handle with --session, or SESSION/HANDLE
    #[arg(value_name = "ID")]
    id: String,
    /// Only what is at least this near in meaning, from 0 to 1 [default: 0.6]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    min_similarity: Option<String>,
    #[command(flatten)]
    filters: Filters,
    #[command(flatten)]
    as_of: AsOf,
}

impl Similar {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let session = session_of(self.filters.session.first())?;
        let engine = self.as_of.reader(context)?;
        let caller = context.caller()?;
        let (filter, sort) = self.filters.ranked_filter(context, engine.now())?;
        let memory = if filter.forgotten == Forgottenness::Without {
            engine.get(&caller, &self.id, session.as_ref())?
        } else {
            engine.find(&caller, &self.id, session.as_ref())?
        };
        let limit = filter.limit;
        let mut options = SimilarOptions::new(filter);
        if self.filters.has_limit() {
            options.filter.limit = limit;
        }
        options.sort = sort;
        if let Some(least) = &self.min_similarity {
            let least = Map::from_iter([("min_similarity".to_owned(), number(least))]);
            let least = request(least)?.min_similarity;
            options.min_similarity = least.unwrap_or(options.min_similarity);
        }
        // What is alike is alike in every session.
        options
            .filter
            .spaces
            .retain(|space| space.session().is_none());
        let similar = engine.similar(&caller, &memory, &options)?;
        let skew = context.future_skew_minutes()?;
        context.output.notes(&similar.recalled.notes);
        let shape = SimilarShape::of(&memory.id, &similar, skew);
        context.output.answer(&shape, || {
            let session = session.as_ref().or_else(|| memory.space.session());
            let name = memory.name(session);
            if similar.recalled.total == 0 {
                return match similar.by {
                    Likeness::Nothing => format!("{name} has no words to compare it by.\n"),
                    Likeness::Words => format!("Nothing shares a word with {name}.\n"),
                    Likeness::Meaning => format!(
                        "Nothing is as near to {name} as {}; --min-similarity finds more.\n",
                        options.min_similarity
                    ),
                };
            }
            let page = Page {
                limit: options.filter.limit,
                offset: options.filter.offset,
                explain: false,
                room: context.output.columns,
                now: engine.now(),
            };
            let hits = hit_list(&similar.recalled, session, &page);
            match similar.by {
                Likeness::Words => {
                    format!("{LABEL}The words of {NAME}{name}{NAME:#}{LABEL} are unknown to the model: found by words alone.{LABEL:#}\n{hits}")
                }
                Likeness::Meaning | Likeness::Nothing => hits,
            }
        })
    }
}
