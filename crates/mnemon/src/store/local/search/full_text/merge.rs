//! Several segments become one: whoever looks a word up has fewer to ask.

use std::ops::Range;
use std::sync::Arc;

use rusqlite::Connection;

use super::block::{Block, Blocks, Entries, damaged_block};
use super::list::List;
use super::segment::{Segment, Segments};
use super::spoken::Spoken;

/// So many segments of about the same size become one.
const TOGETHER: usize = 8;

/// Memories in a segment of the smallest size.
const SMALLEST: u32 = 128;

/// More than this are not merged while somebody waits: a few hundredths of a second.
const MERGED_AT_ONCE: u32 = 16_384;

/// More than this are never merged, so that nobody holds the lock for long.
const MERGED_MAX: u32 = 32_768;

/// Merges the newest segments if there are enough of about the same size.
pub(in crate::store::local::search) fn merge_if_due(
    connection: &Connection,
) -> rusqlite::Result<()> {
    let mut segments = Segments::read(connection, &Segments::default())?;
    while let Some(run) = due(&segments) {
        merge(connection, &segments, run)?;
        segments = Segments::read(connection, &segments)?;
    }
    Ok(())
}

/// The newest segments of about the same size, if there are enough of them.
fn due(segments: &Segments) -> Option<Range<usize>> {
    let sizes: Vec<u32> = segments.list.iter().map(|it| it.spoken.count()).collect();
    let mut end = sizes.len();
    while end > 0 {
        let alike = sizes[..end].iter().rev();
        let own = level(sizes[end - 1]);
        let alike = alike.take_while(|size| level(**size) == own);
        let count = alike.clone().count();
        if count >= TOGETHER {
            let mut memories = 0;
            let fitting = alike.take_while(|size| {
                memories += **size;
                memories <= MERGED_AT_ONCE
            });
            let run = end - fitting.count()..end;
            return (run.len() > 1).then_some(run);
        }
        end -= count;
    }
    None
}

fn level(memories: u32) -> u32 {
    (memories / SMALLEST).max(1).ilog2() / TOGETHER.ilog2()
}

/// Merges the oldest segments that may be one; false if there are none.
pub(in crate::store::local) fn merge_a_piece(connection: &Connection) -> rusqlite::Result<bool> {
    let segments = Segments::read(connection, &Segments::default())?;
    let sizes: Vec<u32> = segments.list.iter().map(|it| it.spoken.count()).collect();
    let run_from = |begin: usize| {
        let mut memories = 0;
        let fitting = sizes[begin..].iter().take_while(|size| {
            memories += **size;
            memories <= MERGED_MAX
        });
        begin..begin + fitting.count()
    };
    let mut runs = (0..sizes.len()).map(run_from);
    let Some(run) = runs.find(|run| run.len() > 1) else {
        return Ok(false);
    };
    merge(connection, &segments, run)?;
    Ok(true)
}

/// Writes every segment anew that has words of memories which were taken out since.
pub(in crate::store::local) fn scrub(connection: &Connection) -> rusqlite::Result<()> {
    loop {
        let segments = Segments::read(connection, &Segments::default())?;
        let mut places = 0..segments.list.len();
        match places.find(|place| segments.is_contested(*place)) {
            Some(place) => merge(connection, &segments, place..place + 1)?,
            None => return Ok(()),
        }
    }
}

/// Replaces some segments that follow each other by one that says the same.
fn merge(connection: &Connection, segments: &Segments, run: Range<usize>) -> rusqlite::Result<()> {
    Merge::of(connection, segments, run)?.put(connection)?;
    Ok(())
}

/// A segment that says what some others say, which it is to replace.
///
/// Segments never change, so it can be made while others write: what is newer
/// overrules it as it did those before.
#[derive(Debug)]
pub(in crate::store::local) struct Merge {
    merged: Vec<Arc<Segment>>,
    spoken: Spoken,
    blocks: Vec<Block>,
}

impl Merge {
    /// What is to be merged next, if anything is.
    pub(in crate::store::local) fn due(connection: &Connection) -> rusqlite::Result<Option<Self>> {
        let segments = Segments::read(connection, &Segments::default())?;
        let run = due(&segments);
        run.map(|run| Self::of(connection, &segments, run))
            .transpose()
    }

