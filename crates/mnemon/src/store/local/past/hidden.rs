//! Which sessions were deleted at a past moment, and so are not seen there.

use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::memory::{SessionId, Space};
use crate::store::local::audit;
use crate::store::local::disk::{Disk, Stat};
use crate::store::local::layout::Layout;
use crate::store::local::life;
use crate::store::{AuditEntry, Deed};
use crate::time::Time;

/// When sessions lay in the trash, as the audit tells, and the file as it was when it was read.
#[derive(Debug, Default)]
pub(super) struct Hidden(Mutex<(Option<Stat>, Vec<Absence>)>);

/// A time in the trash that is over.
#[derive(Debug)]
struct Absence {
    session: SessionId,
    from: Time,
    until: Time,
}

impl Hidden {
    /// Whether a session was deleted at the moment.
    pub(super) fn is_hidden(
        &self,
        disk: &dyn Disk,
        layout: &Layout,
        session: &SessionId,
        is_trashed: bool,
        moment: Time,
    ) -> Result<bool> {
        if is_trashed {
            let record = life::read_deletion(disk, &layout.trashed(session))?;
            // Without a record nobody knows since when; it was put there by hand.
            if record.is_none_or(|record| record.deleted_at <= moment) {
                return Ok(true);
            }
        }
        let path = layout.audit();
        let named = disk.stat(&path).map_err(Error::io("read", &path))?;
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.0 != named {
            known.1 = absences(&audit::entries(disk, layout)?);
            known.0 = named;
        }
        let holds = |absence: &Absence| {
            absence.session == *session && absence.from <= moment && moment < absence.until
        };
        Ok(known.1.iter().any(holds))
    }
}

/// A deletion is entered before it is done, and a crash may come between: it
/// counts only if the session was brought back out of the trash.
fn absences(entries: &[AuditEntry]) -> Vec<Absence> {
    let mut found = Vec::new();
    for (place, back) in entries.iter().enumerate() {
        let [Space::Session(session)] = &*back.spaces else {
            continue;
        };
        if back.deed != Deed::SessionUndeleted {
            continue;
        }
        let mut before = entries[..place].iter().rev();
        let deleted =
            before.find(|entry| entry.deed == Deed::SessionDeleted && entry.spaces == back.spaces);
        found.extend(deleted.map(|deleted| Absence {
            session: session.clone(),
            from: deleted.at,
            until: back.at,
        }));
    }
    found
}
