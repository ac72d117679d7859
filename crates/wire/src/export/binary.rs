//! The compact form: lines of JSON, compressed, with a checksum over all of it.
//!
//! [`MAGIC`] with the version of the form, one zstd frame, and the SHA-256 of
//! both. Without the first nine bytes and the last 32 it is a file that
//! `zstd -d` turns into the lines.

use std::io::{self, Write};

use sha2::{Digest, Sha256};

/// How the file begins; the last byte is the version.
pub(crate) const MAGIC: [u8; 9] = *b"\x89MNEMON\n\x01";

/// Twice as small as the fastest level, and still faster than the disks that backups go to.
const LEVEL: i32 = 9;

/// A file whose lines are still to come.
pub(super) struct Writer<W: Write>(zstd::Encoder<'static, Summed<W>>);

/// Knows the checksum of what went through it.
struct Summed<W> {
    out: W,
    sum: Sha256,
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.sum.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<W: Write> Writer<W> {
    pub(super) fn new(out: W) -> io::Result<Self> {
        let mut out = Summed {
            out,
            sum: Sha256::new(),
        };
        out.write_all(&MAGIC)?;
        Ok(Self(zstd::Encoder::new(out, LEVEL)?))
    }

    pub(super) fn write_all(&mut self, line: &[u8]) -> io::Result<()> {
        self.0.write_all(line)
    }

    pub(super) fn finish(self) -> io::Result<()> {
        let Summed { mut out, sum } = self.0.finish()?;
        out.write_all(&sum.finalize())?;
        out.flush()
    }
}