    fn of(
        connection: &Connection,
        segments: &Segments,
        run: Range<usize>,
    ) -> rusqlite::Result<Self> {
        let merged = &segments.list[run.clone()];
        // Where nothing older is left, nobody has to be told that it is wrong.
        let is_oldest = run.start == 0;
        let mut spoken = Vec::new();
        for (place, segment) in run.clone().zip(merged) {
            for own in segment.spoken.runs() {
                let numbers = (own.first..=own.last).filter(|n| !segments.is_overruled(place, *n));
                let own = numbers.map(|n| (n, own.has_words));
                spoken.extend(own.filter(|(_, has_words)| *has_words || !is_oldest));
            }
        }
        Ok(Self {
            merged: merged.to_vec(),
            spoken: Spoken::of(&mut spoken),
            blocks: merged_blocks(connection, segments, run)?,
        })
    }

    /// Puts it into the place of the others; false if one of them is gone.
    pub(in crate::store::local) fn put(self, connection: &Connection) -> rusqlite::Result<bool> {
        for segment in &self.merged {
            if !segment.is_there(connection)? {
                return Ok(false);
            }
        }
        let Some(newest) = self.merged.last() else {
            return Ok(false);
        };
        // First, so that it gets a number that none had: what others know of segments, they know by number.
        if !self.spoken.runs().is_empty() {
            Segment::write(connection, Some(newest.age()), &self.spoken, &self.blocks)?;
        }
        for segment in &self.merged {
            segment.remove(connection)?;
        }
        // Whoever knows the segments has to look again.
        connection
            .prepare_cached("UPDATE search SET stamp = stamp + 1")?
            .execute([])?;
        Ok(true)
    }
}

fn merged_blocks(
    connection: &Connection,
    segments: &Segments,
    run: Range<usize>,
) -> rusqlite::Result<Vec<Block>> {
    let mut cursors = Vec::new();
    for place in run {
        let segment = segments.list[place].clone();
        cursors.extend(Cursor::begin(connection, segment, place)?);
    }
    let mut blocks = Blocks::default();
    let mut word = Vec::new();
    let mut list = List::default();
    let mut own = List::default();
    while let Some(first) = cursors.iter().map(Cursor::word).min() {
        word.clear();
        word.extend_from_slice(first);
        list.clear();
        let mut place = 0;
        while place < cursors.len() {
            let cursor = &mut cursors[place];
            let mut is_over = false;
            while !is_over && cursor.word() == word {
                cursor.read(segments, &mut own, &mut list)?;
                is_over = !cursor.advance(connection)?;
            }
            if is_over {
                cursors.remove(place);
            } else {
                place += 1;
            }
        }
        list.sort();
        let memories: Vec<(u32, &[u32])> = list.iter().collect();
        blocks.push(&word, memories.iter().copied());
    }
    Ok(blocks.finish())
}

/// Walks through the words of a segment.
struct Cursor {
    segment: Arc<Segment>,
    /// Its place among the segments.
    place: usize,
    block: Vec<u8>,
    next_block: usize,
    /// Where it is in the block.
    entries: Entries,
    list: Range<usize>,
}

impl Cursor {
    /// At the first word; none if there is none.
    fn begin(
        connection: &Connection,
        segment: Arc<Segment>,
        place: usize,
    ) -> rusqlite::Result<Option<Self>> {
        let mut cursor = Self {
            segment,
            place,
            block: Vec::new(),
            next_block: 0,
            entries: Entries::default(),
            list: 0..0,
        };
        Ok(cursor.advance(connection)?.then_some(cursor))
    }

    fn word(&self) -> &[u8] {
        &self.entries.word
    }

    /// Goes on to the next word; false if there is none.
    fn advance(&mut self, connection: &Connection) -> rusqlite::Result<bool> {
        loop {
            if let Some(list) = self.entries.next(&self.block)? {
                self.list = list;
                return Ok(true);
            }
            if self.next_block == self.segment.beginnings.len() {
                return Ok(false);
            }
            let block = &mut self.block;
            self.segment
                .with_block(connection, self.next_block, |bytes| {
                    block.clear();
                    block.extend_from_slice(bytes);
                    Ok(())
                })?;
            self.next_block += 1;
            self.entries = Entries::default();
        }
    }

    /// Adds what still holds of the current list.
    fn read(&self, segments: &Segments, own: &mut List, all: &mut List) -> rusqlite::Result<()> {
        let bytes = &self.block[self.list.clone()];
        if !segments.is_contested(self.place) {
            return all.read(bytes).ok_or_else(damaged_block);
        }
        own.clear();
        own.read(bytes).ok_or_else(damaged_block)?;
        for (n, places) in own.iter() {
            if !segments.is_overruled(self.place, n) {
                all.push(n, places);
            }
        }
        Ok(())
    }
}
