//! Logs are damaged at every byte and cut at every length: what was not
//! touched is found unchanged, and nothing is found that was not written.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test stops at what it did not expect, and says how much it checked"
)]

mod every_byte;
mod special_lines;
mod whole_store;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mnemon::store::Store;
use mnemon::store::local::disk::Disk;
use mnemon::store::local::log::line::Line;
use mnemon::store::local::log::scan::{self, Damage, End, Found, Placed, Start};
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon_testkit::disk::{Bytes, CrashDisk};
use mnemon_testkit::workload::{
    Snapshot, add, batch, create_session, forget, restore, revise, space,
};

const ROOT: &str = "/store";

fn options() -> LocalOptions {
    LocalOptions {
        index_in_memory: true,
        write_attempts: 1,
        ..LocalOptions::default()
    }
}

fn open(disk: &CrashDisk) -> LocalStore {
    LocalStore::create_on(Arc::new(disk.clone()), Path::new(ROOT), options()).unwrap()
}

/// A store with one log of this many bytes or a little more, made by writing
/// single lines, transactions, updates and deletes; the last lines are single.
fn store_of(bytes_min: usize) -> CrashDisk {
    let disk = CrashDisk::default();
    let store = open(&disk);
    let session = space("session/s1");
    let mut now = 0;
    let mut write = |writes| {
        now += 1;
        store.commit(batch(&session, now, writes)).unwrap();
    };
    write(vec![create_session()]);
    let mut round = 0;
    while log(&disk).len() < bytes_min {
        round += 1;
        let id = |name: &str| format!("{name}{round}");
        write(vec![add(
            &id("single"),
            "a single line, \"quoted\" and \u{1F9E0}",
        )]);
        write(vec![
            add(&id("first"), "the first of three"),
            add(&id("second"), "the second of three"),
            revise(&id("single"), "a single line, revised"),
        ]);
        write(vec![forget(&id("second"))]);
        if round % 2 == 0 {
            write(vec![restore(&id("second"))]);
        }
        write(vec![revise(&id("first"), "the first, revised")]);
    }
    write(vec![add("last1", "a single line at the end")]);
    write(vec![add("last2", "and another one")]);
    disk
}

fn log_path() -> PathBuf {
    Path::new(ROOT).join("sessions/s1/memory.jsonl")
}

fn log(disk: &CrashDisk) -> Vec<u8> {
    disk.files().remove(&log_path()).unwrap_or_default()
}

/// All that a scan finds.
struct Scanned {
    records: Vec<Placed>,
    damage: Vec<Damage>,
    end: End,
}

fn scan(bytes: Vec<u8>) -> Scanned {
    let mut records = Vec::new();
    let mut damage = Vec::new();
    let end = scan::scan::<io::Error>(&Bytes(bytes), Start::BEGINNING, |found| {
        match found {
            Found::Record(placed) => records.push(placed),
            Found::Damage(found) => damage.push(found),
        }
        Ok(())
    });
    Scanned {
        records,
        damage,
        end: end.unwrap(),
    }
}

impl Scanned {
    fn ids(&self) -> Vec<&str> {
        self.records
            .iter()
            .filter_map(|placed| placed.line.id.as_deref())
            .collect()
    }
}

/// A copy of a store with another log.
fn with_log(disk: &CrashDisk, bytes: &[u8]) -> CrashDisk {
    let copy = disk.copy();
    let file = copy.open_write(&log_path()).unwrap();
    file.truncate(0).unwrap();
    file.write_at(bytes, 0).unwrap();
    copy
}
