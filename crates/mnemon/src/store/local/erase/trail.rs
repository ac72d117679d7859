//! Everything that was taken away or brought back: what logs and archives tell, and the audit.

use std::collections::HashSet;
use std::convert::Infallible;
use std::path::Path;

use crate::error::{Error, Result};
use crate::memory::Space;
use crate::store::local::LocalStore;
use crate::store::local::audit::{self, AuditLine};
use crate::store::local::disk::DiskFile;
use crate::store::local::lock::Held;
use crate::store::local::log::record::Record;
use crate::store::local::log::scan::{self, Found, Start, Stopped};
use crate::store::local::shelf;
use crate::store::{AuditEntry, Deed};

impl LocalStore {
    /// Enters a deed that no log tells of.
    pub(in crate::store::local) fn enter_deed(&self, entry: &AuditEntry) -> Result<()> {
        let held = self.hold_for_life("enter into the audit")?;
        audit::append(&*self.disk, &self.layout, &held, &AuditLine::deed(entry)?)
    }

    /// The oldest first.
    pub(in crate::store::local) fn audit_trail(&self) -> Result<Vec<AuditEntry>> {
        let mut trail = audit::entries(&*self.disk, &self.layout)?;
        for space in self.spaces()? {
            let path = self.layout.log(&space);
            let file = self
                .disk
                .open_read(&path)
                .map_err(Error::io("open", &path))?;
            collect_deeds(&*file, &path, &space, &mut trail)?;
        }
        let mut sessions = self.session_folders(&self.layout.sessions())?;
        sessions.extend(self.session_folders(&self.layout.trash())?);
        for session in sessions {
            for source in self.sources_of(&session)? {
                let file = self.open_source(&source)?;
                let space = Space::Session(session.clone());
                collect_deeds(&*file, &source.path, &space, &mut trail)?;
            }
        }
        trail.sort_by_key(|entry| entry.at.micros());
        // What a crash left of an archive, or of an erasure, says the same once more.
        let mut told = HashSet::new();
        trail.retain(|entry| {
            let spaces: Vec<String> = entry.spaces.iter().map(ToString::to_string).collect();
            let deed = (
                entry.at.micros(),
                entry.deed.as_str(),
                entry.ids.clone(),
                spaces,
            );
            !is_told_by_lines(entry.deed) || told.insert(deed)
        });
        Ok(trail)
    }

    /// Enters in the audit what only lines tell that are about to go: that these memories
    /// were forgotten and brought back, by whom and why.
    pub(in crate::store::local) fn keep_deeds(
        &self,
        space: &Space,
        is_meant: &dyn Fn(&str) -> bool,
        held: &Held<'_>,
    ) -> Result<()> {
        let mut deeds = Vec::new();
        let path = self.layout.log(space);
        if let Ok(file) = self.disk.open_read(&path) {
            collect_deeds(&*file, &path, space, &mut deeds)?;
        }
        let sources = match space.session() {
            Some(session) => self.sources_of(session)?,
            None => Vec::new(),
        };
        for source in sources {
            let collected = self
                .open_source(&source)
                .and_then(|file| collect_deeds(&*file, &source.path, space, &mut deeds));
            match collected {
                // What can't be read tells nothing.
                Err(Error::Corrupt { .. }) => {}
                collected => collected?,
            }
        }
        deeds.retain(|entry| entry.ids.iter().any(|id| is_meant(id)));
        let mut lines = Vec::new();
        for deed in &deeds {
            lines.push(AuditLine::deed(deed)?);
        }
        audit::append_missing(&*self.disk, &self.layout, held, &lines)
    }
}

/// Whether it is told by lines of logs as long as those are there.
fn is_told_by_lines(deed: Deed) -> bool {
    matches!(deed, Deed::Forgotten | Deed::Restored)
}

fn collect_deeds(
    file: &dyn DiskFile,
    path: &Path,
    space: &Space,
    trail: &mut Vec<AuditEntry>,
) -> Result<()> {
    let collected = scan::scan(file, Start::BEGINNING, |found| -> Result<(), Infallible> {
        if let Found::Record(placed) = found
            && matches!(placed.line.op.as_deref(), Some("delete" | "restore"))
        {
            trail.extend(deed(Record::read(placed.line).ok(), space));
        }
        Ok(())
    });
    match collected {
        Ok(_) => Ok(()),
        Err(Stopped::Reading(error)) => Err(shelf::unreadable(path)(error)),
        Err(Stopped::ByCaller(never)) => match never {},
    }
}

fn deed(record: Option<Record>, space: &Space) -> Option<AuditEntry> {
    let (deed, at, by, reason, id) = match record? {
        Record::Delete { id, forgotten } => {
            let by = Some(forgotten.by);
            (Deed::Forgotten, forgotten.at, by, forgotten.reason, id)
        }
        Record::Restore { id, by, reason, at } => (Deed::Restored, at, by, reason, id),
        _ => return None,
    };
    Some(AuditEntry {
        at,
        deed,
        by: by.unwrap_or_default(),
        reason,
        memories: 1,
        ids: vec![id],
        spaces: vec![space.clone()],
    })
}
