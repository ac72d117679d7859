//! Writing a log anew, without what must not stay in it.
//!
//! The new file is built beside the old one while others go on writing; then,
//! under the lock, what they appended meanwhile is copied too, and the new
//! file takes the name. A crash at any point leaves the old log or the new one.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::LocalStore;
use super::disk::DiskFile;
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
}

/// Decides about each piece; gets the bytes too.
pub(super) type Judge<'a> = dyn FnMut(&Piece<'_>, &[u8]) -> Result<Verdict> + 'a;

/// A piece of the old log.
pub(super) enum Piece<'a> {
    Record(&'a Placed),
    Damage(&'a Damage),
}

impl LocalStore {
    /// Writes the log of a space anew; gives what a crash had left at its end, if anything.
    pub(super) fn rewrite(&self, space: &Space, judge: &mut Judge<'_>) -> Result<Option<PathBuf>> {
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
            let mut held = self.lock.acquire("rewrite a log")?;
            self.finish_rewrite(space, &mut next, &sync, &*old, &end, judge, &mut held)
        });
        if outcome.is_err() {
            let _ = self.disk.remove(&next_path);
        }
        outcome
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the last step of one operation, with all that the first ones made"
    )]
    fn finish_rewrite(
        &self,
        space: &Space,
        next: &mut Next<'_>,
        sync: &dyn Fn() -> Result<()>,
        old: &dyn DiskFile,
        end: &End,
        judge: &mut Judge<'_>,
        held: &mut Held<'_>,
    ) -> Result<Option<PathBuf>> {
        let path = self.layout.log(space);
        let named = self.disk.stat(&path).map_err(Error::io("read", &path))?;
        let own = old.stat().map_err(Error::io("read", &path))?;
        if !named.is_some_and(|named| named.is_same_file(&own)) {
            return Err(Error::LogReplaced { path });
        }
        let generation = self.index_for_writing(held)?;
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
        sync()?;
        held.note_appending(&[space])
            .map_err(Error::io("write", self.layout.lock()))?;
        self.disk
            .rename(&next.path, &path)
            .map_err(Error::io("replace", &path))?;
        let folder = self.layout.folder(space);
        self.disk
            .sync_folder(&folder)
            .map_err(Error::io("sync", &folder))?;
        self.catch_up(&generation.borrow()?, std::slice::from_ref(space))?;
        held.clear_note();
        Ok(aside)
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
    /// Lines of a transaction whose commit has not come yet.
    open: Vec<(Placed, Vec<u8>)>,
    /// Whether any line of that transaction was dropped or replaced.
    broken: bool,
}

impl<'a> Next<'a> {
    pub(super) fn new(path: &Path, out: &'a mut dyn FnMut(&[u8]) -> Result<()>) -> Self {
        Self {
            path: path.into(),
            out,
            open: Vec::new(),
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
        if placed.line.tx.is_none() {
            self.settle()?;
            return match verdict {
                Verdict::Keep => self.write_line(&bytes),
                Verdict::Replace(bytes) => self.write(&bytes),
                Verdict::Drop => Ok(()),
            };
        }
        if self
            .open
            .first()
            .is_some_and(|(first, _)| first.line.tx != placed.line.tx)
        {
            self.settle()?;
        }
        if placed.line.op.as_deref() == Some("commit") {
            let whole = !self.broken
                && placed
                    .line
                    .sums_up(self.open.iter().map(|(member, _)| member));
            return if whole {
                self.settle_verbatim(&bytes)
            } else {
                self.settle()
            };
        }
        match verdict {
            Verdict::Keep => self.open.push((placed, bytes)),
            Verdict::Replace(_) | Verdict::Drop => self.broken = true,
        }
        Ok(())
    }

    /// A whole transaction stays to the letter.
    fn settle_verbatim(&mut self, commit: &[u8]) -> Result<()> {
        for (_, bytes) in std::mem::take(&mut self.open) {
            self.write_line(&bytes)?;
        }
        self.broken = false;
        self.write_line(commit)
    }

    /// What is left of a transaction stands for itself, or the next reader would undo it.
    fn settle(&mut self) -> Result<()> {
        self.broken = false;
        for (placed, bytes) in std::mem::take(&mut self.open) {
            let alone = |object: &mut Map<String, Value>| drop(object.remove("tx"));
            let (signed, _) = sign_again(&bytes, alone).map_err(|_| Error::Corrupt {
                path: self.path.clone(),
                line: Some(placed.number),
                problem: "the line was sound a moment ago".into(),
            })?;
            self.write(&signed)?;
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
