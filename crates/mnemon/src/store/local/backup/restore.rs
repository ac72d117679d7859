//! Bringing a store back from a back-up.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::manifest::Manifest;
use super::{copy, with_suffix};
use crate::error::{Error, Result};
use crate::memory::{MemoryId, SessionId, Space};
use crate::store::local::disk::RealDisk;
use crate::store::local::papers::{NO_TOKENS, TOKENS_FILE};
use crate::store::local::{
    LocalOptions, LocalStore, folders, format, unique, wall_micros, whole_file,
};
use crate::store::{BroughtBack, Deed, Paper, Store};

/// What was removed for good from the store that is there, after the back-up was taken.
#[derive(Clone, Debug, Default)]
pub struct GoneSince {
    /// Memories that were erased.
    pub ids: BTreeSet<MemoryId>,
    /// Sessions that were purged.
    pub sessions: BTreeSet<SessionId>,
}

/// Makes a store in a folder from a back-up that is whole.
///
/// A store that is there is refused unless it may be replaced; then it is kept beside. What was
/// removed from it for good since the back-up must not come back: `remove_again` is given the
/// new store before anybody else can see it.
pub fn restore_backup(
    backup: &Path,
    root: &Path,
    replace: bool,
    options: LocalOptions,
    remove_again: impl FnOnce(LocalStore, GoneSince) -> Result<u64>,
) -> Result<BroughtBack> {
    let manifest = Manifest::read_and_check(backup)?;
    let is_there = std::fs::read_dir(root).is_ok_and(|mut it| it.next().is_some());
    if is_there && !replace {
        return Err(Error::Rule {
            field: "root",
            rule: "a folder that is not there yet or is empty, unless --replace is given".into(),
            given: root.display().to_string(),
        });
    }
    let old = match LocalStore::open(root, options.clone()) {
        Err(Error::NoStore { .. }) => None,
        store => Some(store?),
    };
    if is_there && old.is_none() {
        return Err(Error::Rule {
            field: "root",
            rule: "a folder that is not there yet, or one with a store".into(),
            given: root.display().to_string(),
        });
    }
    let part = with_suffix(root, &format!("{}.part", unique(wall_micros())));
    let made = fill(
        backup,
        &manifest,
        &part,
        options,
        old.as_ref(),
        remove_again,
    )
    .and_then(|count| Ok((count, take_place(&part, root, is_there, old.as_ref())?)));
    if made.is_err() {
        let _ = std::fs::remove_dir_all(&part);
    }
    let (erased_again, replaced) = made?;
    Ok(BroughtBack {
        root: root.to_owned(),
        taken_at: manifest.taken_at,
        files: manifest.files.len() as u64,
        bytes: manifest.files.iter().map(|file| file.bytes).sum(),
        replaced,
        erased_again,
    })
}

fn fill(
    backup: &Path,
    manifest: &Manifest,
    part: &Path,
    options: LocalOptions,
    old: Option<&LocalStore>,
    remove_again: impl FnOnce(LocalStore, GoneSince) -> Result<u64>,
) -> Result<u64> {
    folders::make(&RealDisk, part)?;
    for file in &manifest.files {
        copy::copy_file(&backup.join(&file.path), &part.join(&file.path))?;
    }
    shut_the_door(manifest, part, old)?;
    let gone = match old {
        Some(old) => gone_since(old, manifest)?,
        None => GoneSince::default(),
    };
    let count = remove_again(LocalStore::open(part, options)?, gone)?;
    // What is derived is made anew where the store will be.
    let index = part.join("index");
    match std::fs::remove_dir_all(&index) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("remove", &index)(error))
        }
        _ => Ok(count),
    }
}

/// Whoever had to show a token has to show one still: those of the store that is replaced hold on,
/// and without any nobody comes in.
fn shut_the_door(manifest: &Manifest, part: &Path, old: Option<&LocalStore>) -> Result<()> {
    let own = old.map(|old| old.read_paper(&Paper::Tokens)).transpose()?;
    let tokens = match own.flatten() {
        Some(tokens) => tokens,
        None if manifest.had_tokens => NO_TOKENS.to_vec(),
        None => return Ok(()),
    };
    whole_file::replace(&RealDisk, &part.join(TOKENS_FILE), &tokens)
}

/// Gives a folder its name; what had it before gets another.
fn take_place(
    part: &Path,
    root: &Path,
    is_there: bool,
    old: Option<&LocalStore>,
) -> Result<Option<PathBuf>> {
    // Whoever writes finds another lock file afterwards, and so another store.
    let _held = old
        .map(|old| old.lock.acquire("make place for a back-up"))
        .transpose()?;
    let aside = || with_suffix(root, &format!("before-{}", unique(wall_micros())));
    let replaced = is_there.then(aside);
    match &replaced {
        Some(aside) => std::fs::rename(root, aside).map_err(Error::io("move", root))?,
        None => drop(std::fs::remove_dir(root)),
    }
    std::fs::rename(part, root).map_err(Error::io("write", root))?;
    folders::sync_above(&RealDisk, root)?;
    Ok(replaced)
}

/// What was removed from a store for good after a back-up of it was taken.
fn gone_since(store: &LocalStore, manifest: &Manifest) -> Result<GoneSince> {
    let mut gone = GoneSince::default();
    if format::store_id(&*store.disk, &store.layout)? != manifest.store_id {
        return Ok(gone);
    }
    let since = manifest.taken_at.micros();
    for entry in store
        .audit()?
        .into_iter()
        .filter(|it| it.at.micros() >= since)
    {
        match entry.deed {
            Deed::Erased | Deed::Expired => {
                let ids = entry.ids.iter();
                gone.ids.extend(ids.filter_map(|id| id.parse().ok()));
            }
            Deed::SessionPurged => {
                let sessions = entry.spaces.iter().filter_map(Space::session);
                gone.sessions.extend(sessions.cloned());
            }
            _ => {}
        }
    }
    Ok(gone)
}
