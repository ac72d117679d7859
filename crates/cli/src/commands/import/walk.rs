//! Files of other programs, wherever they lie: single ones, in folders, in ZIP
//! files. Each is told by its content; one that nobody knows is listed.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use mnemon::memory::Space;
use mnemon::store::Progress;
use mnemon::{Error, Time};
use mnemon_wire::foreign::{
    About, PREFIX_BYTES, Program, Seen, TreeFile, is_tree, read, read_tree, recognise,
};
use zip::ZipArchive;

use super::taker::Taker;
use crate::failure::{Failure, Outcome};
use crate::progress::Bar;

/// Deeper than this no program puts its files.
const DEPTH_MAX: u32 = 32;
/// All files of one session's folder together.
const TREE_BYTES_MAX: u64 = 256 << 20;
/// What unpacks to more than this, and to so many times its size, is a trick.
const UNPACKED_BYTES_MIN: u64 = 64 << 20;
const UNPACKED_RATIO_MAX: u64 = 200;

/// A walk through files.
pub(super) struct Walk<'w, 'a> {
    pub(super) taker: &'w mut Taker<'a>,
    pub(super) bar: &'w mut Bar,
    /// Whose files they are, if that was said.
    pub(super) from: Option<Program>,
    /// Whose files are taken, if not everybody's.
    pub(super) only: &'w [Program],
    pub(super) user: &'w str,
    pub(super) space: Option<Space>,
    pub(super) extract: bool,
    pub(super) now: Time,
    /// What was told of single files.
    pub(super) seen: Vec<(String, Seen)>,
    done: Rc<Cell<u64>>,
    total: u64,
}

impl<'w, 'a> Walk<'w, 'a> {
    pub(super) fn new(
        taker: &'w mut Taker<'a>,
        bar: &'w mut Bar,
        user: &'w str,
        now: Time,
    ) -> Self {
        Self {
            taker,
            bar,
            from: None,
            only: &[],
            user,
            space: None,
            extract: false,
            now,
            seen: Vec::new(),
            done: Rc::new(Cell::new(0)),
            total: 0,
        }
    }

    /// Takes everything at a path.
    pub(super) fn path(&mut self, path: &Path) -> Outcome {
        self.total = size(path, 0);
        if path.is_dir() {
            self.folder(path, path, 0)?;
        } else {
            self.file(path, &shown(path, path))?;
        }
        Ok(self.taker.flush()?)
    }

    /// Takes bytes that came in another way.
    pub(super) fn bytes(&mut self, name: &str, bytes: &[u8]) -> Outcome {
        self.total = bytes.len() as u64;
        let time = self.now;
        self.input(name, time, &mut &bytes[..])?;
        Ok(self.taker.flush()?)
    }

    fn folder(&mut self, root: &Path, folder: &Path, depth: u32) -> Outcome {
        let entries = std::fs::read_dir(folder).map_err(Failure::file("read", folder))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        let names: Vec<&str> = paths
            .iter()
            .filter_map(|path| path.file_name()?.to_str())
            .collect();
        if is_store(folder) {
            let name = shown(root, folder);
            let note = format!(
                "{name} is a store of mnemon, and was left alone: export it, then import that"
            );
            self.taker.report.notes.push(note);
            return Ok(());
        }
        if is_tree(names.iter().copied()) {
            return self.tree(root, folder);
        }
        for path in paths {
            let name = shown(root, &path);
            // A link to a folder may lead back to where it stands.
            let is_link = path.symlink_metadata().is_ok_and(|it| it.is_symlink());
            let why_not = match (path.is_dir(), path.is_file()) {
                (true, _) if is_link => Some("is a link to a folder"),
                (true, _) if depth >= DEPTH_MAX => Some("lies too deep"),
                (false, false) => Some("is no file"),
                _ => None,
            };
            if let Some(why) = why_not {
                let note = format!("{name} {why}, and was not looked into");
                self.taker.report.notes.push(note);
                continue;
            }
            let ended = if path.is_dir() {
                self.folder(root, &path, depth + 1)
            } else {
                self.file(&path, &name)
            };
            match ended {
                Err(Failure::Refused(error)) if is_about(&error, &path) => {
                    self.taker.report.read += 1;
                    self.taker.report.refused(&name, "the file", &error);
                }
                ended => ended?,
            }
        }
        Ok(())
    }

