//! The post: of processes that write at the same time, one writes for all.
//!
//! Each of them would need the lock, an index transaction and a sync of its
//! own. So a process that had to wait for the lock opens a post, a socket
//! below `index/`, and sends its next memories to the post that was opened
//! first. There every connection has a thread that joins the line like any other,
//! so that they share turns ([`serve`] is that side, [`message`] the words).
//!
//! Invariant: nothing depends on it. Whoever gets no answer hangs up and writes
//! itself. Who hung up is not written for, which is looked at under the lock.

mod message;
mod serve;

use std::fs;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::LocalStore;
use crate::config::Durability;
use crate::store::{Batch, Receipt, Write};
pub(super) use serve::Asker;
use serve::Service;

/// How long an answer is waited for; whoever is asked may be stopped or swapped out.
const PATIENCE: Duration = Duration::from_millis(500);

/// After an answer that did not come, nobody is asked for so long.
const SULK: Duration = Duration::from_secs(10);

/// The post of one process, and its way to those of others.
#[derive(Debug)]
pub(super) struct Post {
    folder: PathBuf,
    /// The store that serves; only one that is shared can.
    store: OnceLock<Weak<LocalStore>>,
    /// Whether others write at the same time, so that sending is worth it.
    crowded: AtomicBool,
    /// Our own post, and whether it is the first of all.
    service: Mutex<Option<Service>>,
    is_first: AtomicBool,
    /// Connections to another post that nobody uses at the moment.
    idle: Mutex<Vec<UnixStream>>,
    /// Nobody is asked before that.
    sulks_until: Mutex<Option<Instant>>,
}

impl LocalStore {
    /// Lets this store write for other processes too, once it met any.
    pub(super) fn may_serve(&self, itself: Weak<Self>) {
        let _ = self.post.store.set(itself);
    }

    /// Takes note that another process had the lock.
    pub(super) fn met_others(&self) {
        if self.options.durability == Durability::Always && !self.post.sulks() {
            self.post.open();
            self.post.crowded.store(true, Ordering::Relaxed);
        }
    }

    fn is_to_be_sealed(&self, batch: &Batch) -> bool {
        let is_sensitive =
            |write: &Write| matches!(write, Write::Add { draft, .. } if draft.sensitive);
        self.keys.keyring().seals_everything() || batch.writes.iter().any(is_sensitive)
    }

    /// Has another process write a batch together with those of others.
    ///
    /// None if nobody else writes, or if the batch is to be written here.
    pub(super) fn commit_by_post(&self, batch: &Batch) -> Option<Receipt> {
        if !self.post.crowded.load(Ordering::Relaxed) {
            return None;
        }
        // Whoever serves may not have the key.
        if self.is_to_be_sealed(batch) {
            return None;
        }
        let request = message::request(batch)?;
        let patience = PATIENCE.min(Duration::from_millis(self.options.lock_timeout_ms.max(1)));
        let stream = self.post.connection(patience)?;
        match ask(&stream, &request, batch, patience) {
            Ok(answer) => {
                // Alone it is quicker to write without asking.
                let crowded = answer.as_ref().is_some_and(|(_, together)| *together > 1);
                self.post.crowded.store(crowded, Ordering::Relaxed);
                self.post.idle().push(stream);
                answer.map(|(receipt, _)| receipt)
            }
            Err(error) => {
                // Hanging up comes before anything else: from here on nobody writes it for us.
                drop(stream);
                self.post.hang_up(&error);
                None
            }
        }
    }
}

impl Post {
    pub(super) fn new(index: &Path) -> Self {
        Self {
            folder: index.join(message::FOLDER),
            store: OnceLock::new(),
            crowded: AtomicBool::new(false),
            service: Mutex::new(None),
            is_first: AtomicBool::new(false),
            idle: Mutex::default(),
            sulks_until: Mutex::default(),
        }
    }

    /// Takes no more requests; those who wait hear nothing and write themselves.
    pub(super) fn close(&self) {
        drop(self.service().take());
        self.idle().clear();
    }

    fn open(&self) {
        let mut service = self.service();
        if service.is_none()
            && let Some(store) = self.store.get()
        {
            // Where no socket can be made, everybody writes alone.
            *service = Service::open(&self.folder, store).ok();
        }
    }

