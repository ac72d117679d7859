//! `store.json`: which format the store has, and which store it is.

use serde::{Deserialize, Serialize};

use super::disk::{Disk, Stat};
use super::folders;
use super::layout::Layout;
use super::log::line::{FORMAT, FORMAT_SEALED};
use crate::error::{Error, Result};

#[derive(Debug, Serialize, Deserialize)]
struct StoreFile {
    format: u64,
    store_id: String,
    created_at: String,
}

/// The format file as it was when it was last checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known(Stat);

/// Makes the folder a store, unless it is one already.
pub(super) fn create(disk: &dyn Disk, layout: &Layout) -> Result<()> {
    let path = layout.store_file();
    if disk
        .stat(&path)
        .map_err(Error::io("read", &path))?
        .is_some()
    {
        return Ok(());
    }
    let root = layout.root();
    folders::make(disk, root)?;
    super::network::refuse(root)?;
    let now = super::wall_micros();
    let content = StoreFile {
        format: FORMAT,
        store_id: super::unique(now),
        created_at: super::wall_text(),
    };
    let mut bytes = serde_json::to_vec_pretty(&content).expect("plain fields");
    bytes.push(b'\n');
    super::whole_file::replace(disk, &path, &bytes)
}

/// Refuses what is no store, and a store that a newer program wrote.
pub(super) fn check(disk: &dyn Disk, layout: &Layout) -> Result<Known> {
    read(disk, layout).map(|(_, stat)| Known(stat))
}

/// Which store it is.
pub(super) fn store_id(disk: &dyn Disk, layout: &Layout) -> Result<String> {
    read(disk, layout).map(|(content, _)| content.store_id)
}

fn read(disk: &dyn Disk, layout: &Layout) -> Result<(StoreFile, Stat)> {
    let path = layout.store_file();
    let file = match disk.open_read(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(Error::NoStore {
                root: layout.root().into(),
            });
        }
        opened => opened.map_err(Error::io("open", &path))?,
    };
    let stat = file.stat().map_err(Error::io("read", &path))?;
    let mut bytes = vec![0; usize::try_from(stat.size.min(1 << 16)).unwrap_or(0)];
    let count = file
        .read_at(&mut bytes, 0)
        .map_err(Error::io("read", &path))?;
    let content: StoreFile =
        serde_json::from_slice(&bytes[..count]).map_err(|error| Error::Corrupt {
            path: path.clone(),
            line: None,
            problem: format!("it does not say which format the store has: {error}"),
        })?;
    if content.format > FORMAT_SEALED {
        return Err(Error::NewerFormat {
            path,
            found: content.format,
            known: FORMAT_SEALED,
        });
    }
    Ok((content, stat))
}

/// A program that knows no seals would take sealed lines for damage: from now on it refuses.
pub(super) fn raise_to_sealed(disk: &dyn Disk, layout: &Layout) -> Result<()> {
    let (mut content, _) = read(disk, layout)?;
    if content.format >= FORMAT_SEALED {
        return Ok(());
    }
    content.format = FORMAT_SEALED;
    let mut bytes = serde_json::to_vec_pretty(&content).expect("plain fields");
    bytes.push(b'\n');
    super::whole_file::replace(disk, &layout.store_file(), &bytes)
}

impl Known {
    /// Before a write: has a newer program migrated the store in the meantime?
    pub(super) fn check_again(&mut self, disk: &dyn Disk, layout: &Layout) -> Result<()> {
        let path = layout.store_file();
        if disk.stat(&path).map_err(Error::io("read", &path))? != Some(self.0) {
            *self = check(disk, layout)?;
        }
        Ok(())
    }
}
