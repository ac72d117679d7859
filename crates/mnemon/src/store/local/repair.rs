//! Repair: damage is set aside, never thrown away, and what was edited on purpose is kept.

mod edits;
mod put_away;

use std::collections::HashMap;
use std::path::PathBuf;

use super::LocalStore;
use super::folders;
use super::fresh::everything_bad;
use super::log::tail;
use super::poison;
use super::rewrite::{Piece, Verdict};
use crate::error::{Error, Result};
use crate::memory::Space;
use crate::store::{Progress, Quarantined, Repair, RepairOptions};
use crate::time::Time;
use edits::Edits;

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
        let mut edits = options.accept_edits.then(|| Edits::new(self, &fresh));
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
                self.repair_log(&space, &bad, edits.as_mut(), &mut report)?;
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
        mut edits: Option<&mut Edits<'_>>,
        report: &mut Repair,
    ) -> Result<()> {
        let mut damaged = Vec::new();
        let mut aside = Vec::new();
        let mut before = Time::nearest_to_micros(0);
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
            let problem = match &mut edits {
                _ if !is_by_hand => {
                    let known = bad.get(&offset).cloned();
                    known.unwrap_or_else(|| "it was damaged meanwhile".into())
                }
                Some(edits) => match edits.accept(bytes, space, before) {
                    Ok(signed) => {
                        report.accepted.push(format!("{space}:{number}"));
                        return Ok(Verdict::Replace(signed));
                    }
                    Err(refusal) => format!("the edit can't be taken: {refusal}"),
                },
                None if is_memory(bytes) => IMPORTABLE.into(),
                None => KEPT_ONLY.into(),
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

    /// Every log that the marker could mean is new: writing may go on.
    fn unpoison(&self) -> Result<()> {
        let path = self.layout.poisoned();
        self.disk
            .remove(&path)
            .map_err(Error::io("remove", &path))?;
        folders::sync(&*self.disk, self.layout.root())
    }
}

/// What becomes of a line that was set aside.
const IMPORTABLE: &str =
    "it was edited by hand or damaged; `mnemon import` takes it from where it is now";
const KEPT_ONLY: &str = "it was edited by hand or damaged, and is kept where it is now; \
    `mnemon import` takes memories only";

/// Whether a line keeps a memory, as far as it can be read: then it can be imported.
fn is_memory(bytes: &[u8]) -> bool {
    let line = serde_json::from_slice::<serde_json::Value>(bytes);
    line.is_ok_and(|line| line.is_object() && line.get("op").is_none())
}
