//! The Model Context Protocol as streamable HTTP: the same tools as over
//! standard input, each call on behalf of the token that it came with.
//!
//! Without sessions: a call brings all that it needs, so it is answered by
//! whichever server it reaches, after a restart too.

use std::sync::Arc;

use hyper::body::Body;
use hyper::{Request, Response};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::reply::Payload;
use super::state::State;
use crate::mcp;
use crate::opened::Opened;

/// Answers one call.
pub(super) async fn answer<B>(
    state: &Arc<State>,
    opened: Opened,
    request: Request<B>,
) -> Response<Payload>
where
    B: Body + Send + 'static,
    B::Error: std::fmt::Display,
{
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(state.config().body_bytes_max)
        // Both were looked at, before anything else was.
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let shared = Arc::clone(state);
    let make = move || {
        let background = shared.background.clone();
        Ok(mcp::over(opened.clone(), background, shared.zone.clone()))
    };
    let service =
        StreamableHttpService::new(make, Arc::new(NeverSessionManager::default()), config);
    service.handle(request).await.map(Payload::Foreign)
}
