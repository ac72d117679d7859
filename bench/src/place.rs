//! Where the stores are made, and the stores that several benches share.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mnemon::config::{Config, Durability};
use mnemon::engine::NewSession;
use mnemon::memory::{SessionId, Space};
use mnemon::store::OnFull;
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::{Caller, Mnemon};
use tempfile::TempDir;

use crate::Result;
use crate::arguments::Arguments;
use crate::corpus::Corpus;
use crate::corpus::natural::Natural;

/// Sessions of the large store, and memories in each.
const SESSIONS: usize = 100;

/// Sessions that are filled between two openings of a store.
const SESSIONS_OPEN: usize = 500;

/// A session holds no more by default.
const SESSION_BYTES: u64 = 10 << 20;

/// A folder on the disk that is measured, removed at the end.
pub(crate) struct Place {
    folder: TempDir,
    /// Where the corpora for search are, if they are to stay.
    keep: Option<PathBuf>,
    quick: bool,
    million: bool,
    large: OnceCell<PathBuf>,
    session_10mb: OnceCell<PathBuf>,
}

impl Place {
    pub(crate) fn new(arguments: &Arguments) -> Result<Self> {
        let dir = match &arguments.dir {
            Some(dir) => dir.clone(),
            None => std::env::current_dir()?,
        };
        Ok(Self {
            folder: tempfile::Builder::new()
                .prefix("mnemon-bench-")
                .tempdir_in(dir)?,
            keep: arguments.keep.clone(),
            quick: arguments.quick,
            million: arguments.million,
            large: OnceCell::new(),
            session_10mb: OnceCell::new(),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A tenth of the work on a quick run.
    pub(crate) fn scaled(&self, count: usize) -> usize {
        if self.quick { count / 10 } else { count }
    }

    /// Whether there is time for a million memories.
    pub(crate) fn million(&self) -> bool {
        self.million
    }

    /// Rounds of which the median is taken.
    pub(crate) fn rounds(&self) -> usize {
        if self.quick { 3 } else { 7 }
    }

    /// A new store of this name.
    pub(crate) fn store(&self, name: &str) -> Result<Mnemon> {
        open(&self.path().join(name))
    }

    /// The large store: 100,000 memories in a hundred sessions (a tenth on a quick run).
    pub(crate) fn large(&self) -> Result<&Path> {
        if self.large.get().is_none() {
            let root = self.path().join("large");
            let each = self.scaled(100_000) / SESSIONS;
            let engine = open(&root)?;
            let mut corpus = Corpus::new();
            for session in 0..SESSIONS {
                let space = new_session(&engine, &format!("session-{session:03}"))?;
                corpus.start_session();
                engine.remember_all(&caller(), &space, corpus.take(each), OnFull::Refuse)?;
            }
            let _ = self.large.set(root);
        }
        Ok(self.large.get().expect("set above"))
    }

    /// A store with so many memories to search (a tenth on a quick run), and what they are.
    pub(crate) fn natural(&self, memories: usize) -> Result<(PathBuf, Natural)> {
        let memories = self.scaled(memories);
        let natural = Natural::of(memories);
        let folder = self.keep.as_deref().unwrap_or(self.path());
        let root = folder.join(format!("natural-{memories}"));
        if !root.exists() {
            // Under its name only once it is whole.
            let beside = folder.join(format!("natural-{memories}-unfinished"));
            if beside.exists() {
                std::fs::remove_dir_all(&beside)?;
            }
            fill_naturally(&beside, &natural)?;
            std::fs::rename(beside, &root)?;
        }
        Ok((root, natural))
    }

    /// The same, for one bench alone.
    pub(crate) fn natural_alone(&self, name: &str, memories: usize) -> Result<(PathBuf, Natural)> {
        let natural = Natural::of(self.scaled(memories));
        let root = self.path().join(name);
        fill_naturally(&root, &natural)?;
        Ok((root, natural))
    }

    /// A store with one session that is as large as a session may be.
    pub(crate) fn session_10mb(&self) -> Result<&Path> {
        if self.session_10mb.get().is_none() {
            let root = self.path().join("10mb");
            let engine = open(&root)?;
            let space = new_session(&engine, "long")?;
            let mut corpus = Corpus::new();
            while engine.stats(&caller())?.log_bytes < SESSION_BYTES {
                engine.remember_all(&caller(), &space, corpus.take(500), OnFull::Refuse)?;
            }
            let _ = self.session_10mb.set(root);
        }
        Ok(self.session_10mb.get().expect("set above"))
    }
}

/// What is measured there are questions, so nothing is synced. A log that waits
/// for its sync stays open, hence a store that is opened anew now and then.
fn fill_naturally(root: &Path, natural: &Natural) -> Result<()> {
    let mut config = Config::default();
    config.storage.durability = Durability::Os;
    let sessions: Vec<usize> = (0..natural.sessions()).collect();
    for some in sessions.chunks(SESSIONS_OPEN) {
        let store = LocalStore::create(root, LocalOptions::from(&config))?;
        let engine = Mnemon::new(Arc::new(store), config.clone());
        for session in some {
            let space = new_session(&engine, &Natural::session_name(*session))?;
            let drafts = natural.session(*session).map(|told| told.draft()).collect();
            engine.remember_all(&caller(), &space, drafts, OnFull::Refuse)?;
        }
    }
    Ok(())
}

/// The store in this folder, made if there is none, as it comes but for the quota.
pub(crate) fn open(root: &Path) -> Result<Mnemon> {
    let mut config = Config::default();
    // What is measured is the speed; a full session would end the run.
    config.storage.session_bytes_max = 1 << 40;
    let store = LocalStore::create(root, LocalOptions::from(&config))?;
    Ok(Mnemon::new(Arc::new(store), config))
}

pub(crate) fn new_session(engine: &Mnemon, id: &str) -> Result<Space> {
    let id: SessionId = id.parse()?;
    let new = NewSession {
        id: Some(id.clone()),
        ..NewSession::default()
    };
    engine.create_session(&caller(), new)?;
    Ok(Space::Session(id))
}

pub(crate) fn caller() -> Caller {
    Caller::user("bench")
}
