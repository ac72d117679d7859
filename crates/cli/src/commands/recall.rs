//! `mnemon recall`

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use mnemon::recall::{Query, Question};
use mnemon::{Error, Mnemon};
use mnemon_wire::{BatchLine, RecalledShape};
use serde_json::Value;

use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::filters::Filters;
use crate::human::hits::hit_list;

/// Find memories by what they say and mean
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon recall \"which database did we choose?\"\n  \
    mnemon recall \"session timeout\" --kind decision --since \"2 weeks\" --explain\n  \
    mnemon recall '\"dark mode\" auth*' --mode text"
)]
pub(crate) struct Recall {
    /// What to look for; words are joined
    #[arg(
        value_name = "QUERY",
        required_unless_present = "batch",
        conflicts_with = "batch"
    )]
    query: Vec<String>,
    /// Answer a file of questions: a JSON object a line with qid and query
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
}

impl Recall {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let engine = context.reader()?;
        if let Some(file) = &self.batch {
            return self.answer_all(context, &engine, file);
        }
        let query = self.query(context, &engine, &self.query.join(" "))?;
        let recalled = engine.recall(&context.caller()?, &query)?;
        let shape = RecalledShape::of(&recalled, context.future_skew_minutes()?);
        let session = self.filters.only_session()?;
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

    fn query(&self, context: &Context, engine: &Mnemon, text: &str) -> Outcome<Query> {
        let filter = self.filters.filter(context, engine.now())?;
        let limit = filter.limit;
        let mut query = Query::new(Question::parse(text)?, filter);
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

    fn answer_all(&self, context: &Context, engine: &Mnemon, file: &Path) -> Outcome {
        let caller = context.caller()?;
        let open = std::fs::File::open(file).map_err(Failure::file("read", file))?;
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        for (number, line) in (1..).zip(BufReader::new(open).lines()) {
            let line = line.map_err(Failure::file("read", file))?;
            if line.trim().is_empty() {
                continue;
            }
            let unparsable = |problem: String| Error::UnparsableLine {
                line: number,
                source: Box::new(Error::Unparsable {
                    what: "a question",
                    input: line.chars().take(60).collect(),
                    problem,
                }),
            };
            let asked: Value =
                serde_json::from_str(&line).map_err(|error| unparsable(error.to_string()))?;
            let text = asked["query"]
                .as_str()
                .ok_or_else(|| unparsable("query is missing".into()))?;
            let mut query = self.query(context, engine, text)?;
            if let Some(limit) = asked["limit"].as_u64() {
                query.filter.limit = usize::try_from(limit).unwrap_or(usize::MAX);
            }
            let recalled = engine.recall(&caller, &query)?;
            let answer = BatchLine::of(&asked["qid"], &recalled);
            serde_json::to_writer(&mut out, &answer)
                .map_err(std::io::Error::from)
                .map_err(Failure::file("write", "standard output"))?;
            out.write_all(b"\n")
                .map_err(Failure::file("write", "standard output"))?;
        }
        out.flush()
            .map_err(Failure::file("write", "standard output"))
    }
}
