//! A shelf as the bytes that it holds: read like a log, in bounded memory.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use zstd::stream::read::Decoder;

use super::WINDOW_LOG;
use crate::store::local::disk::{DiskFile, Stat};

/// How much of what was read is kept, because a line is read again once a scan has found it.
const KEPT_BYTES_MAX: usize = 16 << 20;

/// How much is unpacked at a time.
const STEP_BYTES: usize = 256 << 10;

/// The content of a shelf. Reading on is cheap; going far back starts over.
#[derive(Debug)]
pub(in crate::store::local) struct Unpacked {
    file: Arc<dyn DiskFile>,
    reading: Mutex<Reading>,
    /// Damage is taken for the end.
    salvages: bool,
}

impl Unpacked {
    pub(super) fn new(file: Arc<dyn DiskFile>) -> io::Result<Self> {
        let reading = Mutex::new(Reading::begin(&file)?);
        Ok(Self {
            file,
            reading,
            salvages: false,
        })
    }

    /// The same, read as far as it can be.
    pub(super) fn salvaged(self) -> Self {
        Self {
            salvages: true,
            ..self
        }
    }
}

impl DiskFile for Unpacked {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        if offset < reading.kept_from {
            *reading = Reading::begin(&self.file)?;
        }
        while !reading.at_end && reading.end() < offset.saturating_add(buffer.len() as u64) {
            match reading.step(offset) {
                // What the system says is no damage: later it may let us read on.
                Err(error) if self.salvages && error.raw_os_error().is_none() => {
                    reading.at_end = true;
                }
                stepped => stepped?,
            }
        }
        let begin = usize::try_from(offset - reading.kept_from).unwrap_or(usize::MAX);
        let rest = reading.kept.get(begin..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    /// What the compressed file is.
    fn stat(&self) -> io::Result<Stat> {
        self.file.stat()
    }

    fn write_at(&self, _: &[u8], _: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync()
    }

    fn truncate(&self, _: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn try_lock(&self) -> io::Result<bool> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn unlock(&self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// How far it was read.
struct Reading {
    decoder: Decoder<'static, io::BufReader<Source>>,
    /// The last bytes that were unpacked.
    kept: Vec<u8>,
    /// Where they begin in the content.
    kept_from: u64,
    at_end: bool,
}

impl std::fmt::Debug for Reading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Reading(up to {})", self.end())
    }
}

impl Reading {
    fn begin(file: &Arc<dyn DiskFile>) -> io::Result<Self> {
        let source = Source {
            file: file.clone(),
            offset: 0,
        };
        let mut decoder = Decoder::new(source)?;
        decoder.window_log_max(WINDOW_LOG)?;
        Ok(Self {
            decoder,
            kept: Vec::new(),
            kept_from: 0,
            at_end: false,
        })
    }

    fn end(&self) -> u64 {
        self.kept_from + self.kept.len() as u64
    }

    /// Unpacks some more; what lies before `wanted` may go.
    fn step(&mut self, wanted: u64) -> io::Result<()> {
        if self.kept.len() >= 2 * KEPT_BYTES_MAX {
            let before_wanted = usize::try_from(wanted - self.kept_from).unwrap_or(usize::MAX);
            let surplus = (self.kept.len() - KEPT_BYTES_MAX).min(before_wanted);
            self.kept.drain(..surplus);
            self.kept_from += surplus as u64;
        }
        let known = self.kept.len();
        self.kept.resize(known + STEP_BYTES, 0);
        let (count, read) = read_fully(&mut self.decoder, &mut self.kept[known..]);
        self.kept.truncate(known + count);
        self.at_end = read.is_ok() && count < STEP_BYTES;
        read
    }
}

/// How many bytes there were, and what kept it from reading on.
fn read_fully(decoder: &mut impl Read, buffer: &mut [u8]) -> (usize, io::Result<()>) {
    let mut filled = 0;
    while filled < buffer.len() {
        match decoder.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) => return (filled, Err(error)),
        }
    }
    (filled, Ok(()))
}

/// The compressed bytes, from first to last.
struct Source {
    file: Arc<dyn DiskFile>,
    offset: u64,
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }
}
