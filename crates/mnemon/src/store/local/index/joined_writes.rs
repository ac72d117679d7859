//! SQLite's write-ahead log, written transaction by transaction instead of page by page.
//!
//! SQLite writes each page of a transaction with two calls, one of them for a
//! head of 24 bytes: a memory changes five pages, a group of writers fifteen.
//! Each call costs more than its bytes do. So SQLite gets its files through a
//! [`layer`] of ours, which gathers what a commit writes to the log and writes
//! it when the last page comes, whose head says so.
//!
//! Invariant: nothing is gathered outside of [`commit`], and before SQLite
//! tells anybody of the pages, they are in the file.

mod layer;

use std::cell::RefCell;

pub(super) use layer::layer;

/// The head of a page in the log: nothing else that is written has this length. Only in that of
/// the last page of a transaction there are other bytes than zeros here.
const HEAD_BYTES: usize = 24;
const SAYS_LAST: std::ops::Range<usize> = 4..8;

/// More than this is not gathered: large transactions need not be in memory twice.
const GATHERED_MAX: usize = 256 << 10;

thread_local! {
    /// What the commit of this thread has gathered; none while there is no commit, and from its
    /// last page on.
    static GATHERED: RefCell<Option<Gathered>> = const { RefCell::new(None) };
}

/// Bytes on their way to one place of a log.
#[derive(Debug, Default)]
struct Gathered {
    /// Which log, by its address.
    log: usize,
    offset: u64,
    bytes: Vec<u8>,
    /// Whether the page that comes next is the last one.
    is_last_next: bool,
}

/// Commits: what this writes to the log is gathered.
pub(super) fn commit<T>(committing: impl FnOnce() -> T) -> T {
    /// Whatever is left then belongs to a commit that failed.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            now(|now| drop(now.take()));
        }
    }
    now(|now| {
        debug_assert!(now.is_none(), "a commit within a commit");
        *now = Some(Gathered::default());
    });
    let _end = End;
    committing()
}

/// Does something with what the commit of this thread has gathered; with nothing if the thread
/// is about to end, and may still close an index.
fn now<T>(work: impl FnOnce(&mut Option<Gathered>) -> T) -> T {
    let mut work = Some(work);
    let mut once = |now: &mut Option<Gathered>| work.take().map(|work| work(now));
    let done = GATHERED.try_with(|gathered| once(&mut gathered.borrow_mut()));
    let done = done.unwrap_or_else(|_| once(&mut None));
    done.expect("it is done once")
}

/// Takes a write to a log, and gives to `put` what is to be written now.
fn take<E>(
    log: usize,
    bytes: &[u8],
    offset: u64,
    mut put: impl FnMut(&[u8], u64) -> Result<(), E>,
) -> Result<(), E> {
    now(|now| match now {
        Some(gathered) if gathered.is_of(log) => {
            if gathered.end() != offset {
                gathered.put(&mut put)?;
            }
            if gathered.add(log, bytes, offset) {
                // What comes behind the last page is about pages that are there.
                let mut last = now.take().unwrap_or_default();
                return last.put(&mut put);
            }
            if gathered.bytes.len() >= GATHERED_MAX {
                gathered.put(&mut put)?;
            }
            Ok(())
        }
        _ => put(bytes, offset),
    })
}

/// Puts what was gathered for a log where it belongs, before something else is done with it.
fn settle<E>(log: usize, put: impl FnMut(&[u8], u64) -> Result<(), E>) -> Result<(), E> {
    now(|now| match now {
        Some(gathered) if gathered.is_of(log) => gathered.put(put),
        _ => Ok(()),
    })
}

impl Gathered {
    /// Whether it takes writes to this log.
    fn is_of(&self, log: usize) -> bool {
        self.bytes.is_empty() || self.log == log
    }

    fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }

    /// Adds bytes behind those that are there; whether that was the last page.
    fn add(&mut self, log: usize, bytes: &[u8], offset: u64) -> bool {
        if self.bytes.is_empty() {
            (self.log, self.offset) = (log, offset);
        }
        self.bytes.extend_from_slice(bytes);
        let is_last = self.is_last_next;
        self.is_last_next = bytes.len() == HEAD_BYTES && bytes[SAYS_LAST] != [0; 4];
        is_last
    }

    /// What can't be put is dropped: then the commit fails.
    fn put<E>(&mut self, mut put: impl FnMut(&[u8], u64) -> Result<(), E>) -> Result<(), E> {
        let bytes = std::mem::take(&mut self.bytes);
        if bytes.is_empty() {
            return Ok(());
        }
        put(&bytes, self.offset)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{open_file, run};
    use super::*;

    const PAGE: [u8; 64] = [7; 64];

    fn head(pages: u8) -> [u8; HEAD_BYTES] {
        let mut head = [1; HEAD_BYTES];
        head[SAYS_LAST].copy_from_slice(&[0, 0, 0, pages]);
        head
    }

    /// Writes of a log, each with its place, as they reach the file.
    #[derive(Default)]
    struct Log(Vec<(u64, Vec<u8>)>);

    impl Log {
        fn write(&mut self, bytes: &[u8], offset: u64) {
            let put = |bytes: &[u8], offset| {
                self.0.push((offset, bytes.to_vec()));
                Ok::<(), ()>(())
            };
            take(1, bytes, offset, put).unwrap();
        }

        /// A page of a transaction; the last one says how many there are.
        fn write_page(&mut self, offset: u64, pages: u8) {
            self.write(&head(pages), offset);
            self.write(&PAGE, offset + HEAD_BYTES as u64);
        }

        fn lengths(&self) -> Vec<(u64, usize)> {
            let length = |(offset, bytes): &(u64, Vec<u8>)| (*offset, bytes.len());
            self.0.iter().map(length).collect()
        }
    }

    #[test]
    fn the_pages_of_a_commit_are_written_with_the_last_one() {
        let mut log = Log::default();
        commit(|| {
            log.write_page(32, 0);
            log.write_page(120, 0);
            assert_eq!(log.lengths(), []);
            log.write_page(208, 9);
            assert_eq!(log.lengths(), [(32, 3 * 88)]);
            let page = [head(0).to_vec(), PAGE.to_vec()].concat();
            let last = [head(9).to_vec(), PAGE.to_vec()].concat();
            assert_eq!(log.0[0].1, [&*page, &page, &last].concat());
        });
        assert_eq!(log.0.len(), 1);
    }

    #[test]
    fn outside_of_a_commit_and_behind_its_last_page_nothing_waits() {
        let mut log = Log::default();
        log.write(&head(0), 32);
        assert_eq!(log.lengths(), [(32, HEAD_BYTES)]);
        commit(|| log.write_page(32, 1));
        // Heads that are written once more.
        commit(|| {
            log.write_page(32, 1);
            log.write(&head(0), 208);
            log.write(&head(1), 120);
        });
        assert_eq!(log.lengths()[3..], [(208, HEAD_BYTES), (120, HEAD_BYTES)]);
    }

    #[test]
    fn what_goes_elsewhere_comes_behind_what_was_before() {
        let mut log = Log::default();
        commit(|| {
            log.write_page(1000, 0);
            // A page that the same transaction wrote before.
            log.write(&PAGE, 56);
            log.write_page(1088, 4);
        });
        assert_eq!(log.lengths(), [(1000, 88), (56, 64), (1088, 88)]);
    }

    #[test]
    fn what_is_asked_of_the_log_finds_what_was_written() {
        let mut log = Log::default();
        commit(|| {
            log.write_page(32, 0);
            let put = |bytes: &[u8], offset| {
                log.0.push((offset, bytes.to_vec()));
                Ok::<(), ()>(())
            };
            settle(1, put).unwrap();
            assert_eq!(log.lengths(), [(32, 88)]);
            log.write_page(120, 2);
        });
        assert_eq!(log.lengths(), [(32, 88), (120, 88)]);
    }

    #[test]
    fn another_log_is_none_of_its_business() {
        let mut log = Log::default();
        commit(|| {
            log.write(&head(0), 32);
            let mut other = Vec::new();
            let put = |bytes: &[u8], offset| {
                other.push((offset, bytes.len()));
                Ok::<(), ()>(())
            };
            take(2, &PAGE, 500, put).unwrap();
            assert_eq!(other, [(500, PAGE.len())]);
            log.write(&PAGE, 56);
            log.write_page(120, 2);
        });
        assert_eq!(log.lengths(), [(32, 2 * 88)]);
    }

    #[test]
    fn large_transactions_are_written_in_pieces() {
        let mut log = Log::default();
        let page = vec![7; 4096];
        let mut offset = 32;
        commit(|| {
            for number in 1..=100 {
                log.write(&head(number / 100), offset);
                log.write(&page, offset + HEAD_BYTES as u64);
                offset += 4120;
            }
        });
        let lengths = log.lengths();
        assert_eq!(lengths.len(), 2);
        assert_eq!(lengths[0].1 + lengths[1].1, 100 * 4120);
        assert_eq!(lengths[1].0, 32 + lengths[0].1 as u64);
    }

    #[test]
    fn sqlite_finds_what_went_through_the_layer() {
        const INSERT: &str = "INSERT INTO shelves (source, session, folded, trashed, device, inode,
            size, modified, lines, forgetful) VALUES (?1, '', '', 0, 0, 0, 0, 0, 0, 0)";
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.sqlite");
        let write = open_file(&path, Arc::default()).unwrap();
        // SQLite's own file system reads what ours wrote.
        let read = rusqlite::Connection::open(&path).unwrap();
        let count = |connection: &rusqlite::Connection| -> i64 {
            let number = |sql| connection.query_row(sql, [], |row| row.get(0));
            let whole: String = connection
                .query_row("PRAGMA integrity_check", [], |row| row.get(0))
                .unwrap();
            assert_eq!(whole, "ok");
            number("SELECT count(*) FROM shelves WHERE lines = 1").unwrap()
        };
        let mut kept = 0;
        // From some pages to a thousand: less than is gathered, more than that, and, with room
        // for ten pages, some that SQLite writes before the commit and writes again with it.
        for (rows, room) in [(1, 2000), (40, 2000), (1000, 2000), (1000, 10)] {
            write.pragma_update(None, "cache_size", room).unwrap();
            run(&write, "BEGIN IMMEDIATE").unwrap();
            for row in 0..rows {
                let source = format!("{kept}-{row}-{}", "x".repeat(4000));
                write.execute(INSERT, [source]).unwrap();
            }
            write.execute("UPDATE shelves SET lines = 1", []).unwrap();
            super::super::commit(&write).unwrap();
            kept += rows;
            assert_eq!(count(&read), kept);
            // As after a power cut: what the log says counts if its checksums are right.
            let copies = tempfile::tempdir().unwrap();
            let copy = copies.path().join("x.sqlite");
            std::fs::copy(&path, &copy).unwrap();
            let log = |path: &std::path::Path| path.with_file_name("x.sqlite-wal");
            std::fs::copy(log(&path), log(&copy)).unwrap();
            assert_eq!(count(&rusqlite::Connection::open(&copy).unwrap()), kept);
        }
    }

    #[test]
    fn an_index_can_be_closed_by_a_thread_that_ends() {
        struct Closed(rusqlite::Connection);
        impl Drop for Closed {
            fn drop(&mut self) {
                super::super::tidy(&self.0).unwrap();
            }
        }
        thread_local! {
            static KEPT: RefCell<Option<Closed>> = const { RefCell::new(None) };
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.sqlite");
        let closing = || {
            // Kept before anything is gathered, so that it is dropped after that.
            KEPT.set(None);
            let connection = open_file(&path, Arc::default()).unwrap();
            run(&connection, "BEGIN IMMEDIATE").unwrap();
            connection.execute("UPDATE filed SET upto = 7", []).unwrap();
            super::super::commit(&connection).unwrap();
            KEPT.set(Some(Closed(connection)));
        };
        std::thread::scope(|scope| scope.spawn(closing).join()).unwrap();
        let wal = std::fs::metadata(path.with_file_name("x.sqlite-wal"));
        assert_eq!(wal.map_or(0, |wal| wal.len()), 0, "it was emptied");
        let again = open_file(&path, Arc::default()).unwrap();
        let upto: i64 = again
            .query_row("SELECT upto FROM filed", [], |row| row.get(0))
            .unwrap();
        assert_eq!(upto, 7);
    }

    #[test]
    fn a_commit_that_fails_leaves_nothing() {
        let mut log = Log::default();
        commit(|| log.write_page(32, 0));
        commit(|| log.write_page(32, 5));
        assert_eq!(log.lengths(), [(32, 88)]);
        let full = commit(|| {
            take(1, &head(3), 32, |_, _| Err(())).unwrap();
            take(1, &PAGE, 56, |_, _| Err(()))
        });
        assert_eq!(full, Err(()));
        commit(|| log.write_page(32, 5));
        assert_eq!(log.lengths(), [(32, 88), (32, 88)]);
    }
}
