//! Which memories something is to be done to: named one by one, or by filters.

use clap::Args;
use mnemon::memory::{Memory, MemoryId};
use mnemon::store::Forgottenness;
use mnemon::{Caller, Error, Mnemon};

use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::filters::{Filters, no_limit};
use crate::input::Names;

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
        if self.ids.is_empty() && !filtered && self.filters.session.is_empty() {
            return Err(Failure::misused(
                format!("it is not said what to {deed}"),
                "Give ids, filters such as --session S or --tag T, or --all for everything.",
            ));
        }
        Ok(())
    }

    /// All are looked up before any is touched.
    pub(crate) fn select(
        &self,
        context: &Context,
        engine: &Mnemon,
        caller: &Caller,
        forgotten: Option<Forgottenness>,
    ) -> Outcome<Vec<Memory>> {
        if self.ids.is_empty() {
            let mut filter = self.filters.filter(context, engine.now())?;
            if !self.filters.has_limit() {
                filter.limit = no_limit();
            }
            filter.forgotten = forgotten.unwrap_or(filter.forgotten);
            return Ok(engine.list(caller, &filter)?.memories);
        }
        self.named(engine, caller)
    }

    /// As [`Self::select`], and the ids of what lies in the trash, where it can only be erased.
    pub(crate) fn select_to_erase(
        &self,
        context: &Context,
        engine: &Mnemon,
        caller: &Caller,
    ) -> Outcome<(Vec<Memory>, Vec<MemoryId>)> {
        if self.ids.is_empty() {
            // What is only hidden is what people most want to be rid of.
            let both = Some(Forgottenness::With);
            return Ok((self.select(context, engine, caller, both)?, Vec::new()));
        }
        let session = self.filters.only_session()?;
        let (mut found, mut trashed) = (Vec::new(), Vec::new());
        for name in &self.ids {
            match (
                engine.find(caller, name, session.as_ref()),
                name.parse::<MemoryId>(),
            ) {
                (Err(Error::SessionDeleted { .. }), Ok(id)) => trashed.push(id),
                (memory, _) => found.push(memory?),
            }
        }
        Ok((found, trashed))
    }

    fn named(&self, engine: &Mnemon, caller: &Caller) -> Outcome<Vec<Memory>> {
        let session = self.filters.only_session()?;
        let names = Names {
            engine,
            caller,
            session: session.as_ref(),
        };
        self.ids.iter().map(|id| names.find(id)).collect()
    }
}
