//! Finding again, now and as of a moment in the past.

use std::time::{Duration, Instant};

use crate::caller::{Caller, Operation};
use crate::clock::Clock;
use crate::embed::Vector;
use crate::engine::Mnemon;
use crate::error::Result;
use crate::recall::{self, Query, Recalled};
use crate::store::Filter;
use crate::time::Time;

impl Mnemon {
    /// The memories that answer a question, the best first.
    pub fn recall(&self, caller: &Caller, query: &Query) -> Result<Recalled> {
        caller.may(Operation::Recall)?;
        let began = Instant::now();
        let recalled = self.recall_uncounted(caller, query)?;
        self.publish_search(caller, &query.question, recalled.hits.len(), began);
        for hit in &recalled.hits {
            self.count_access(&hit.memory);
        }
        Ok(recalled)
    }

    /// As [`Self::recall`], without counting as an access.
    pub(super) fn recall_uncounted(&self, caller: &Caller, query: &Query) -> Result<Recalled> {
        query.filter.check()?;
        let (query, note) = self.within_tier(caller, query)?;
        let spaces = &query.filter.spaces;
        let mut recalled = self.with_open(caller, spaces, || self.recall_once(caller, &query))?;
        recalled.notes.extend(note);
        Ok(recalled)
    }

    fn recall_once(&self, caller: &Caller, query: &Query) -> Result<Recalled> {
        let patience = Some(self.patience());
        let query = &Query {
            filter: Filter {
                patience,
                ..self.ruled(caller, &query.filter)?
            },
            ..query.clone()
        };
        let (asked, note) = self.ask_outside(query, self.deadline())?;
        let embedder = self.model(asked.is_some());
        let store = &*self.store;
        let mut recalled = recall::recall(store, embedder, asked.as_ref(), query)?;
        recalled.notes.extend(note);
        Ok(recalled)
    }

    pub(super) fn meaning_of(&self, text: &str) -> Result<Option<Vector>> {
        Ok(self.embedder.embed(&[text])?.into_iter().next().flatten())
    }

    /// When a question that begins now is given up.
    pub(super) fn deadline(&self) -> Instant {
        Instant::now() + self.patience()
    }

    /// How long a question may take.
    pub(super) fn patience(&self) -> Duration {
        Duration::from_millis(self.config.search.timeout_ms)
    }

    /// The memory as it was at a moment: every question gets the answer that
    /// it would have got then. Nothing can be changed there.
    pub fn as_of(&self, moment: Time) -> Result<Self> {
        let store = self.store.as_of(moment)?;
        let mut then = Self::new(store, self.config.clone());
        then.clock = Clock::fixed_at(moment);
        then.embedder = self.embedder.clone();
        then.outside.clone_from(&self.outside);
        Ok(then)
    }
}
