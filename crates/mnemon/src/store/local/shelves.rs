//! Which shelves there are, and that the index knows what lies on them.
//!
//! Sources are the shelves of live sessions, and the logs and shelves of those
//! in the trash. Like logs they are compared with the files when a process
//! first touches the store and after a writer died, and read anew if they
//! differ.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;

use super::LocalStore;
use super::disk::{DiskFile, Stat};
use super::index::leaving;
use super::index::shelves::{self, Content, Known};
use super::life;
use super::log::scan::{self, Found, Start, Stopped};
use super::shelf;
use crate::error::{Error, Result};
use crate::memory::{SessionId, Space};

/// A file with lines that are in no log of a space.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) session: SessionId,
    pub(super) path: PathBuf,
    pub(super) stat: Stat,
    /// Whether its session was deleted.
    pub(super) trashed: bool,
    /// Whether it is compressed.
    pub(super) packed: bool,
}

/// A shelf that a log refers to.
#[derive(Clone, Debug)]
pub(super) struct Referred {
    pub(super) name: String,
    /// How many memories went there, about: some may have come back, or were gone for good.
    pub(super) memories: u64,
}

impl Source {
    /// What sort of shelf it is; none if it is a log.
    pub(super) fn sort(&self) -> Option<shelf::Sort> {
        shelf::Sort::of(self.path.file_name()?.to_str()?)
    }
}

impl LocalStore {
    /// The sources of a session, deleted or not.
    pub(super) fn sources_of(&self, session: &SessionId) -> Result<Vec<Source>> {
        let trashed = self.layout.trashed(session);
        let mut sources = self.shelves_in(session, &self.layout.archive(session), false)?;
        sources.extend(self.shelves_in(session, &trashed.join("archive"), true)?);
        let log = trashed.join("memory.jsonl");
        if let Some(stat) = shelf::stat(&*self.disk, &log)? {
            sources.push(Source {
                session: session.clone(),
                path: log,
                stat,
                trashed: true,
                packed: false,
            });
        }
        Ok(sources)
    }

    fn shelves_in(&self, session: &SessionId, folder: &Path, trashed: bool) -> Result<Vec<Source>> {
        let names = self.disk.list(folder).map_err(Error::io("read", folder))?;
        let mut found = Vec::new();
        for name in names {
            if shelf::Sort::of(&name).is_none() {
                continue;
            }
            let path = folder.join(name);
            // One that was there a moment ago may be gone by now.
            if let Some(stat) = shelf::stat(&*self.disk, &path)? {
                found.push(Source {
                    session: session.clone(),
                    path,
                    stat,
                    trashed,
                    packed: true,
                });
            }
        }
        Ok(found)
    }

    /// The sessions of a folder, `sessions` or `trash`, by the names in it.
    pub(super) fn session_folders(&self, folder: &Path) -> Result<Vec<SessionId>> {
        let names = self.disk.list(folder).map_err(Error::io("read", folder))?;
        // A folder whose name is no id is none of ours.
        Ok(names.iter().filter_map(|name| name.parse().ok()).collect())
    }

    /// Nothing was put away at a past moment, nor in an archive that is looked into.
    pub(super) fn knows_shelves(&self) -> bool {
        self.looks_into.is_none() && self.options.as_of.is_none()
    }

    /// Sessions whose sources are not as the index knows them.
    pub(super) fn stale_shelves(&self, connection: &Connection) -> Result<Vec<Space>> {
        if !self.knows_shelves() {
            return Ok(Vec::new());
        }
        let mut by_session: BTreeMap<SessionId, Vec<Known>> = BTreeMap::new();
        for known in shelves::known(connection, None).map_err(Error::index("index"))? {
            if let Ok(session) = known.session.parse() {
                by_session.entry(session).or_default().push(known);
            }
        }
        for folder in [self.layout.sessions(), self.layout.trash()] {
            for session in self.session_folders(&folder)? {
                by_session.entry(session).or_default();
            }
        }
        let mut stale = Vec::new();
        for (session, known) in by_session {
            let mut found: Vec<Known> = self
                .sources_of(&session)?
                .iter()
                .map(|source| self.known_of(source))
                .collect();
            found.sort_by(|a, b| a.source.cmp(&b.source));
            let mut known = known;
            known.retain(|it| !it.is_lost() || found.iter().any(|own| own.source == it.source));
            if found != known {
                stale.push(Space::Session(session));
            }
        }
        Ok(stale)
    }

