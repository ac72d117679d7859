//! `mnemon recall`

mod batch;

use std::path::PathBuf;

use clap::Args;
use mnemon_wire::{RecallRequest, RecalledShape};
use serde_json::{Map, Value};

use crate::as_of::AsOf;
use crate::context::Context;
use crate::failure::Outcome;
use crate::filters::{Filters, RANKED_LIMIT, RANKED_SORT, number, of_an_option, request};
use crate::human::hits::{Page, hit_list};

/// Find memories by what they say and mean
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon recall \"which database did we choose?\"\n  \
    mnemon recall \"session timeout\" --kind decision --since \"2 weeks\" --explain\n  \
    mnemon recall '\"dark mode\" auth*' --mode text\n  \
    mnemon recall --batch questions.jsonl --limit 5",
    mut_arg("sort", |sort| sort.help(RANKED_SORT)),
    mut_arg("limit", |limit| limit.help(RANKED_LIMIT))
)]
pub(crate) struct Recall {
    /// What to look for; words are joined
    #[arg(
        value_name = "QUERY",
        required_unless_present = "batch",
        conflicts_with = "batch"
    )]
    query: Vec<String>,
    /// Answer a file of questions (- is standard input): a JSON object a line, with qid, query and
    /// what it says otherwise than the options
    #[arg(long, value_name = "FILE")]
    batch: Option<PathBuf>,
    /// hybrid, text or semantic
    #[arg(long, value_name = "MODE")]
    mode: Option<String>,
    /// How to rank: balanced, product or weighted
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Only what is at least this near in meaning, from 0 to 1
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    min_similarity: Option<String>,
    /// Only what has at least this score
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    min_score: Option<String>,
    /// Say what each score is made of
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    filters: Filters,
    #[command(flatten)]
    as_of: AsOf,
}

impl Recall {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let engine = self.as_of.reader(context)?;
        if let Some(file) = &self.batch {
            return self.answer_all(context, &engine, file);
        }
        let mut members = self.members();
        members.insert("query".into(), Value::String(self.query.join(" ")));
        let query = request(members)?.to_query(engine.now(), &context.zone);
        let query = query.map_err(of_an_option)?;
        let caller = context.caller()?;
        let recalled = engine.recall(&caller, &query)?;
        let shape = RecalledShape::of(&recalled, context.future_skew_minutes()?);
        let session = self.filters.only_session()?;
        context.output.notes(&recalled.notes);
        context.output.answer(&shape, || {
            let page = Page {
                limit: query.filter.limit,
                offset: query.filter.offset,
                explain: self.explain,
                room: context.output.columns,
                now: engine.now(),
            };
            hit_list(&recalled, session.as_ref(), &page)
        })?;
        engine.flush_accesses_if_free(&caller);
        Ok(())
    }

    /// What was typed beside the question.
    fn options(&self) -> Outcome<RecallRequest> {
        request(self.members())
    }

    fn members(&self) -> Map<String, Value> {
        let mut members = self.filters.members();
        for (name, text) in [("mode", &self.mode), ("profile", &self.profile)] {
            let value = text.clone().map(Value::String);
            members.extend(value.map(|value| (name.to_owned(), value)));
        }
        for (name, text) in [
            ("min_similarity", &self.min_similarity),
            ("min_score", &self.min_score),
        ] {
            let value = text.as_deref().map(number);
            members.extend(value.map(|value| (name.to_owned(), value)));
        }
        members
    }
}
