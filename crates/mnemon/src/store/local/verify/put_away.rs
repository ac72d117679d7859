//! Checking what is put away: archives, shelves and the trash.

use std::path::Path;

use crate::error::{Code, Error, Result};
use crate::memory::SessionId;
use crate::store::local::LocalStore;
use crate::store::local::index::{read, shelves};
use crate::store::local::life::{self, DELETION_RECORD};
use crate::store::local::log::scan::{self, Found, Start, Stopped};
use crate::store::local::shelf::{self, Sort};
use crate::store::local::shelves::Source;
use crate::store::{Verification, VerifyProblem};

impl LocalStore {
    /// Checks every line that is put away, and notes what crashes left there.
    pub(super) fn verify_what_is_put_away(&self, found: &mut Verification) -> Result<()> {
        let mut sessions = self.session_folders(&self.layout.sessions())?;
        let trashed = self.session_folders(&self.layout.trash())?;
        self.note_leftovers(&sessions, &trashed, found)?;
        sessions.extend(trashed);
        sessions.sort();
        sessions.dedup();
        for session in sessions {
            for source in self.sources_of(&session)? {
                self.verify_source(&source, found);
            }
            for folder in [self.layout.sessions(), self.layout.trash()] {
                self.find_lost_archives(&folder.join(session.as_str()), found)?;
            }
        }
        Ok(())
    }

    /// Shelves that the log of a folder refers to and that are not there.
    fn find_lost_archives(&self, folder: &Path, found: &mut Verification) -> Result<()> {
        let referred = match self.referred_shelves(folder) {
            // A log that can't be read is told of by itself.
            Err(Error::Io { .. }) => return Ok(()),
            referred => referred?,
        };
        for referred in referred {
            let place = folder.join("archive").join(&referred.name);
            if shelf::stat(&*self.disk, &place)?.is_none() {
                found.problems.push(VerifyProblem {
                    space: self.below_root(&place).display().to_string(),
                    line: None,
                    code: Code::StorageCorrupt,
                    message: format!(
                        "the archive is not there, with about {} memories; put it back from a copy",
                        referred.memories
                    ),
                });
            }
        }
        Ok(())
    }

    fn verify_source(&self, source: &Source, found: &mut Verification) {
        let place = self.below_root(&source.path).display().to_string();
        let mut problem = |line, code, message| {
            found.problems.push(VerifyProblem {
                space: place.clone(),
                line,
                code,
                message,
            });
        };
        let mut checked = 0;
        let scanned = self.open_source(source).and_then(|file| {
            scan::scan(
                &*file,
                Start::BEGINNING,
                |found| -> Result<(), std::convert::Infallible> {
                    match found {
                        Found::Record(_) => checked += 1,
                        Found::Damage(damage) => {
                            problem(Some(damage.number), Code::StorageCorrupt, damage.sentence());
                        }
                    }
                    Ok(())
                },
            )
            .map_err(|stopped| match stopped {
                Stopped::Reading(error) => shelf::unreadable(&source.path)(error),
                Stopped::ByCaller(never) => match never {},
            })
        });
        if let Err(error) = scanned.map(drop).and_then(|()| self.verify_whole(source)) {
            problem(None, error.code(), self.what_is_lost(source, &error));
        }
        found.checked += checked;
    }

    /// The damage of a shelf, and how much of it can still be read.
    fn what_is_lost(&self, source: &Source, error: &Error) -> String {
        let readable = self.readable_ids(source).unwrap_or_default().len();
        let name = self.below_root(&source.path).display().to_string();
        let known = self
            .ask(|connection| shelves::ids_of(connection, &name).map_err(Error::index("index")));
        match known.unwrap_or_default().len() {
            0 => format!("{error}; {readable} memories in it can be read"),
            known => format!("{error}; {readable} of {known} memories in it can be read"),
        }
    }

    /// Whether a whole log on a shelf is the one that was put there.
    pub(in crate::store::local) fn verify_whole(&self, source: &Source) -> Result<()> {
        let Some(archived) = self.archived_onto(source)? else {
            return Ok(());
        };
        let unpacked = shelf::open(&*self.disk, &source.path)?;
        life::checked(&unpacked, &source.path, &archived, |_| Ok(()))
    }

    fn note_leftovers(
        &self,
        sessions: &[SessionId],
        trashed: &[SessionId],
        found: &mut Verification,
    ) -> Result<()> {
        let note = |path: &Path, what: &str| {
            format!(
                "{}: {what}; `mnemon repair` removes it",
                self.below_root(path).display()
            )
        };
        for session in sessions {
            let folder = self.layout.archive(session);
            let names = self
                .disk
                .list(&folder)
                .map_err(Error::io("read", &folder))?;
            for name in names.iter().filter(|name| shelf::is_unfinished(name)) {
                let what = "an archive that was never finished";
                found.notes.push(note(&folder.join(name), what));
            }
            for source in self.sources_of(session)?.iter().filter(|it| !it.trashed) {
                let is_whole = Sort::of(&file_name(&source.path)) == Some(Sort::Whole);
                if is_whole && self.archived_onto(source)?.is_none() {
                    let what = "an archive of a session that is open again";
                    found.notes.push(note(&source.path, what));
                }
            }
            for part in self.parts_of(session)? {
                let source = self.below_root(&part.path).display().to_string();
                let twice = self.ask(|connection| {
                    read::in_log_and_on_shelf(connection, &source).map_err(Error::index("index"))
                })?;
                if !twice.is_empty() {
                    found.notes.push(format!(
                        "{source}: {} memories of it are in the log too, where they count; \
                         `mnemon repair` takes them out",
                        twice.len()
                    ));
                }
            }
            let record = folder.with_file_name(DELETION_RECORD);
            if shelf::stat(&*self.disk, &record)?.is_some() {
                found
                    .notes
                    .push(note(&record, "a deletion that did not happen"));
            }
        }
        for session in trashed {
            if self.read_record(session)?.is_none() {
                found.notes.push(format!(
                    "trash/{session}: nobody noted who deleted it; `mnemon session undelete {session}` \
                     and `mnemon session purge {session} --yes` work all the same"
                ));
            }
        }
        Ok(())
    }
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