    /// Makes the index know the sources of a space as they are; the caller has a transaction open.
    pub(super) fn catch_up_shelves(&self, connection: &Connection, space: &Space) -> Result<()> {
        let in_index = || Error::index("index");
        let Some(session) = space.session().filter(|_| self.knows_shelves()) else {
            return Ok(());
        };
        let mut known: BTreeMap<String, Known> = shelves::known(connection, Some(session.as_str()))
            .map_err(in_index())?
            .into_iter()
            .map(|known| (known.source.clone(), known))
            .collect();
        for source in self.sources_of(session)? {
            let mut now = self.known_of(&source);
            if known.remove(&now.source).as_ref() == Some(&now) {
                continue;
            }
            if let Some(log) = leaving::log_in(connection, &source.stat).map_err(in_index())? {
                shelves::put_log(connection, &now, source.trashed, log).map_err(in_index())?;
                continue;
            }
            let content = match self.content_of(&source) {
                Ok(content) => content,
                Err(error) => {
                    if !matches!(error, Error::Corrupt { .. }) {
                        // The disk may let us read it later, so nothing is known of it yet.
                        now.stat.modified_nanos = i64::MIN;
                    }
                    // What was known to lie there has not come to lie elsewhere.
                    let mut ids = shelves::ids_of(connection, &now.source).map_err(in_index())?;
                    ids.extend(self.readable_ids(&source).unwrap_or_default());
                    Content {
                        ids,
                        is_forgetful: true,
                        broken: Some(error.to_string()),
                        ..Content::default()
                    }
                }
            };
            shelves::put(connection, &now, source.trashed, &content).map_err(in_index())?;
        }
        for (gone, known) in known {
            if self.is_missed(session, &known)? {
                let content = Content {
                    ids: shelves::ids_of(connection, &gone).map_err(in_index())?,
                    broken: Some("the archive is not there".into()),
                    ..Content::default()
                };
                shelves::put(connection, &known.lost(), false, &content).map_err(in_index())?;
            } else {
                shelves::remove(connection, &gone).map_err(in_index())?;
            }
        }
        Ok(())
    }

    /// Whether a shelf that is not there any more should be: a log still refers to it.
    fn is_missed(&self, session: &SessionId, known: &Known) -> Result<bool> {
        let folder = self.layout.sessions().join(session.as_str());
        let path = self.layout.root().join(&known.source);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.parent() != Some(&*folder.join("archive")) {
            return Ok(false);
        }
        let referred = self.referred_shelves(&folder)?;
        Ok(referred.iter().any(|it| it.name == name))
    }

