//! `mnemon recall`

mod batch;

use std::path::PathBuf;

use clap::Args;
use mnemon::Time;
use mnemon::recall::{Query, Question};
use mnemon_wire::RecalledShape;

use crate::as_of::AsOf;
use crate::context::Context;
use crate::failure::Outcome;
use crate::filters::Filters;
use crate::human::hits::hit_list;

/// Find memories by what they say and mean
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon recall \"which database did we choose?\"\n  \
    mnemon recall \"session timeout\" --kind decision --since \"2 weeks\" --explain\n  \
    mnemon recall '\"dark mode\" auth*' --mode text\n  \
    mnemon recall --batch questions.jsonl --limit 5"
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
    min_similarity: Option<f64>,
    /// Only what has at least this score
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    min_score: Option<f64>,
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
        let question = Question::parse(&self.query.join(" "))?;
        let query = self.query(context, question, engine.now())?;
        let recalled = engine.recall(&context.caller()?, &query)?;
        let shape = RecalledShape::of(&recalled, context.future_skew_minutes()?);
        let session = self.filters.only_session()?;
        context.output.notes(&recalled.notes);
        context.output.answer(&shape, || {
            hit_list(
                &recalled,
                session.as_ref(),
                self.explain,
                context.output.columns,
                engine.now(),
            )
        })
    }

    /// The question with what was typed beside it.
    fn query(&self, context: &Context, question: Question, now: Time) -> Outcome<Query> {
        let filter = self.filters.filter(context, now)?;
        let limit = filter.limit;
        let mut query = Query::new(question, filter);
        if self.filters.has_limit() {
            query.filter.limit = limit;
        }
        query.sort = self.filters.sort()?;
        if let Some(mode) = &self.mode {
            query.mode = mode.parse()?;
        }
        if let Some(profile) = &self.profile {
            query.profile = profile.parse()?;
        }
        query.min_similarity = self.min_similarity;
        query.min_score = self.min_score;
        Ok(query)
    }
}
