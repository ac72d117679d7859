//! Reading a log: records, damage, and what a crash left at its end.
//!
//! A bad line takes no other line with it: lines joined by a lost newline are
//! told apart by their checksums. A transaction counts when its commit is
//! there. Without it, it is undone at the log's end (nobody was told that it
//! was kept) but not before valid lines (a commit got lost later on).
//!
//! Invariant: a record is handed on only if it is whole and committed.

use std::io;

use sha2::{Digest, Sha256};

use super::line::{self, Checksum, Fault, Line};
use crate::store::local::disk::DiskFile;

/// How much is read first: most scans go on behind what is known and find a few lines.
const CHUNK_BYTES_MIN: usize = 32 << 10;

/// How much is read at a time from then on.
const CHUNK_BYTES: usize = 1 << 20;

/// No line is longer: the largest entry that the settings allow has 64 MiB, and
/// JSON may write each byte as `\u0000`.
const LINE_BYTES_MAX: usize = 512 << 20;

/// In a damaged line, how many beginnings and ends of records are tried.
const TRIES_MAX: usize = 64;

/// A record where it stands in the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// What it says.
    pub line: Line,
    /// Where it begins.
    pub offset: u64,
    /// How long it is, without its newline.
    pub length: u64,
    /// Which line of the file it is on; the first is 1.
    pub number: u64,
    /// Its checksum.
    pub checksum: Checksum,
}

/// Bytes that are no sound record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Where they begin.
    pub offset: u64,
    /// How many there are.
    pub length: u64,
    /// Which line of the file they are on; the first is 1.
    pub number: u64,
    /// What is wrong with them.
    pub fault: Fault,
    /// The id of the memory that they are about, if it can be read.
    pub id: Option<String>,
}

/// What a scan hands on.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "handed on at once, never stored")]
pub enum Found {
    /// A committed record.
    Record(Placed),
    /// Damage with sound records after it, or made by hand.
    Damage(Damage),
}

/// Where to begin: the beginning, or behind what is known already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The first byte.
    pub offset: u64,
    /// The number of its line; the first is 1.
    pub number: u64,
}

impl Start {
    /// The beginning of the file.
    pub const BEGINNING: Start = Start {
        offset: 0,
        number: 1,
    };
}

/// Where a log ends.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// Behind the last line that counts.
    pub start: Start,
    /// Whether that line has its newline.
    pub newline_missing: bool,
    /// What lies behind it: a torn line, or a transaction without its commit.
    pub tail: Option<Tail>,
}

/// What a crash left behind the last line that counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Tail {
    /// Where it begins.
    pub offset: u64,
    /// How many bytes there are.
    pub length: u64,
    /// How many whole lines of it are sound, but uncommitted.
    pub uncommitted: u64,
}

/// Reads a log from `start` to its end and hands on what it holds, in order.
pub fn scan<E>(
    file: &dyn DiskFile,
    start: Start,
    mut each: impl FnMut(Found) -> Result<(), E>,
) -> Result<End, Stopped<E>> {
    let mut reader = Reader::new(file, start);
    let mut fold = Fold::new(start);
    while let Some(raw) = reader.next().map_err(Stopped::Reading)? {
        for piece in pieces(&raw) {
            fold.take(piece, &mut each).map_err(Stopped::ByCaller)?;
        }
    }
    Ok(fold.end(reader.offset))
}

/// Why a scan did not come to the end.
#[derive(Debug)]
pub enum Stopped<E> {
    /// The file could not be read.
    Reading(io::Error),
    /// Whoever takes the records had enough.
    ByCaller(E),
}

/// A line as it stands in the file, without its newline.
struct RawLine {
    bytes: Vec<u8>,
    offset: u64,
    number: u64,
    has_newline: bool,
}

/// Cuts a file into lines.
struct Reader<'a> {
    file: &'a dyn DiskFile,
    buffer: Vec<u8>,
    consumed: usize,
    offset: u64,
    number: u64,
    chunk_bytes: usize,
    at_end: bool,
}

impl<'a> Reader<'a> {
    fn new(file: &'a dyn DiskFile, start: Start) -> Self {
        Self {
            file,
            buffer: Vec::new(),
            consumed: 0,
            offset: start.offset,
            number: start.number,
            chunk_bytes: CHUNK_BYTES_MIN,
            at_end: false,
        }
    }

    fn next(&mut self) -> io::Result<Option<RawLine>> {
        let mut searched = 0;
        loop {
            let rest = &self.buffer[self.consumed..];
            let newline = rest[searched..].iter().position(|byte| *byte == b'\n');
            let too_long = newline.is_none() && rest.len() > LINE_BYTES_MAX;
            if let Some(length) = newline.map(|place| searched + place) {
                return Ok(Some(self.take(length, true)));
            }
            if too_long || (self.at_end && !rest.is_empty()) {
                let length = rest.len();
                return Ok(Some(self.take(length, false)));
            }
            if self.at_end {
                return Ok(None);
            }
            searched = rest.len();
            self.fill()?;
        }
    }

