//! From a request to its answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::body::Incoming;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Request, Response};
use mnemon::config::LogLevel;
use mnemon::{Caller, Error};
use serde_json::json;
use tokio::sync::OwnedSemaphorePermit;

use super::asked::Asked;
use super::body::{self, Taken};
use super::entry::{admit, bearer, take_turn};
use super::events;
use super::mcp;
use super::openapi::{self, NO_FILTERS};
use super::reply::{Payload, Reply};
use super::retry::{self, Key};
use super::route::{Matched, Route, Run, find};
use super::routes::routes;
use super::state::State;
use super::status::Refusal;
use super::target::{parameters, segments};
use super::visit::Visit;
use crate::blocking::on_blocking_thread;
use crate::opened::Opened;

/// What pages of other origins may send, and read.
const ALLOWED_HEADERS: &str =
    "authorization, content-type, if-match, idempotency-key, last-event-id";
const EXPOSED_HEADERS: &str = "etag, location, retry-after, x-request-id, idempotent-replay";

/// Answers one request, and tells the log and the metrics.
pub(super) async fn answer(
    state: Arc<State>,
    visit: &Arc<Visit>,
    request: Request<Incoming>,
) -> Response<Payload> {
    let began = Instant::now();
    let name = state.next_request();
    let is_head = request.method() == "HEAD";
    let mut seen = Seen::default();
    let done = answered(&state, visit, request, &name, &mut seen).await;
    let mut response = match done {
        Ok(Done::Reply(reply)) => sent(&state, visit, reply),
        Ok(Done::Response(response)) => response,
        Err(refusal) => sent(&state, visit, Reply::refusal(&refusal)),
    };
    finish(&mut response, &name, seen.origin.as_deref());
    if is_head {
        *response.body_mut() = Payload::Whole(None);
    }
    let status = response.status().as_u16();
    state.metrics.answered(seen.route, status, began.elapsed());
    tell(&state, &name, &seen, status, began.elapsed());
    response
}

/// What is known of a request, for the log.
#[derive(Default)]
struct Seen {
    method: String,
    route: Option<&'static Route>,
    origin: Option<String>,
    body_bytes: usize,
    code: Option<&'static str>,
}

pub(super) enum Done {
    Reply(Reply),
    /// A body that goes on.
    Response(Response<Payload>),
}

async fn answered(
    state: &Arc<State>,
    visit: &Arc<Visit>,
    request: Request<Incoming>,
    name: &str,
    seen: &mut Seen,
) -> Result<Done, Refusal> {
    let (head, body) = request.into_parts();
    head.method.as_str().clone_into(&mut seen.method);
    seen.origin = state.guard.check(&head.uri, &head.headers, visit.reached)?;
    let segments = segments(head.uri.path())?;
    let method = match head.method.as_str() {
        "HEAD" => "GET",
        method => method,
    };
    let (route, parts) = match find(routes(), method, &segments) {
        Matched::Route(route, parts) => (route, parts),
        Matched::Methods(methods) if method == "OPTIONS" => return Ok(preflight(&methods)),
        Matched::Methods(methods) => return Err(wrong_method(&methods)),
        Matched::Nothing => return Err(no_route()),
    };
    seen.route = Some(route);
    if matches!(route.run, Run::Health) {
        return Ok(Done::Reply(health(state).await));
    }
    let secret = bearer(&head.headers)?;
    let admitted = admit(state, visit.reached, secret).await?;
    take_turn(state, &admitted.who)?;
    if let Some(operation) = route.does.first()
        && let Err(error) = admitted.caller.may(*operation)
    {
        seen.code = Some(error.code().as_str());
        return Ok(Done::Reply(Reply::error(&error)));
    }
    let query = parameters(head.uri.query().unwrap_or_default())?;
    check_parameters(route, &query)?;
    match route.run {
        Run::Health | Run::OpenApi => Ok(Done::Reply(Reply::json(&openapi::document(
            state.config().page_max,
        )))),
        Run::Metrics => metrics(state, &admitted.caller).await.map(Done::Reply),
        Run::Events => {
            let stream = events::Stream {
                caller: admitted.caller,
                token: admitted.token,
                after: events::after(&head.headers, &query),
            };
            stream.begin(state, visit, &admitted.who).await
        }
        Run::Mcp => {
            let opened = Opened {
                engine: Arc::clone(&state.opened.engine),
                caller: admitted.caller,
            };
            let taken = body::read(state, route, &head.headers, body).await?;
            seen.body_bytes = taken.bytes.len();
            let within = state.timeout();
            let answered = mcp::answer(state, opened, (head, &query), taken);
            let answered = tokio::time::timeout(within, answered).await;
            answered.map_err(|_| too_slow())
        }
        Run::Engine(run) => {
            let Taken { bytes: body, room } = body::read(state, route, &head.headers, body).await?;
            seen.body_bytes = body.len();
            let target = head.uri.path_and_query().map_or("", |it| it.as_str());
            let key = retry::key(route, &head.headers, &admitted.caller, target, &body)?;
            let call = Call {
                run,
                key,
                opened: Opened {
                    engine: Arc::clone(&state.opened.engine),
                    caller: admitted.caller,
                },
                parts,
                query,
                body,
                room,
                if_match: if_match(&head.headers)?,
            };
            let within = state.timeout();
            let within = (!route.is_long).then_some(within);
            let ended = called(state, route, call, within, name).await?;
            seen.code = ended.1;
            Ok(Done::Reply(ended.0))
        }
    }
}

