//! Which memories something is to be done to: named one by one, or by filters.

use clap::Args;
use mnemon::store::{Forgottenness, Located, Whereabouts};
use mnemon::{Caller, Mnemon};

use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::filters::{Filters, no_limit};

/// Ids or filters.
#[derive(Debug, Args)]
pub(crate) struct Targets {
    /// Ids, handles with --session, or SESSION/HANDLE; else filters say which
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    #[command(flatten)]
    pub(crate) filters: Filters,
}

impl Targets {
    /// Nothing is done to what is not clearly meant; `deed` is a verb such as `forget`.
    pub(crate) fn refuse_unclear(&self, deed: &str) -> Outcome {
        let filtered = self.filters.narrows_beyond_session();
        if !self.ids.is_empty() && (filtered || self.filters.session.len() > 1) {
            return Err(Failure::misused(
                "ids and filters can't be mixed",
                "Name the memories, or say by filters which they are.",
            ));
        }
        if self.ids.is_empty() && !self.filters.chooses() {
            return Err(Failure::misused(
                format!("it is not said what to {deed}"),
                "Give ids, filters such as --session S or --tag T, or --all for everything.",
            ));
        }
        Ok(())
    }

    /// Wherever they lie, and without opening anything; all are looked up before any is touched.
    pub(crate) fn select(
        &self,
        context: &Context,
        engine: &Mnemon,
        caller: &Caller,
        forgotten: Option<Forgottenness>,
    ) -> Outcome<Vec<Located>> {
        if self.ids.is_empty() {
            let mut filter = self.filters.filter(context, engine.now())?;
            if !self.filters.has_limit() {
                filter.limit = no_limit();
            }
            filter.forgotten = forgotten.unwrap_or(filter.forgotten);
            return Ok(engine.list_everywhere(caller, &filter)?);
        }
        let session = self.filters.only_session()?;
        let locate = |name: &String| Ok(engine.locate(caller, name, session.as_ref())?);
        self.ids.iter().map(locate).collect()
    }

    /// As [`Self::select`], without what lies in the trash, where it can only be erased.
    pub(crate) fn select_to_forget(
        &self,
        context: &Context,
        engine: &Mnemon,
        caller: &Caller,
    ) -> Outcome<Vec<Located>> {
        let mut found = self.select(context, engine, caller, None)?;
        if self.ids.is_empty() {
            found.retain(|it| it.at != Whereabouts::Deleted);
        }
        Ok(found)
    }
}
