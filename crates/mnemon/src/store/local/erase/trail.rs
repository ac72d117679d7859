//! Everything that was taken away or brought back: what logs and archives tell, and the audit.

use std::convert::Infallible;
use std::path::Path;

use crate::error::{Error, Result};
use crate::memory::Space;
use crate::store::local::LocalStore;
use crate::store::local::audit;
use crate::store::local::disk::DiskFile;
use crate::store::local::log::record::Record;
use crate::store::local::log::scan::{self, Found, Start, Stopped};
use crate::store::local::shelf;
use crate::store::{AuditEntry, Deed};

impl LocalStore {
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
        // What a crash left of an archive says the same once more.
        trail.dedup();
        Ok(trail)
    }
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
