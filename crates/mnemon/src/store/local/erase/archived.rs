//! Erasing in an archived session, which stays archived, in the trash too.
//!
//! The log goes onto another shelf without the lines, and the short log then
//! tells of that one. Until it does, the old shelf counts; afterwards nothing
//! refers to that, and whoever comes next removes it.

use std::path::Path;

use super::Intent;
use super::judge::Judge;
use super::put_away::copy_without;
use super::traces::Traces;
use crate::error::{Error, Result};
use crate::memory::Space;
use crate::session::{Activity, Archived};
use crate::store::local::lock::Held;
use crate::store::local::log::line::hex;
use crate::store::local::put_away;
use crate::store::local::rewrite::Next;
use crate::store::local::shelf::{self, Packed, Packing, Sort};
use crate::store::local::shelves::Source;
use crate::store::local::{LocalStore, unique, wall_micros};

impl LocalStore {
    /// Puts a log onto another shelf without the lines; one that no log refers to is only removed.
    pub(super) fn clean_whole(
        &self,
        source: &Source,
        intent: &Intent,
        traces: &Traces,
        held: &mut Held<'_>,
    ) -> Result<()> {
        let Some(archived) = self.archived_onto(source)? else {
            return self.remove_durably(&source.path);
        };
        let space = Space::Session(source.session.clone());
        let archive = source.path.parent().unwrap_or(&source.path);
        let log = archive.with_file_name("memory.jsonl");
        let packed = self.pack_without(source, archive, &space, intent, traces)?;
        let archived = self.archived_anew(archived, &packed, archive, &space)?;
        let mut judge = Judge::of_short_log(intent, traces, &archived);
        let next_path = self.log_without(&log, &space, &mut judge, traces)?;
        if !source.trashed {
            held.note_appending(&[&space])
                .map_err(Error::io("write", self.layout.lock()))?;
        }
        self.replace_durably(&next_path, &log)?;
        self.remove_durably(&source.path)
    }

    fn pack_without(
        &self,
        source: &Source,
        archive: &Path,
        space: &Space,
        intent: &Intent,
        traces: &Traces,
    ) -> Result<Packed> {
        let old = self.open_source(source)?;
        let mut packing = Packing::create(&*self.disk, archive, Sort::Whole)?;
        let mut onto_shelf = |bytes: &[u8]| packing.write(bytes);
        let mut next = Next::new(&source.path, &mut onto_shelf);
        next.begin(space, &unique(wall_micros()), &*old)?;
        let mut judge = Judge::new(intent, traces);
        copy_without(&mut next, &*old, &source.path, &mut judge, traces)?;
        packing.finish()
    }

    /// What is known of the session now that it has less.
    fn archived_anew(
        &self,
        before: Archived,
        packed: &Packed,
        archive: &Path,
        space: &Space,
    ) -> Result<Archived> {
        let place = archive.join(&packed.name);
        let memories = put_away::memories(&shelf::open(&*self.disk, &place)?, &place, space)?;
        let activity = Activity::of(&memories);
        Ok(Archived {
            by_kind: activity.by_kind,
            bytes: packed.bytes,
            participants: activity.participants,
            sha256: String::from_utf8_lossy(&hex(&packed.sum)).into_owned(),
            shelf: packed.name.clone(),
            ..before
        })
    }
}
