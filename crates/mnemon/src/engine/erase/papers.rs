//! Erasing from desks and snapshots, which hold what an agent took from its memories.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

use serde_json::Value;

use crate::agent::snapshot::Form;
use crate::agent::{Desk, Window, Working};
use crate::caller::Caller;
use crate::engine::Mnemon;
use crate::engine::desk::check_desk;
use crate::error::{Error, Result};
use crate::memory::{MemoryId, Reference};
use crate::store::{Cleaned, Paper, PaperSort, What};

/// So often papers are cleaned again while others put back what they hold.
const PASSES_MAX: usize = 10;

/// What a paper must not hold any more.
#[derive(Default)]
pub(super) struct Gone {
    ids: HashSet<MemoryId>,
    texts: BTreeSet<String>,
}

/// What became of papers.
#[derive(Default)]
pub(super) struct CleanedPapers {
    pub(super) cleaned: Vec<Cleaned>,
    /// Sealed, and nobody gave the key.
    pub(super) not_cleaned: Vec<String>,
    /// What they must not hold.
    pub(super) gone: Gone,
}

impl Mnemon {
    /// Takes out of desks and snapshots what was taken from these memories, or says the same.
    ///
    /// Each agent's are cleaned; a caller is told of those only that it may see.
    pub(super) fn clean_papers(&self, caller: &Caller, ids: &[MemoryId]) -> Result<CleanedPapers> {
        let mut outcome = CleanedPapers::default();
        let mut papers = self.store.papers(PaperSort::Working)?;
        papers.extend(self.store.papers(PaperSort::Snapshot)?);
        let gone = Gone {
            ids: ids.iter().cloned().collect(),
            texts: self.texts_of(caller, ids)?,
        };
        for paper in papers {
            let is_told = paper
                .agent()
                .is_some_and(|own| check_desk(caller, own).is_ok());
            match self.clean_paper(&paper, &gone) {
                Ok(true) if is_told => outcome.cleaned.push(Cleaned {
                    place: PathBuf::from(paper.to_string()),
                    how: "written anew without it",
                }),
                Err(Error::Crypto(_)) if is_told => outcome.not_cleaned.push(paper.to_string()),
                Ok(_) | Err(Error::Crypto(_)) => {}
                Err(error) => return Err(error),
            }
        }
        outcome.gone = gone;
        Ok(outcome)
    }

    /// As [`Self::clean_papers`], now that the memories are gone: whoever wrote a paper meanwhile may
    /// have read them before.
    pub(super) fn clean_papers_again(&self, gone: &Gone) -> Result<()> {
        for _ in 0..PASSES_MAX {
            let mut papers = self.store.papers(PaperSort::Working)?;
            papers.extend(self.store.papers(PaperSort::Snapshot)?);
            let mut is_changed = false;
            for paper in papers {
                match self.clean_paper(&paper, gone) {
                    // It was told of the first time.
                    Err(Error::Crypto(_)) => {}
                    changed => is_changed |= changed?,
                }
            }
            // A snapshot that was not clean yet may have been put back onto a desk that was.
            if !is_changed {
                break;
            }
        }
        Ok(())
    }

    /// Whether there was anything to take out.
    fn clean_paper(&self, paper: &Paper, gone: &Gone) -> Result<bool> {
        let mut is_changed = false;
        self.store.edit_paper(paper, &mut |before| {
            let Some(bytes) = before else { return Ok(None) };
            let after = match paper {
                Paper::Working(agent) => {
                    let mut desk = self.read_desk(agent, before)?;
                    let Desk {
                        working, window, ..
                    } = &mut desk;
                    is_changed = gone.leave(working, window) > 0;
                    self.written_desk(agent, &desk, before, false)?
                }
                Paper::Snapshot(..) => {
                    let mut snapshot = self.read_snapshot(bytes)?;
                    let form = match bytes.starts_with(b"{\n") {
                        true => Form::Json,
                        false if crate::agent::snapshot::read_head(bytes)?.encrypted => {
                            Form::Encrypted
                        }
                        false => Form::Binary,
                    };
                    let left = gone.leave(&mut snapshot.working, &mut snapshot.window);
                    let long_term = snapshot.long_term.as_mut();
                    let dropped = long_term.map_or(0, |long_term| {
                        let before = long_term.len();
                        long_term.retain(|id| !gone.ids.contains(id));
                        before - long_term.len()
                    });
                    is_changed = left + dropped > 0;
                    Some(self.snapshot_kept(&snapshot, form)?)
                }
                Paper::Retention(_) | Paper::Routine(_) | Paper::Tokens | Paper::Request(_) => None,
            };
            Ok(if is_changed {
                after
            } else {
                Some(bytes.to_vec())
            })
        })?;
        Ok(is_changed)
    }

    /// Everything that these memories ever said.
    fn texts_of(&self, caller: &Caller, ids: &[MemoryId]) -> Result<BTreeSet<String>> {
        let mut texts = BTreeSet::new();
        for id in ids {
            for change in self.store.history(id)? {
                if let What::Kept(memory) | What::Revised(memory) = change.what {
                    texts.insert(memory.text.to_string());
                }
            }
            let reference = Reference::Id(id.clone());
            if let Some(located) = self.locate_put_away(caller, &reference)? {
                texts.insert(located.memory.text.to_string());
            }
        }
        Ok(texts)
    }
}

impl Gone {
    /// Takes it out of what an agent holds; how much that was.
    fn leave(&self, working: &mut Working, window: &mut Window) -> usize {
        let values = working.retain(|_, _, entry| !self.is_in(&entry.value));
        let items = window.retain(|item| {
            let is_taken = item.memory.as_ref().is_some_and(|id| self.ids.contains(id));
            !is_taken && !self.says(&item.text)
        });
        values + items
    }

    fn says(&self, text: &str) -> bool {
        self.texts.iter().any(|gone| text.contains(gone.as_str()))
    }

    fn is_in(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.says(text),
            Value::Array(values) => values.iter().any(|it| self.is_in(it)),
            Value::Object(map) => map.iter().any(|(key, it)| self.says(key) || self.is_in(it)),
            _ => false,
        }
    }
}
