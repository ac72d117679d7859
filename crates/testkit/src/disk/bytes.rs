//! A file that is nothing but its bytes, for reading.

use std::io;

use mnemon::store::local::disk::{DiskFile, Stat};

/// A file in memory that can't be changed.
#[derive(Debug)]
pub struct Bytes(pub Vec<u8>);

impl DiskFile for Bytes {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        Ok(read(&self.0, buffer, offset))
    }

    fn write_at(&self, _bytes: &[u8], _offset: u64) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }

    fn stat(&self) -> io::Result<Stat> {
        Ok(Stat {
            device: 1,
            inode: 1,
            size: self.0.len() as u64,
            modified_nanos: 0,
        })
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn truncate(&self, _length: u64) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }

    fn try_lock(&self) -> io::Result<bool> {
        Ok(true)
    }

    fn unlock(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Copies what there is from an offset on.
pub(super) fn read(bytes: &[u8], buffer: &mut [u8], offset: u64) -> usize {
    let begin = usize::try_from(offset).map_or(bytes.len(), |begin| begin.min(bytes.len()));
    let count = buffer.len().min(bytes.len() - begin);
    buffer[..count].copy_from_slice(&bytes[begin..begin + count]);
    count
}
