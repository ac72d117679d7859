//! A disk in memory that notes every change, so that its power can be cut anywhere.
//!
//! Programs see all that was done. What would be left after a power cut is a
//! matter of what was synced: `aftermath` works it out from the notes.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mnemon::store::local::disk::{Disk, DiskFile, Stat};

/// One change, in the order in which they were made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the arguments of the calls")]
pub enum Operation {
    /// A folder was made.
    CreateFolder { path: PathBuf },
    /// An empty file was made.
    Create { path: PathBuf, inode: u64 },
    /// Bytes were written.
    Write {
        inode: u64,
        offset: u64,
        bytes: Vec<u8>,
    },
    /// A file was cut, or grew by zeros.
    Truncate { inode: u64, length: u64 },
    /// A file got another name in its folder.
    Rename {
        from: PathBuf,
        to: PathBuf,
        inode: u64,
    },
    /// A folder got another name, and so did all that is in it.
    RenameFolder { from: PathBuf, to: PathBuf },
    /// A name was taken away.
    Remove { path: PathBuf },
    /// The bytes and the length of a file were made durable.
    Sync { inode: u64 },
    /// The names in a folder were made durable.
    SyncFolder { path: PathBuf },
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Folder,
    File(u64),
}

/// The bytes of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Content {
    pub(super) bytes: Vec<u8>,
    pub(super) modified: i64,
}

/// Files and their names.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    pub(super) files: HashMap<u64, Content>,
    pub(super) names: BTreeMap<PathBuf, Entry>,
}

#[derive(Debug, Default)]
pub(super) struct State {
    /// What was durable when the notes begin.
    pub(super) base: Tree,
    /// What programs see.
    now: Tree,
    pub(super) operations: Vec<Operation>,
    /// Times are numbers that grow by one for every change.
    pub(super) clock: i64,
    pub(super) last_inode: u64,
    last_handle: u64,
    /// Which open file holds the lock of an inode.
    locks: HashMap<u64, u64>,
}

/// A disk in memory whose power can be cut.
#[derive(Clone, Debug, Default)]
pub struct CrashDisk {
    pub(super) state: Arc<Mutex<State>>,
}

/// An open file of a [`CrashDisk`].
#[derive(Debug)]
struct CrashFile {
    state: Arc<Mutex<State>>,
    inode: u64,
    handle: u64,
    writable: bool,
}

impl CrashDisk {
    /// A disk on which all of this is durable.
    pub(super) fn holding(tree: Tree, clock: i64, last_inode: u64) -> Self {
        let state = State {
            base: tree.clone(),
            now: tree,
            clock,
            last_inode,
            ..State::default()
        };
        Self {
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// A disk of its own that holds the same; all of it is durable.
    #[must_use]
    pub fn copy(&self) -> CrashDisk {
        let state = lock(&self.state);
        CrashDisk::holding(state.now.clone(), state.clock, state.last_inode)
    }

    /// How many changes were made so far.
    pub fn operation_count(&self) -> usize {
        lock(&self.state).operations.len()
    }

    /// The changes so far.
    pub fn operations(&self) -> Vec<Operation> {
        lock(&self.state).operations.clone()
    }

    /// Every file that has a name, with its bytes.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let state = lock(&self.state);
        let files = state.now.names.iter().filter_map(|(path, entry)| {
            let Entry::File(inode) = entry else {
                return None;
            };
            Some((path.clone(), state.now.files[inode].bytes.clone()))
        });
        files.collect()
    }

    fn open(&self, path: &Path, writable: bool) -> io::Result<Arc<dyn DiskFile>> {
        let mut state = lock(&self.state);
        match state.now.names.get(path).copied() {
            None => Err(io::ErrorKind::NotFound.into()),
            Some(Entry::Folder) => Err(io::ErrorKind::IsADirectory.into()),
            Some(Entry::File(inode)) => Ok(self.handle(&mut state, inode, writable)),
        }
    }

    fn handle(&self, state: &mut State, inode: u64, writable: bool) -> Arc<dyn DiskFile> {
        state.last_handle += 1;
        Arc::new(CrashFile {
            state: self.state.clone(),
            inode,
            handle: state.last_handle,
            writable,
        })
    }
}

impl Disk for CrashDisk {
    fn open_read(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        self.open(path, false)
    }

    fn open_write(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        self.open(path, true)
    }

    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        let mut state = lock(&self.state);
        state.require_folder(path.parent())?;
        if state.now.names.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        state.last_inode += 1;
        let inode = state.last_inode;
        state.note(Operation::Create {
            path: path.into(),
            inode,
        });
        Ok(self.handle(&mut state, inode, true))
    }

