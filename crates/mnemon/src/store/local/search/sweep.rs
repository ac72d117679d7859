//! Sweeping: what was read from logs that are gone leaves search and index.

use rusqlite::Connection;

use super::Progress;
use super::full_text::{self, Words};
use super::round::Round;
use crate::error::{Error, Result};
use crate::store::local::index::{leaving, whole_or_not};

/// Sweeps out up to so many memories; false if none is left. The caller has a transaction open.
///
/// If it fails, the transaction is as before and they are hidden all the same.
pub(in crate::store::local) fn sweep(connection: &Connection, limit: u32) -> Result<bool> {
    let index = || Error::index("index");
    let numbers = leaving::next_gone(connection, limit).map_err(index())?;
    let Some(last) = numbers.last() else {
        return Ok(false);
    };
    let sweep = || let_go(connection, &numbers).and_then(|()| leaving::sweep(connection, *last));
    whole_or_not(connection, |error| error, sweep).map_err(index())?;
    Ok(true)
}

fn let_go(connection: &Connection, numbers: &[u32]) -> rusqlite::Result<()> {
    let mut progress = Progress::read(connection)?;
    if progress.stamp == 0 {
        return Ok(());
    }
    progress.stamp += 1;
    let mut round = Round::new(connection, progress.stamp);
    let mut words = Words::default();
    for n in numbers {
        round.take_out(*n)?;
        words.take_out(*n);
    }
    round.write()?;
    words.sorted().write(connection)?;
    full_text::merge_if_due(connection)?;
    progress.write(connection)
}