    /// A way to the first post; none if that is ours or there is none.
    fn connection(&self, patience: Duration) -> Option<UnixStream> {
        if self.is_first.load(Ordering::Relaxed) {
            return None;
        }
        if let Some(stream) = self.idle().pop() {
            return Some(stream);
        }
        let own = self.service().as_ref().map(|service| service.name.clone());
        for name in names(&self.folder) {
            if Some(&name) == own.as_ref() {
                self.is_first.store(true, Ordering::Relaxed);
                return None;
            }
            let path = self.folder.join(&name);
            match UnixStream::connect(&path) {
                Ok(stream) => {
                    stream.set_read_timeout(Some(patience)).ok()?;
                    stream.set_write_timeout(Some(patience)).ok()?;
                    return Some(stream);
                }
                // Its process is gone.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                    let _ = fs::remove_file(&path);
                }
                Err(_) => return None,
            }
        }
        None
    }

    fn hang_up(&self, error: &io::Error) {
        self.idle().clear();
        self.crowded.store(false, Ordering::Relaxed);
        let timed_out = [io::ErrorKind::WouldBlock, io::ErrorKind::TimedOut];
        if timed_out.contains(&error.kind()) {
            *self.sulking() = Some(Instant::now() + SULK);
        }
    }

    fn sulks(&self) -> bool {
        self.sulking().is_some_and(|until| Instant::now() < until)
    }

    fn sulking(&self) -> MutexGuard<'_, Option<Instant>> {
        lock(&self.sulks_until)
    }

    fn service(&self) -> MutexGuard<'_, Option<Service>> {
        lock(&self.service)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<UnixStream>> {
        lock(&self.idle)
    }
}

/// What became of a request, and how many were served together; none if it was not granted.
fn ask(
    stream: &UnixStream,
    request: &[u8],
    batch: &Batch,
    patience: Duration,
) -> io::Result<Option<(Receipt, usize)>> {
    message::write(stream, request)?;
    message::read_answer(batch, &message::read(stream, Some(patience))?)
}