    /// The shelves that the log of a folder refers to.
    pub(super) fn referred_shelves(&self, folder: &Path) -> Result<Vec<Referred>> {
        let path = folder.join("memory.jsonl");
        let mut log: Arc<dyn DiskFile> = match self.disk.open_read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            opened => opened.map_err(Error::io("open", &path))?,
        };
        let mut referred = Vec::new();
        if let Some(archived) = life::archived_in(&*log) {
            let place = folder.join("archive").join(&archived.shelf);
            referred.push(Referred {
                memories: archived.by_kind.values().sum(),
                name: archived.shelf,
            });
            match shelf::salvage(&*self.disk, &place) {
                Ok(unpacked) => log = Arc::new(unpacked),
                Err(_) => return Ok(referred),
            }
        }
        let scanned = scan::scan(&*log, Start::BEGINNING, |found| -> Result<(), Infallible> {
            if let Found::Record(placed) = found
                && let Some(name) = placed.line.shelf
            {
                let memories = placed.line.count.unwrap_or(0);
                referred.push(Referred { name, memories });
            }
            Ok(())
        });
        match scanned {
            Ok(_) => Ok(referred),
            Err(Stopped::Reading(error)) => Err(Error::io("read", &path)(error)),
            Err(Stopped::ByCaller(never)) => match never {},
        }
    }

    /// The ids in a shelf that may be damaged, as far as it can be read.
    pub(super) fn readable_ids(&self, source: &Source) -> Result<Vec<String>> {
        if !source.packed {
            return Ok(Vec::new());
        }
        let file = shelf::salvage(&*self.disk, &source.path)?;
        Ok(shelf::content_of(&file, &source.path)?.ids)
    }

    fn content_of(&self, source: &Source) -> Result<Content> {
        shelf::content_of(&*self.open_source(source)?, &source.path)
    }

    /// A source, to be read like a log.
    pub(super) fn open_source(&self, source: &Source) -> Result<Arc<dyn DiskFile>> {
        let path = &source.path;
        if source.packed {
            return Ok(Arc::new(shelf::open(&*self.disk, path)?));
        }
        self.disk.open_read(path).map_err(Error::io("open", path))
    }

    fn known_of(&self, source: &Source) -> Known {
        Known {
            source: self.below_root(&source.path).display().to_string(),
            session: source.session.to_string(),
            stat: source.stat,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Draft, Kind, Limits, MemoryId};
    use crate::store::local::LocalOptions;
    use crate::store::local::log::line::Line;
    use crate::store::local::shelf::{Packing, Sort};
    use crate::store::{Batch, OnFull, Store, Write};
    use crate::time::Time;

    fn put_on_shelf(store: &LocalStore, session: &str, ids: &[&str]) -> PathBuf {
        let folder = store.layout.archive(&session.parse().unwrap());
        let mut packing = Packing::create(&*store.disk, &folder, Sort::Part).unwrap();
        for id in ids {
            let line = Line {
                id: Some((*id).into()),
                ..Line::default()
            };
            packing.write(&line.encode().0).unwrap();
        }
        folder.join(packing.finish().unwrap().name)
    }

    fn keep(store: &LocalStore, id: &str) -> Result<()> {
        let id: MemoryId = id.parse()?;
        let text = String::from("a fact").try_into()?;
        let draft = Box::new(Draft::new(Kind::Fact, text));
        commit(store, "shared", Write::Add { id, draft })
    }

    fn commit(store: &LocalStore, space: &str, write: Write) -> Result<()> {
        let batch = Batch {
            space: space.parse()?,
            by: "user".into(),
            now: Time::nearest_to_micros(1),
            writes: vec![write],
            limits: Limits {
                session_entry_bytes_max: 1000,
                long_term_entry_bytes_max: 1000,
            },
            quota_bytes: None,
            on_full: OnFull::Refuse,
        };
        store.commit(batch).map(drop)
    }

    fn is_refused(kept: &Result<()>) -> bool {
        matches!(kept, Err(Error::IdShelved { .. }))
    }

    #[test]
    fn an_id_on_a_shelf_is_not_given_out_again() {
        let folder = tempfile::tempdir().unwrap();
        let open = || LocalStore::create(folder.path(), LocalOptions::default()).unwrap();
        let store = open();
        keep(&store, "free_0").unwrap();
        let path = put_on_shelf(&store, "s", &["taken_1", "taken_2"]);
        drop(store);

        // Another process compares the files with the index first.
        let store = open();
        assert!(is_refused(&keep(&store, "taken_1")));
        keep(&store, "free_1").unwrap();
        store.reindex(&mut |_| {}).unwrap();
        assert!(is_refused(&keep(&store, "taken_2")));
        assert_eq!(store.verify(&mut |_| {}).unwrap().problems, []);

        std::fs::remove_file(path).unwrap();
        drop(store);
        keep(&open(), "taken_1").unwrap();
    }

    #[test]
    fn a_log_in_the_trash_holds_its_ids_and_its_session() {
        let folder = tempfile::tempdir().unwrap();
        let store = LocalStore::create(folder.path(), LocalOptions::default()).unwrap();
        let trashed = store.layout.trashed(&"Gone".parse().unwrap());
        std::fs::create_dir_all(&trashed).unwrap();
        let line = Line {
            id: Some("taken".into()),
            ..Line::default()
        };
        std::fs::write(trashed.join("memory.jsonl"), line.encode().0).unwrap();
        assert!(is_refused(&keep(&store, "taken")));
        let details = crate::session::SessionDetails::default();
        let made = commit(&store, "session/gone", Write::CreateSession(details));
        assert!(matches!(made, Err(Error::SessionIdDeleted { session }) if session == "Gone"));
    }
}
