//! Bringing the index up to date with a log: its new lines, or all of it, and its session's shelves.

use rusqlite::Connection;

use super::LocalStore;
use super::disk::{DiskFile, Stat};
use super::index::generation::Borrowed;
use super::index::{self, apply, leaving, position};
use super::log::line::Line;
use super::log::scan::{self, Found, Stopped};
use crate::error::{Error, Result};
use crate::memory::Space;
use position::Position;

impl LocalStore {
    /// Reads what is new in these logs into the index, in one transaction each.
    pub(super) fn catch_up(&self, connection: &Borrowed<'_>, spaces: &[Space]) -> Result<()> {
        for space in spaces {
            connection
                .execute_batch("BEGIN IMMEDIATE")
                .map_err(Error::index("index"))?;
            let noted = if connection.generation().is_in_memory() {
                Ok(())
            } else {
                self.note_if_lost(connection, space)
            };
            let caught_up = noted
                .and_then(|()| self.catch_up_from_the_disk(connection, space))
                .and_then(|_| self.catch_up_shelves(connection, space));
            match caught_up {
                Ok(()) => {
                    self.fill_search(connection);
                    index::commit(connection).map_err(Error::index("index"))?;
                }
                // A log that can't be read keeps nobody from the others; the
                // index tells of it what it knew, and `verify` says what is wrong.
                Err(Error::Io { .. }) => {
                    let _ = connection.execute_batch("ROLLBACK");
                }
                Err(error) => {
                    let _ = connection.execute_batch("ROLLBACK");
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// As [`Self::catch_up_one`], but reads it all if the index knows more than the disk kept.
    fn catch_up_from_the_disk(
        &self,
        connection: &Connection,
        space: &Space,
    ) -> Result<Option<Position>> {
        if self.is_cut_short(connection, space)? {
            apply::start_over(connection, space).map_err(Error::index("index"))?;
        }
        self.catch_up_one(connection, space)
    }

    /// Whether the last line that the index knows is not in the log.
    ///
    /// After a power cut length and times can be as the index knows them and
    /// the bytes missing all the same.
    pub(super) fn is_cut_short(&self, connection: &Connection, space: &Space) -> Result<bool> {
        let Some(known) = position::get(connection, space).map_err(Error::index("index"))? else {
            return Ok(false);
        };
        let path = self.layout.log(space);
        match self.disk.open_read(&path) {
            Ok(file) => Ok(!is_last_line_there(&known, &*file)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(Error::io("open", &path)(error)),
        }
    }

    /// Reads what is new in a log; the caller has a transaction open.
    pub(super) fn catch_up_one(
        &self,
        connection: &Connection,
        space: &Space,
    ) -> Result<Option<Position>> {
        let in_index = || Error::index("index");
        let path = self.layout.log(space);
        let known = position::get(connection, space).map_err(in_index())?;
        let named = self.disk.stat(&path).map_err(Error::io("read", &path))?;
        match (known, named) {
            (known, None) => {
                // Somebody took the log away; what was read from it goes too.
                if let Some(known) = known {
                    leaving::leave(connection, known.log).map_err(in_index())?;
                }
                Ok(None)
            }
            (Some(known), Some(named)) if known.stat == named => Ok(Some(known)),
            (known, Some(_)) => self.read_on(connection, space, known).map(Some),
        }
    }

    /// Reads a log from where the index knows it, or all of it.
    fn read_on(
        &self,
        connection: &Connection,
        space: &Space,
        known: Option<Position>,
    ) -> Result<Position> {
        let in_index = || Error::index("index");
        let path = self.layout.log(space);
        let file = self
            .disk
            .open_read(&path)
            .map_err(Error::io("open", &path))?;
        let stat = file.stat().map_err(Error::io("read", &path))?;
        self.files.keep(space, stat.inode, file.clone());
        let mut position = match known {
            Some(known) if continues(&known, &*file, &stat) => known,
            _ => apply::start_over(connection, space).map_err(in_index())?,
        };
        let from = position.end.start;
        let is_later = |found: &Found| match (found, self.options.as_of) {
            (Found::Record(placed), Some(moment)) => {
                let recorded = placed.line.recorded_at;
                recorded.is_some_and(|at| at.micros() > moment.micros())
            }
            _ => false,
        };
        let end = scan::scan(&*file, from, |found: Found| {
            if is_later(&found) {
                return Ok(());
            }
            apply::found(connection, space, &mut position, found)
        })
        .map_err(|stopped| match stopped {
            Stopped::Reading(error) => Error::io("read", &path)(error),
            Stopped::ByCaller(error) => Error::index("index")(error),
        })?;
        // An empty continuation says nothing about the newline before it.
        position.end = scan::End {
            newline_missing: if end.start == from {
                position.end.newline_missing
            } else {
                end.newline_missing
            },
            ..end
        };
        position.stat = stat;
        apply::ensure_session(connection, space, &position).map_err(in_index())?;
        position::put(connection, &position).map_err(in_index())?;
        Ok(position)
    }
}

/// Whether the log is the one that was read, with at most more lines at its end.
fn continues(known: &Position, file: &dyn DiskFile, stat: &Stat) -> bool {
    let could_have_grown = known.stat.is_same_file(stat) && stat.size >= known.end.start.offset;
    // The same length at another time is an edit in place.
    let edited_in_place = stat.size == known.stat.size;
    known.last.is_some() && could_have_grown && !edited_in_place && is_last_line_there(known, file)
}

/// Whether the last line that the index knows is in the log; true if it knows none.
pub(super) fn is_last_line_there(known: &Position, file: &dyn DiskFile) -> bool {
    let Some((offset, length, checksum)) = known.last else {
        return true;
    };
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
    let count = file.read_at(&mut bytes, offset).unwrap_or(0);
    Line::decode(&bytes[..count]).is_ok_and(|(_, found)| found == checksum)
}