    /// The folder of one session, whose files belong together.
    fn tree(&mut self, root: &Path, folder: &Path) -> Outcome {
        let mut files = Vec::new();
        let mut left = TREE_BYTES_MAX;
        gather(folder, folder, &mut files, &mut left).map_err(|failure| of(failure, folder))?;
        files.sort_by(|one, other| one.path.cmp(&other.path));
        let bytes: u64 = files.iter().map(|file| file.bytes.len() as u64).sum();
        let name = shown(root, folder);
        self.taker.enter(&name)?;
        self.taker.report.file(Program::Bmad);
        let about = About {
            file: &name,
            user: self.user,
            file_time: changed(folder).unwrap_or(self.now),
            space: self.space.clone(),
            extract: self.extract,
        };
        let own = folder
            .file_name()
            .and_then(|it| it.to_str())
            .unwrap_or(&name);
        read_tree(own, &files, &about, &mut |piece| self.taker.take(piece))?;
        self.done.set(self.done.get() + bytes);
        self.draw();
        Ok(())
    }

    fn file(&mut self, path: &Path, name: &str) -> Outcome {
        let mut file = File::open(path).map_err(Failure::file("read", path))?;
        let mut magic = [0; 4];
        let length = file.read(&mut magic).map_err(Failure::file("read", path))?;
        if length == 4 && magic == *b"PK\x03\x04" {
            return self.archive(path, name);
        }
        let time = changed(path).unwrap_or(self.now);
        let counted = Counted {
            inner: Cursor::new(magic[..length].to_vec()).chain(file),
            done: Rc::clone(&self.done),
        };
        let mut input = BufReader::with_capacity(64 << 10, counted);
        self.input(name, time, &mut input)
            .map_err(|failure| at(failure, path))
    }

    fn archive(&mut self, path: &Path, name: &str) -> Outcome {
        let file = File::open(path).map_err(Failure::file("read", path))?;
        let time = changed(path).unwrap_or(self.now);
        let mut archive = match ZipArchive::new(BufReader::new(file)) {
            Ok(archive) => archive,
            Err(error) => {
                self.unreadable(name, &format!("no ZIP file: {error}"));
                return Ok(());
            }
        };
        for number in 0..archive.len() {
            let mut entry = match archive.by_index(number) {
                Ok(entry) => entry,
                Err(error) => {
                    self.unreadable(name, &format!("entry {number} can't be read: {error}"));
                    continue;
                }
            };
            let inner = entry
                .name()
                .map_or_else(|_| format!("entry {number}"), std::borrow::Cow::into_owned);
            let own = format!("{name}:{inner}");
            if entry.is_dir() {
                continue;
            }
            let known = ["json", "jsonl", "md", "txt"];
            let ending = inner
                .rsplit_once('.')
                .map(|(_, ending)| ending.to_ascii_lowercase());
            if !ending.is_some_and(|ending| known.contains(&ending.as_str())) {
                self.taker.report.unknown(own);
                continue;
            }
            let packed = entry.compressed_size();
            let limited = Limited {
                inner: &mut entry,
                left: packed
                    .saturating_mul(UNPACKED_RATIO_MAX)
                    .max(UNPACKED_BYTES_MIN),
            };
            let mut input = BufReader::with_capacity(64 << 10, limited);
            match self.input(&own, time, &mut input) {
                // What was read before is taken.
                Err(Failure::Refused(error)) if is_about(&error, Path::new("the file")) => {
                    self.unreadable(&own, &error.to_string());
                }
                ended => ended?,
            }
            self.done.set(self.done.get() + packed);
            self.draw();
        }
        Ok(())
    }

    fn unreadable(&mut self, name: &str, problem: &str) {
        self.taker.report.read += 1;
        let problem = problem.to_owned();
        self.taker.report.not_understood(name, "the file", problem);
    }

    /// Takes what can be read, once it is known who wrote it.
    fn input(&mut self, name: &str, time: Time, input: &mut dyn BufRead) -> Outcome {
        let mut prefix = Vec::new();
        let failed = Failure::file("read", "the file");
        input
            .take(PREFIX_BYTES as u64)
            .read_to_end(&mut prefix)
            .map_err(failed)?;
        let seen = recognise(&prefix);
        let program = match (self.from, seen) {
            (Some(from), _) => from,
            (None, Some(seen)) if self.only.is_empty() || self.only.contains(&seen.program) => {
                let program = seen.program;
                self.seen.push((name.to_owned(), seen));
                program
            }
            _ => {
                self.taker.report.unknown(name.to_owned());
                return Ok(());
            }
        };
        self.taker.enter(name)?;
        self.taker.report.file(program);
        let about = About {
            file: name,
            user: self.user,
            file_time: time,
            space: self.space.clone(),
            extract: self.extract,
        };
        let mut whole = Cursor::new(prefix).chain(input);
        let (taker, bar) = (&mut *self.taker, &mut *self.bar);
        let (done, total) = (Rc::clone(&self.done), self.total);
        let ended = read(program, &mut whole, &about, &mut |piece| {
            bar.draw(Progress {
                done: done.get(),
                total,
            });
            taker.take(piece)
        });
        // What was understood before the file ended badly is kept.
        self.taker.flush()?;
        Ok(ended?)
    }

