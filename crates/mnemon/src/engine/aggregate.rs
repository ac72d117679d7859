//! What many memories say together: of a session, or of whatever fits a filter.

use crate::caller::{Caller, Operation};
use crate::engine::Mnemon;
use crate::error::Result;
use crate::memory::{Memory, SessionId, Space};
use crate::recall::aggregate::{self, AgentActivity, Summary, SummaryOptions, Timeline, Topic};
use crate::store::{Filter, Sort};

impl Mnemon {
    /// What the memories that fit are about; order and page of the filter don't count.
    pub fn topics(&self, caller: &Caller, filter: &Filter) -> Result<Vec<Topic>> {
        caller.may(Operation::Topics)?;
        let (memories, within) = self.everything_from(caller, filter)?;
        Ok(aggregate::topics(&memories, within.as_ref()))
    }

    /// When the memories that fit came into being; order and page of the filter don't count.
    pub fn timeline(&self, caller: &Caller, filter: &Filter) -> Result<Timeline> {
        caller.may(Operation::Timeline)?;
        let (memories, within) = self.everything_from(caller, filter)?;
        Ok(aggregate::timeline(&memories, within.as_ref()))
    }

    /// Who wrote the memories that fit; order and page of the filter don't count.
    pub fn by_agent(&self, caller: &Caller, filter: &Filter) -> Result<Vec<AgentActivity>> {
        caller.may(Operation::ByAgent)?;
        let (memories, _) = self.everything_from(caller, filter)?;
        Ok(aggregate::agents(&memories))
    }

    /// What the memories that fit come to; order and page of the filter don't count.
    pub fn summary(
        &self,
        caller: &Caller,
        filter: &Filter,
        options: &SummaryOptions,
    ) -> Result<Summary> {
        caller.may(Operation::Summary)?;
        let (memories, within) = self.everything_from(caller, filter)?;
        Ok(aggregate::summary(&memories, within.as_ref(), options))
    }

    /// What a session is about.
    pub fn session_topics(&self, caller: &Caller, id: &SessionId) -> Result<Vec<Topic>> {
        caller.may(Operation::SessionTopics)?;
        self.topics(caller, &self.all_of(caller, id)?)
    }

    /// What happened in a session, in order.
    pub fn session_timeline(&self, caller: &Caller, id: &SessionId) -> Result<Timeline> {
        caller.may(Operation::SessionTimeline)?;
        self.timeline(caller, &self.all_of(caller, id)?)
    }

    /// What a session comes to.
    pub fn session_summary(
        &self,
        caller: &Caller,
        id: &SessionId,
        options: &SummaryOptions,
    ) -> Result<Summary> {
        caller.may(Operation::SessionSummary)?;
        self.summary(caller, &self.all_of(caller, id)?, options)
    }

    /// A filter for everything in a session that is not forgotten.
    pub fn all_of(&self, caller: &Caller, id: &SessionId) -> Result<Filter> {
        caller.may(Operation::AllOf)?;
        let session = self.open_session(caller, id)?;
        Ok(Filter {
            spaces: vec![Space::Session(session.id)],
            ..Filter::all(self.now().micros())
        })
    }

    /// Everything that fits, and the session if it is all from one.
    fn everything_from(
        &self,
        caller: &Caller,
        filter: &Filter,
    ) -> Result<(Vec<Memory>, Option<SessionId>)> {
        let everything = Filter {
            sort: Sort::Oldest,
            limit: usize::MAX,
            offset: 0,
            ..filter.clone()
        };
        let within = match filter.spaces.as_slice() {
            [Space::Session(only)] => Some(only.clone()),
            _ => None,
        };
        Ok((self.list(caller, &everything)?.memories, within))
    }
}
