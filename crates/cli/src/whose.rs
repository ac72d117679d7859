//! Whose desk, snapshots or policy it is: the agent named here, or else the one that asks.

use clap::Args;
use mnemon::memory::AgentId;

use crate::context::Context;
use crate::failure::{Failure, Outcome};

/// Whose it is.
#[derive(Debug, Args)]
pub(crate) struct Whose {
    /// The agent [default: the one that asks, --as]
    #[arg(long, value_name = "A")]
    agent: Option<String>,
}

impl Whose {
    /// Whether it was said here.
    pub(crate) fn is_named(&self) -> bool {
        self.agent.is_some()
    }

    /// The agent, or nobody if the user asks and names none.
    pub(crate) fn maybe(&self, context: &Context) -> Outcome<Option<AgentId>> {
        let named = self.agent.as_ref().or(context.agent.as_ref());
        Ok(named.map(|it| it.parse()).transpose()?)
    }

    /// The agent, which has to be known.
    pub(crate) fn agent(&self, context: &Context) -> Outcome<AgentId> {
        self.maybe(context)?.ok_or_else(|| {
            Failure::misused(
                "it is not said whose",
                "Name the agent with --agent A, or ask as it with --as A.",
            )
        })
    }
}
