//! Back-ups of a store on files, while others write to it.
//!
//! Which files there are, and how long, is written down under the lock; that
//! is the moment that the back-up shows. They are copied afterwards, while
//! nobody waits: logs only grow, and whatever else changes gets another file
//! in its place. What was replaced before it was copied is looked at again, so
//! that in the end every file is as it was at one moment. The index is left
//! out: it can be made again.

mod catalogue;
mod copy;
mod drop_old;
mod manifest;
mod restore;

use std::path::{Path, PathBuf};

use self::catalogue::Catalogue;
use self::copy::Copies;
use self::manifest::Manifest;
use super::LocalStore;
use super::disk::RealDisk;
use super::{folders, format, unique, wall_micros};
use crate::error::{Error, Result};
use crate::store::{BackedUp, Paper};
use crate::time::Time;

pub use self::drop_old::drop_old_backups;
pub use self::restore::{GoneSince, restore_backup};

/// So often files are looked at again without holding others up; then they have to wait.
const PASSES_FREE: u32 = 8;

impl LocalStore {
    /// Copies the whole store into a folder that is not there yet, or is empty.
    pub(super) fn back_up_into(&self, folder: &Path) -> Result<BackedUp> {
        self.refuse_after_fork()?;
        if let Some(moment) = self.options.as_of {
            return Err(Error::Past { moment });
        }
        refuse_taken(folder)?;
        refuse_within(folder, self.layout.root())?;
        // Under its name only once it is whole.
        let part = with_suffix(folder, &format!("{}.part", unique(wall_micros())));
        let backed_up = self.back_up_as(&part, folder);
        if backed_up.is_err() {
            let _ = std::fs::remove_dir_all(&part);
        }
        backed_up
    }

    fn back_up_as(&self, part: &Path, folder: &Path) -> Result<BackedUp> {
        folders::make(&RealDisk, part)?;
        let mut copies = Copies::new(self.layout.root(), part);
        let taken_at = self.copy_everything(&mut copies)?;
        let checked = copies.check_lines()?;
        let store_id = format::store_id(&*self.disk, &self.layout)?;
        let had_tokens = self.read_paper(&Paper::Tokens)?.is_some();
        let manifest = Manifest::of(part, store_id, taken_at, had_tokens)?;
        manifest.write(part)?;
        // An empty folder makes place.
        let _ = std::fs::remove_dir(folder);
        std::fs::rename(part, folder).map_err(Error::io("write", folder))?;
        folders::sync_above(&RealDisk, folder)?;
        Ok(BackedUp {
            folder: folder.to_owned(),
            store_id: manifest.store_id,
            taken_at,
            files: manifest.files.len() as u64,
            bytes: manifest.files.iter().map(|file| file.bytes).sum(),
            lines: checked.lines,
            damage: checked.damage,
        })
    }

    /// Copies until every file is as it was at one moment, and gives that moment.
    fn copy_everything(&self, copies: &mut Copies) -> Result<Time> {
        let mut pass = 0;
        loop {
            self.finish_erasure()?;
            let held = self.hold_for_life("look at all files for a back-up")?;
            if self.has_unfinished_erasure()? {
                continue;
            }
            let moment = Time::nearest_to_micros(wall_micros());
            let catalogue = Catalogue::of(self.layout.root())?;
            pass += 1;
            if pass <= PASSES_FREE {
                drop(held);
                if copies.follow(&catalogue)? {
                    return Ok(moment);
                }
            } else {
                // Somebody writes everything anew all the time.
                let is_whole = copies.follow(&catalogue);
                drop(held);
                return if is_whole? {
                    Ok(moment)
                } else {
                    Err(Error::LogReplaced {
                        path: self.layout.root().into(),
                    })
                };
            }
        }
    }
}

/// Refuses a folder in which something is.
fn refuse_taken(folder: &Path) -> Result<()> {
    let is_free = match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    };
    if is_free {
        return Ok(());
    }
    Err(Error::Rule {
        field: "folder",
        rule: "one that is not there yet, or is empty".into(),
        given: folder.display().to_string(),
    })
}

/// Refuses a folder within the store: it would be a part of the next back-up.
fn refuse_within(folder: &Path, root: &Path) -> Result<()> {
    let above = folder.ancestors().skip(1).find_map(|it| {
        let it = if it == Path::new("") {
            Path::new(".")
        } else {
            it
        };
        it.canonicalize().ok()
    });
    let root = root.canonicalize().map_err(Error::io("read", root))?;
    if above.is_some_and(|above| above.starts_with(root)) {
        return Err(Error::Rule {
            field: "folder",
            rule: "one outside the store's own folder".into(),
            given: folder.display().to_string(),
        });
    }
    Ok(())
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{name}.{suffix}"))
}