    fn take(&mut self, length: usize, has_newline: bool) -> RawLine {
        let bytes = self.buffer[self.consumed..self.consumed + length].to_vec();
        let raw = RawLine {
            bytes,
            offset: self.offset,
            number: self.number,
            has_newline,
        };
        let whole = length + usize::from(has_newline);
        self.consumed += whole;
        self.offset += whole as u64;
        self.number += u64::from(has_newline);
        raw
    }

    fn fill(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.consumed);
        self.consumed = 0;
        let known = self.buffer.len();
        self.buffer.resize(known + self.chunk_bytes, 0);
        let count = self
            .file
            .read_at(&mut self.buffer[known..], self.offset + known as u64)?;
        self.buffer.truncate(known + count);
        self.at_end = count < self.chunk_bytes;
        self.chunk_bytes = CHUNK_BYTES;
        Ok(())
    }
}

/// Part of a line: a sound record, or what is between two of them.
struct Piece {
    content: Result<Placed, Damage>,
    /// Behind it, newline included.
    end: Start,
    has_newline: bool,
}

/// The records of one line: usually one; several if newlines got lost.
fn pieces(raw: &RawLine) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut from = 0;
    while from < raw.bytes.len() {
        let record = first_record(&raw.bytes[from..]);
        let begin = record
            .as_ref()
            .map_or(raw.bytes.len(), |(begin, ..)| from + begin);
        // White space says nothing and is no damage: an empty line, the return of a CRLF.
        if !raw.bytes[from..begin].trim_ascii().is_empty() {
            found.push(damaged(raw, from, begin));
        }
        let Some((_, length, line, checksum)) = record else {
            break;
        };
        let end = from + length;
        let placed = Placed {
            line,
            offset: raw.offset + begin as u64,
            length: (end - begin) as u64,
            number: raw.number,
            checksum,
        };
        found.push(piece(raw, Ok(placed), end));
        from = end;
    }
    if let Some(last) = found.last_mut() {
        last.has_newline = raw.has_newline;
        if raw.has_newline {
            last.end = Start {
                offset: raw.offset + raw.bytes.len() as u64 + 1,
                number: raw.number + 1,
            };
        }
    }
    found
}

fn piece(raw: &RawLine, content: Result<Placed, Damage>, end: usize) -> Piece {
    Piece {
        content,
        end: Start {
            offset: raw.offset + end as u64,
            number: raw.number,
        },
        has_newline: false,
    }
}

fn damaged(raw: &RawLine, from: usize, to: usize) -> Piece {
    let bytes = &raw.bytes[from..to];
    let fault = match Line::decode(bytes) {
        Err(fault) => fault,
        Ok(_) => Fault::Unreadable("it stands between others".into()),
    };
    let damage = Damage {
        offset: raw.offset + from as u64,
        length: (to - from) as u64,
        number: raw.number,
        fault,
        id: Line::decode_unchecked(bytes).and_then(|line| line.id),
    };
    piece(raw, Err(damage), to)
}

/// The first sound record in these bytes: where it begins and ends, and what it is.
fn first_record(bytes: &[u8]) -> Option<(usize, usize, Line, Checksum)> {
    // Every try hashes what it tries, so a hostile line gets only so many.
    let mut budget = bytes.len().saturating_mul(16).max(1 << 20);
    let mut decode = |begin: usize, end: usize| {
        budget = budget.checked_sub(end - begin)?;
        let (line, checksum) = Line::decode(&bytes[begin..end]).ok()?;
        Some((begin, end, line, checksum))
    };
    // Nearly always the line is one record; if newlines got lost, it begins with one.
    let ends = || line::possible_ends(bytes);
    let whole = ends().next().filter(|end| *end < bytes.len());
    if let Some(found) = whole
        .and_then(|end| decode(0, end))
        .or_else(|| decode(0, bytes.len()))
    {
        return Some(found);
    }
    // The last record of a damaged stretch ends with it, however many ends were skipped.
    for end in ends().take(TRIES_MAX).chain(ends().last()) {
        let mut begin = 0;
        for _ in 0..TRIES_MAX {
            let Some(step) = line::find(&bytes[begin..end], b"{\"") else {
                break;
            };
            begin += step;
            if let Some(found) = decode(begin, end) {
                return Some(found);
            }
            begin += 1;
        }
    }
    None
}

/// Puts transactions together.
struct Fold {
    /// Behind the last piece that counts.
    solid: Start,
    solid_has_newline: bool,
    /// What is not known to count yet, and may turn out to be the tail.
    waiting: Vec<Piece>,
    /// The transaction that the waiting records belong to.
    tx: Option<String>,
}

