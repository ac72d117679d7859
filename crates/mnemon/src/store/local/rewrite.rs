//! Writing a log anew, without what must not stay in it.
//!
//! The new file is built beside the old one while others go on writing; then,
//! under the lock, what they appended meanwhile is copied too, and the new
//! file takes the name. A crash at any point leaves the old log or the new one.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::{Map, Value};

use super::LocalStore;
use super::disk::DiskFile;
use super::folders;
use super::lock::Held;
use super::log::line::{Line, sign_again};
use super::log::scan::{self, Damage, End, Found, Placed, Start, Stopped};
use super::log::tail;
use crate::error::{Error, Result};
use crate::memory::{Handle, Kind, Space};
use crate::time::Time;

/// What becomes of a piece of the old log.
pub(super) enum Verdict {
    /// It stays as it is.
    Keep,
    /// This stands in its place.
    Replace(Vec<u8>),
    /// It does not stay.
    Drop,
    /// It stays behind these lines.
    Behind(Vec<u8>),
    /// The second stands in its place, behind the first.
    ReplaceBehind(Vec<u8>, Vec<u8>),
}

/// Decides about each piece; gets the bytes too.
pub(super) type Judge<'a> = dyn FnMut(&Piece<'_>, &[u8]) -> Result<Verdict> + 'a;

/// Gives the last lines of a log, knowing its index.
pub(super) type LastLines<'a> = dyn FnMut(&Connection) -> Result<Vec<u8>> + 'a;

/// What else happens while a log is written anew.
pub(super) struct Also<'a> {
    /// Once it was read, before the lock is taken.
    pub(super) when_read: &'a mut dyn FnMut() -> Result<()>,
    /// Under the lock, once the index knows all of it: the last lines.
    pub(super) last_lines: &'a mut LastLines<'a>,
    /// Once the new log has the name: from then on it may be what a power cut leaves, whatever
    /// fails afterwards.
    pub(super) when_replaced: &'a mut dyn FnMut(),
}

/// A piece of the old log.
pub(super) enum Piece<'a> {
    Record(&'a Placed),
    Damage(&'a Damage),
}

impl LocalStore {
    /// Writes the log of a space anew; gives what a crash had left at its end, if anything.
    pub(super) fn rewrite(&self, space: &Space, judge: &mut Judge<'_>) -> Result<Option<PathBuf>> {
        let nothing = Also {
            when_read: &mut || Ok(()),
            last_lines: &mut |_| Ok(Vec::new()),
            when_replaced: &mut || {},
        };
        self.rewrite_and(space, judge, nothing)
    }

    /// As [`Self::rewrite`], with what else happens at its turning points.
    pub(super) fn rewrite_and(
        &self,
        space: &Space,
        judge: &mut Judge<'_>,
        also: Also<'_>,
    ) -> Result<Option<PathBuf>> {
        let path = self.layout.log(space);
        let old = self
            .disk
            .open_read(&path)
            .map_err(Error::io("open", &path))?;
        let unique = super::unique(super::wall_micros());
        let next_path = path.with_file_name(format!("memory.jsonl.{unique}"));
        let file = self
            .disk
            .create(&next_path)
            .map_err(Error::io("create", &next_path))?;
        let mut into_file = writing_to(&*file, &next_path);
        let mut next = Next::new(&next_path, &mut into_file);
        let sync = || file.sync().map_err(Error::io("sync", &next_path));
        let outcome = next.begin(space, &unique, &*old).and_then(|()| {
            let end = next.copy(&*old, Start::BEGINNING, judge)?;
            // What is long is done; what follows is short.
            sync()?;
            (also.when_read)()?;
            let mut held = self.lock.acquire("rewrite a log")?;
            let read = (&*old, &end);
            let last = (also, &sync as &dyn Fn() -> Result<()>);
            self.finish_rewrite(space, &mut next, read, judge, last, &mut held)
        });
        if outcome.is_err() {
            let _ = self.disk.remove(&next_path);
        }
        outcome
    }

    fn finish_rewrite(
        &self,
        space: &Space,
        next: &mut Next<'_>,
        (old, end): (&dyn DiskFile, &End),
        judge: &mut Judge<'_>,
        (also, sync): (Also<'_>, &dyn Fn() -> Result<()>),
        held: &mut Held<'_>,
    ) -> Result<Option<PathBuf>> {
        let path = self.layout.log(space);
        let named = self.disk.stat(&path).map_err(Error::io("read", &path))?;
        let own = old.stat().map_err(Error::io("read", &path))?;
        if !named.is_some_and(|named| named.is_same_file(&own)) {
            return Err(Error::LogReplaced { path });
        }
        let end = next.copy(old, end.start, judge)?;
        let mut aside = None;
        if let Some(tail) = &end.tail {
            let name = tail::quarantine_name(space, &super::unique(super::wall_micros()), "torn");
            let bytes = read(old, &path, tail.offset, tail.length)?;
            aside = Some(tail::set_aside(
                &*self.disk,
                &self.layout.quarantine(),
                &name,
                &bytes,
            )?);
        }
        // Asked again if the index had to be built anew.
        let last_lines = RefCell::new(also.last_lines);
        let lines = self.with_sound_index(held, |connection| {
            self.catch_up(connection, std::slice::from_ref(space))?;
            (*last_lines.borrow_mut())(connection)
        })?;
        next.write(&lines)?;
        sync()?;
        held.note_appending(&[space])
            .map_err(Error::io("write", self.layout.lock()))?;
        match self.disk.rename(&next.path, &path) {
            // Somebody who tidied up took it for what a crash had left.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::LogReplaced { path });
            }
            renamed => renamed.map_err(Error::io("replace", &path))?,
        }
        (also.when_replaced)();
        self.sync_replaced(space)?;
        self.with_sound_index(held, |connection| {
            self.catch_up(connection, std::slice::from_ref(space))
        })?;
        held.clear_note();
        Ok(aside)
    }

    /// Makes sure that the log lasts which took another's place. If that fails, nobody knows which
    /// of the two a power cut leaves, so writing stops.
    pub(super) fn sync_replaced(&self, space: &Space) -> Result<()> {
        folders::sync(&*self.disk, &self.layout.folder(space))
            .inspect_err(|error| self.stop_writing(&space.to_string(), error))
    }
}

/// Puts bytes behind each other into a file.
pub(super) fn writing_to<'a>(
    file: &'a dyn DiskFile,
    path: &'a Path,
) -> impl FnMut(&[u8]) -> Result<()> + 'a {
    let mut length = 0;
    move |bytes| {
        file.write_at(bytes, length)
            .map_err(Error::io("write", path))?;
        length += bytes.len() as u64;
        Ok(())
    }
}

