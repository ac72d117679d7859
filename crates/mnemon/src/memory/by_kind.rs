//! Something for each kind.

use serde::{Deserialize, Serialize};

use super::Kind;

/// Something for each kind, such as a number of days.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each field is a kind")]
pub struct ByKind<T> {
    pub conversation: T,
    pub decision: T,
    pub finding: T,
    pub preference: T,
    pub learning: T,
    pub fact: T,
    pub event: T,
    pub procedure: T,
    pub state: T,
    pub artifact: T,
}

impl<T: Copy> ByKind<T> {
    /// That of a kind.
    pub fn of(&self, kind: Kind) -> T {
        match kind {
            Kind::Conversation => self.conversation,
            Kind::Decision => self.decision,
            Kind::Finding => self.finding,
            Kind::Preference => self.preference,
            Kind::Learning => self.learning,
            Kind::Fact => self.fact,
            Kind::Event => self.event,
            Kind::Procedure => self.procedure,
            Kind::State => self.state,
            Kind::Artifact => self.artifact,
        }
    }

    /// As [`Self::of`], to be changed.
    pub(crate) fn of_mut(&mut self, kind: Kind) -> &mut T {
        match kind {
            Kind::Conversation => &mut self.conversation,
            Kind::Decision => &mut self.decision,
            Kind::Finding => &mut self.finding,
            Kind::Preference => &mut self.preference,
            Kind::Learning => &mut self.learning,
            Kind::Fact => &mut self.fact,
            Kind::Event => &mut self.event,
            Kind::Procedure => &mut self.procedure,
            Kind::State => &mut self.state,
            Kind::Artifact => &mut self.artifact,
        }
    }
}
