//! What a disk can hold after a power cut.
//!
//! Whatever was synced is there. Of the changes since, a real disk keeps any
//! part: none, some, a write up to some byte, some pages of a write and not
//! the ones before them, the length without the bytes, a new name or the old.
//! Bytes and names are independent of each other: a synced file whose folder
//! was not synced may have no name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::crash::{Content, CrashDisk, Entry, Operation, Tree, lock, place};
use super::random::Random;

/// What becomes of changes to bytes that were not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataLoss {
    /// All are lost.
    Everything,
    /// None is lost.
    Nothing,
    /// They stop somewhere, maybe in the middle of a write.
    Torn,
    /// Any of them are lost, whatever came later.
    Some,
    /// Any pages of this length are lost, whatever came later.
    Pages(usize),
    /// The lengths are there, the bytes are not.
    Bytes,
}

/// What becomes of changes to names that were not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameLoss {
    /// All are lost.
    Everything,
    /// None is lost.
    Nothing,
    /// Those of a folder stop somewhere.
    Stopped,
    /// Any of them are lost, whatever came later.
    Some,
}

/// What a power cut takes away; the seed decides where there is a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Of bytes.
    pub data: DataLoss,
    /// Of names.
    pub names: NameLoss,
    /// Decides about each change.
    pub seed: u64,
}

impl Loss {
    /// The ways with the most outcomes come up most often.
    const DATA: [DataLoss; 10] = [
        DataLoss::Everything,
        DataLoss::Nothing,
        DataLoss::Torn,
        DataLoss::Torn,
        DataLoss::Torn,
        DataLoss::Torn,
        DataLoss::Some,
        DataLoss::Pages(512),
        DataLoss::Pages(4096),
        DataLoss::Bytes,
    ];
    const NAMES: [NameLoss; 4] = [
        NameLoss::Nothing,
        NameLoss::Everything,
        NameLoss::Stopped,
        NameLoss::Some,
    ];

    /// Some loss, the same for the same seed; all kinds come up.
    pub fn seeded(seed: u64) -> Self {
        let mut random = Random::new(seed);
        Self {
            data: Self::DATA[random.below(Self::DATA.len())],
            names: Self::NAMES[random.below(Self::NAMES.len())],
            seed: random.number(),
        }
    }
}

impl CrashDisk {
    /// The disk after a power cut behind the first `count` changes.
    #[must_use]
    pub fn after_power_cut(&self, count: usize, loss: Loss) -> CrashDisk {
        let state = lock(&self.state);
        let mut random = Random::new(loss.seed);
        let mut tree = state.base.clone();
        let mut data: BTreeMap<u64, Vec<(&Operation, i64)>> = BTreeMap::new();
        let mut names: BTreeMap<PathBuf, Vec<&Operation>> = BTreeMap::new();
        let begin = state.clock - i64::try_from(state.operations.len()).unwrap_or(0);
        for (operation, at) in state.operations[..count].iter().zip(begin + 1..) {
            match operation {
                Operation::Write { inode, .. } | Operation::Truncate { inode, .. } => {
                    data.entry(*inode).or_default().push((operation, at));
                }
                Operation::CreateFolder { path }
                | Operation::Create { path, .. }
                | Operation::Rename { to: path, .. }
                // Either folder that it changes makes it durable; the one is as good as the other.
                | Operation::RenameFolder { to: path, .. }
                | Operation::Remove { path } => {
                    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
                    names.entry(folder).or_default().push(operation);
                }
                Operation::Sync { inode } => {
                    for (operation, at) in data.remove(inode).unwrap_or_default() {
                        tree.apply(operation, at);
                    }
                }
                Operation::SyncFolder { path } => {
                    for operation in names.remove(path).unwrap_or_default() {
                        tree.apply_to_names(operation);
                    }
                }
            }
        }
        for (inode, changes) in data {
            let content = tree.files.entry(inode).or_default();
            lose_data(content, &changes, loss.data, &mut random);
        }
        for changes in names.into_values() {
            for operation in surviving_names(&changes, loss.names, &mut random) {
                tree.apply_to_names(operation);
            }
        }
        tree.forget_the_unreachable();
        CrashDisk::holding(tree, state.clock, state.last_inode)
    }
}

