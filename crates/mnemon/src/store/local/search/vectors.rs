//! The vectors: one row of fixed length for each memory, in a flat file.
//!
//! A row is written before the transaction that makes it count, and synced,
//! so whatever counts is on the disk. It carries a check over its number and
//! its bytes; a row that fails it makes the whole index be built anew.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::row_sum::row_sum;
use crate::embed::Vector;

/// Behind the components: the inverse norm and the check.
const TRAILER_BYTES: usize = 8;

/// Where the vectors of one build of the index are.
#[derive(Debug)]
pub(in crate::store::local) enum VectorFile {
    /// In a file, opened when it is first needed.
    OnDisk {
        path: PathBuf,
        file: Mutex<Option<Arc<File>>>,
    },
    /// Lost with this process, like the index that it belongs to.
    InMemory(Mutex<Vec<u8>>),
}

/// Some rows, as questions use them.
#[derive(Debug, Default)]
pub(super) struct VectorRows {
    /// All components, row after row.
    pub(super) components: Vec<i8>,
    /// 0 for a row without a vector.
    pub(super) inverse_norms: Vec<f32>,
}

impl VectorFile {
    pub(in crate::store::local) fn on_disk(path: PathBuf) -> Self {
        Self::OnDisk {
            path,
            file: Mutex::new(None),
        }
    }

    pub(in crate::store::local) fn in_memory() -> Self {
        Self::InMemory(Mutex::default())
    }

    /// Writes rows of that dimension, each at its number; they may count once they are synced.
    pub(super) fn write(
        &self,
        dimension: usize,
        rows: &[(u32, Option<&Vector>)],
    ) -> io::Result<()> {
        let mut run: Vec<u8> = Vec::new();
        let mut begin = 0;
        for (place, (n, vector)) in rows.iter().enumerate() {
            if run.is_empty() {
                begin = *n;
            }
            encode(*n, *vector, dimension, &mut run);
            let is_last_of_run = rows.get(place + 1).is_none_or(|(next, _)| *next != n + 1);
            if is_last_of_run {
                self.write_at(&run, offset(begin, dimension))?;
                run.clear();
            }
        }
        Ok(())
    }

