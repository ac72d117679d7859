//! A segment as the index keeps it: its directory, and its blocks.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, params};

use super::block::{Block, damaged_block};
use super::kept_blocks::KeptBlocks;
use super::spoken::Spoken;
use super::varint::{self, Reader};
use crate::store::local::search::row_sum::row_sum;

/// A block is found by the number of its segment and its own.
const BLOCKS_MAX: i64 = 1 << 24;

/// What is known of a segment without reading its blocks.
#[derive(Debug)]
pub(super) struct Segment {
    n: i64,
    /// One with a higher age is newer.
    age: i64,
    sum: u32,
    pub(super) spoken: Spoken,
    /// The word that each block begins with.
    pub(super) beginnings: Vec<Box<[u8]>>,
    kept: KeptBlocks,
}

/// All segments of one view of the index, the oldest first.
#[derive(Debug, Default)]
pub(in crate::store::local::search) struct Segments {
    pub(super) list: Vec<Arc<Segment>>,
    /// Of each the memories that a newer one speaks for too, in their order.
    overruled: Vec<Vec<u32>>,
}

impl Segments {
    /// Reads them; of those that were known before nothing but that they are there.
    pub(in crate::store::local::search) fn read(
        connection: &Connection,
        before: &Self,
    ) -> rusqlite::Result<Self> {
        let known: HashMap<(i64, u32), &Arc<Segment>> = before
            .list
            .iter()
            .map(|segment| ((segment.n, segment.sum), segment))
            .collect();
        let mut statement =
            connection.prepare_cached("SELECT n, age, sum FROM segments ORDER BY age")?;
        let keys = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let mut list = Vec::new();
        for key in keys {
            let (n, age, sum) = key?;
            list.push(match known.get(&(n, sum)) {
                Some(known) => (*known).clone(),
                None => Arc::new(Segment::read(connection, n, age, sum)?),
            });
        }
        Ok(Self::of(list))
    }

    fn of(list: Vec<Arc<Segment>>) -> Self {
        let overruled = (0..list.len()).map(|place| {
            let newer = list[place + 1..].iter();
            let mut numbers: Vec<u32> = newer
                .flat_map(|newer| newer.spoken.both_with(&list[place].spoken))
                .collect();
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        });
        Self {
            overruled: overruled.collect(),
            list,
        }
    }

    /// Whether a segment says something about a memory that a newer one knows better.
    pub(super) fn is_overruled(&self, place: usize, n: u32) -> bool {
        self.overruled[place].binary_search(&n).is_ok()
    }

    /// Whether any of what it says does not hold any more.
    pub(super) fn is_contested(&self, place: usize) -> bool {
        !self.overruled[place].is_empty()
    }

    /// Whether the words of a memory are in one of them.
    pub(in crate::store::local::search) fn have(&self, n: u32) -> bool {
        let mut newest_first = self.list.iter().rev();
        let run = newest_first.find_map(|it| it.spoken.run_of(n));
        run.is_some_and(|run| run.has_words)
    }
}

impl Segment {
    fn read(connection: &Connection, n: i64, age: i64, sum: u32) -> rusqlite::Result<Self> {
        connection
            .prepare_cached("SELECT directory FROM segments WHERE n = ?1")?
            .query_row([n], |row| {
                let bytes = row.get_ref(0)?.as_blob()?;
                let directory = (row_sum(low(n), bytes) == sum)
                    .then(|| read_directory(bytes))
                    .flatten();
                let (spoken, beginnings) = directory.ok_or_else(damaged_block)?;
                Ok(Self {
                    n,
                    age,
                    sum,
                    spoken,
                    kept: KeptBlocks::new(beginnings.len()),
                    beginnings,
                })
            })
    }

