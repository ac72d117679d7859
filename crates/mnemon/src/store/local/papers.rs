//! Papers on files.
//!
//! A reader sees the old paper or the new one, because the new one takes the
//! name of the old; writers hold the store's lock from reading to renaming.

use std::path::{Path, PathBuf};

use super::LocalStore;
use super::layout::Layout;
use super::{folders, shelf, whole_file};
use crate::error::{Error, Result};
use crate::memory::AgentId;
use crate::store::{Edit, Paper, PaperSort};

/// What the file of a snapshot is called.
const SNAPSHOT_ENDING: &str = ".snapshot";

impl Layout {
    /// The file of a paper.
    pub(crate) fn paper(&self, paper: &Paper) -> PathBuf {
        let own = self.agents().join(paper.agent().as_str());
        match paper {
            Paper::Working(_) => own.join("working.json"),
            Paper::Retention(_) => own.join("retention.json"),
            Paper::Routine(_) => own.join("routine.json"),
            Paper::Snapshot(agent, id) => self
                .snapshots()
                .join(agent.as_str())
                .join(format!("{id}{SNAPSHOT_ENDING}")),
        }
    }
}

impl LocalStore {
    pub(super) fn read_paper(&self, paper: &Paper) -> Result<Option<Vec<u8>>> {
        whole_file::read(&*self.disk, &self.layout.paper(paper))
    }

    pub(super) fn change_paper(&self, paper: &Paper, edit: Edit<'_>) -> Result<()> {
        let path = self.layout.paper(paper);
        let _held = self.hold_for_life("change a paper")?;
        let before = whole_file::read(&*self.disk, &path)?;
        let after = edit(before.as_deref())?;
        match after {
            after if after == before => Ok(()),
            None => self.remove_durably(&path),
            Some(bytes) => {
                folders::make(&*self.disk, path.parent().unwrap_or(&path))?;
                whole_file::replace(&*self.disk, &path, &bytes)
            }
        }
    }

    pub(super) fn list_papers(&self, sort: PaperSort) -> Result<Vec<Paper>> {
        let folder = match sort {
            PaperSort::Working | PaperSort::Retention | PaperSort::Routine => self.layout.agents(),
            PaperSort::Snapshot => self.layout.snapshots(),
        };
        let mut papers = Vec::new();
        for agent in self.names_in(&folder)? {
            // A folder whose name is no id is none of ours.
            let Ok(agent) = agent.parse::<AgentId>() else {
                continue;
            };
            let own = match sort {
                PaperSort::Working => vec![Paper::Working(agent)],
                PaperSort::Retention => vec![Paper::Retention(agent)],
                PaperSort::Routine => vec![Paper::Routine(agent)],
                PaperSort::Snapshot => self
                    .names_in(&folder.join(agent.as_str()))?
                    .iter()
                    .filter_map(|name| name.strip_suffix(SNAPSHOT_ENDING))
                    .filter_map(|id| Some(Paper::Snapshot(agent.clone(), id.parse().ok()?)))
                    .collect(),
            };
            for paper in own {
                if shelf::stat(&*self.disk, &self.layout.paper(&paper))?.is_some() {
                    papers.push(paper);
                }
            }
        }
        Ok(papers)
    }

    fn names_in(&self, folder: &Path) -> Result<Vec<String>> {
        self.disk.list(folder).map_err(Error::io("read", folder))
    }
}
