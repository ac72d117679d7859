//! The Model Context Protocol, on standard input and output.
//!
//! Every client starts a process of its own, so the handshake must cost next
//! to nothing: the store is opened by the first tool call, and the process
//! ends when its input does. Standard output carries the protocol alone.
//! `tools` says what is offered, a file of the same name does it, and
//! `answer` is how each of them comes back.

mod answer;
mod brief;
mod context;
mod door;
mod files;
mod forget;
mod inspect;
mod mended;
mod profile;
mod prompts;
mod recall;
mod reference;
mod related;
mod remember;
mod resources;
mod revise;
mod schema;
mod table;
mod tools;
mod view;

use std::io;
use std::sync::Arc;

use jiff::tz::TimeZone;
use mnemon::memory::{SessionId, Space};
use mnemon::{Code, Error};
use mnemon_wire::ErrorShape;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorCode, ErrorData, GetPromptRequestParams,
    GetPromptResponse, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError, ServiceExt};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ServerHandler, transport};
use serde_json::Value;
use tokio::sync::RwLock;

use crate::background::Background;
use crate::blocking::on_blocking_thread;
use crate::opened::Opened;
use crate::request::{fields, members, revision, scope};
use answer::{Answer, refused};
use door::Door;
pub use door::Need;
use fields::Arguments;
use mended::Mended;
pub use profile::Profile;
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
    /// What is offered, and where.
    pub setting: Setting,
}

/// What is offered, and where.
pub struct Setting {
    /// Where `remember` keeps what is not said to belong anywhere.
    pub session: Option<SessionId>,
    /// The zone of times without one.
    pub zone: TimeZone,
    /// Which tools are offered.
    pub profile: Profile,
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
        let lines = AsyncRwTransport::new_server(Mended::new(input), output)
            .with_max_line_length(LINE_BYTES_MAX);
        let server = Server::new(options, Background::default());
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

/// A server over a store that is open, for one caller.
pub(crate) fn over(opened: Opened, background: Background, setting: Setting) -> impl ServerHandler {
    let open = Box::new(move |_| Ok(opened.clone()));
    Server::new(Options { open, setting }, background)
}

struct Server {
    profile: Profile,
    shared: Arc<Shared>,
    /// Who may run beside whom: [`Turn`].
    turns: RwLock<()>,
}

/// What tool calls share.
struct Shared {
    door: Door,
    background: Background,
    session: Option<SessionId>,
    zone: TimeZone,
}

impl Shared {
    /// The store, opened if it is not open yet.
    fn opened(&self, need: Need) -> mnemon::Result<Arc<Opened>> {
        let opened = self.door.opened(need)?;
        self.background.begin(&opened);
        Ok(opened)
    }

    /// The session in which bare handles are looked up.
    fn session_of(&self, arguments: &mut Arguments) -> mnemon::Result<Option<SessionId>> {
        match fields::text(arguments, "session")? {
            Some(text) => text.parse().map(Some),
            None => Ok(self.session.clone()),
        }
    }

    /// Where what is not said to belong anywhere is kept.
    fn default_space(&self) -> Space {
        self.session.clone().map_or(Space::Shared, Space::Session)
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
    fn new(options: Options, background: Background) -> Self {
        let Setting {
            session,
            zone,
            profile,
        } = options.setting;
        Self {
            profile,
            shared: Arc::new(Shared {
                door: Door::new(options.open),
                background,
                session,
                zone,
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

    /// Looks at the store for something that is no tool.
    async fn look<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Shared) -> mnemon::Result<T> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let shared = Arc::clone(&self.shared);
        let _turn = self.turns.read().await;
        let looked = on_blocking_thread(move || {
            work(&shared).inspect_err(|error| shared.door.failed(error))
        });
        match looked.await {
            Ok(looked) => looked.map_err(|error| protocol_error(&error)),
            Err(panic) => {
                let message = format!("this is a bug in mnemon: {panic}");
                Err(ErrorData::new(ErrorCode::INTERNAL_ERROR, message, None))
            }
        }
    }
}

/// Where the protocol has no answers that are refusals: code, sentence and next step in one.
fn protocol_error(error: &Error) -> ErrorData {
    let code = match error.code() {
        Code::NotFound | Code::SessionNotFound => ErrorCode::RESOURCE_NOT_FOUND,
        Code::SchemaInvalid | Code::InvalidQuery | Code::InvalidFormat => ErrorCode::INVALID_PARAMS,
        _ => ErrorCode::INTERNAL_ERROR,
    };
    let message = format!("{} Next: {}", refused(error), error.hint());
    let envelope = serde_json::to_value(ErrorShape::of(error)).ok();
    ErrorData::new(code, message, envelope)
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder().enable_tools().build();
        capabilities.resources = self.profile.has_resources().then(Default::default);
        capabilities.prompts = self.profile.has_prompts().then(Default::default);
        let version = env!("CARGO_PKG_VERSION");
        let config = ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("mnemon", version));
        match self.profile.instructions() {
            Some(text) => config.with_instructions(text),
            None => config,
        }
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.profile.tools().iter().map(|tool| (tool.describe)());
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.as_ref();
        let Some(tool) = self.profile.tools().iter().find(|tool| tool.name == name) else {
            let name: String = name.chars().take(60).collect();
            let message = format!("there is no tool {name}; tools/list shows them");
            return Err(ErrorData::new(ErrorCode::INVALID_PARAMS, message, None));
        };
        let arguments = request.arguments.unwrap_or_default();
        Ok(self.run(tool, arguments).await.into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = self.look(self.profile.list_resources()).await?;
        Ok(ListResourcesResult::with_all_items(resources))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = self.profile.resource_templates();
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.profile.read_resource();
        let read = move |shared: &Shared| read(shared, &request.uri);
        let contents = self.look(read).await?;
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = if self.profile.has_prompts() {
            prompts::list()
        } else {
            Vec::new()
        };
        Ok(ListPromptsResult::with_all_items(prompts))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if !self.profile.has_prompts() || !prompts::has(&request.name) {
            let name = fields::short(&request.name);
            let message = format!("there is no prompt {name}; prompts/list shows them");
            return Err(ErrorData::new(ErrorCode::INVALID_PARAMS, message, None));
        }
        let arguments = request.arguments.unwrap_or_default();
        let get = move |shared: &Shared| prompts::get(shared, &request.name, arguments);
        Ok(self.look(get).await?.into())
    }
}