    /// Writes a new segment: the newest, or at the age of those that it replaces.
    pub(super) fn write(
        connection: &Connection,
        age: Option<i64>,
        spoken: &Spoken,
        blocks: &[Block],
    ) -> rusqlite::Result<()> {
        let (n, newest): (i64, i64) = connection
            .prepare_cached(
                "SELECT coalesce(max(n), 0) + 1, coalesce(max(age), 0) + 1 FROM segments",
            )?
            .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let age = age.unwrap_or(newest);
        let directory = write_directory(spoken, blocks);
        let sum = row_sum(low(n), &directory);
        connection
            .prepare_cached(
                "INSERT INTO segments (n, age, sum, directory) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![n, age, sum, directory])?;
        let mut statement =
            connection.prepare_cached("INSERT INTO blocks (n, sum, words) VALUES (?1, ?2, ?3)")?;
        for (key, block) in (n * BLOCKS_MAX..).zip(blocks) {
            statement.execute(params![key, row_sum(low(key), &block.bytes), block.bytes])?;
        }
        Ok(())
    }

    /// Whether it is still in the index.
    pub(super) fn is_there(&self, connection: &Connection) -> rusqlite::Result<bool> {
        connection
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM segments WHERE n = ?1 AND sum = ?2)")?
            .query_row(params![self.n, self.sum], |row| row.get(0))
    }

    /// Takes it out of the index.
    pub(super) fn remove(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection
            .prepare_cached("DELETE FROM segments WHERE n = ?1")?
            .execute([self.n])?;
        connection
            .prepare_cached("DELETE FROM blocks WHERE n >= ?1 AND n < ?2")?
            .execute([self.n * BLOCKS_MAX, (self.n + 1) * BLOCKS_MAX])?;
        Ok(())
    }

    pub(super) fn age(&self) -> i64 {
        self.age
    }

    /// Hands over the bytes of a block.
    pub(super) fn with_block<T>(
        &self,
        connection: &Connection,
        place: usize,
        look: impl FnOnce(&[u8]) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let key = self.n * BLOCKS_MAX + i64::try_from(place).unwrap_or(BLOCKS_MAX);
        connection
            .prepare_cached("SELECT sum, words FROM blocks WHERE n = ?1")?
            .query_row([key], |row| {
                let sum: u32 = row.get(0)?;
                let bytes = row.get_ref(1)?.as_blob()?;
                if row_sum(low(key), bytes) != sum {
                    return Err(damaged_block());
                }
                look(bytes)
            })
            .optional()?
            .ok_or_else(damaged_block)
    }

    /// As [`Self::with_block`]; one that was read before is not read again if there was room for it.
    pub(super) fn with_kept_block<T>(
        &self,
        connection: &Connection,
        place: usize,
        look: impl FnOnce(&[u8]) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        match self.kept.get(place) {
            Some(bytes) => look(bytes),
            None => self.with_block(connection, place, |bytes| {
                self.kept.put(place, bytes);
                look(bytes)
            }),
        }
    }

    /// The first block in which this word, or one that begins like it, may be.
    pub(super) fn first_block(&self, word: &[u8]) -> usize {
        let behind = self.beginnings.partition_point(|it| **it < *word);
        behind.saturating_sub(1)
    }
}

fn write_directory(spoken: &Spoken, blocks: &[Block]) -> Vec<u8> {
    let spoken = spoken.write();
    let mut bytes = Vec::new();
    varint::put(&mut bytes, spoken.len() as u64);
    bytes.extend(spoken);
    for block in blocks {
        varint::put(&mut bytes, block.beginning.len() as u64);
        bytes.extend_from_slice(&block.beginning);
    }
    bytes
}

fn read_directory(bytes: &[u8]) -> Option<(Spoken, Vec<Box<[u8]>>)> {
    let mut reader = Reader(bytes);
    let length = reader.small()?;
    let spoken = Spoken::read(reader.bytes(length)?)?;
    let mut beginnings = Vec::new();
    while !reader.is_at_end() {
        let length = reader.small()?;
        beginnings.push(reader.bytes(length)?.into());
    }
    Some((spoken, beginnings))
}

/// The part of a key that goes into a check.
fn low(key: i64) -> u32 {
    let [a, b, c, d, ..] = key.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}
