//! The Model Context Protocol, on standard input and output.
//!
//! Every client starts a process of its own, so the handshake must cost next
//! to nothing: the store is opened by the first tool call, and the process
//! ends when its input does. Standard output carries the protocol alone.
//! [`tools`] says what is offered, `remember` and `recall` do it, and
//! `answer` is how each of them comes back.

mod answer;
mod background;
mod compaction;
mod door;
mod fields;
mod recall;
mod remember;
mod scope;
pub mod tools;

use std::io;
use std::sync::Arc;

use jiff::tz::TimeZone;
use mnemon::memory::SessionId;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorCode, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError, ServiceExt};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ServerHandler, transport};
use serde_json::{Map, Value};
use tokio::sync::RwLock;

use crate::blocking::on_blocking_thread;
use answer::Answer;
use background::Background;
use compaction::Compacting;
use door::Door;
pub use door::{Need, Opened};

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
        let server = Server::new(options);
        let shared = Arc::clone(&server.shared);
        match server.serve(lines).await {
            Ok(running) => {
                let ended = running.waiting().await;
                // The client has all its answers: what it asked for can be written down.
                shared.door.close();
                ended.map(drop).map_err(io::Error::other)
            }
            // A client that goes before it said anything did nothing wrong.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        }
    })
}

struct Server {
    shared: Arc<Shared>,
    /// Keeps the order of a client that does not wait for its answers: what it
    /// keeps is found by what it asks after that. Questions go side by side.
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

    async fn run(
        &self,
        tool: fn(&Shared, Map<String, Value>) -> Answer,
        arguments: Map<String, Value>,
    ) -> Answer {
        let shared = Arc::clone(&self.shared);
        on_blocking_thread(move || tool(&shared, arguments))
            .await
            .unwrap_or_else(|panic| Answer::bug(&panic))
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
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let answer = match request.name.as_ref() {
            tools::REMEMBER => {
                let _turn = self.turns.write().await;
                self.run(remember::remember, arguments).await
            }
            tools::RECALL => {
                let _turn = self.turns.read().await;
                self.run(recall::recall, arguments).await
            }
            other => {
                let other: String = other.chars().take(60).collect();
                let message = format!("there is no tool {other}; tools/list shows them");
                return Err(ErrorData::new(ErrorCode::INVALID_PARAMS, message, None));
            }
        };
        Ok(answer.into())
    }
}
