//! Papers on files.
//!
//! A reader sees the old paper or the new one, because the new one takes the
//! name of the old; writers hold the store's lock from reading to renaming.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::LocalStore;
use super::layout::Layout;
use super::{folders, shelf, whole_file};
use crate::error::{Error, Result};
use crate::memory::AgentId;
use crate::store::{Edit, Paper, PaperSort};

/// Who may ask over a connection.
pub(super) const TOKENS_FILE: &str = "tokens.json";

/// What it says when the last one was revoked: nobody comes in.
pub(super) const NO_TOKENS: &[u8] = b"[]\n";

/// What became of requests that may come again.
pub(super) const REQUESTS_FOLDER: &str = "requests";

/// What the file of a request is called.
const REQUEST_ENDING: &str = ".json";

/// What the file of a snapshot is called.
const SNAPSHOT_ENDING: &str = ".snapshot";

impl Layout {
    /// The file of a paper.
    pub(crate) fn paper(&self, paper: &Paper) -> PathBuf {
        let own = |agent: &AgentId| self.agents().join(agent.as_str());
        match paper {
            Paper::Working(agent) => own(agent).join("working.json"),
            Paper::Retention(agent) => own(agent).join("retention.json"),
            Paper::Routine(agent) => own(agent).join("routine.json"),
            Paper::Tokens => self.root().join(TOKENS_FILE),
            Paper::Request(id) => self
                .root()
                .join(REQUESTS_FOLDER)
                .join(format!("{id}{REQUEST_ENDING}")),
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
        let mut papers = Vec::new();
        let folder = match sort {
            PaperSort::Working | PaperSort::Retention | PaperSort::Routine => self.layout.agents(),
            PaperSort::Snapshot => self.layout.snapshots(),
            PaperSort::Tokens => {
                self.push_if_there(Paper::Tokens, &mut papers)?;
                return Ok(papers);
            }
            PaperSort::Request => {
                let names = self.names_in(&self.layout.root().join(REQUESTS_FOLDER))?;
                let names = names
                    .iter()
                    .filter_map(|it| it.strip_suffix(REQUEST_ENDING));
                papers.extend(names.filter_map(|id| Some(Paper::Request(id.parse().ok()?))));
                papers.sort();
                return Ok(papers);
            }
        };
        for agent in self.names_in(&folder)? {
            // A folder whose name is no id is none of ours.
            let Ok(agent) = agent.parse::<AgentId>() else {
                continue;
            };
            let own = match sort {
                PaperSort::Working => vec![Paper::Working(agent)],
                PaperSort::Retention => vec![Paper::Retention(agent)],
                PaperSort::Routine => vec![Paper::Routine(agent)],
                PaperSort::Tokens | PaperSort::Request => Vec::new(),
                PaperSort::Snapshot => self
                    .names_in(&folder.join(agent.as_str()))?
                    .iter()
                    .filter_map(|name| name.strip_suffix(SNAPSHOT_ENDING))
                    .filter_map(|id| Some(Paper::Snapshot(agent.clone(), id.parse().ok()?)))
                    .collect(),
            };
            for paper in own {
                self.push_if_there(paper, &mut papers)?;
            }
        }
        Ok(papers)
    }

    /// What crashes left beside papers: new ones that never took the place of the old. The caller
    /// has the lock, so nobody is about to give them that place.
    pub(super) fn half_written_papers(&self) -> Result<Vec<PathBuf>> {
        let (agents, snapshots) = (self.layout.agents(), self.layout.snapshots());
        let mut folders = vec![self.layout.root().join(REQUESTS_FOLDER)];
        for above in [agents, snapshots] {
            let names = self.names_in(&above)?;
            // What has another name is none of ours.
            let own = names.iter().filter(|name| name.parse::<AgentId>().is_ok());
            folders.extend(own.map(|name| above.join(name)));
        }
        let mut left = Vec::new();
        for folder in folders {
            let names = self.names_in(&folder)?;
            let half_written = names.iter().filter(|name| is_half_written_paper(name));
            left.extend(half_written.map(|name| folder.join(name)));
        }
        Ok(left)
    }

    fn push_if_there(&self, paper: Paper, papers: &mut Vec<Paper>) -> Result<()> {
        match shelf::stat(&*self.disk, &self.layout.paper(&paper)) {
            // What somebody put in the place of a folder holds no papers.
            Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotADirectory => {}
            found => papers.extend(found?.map(|_| paper)),
        }
        Ok(())
    }

    fn names_in(&self, folder: &Path) -> Result<Vec<String>> {
        match self.disk.list(folder) {
            Err(error) if error.kind() == ErrorKind::NotADirectory => Ok(Vec::new()),
            names => names.map_err(Error::io("read", folder)),
        }
    }
}

/// Whether a file was to take the place of a paper.
fn is_half_written_paper(name: &str) -> bool {
    whole_file::place_of(name)
        .is_some_and(|paper| paper.ends_with(REQUEST_ENDING) || paper.ends_with(SNAPSHOT_ENDING))
}