    fn draw(&mut self) {
        self.bar.draw(Progress {
            done: self.done.get(),
            total: self.total,
        });
    }
}

/// Whether a folder is a store of ours, which may be the one that is written to.
fn is_store(folder: &Path) -> bool {
    let said = std::fs::read_to_string(folder.join("store.json"));
    said.is_ok_and(|said| said.contains("\"store_id\""))
}

/// Names people know: from the folder that was given on.
fn shown(root: &Path, path: &Path) -> String {
    let inner = path
        .strip_prefix(root)
        .ok()
        .filter(|inner| !inner.as_os_str().is_empty());
    let name = inner.map_or_else(|| path.file_name().map(PathBuf::from), |it| Some(it.into()));
    name.unwrap_or_else(|| path.to_owned())
        .to_string_lossy()
        .into_owned()
}

fn changed(path: &Path) -> Option<Time> {
    let changed = path.metadata().ok()?.modified().ok()?;
    let since = changed.duration_since(std::time::UNIX_EPOCH).ok()?;
    Time::from_micros(i64::try_from(since.as_micros()).ok()?).ok()
}

/// The bytes of a file, or of all files below a folder.
fn size(path: &Path, depth: u32) -> u64 {
    let Ok(metadata) = path.symlink_metadata() else {
        return 0;
    };
    if !metadata.is_dir() || depth > DEPTH_MAX {
        return metadata.len();
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| size(&entry.path(), depth + 1)).sum()
}

fn gather(root: &Path, folder: &Path, files: &mut Vec<TreeFile>, left: &mut u64) -> Outcome {
    let entries = std::fs::read_dir(folder).map_err(Failure::file("read", folder))?;
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(metadata) = path.symlink_metadata() else {
            continue;
        };
        if metadata.is_dir() {
            gather(root, &path, files, left)?;
        } else if metadata.is_file() {
            if metadata.len() > *left {
                let problem = "the files of this session are more than 256 MiB together";
                return Err(Failure::file("read", root)(io::Error::other(problem)));
            }
            *left -= metadata.len();
            let bytes = std::fs::read(&path).map_err(Failure::file("read", &path))?;
            let inner = path.strip_prefix(root).unwrap_or(&path);
            let parts = inner.iter().map(|part| part.to_string_lossy());
            files.push(TreeFile {
                path: parts.collect::<Vec<_>>().join("/"),
                bytes,
            });
        }
    }
    Ok(())
}

/// Blames the folder of a session for what can't be read in it.
fn of(failure: Failure, folder: &Path) -> Failure {
    match failure {
        Failure::Refused(error) => match *error {
            Error::Io { action, source, .. } => Failure::from(Error::Io {
                action,
                path: folder.to_owned(),
                source,
            }),
            error => Failure::from(error),
        },
        failure => failure,
    }
}

/// Says which file it was, where the reader could not know.
fn at(failure: Failure, path: &Path) -> Failure {
    match failure {
        Failure::Refused(error) => match *error {
            Error::Io {
                action,
                source,
                path: unnamed,
            } if unnamed == Path::new("the file") => Failure::from(Error::Io {
                action,
                path: path.to_owned(),
                source,
            }),
            error => Failure::from(error),
        },
        failure => failure,
    }
}

/// Whether an error is about reading that file, and not about the store.
fn is_about(error: &Error, path: &Path) -> bool {
    matches!(error, Error::Io { path: own, .. } if own == path)
}

/// Counts what is read.
struct Counted<R> {
    inner: R,
    done: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.done.set(self.done.get() + length as u64);
        Ok(length)
    }
}

/// Stops where nothing honest goes on.
struct Limited<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.left = self
            .left
            .checked_sub(length as u64)
            .ok_or_else(|| io::Error::other("it unpacks to far more than such a file can hold"))?;
        Ok(length)
    }
}
