//! The filters, the same for every command that selects memories.
//!
//! What was typed becomes a request as every other interface has it, so that
//! one parser decides what a filter means and what is refused.

use clap::Args;
use mnemon::memory::{SessionId, Space};
use mnemon::store::{Filter, Sort};
use mnemon::{Error, Time};
use mnemon_wire::RecallRequest;
use mnemon_wire::request::{CHOOSING, LIMIT_MAX};
use serde_json::{Map, Number, Value};

use crate::context::Context;
use crate::failure::{Failure, Outcome};

/// What `--limit` is where hits are ranked.
pub(crate) const RANKED_LIMIT: &str = "At most so many [default: 10]";
/// What `--sort` takes where hits are ranked.
pub(crate) const RANKED_SORT: &str =
    "relevance, newest, oldest, importance, accessed, access-count or priority";

/// Which memories.
#[derive(Debug, Default, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
#[command(next_help_heading = "Filters")]
pub(crate) struct Filters {
    /// In this session (repeatable: in any of them)
    #[arg(long, value_name = "S")]
    pub(crate) session: Vec<String>,
    /// In this agent's long-term memory
    #[arg(long, value_name = "A")]
    agent: Vec<String>,
    /// In the shared memory
    #[arg(long)]
    shared: bool,
    /// In the whole store, which is also what no scope means
    #[arg(long, conflicts_with_all = ["session", "agent", "shared"])]
    pub(crate) all: bool,
    /// Of this kind (repeatable: of any of them)
    #[arg(long, value_name = "K")]
    kind: Vec<String>,
    /// By this author (repeatable: by any of them)
    #[arg(long, value_name = "NAME")]
    author: Vec<String>,
    /// With this tag or one below it (repeatable: with all of them)
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// With any of these tags (repeatable)
    #[arg(long, value_name = "TAG")]
    any_tag: Vec<String>,
    /// Without this tag (repeatable)
    #[arg(long, value_name = "TAG")]
    not_tag: Vec<String>,
    /// Created then or later: 2026-01-10, 24h, "2 weeks", yesterday
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Created then or earlier
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// At least this important, from 0 to 1
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    min_importance: Option<String>,
    /// With at least this priority now, from 0 to 1
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    min_priority: Option<String>,
    /// At least this sure: a number from 0 to 1, or high, medium, low
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    confidence: Option<String>,
    /// Only open decisions and findings
    #[arg(long, conflicts_with = "resolved")]
    open: bool,
    /// Only resolved decisions and findings
    #[arg(long)]
    resolved: bool,
    /// With this in the text, whatever the case
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    contains: Option<String>,
    /// With this in the metadata (repeatable: with all of it)
    #[arg(long, value_name = "K=V")]
    meta: Vec<String>,
    /// Forgotten memories too
    #[arg(long)]
    include_forgotten: bool,
    /// newest, oldest, importance, accessed, access-count or priority
    #[arg(long, value_name = "ORDER")]
    sort: Option<String>,
    /// At most so many [default: 100]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    limit: Option<String>,
    /// After so many [default: 0]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    offset: Option<String>,
}

impl Filters {
    /// What was typed, under the names that requests have for it.
    pub(crate) fn members(&self) -> Map<String, Value> {
        let lists = [
            ("session", &self.session),
            ("agent", &self.agent),
            ("kind", &self.kind),
            ("author", &self.author),
            ("tag", &self.tag),
            ("any_tag", &self.any_tag),
            ("not_tag", &self.not_tag),
            ("meta", &self.meta),
        ];
        let texts = [
            ("since", &self.since),
            ("until", &self.until),
            ("contains", &self.contains),
            ("sort", &self.sort),
        ];
        let numbers = [
            ("min_importance", &self.min_importance),
            ("min_priority", &self.min_priority),
            ("confidence", &self.confidence),
            ("limit", &self.limit),
            ("offset", &self.offset),
        ];
        let flags = [
            ("shared", self.shared),
            ("all", self.all),
            ("open", self.open),
            ("resolved", self.resolved),
            ("include_forgotten", self.include_forgotten),
        ];
        let mut members = Map::new();
        for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            members.insert(name.into(), Value::from(list.clone()));
        }
        for (name, text) in texts {
            let value = text.clone().map(Value::String);
            members.extend(value.map(|value| (name.to_owned(), value)));
        }
        for (name, text) in numbers {
            let value = text.as_deref().map(number);
            members.extend(value.map(|value| (name.to_owned(), value)));
        }
        for (name, _) in flags.into_iter().filter(|(_, flag)| *flag) {
            members.insert(name.into(), Value::Bool(true));
        }
        members
    }

    /// The filter of a list, which has an order of its own.
    pub(crate) fn filter(&self, context: &Context, now: Time) -> Outcome<Filter> {
        let (filter, sort) = self.ranked_filter(context, now)?;
        match (&self.sort, sort) {
            (_, Some(sort)) => Ok(Filter { sort, ..filter }),
            (None, None) => Ok(filter),
            (Some(_), None) => Err(Failure::from(Error::InvalidQuery {
                field: "sort".into(),
                problem: "relevance needs a question, and `mnemon recall` takes one".into(),
            })),
        }
    }

    /// The filter of hits, and their order if it is not by relevance.
    pub(crate) fn ranked_filter(
        &self,
        context: &Context,
        now: Time,
    ) -> Outcome<(Filter, Option<Sort>)> {
        let request = request(self.members())?;
        let filter = request.narrow(Filter::all(now.micros()), now, &context.zone);
        Ok((filter.map_err(of_an_option)?, request.sort.flatten()))
    }

    /// The session, if exactly one was named and nothing else.
    pub(crate) fn only_session(&self) -> Outcome<Option<SessionId>> {
        let spaces = request(self.members())?.spaces;
        match spaces.unwrap_or_default().as_slice() {
            [Space::Session(id)] => Ok(Some(id.clone())),
            _ => Ok(None),
        }
    }

    /// Whether anything was asked for beyond a session.
    pub(crate) fn narrows_beyond_session(&self) -> bool {
        self.members().keys().any(|name| name != "session")
    }

    /// Whether it is said which memories are meant. An order or a page of everything says
    /// nothing of the kind.
    pub(crate) fn chooses(&self) -> bool {
        let members = self.members();
        members.keys().any(|name| CHOOSING.contains(&&**name))
    }

    /// Whether a limit was given.
    pub(crate) fn has_limit(&self) -> bool {
        self.limit.is_some()
    }
}

/// As many as a single page can have.
pub(crate) const fn no_limit() -> usize {
    LIMIT_MAX
}

/// Reads what was typed as options.
pub(crate) fn request(members: Map<String, Value>) -> Outcome<RecallRequest> {
    Ok(RecallRequest::parse(Value::Object(members)).map_err(of_an_option)?)
}

/// For `map_err`: people know the member of a request as an option, `min_score` as `min-score`.
pub(crate) fn of_an_option(error: Error) -> Error {
    match error {
        Error::InvalidQuery { field, problem } => {
            // Which of several is meant, the words say.
            let option = field.split('[').next().unwrap_or_default();
            Error::InvalidQuery {
                field: option.replace('_', "-").into(),
                problem,
            }
        }
        other => other,
    }
}

/// A number if it is one; if not, the refusal shows what was typed.
pub(crate) fn number(text: &str) -> Value {
    let trimmed = text.trim();
    let whole = trimmed.parse::<i64>().map(Value::from);
    let fraction = || trimmed.parse().ok().and_then(Number::from_f64);
    whole
        .ok()
        .or_else(|| fraction().map(Value::Number))
        .unwrap_or_else(|| Value::from(text))
}
