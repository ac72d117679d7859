//! A store with a server in front of it.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use jiff::tz::TimeZone;
use mnemon::caller::{Role, Who};
use mnemon::token::NewToken;
use mnemon::{Caller, Mnemon};
use mnemon_server::http::{Options, Server, Stop};
use tempfile::TempDir;

use crate::client::Client;

pub(crate) struct House {
    folder: TempDir,
    pub(crate) address: SocketAddr,
    stop: Stop,
    running: Option<JoinHandle<io::Result<()>>>,
    log: Lines,
}

/// What the server wrote into its log.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl House {
    pub(crate) fn new() -> Self {
        Self::with("")
    }

    /// With these settings.
    pub(crate) fn with(settings: &str) -> Self {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("mnemon.toml"), settings).unwrap();
        let log = Lines::default();
        let (address, stop, running) = start(folder.path(), &log);
        Self {
            folder,
            address,
            stop,
            running: Some(running),
            log,
        }
    }

    /// Ends the server and starts another over the same store.
    pub(crate) fn restart(&mut self) {
        self.end();
        let (address, stop, running) = start(self.folder.path(), &self.log);
        (self.address, self.stop, self.running) = (address, stop, Some(running));
    }

    /// Asks it to end, and does not wait.
    pub(crate) fn stop(&self) {
        self.stop.stop();
    }

    /// Waits until it has ended.
    pub(crate) fn end(&mut self) {
        self.stop();
        if let Some(running) = self.running.take() {
            running.join().unwrap().unwrap();
        }
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.address)
    }

    /// The store, as another process has it.
    pub(crate) fn engine(&self) -> Mnemon {
        Mnemon::open(self.folder.path()).unwrap()
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A token for an agent, or for the user.
    pub(crate) fn token(&self, agent: Option<&str>, role: Role) -> String {
        let new = NewToken {
            name: None,
            who: match agent {
                Some(agent) => Who::Agent(agent.parse().unwrap()),
                None => Who::User("user".into()),
            },
            role,
            tier: None,
            expires_at: None,
        };
        let engine = self.engine();
        engine.new_token(&Caller::user("user"), new).unwrap().1
    }

    pub(crate) fn log(&self) -> String {
        let all = self.log.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8(all.clone()).unwrap()
    }
}

fn start(root: &Path, log: &Lines) -> (SocketAddr, Stop, JoinHandle<io::Result<()>>) {
    let server = Server::bind(Options {
        engine: Mnemon::open(root).unwrap(),
        user: Caller::user("user"),
        zone: TimeZone::UTC,
        listen: "127.0.0.1:0".parse().unwrap(),
        log: Box::new(log.clone()),
    })
    .unwrap();
    let (address, stop) = (server.address(), server.stop());
    (address, stop, std::thread::spawn(move || server.run()))
}

impl Drop for House {
    fn drop(&mut self) {
        self.stop();
        if let Some(running) = self.running.take() {
            let _ = running.join();
        }
    }
}
