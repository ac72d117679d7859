//! The copies that are made by themselves: back-ups of the store, beside snapshots of desks.

use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;

use super::{Maintained, is_due, is_over};
use crate::caller::Caller;
use crate::engine::{MaintainOptions, Mnemon};
use crate::error::{Error, Result};
use crate::store::local::drop_old_backups;
use crate::store::{BackedUp, Job};
use crate::time::Time;

/// What the folder of a back-up begins with; the time follows.
const PREFIX: &str = "mnemon-";

/// A back-up that was taken because its time had come.
#[derive(Clone, Debug)]
pub struct ScheduledBackup {
    /// What was taken; nothing in a dry run.
    pub taken: Option<BackedUp>,
    /// Older ones that are gone.
    pub dropped: Vec<PathBuf>,
}

impl Mnemon {
    /// Backs up the store if the settings say so and the time has come.
    pub(super) fn back_up_if_due(
        &self,
        caller: &Caller,
        options: &MaintainOptions,
        done: &mut Maintained,
    ) -> Result<bool> {
        let now = self.clock.now();
        if !self.is_backup_due(self.store.job_times()?.get(&Job::Backup).copied(), now) {
            return Ok(false);
        }
        if is_over(options) {
            return Ok(false);
        }
        let settings = &self.config.backup;
        let folder = Path::new(&settings.folder);
        if !folder.is_absolute() {
            let rule = "a folder that begins with /, because backup.schedule is set";
            return Err(Error::rule("backup.folder", rule, &settings.folder));
        }
        let mut backup = ScheduledBackup {
            taken: None,
            dropped: Vec::new(),
        };
        if !options.dry_run {
            let name = format!("{PREFIX}{}", compact(now));
            let taken = self.back_up(caller, &folder.join(name))?;
            backup.dropped = drop_old_backups(folder, &taken.store_id, settings.keep as usize)?;
            backup.taken = Some(taken);
        }
        done.backup = Some(backup);
        Ok(true)
    }

    /// Whether the time for a back-up has come since the last one.
    pub(super) fn is_backup_due(&self, last: Option<Time>, now: Time) -> bool {
        let schedule = self.config.backup.schedule.as_ref();
        schedule.is_some_and(|schedule| {
            last.is_none_or(|last| is_due(schedule, last, now, 0, &TimeZone::UTC))
        })
    }
}

/// `20261116T171500Z`
fn compact(time: Time) -> String {
    let time = time.timestamp().strftime("%Y%m%dT%H%M%SZ");
    time.to_string()
}