/// Refuses parameters that a route does not know: a mistyped filter would find too much.
fn check_parameters(route: &Route, query: &[(String, String)]) -> Result<(), Refusal> {
    // Of filters the request itself refuses what it does not know.
    let known = |name: &str| {
        let is_filter = route.filters && !NO_FILTERS.contains(&name);
        is_filter || route.parameters.iter().any(|it| it.name == name)
    };
    match query.iter().find(|(name, _)| !known(name)) {
        None => Ok(()),
        Some((name, _)) => {
            let shown: String = name.chars().take(60).collect();
            let message = format!("the parameter {shown:?} is not known here");
            Err(Refusal::misused(
                400,
                message,
                "GET /v1/openapi.json to see what is.",
            ))
        }
    }
}

/// The version that `If-Match` demands; `*` demands none.
fn if_match(headers: &HeaderMap) -> Result<Option<u64>, Refusal> {
    let Some(value) = headers.get("if-match") else {
        return Ok(None);
    };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    let version = text.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    let version = version.and_then(|it| it.parse().ok());
    version.map(Some).ok_or_else(|| {
        let hint = "Send the ETag of the memory as it came, such as \"3\" in quotes.";
        Refusal::misused(400, "If-Match is not a tag of this server", hint)
    })
}

/// What the engine is asked to do.
struct Call {
    run: fn(&Asked<'_>) -> mnemon::Result<Reply>,
    opened: Opened,
    parts: Vec<(&'static str, String)>,
    query: Vec<(String, String)>,
    body: Vec<u8>,
    room: Option<OwnedSemaphorePermit>,
    if_match: Option<u64>,
    key: Option<Key>,
}

/// Has the engine do it; the reply, and the code if it is a refusal.
async fn called(
    state: &Arc<State>,
    route: &'static Route,
    call: Call,
    within: Option<Duration>,
    name: &str,
) -> Result<(Reply, Option<&'static str>), Refusal> {
    let shared = Arc::clone(state);
    let is_conditional = call.if_match.is_some();
    let work = on_blocking_thread(move || {
        let asked = Asked {
            opened: call.opened,
            background: &shared.background,
            zone: &shared.zone,
            parts: call.parts,
            query: call.query,
            body: call.body,
            if_match: call.if_match,
            seed: None,
            begun_before: false,
        };
        let done = match &call.key {
            None => (call.run)(&asked),
            Some(key) => retry::once(route, &shared.doing, key, asked, call.run),
        };
        // A request that nobody waits for any longer holds its body too.
        drop(call.room);
        done
    });
    let ended = match within {
        None => work.await,
        Some(within) => match tokio::time::timeout(within, work).await {
            Ok(ended) => ended,
            // It goes on to its end, and nobody waits for it any longer.
            Err(_) => return Err(too_slow()),
        },
    };
    match ended {
        Ok(Ok(mut reply)) => {
            reply.status = if reply.status == 200 {
                route.status
            } else {
                reply.status
            };
            Ok((reply, None))
        }
        Ok(Err(error)) => {
            state.metrics.refused(error.code());
            let mut reply = Reply::error(&error);
            if is_conditional && matches!(error, Error::VersionMismatch { .. }) {
                reply.status = 412;
            }
            Ok((reply, Some(error.code().as_str())))
        }
        Err(_) => {
            let more = json!({ "request": name, "route": route.path });
            state.say(LogLevel::Error, "http", "A bug ended a request", more);
            Ok((Reply::bug(name), Some(mnemon_wire::ErrorShape::INTERNAL)))
        }
    }
}

async fn health(state: &State) -> Reply {
    let opened = state.opened.clone();
    let asked = on_blocking_thread(move || opened.engine.admit(None)).await;
    let is_well = matches!(asked, Ok(Ok(_)));
    let status = if is_well { "ok" } else { "failing" };
    let version = env!("CARGO_PKG_VERSION");
    let mut reply = Reply::json(&json!({ "status": status, "version": version }));
    reply.status = if is_well { 200 } else { 503 };
    reply
}

async fn metrics(state: &Arc<State>, caller: &Caller) -> Result<Reply, Refusal> {
    // Sums tell of what belongs to others.
    if !mnemon::caller::Sight::of(caller).is_everything() {
        let error = Error::Forbidden {
            caller: caller.name().to_owned(),
            action: "see how the server does: it tells of what belongs to others".into(),
        };
        return Ok(Reply::error(&error));
    }
    let shared = Arc::clone(state);
    let listeners = state.listeners.count() as u64;
    let text = on_blocking_thread(move || shared.metrics.text(&shared.opened, listeners)).await;
    match text {
        Ok(Ok(text)) => Ok(Reply::of("text/plain; version=0.0.4", text.into_bytes())),
        Ok(Err(error)) => Ok(Reply::error(&error)),
        Err(_) => Ok(Reply::bug("metrics")),
    }
}

/// As HTTP has it; what is still to be written is written beside.
fn sent(state: &State, visit: &Arc<Visit>, reply: Reply) -> Response<Payload> {
    let (response, later) = reply.into_response();
    let Some(later) = later else {
        return response;
    };
    let Ok(place) = Arc::clone(&state.writing).try_acquire_owned() else {
        let message = "as many large answers as may be are being written";
        let refusal = Refusal::limit(503, message, "Try again in a moment.");
        let refusal = refusal.with("retry-after", "1".into());
        return Reply::refusal(&refusal).into_response().0;
    };
    // Nobody waits for it but the client, who sees its end.
    let unread = state.unread();
    let visit = Arc::clone(visit);
    drop(tokio::spawn(on_blocking_thread(move || {
        if !later.write(unread) {
            visit.cut();
        }
        drop(place);
    })));
    response
}

/// What every answer has.
fn finish(response: &mut Response<Payload>, name: &str, origin: Option<&str>) {
    let headers = response.headers_mut();
    let mut put = |name: &'static str, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    };
    put("x-request-id", name);
    put("x-content-type-options", "nosniff");
    put("cache-control", "no-store");
    if let Some(origin) = origin {
        put("access-control-allow-origin", origin);
        put("access-control-expose-headers", EXPOSED_HEADERS);
        put("vary", "origin");
    }
}

fn preflight(methods: &[&'static str]) -> Done {
    let mut reply = Reply::of("text/plain", Vec::new())
        .with("access-control-allow-methods", methods.join(", "))
        .with("access-control-allow-headers", ALLOWED_HEADERS)
        .with("access-control-max-age", "600");
    reply.status = 204;
    Done::Reply(reply)
}

fn wrong_method(methods: &[&'static str]) -> Refusal {
    let methods = methods.join(", ");
    let message = format!("this takes {methods}");
    Refusal::misused(405, message, "GET /v1/openapi.json to see what is offered.")
        .with("allow", methods)
}

fn no_route() -> Refusal {
    let hint = "GET /v1/openapi.json to see what is offered.";
    Refusal::misused(404, "there is nothing at this address", hint)
}

pub(super) fn too_slow() -> Refusal {
    let hint = "A change may have been made all the same: look, or send it again with the same \
        Idempotency-Key. server.timeout_ms allows more time.";
    Refusal::limit(504, "it took longer than it may", hint)
}

fn tell(state: &State, name: &str, seen: &Seen, status: u16, took: Duration) {
    let level = match status {
        500.. => LogLevel::Error,
        401 | 403 | 429 => LogLevel::Warn,
        _ => LogLevel::Debug,
    };
    // A method is whatever a client sends: only those that we know are repeated.
    let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    let method = known.into_iter().find(|it| *it == seen.method);
    let more = json!({
        "request": name,
        "method": method.unwrap_or("other"),
        "route": seen.route.map_or("none", |route| route.path),
        "status": status,
        "micros": u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        "body_bytes": seen.body_bytes,
        "code": seen.code,
    });
    state.say(level, "http", "Request answered", more);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::{Options, Server};

    #[test]
    fn a_bug_ends_its_request_with_an_answer_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::bind(Options {
            engine: mnemon::Mnemon::open(folder.path()).unwrap(),
            user: Caller::user("user"),
            zone: jiff::tz::TimeZone::UTC,
            listen: "127.0.0.1:0".parse().unwrap(),
            log: Box::new(std::io::sink()),
        })
        .unwrap();
        let state = &server.state;
        let route = routes().iter().find(|it| it.path == "/v1/stats").unwrap();
        let call = |run| Call {
            run,
            opened: state.opened.clone(),
            parts: Vec::new(),
            query: Vec::new(),
            body: Vec::new(),
            room: None,
            if_match: None,
            key: None,
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let answer = |run| {
            let called = called(state, route, call(run), None, "r-1");
            runtime
                .block_on(called)
                .unwrap_or_else(|_| panic!("no refusal"))
        };
        let (reply, code) = answer(|_| panic!("sapphire"));
        assert_eq!((reply.status, code), (500, Some("E_INTERNAL")));
        let super::super::reply::Content::Whole(_, text) = reply.content else {
            panic!("it is short");
        };
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("r-1") && !text.contains("sapphire"), "{text}");
        let (reply, code) = answer(|_| Ok(Reply::json(&json!({}))));
        assert_eq!((reply.status, code), (200, None));
    }
}
