//! One log while it is appended to.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;

use crate::error::{Error, Result};
use crate::memory::Space;
use crate::store::local::catch_up::is_last_line_there;
use crate::store::local::disk::{DiskFile, Stat};
use crate::store::local::index::apply;
use crate::store::local::index::position::Position;
use crate::store::local::log::line::{Checksum, Line};
use crate::store::local::log::record::Record;
use crate::store::local::log::tail;
use crate::store::local::log::transaction::Signed;
use crate::store::local::plan::Known;
use crate::store::local::{LocalStore, unique, wall_micros};
use crate::time::Time;

/// Logs that this process keeps open for writing.
const OPEN_MAX: usize = 64;

/// Logs open for writing.
pub(super) type OpenLogs = HashMap<Space, (Arc<dyn DiskFile>, Stat)>;

/// What is about to be appended to one log.
pub(super) struct Appending {
    pub(super) file: Arc<dyn DiskFile>,
    pub(super) path: PathBuf,
    pub(super) position: Position,
    /// Where the new bytes begin.
    pub(super) begin: u64,
    pub(super) bytes: Vec<u8>,
    pub(super) folders: Vec<PathBuf>,
    /// What its batches found out about it.
    pub(super) known: Known,
}

impl LocalStore {
    /// The log of a space, checked to be what the index knows and cleaned of a torn tail; none if there is none.
    pub(super) fn prepare_log(
        &self,
        space: &Space,
        open: &mut OpenLogs,
        connection: &Connection,
    ) -> Result<Option<Appending>> {
        let path = self.layout.log(space);
        let read = || Error::io("read", &path);
        let Some(named) = self.disk.stat(&path).map_err(read())? else {
            return Ok(None);
        };
        if let Some(error) = self.syncs.failure_of(&named) {
            return Err(error);
        }
        let known = open
            .get(space)
            .filter(|(_, stat)| stat.is_same_file(&named))
            .cloned();
        let mut folders = Vec::new();
        let file = match &known {
            Some((file, _)) => file.clone(),
            None => {
                if open.len() >= OPEN_MAX {
                    open.clear();
                    self.syncs.tidy();
                }
                // Whoever made this log may have died before its name was safe.
                folders = self.layout.folders(space);
                self.disk
                    .open_write(&path)
                    .map_err(Error::io("open", &path))?
            }
        };
        let mut position = match self.catch_up_one(connection, space)? {
            Some(position) if known.is_some() || is_last_line_there(&position, &*file) => position,
            // After a power cut the index can know more than the log: read it all again.
            _ => {
                apply::start_over(connection, space).map_err(Error::index("index"))?;
                match self.catch_up_one(connection, space)? {
                    Some(position) => position,
                    None => return Ok(None),
                }
            }
        };
        if let Some(tail) = position.end.tail.take() {
            let name = tail::quarantine_name(space, &unique(wall_micros()), "torn");
            tail::cut(
                &*self.disk,
                &*file,
                &path,
                &self.layout.quarantine(),
                &name,
                &tail,
            )?;
            self.sync_cut(space, &*file, &path)?;
        }
        Ok(Some(Appending {
            begin: position.end.start.offset,
            file,
            path,
            position,
            bytes: Vec::new(),
            folders,
            known: Known::default(),
        }))
    }

    /// Makes a log; its header is written together with its first lines.
    pub(super) fn create_log(&self, space: &Space, connection: &Connection) -> Result<Appending> {
        let path = self.layout.log(space);
        let file = tail::open_or_create(&*self.disk, &self.layout.folder(space), &path)?;
        let position = apply::start_over(connection, space).map_err(Error::index("index"))?;
        Ok(Appending {
            file,
            path,
            position,
            begin: 0,
            bytes: Vec::new(),
            // After a power cut a new file can exist without its name.
            folders: self.layout.folders(space),
            known: Known::default(),
        })
    }

    /// Writes all that was prepared; if one log fails, all are as before.
    pub(super) fn write(&self, logs: &HashMap<Space, Appending>) -> Result<()> {
        let growing = || logs.iter().filter(|(_, log)| !log.bytes.is_empty());
        for (_, log) in growing() {
            if let Err(error) = log.file.write_at(&log.bytes, log.begin) {
                for (space, log) in growing() {
                    // If even this fails, the next writer cuts the tail.
                    if log.file.truncate(log.begin).is_ok() {
                        let _ = self.sync_cut(space, &*log.file, &log.path);
                    }
                }
                return Err(Error::io("append to", &log.path)(error));
            }
        }
        Ok(())
    }

    /// Makes a cut last before anything is written there: else a power cut
    /// could bring old lines back behind half of a new transaction, which
    /// would then look like one whose commit got damaged later on.
    fn sync_cut(&self, space: &Space, file: &dyn DiskFile, path: &Path) -> Result<()> {
        file.sync()
            .map_err(Error::sync(path))
            .inspect_err(|error| self.stop_writing(&space.to_string(), error))
    }
}

impl Appending {
    /// Takes the lines of a batch in, to be written and into the index; the last one's checksum.
    pub(super) fn take(
        &mut self,
        connection: &Connection,
        space: &Space,
        lines: Vec<Signed>,
        at: Time,
    ) -> Result<Option<Checksum>> {
        if !lines.is_empty() {
            self.begin_lines(connection, space, at)?;
        }
        for line in lines {
            self.append(connection, space, line)?;
        }
        Ok(self.position.last.map(|(_, _, checksum)| checksum))
    }

    fn append(&mut self, connection: &Connection, space: &Space, signed: Signed) -> Result<()> {
        let place = apply::Place {
            offset: self.end(),
            length: signed.bytes.len() as u64 - 1,
            number: self.position.end.start.number,
            checksum: signed.checksum,
            recorded_at: signed.line.recorded_at,
        };
        self.bytes.extend_from_slice(&signed.bytes);
        self.position.end.start.offset = self.end();
        self.position.end.start.number += 1;
        let position = &mut self.position;
        match signed.memory {
            // What a line keeps is known, and need not be read from it again.
            Some(memory) => apply::memory(connection, position, &place, &memory),
            None => {
                let record = Record::read(signed.line)?;
                apply::record(connection, space, position, &place, record)
            }
        }
        .map_err(Error::index("index"))
    }

    /// What must come before the first new line: the header of a new log, or
    /// the newline that the last line was left without.
    fn begin_lines(&mut self, connection: &Connection, space: &Space, at: Time) -> Result<()> {
        if self.end() == 0 {
            let generation = unique(at.micros());
            let header = Line::header(space, &generation, &[], at);
            self.append(connection, space, Signed::new(header.into()))?;
        } else if std::mem::take(&mut self.position.end.newline_missing) {
            self.bytes.push(b'\n');
            self.position.end.start.offset = self.end();
            self.position.end.start.number += 1;
        }
        Ok(())
    }

    pub(super) fn end(&self) -> u64 {
        self.begin + self.bytes.len() as u64
    }
}
