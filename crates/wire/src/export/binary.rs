//! The compact form: lines of JSON, compressed, with a checksum over all of it.
//!
//! [`MAGIC`] with the version of the form, one zstd frame, padding if it shrank
//! so much that an import would not believe it, and the SHA-256 of all that.
//! Without the first nine bytes and the last 32 it is a file that `zstd -d`
//! turns into the lines.

use std::io::{self, Read, Write};

use sha2::{Digest, Sha256};

/// How the file begins; the last byte is the version.
pub(crate) const MAGIC: [u8; 9] = *b"\x89MNEMON\n\x01";

/// Twice as small as the fastest level, and still faster than the disks that backups go to.
const LEVEL: i32 = 9;

/// An import refuses what grows by more than this, as the work of somebody who means harm.
pub(crate) const RATIO_MAX: u64 = 250;

/// What even the smallest file may hold.
pub(crate) const BYTES_MIN: u64 = 1 << 20;

/// What follows is no data, as zstd marks it; its length comes next, in four bytes.
const SKIPPED: [u8; 4] = 0x184D_2A50_u32.to_le_bytes();

/// A file whose lines are still to come.
pub(super) struct Writer<W: Write> {
    packed: zstd::Encoder<'static, Summed<W>>,
    /// How many bytes its lines have.
    bytes: u64,
}

/// Knows the length and the checksum of what went through it.
struct Summed<W> {
    out: W,
    sum: Sha256,
    bytes: u64,
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.sum.update(&bytes[..count]);
        self.bytes += count as u64;
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
            bytes: 0,
        };
        out.write_all(&MAGIC)?;
        Ok(Self {
            packed: zstd::Encoder::new(out, LEVEL)?,
            bytes: 0,
        })
    }

    pub(super) fn write_all(&mut self, line: &[u8]) -> io::Result<()> {
        self.bytes += line.len() as u64;
        self.packed.write_all(line)
    }

    pub(super) fn finish(self) -> io::Result<()> {
        let mut out = self.packed.finish()?;
        if self.bytes > BYTES_MIN {
            let needed = self.bytes.div_ceil(RATIO_MAX);
            let packed = out.bytes - MAGIC.len() as u64;
            pad(&mut out, needed.saturating_sub(packed))?;
        }
        let Summed { mut out, sum, .. } = out;
        out.write_all(&sum.finalize())?;
        out.flush()
    }
}

/// Writes so many bytes or a few more, which say nothing.
fn pad(out: &mut impl Write, bytes: u64) -> io::Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    let length = u32::try_from(bytes).map_err(io::Error::other)?;
    out.write_all(&SKIPPED)?;
    out.write_all(&length.to_le_bytes())?;
    io::copy(&mut io::repeat(0).take(bytes), out)?;
    Ok(())
}
