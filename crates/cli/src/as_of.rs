//! `--as-of`: the store as it was at a moment.

use clap::Args;
use mnemon::Mnemon;
use mnemon_wire::request::past_moment;

use crate::context::Context;
use crate::failure::Outcome;
use crate::filters::of_an_option;

/// At which moment.
#[derive(Debug, Default, Args)]
pub(crate) struct AsOf {
    /// Answer as at this moment, and count times from it: 2026-01-10, "2 weeks", yesterday
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
}

impl AsOf {
    /// The store as it was then; as it is now if no moment is given.
    pub(crate) fn reader(&self, context: &Context) -> Outcome<Mnemon> {
        let engine = context.reader()?;
        let Some(text) = &self.as_of else {
            return Ok(engine);
        };
        let moment = past_moment(text, engine.now(), &context.zone).map_err(of_an_option)?;
        Ok(engine.as_of(moment)?)
    }
}