    /// Reads `count` rows from a number on; those that were never written, or
    /// don't count and may be half written, have no vector.
    pub(super) fn read(
        &self,
        dimension: usize,
        first: u32,
        count: u32,
        counts: impl Fn(u32) -> bool,
    ) -> io::Result<VectorRows> {
        let row_bytes = dimension + TRAILER_BYTES;
        let mut bytes = vec![0; row_bytes * count as usize];
        self.read_at(&mut bytes, offset(first, dimension))?;
        let mut rows = VectorRows {
            components: Vec::with_capacity(dimension * count as usize),
            inverse_norms: Vec::with_capacity(count as usize),
        };
        for (n, row) in (first..).zip(bytes.chunks_exact(row_bytes)) {
            let (components, trailer) = row.split_at(dimension);
            let (norm, sum) = trailer.split_at(4);
            let norm: [u8; 4] = norm.try_into().expect("four bytes");
            let sum: [u8; 4] = sum.try_into().expect("four bytes");
            let never_written = norm == [0; 4] && sum == [0; 4];
            let sound =
                never_written || row_sum(n, &row[..dimension + 4]) == u32::from_le_bytes(sum);
            if counts(n) && !sound {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "a vector is damaged",
                ));
            }
            rows.components
                .extend(components.iter().map(|byte| byte.cast_signed()));
            rows.inverse_norms.push(if counts(n) {
                f32::from_le_bytes(norm)
            } else {
                0.0
            });
        }
        Ok(rows)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        match self {
            Self::OnDisk { .. } => self.with_file(|file| file.write_all_at(bytes, offset)),
            Self::InMemory(rows) => {
                let mut rows = rows.lock().unwrap_or_else(PoisonError::into_inner);
                let begin = usize::try_from(offset).unwrap_or(usize::MAX);
                let end = begin + bytes.len();
                if rows.len() < end {
                    rows.resize(end, 0);
                }
                rows[begin..end].copy_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// What lies behind the end stays as it is in the buffer.
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        match self {
            Self::OnDisk { .. } => self.with_file(|file| {
                let mut done = 0;
                while done < bytes.len() {
                    match file.read_at(&mut bytes[done..], offset + done as u64) {
                        Ok(0) => break,
                        Ok(count) => done += count,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(())
            }),
            Self::InMemory(rows) => {
                let rows = rows.lock().unwrap_or_else(PoisonError::into_inner);
                let begin = usize::try_from(offset)
                    .unwrap_or(usize::MAX)
                    .min(rows.len());
                let end = (begin + bytes.len()).min(rows.len());
                bytes[..end - begin].copy_from_slice(&rows[begin..end]);
                Ok(())
            }
        }
    }

    /// Makes what was written last.
    pub(in crate::store::local) fn sync(&self) -> io::Result<()> {
        match self {
            Self::OnDisk { .. } => self.with_file(File::sync_data),
            Self::InMemory(_) => Ok(()),
        }
    }

    fn with_file<T>(&self, mut act: impl FnMut(&File) -> io::Result<T>) -> io::Result<T> {
        let file = self.file()?;
        act(&file)
    }

    fn file(&self) -> io::Result<Arc<File>> {
        let Self::OnDisk { path, file } = self else {
            return Err(io::ErrorKind::Unsupported.into());
        };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = &*file {
            return Ok(open.clone());
        }
        let opened = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)?;
        Ok(file.insert(Arc::new(opened)).clone())
    }
}

fn offset(n: u32, dimension: usize) -> u64 {
    u64::from(n) * (dimension + TRAILER_BYTES) as u64
}

/// Writes the row of a memory behind those before.
fn encode(n: u32, vector: Option<&Vector>, dimension: usize, rows: &mut Vec<u8>) {
    let begin = rows.len();
    let mut inverse_norm = 0.0_f32;
    if let Some(vector) = vector.filter(|vector| vector.components().len() == dimension) {
        let components = vector.components().iter();
        rows.extend(components.map(|component| component.cast_unsigned()));
        inverse_norm = vector.inverse_norm();
    }
    rows.resize(begin + dimension, 0);
    rows.extend(inverse_norm.to_le_bytes());
    let sum = row_sum(n, &rows[begin..]);
    rows.extend(sum.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(seed: i8) -> Option<Vector> {
        Vector::from_components(&[seed, 2, -3, 4, 5])
    }

    #[test]
    fn rows_come_back_and_gaps_have_no_vector() {
        let folder = tempfile::tempdir().unwrap();
        for file in [
            VectorFile::on_disk(folder.path().join("vectors")),
            VectorFile::in_memory(),
        ] {
            file.write(
                5,
                &[(1, vector(1).as_ref()), (2, None), (4, vector(4).as_ref())],
            )
            .unwrap();
            let rows = file.read(5, 0, 6, |_| true).unwrap();
            let there: Vec<bool> = rows.inverse_norms.iter().map(|norm| *norm > 0.0).collect();
            assert_eq!(there, [false, true, false, false, true, false]);
            assert_eq!(rows.components[20..25], [4, 2, -3, 4, 5]);
        }
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vectors");
        VectorFile::on_disk(path.clone())
            .write(5, &[(0, vector(1).as_ref()), (1, vector(2).as_ref())])
            .unwrap();
        let whole = std::fs::read(&path).unwrap();
        for place in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[place] ^= 0x10;
            std::fs::write(&path, &bytes).unwrap();
            assert!(
                VectorFile::on_disk(path.clone())
                    .read(5, 0, 2, |_| true)
                    .is_err(),
                "byte {place}"
            );
        }
    }
}