    fn stat(&self, path: &Path) -> io::Result<Option<Stat>> {
        let state = lock(&self.state);
        Ok(match state.entry(path) {
            None => None,
            Some(Entry::Folder) => Some(Stat {
                device: 1,
                inode: 0,
                size: 0,
                modified_nanos: 0,
            }),
            Some(Entry::File(inode)) => Some(state.stat(inode)),
        })
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let state = lock(&self.state);
        let below = state
            .now
            .names
            .keys()
            .filter(|path| path.parent() == Some(folder));
        let names = below.filter_map(|path| path.file_name()?.to_str());
        Ok(names.map(ToOwned::to_owned).collect())
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        let mut state = lock(&self.state);
        let mut folders: Vec<&Path> = path.ancestors().collect();
        folders.reverse();
        for folder in folders {
            match state.entry(folder) {
                Some(Entry::Folder) => {}
                Some(Entry::File(_)) => return Err(io::ErrorKind::NotADirectory.into()),
                None => state.note(Operation::CreateFolder {
                    path: folder.into(),
                }),
            }
        }
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = lock(&self.state);
        if state.entry(from) == Some(Entry::Folder) {
            state.require_folder(to.parent())?;
            if state.entry(to).is_some() {
                return Err(io::ErrorKind::DirectoryNotEmpty.into());
            }
            state.note(Operation::RenameFolder {
                from: from.into(),
                to: to.into(),
            });
            return Ok(());
        }
        assert_eq!(from.parent(), to.parent(), "files stay in their folder");
        let Some(Entry::File(inode)) = state.entry(from) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        state.note(Operation::Rename {
            from: from.into(),
            to: to.into(),
            inode,
        });
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = lock(&self.state);
        let Some(Entry::File(_)) = state.entry(path) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        state.note(Operation::Remove { path: path.into() });
        Ok(())
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        if !self.list(path)?.is_empty() {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        let mut state = lock(&self.state);
        state.require_folder(Some(path))?;
        state.note(Operation::Remove { path: path.into() });
        Ok(())
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        let mut state = lock(&self.state);
        state.require_folder(Some(path))?;
        state.note(Operation::SyncFolder { path: path.into() });
        Ok(())
    }
}

impl DiskFile for CrashFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let state = lock(&self.state);
        let content = &state.now.files[&self.inode];
        Ok(super::bytes::read(&content.bytes, buffer, offset))
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.change(Operation::Write {
            inode: self.inode,
            offset,
            bytes: bytes.to_vec(),
        })
    }

    fn stat(&self) -> io::Result<Stat> {
        Ok(lock(&self.state).stat(self.inode))
    }

    fn sync(&self) -> io::Result<()> {
        // A descriptor for reading syncs as well.
        lock(&self.state).note(Operation::Sync { inode: self.inode });
        Ok(())
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.change(Operation::Truncate {
            inode: self.inode,
            length,
        })
    }

    fn try_lock(&self) -> io::Result<bool> {
        let mut state = lock(&self.state);
        let holder = *state.locks.entry(self.inode).or_insert(self.handle);
        Ok(holder == self.handle)
    }

    fn unlock(&self) -> io::Result<()> {
        let mut state = lock(&self.state);
        if state.locks.get(&self.inode) == Some(&self.handle) {
            state.locks.remove(&self.inode);
        }
        Ok(())
    }
}

impl CrashFile {
    fn change(&self, operation: Operation) -> io::Result<()> {
        if !self.writable {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        lock(&self.state).note(operation);
        Ok(())
    }
}

impl Drop for CrashFile {
    fn drop(&mut self) {
        let _ = self.unlock();
    }
}

impl State {
    /// Makes a change, and remembers it.
    fn note(&mut self, operation: Operation) {
        self.clock += 1;
        self.now.apply(&operation, self.clock);
        self.operations.push(operation);
    }

    fn entry(&self, path: &Path) -> Option<Entry> {
        match path.parent() {
            None => Some(Entry::Folder),
            Some(_) => self.now.names.get(path).copied(),
        }
    }

    fn require_folder(&self, path: Option<&Path>) -> io::Result<()> {
        match path.and_then(|path| self.entry(path)) {
            Some(Entry::Folder) => Ok(()),
            Some(Entry::File(_)) => Err(io::ErrorKind::NotADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn stat(&self, inode: u64) -> Stat {
        let content = &self.now.files[&inode];
        Stat {
            device: 1,
            inode,
            size: content.bytes.len() as u64,
            modified_nanos: content.modified,
        }
    }
}

impl Tree {
    /// What a change does if all of it comes to pass.
    pub(super) fn apply(&mut self, operation: &Operation, at: i64) {
        match operation {
            Operation::CreateFolder { path } => {
                self.names.insert(path.clone(), Entry::Folder);
            }
            Operation::Create { path, inode } => {
                self.names.insert(path.clone(), Entry::File(*inode));
                self.files.entry(*inode).or_default().modified = at;
            }
            Operation::Write {
                inode,
                offset,
                bytes,
            } => {
                let content = self.files.entry(*inode).or_default();
                content.write(*offset, bytes);
                content.modified = at;
            }
            Operation::Truncate { inode, length } => {
                let content = self.files.entry(*inode).or_default();
                content.bytes.resize(place(*length), 0);
                content.modified = at;
            }
            Operation::Rename { from, to, inode } => {
                self.names.remove(from);
                self.names.insert(to.clone(), Entry::File(*inode));
            }
            Operation::RenameFolder { from, to } => {
                let below = |path: &Path| Some(to.join(path.strip_prefix(from).ok()?));
                let names = std::mem::take(&mut self.names).into_iter();
                self.names = names
                    .map(|(path, entry)| match below(&path) {
                        // Joined with nothing it would end with a slash.
                        Some(_) if path == *from => (to.clone(), entry),
                        Some(moved) => (moved, entry),
                        None => (path, entry),
                    })
                    .collect();
            }
            Operation::Remove { path } => {
                self.names.remove(path);
            }
            Operation::Sync { .. } | Operation::SyncFolder { .. } => {}
        }
    }
}

impl Content {
    /// Overwrites, and grows by zeros up to where the bytes begin.
    pub(super) fn write(&mut self, offset: u64, bytes: &[u8]) {
        let begin = place(offset);
        let end = begin + bytes.len();
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[begin..end].copy_from_slice(bytes);
    }
}

pub(super) fn place(offset: u64) -> usize {
    usize::try_from(offset).expect("files in memory fit into it")
}

pub(super) fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
