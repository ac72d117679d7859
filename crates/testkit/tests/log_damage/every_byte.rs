//! Every byte changed, every length cut, as a scan sees it.

use crate::*;

/// Lines that count together: a single one, or a transaction with its commit.
/// Given as the range of their numbers in a scan of the sound log.
fn units_of(records: &[Placed]) -> Vec<std::ops::Range<usize>> {
    let mut units = Vec::new();
    let mut begin = 0;
    for (number, placed) in records.iter().enumerate() {
        let is_commit = placed.line.op.as_deref() == Some("commit");
        if placed.line.tx.is_none() || is_commit {
            units.push(begin..number + 1);
            begin = number + 1;
        }
    }
    units
}

/// A sound log, and the stretch of it around any byte that a scan depends on.
struct Log {
    bytes: Vec<u8>,
    records: Vec<Placed>,
    units: Vec<std::ops::Range<usize>>,
}

impl Log {
    fn new(bytes: Vec<u8>) -> Self {
        let scanned = scan(bytes.clone());
        assert!(scanned.damage.is_empty() && scanned.end.tail.is_none());
        Self {
            units: units_of(&scanned.records),
            records: scanned.records,
            bytes,
        }
    }

    /// The unit that a byte is in.
    fn unit_of(&self, offset: usize) -> usize {
        let after = self
            .units
            .partition_point(|unit| self.end_of(unit.end - 1) <= offset);
        after.min(self.units.len() - 1)
    }

    /// Behind a record and its newline.
    fn end_of(&self, record: usize) -> usize {
        let placed = &self.records[record];
        usize::try_from(placed.offset + placed.length).unwrap() + 1
    }

    fn begin_of(&self, record: usize) -> usize {
        usize::try_from(self.records[record].offset).unwrap()
    }

    /// From the unit before a byte to the second single line behind it: a log
    /// in itself, because units don't depend on those before them.
    fn around(&self, offset: usize) -> std::ops::Range<usize> {
        let unit = self.unit_of(offset);
        let singles = self.units[unit + 1..].iter().filter(|unit| unit.len() == 1);
        let last = singles.take(2).last().unwrap_or(&self.units[unit]);
        self.units[unit.saturating_sub(1)].start..last.end
    }

    fn window(&self, records: &std::ops::Range<usize>) -> (usize, Vec<u8>) {
        let begin = self.begin_of(records.start);
        let end = self.end_of(records.end - 1);
        (begin, self.bytes[begin..end].to_vec())
    }
}

/// Checks that all records but the touched one are found where they were, and no other.
fn check_found(found: &[Placed], expected: &[Placed], begin: usize, touched: usize, context: &str) {
    let touched = touched as u64;
    let mut found = found.iter().peekable();
    for wanted in expected {
        let is_touched = (wanted.offset..wanted.offset + wanted.length).contains(&touched);
        let is_next = found.peek().is_some_and(|placed| {
            placed.offset + begin as u64 == wanted.offset
                && placed.length == wanted.length
                && placed.line == wanted.line
                && placed.checksum == wanted.checksum
        });
        assert!(
            is_next || is_touched,
            "{context}: line {} is lost",
            wanted.number
        );
        if is_next {
            found.next();
        }
    }
    assert_eq!(found.next(), None, "{context}: invented");
}

#[test]
fn one_changed_byte_anywhere_harms_no_other_line() {
    let log = Log::new(log(&store_of(64 << 10)));
    assert!(log.bytes.len() >= 64 << 10);
    let mut checked = 0_u64;
    for offset in 0..log.bytes.len() {
        let around = log.around(offset);
        let (begin, window) = log.window(&around);
        let old = log.bytes[offset];
        let mut changes = vec![old ^ 0x01, old ^ 0x80, !old, 0, b'\n', b'"', b'{'];
        changes.retain(|new| *new != old);
        for new in changes {
            let mut bytes = window.clone();
            bytes[offset - begin] = new;
            let found = scan(bytes).records;
            let context = format!("byte {offset} is {new:#04x}");
            check_found(
                &found,
                &log.records[around.clone()],
                begin,
                offset,
                &context,
            );
            checked += 1;
        }
        if offset % 251 == 0 {
            let mut bytes = log.bytes.clone();
            bytes[offset] ^= 0x04;
            let context = format!("byte {offset} in the whole log");
            check_found(&scan(bytes).records, &log.records, 0, offset, &context);
        }
    }
    println!("{checked} changed bytes at {} offsets", log.bytes.len());
}

#[test]
fn a_log_cut_at_any_length_keeps_every_whole_line_and_committed_transaction() {
    let log = Log::new(log(&store_of(64 << 10)));
    for length in 0..=log.bytes.len() {
        let unit = log.unit_of(length);
        let first = log.units[unit.saturating_sub(1)].start;
        let begin = log.begin_of(first);
        let found = scan(log.bytes[begin..length].to_vec());
        // The last line counts without its newline, and so does a commit.
        let mut whole = log.units[unit.saturating_sub(1)..=unit]
            .iter()
            .filter(|unit| log.end_of(unit.end - 1) - 1 <= length);
        let expected = whole.next_back().map_or(first, |unit| unit.end);
        let context = format!("cut to {length} bytes");
        check_found(
            &found.records,
            &log.records[first..expected],
            begin,
            usize::MAX,
            &context,
        );
        assert!(found.damage.is_empty(), "{context}: {:?}", found.damage);
        let end = if expected == first {
            begin
        } else {
            log.end_of(expected - 1)
        };
        let tail = found.end.tail.map_or(0, |tail| tail.length);
        assert_eq!(tail, length.saturating_sub(end) as u64, "{context}");
    }
    println!("cut at {} lengths", log.bytes.len() + 1);
}
