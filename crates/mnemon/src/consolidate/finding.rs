//! What several memories that say the same say together: who, how bad, and whether it is open.

use super::Duplicate;
use crate::memory::body::finding::badness;
use crate::memory::{Author, Body, Memory};

/// What several memories say together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aggregate {
    /// Everybody who said it, in the order of the time.
    pub authors: Vec<String>,
    /// The worst severity that a finding was given.
    pub severity: Option<String>,
    /// Whether a finding is open for any of them; nothing if they are no findings.
    pub is_open: Option<bool>,
}

impl Aggregate {
    /// What the original and those that repeat it say together.
    pub(super) fn of(original: &Memory, others: &[Duplicate]) -> Self {
        let mut all = Self::default();
        for memory in std::iter::once(original).chain(others.iter().map(|it| &it.memory)) {
            all.take(memory);
        }
        all
    }

    fn take(&mut self, memory: &Memory) {
        let mut names = vec![memory.author.as_ref().map(Author::as_str)];
        if let Body::Finding(finding) = &memory.body {
            names.push(finding.discovered_by.as_deref());
            let open = memory.body.is_open() == Some(true);
            self.is_open = Some(self.is_open.unwrap_or(false) || open);
            if let Some(severity) = &finding.severity
                && rank(Some(severity)) < rank(self.severity.as_deref())
            {
                self.severity = Some(severity.clone());
            }
        }
        for name in names.into_iter().flatten() {
            if !self.authors.iter().any(|known| known == name) {
                self.authors.push(name.to_owned());
            }
        }
    }
}

/// Words that nobody knows come after all others, and none after that.
fn rank(severity: Option<&str>) -> (bool, u8) {
    let known = severity.and_then(badness);
    (severity.is_none(), known.unwrap_or(u8::MAX))
}
