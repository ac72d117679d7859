//! `mnemon related`

use clap::Args;
use mnemon::recall::RelatedOptions;
use mnemon_wire::RelatedShape;

use crate::as_of::AsOf;
use crate::context::{Context, session_of};
use crate::failure::Outcome;
use crate::filters::{Filters, RANKED_SORT};
use crate::human::related::related_list;

/// Follow what a memory names, and what names it
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon related FIND-001 --session review\n  \
        mnemon related review/DEC-002 --depth 3 --kind decision",
    mut_arg("session", |session| session.help("The session in which a bare handle is looked up")),
    mut_arg("sort", |sort| sort.help(RANKED_SORT))
)]
pub(crate) struct Related {
    /// Its id, its handle with --session, or SESSION/HANDLE
    #[arg(value_name = "ID")]
    id: String,
    /// How many steps away, from 1 to 10
    #[arg(long, value_name = "N", default_value_t = RelatedOptions::DEPTH)]
    depth: u32,
    #[command(flatten)]
    filters: Filters,
    #[command(flatten)]
    as_of: AsOf,
}

impl Related {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let session = session_of(self.filters.session.first())?;
        let engine = self.as_of.reader(context)?;
        let (filter, sort) = self.filters.ranked_filter(context, engine.now())?;
        let mut options = RelatedOptions::new(filter);
        options.sort = sort;
        options.depth = self.depth;
        // Relations lead from one session into another.
        options
            .filter
            .spaces
            .retain(|space| space.session().is_none());
        let related = engine.related(&context.caller()?, &self.id, session.as_ref(), &options)?;
        let skew = context.future_skew_minutes()?;
        let shape = RelatedShape::of(&related, options.filter.offset, skew);
        context.output.answer(&shape, || {
            let offset = options.filter.offset;
            related_list(&related, offset, context.output.columns, engine.now())
        })
    }
}
