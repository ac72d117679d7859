//! Logs that somebody took away: of each a trace stays, so that nothing goes in silence.
//!
//! The index alone still knows of such a log, and forgets it when it catches up. Before that a
//! small file in the quarantine says which log it was, how many memories it had, and the checksum
//! of its last line, by which it is known again if it is brought back. `verify` tells of it until
//! then, or until `repair` goes on without it.

use std::path::PathBuf;

use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use super::commit::holds;
use super::index::position::{self, Position, unsigned};
use super::log::{line, tail};
use super::{LocalStore, folders, unique, wall_micros, wall_text, whole_file};
use crate::error::{Code, Error, Result};
use crate::memory::Space;
use crate::store::{GoneLog, Verification, VerifyProblem};

/// How the name of a trace ends, and how once somebody went on without the log.
const LOST: &str = "lost";
const GONE: &str = "gone";

/// What is known of a log that is not there any more.
#[derive(Debug, Serialize, Deserialize)]
struct Trace {
    space: Space,
    memories: u64,
    bytes: u64,
    last_line: String,
    noticed_at: String,
}

impl Trace {
    fn log(self) -> GoneLog {
        GoneLog {
            space: self.space,
            memories: self.memories,
        }
    }
}

impl LocalStore {
    /// Leaves a trace of a log that is gone, before the index forgets it; takes it away again if
    /// the log is back.
    pub(super) fn note_if_lost(&self, connection: &Connection, space: &Space) -> Result<()> {
        let known = position::get(connection, space).map_err(Error::index("index"))?;
        match known {
            Some(known) if self.is_taken_away(space)? => {
                self.leave_trace(connection, space, &known)
            }
            Some(_) => Ok(()),
            // It is new to the index, as one is that was brought back.
            None => self.forget_trace_if_back(space),
        }
    }

    /// As [`Self::note_if_lost`], of every log that the index knows.
    pub(super) fn note_all_lost(&self, connection: &Connection) -> Result<()> {
        let known = position::all(connection).map_err(Error::index("index"))?;
        for (space, _) in known {
            if let Ok(space) = space.parse() {
                self.note_if_lost(connection, &space)?;
            }
        }
        Ok(())
    }

    fn forget_trace_if_back(&self, space: &Space) -> Result<()> {
        for (path, trace) in self.traces()? {
            if trace.space == *space && self.is_back(&trace) {
                self.remove_durably(&path)?;
            }
        }
        Ok(())
    }

    /// The logs that are gone, and without which nobody chose to go on.
    pub fn lost_logs(&self) -> Result<Vec<GoneLog>> {
        let mut traces = self.traces()?;
        traces.retain(|(_, trace)| !self.is_back(trace));
        Ok(traces.into_iter().map(|(_, trace)| trace.log()).collect())
    }

    /// Tells of the logs that are gone.
    pub(super) fn find_lost_logs(&self, found: &mut Verification) -> Result<()> {
        for (_, trace) in self.traces()? {
            if self.is_back(&trace) {
                continue;
            }
            let log = self.below_root(&self.layout.log(&trace.space));
            let log = log.display();
            let memories = match trace.memories {
                1 => "1 memory".into(),
                many => format!("{many} memories"),
            };
            let noticed_at = &trace.noticed_at;
            found.problems.push(VerifyProblem {
                space: trace.space.to_string(),
                line: None,
                code: Code::StorageCorrupt,
                message: format!(
                    "its log {log} is gone, with {memories} (noticed at {noticed_at}); bring the file \
                     back from a back-up, or go on without it with `mnemon repair`"
                ),
            });
        }
        Ok(())
    }

    /// Goes on without the logs that are gone; their traces stay, under another name.
    pub(super) fn go_on_without_lost_logs(&self) -> Result<Vec<GoneLog>> {
        let mut held = self.lock.acquire("repair")?;
        self.with_sound_index(&mut held, |connection| {
            self.catch_up(connection, &self.stale_files(connection)?)
        })?;
        let mut gone = Vec::new();
        for (path, trace) in self.traces()? {
            if self.is_back(&trace) {
                self.remove_durably(&path)?;
                continue;
            }
            let accepted = path.with_extension(GONE);
            self.disk
                .rename(&path, &accepted)
                .map_err(Error::io("rename", &path))?;
            folders::sync_above(&*self.disk, &accepted)?;
            gone.push(trace.log());
        }
        Ok(gone)
    }

    /// Whether there is no log, or nothing in it, and no deletion by us that would explain it.
    fn is_taken_away(&self, space: &Space) -> Result<bool> {
        let size_of = |path: PathBuf| -> Result<Option<u64>> {
            let stat = self.disk.stat(&path).map_err(Error::io("read", &path))?;
            Ok(stat.map(|stat| stat.size))
        };
        if size_of(self.layout.log(space))?.is_some_and(|bytes| bytes > 0) {
            return Ok(false);
        }
        match space.session() {
            Some(session) => Ok(size_of(self.layout.trashed(session))?.is_none()),
            None => Ok(true),
        }
    }

    fn leave_trace(&self, connection: &Connection, space: &Space, known: &Position) -> Result<()> {
        let memories = connection
            .query_row(
                "SELECT count(*) FROM memories WHERE log = ?1",
                [known.log],
                |row| row.get(0).map(unsigned),
            )
            .map_err(Error::index("index"))?;
        let Some((_, _, checksum)) = known.last.filter(|_| memories > 0) else {
            return Ok(());
        };
        let last_line = String::from_utf8_lossy(&line::hex(&checksum)).into_owned();
        // An index that could not be changed then notices it again.
        if self
            .traces()?
            .iter()
            .any(|(_, trace)| trace.last_line == last_line)
        {
            return Ok(());
        }
        let trace = Trace {
            space: space.clone(),
            memories,
            bytes: known.stat.size,
            last_line,
            noticed_at: wall_text(),
        };
        let bytes = serde_json::to_vec(&trace).expect("plain fields");
        let name = tail::quarantine_name(space, &unique(wall_micros()), LOST);
        tail::set_aside(&*self.disk, &self.layout.quarantine(), &name, &bytes)?;
        Ok(())
    }

    /// Whether the lines of a log that was gone are there again.
    fn is_back(&self, trace: &Trace) -> bool {
        let log = self.disk.open_read(&self.layout.log(&trace.space));
        match log.and_then(|log| holds(&*log, trace.last_line.as_bytes())) {
            Ok(is_back) => is_back,
            // One that is there and can't be read is told of as that.
            Err(error) => error.kind() != std::io::ErrorKind::NotFound,
        }
    }

    fn traces(&self) -> Result<Vec<(PathBuf, Trace)>> {
        let folder = self.layout.quarantine();
        let names = self.disk.list(&folder);
        let names = names.map_err(Error::io("read", &folder))?;
        let mut traces = Vec::new();
        for path in names.iter().map(|name| folder.join(name)) {
            if path.extension().is_some_and(|ending| ending == LOST)
                && let Some(bytes) = whole_file::read(&*self.disk, &path)?
                && let Ok(trace) = serde_json::from_slice(&bytes)
            {
                traces.push((path, trace));
            }
        }
        Ok(traces)
    }
}

/// Whether a file in the quarantine is about a log that is gone, and holds nothing of one.
pub(super) fn is_trace(name: &str) -> bool {
    [LOST, GONE]
        .iter()
        .any(|ending| name.rsplit_once('.').is_some_and(|(_, own)| own == *ending))
}
