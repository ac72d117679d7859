//! The Model Context Protocol, on standard input and output.
//!
//! Every client starts a process of its own, so the handshake must cost next
//! to nothing: the store is opened by the first tool call, and the process
//! ends when its input does. Standard output carries the protocol alone.
//! `tools` says what is offered, a file of the same name does it, and
//! `answer` is how each of them comes back.

mod answer;
mod background;
mod brief;
mod compaction;
mod door;
mod fields;
mod forget;
mod inspect;
mod links;
mod recall;
mod related;
mod remember;
mod revise;
mod schema;
mod scope;
mod table;
mod tools;

use std::io;
use std::sync::Arc;

use jiff::tz::TimeZone;
use mnemon::Error;
use mnemon::memory::SessionId;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorCode, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError, ServiceExt};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ServerHandler, transport};
use serde_json::Value;
use tokio::sync::RwLock;

use crate::blocking::on_blocking_thread;
use answer::Answer;
use background::Background;
use compaction::Compacting;
use door::Door;
pub use door::{Need, Opened};
use fields::Arguments;
use table::{Entry, Turn};

/// Longer lines are dropped by the transport. The largest memory is 10 MiB of
/// text, and JSON needs more than one byte for some of its characters.
const LINE_BYTES_MAX: usize = 32 << 20;

/// Enough for questions at the same time; more of them wait for their turn.
const THREADS_MAX: usize = 8;

/// What the server needs to know.
pub struct Options {
    /// Opens the store when the first tool is called.
    pub open: Box<dyn Fn(Need) -> mnemon::Result<Opened> + Send + Sync>,
    /// Where `remember` keeps what is not said to belong anywhere.
    pub session: Option<SessionId>,
    /// The zone of times without one.
    pub zone: TimeZone,
}

/// Answers on standard input and output until the input ends.
///
/// [`io::ErrorKind::InvalidData`] if what comes in is not the protocol.
pub fn serve_stdio(options: Options) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(THREADS_MAX)
        .build()?;
    runtime.block_on(async {
        let (input, output) = transport::io::stdio_pipes();
        let lines =
            AsyncRwTransport::new_server(input, output).with_max_line_length(LINE_BYTES_MAX);
        match Server::new(options).serve(lines).await {
            Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
            // A client that goes before it said anything did nothing wrong.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        }
    })
}

struct Server {
    shared: Arc<Shared>,
    /// Who may run beside whom: [`Turn`].
    turns: RwLock<()>,
}

/// What tool calls share.
struct Shared {
    door: Door,
    background: Background,
    compacting: Compacting,
    session: Option<SessionId>,
    zone: TimeZone,
}

impl Shared {
    /// The store, opened if it is not open yet.
    fn opened(&self, need: Need) -> mnemon::Result<Arc<Opened>> {
        let opened = self.door.opened(need)?;
        self.background.start_once(&opened);
        Ok(opened)
    }

    /// The session in which bare handles are looked up.
    fn session_of(&self, arguments: &mut Arguments) -> mnemon::Result<Option<SessionId>> {
        match fields::text(arguments, "session")? {
            Some(text) => text.parse().map(Some),
            None => Ok(self.session.clone()),
        }
    }

    /// The answer to a call that was refused.
    fn refused(&self, error: &Error) -> Answer {
        self.door.failed(error);
        Answer::error(error)
    }

    /// The answer to a question that was refused, or for which there is no store yet.
    fn unanswered(&self, error: &Error, empty: impl FnOnce() -> Value) -> Answer {
        match error {
            Error::NoStore { .. } if self.door.was_open() => self.refused(error).with_line(
                "The store was there before: its folder was moved or removed meanwhile. \
                 The next remember makes a new one.",
            ),
            // Agents ask before they keep anything, so this is how most begin.
            Error::NoStore { .. } => Answer::new(
                "Nothing is remembered yet; the first remember makes the store.".into(),
                empty(),
            ),
            error => self.refused(error),
        }
    }
}

impl Server {
    fn new(options: Options) -> Self {
        Self {
            shared: Arc::new(Shared {
                door: Door::new(options.open),
                background: Background::default(),
                compacting: Compacting::default(),
                session: options.session,
                zone: options.zone,
            }),
            turns: RwLock::new(()),
        }
    }

    async fn run(&self, tool: &Entry, arguments: Arguments) -> Answer {
        let (shared, run) = (Arc::clone(&self.shared), tool.run);
        let work = on_blocking_thread(move || run(&shared, arguments));
        let ended = match tool.turn {
            Turn::Alone => {
                let _turn = self.turns.write().await;
                work.await
            }
            Turn::Beside => {
                let _turn = self.turns.read().await;
                work.await
            }
        };
        ended.unwrap_or_else(|panic| Answer::bug(&panic))
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let version = env!("CARGO_PKG_VERSION");
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("mnemon", version))
            .with_instructions(tools::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = tools::TOOLS.iter().map(|tool| (tool.describe)());
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.as_ref();
        let Some(tool) = tools::TOOLS.iter().find(|tool| tool.name == name) else {
            let name: String = name.chars().take(60).collect();
            let message = format!("there is no tool {name}; tools/list shows them");
            return Err(ErrorData::new(ErrorCode::INVALID_PARAMS, message, None));
        };
        let arguments = request.arguments.unwrap_or_default();
        Ok(self.run(tool, arguments).await.into())
    }
}