/// The new log, or the new shelf, while it is made.
pub(super) struct Next<'a> {
    path: PathBuf,
    /// Where its bytes go.
    out: &'a mut dyn FnMut(&[u8]) -> Result<()>,
    /// Lines of a transaction whose commit has not come yet, with their places in it.
    open: Vec<(Placed, Vec<u8>, u64)>,
    places: Places,
    /// Whether any line of that transaction was dropped or replaced.
    broken: bool,
}

impl<'a> Next<'a> {
    pub(super) fn new(path: &Path, out: &'a mut dyn FnMut(&[u8]) -> Result<()>) -> Self {
        Self {
            path: path.into(),
            out,
            open: Vec::new(),
            places: Places::default(),
            broken: false,
        }
    }

    /// Writes the header of a log that takes the place of an old one.
    pub(super) fn begin(
        &mut self,
        space: &Space,
        generation: &str,
        old: &dyn DiskFile,
    ) -> Result<()> {
        let (counters, recorded) = counters_of(old, &self.path)?;
        let at = Time::nearest_to_micros(recorded.unwrap_or_else(super::wall_micros));
        self.write(&Line::header(space, generation, &counters, at).encode().0)
    }

    /// Copies what is behind `start`, as the judge says; the old header is not copied.
    pub(super) fn copy(
        &mut self,
        old: &dyn DiskFile,
        start: Start,
        judge: &mut Judge<'_>,
    ) -> Result<End> {
        let path = self.path.clone();
        scan::scan(old, start, |found| -> Result<(), Error> {
            match found {
                Found::Record(placed) if placed.line.op.as_deref() == Some("log") => Ok(()),
                Found::Record(placed) => {
                    let bytes = read(old, &path, placed.offset, placed.length)?;
                    let verdict = judge(&Piece::Record(&placed), &bytes)?;
                    self.take(placed, bytes, verdict)
                }
                Found::Damage(damage) => {
                    let bytes = read(old, &path, damage.offset, damage.length)?;
                    self.settle()?;
                    match judge(&Piece::Damage(&damage), &bytes)? {
                        Verdict::Keep => self.write_line(&bytes),
                        Verdict::Behind(before) => {
                            self.write(&before)?;
                            self.write_line(&bytes)
                        }
                        Verdict::ReplaceBehind(before, bytes) => {
                            self.write(&before)?;
                            self.write(&bytes)
                        }
                        Verdict::Replace(bytes) => self.write(&bytes),
                        Verdict::Drop => Ok(()),
                    }
                }
            }
        })
        .map_err(|stopped| match stopped {
            Stopped::Reading(error) => Error::io("read", &path)(error),
            Stopped::ByCaller(error) => error,
        })
        .and_then(|end| self.settle().map(|()| end))
    }

