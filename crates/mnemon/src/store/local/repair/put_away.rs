//! Repairing what is put away: a damaged shelf is set aside, and what can be read of it stays.
//!
//! Lines have checksums of their own, so whatever can be unpacked can be
//! believed line by line. The summary of an archived session goes along with
//! what is left of it, because it may be all that tells of the rest.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::convert::Infallible;
use std::path::Path;

use crate::error::{Error, Result};
use crate::memory::{Kind, SessionId, Space};
use crate::session::Archived;
use crate::store::local::index::shelves;
use crate::store::local::life;
use crate::store::local::log::line::{Line, hex, sign_again};
use crate::store::local::log::scan::{self, Found, Placed, Start, Stopped};
use crate::store::local::log::tail;
use crate::store::local::rewrite::{self, Next, Piece, Verdict};
use crate::store::local::shelf::{self, Packed, Packing, Sort};
use crate::store::local::shelves::Source;
use crate::store::local::{LocalStore, part, unique, wall_micros, whole_file};
use crate::store::{Quarantined, Repair};

/// What can be read of a damaged shelf.
#[derive(Default)]
struct Salvage {
    /// The first line, if it is one of a log.
    header: Option<Vec<u8>>,
    /// Lines, each with its newline.
    lines: Vec<u8>,
    ids: BTreeSet<String>,
    /// What is left by kind, without what was forgotten.
    kept: HashMap<String, (Option<Kind>, bool)>,
}

impl LocalStore {
    /// Sets every damaged shelf aside and keeps what can be read of it.
    pub(super) fn repair_shelves(&self, report: &mut Repair) -> Result<()> {
        let live = self.session_folders(&self.layout.sessions())?;
        let mut sessions = live.clone();
        sessions.extend(self.session_folders(&self.layout.trash())?);
        for session in &sessions {
            for source in self.sources_of(session)? {
                match source.sort() {
                    Some(Sort::Part) if self.is_damaged_part(&source)? => {
                        self.repair_part(&source, report)?;
                    }
                    Some(Sort::Whole) => {
                        if let Err(Error::Corrupt { .. }) = self.verify_whole(&source) {
                            self.repair_whole(&source, report)?;
                        }
                    }
                    _ => {}
                }
            }
        }
        for session in live {
            self.give_up_lost_parts(&session, report)?;
        }
        Ok(())
    }