/// The posts, in the order in which they were opened.
fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort_unstable();
    names
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::memory::{Draft, Kind};
    use crate::store::local::LocalOptions;
    use crate::store::local::fixture::batch;
    use crate::store::{Store, Write};

    /// A store that takes it that it is not alone; the first one on a folder writes for the others.
    fn open(root: &Path) -> Arc<LocalStore> {
        let options = LocalOptions {
            expects_others: true,
            ..LocalOptions::default()
        };
        let store = Arc::new(LocalStore::create(root, options).unwrap());
        store.clone().be_shared();
        store
    }

    fn add(id: &str, text: &str) -> Write {
        Write::Add {
            id: id.parse().unwrap(),
            draft: Box::new(Draft::new(Kind::Fact, text.parse().unwrap())),
        }
    }

    fn text_of(store: &LocalStore, id: &str) -> Option<String> {
        let reference = crate::memory::Reference::Id(id.parse().unwrap());
        let found = store.find(&reference).unwrap();
        found.map(|memory| memory.text.to_string())
    }

    #[test]
    fn the_first_process_writes_for_the_second() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (open(folder.path()), open(folder.path()));
        let one = batch(vec![add("a", "one"), add("b", "two")]);
        let receipt = second.commit_by_post(&one).unwrap();
        assert!(receipt.durable);
        let told: Vec<_> = receipt
            .outcomes
            .iter()
            .map(|it| (&it.id, it.changed))
            .collect();
        assert_eq!(
            told,
            [
                (&Some("a".parse().unwrap()), true),
                (&Some("b".parse().unwrap()), true)
            ]
        );
        assert_eq!(text_of(&second, "b").as_deref(), Some("two"));
        // Nobody else wrote meanwhile, so the next one is not sent.
        assert!(second.commit_by_post(&one).is_none());
        // Told twice, kept once, whoever is told.
        let again = second.commit(one).unwrap();
        assert!(again.outcomes.iter().all(|outcome| !outcome.changed));
        assert!(
            first
                .commit_by_post(&batch(vec![add("c", "three")]))
                .is_none()
        );
    }

    #[test]
    fn what_is_refused_there_is_refused_here_with_the_same_words() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (open(folder.path()), open(folder.path()));
        first.commit(batch(vec![add("a", "one")])).unwrap();
        let other = batch(vec![add("a", "something else")]);
        assert!(second.commit_by_post(&other).is_none());
        let refusal = second.commit(other).unwrap_err();
        assert!(matches!(refusal, crate::Error::IdTaken { .. }), "{refusal}");
    }

    #[test]
    fn only_new_memories_are_sent() {
        let folder = tempfile::tempdir().unwrap();
        let (_first, second) = (open(folder.path()), open(folder.path()));
        let forget = Write::Forget {
            id: "a".parse().unwrap(),
            reason: "wrong".into(),
            recover_until: "2026-02-10T12:00:00Z".parse().unwrap(),
            earlier: None,
        };
        assert!(
            second
                .commit_by_post(&batch(vec![add("b", "x"), forget]))
                .is_none()
        );
        assert_eq!(text_of(&second, "b"), None);
    }

    #[test]
    fn who_hangs_up_is_not_written_for() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (open(folder.path()), open(folder.path()));
        let held = first.lock.acquire("keep others waiting").unwrap();
        let caller = second.post.connection(PATIENCE).unwrap();
        let request = message::request(&batch(vec![add("a", "one")])).unwrap();
        message::write(&caller, &request).unwrap();
        let connections = || first.post.service().as_ref().unwrap().connections();
        while connections() == 0 {
            std::thread::yield_now();
        }
        drop(caller);
        drop(held);
        // Its thread is done once the connection is gone from the list.
        while connections() > 0 {
            std::thread::yield_now();
        }
        assert_eq!(text_of(&second, "a"), None);
    }

    #[test]
    fn what_refers_to_another_space_is_kept_too() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (open(folder.path()), open(folder.path()));
        let elsewhere = crate::store::Batch {
            space: "agent/ann".parse().unwrap(),
            ..batch(vec![add("a", "one")])
        };
        first.commit(elsewhere).unwrap();
        let mut draft = Draft::new(Kind::Fact, "two".parse().unwrap());
        draft.links = vec![crate::memory::Link {
            rel: "related".parse().unwrap(),
            to: "a".parse().unwrap(),
        }];
        let linking = Write::Add {
            id: "b".parse().unwrap(),
            draft: Box::new(draft),
        };
        let receipt = second.commit_by_post(&batch(vec![linking])).unwrap();
        assert!(receipt.durable && receipt.outcomes[0].changed);
        assert_eq!(text_of(&first, "b").as_deref(), Some("two"));
    }

    #[test]
    fn who_does_not_wait_for_an_answer_is_hung_up_on() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (open(folder.path()), open(folder.path()));
        let held = first.lock.acquire("keep others waiting").unwrap();
        // Somebody leads and waits for the lock: the next ones are only put into the line.
        let request = |id: &str| message::request(&batch(vec![add(id, "one")])).unwrap();
        let ask_and_wait = |id: &str, waiting| {
            let stream = second.post.connection(PATIENCE).unwrap();
            message::write(&stream, &request(id)).unwrap();
            while first.queue.waiting() != Some(waiting) {
                std::thread::yield_now();
            }
            stream
        };
        let leading = ask_and_wait("a", 0);
        let next = ask_and_wait("d", 1);
        let hasty = second.post.connection(PATIENCE).unwrap();
        for stream in [&leading, &next, &hasty] {
            stream.set_read_timeout(None).unwrap();
        }
        message::write(&hasty, &request("b")).unwrap();
        message::write(&hasty, &request("c")).unwrap();
        assert!(
            message::read(&hasty, None).is_err(),
            "no answer, but the end"
        );
        drop(held);
        assert!(message::read(&leading, None).is_ok());
        assert!(message::read(&next, None).is_ok());
        for (id, text) in [
            ("a", Some("one")),
            ("b", None),
            ("c", None),
            ("d", Some("one")),
        ] {
            assert_eq!(text_of(&second, id).as_deref(), text, "{id}");
        }
    }

    #[test]
    fn whoever_gets_no_answer_writes_itself() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (open(folder.path()), open(folder.path()));
        // The way is known, but nobody is at its end any more.
        let way = second.post.connection(PATIENCE).unwrap();
        second.post.idle().push(way);
        drop(first);
        let receipt = second.commit(batch(vec![add("a", "one")])).unwrap();
        assert!(receipt.outcomes[0].changed);
        assert_eq!(text_of(&second, "a").as_deref(), Some("one"));
        assert_eq!(
            names(&second.post.folder).len(),
            1,
            "the closed one is gone"
        );
    }

    #[test]
    fn the_post_of_a_dead_process_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let post = folder.path().join("index").join(message::FOLDER);
        fs::create_dir_all(&post).unwrap();
        // As a kill leaves it: the name of a socket that nobody listens to.
        drop(std::os::unix::net::UnixListener::bind(post.join("0")).unwrap());
        let (_first, second) = (open(folder.path()), open(folder.path()));
        let one = batch(vec![add("a", "one")]);
        assert!(second.commit_by_post(&one).is_some());
        assert_eq!(names(&post).len(), 2);
    }
}