    fn take(&mut self, placed: Placed, bytes: Vec<u8>, verdict: Verdict) -> Result<()> {
        let place = self.places.of(&placed);
        let verdict = match verdict {
            // Nothing comes between the lines of a transaction: all have one time.
            Verdict::Behind(before) => {
                self.settle()?;
                self.write(&before)?;
                Verdict::Keep
            }
            Verdict::ReplaceBehind(before, bytes) => {
                if !before.is_empty() {
                    self.settle()?;
                    self.write(&before)?;
                }
                Verdict::Replace(bytes)
            }
            verdict => verdict,
        };
        let Some(place) = place else {
            self.settle()?;
            return match verdict {
                Verdict::Replace(bytes) => self.write(&bytes),
                Verdict::Drop => Ok(()),
                _ => self.write_line(&bytes),
            };
        };
        if self
            .open
            .first()
            .is_some_and(|(first, ..)| first.line.tx != placed.line.tx)
        {
            self.settle()?;
        }
        if placed.line.op.as_deref() == Some("commit") {
            let whole = !self.broken
                && placed
                    .line
                    .sums_up(self.open.iter().map(|(member, ..)| member));
            return if whole {
                self.settle_verbatim(&bytes)
            } else {
                self.settle()
            };
        }
        match verdict {
            Verdict::Replace(mut bytes) => {
                self.broken = true;
                // Lines are kept without their newlines until they are settled.
                bytes.pop();
                self.open.push((placed, bytes, place));
            }
            Verdict::Drop => self.broken = true,
            _ => self.open.push((placed, bytes, place)),
        }
        Ok(())
    }

    /// A whole transaction stays to the letter.
    fn settle_verbatim(&mut self, commit: &[u8]) -> Result<()> {
        for (_, bytes, _) in std::mem::take(&mut self.open) {
            self.write_line(&bytes)?;
        }
        self.broken = false;
        self.write_line(commit)
    }

    /// What is left of a transaction stands for itself, or the next reader would undo it.
    fn settle(&mut self) -> Result<()> {
        self.broken = false;
        for (placed, bytes, place) in std::mem::take(&mut self.open) {
            let alone = stand_alone(&self.path, &placed, &bytes, place)?;
            self.write(&alone)?;
        }
        Ok(())
    }

    fn write_line(&mut self, bytes: &[u8]) -> Result<()> {
        self.write(bytes)?;
        self.write(b"\n")
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        (self.out)(bytes)
    }
}

/// Where lines stand in their transactions.
#[derive(Default)]
pub(super) struct Places {
    /// The transaction, and the number of its first line.
    current: Option<(String, u64)>,
}

impl Places {
    /// The place of the next line, from 0; none if it is in no transaction.
    pub(super) fn of(&mut self, placed: &Placed) -> Option<u64> {
        let tx = placed.line.tx.as_ref()?;
        match &self.current {
            Some((known, first)) if known == tx => Some(placed.number - first),
            _ => {
                self.current = Some((tx.clone(), placed.number));
                Some(0)
            }
        }
    }
}

/// A line without its transaction; its place in it stays, because all its lines have one time.
pub(super) fn stand_alone(
    path: &Path,
    placed: &Placed,
    bytes: &[u8],
    place: u64,
) -> Result<Vec<u8>> {
    let alone = |object: &mut Map<String, Value>| {
        object.remove("tx");
        object.insert("place".into(), place.into());
    };
    let signed = sign_again(bytes, alone).map_err(|_| Error::Corrupt {
        path: path.into(),
        line: Some(placed.number),
        problem: "the line was sound a moment ago".into(),
    })?;
    Ok(signed.0)
}

type Counters = Vec<(Kind, u32)>;

/// The highest handle numbers that a log has given out, and its first recorded time.
fn counters_of(old: &dyn DiskFile, path: &Path) -> Result<(Counters, Option<i64>)> {
    let mut highest: HashMap<Kind, u32> = HashMap::new();
    let mut recorded = None;
    scan::scan(
        old,
        Start::BEGINNING,
        |found| -> Result<(), std::convert::Infallible> {
            let Found::Record(placed) = found else {
                return Ok(());
            };
            recorded = recorded.or(placed.line.recorded_at.map(Time::micros));
            let own = placed
                .line
                .handle
                .as_deref()
                .and_then(|handle| handle.parse::<Handle>().ok());
            let before = placed.line.counters.iter().filter_map(|(kind, number)| {
                Some(Handle {
                    kind: kind.parse().ok()?,
                    number: u32::try_from(number.as_u64()?).ok()?,
                })
            });
            for handle in before.chain(own) {
                let number = highest.entry(handle.kind).or_default();
                *number = (*number).max(handle.number);
            }
            Ok(())
        },
    )
    .map_err(|stopped| match stopped {
        Stopped::Reading(error) => Error::io("read", path)(error),
        Stopped::ByCaller(never) => match never {},
    })?;
    let mut highest: Vec<_> = highest.into_iter().collect();
    highest.sort();
    Ok((highest, recorded))
}

pub(super) fn read(file: &dyn DiskFile, path: &Path, offset: u64, length: u64) -> Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
    let count = file
        .read_at(&mut bytes, offset)
        .map_err(Error::io("read", path))?;
    bytes.truncate(count);
    Ok(bytes)
}
