//! The filters, the same for every command that selects memories.

use clap::Args;
use mnemon::memory::{SessionId, Space};
use mnemon::store::{Filter, Forgottenness, Sort, Status};
use mnemon::{Error, Time};
use mnemon_wire::kind_from_word;

use crate::context::Context;
use crate::failure::Outcome;
use crate::input;

const LIMIT_MAX: usize = 1_000_000;

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
    /// The filter that the library takes.
    pub(crate) fn filter(&self, context: &Context, now: Time) -> Outcome<Filter> {
        let mut filter = Filter::all(now.micros());
        filter.spaces = self.spaces()?;
        for word in &self.kind {
            filter.kinds.push(kind_from_word(word)?);
        }
        filter.authors.clone_from(&self.author);
        filter.tags = input::tags(&self.tag)?;
        filter.any_tags = input::tags(&self.any_tag)?;
        filter.not_tags = input::tags(&self.not_tag)?;
        if let Some(text) = &self.since {
            filter.since_micros = Some(input::moment(text, now, &context.zone)?.since_micros());
        }
        if let Some(text) = &self.until {
            filter.until_micros = Some(input::moment(text, now, &context.zone)?.until_micros());
        }
        if let Some(text) = &self.min_importance {
            filter.min_importance = Some(input::importance(text)?);
        }
        if let Some(text) = &self.min_priority {
            filter.min_priority = Some(priority(text)?);
        }
        if let Some(text) = &self.confidence {
            filter.min_confidence = Some(input::confidence(text)?);
        }
        filter.status = match (self.open, self.resolved) {
            (true, _) => Some(Status::Open),
            (_, true) => Some(Status::Resolved),
            _ => None,
        };
        filter.contains.clone_from(&self.contains);
        filter.metadata = input::pairs(&self.meta)?;
        if self.include_forgotten {
            filter.forgotten = Forgottenness::With;
        }
        if let Some(order) = &self.sort {
            filter.sort = order.parse()?;
        }
        if let Some(text) = &self.limit {
            filter.limit = whole_number("limit", text)?;
        }
        if let Some(text) = &self.offset {
            filter.offset = whole_number("offset", text)?;
        }
        Ok(filter)
    }

    /// The spaces that were named.
    pub(crate) fn spaces(&self) -> Outcome<Vec<Space>> {
        let mut spaces = Vec::new();
        for session in &self.session {
            spaces.push(Space::Session(session.parse()?));
        }
        for agent in &self.agent {
            spaces.push(Space::Agent(agent.parse()?));
        }
        if self.shared {
            spaces.push(Space::Shared);
        }
        Ok(spaces)
    }

    /// The session, if exactly one was named and nothing else.
    pub(crate) fn only_session(&self) -> Outcome<Option<SessionId>> {
        match self.spaces()?.as_slice() {
            [Space::Session(id)] => Ok(Some(id.clone())),
            _ => Ok(None),
        }
    }

    /// Whether anything was asked for beyond a session.
    pub(crate) fn narrows_beyond_session(&self) -> bool {
        let lists = [
            &self.agent,
            &self.kind,
            &self.author,
            &self.tag,
            &self.any_tag,
            &self.not_tag,
            &self.meta,
        ];
        let options = [
            &self.since,
            &self.until,
            &self.min_importance,
            &self.min_priority,
            &self.confidence,
            &self.contains,
            &self.sort,
            &self.limit,
            &self.offset,
        ];
        let flags = [
            self.shared,
            self.all,
            self.open,
            self.resolved,
            self.include_forgotten,
        ];
        lists.iter().any(|list| !list.is_empty())
            || options.iter().any(|option| option.is_some())
            || flags.contains(&true)
    }

    /// The order, if one was given.
    pub(crate) fn sort(&self) -> Outcome<Option<Sort>> {
        Ok(self.sort.as_ref().map(|order| order.parse()).transpose()?)
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

fn whole_number(field: &'static str, text: &str) -> Outcome<usize> {
    match text.parse() {
        Ok(number) if number <= LIMIT_MAX => Ok(number),
        _ => Err(Error::InvalidQuery {
            field: field.into(),
            problem: format!(
                "must be a whole number from 0 to {LIMIT_MAX} (given: {})",
                text.chars().take(30).collect::<String>()
            ),
        }
        .into()),
    }
}

fn priority(text: &str) -> Outcome<f64> {
    match text.parse() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err(Error::InvalidQuery {
            field: "min-priority".into(),
            problem: format!(
                "must be a number from 0 to 1 (given: {})",
                text.chars().take(30).collect::<String>()
            ),
        }
        .into()),
    }
}
