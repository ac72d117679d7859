//! Sealed lines that somebody altered or swapped, and signed again.

use super::*;
use crate::memory::{Draft, Kind, Reference};
use crate::seal::{Ring, Secret, Source};
use crate::store::local::log::line::Line;
use crate::store::local::log::record::Record;
use crate::store::local::{LocalOptions, LocalStore};
use crate::store::{Batch, OnFull, Store, Write};

const KEY: &str = "bW5lbW9uIHRlc3RzIHVzZSB0aGlzIGtleSBvbmx5ISE=";

/// A store with a ring, and the lines of these sealed memories in two spaces.
fn sealed_lines(store: &LocalStore) -> Vec<Line> {
    let master = Source::Text(Secret::new(KEY.into())).master(None).unwrap();
    store
        .change_ring(&mut |_| Ok(Ring::new(&master, None)))
        .unwrap();
    let mut lines = Vec::new();
    for space in ["shared", "agent/a"] {
        let space: Space = space.parse().unwrap();
        let adds = (0..5).map(|number| {
            let mut draft = Draft::new(Kind::Fact, format!("secret {number}").parse().unwrap());
            draft.sensitive = true;
            draft.author = Some("ann".parse().unwrap());
            Write::Add {
                id: format!("{}{number}", &space.to_string()[..1])
                    .parse()
                    .unwrap(),
                draft: Box::new(draft),
            }
        });
        let batch = Batch {
            space: space.clone(),
            by: "ann".into(),
            now: "2026-01-10T12:00:00Z".parse().unwrap(),
            writes: adds.collect(),
            limits: crate::memory::Limits {
                session_entry_bytes_max: 1 << 20,
                long_term_entry_bytes_max: 1 << 20,
            },
            quota_bytes: None,
            on_full: OnFull::Refuse,
        };
        store.commit(batch).unwrap();
        let log = std::fs::read_to_string(store.log_path(&space)).unwrap();
        let read = log
            .lines()
            .map(|line| Line::decode(line.as_bytes()).unwrap().0);
        lines.extend(read.filter(|line| line.sealed.is_some()));
    }
    lines
}

fn store(root: &std::path::Path) -> LocalStore {
    let source = Source::Text(Secret::new(KEY.into()));
    let options = LocalOptions {
        keyring: Arc::new(Keyring::new(vec![source], false)),
        ..LocalOptions::default()
    };
    LocalStore::create(root, options).unwrap()
}

/// The memory of a line as its reader gets it; none if the line makes no sense.
fn read(store: &LocalStore, line: Line) -> Option<Memory> {
    match Record::read(line) {
        Ok(Record::Add(memory) | Record::Update { memory, .. }) => {
            Some(store.keys.open(*memory).unwrap())
        }
        _ => None,
    }
}

#[test]
fn ten_thousand_flipped_bits_open_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let lines = sealed_lines(&store);
    let sound: Vec<Memory> = lines
        .iter()
        .map(|line| read(&store, line.clone()).unwrap())
        .collect();
    assert!(sound.iter().all(|memory| memory.closed().is_none()));
    let (mut tried, mut opened) = (0, 0);
    let mut state: u64 = 7;
    while tried < 10_000 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let which = usize::try_from(state >> 60).unwrap() % lines.len();
        let mut bytes = lines[which].encode().0;
        bytes.pop();
        let bit = usize::try_from(state >> 20).unwrap() % ((bytes.len() - 86) * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        tried += 1;
        // Whoever alters a line can sign it again.
        let Some(altered) = Line::decode_unchecked(&bytes) else {
            continue;
        };
        let Some(memory) = read(&store, altered) else {
            continue;
        };
        if memory.closed().is_none() && memory.is_sealed() {
            opened += 1;
            // The times and the id of a transaction are not what it says.
            let own = Memory {
                created_at: sound[which].created_at,
                recorded_at: sound[which].recorded_at,
                updated_at: sound[which].updated_at,
                handle: None,
                ..memory.clone()
            };
            assert_eq!(own, sound[which], "bit {bit} of line {which}");
        }
    }
    assert!(opened < tried / 2, "{opened} of {tried}");
}

#[test]
fn nothing_opens_in_the_place_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let lines = sealed_lines(&store);
    for (to, line) in lines.iter().enumerate() {
        for (from, other) in lines.iter().enumerate() {
            let swapped = Line {
                sealed: other.sealed.clone(),
                ..line.clone()
            };
            let memory = read(&store, swapped).unwrap();
            assert_eq!(memory.closed().is_none(), from == to, "{from} in {to}");
        }
        let older = Line {
            version: Some(2),
            ..line.clone()
        };
        assert!(read(&store, older).unwrap().closed().is_some());
    }
    let reference = Reference::Id("s0".parse().unwrap());
    let found = store.find(&reference).unwrap().unwrap();
    assert_eq!(found.text.as_str(), "secret 0");
}