fn lose_data(
    content: &mut Content,
    changes: &[(&Operation, i64)],
    loss: DataLoss,
    random: &mut Random,
) {
    let stop = random.below(changes.len() + 1);
    for (number, (operation, at)) in changes.iter().enumerate() {
        let skipped = match loss {
            DataLoss::Everything => true,
            DataLoss::Nothing | DataLoss::Pages(_) | DataLoss::Bytes => false,
            DataLoss::Torn => number > stop,
            DataLoss::Some => random.coin(),
        };
        if skipped {
            continue;
        }
        content.modified = *at;
        match operation {
            Operation::Truncate { length, .. } => {
                // A cut may get lost among the pages that do not.
                if matches!(loss, DataLoss::Nothing | DataLoss::Torn | DataLoss::Some)
                    || random.coin()
                {
                    content.bytes.resize(place(*length), 0);
                }
            }
            Operation::Write { offset, bytes, .. } => match loss {
                DataLoss::Torn if number == stop => {
                    let kept = random.below(bytes.len() + 1);
                    content.write(*offset, &bytes[..kept]);
                }
                DataLoss::Pages(page) => write_some_pages(content, *offset, bytes, page, random),
                DataLoss::Bytes => grow(content, place(*offset) + bytes.len()),
                _ => content.write(*offset, bytes),
            },
            _ => unreachable!("only changes to bytes are kept here"),
        }
    }
}

fn write_some_pages(
    content: &mut Content,
    offset: u64,
    bytes: &[u8],
    page: usize,
    random: &mut Random,
) {
    let begin = place(offset);
    let mut from = 0;
    while from < bytes.len() {
        let to = bytes.len().min((begin + from) / page * page + page - begin);
        if random.coin() {
            content.write((begin + from) as u64, &bytes[from..to]);
        }
        from = to;
    }
    if random.coin() {
        grow(content, begin + bytes.len());
    }
}

fn grow(content: &mut Content, length: usize) {
    if content.bytes.len() < length {
        content.bytes.resize(length, 0);
    }
}

fn surviving_names<'a>(
    changes: &[&'a Operation],
    loss: NameLoss,
    random: &mut Random,
) -> Vec<&'a Operation> {
    let stop = random.below(changes.len() + 1);
    let mut surviving = Vec::new();
    for (number, operation) in changes.iter().enumerate() {
        let survives = match loss {
            NameLoss::Everything => false,
            NameLoss::Nothing => true,
            NameLoss::Stopped => number < stop,
            NameLoss::Some => random.coin(),
        };
        if survives {
            surviving.push(*operation);
        }
    }
    surviving
}

impl Tree {
    /// Names only: what a name stands for is there as far as it was synced.
    fn apply_to_names(&mut self, operation: &Operation) {
        if let Operation::Create { inode, .. } | Operation::Rename { inode, .. } = operation {
            self.files.entry(*inode).or_default();
        }
        match operation {
            Operation::Create { path, inode } => {
                self.names.insert(path.clone(), Entry::File(*inode));
            }
            other => self.apply(other, 0),
        }
    }

    /// A name in a folder that has no name is no name.
    fn forget_the_unreachable(&mut self) {
        let names = self.names.clone();
        self.names.retain(|path, _| {
            path.ancestors()
                .skip(1)
                .filter(|folder| folder.parent().is_some())
                .all(|folder| names.get(folder) == Some(&Entry::Folder))
        });
        let reachable: Vec<u64> = self.names.values().filter_map(Entry::inode).collect();
        self.files.retain(|inode, _| reachable.contains(inode));
    }
}

impl Entry {
    fn inode(&self) -> Option<u64> {
        match self {
            Self::File(inode) => Some(*inode),
            Self::Folder => None,
        }
    }
}
