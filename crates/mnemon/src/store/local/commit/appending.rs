//! One log while it is appended to.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;

use crate::error::{Error, Result};
use crate::memory::{Memory, Space};
use crate::store::local::catch_up::is_last_line_there;
use crate::store::local::disk::{DiskFile, Stat};
use crate::store::local::index::apply::{self, Place};
use crate::store::local::index::position::{self, Position};
use crate::store::local::log::line::{Checksum, Line};
use crate::store::local::log::record::Record;
use crate::store::local::log::scan::{End, Start};
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
    /// What the index knows of the log.
    pub(super) position: Position,
    /// Where the log ends, the lines that were taken in included.
    pub(super) edge: Edge,
    /// Where the new bytes begin.
    pub(super) begin: u64,
    pub(super) bytes: Vec<u8>,
    /// What the bytes say.
    lines: Vec<New>,
    /// The checksum of the last line, if there is one.
    last: Option<Checksum>,
    pub(super) folders: Vec<PathBuf>,
    /// What its batches found out about it.
    pub(super) known: Known,
}

/// The end of a log, where the next line goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) start: Start,
    /// Whether the last line was left without its newline.
    newline_missing: bool,
    /// The latest recorded time.
    pub(super) recorded_micros: i64,
}

/// A line that the index does not know yet.
struct New {
    place: Place,
    content: Content,
}

enum Content {
    Memory(Arc<Memory>),
    Line(Box<Line>),
}

impl LocalStore {
    /// The log of a space if it is as this process left it and as the index knows it: nearly
    /// always so, and nothing needs to be changed then.
    pub(super) fn log_as_left(
        &self,
        space: &Space,
        open: &OpenLogs,
        connection: &Connection,
    ) -> Result<Option<Appending>> {
        let Some((file, left)) = open.get(space) else {
            return Ok(None);
        };
        let path = self.layout.log(space);
        let named = self.disk.stat(&path).map_err(Error::io("read", &path))?;
        let Some(named) = named.filter(|named| named.is_same_file(left)) else {
            return Ok(None);
        };
        if let Some(error) = self.syncs.failure_of(&named) {
            return Err(error);
        }
        let position = position::get(connection, space).map_err(Error::index("index"))?;
        let position = position.filter(|known| known.stat == named && known.end.tail.is_none());
        Ok(position.map(|position| Appending::to(file.clone(), path, position, Vec::new())))
    }

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
        Ok(Some(Appending::to(file, path, position, folders)))
    }

    /// Makes a log; its header is written together with its first lines.
    pub(super) fn create_log(&self, space: &Space, connection: &Connection) -> Result<Appending> {
        let path = self.layout.log(space);
        self.note_if_lost(connection, space)?;
        let file = tail::open_or_create(&*self.disk, &self.layout.folder(space), &path)?;
        let position = apply::start_over(connection, space).map_err(Error::index("index"))?;
        // After a power cut a new file can exist without its name.
        let folders = self.layout.folders(space);
        Ok(Appending::to(file, path, position, folders))
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
    /// Nothing yet, to a log that ends where the index says.
    fn to(
        file: Arc<dyn DiskFile>,
        path: PathBuf,
        position: Position,
        folders: Vec<PathBuf>,
    ) -> Self {
        Self {
            file,
            path,
            edge: Edge::of(&position),
            begin: position.end.start.offset,
            bytes: Vec::new(),
            lines: Vec::new(),
            last: position.last.map(|(_, _, checksum)| checksum),
            position,
            folders,
            known: Known::default(),
        }
    }

    /// Takes the lines of a batch in, to be written; the checksum of the log's last line then.
    pub(super) fn take(&mut self, space: &Space, lines: Vec<Signed>, at: Time) -> Option<Checksum> {
        if !lines.is_empty() {
            self.begin_lines(space, at);
        }
        for line in lines {
            self.append(line);
        }
        self.last
    }

    /// The memories that were taken in, each with the checksum of its line.
    pub(super) fn memories(&self) -> impl Iterator<Item = (Checksum, Arc<Memory>)> {
        self.lines.iter().filter_map(|line| match &line.content {
            Content::Memory(memory) => Some((line.place.checksum, memory.clone())),
            Content::Line(_) => None,
        })
    }

    /// Puts the lines that were taken in into the index, and how far it knows the log then.
    pub(super) fn put_into_index(&mut self, connection: &Connection, space: &Space) -> Result<()> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        let position = &mut self.position;
        for New { place, content } in self.lines.drain(..) {
            match content {
                // What a line keeps is known, and need not be read from it again.
                Content::Memory(memory) => apply::memory(connection, position, &place, &memory),
                Content::Line(line) => {
                    let record = Record::read(*line)?;
                    apply::record(connection, space, position, &place, record)
                }
            }
            .map_err(Error::index("index"))?;
        }
        position.end = End {
            start: self.edge.start,
            newline_missing: false,
            tail: None,
        };
        position::put(connection, position).map_err(Error::index("index"))
    }

    /// What must come before the first new line: the header of a new log, or
    /// the newline that the last line was left without.
    fn begin_lines(&mut self, space: &Space, at: Time) {
        if self.edge.start.offset == 0 {
            let generation = unique(at.micros());
            let header = Line::header(space, &generation, &[], at);
            self.append(Signed::new(header.into()));
        } else if std::mem::take(&mut self.edge.newline_missing) {
            self.bytes.push(b'\n');
            self.edge.start.offset += 1;
            self.edge.start.number += 1;
        }
    }

    fn append(&mut self, signed: Signed) {
        let place = Place {
            offset: self.edge.start.offset,
            length: signed.bytes.len() as u64 - 1,
            number: self.edge.start.number,
            checksum: signed.checksum,
            recorded_at: signed.line.recorded_at,
        };
        self.bytes.extend_from_slice(&signed.bytes);
        self.edge.pass(&place);
        self.last = Some(place.checksum);
        let content = match signed.memory {
            Some(memory) => Content::Memory(memory),
            None => Content::Line(Box::new(signed.line)),
        };
        self.lines.push(New { place, content });
    }
}

impl Edge {
    fn of(position: &Position) -> Self {
        Self {
            start: position.end.start,
            newline_missing: position.end.newline_missing,
            recorded_micros: position.recorded_micros,
        }
    }

    /// Goes on behind a line.
    fn pass(&mut self, place: &Place) {
        self.start.offset += place.length + 1;
        self.start.number += 1;
        if let Some(at) = place.recorded_at {
            self.recorded_micros = self.recorded_micros.max(at.micros());
        }
    }
}
