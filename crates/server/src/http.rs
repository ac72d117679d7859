//! HTTP: the API under `/v1`, events, metrics, and the Model Context Protocol.
//!
//! `routes` is the one table; requests are dispatched by it, the `OpenAPI`
//! document is made from it, and the tests walk it. The path of a request is
//! `answer::answer`: meant for us, who asks, how often, how large, and only
//! then the engine, on a thread that may wait.

mod answer;
mod asked;
mod body;
mod connection;
mod depth;
mod entry;
mod events;
mod guard;
mod heaps;
mod listeners;
mod log;
mod mcp;
mod metrics;
mod openapi;
mod rate;
mod reply;
mod retry;
mod route;
mod routes;
mod schema;
mod seeded;
mod state;
mod status;
mod target;
mod upkeep;
mod visit;

use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use jiff::tz::TimeZone;
use mnemon::memory::Kind;
use mnemon::token::Admission;
use mnemon::{Caller, Error, Mnemon, Result};
use serde_json::Value;
use tokio::sync::{Semaphore, watch};

use crate::background::Background;
use crate::opened::Opened;
use body::Room;
use guard::Guard;
use listeners::Listeners;
use log::Log;
use metrics::Metrics;
use rate::Rate;
use retry::Doing;
pub use route::Method;
use state::State;
pub use status::status_of;

/// What the server needs to know; the rest is in the settings of the engine.
pub struct Options {
    /// The store.
    pub engine: Mnemon,
    /// The user, on whose behalf the server works, and everybody asks while there are no tokens.
    pub user: Caller,
    /// The zone of times without one.
    pub zone: TimeZone,
    /// Where it listens.
    pub listen: SocketAddr,
    /// Where the log goes.
    pub log: Box<dyn Write + Send>,
}

/// So many large answers are written at once; threads must be left for everything else.
const WRITING_MAX: usize = 8;

/// A server that has its address and does not answer yet.
pub struct Server {
    listener: TcpListener,
    state: Arc<State>,
    stop: Stop,
}

/// Asks a server to end.
#[derive(Clone)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Stop {
    /// From now on nothing new is answered, and what has begun is finished.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Takes the address. Anything but this machine itself is refused while there are no tokens.
    pub fn bind(options: Options) -> Result<Self> {
        let Options {
            engine,
            user,
            zone,
            listen,
            log,
        } = options;
        let admission = engine.admit(None)?;
        if !listen.ip().is_loopback() && admission == Admission::NoTokens {
            return Err(Error::Rule {
                field: "listen",
                rule: "an address of this machine alone, such as 127.0.0.1:7077, until there is a \
                    token (`mnemon token new`)"
                    .into(),
                given: listen.to_string(),
            });
        }
        let failed = |error| Error::Io {
            action: "listen at",
            path: listen.to_string().into(),
            source: Arc::new(error),
        };
        let listener = TcpListener::bind(listen).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let config = engine.config().server.clone();
        let level = engine.config().log.level;
        let (sender, stopping) = watch::channel(false);
        let state = State {
            zone,
            address,
            background: Background::default(),
            guard: Guard::new(&config.hosts, &config.origins),
            rate: Rate::new(config.rate_per_second),
            metrics: Metrics::default(),
            log: Log::new(level, log),
            run: new_run(&engine),
            requests: 0.into(),
            doing: Doing::default(),
            listeners: Listeners::new(config.streams_max, config.streams_per_token),
            room: Room::new(config.bodies_bytes_max.max(config.body_bytes_max)),
            writing: Arc::new(Semaphore::new(WRITING_MAX)),
            stopping,
            opened: Opened {
                engine: Arc::new(engine),
                caller: user,
            },
        };
        Ok(Self {
            listener,
            state: Arc::new(state),
            stop: Stop(Arc::new(sender)),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.state.address
    }

    /// What asks it to end.
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Answers until it is asked to end: by [`Stop`], or by the system.
    pub fn run(self) -> io::Result<()> {
        connection::run(self.listener, &self.state, &self.stop)
    }
}

/// What tells one run from another: random, and short enough to be read.
fn new_run(engine: &Mnemon) -> String {
    let id = engine.new_id(Kind::Event).to_string().to_lowercase();
    id[id.len().saturating_sub(10)..].to_owned()
}

/// The `OpenAPI` document.
pub fn openapi() -> Value {
    openapi::document(mnemon::Config::default().server.page_max)
}

/// Every route: how and where it is asked for, and the role that it needs; none if everybody may.
pub fn routes() -> Vec<(Method, &'static str, Option<mnemon::caller::Role>)> {
    let all = routes::routes().iter();
    all.map(|route| {
        let needs = route.does.first().map(|it| it.needs());
        (route.method, route.path, needs)
    })
    .collect()
}
