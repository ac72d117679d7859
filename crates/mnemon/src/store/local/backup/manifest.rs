//! What is in a back-up: every file, with its length and its checksum.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::catalogue::Catalogue;
use super::copy;
use crate::error::{Error, Result};
use crate::seal::hex;
use crate::store::local::disk::RealDisk;
use crate::store::local::{folders, whole_file};
use crate::time::Time;

/// Its name in the folder of the back-up.
pub(super) const MANIFEST: &str = "backup.json";

/// What every manifest says first.
const SORT: &str = "mnemon back-up";

/// The newest shape that this program knows.
const FORMAT: u32 = 1;

/// The list of a back-up.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    sort: String,
    format: u32,
    /// Which store it was.
    pub(super) store_id: String,
    /// The moment that it shows.
    pub(super) taken_at: Time,
    /// Whether only those came in over a connection who had a token; tokens are not backed up.
    #[serde(default)]
    pub(super) had_tokens: bool,
    pub(super) files: Vec<Listed>,
}

/// One file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Listed {
    /// Below the folder.
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    sha256: String,
}

impl Manifest {
    /// The list of what is in a folder, read from there.
    pub(super) fn of(
        folder: &Path,
        store_id: String,
        taken_at: Time,
        had_tokens: bool,
    ) -> Result<Self> {
        let mut files = Vec::new();
        for path in Catalogue::of(folder)?.0.into_keys() {
            let (bytes, sha256) = sum(&folder.join(&path))?;
            files.push(Listed {
                path,
                bytes,
                sha256,
            });
        }
        Ok(Self {
            sort: SORT.into(),
            format: FORMAT,
            store_id,
            taken_at,
            had_tokens,
            files,
        })
    }

    /// Writes it beside the files, and makes all their names durable.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let mut bytes = serde_json::to_vec_pretty(self).expect("plain fields");
        bytes.push(b'\n');
        whole_file::replace(&RealDisk, &folder.join(MANIFEST), &bytes)?;
        let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
        for file in &self.files {
            let above = file.path.ancestors().skip(1);
            folders.extend(above.map(|it| folder.join(it)));
        }
        folders.sort_unstable();
        folders.dedup();
        folders
            .iter()
            .try_for_each(|it| folders::sync(&RealDisk, it))
    }

    /// The list in a folder.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(MANIFEST);
        let damaged = |problem: String| damaged(&path, problem);
        let bytes = match std::fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::NoBackup {
                    folder: folder.into(),
                });
            }
            bytes => bytes.map_err(Error::io("read", &path))?,
        };
        let manifest: Self =
            serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        if manifest.sort != SORT || manifest.format > FORMAT {
            let known = format!("it is not a list of files of format {FORMAT} or below");
            return Err(damaged(known));
        }
        Ok(manifest)
    }

    /// The list in a folder, if all that it lists is there, as it was written.
    pub(super) fn read_and_check(folder: &Path) -> Result<Self> {
        let manifest = Self::read(folder)?;
        for file in &manifest.files {
            let is_below = |part| matches!(part, Component::Normal(_));
            if !file.path.components().all(is_below) {
                let problem = format!("{} leads elsewhere", file.path.display());
                return Err(damaged(&folder.join(MANIFEST), problem));
            }
            let listed = folder.join(&file.path);
            let (bytes, sha256) = sum(&listed)?;
            if (bytes, &sha256) != (file.bytes, &file.sha256) {
                return Err(Error::Corrupt {
                    path: listed,
                    line: None,
                    problem: "it is not as it was backed up".into(),
                });
            }
        }
        Ok(manifest)
    }
}

fn damaged(path: &Path, problem: String) -> Error {
    Error::Corrupt {
        path: path.to_owned(),
        line: None,
        problem,
    }
}

fn sum(path: &Path) -> Result<(u64, String)> {
    let mut hasher = Sha256::new();
    let bytes = copy::read_all(path, |piece| hasher.update(piece))?;
    Ok((bytes, hex(&hasher.finalize())))
}
