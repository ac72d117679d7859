//! Repair: damage is set aside, never thrown away, and what was edited on purpose is kept.

mod put_away;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use serde_json::{Map, Value};

use super::LocalStore;
use super::folders;
use super::fresh::everything_bad;
use super::index::generation::Generation;
use super::index::read;
use super::log::line::sign_again;
use super::log::record::Record;
use super::log::tail;
use super::poison;
use super::rewrite::{Piece, Verdict};
use crate::error::{Error, Result};
use crate::memory::{Kind, MemoryId, Reference, Space};
use crate::store::{Progress, Quarantined, Repair, RepairOptions};
use crate::time::Time;

impl LocalStore {
    /// Sets damage aside, rewrites logs that need it, and makes the index anew.
    pub(super) fn repair_everything(
        &self,
        options: RepairOptions,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Repair> {
        let mut report = Repair {
            gone: self.go_on_without_lost_logs()?,
            ..Repair::default()
        };
        // First, because an erasure opens what is archived.
        self.repair_shelves(&mut report)?;
        self.finish_erasure()?;
        let fresh = self.fresh_index(&mut |_| {})?;
        let poisoned = poison::read(&*self.disk, &self.layout)?;
        let mut bad: HashMap<Space, HashMap<u64, String>> = HashMap::new();
        for piece in everything_bad(&fresh)? {
            bad.entry(piece.space)
                .or_default()
                .insert(piece.offset, piece.message);
        }
        for space in self.spaces()? {
            let bad = bad.remove(&space).unwrap_or_default();
            // A marker that names no single log may be about any.
            let suspect = poisoned.as_ref().is_some_and(|marker| {
                marker.log == space.to_string() || marker.log.parse::<Space>().is_err()
            });
            if !bad.is_empty() || suspect {
                self.repair_log(&space, &bad, &fresh, options, &mut report)?;
            }
        }
        if poisoned.is_some() {
            self.unpoison()?;
            report.unpoisoned = true;
        }
        report.removed = self.tidy_everything()?;
        for session in self.session_folders(&self.layout.sessions())? {
            self.clean_parts(&session)?;
        }
        self.rebuild(progress)?;
        report.checked = super::verify::count_records(&self.fresh_index(&mut |_| {})?)?;
        Ok(report)
    }

    fn repair_log(
        &self,
        space: &Space,
        bad: &HashMap<u64, String>,
        fresh: &Generation,
        options: RepairOptions,
        report: &mut Repair,
    ) -> Result<()> {
        let mut damaged = Vec::new();
        let mut aside = Vec::new();
        let mut before = Time::nearest_to_micros(0);
        let mut accepted_ids = HashSet::new();
        let torn = self.rewrite(space, &mut |piece, bytes| {
            let (offset, number, is_by_hand) = match piece {
                Piece::Record(placed) => {
                    before = placed.line.recorded_at.unwrap_or(before);
                    (placed.offset, placed.number, false)
                }
                Piece::Damage(damage) => (damage.offset, damage.number, damage.is_by_hand()),
            };
            if matches!(piece, Piece::Record(_)) && !bad.contains_key(&offset) {
                return Ok(Verdict::Keep);
            }
            let problem = if !is_by_hand {
                let known = bad.get(&offset).cloned();
                known.unwrap_or_else(|| "it was damaged meanwhile".into())
            } else if options.accept_edits {
                let is_taken = |id: &MemoryId| {
                    Ok(accepted_ids.contains(id) || self.is_kept_already(fresh, id, space)?)
                };
                match accept(bytes, space, before, is_taken) {
                    Ok((signed, id)) => {
                        accepted_ids.extend(id);
                        report.accepted.push(format!("{space}:{number}"));
                        return Ok(Verdict::Replace(signed));
                    }
                    Err(refusal) => format!("the edit can't be taken: {refusal}"),
                }
            } else {
                "it was edited by hand or damaged; `mnemon import` takes it from where it is now"
                    .into()
            };
            damaged.extend_from_slice(bytes);
            damaged.push(b'\n');
            aside.push((number, bytes.len() as u64, problem));
            Ok(Verdict::Drop)
        })?;
        report.rewritten.push(space.clone());
        if !damaged.is_empty() {
            let name =
                tail::quarantine_name(space, &super::unique(super::wall_micros()), "damaged");
            let file = tail::set_aside(&*self.disk, &self.layout.quarantine(), &name, &damaged)?;
            report
                .quarantined
                .extend(aside.into_iter().map(|(line, bytes, problem)| Quarantined {
                    space: space.clone(),
                    line,
                    bytes,
                    problem,
                    file: file.clone(),
                }));
        }
        report.quarantined.extend(torn.map(|file: PathBuf| {
            Quarantined {
                space: space.clone(),
                line: 0,
                bytes: self
                    .disk
                    .stat(&file)
                    .ok()
                    .flatten()
                    .map_or(0, |stat| stat.size),
                problem: "never committed".into(),
                file,
            }
        }));
        Ok(())
    }

    /// Whether a sound line keeps a memory of this id, which another must not take.
    fn is_kept_already(&self, fresh: &Generation, id: &MemoryId, space: &Space) -> Result<bool> {
        let index = || Error::index("index");
        let connection = fresh.borrow()?;
        let found = read::find(&connection, &Reference::Id(id.clone())).map_err(index())?;
        let Some(pointer) = found else {
            return Ok(false);
        };
        if pointer.space != space.to_string() {
            return Ok(true);
        }
        let (offset, length) = read::first_line(&connection, pointer.n).map_err(index())?;
        let first = self
            .files
            .line(space, pointer.inode, offset, length, None)?;
        // If only a revision is left, it is the line that first kept the memory which was edited.
        Ok(first.is_some_and(|line| line.op.is_none()))
    }

    /// Every log that the marker could mean is new: writing may go on.
    fn unpoison(&self) -> Result<()> {
        let path = self.layout.poisoned();
        self.disk
            .remove(&path)
            .map_err(Error::io("remove", &path))?;
        folders::sync(&*self.disk, self.layout.root())
    }
}

/// A line as a person left it, signed, with what they need not know filled in; and the id of the
/// memory that it keeps, if it does.
fn accept(
    bytes: &[u8],
    space: &Space,
    before: Time,
    is_taken: impl FnOnce(&MemoryId) -> Result<bool>,
) -> Result<(Vec<u8>, Option<MemoryId>)> {
    let (signed, line) =
        sign_again(bytes, |object| fill_in(object, space, before)).map_err(|_| {
            let input = String::from_utf8_lossy(bytes);
            Error::unparsable("a line of a log", &input, "it can't be read")
        })?;
    match Record::read(line)? {
        Record::Add(memory) | Record::Update { memory, .. } if memory.space != *space => {
            let given = memory.space.to_string();
            Err(Error::rule(
                "space",
                format!("{space}, like the log"),
                &given,
            ))
        }
        Record::Add(memory) if is_taken(&memory.id)? => Err(Error::IdTaken {
            id: memory.id.to_string(),
        }),
        Record::Add(memory) => Ok((signed, Some(memory.id))),
        _ => Ok((signed, None)),
    }
}

fn fill_in(object: &mut Map<String, Value>, space: &Space, before: Time) {
    // The rewrite drops the commit of a transaction that was edited, and a
    // line that still waits for it would be cut as a torn tail.
    object.remove("tx");
    if object.contains_key("op") {
        return;
    }
    let mut missing = |member: &str, value: Value| {
        object.entry(member).or_insert(value);
    };
    let millis = u64::try_from(before.micros() / 1000).unwrap_or(0);
    let id = MemoryId::generate(Kind::Fact, millis, crate::random());
    missing("id", id.to_string().into());
    missing("kind", Kind::Fact.to_string().into());
    missing("space", space.to_string().into());
    missing("recorded_at", before.to_string().into());
    missing("version", 1.into());
}