impl Fold {
    fn new(start: Start) -> Self {
        Self {
            solid: start,
            solid_has_newline: true,
            waiting: Vec::new(),
            tx: None,
        }
    }

    fn take<E>(
        &mut self,
        piece: Piece,
        each: &mut impl FnMut(Found) -> Result<(), E>,
    ) -> Result<(), E> {
        match &piece.content {
            Ok(placed) => match (&placed.line.tx, placed.line.op.as_deref()) {
                (None, _) => self.settle_with(piece, each),
                (Some(_), Some("commit")) if self.is_committed_by(&placed.line) => {
                    self.tx = None;
                    self.settle_with(piece, each)
                }
                (Some(tx), _) => {
                    if self.tx.as_ref().is_some_and(|open| open != tx) {
                        // Another transaction was appended behind it, so this
                        // one was committed: only its commit line is damaged.
                        self.settle(each)?;
                    }
                    self.tx = Some(tx.clone());
                    self.waiting.push(piece);
                    Ok(())
                }
            },
            // A person's edit is no torn write: what is before it counts, unless
            // it stands inside a transaction whose commit is still to come.
            Err(damage) if damage.is_by_hand() && self.tx.is_none() => {
                self.settle_with(piece, each)
            }
            Err(_) => {
                self.waiting.push(piece);
                Ok(())
            }
        }
    }

    /// Whether the transaction of this commit line was written whole.
    ///
    /// A crash can leave holes and garbage, but it takes no bytes out of the
    /// middle. So without unreadable bytes before the commit nothing is
    /// missing, except what a person took out; with them, the commit must
    /// count and sum up exactly what is there.
    fn is_committed_by(&self, commit: &Line) -> bool {
        let torn = |piece: &Piece| matches!(&piece.content, Err(damage) if !damage.is_by_hand());
        if !self.waiting.iter().any(torn) {
            return true;
        }
        let members = self
            .waiting
            .iter()
            .filter_map(|piece| piece.content.as_ref().ok());
        commit.sums_up(members.filter(|placed| placed.line.tx == commit.tx))
    }

    fn settle_with<E>(
        &mut self,
        piece: Piece,
        each: &mut impl FnMut(Found) -> Result<(), E>,
    ) -> Result<(), E> {
        self.waiting.push(piece);
        self.settle(each)
    }

    /// All that waits counts, because something that counts follows it.
    fn settle<E>(&mut self, each: &mut impl FnMut(Found) -> Result<(), E>) -> Result<(), E> {
        self.tx = None;
        for piece in self.waiting.drain(..) {
            self.solid = piece.end;
            self.solid_has_newline = piece.has_newline;
            each(match piece.content {
                Ok(placed) => Found::Record(placed),
                Err(damage) => Found::Damage(damage),
            })?;
        }
        Ok(())
    }

    fn end(self, end_of_file: u64) -> End {
        let uncommitted = self
            .waiting
            .iter()
            .filter(|piece| piece.content.is_ok())
            .count() as u64;
        let length = end_of_file - self.solid.offset;
        End {
            start: self.solid,
            newline_missing: !self.solid_has_newline,
            tail: (!self.waiting.is_empty()).then_some(Tail {
                offset: self.solid.offset,
                length,
                uncommitted,
            }),
        }
    }
}

impl Line {
    /// Whether this commit line counts exactly these lines.
    pub(crate) fn sums_up<'a>(&self, members: impl Iterator<Item = &'a Placed>) -> bool {
        let mut digest = Sha256::new();
        let mut count = 0;
        for placed in members {
            digest.update(placed.checksum);
            count += 1;
        }
        let stated = self
            .digest
            .as_deref()
            .and_then(|text| text.strip_prefix("sha256:"));
        self.count == Some(count)
            && stated.map(str::as_bytes) == Some(&line::hex(&digest.finalize().into())[..])
    }
}

impl Damage {
    /// Whether it reads like a record that a person edited or added.
    pub fn is_by_hand(&self) -> bool {
        matches!(self.fault, Fault::Changed | Fault::Unsigned)
    }

    /// What is wrong, in a sentence for a person.
    pub fn sentence(&self) -> String {
        match &self.fault {
            Fault::Unreadable(problem) => format!("the line can't be read: {problem}"),
            Fault::Unsigned => "the line has no checksum: it was added by hand; `mnemon repair \
                                --accept-edits` takes it as it is"
                .into(),
            Fault::Changed => "the line does not match its checksum: it was edited by hand or \
                               damaged; `mnemon repair --accept-edits` takes it as it is, `mnemon \
                               repair` sets it aside"
                .into(),
        }
    }
}
