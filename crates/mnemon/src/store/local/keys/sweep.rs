//! Sealing what was kept in the clear, as if it always had been sealed.
//!
//! Logs are written anew with the same lines, sealed, and the index is built
//! anew, because SQLite leaves words in its files. A crash leaves logs that
//! are done and logs that are not; the next sweep goes on.

use std::collections::HashSet;

use crate::error::{Error, Result};
use crate::memory::{Memory, Space};
use crate::store::Erased;
use crate::store::local::LocalStore;
use crate::store::local::index::read;
use crate::store::local::log::line::Line;
use crate::store::local::log::record::Record;
use crate::store::local::log::scan::{self, Found, Start, Stopped};
use crate::store::local::rewrite::{Piece, Verdict};

impl LocalStore {
    /// Seals lines that are to be and are not; of how many memories.
    pub(in crate::store::local) fn seal_clear_lines(&self) -> Result<u64> {
        let mut sealed = 0;
        for space in self.spaces()? {
            let clear = self.clear_in(&space)?;
            // A short log stands for an archived session, and quotes nothing that is sealed.
            if clear.is_empty() || self.is_archived(&space)? {
                continue;
            }
            let held = self.lock.acquire("make a key")?;
            self.keys.make_key(&space)?;
            drop(held);
            self.rewrite(&space, &mut |piece, _| self.sealed_piece(piece, &clear))?;
            sealed += clear.len() as u64;
        }
        if sealed > 0 {
            let mut cleaned = Erased::default();
            self.clean_index(&mut cleaned)?;
            self.clean_sets(&mut cleaned)?;
        }
        Ok(sealed)
    }

    fn is_archived(&self, space: &Space) -> Result<bool> {
        self.ask(|connection| read::is_archived(connection, space).map_err(Error::index("index")))
    }

    /// The memories of a log that are to be sealed and have a line in the clear.
    fn clear_in(&self, space: &Space) -> Result<HashSet<String>> {
        let path = self.layout.log(space);
        let file = self.disk.open_read(&path);
        let file = file.map_err(Error::io("open", &path))?;
        let everything = self.keys.keyring().seals_everything();
        let mut wanted: HashSet<String> = HashSet::new();
        let mut clear: HashSet<String> = HashSet::new();
        let scanned = scan::scan(
            &*file,
            Start::BEGINNING,
            |found| -> Result<(), std::convert::Infallible> {
                let Found::Record(placed) = found else {
                    return Ok(());
                };
                let line = placed.line;
                if let Some(id) = line.id.clone().filter(|_| keeps(&line)) {
                    if everything || line.sensitive || line.sealed.is_some() {
                        wanted.insert(id.clone());
                    }
                    if line.sealed.is_none() {
                        clear.insert(id);
                    }
                }
                Ok(())
            },
        );
        match scanned {
            Ok(_) => Ok(clear.intersection(&wanted).cloned().collect()),
            Err(Stopped::Reading(error)) => Err(Error::io("read", &path)(error)),
            Err(Stopped::ByCaller(never)) => match never {},
        }
    }

    fn sealed_piece(&self, piece: &Piece<'_>, clear: &HashSet<String>) -> Result<Verdict> {
        let Piece::Record(placed) = piece else {
            return Ok(Verdict::Keep);
        };
        let line = &placed.line;
        let is_meant = line.id.as_ref().is_some_and(|id| clear.contains(id));
        if !is_meant || !keeps(line) || line.sealed.is_some() {
            return Ok(Verdict::Keep);
        }
        let memory = match Record::read(line.clone()) {
            Ok(Record::Add(memory) | Record::Update { memory, .. }) => *memory,
            _ => return Ok(Verdict::Keep),
        };
        let closed = self.keys.close_anyway(&memory)?;
        Ok(Verdict::Replace(sealed_line(line, &closed).encode().0))
    }
}

/// Whether a line keeps a memory.
fn keeps(line: &Line) -> bool {
    matches!(line.op.as_deref(), None | Some("update"))
}

/// The line with all that it says closed; the rest stays.
fn sealed_line(line: &Line, closed: &Memory) -> Line {
    let bare = Line::add(closed, serde_json::Map::new());
    Line {
        body: bare.body,
        confidence: None,
        embedding: None,
        links: Vec::new(),
        metadata: bare.metadata,
        sealed: bare.sealed,
        tags: Vec::new(),
        text: None,
        tokens: None,
        turn: None,
        ..line.clone()
    }
}
