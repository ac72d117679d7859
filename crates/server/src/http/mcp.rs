//! The Model Context Protocol as streamable HTTP: the same tools as over
//! standard input, each call on behalf of the token that it came with.
//!
//! Without sessions: a call brings all that it needs, so it is answered by
//! whichever server it reaches, after a restart too.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::header::CONTENT_TYPE;
use hyper::http::request::Parts;
use hyper::{Request, Response};
use mnemon::memory::SessionId;
use mnemon::{Error, Result};
use mnemon_wire::halves::mend;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde::de::IgnoredAny;

use super::answer::Done;
use super::body::Taken;
use super::depth;
use super::reply::{Payload, Reply};
use super::state::State;
use super::status::Refusal;
use crate::blocking::on_blocking_thread;
use crate::mcp::{self, Profile};
use crate::opened::Opened;

/// Answers one call.
pub(super) async fn answer(
    state: &Arc<State>,
    opened: Opened,
    (head, query): (Parts, &[(String, String)]),
    taken: Taken,
) -> Done {
    let config = state.config();
    let (bytes, room, depth_max) = (taken.bytes, taken.room, config.json_depth_max);
    // A long message must not keep others waiting.
    let looked = on_blocking_thread(move || {
        let message = mend(&bytes);
        check(&message, depth_max).map(|()| message)
    });
    let looked = match looked.await {
        Ok(looked) => looked.and_then(|message| Ok((message, Wanted::read(query)?))),
        Err(_) => return Done::Reply(Reply::bug("mcp")),
    };
    let (message, wanted) = match looked {
        Ok(looked) => looked,
        Err(error) => return Done::Reply(Reply::error(&error)),
    };
    let settings = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(config.body_bytes_max)
        // Both were looked at, before anything else was.
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let shared = Arc::clone(state);
    let make = move || {
        Ok(mcp::over(
            opened.clone(),
            shared.background.clone(),
            mcp::Setting {
                session: wanted.session.clone(),
                zone: shared.zone.clone(),
                profile: wanted.profile,
            },
        ))
    };
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(make, sessions, settings);
    let request = Request::from_parts(head, Full::new(Bytes::from(message)));
    let response = service.handle(request).await;
    // What the call holds goes with it, not with its answer.
    drop(room);
    in_envelope(response.map(Payload::Foreign)).await
}

/// Refuses what is no JSON, with the place, as every route does.
fn check(message: &[u8], depth_max: usize) -> Result<()> {
    let text = depth::text(message, depth_max)?;
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| Error::Unparsable {
        what: "JSON",
        input: String::new(),
        problem: error.to_string(),
    })?;
    Ok(())
}

/// What the address says beside who asks.
struct Wanted {
    profile: Profile,
    session: Option<SessionId>,
}

impl Wanted {
    fn read(query: &[(String, String)]) -> Result<Self> {
        let mut wanted = Self {
            profile: Profile::Memory,
            session: None,
        };
        for (name, value) in query {
            match name.as_str() {
                "profile" => wanted.profile = value.parse()?,
                _ => wanted.session = Some(value.parse()?),
            }
        }
        Ok(wanted)
    }
}

/// The protocol answers what is no call of it in plain words; ours are those of every route.
async fn in_envelope(response: Response<Payload>) -> Done {
    let status = response.status().as_u16();
    let media = response.headers().get(CONTENT_TYPE);
    let is_json = media.is_some_and(|media| media.as_bytes().starts_with(b"application/json"));
    if status < 400 || is_json {
        return Done::Response(response);
    }
    let text = match response.into_body().collect().await {
        Ok(body) => String::from_utf8_lossy(&body.to_bytes()).into_owned(),
        Err(_) => String::new(),
    };
    let hint = "Ask with a client of the Model Context Protocol: POST, Accept: application/json, \
        text/event-stream, one message as the body.";
    Done::Reply(Reply::refusal(&Refusal::misused(status, text, hint)))
}
