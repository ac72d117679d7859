//! The side that writes for others: a thread that waits for them, and one for each.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use rustix::net::RecvFlags;

use super::{lock, message};
use crate::error::Result;
use crate::store::local::{LocalStore, wall_micros};
use crate::store::{Batch, Receipt};

/// More than this many are not served at a time; the others write themselves.
const CONNECTIONS_MAX: usize = 64;

/// An open post; closed when it is dropped.
#[derive(Debug)]
pub(super) struct Service {
    pub(super) name: String,
    path: PathBuf,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    closed: AtomicBool,
    connections: Mutex<Vec<Arc<UnixStream>>>,
}

/// Whoever waits for an answer.
#[derive(Clone, Debug)]
pub(in crate::store::local) struct Asker(Arc<UnixStream>);

impl Asker {
    /// Whether it waits no more. It has nothing to say before it got its answer.
    pub(in crate::store::local) fn is_gone(&self) -> bool {
        let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
        let mut byte = [0_u8; 1];
        let heard = rustix::net::recv(&*self.0, &mut byte, flags);
        !matches!(heard, Err(rustix::io::Errno::AGAIN))
    }
}

impl Service {
    /// Opens a post in a folder.
    pub(super) fn open(folder: &Path, store: &Weak<LocalStore>) -> io::Result<Self> {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
        // Names sort by age.
        let name = format!("{:020}-{}", wall_micros(), std::process::id());
        let path = folder.join(&name);
        // It gets its name when it is ready: what can't be reached is taken for dead.
        let hidden = folder.join(format!(".{name}"));
        let listener = UnixListener::bind(&hidden)?;
        fs::set_permissions(&hidden, fs::Permissions::from_mode(0o600))?;
        fs::rename(&hidden, &path)?;
        let state = Arc::new(State::default());
        let (shared, store) = (state.clone(), store.clone());
        std::thread::Builder::new()
            .name("mnemon-post".into())
            .spawn(move || accept(&listener, &shared, &store))?;
        Ok(Self { name, path, state })
    }

    #[cfg(test)]
    pub(super) fn connections(&self) -> usize {
        lock(&self.state.connections).len()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.state.closed.store(true, Ordering::Release);
        // A last caller wakes the thread that waits for callers.
        let _ = UnixStream::connect(&self.path);
        let _ = fs::remove_file(&self.path);
        for connection in lock(&self.state.connections).drain(..) {
            let _ = connection.shutdown(std::net::Shutdown::Both);
        }
    }
}

fn accept(listener: &UnixListener, state: &Arc<State>, store: &Weak<LocalStore>) {
    for stream in listener.incoming() {
        let Ok(stream) = stream else { return };
        let mut connections = lock(&state.connections);
        if state.closed.load(Ordering::Acquire) {
            return;
        }
        if connections.len() >= CONNECTIONS_MAX {
            continue;
        }
        let stream = Arc::new(stream);
        connections.push(stream.clone());
        drop(connections);
        let (shared, store) = (state.clone(), store.clone());
        let serving = std::thread::Builder::new()
            .name("mnemon-post".into())
            .spawn(move || {
                let _ = serve(&stream, &store);
                lock(&shared.connections).retain(|open| !Arc::ptr_eq(open, &stream));
            });
        if serving.is_err() {
            return;
        }
    }
}

/// Answers one process until it hangs up.
fn serve(stream: &Arc<UnixStream>, store: &Weak<LocalStore>) -> io::Result<()> {
    loop {
        let batch = message::read_request(&message::read(stream)?);
        let kept = match (batch, store.upgrade()) {
            // Whatever is wrong, the sender finds it out for itself.
            (Some(batch), Some(store)) => store.commit_for(batch, &Asker(stream.clone())).ok(),
            (None, Some(_)) => None,
            (_, None) => return Ok(()),
        };
        message::write(stream, &message::answer(kept.flatten()))?;
    }
}

impl LocalStore {
    /// Writes a batch for another process, whole way; none if it has to do so itself.
    fn commit_for(&self, batch: Batch, asker: &Asker) -> Result<Option<(Receipt, usize)>> {
        self.refuse_after_fork()?;
        let space = batch.space.clone();
        let appended = self.append_in_turn(Arc::new(batch), Some(asker.clone()))?;
        let durable = match &appended.proof {
            Some(proof) => {
                self.make_durable(&space, proof)? && self.is_still_there(&space, proof)?
            }
            None => true,
        };
        Ok(durable.then_some((appended.receipt, appended.together)))
    }
}
