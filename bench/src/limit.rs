//! The machine's own limit: the least that a durable write can cost.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use crate::measure::{median, rate, time};
use crate::report::Figure;
use crate::{Result, measure};

/// About the length of a short line of a log.
const APPEND_BYTES: usize = 300;

/// Appends to one file with one thread, each made durable before the next.
pub(crate) struct RawAppends(File);

impl RawAppends {
    pub(crate) fn new(folder: &Path) -> Result<Self> {
        let file = tempfile::Builder::new()
            .prefix("raw-")
            .tempfile_in(folder)?;
        let (file, path) = file.keep()?;
        // Without a name it goes away with us; the folder is ours anyway.
        std::fs::remove_file(path)?;
        Ok(Self(file))
    }

    /// So many appends; how many a second that is.
    pub(crate) fn rate(&mut self, count: usize) -> Result<f64> {
        let (duration, ()) = time(|| {
            for _ in 0..count {
                self.0.write_all(&[b'x'; APPEND_BYTES])?;
                self.0.sync_data()?;
            }
            Ok(())
        })?;
        Ok(rate(count, duration))
    }
}

/// A rate beside the raw one: both are measured in turns, and each round has a
/// ratio of its own, so that what else the machine does touches both alike.
pub(crate) fn beside_raw(
    name: &str,
    folder: &Path,
    rounds: usize,
    raw_count: usize,
    mut ours: impl FnMut(usize) -> Result<f64>,
) -> Result<Figure> {
    let mut raw = RawAppends::new(folder)?;
    raw.rate(raw_count / 4)?;
    let (mut limits, mut rates, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        let before = raw.rate(raw_count)?;
        let rate = ours(round)?;
        let after = raw.rate(raw_count)?;
        let limit = f64::midpoint(before, after);
        limits.push(limit);
        rates.push(rate);
        ratios.push(rate / limit);
    }
    Ok(Figure {
        limit: Some(median(&mut limits)),
        ratio: Some(measure::median(&mut ratios)),
        ..Figure::new(name, median(&mut rates), "/s")
    })
}
