//! Where things are below the root. Ids are checked before they get here, so
//! no path can lead out of it.

use std::path::{Path, PathBuf};

use crate::memory::{SessionId, Space};

/// The paths of a store.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    root: PathBuf,
}

impl Layout {
    pub(crate) fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Format version and identity of the store.
    pub(crate) fn store_file(&self) -> PathBuf {
        self.root.join("store.json")
    }

    /// Who writes now.
    pub(crate) fn lock(&self) -> PathBuf {
        self.root.join("lock")
    }

    /// Present after a failed sync.
    pub(crate) fn poisoned(&self) -> PathBuf {
        self.root.join("poisoned")
    }

    /// What was erased.
    pub(crate) fn audit(&self) -> PathBuf {
        self.root.join("audit.jsonl")
    }

    /// Who erases now; there is one intent, so one does.
    pub(crate) fn erasing_lock(&self) -> PathBuf {
        self.root.join("erasing.lock")
    }

    /// What is being erased, while it is.
    pub(crate) fn erasing(&self) -> PathBuf {
        self.root.join("erasing.json")
    }

    /// The wrapped data keys.
    pub(crate) fn ring(&self) -> PathBuf {
        self.root.join("keys").join("ring.json")
    }

    /// When what was last done that is done again and again.
    pub(crate) fn maintenance(&self) -> PathBuf {
        self.root.join("maintenance.json")
    }

    pub(crate) fn quarantine(&self) -> PathBuf {
        self.root.join("quarantine")
    }

    /// What agents held at moments.
    pub(crate) fn snapshots(&self) -> PathBuf {
        self.root.join("snapshots")
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.root.join("index")
    }

    /// The vectors of embedders outside of the program.
    pub(crate) fn embedded(&self) -> PathBuf {
        self.index().join("embedded")
    }

    pub(crate) fn sessions(&self) -> PathBuf {
        self.root.join("sessions")
    }

    pub(crate) fn agents(&self) -> PathBuf {
        self.root.join("agents")
    }

    /// The folder of a space.
    pub(crate) fn folder(&self, space: &Space) -> PathBuf {
        match space {
            Space::Session(id) => self.sessions().join(id.as_str()),
            Space::Agent(id) => self.agents().join(id.as_str()),
            Space::Shared => self.root.join("shared"),
        }
    }

    /// The folder of a space and those above it, up to the root: where names
    /// must be durable before anything in the space's log counts.
    pub(crate) fn folders(&self, space: &Space) -> Vec<PathBuf> {
        self.folder(space)
            .ancestors()
            .take_while(|folder| folder.starts_with(&self.root))
            .map(Path::to_path_buf)
            .collect()
    }

    /// Where a session keeps lines that are compressed.
    pub(crate) fn archive(&self, session: &SessionId) -> PathBuf {
        self.sessions().join(session.as_str()).join("archive")
    }

    /// Sessions that were deleted and can still be brought back.
    pub(crate) fn trash(&self) -> PathBuf {
        self.root.join("trash")
    }

    /// The folder of a deleted session.
    pub(crate) fn trashed(&self, session: &SessionId) -> PathBuf {
        self.trash().join(session.as_str())
    }

    /// The log of a space.
    pub(crate) fn log(&self, space: &Space) -> PathBuf {
        self.folder(space).join("memory.jsonl")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folders_of_a_space_end_at_the_root_even_if_that_is_relative() {
        let layout = Layout::new(".mnemon");
        let folders = |space: &str| layout.folders(&space.parse().unwrap());
        assert_eq!(
            folders("shared"),
            [".mnemon/shared", ".mnemon"].map(PathBuf::from)
        );
        assert_eq!(
            folders("session/s1"),
            [".mnemon/sessions/s1", ".mnemon/sessions", ".mnemon"].map(PathBuf::from)
        );
    }
}