    fn is_damaged_part(&self, source: &Source) -> Result<bool> {
        let mut is_damaged = false;
        let scanned = self.open_source(source).and_then(|file| {
            let scanned = scan::scan(
                &*file,
                Start::BEGINNING,
                |found| -> Result<(), Infallible> {
                    is_damaged |= matches!(found, Found::Damage(_));
                    Ok(())
                },
            );
            match scanned {
                Ok(end) => Ok(end.tail.is_some()),
                Err(Stopped::Reading(error)) => Err(shelf::unreadable(&source.path)(error)),
                Err(Stopped::ByCaller(never)) => match never {},
            }
        });
        match scanned {
            Ok(is_torn) => Ok(is_damaged || is_torn),
            Err(Error::Corrupt { .. }) => Ok(true),
            // What the system says is no damage; `verify` tells.
            Err(Error::Io { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn repair_part(&self, source: &Source, report: &mut Repair) -> Result<()> {
        let salvage = self.salvage(source)?;
        let aside = self.set_shelf_aside(source)?;
        let known = self.known_in(source)?;
        let held = self.lock.acquire("repair an archive")?;
        match &salvage.header {
            Some(header) if !salvage.ids.is_empty() => {
                let (folder, name) = place_of(&source.path);
                let mut packing = Packing::replace(&*self.disk, folder, &name)?;
                packing.write(header)?;
                packing.write(&salvage.lines)?;
                packing.finish()?;
            }
            _ => self.remove_durably(&source.path)?,
        }
        drop(held);
        report
            .quarantined
            .push(told(source, &salvage, known, aside));
        Ok(())
    }

    fn repair_whole(&self, source: &Source, report: &mut Repair) -> Result<()> {
        let Some(archived) = self.archived_onto(source)? else {
            return Ok(());
        };
        let salvage = self.salvage(source)?;
        let aside = self.set_shelf_aside(source)?;
        let known = match self.known_in(source)? {
            0 => archived.by_kind.values().sum(),
            known => known,
        };
        let (folder, _) = place_of(&source.path);
        let log = folder.with_file_name("memory.jsonl");
        let space = Space::Session(source.session.clone());
        let mut held = self.lock.acquire("repair an archive")?;
        let packed = self.pack_salvage(source, &log, &space)?;
        let bytes = self.refer_to(&log, &space, &archived, &packed, &salvage)?;
        held.note_appending(&[&space])
            .map_err(Error::io("write", self.layout.lock()))?;
        whole_file::replace(&*self.disk, &log, &bytes)?;
        self.remove_durably(&source.path)?;
        self.index_session(&space, &mut held)?;
        drop(held);
        report
            .quarantined
            .push(told(source, &salvage, known, aside));
        Ok(())
    }

    /// A log of what is left: as it was, and the lines of the short log behind it.
    fn pack_salvage(&self, source: &Source, log: &Path, space: &Space) -> Result<Packed> {
        let short = self.disk.open_read(log).map_err(Error::io("open", log))?;
        let left = shelf::salvage(&*self.disk, &source.path)?;
        let (folder, _) = place_of(&source.path);
        let mut packing = Packing::create(&*self.disk, folder, Sort::Whole)?;
        let mut onto_shelf = |bytes: &[u8]| packing.write(bytes);
        let mut next = Next::new(log, &mut onto_shelf);
        // With the counters, which no line that is left may tell.
        next.begin(space, &unique(wall_micros()), &*short)?;
        next.copy(&left, Start::BEGINNING, &mut |piece, _| match piece {
            Piece::Record(_) => Ok(Verdict::Keep),
            Piece::Damage(_) => Ok(Verdict::Drop),
        })?;
        next.copy(&*short, Start::BEGINNING, &mut |piece, bytes| match piece {
            Piece::Record(placed) if placed.line.archived.is_some() => {
                let open = changed(log, placed, bytes, |object| drop(object.remove("archived")))?;
                Ok(Verdict::Replace(open))
            }
            _ => Ok(Verdict::Keep),
        })?;
        packing.finish()
    }

    /// The short log, as it is if it refers to another shelf.
    fn refer_to(
        &self,
        log: &Path,
        space: &Space,
        archived: &Archived,
        packed: &Packed,
        salvage: &Salvage,
    ) -> Result<Vec<u8>> {
        let archived = Archived {
            shelf: packed.name.clone(),
            sha256: String::from_utf8_lossy(&hex(&packed.sum)).into_owned(),
            bytes: packed.bytes,
            by_kind: salvage.by_kind(),
            ..archived.clone()
        };
        let archived = serde_json::to_value(&archived).expect("plain fields");
        let short = self.disk.open_read(log).map_err(Error::io("open", log))?;
        let mut bytes = Vec::new();
        let mut into_memory = |more: &[u8]| {
            bytes.extend_from_slice(more);
            Ok(())
        };
        let mut next = Next::new(log, &mut into_memory);
        next.begin(space, &unique(wall_micros()), &*short)?;
        next.copy(&*short, Start::BEGINNING, &mut |piece, bytes| match piece {
            Piece::Record(placed) if placed.line.archived.is_some() => {
                let archived = archived.clone();
                let referring = changed(log, placed, bytes, |object| {
                    object.insert("archived".into(), archived);
                })?;
                Ok(Verdict::Replace(referring))
            }
            _ => Ok(Verdict::Keep),
        })?;
        Ok(bytes)
    }

    /// The log of an open session stops to refer to parts that are not there.
    fn give_up_lost_parts(&self, session: &SessionId, report: &mut Repair) -> Result<()> {
        let space = Space::Session(session.clone());
        let folder = self.layout.folder(&space);
        let log = folder.join("memory.jsonl");
        let mut lost = Vec::new();
        for referred in self.referred_shelves(&folder)? {
            let place = folder.join("archive").join(&referred.name);
            if shelf::stat(&*self.disk, &place)?.is_none() {
                lost.push((referred, place));
            }
        }
        let is_lost = |name: &String| lost.iter().any(|(it, _)| it.name == *name);
        let is_archived = match self.disk.open_read(&log) {
            Ok(log) => life::archived_in(&*log).is_some(),
            Err(_) => true,
        };
        // Of an archived session not a byte is changed: a copy may be put back.
        if lost.is_empty() || is_archived {
            return Ok(());
        }
        self.rewrite(&space, &mut |piece, bytes| match piece {
            Piece::Record(placed) if placed.line.shelf.as_ref().is_some_and(is_lost) => {
                let line = part::without_shelf(&log, placed.number, bytes)?;
                Ok(Verdict::Replace(line))
            }
            _ => Ok(Verdict::Keep),
        })?;
        report.rewritten.push(space.clone());
        let already = |file: &Path| {
            report
                .quarantined
                .iter()
                .any(|it| it.problem.contains(&*place_of(file).1))
        };
        lost.retain(|(_, place)| !already(place));
        for (referred, place) in lost {
            report.quarantined.push(Quarantined {
                space: space.clone(),
                line: 0,
                bytes: 0,
                problem: format!(
                    "the archive {} is not there: about {} memories are lost",
                    referred.name, referred.memories
                ),
                file: place,
            });
        }
        Ok(())
    }

    fn salvage(&self, source: &Source) -> Result<Salvage> {
        let file = shelf::salvage(&*self.disk, &source.path)?;
        let mut salvage = Salvage::default();
        let scanned = scan::scan(&file, Start::BEGINNING, |found| -> Result<()> {
            let Found::Record(placed) = found else {
                return Ok(());
            };
            let mut bytes = rewrite::read(&file, &source.path, placed.offset, placed.length)?;
            bytes.push(b'\n');
            salvage.take(&placed.line, bytes);
            Ok(())
        });
        match scanned {
            Ok(_) => Ok(salvage),
            Err(Stopped::Reading(error)) => Err(shelf::unreadable(&source.path)(error)),
            Err(Stopped::ByCaller(error)) => Err(error),
        }
    }

    fn set_shelf_aside(&self, source: &Source) -> Result<std::path::PathBuf> {
        let bytes = whole_file::read(&*self.disk, &source.path)?.unwrap_or_default();
        let space = Space::Session(source.session.clone());
        let name = tail::quarantine_name(&space, &unique(wall_micros()), "jsonl.zst");
        tail::set_aside(&*self.disk, &self.layout.quarantine(), &name, &bytes)
    }

    /// How many memories are known to lie there.
    fn known_in(&self, source: &Source) -> Result<u64> {
        let name = self.below_root(&source.path).display().to_string();
        let known = self
            .ask(|connection| shelves::ids_of(connection, &name).map_err(Error::index("index")))?;
        Ok(known.len() as u64)
    }
}

impl Salvage {
    fn take(&mut self, line: &Line, bytes: Vec<u8>) {
        if line.op.as_deref() == Some("log") {
            self.header.get_or_insert(bytes);
            return;
        }
        if let Some(id) = &line.id {
            self.ids.insert(id.clone());
            let kind = || line.kind.as_deref().and_then(|kind| kind.parse().ok());
            let kept = self
                .kept
                .entry(id.clone())
                .or_insert_with(|| (kind(), false));
            match line.op.as_deref() {
                Some("delete") => kept.1 = true,
                Some("restore") => kept.1 = false,
                _ => {}
            }
        }
        self.lines.extend(bytes);
    }

    fn by_kind(&self) -> BTreeMap<Kind, u64> {
        let mut by_kind = BTreeMap::new();
        for kind in self.kept.values().filter(|it| !it.1).filter_map(|it| it.0) {
            *by_kind.entry(kind).or_default() += 1;
        }
        by_kind
    }
}

/// What became of a damaged shelf.
fn told(source: &Source, salvage: &Salvage, known: u64, file: std::path::PathBuf) -> Quarantined {
    let kept = salvage.ids.len() as u64;
    let name = place_of(&source.path).1;
    let lost = match known.saturating_sub(kept) {
        0 => String::from("nobody knows how many more there were"),
        lost => format!("{lost} are lost"),
    };
    Quarantined {
        space: Space::Session(source.session.clone()),
        line: 0,
        bytes: source.stat.size,
        problem: format!("the archive {name} was damaged: {kept} memories were kept, {lost}"),
        file,
    }
}

fn place_of(path: &Path) -> (&Path, String) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    (path.parent().unwrap_or(path), name.into_owned())
}

fn changed(
    log: &Path,
    placed: &Placed,
    bytes: &[u8],
    change: impl FnOnce(&mut serde_json::Map<String, serde_json::Value>),
) -> Result<Vec<u8>> {
    let signed = sign_again(bytes, change).map_err(|_| Error::Corrupt {
        path: log.into(),
        line: Some(placed.number),
        problem: "the line was sound a moment ago".into(),
    })?;
    Ok(signed.0)
}
