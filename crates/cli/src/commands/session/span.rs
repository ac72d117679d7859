//! Which part of a session: options that its topics, timeline and summary share.

use clap::Args;
use mnemon::Mnemon;
use mnemon::store::Filter;
use mnemon_wire::request::moment;

use crate::as_of::AsOf;
use crate::context::Context;
use crate::failure::Outcome;

/// A session, or the part of it between two moments.
#[derive(Debug, Args)]
pub(crate) struct Span {
    /// Which session
    #[arg(value_name = "S")]
    pub(super) id: String,
    /// What came into being then or later: 2026-01-10, 24h, "2 weeks", yesterday
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// What came into being then or earlier
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    #[command(flatten)]
    as_of: AsOf,
}

impl Span {
    /// The store in which the session is looked at.
    pub(super) fn reader(&self, context: &Context) -> Outcome<Mnemon> {
        self.as_of.reader(context)
    }

    pub(super) fn filter(&self, context: &Context, engine: &Mnemon) -> Outcome<Filter> {
        let mut filter = engine.all_of(&context.caller()?, &self.id.parse()?)?;
        let now = engine.now();
        if let Some(text) = &self.since {
            filter.since_micros = Some(moment("since", text, now, &context.zone)?.since_micros());
        }
        if let Some(text) = &self.until {
            filter.until_micros = Some(moment("until", text, now, &context.zone)?.until_micros());
        }
        Ok(filter)
    }
}
