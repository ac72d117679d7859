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
use crate::store::Receipt;
use crate::store::local::{LocalStore, wall_micros};

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
    connections: Mutex<Vec<Arc<Connection>>>,
}

/// The way to another process.
#[derive(Debug)]
struct Connection {
    stream: UnixStream,
    /// Whether a request of it was not answered yet.
    asks: AtomicBool,
}

impl Connection {
    fn hang_up(&self) {
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }
}

/// Whoever waits for an answer.
#[derive(Clone, Debug)]
pub(in crate::store::local) struct Asker(Arc<Connection>);

impl Asker {
    /// Answers: what was kept, and how many requests together; none if it has to write itself.
    pub(in crate::store::local) fn tell(&self, kept: Option<(Receipt, usize)>) {
        self.0.asks.store(false, Ordering::Release);
        // Whoever hears nothing writes itself, and finds what is there.
        if message::write_at_once(&self.0.stream, &message::answer(kept)).is_err() {
            self.0.hang_up();
        }
    }

    /// Whether it waits no more. It has nothing to say before it got its answer.
    pub(in crate::store::local) fn is_gone(&self) -> bool {
        let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
        let mut byte = [0_u8; 1];
        let heard = rustix::net::recv(&self.0.stream, &mut byte, flags);
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
            connection.hang_up();
        }
    }
}

/// A connection that is served, until this is dropped, even by a panic.
struct Served {
    connection: Arc<Connection>,
    state: Arc<State>,
}

impl Drop for Served {
    fn drop(&mut self) {
        let Self { connection, state } = self;
        connection.hang_up();
        lock(&state.connections).retain(|open| !Arc::ptr_eq(open, connection));
    }
}

fn accept(listener: &UnixListener, state: &Arc<State>, store: &Weak<LocalStore>) {
    for stream in listener.incoming() {
        let Ok(stream) = stream else { return };
        #[cfg(target_vendor = "apple")]
        let _ = rustix::net::sockopt::set_socket_nosigpipe(&stream, true);
        let mut connections = lock(&state.connections);
        if state.closed.load(Ordering::Acquire) {
            return;
        }
        if connections.len() >= CONNECTIONS_MAX {
            continue;
        }
        let connection = Arc::new(Connection {
            stream,
            asks: AtomicBool::new(false),
        });
        connections.push(connection.clone());
        drop(connections);
        let served = Served {
            connection,
            state: state.clone(),
        };
        let store = store.clone();
        let serving = std::thread::Builder::new()
            .name("mnemon-post".into())
            .spawn(move || serve(&served.connection, &store));
        if serving.is_err() {
            return;
        }
    }
}

/// Takes the requests of one process until it hangs up; whoever leads their group answers them.
fn serve(connection: &Arc<Connection>, store: &Weak<LocalStore>) -> io::Result<()> {
    loop {
        let batch = message::read_request(&message::read(&connection.stream, None)?);
        if connection.asks.swap(true, Ordering::AcqRel) {
            // Who does not wait for an answer would have any number of them wait.
            return Err(io::ErrorKind::InvalidData.into());
        }
        let Some(store) = store.upgrade() else {
            return Ok(());
        };
        let asker = Asker(connection.clone());
        match batch {
            Some(batch) if store.refuse_after_fork().is_ok() => {
                store.append_for(Arc::new(batch), asker);
            }
            // Whatever is wrong, the sender finds it out for itself.
            _ => asker.tell(None),
        }
    }
}
