//! The bodies of requests: how they are read, and how much of them is held at once.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, EXPECT, HeaderMap};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::answer::too_slow;
use super::route::{Body, Route};
use super::state::State;
use super::status::Refusal;

/// Room is taken in steps of so many bytes.
const STEP_BYTES: usize = 16 << 10;

/// How long a body that is refused may go on.
const LINGER: Duration = Duration::from_secs(2);

/// How much of bodies is held at once, by all requests together.
pub(super) struct Room(Arc<Semaphore>);

impl Room {
    pub(super) fn new(bytes: usize) -> Self {
        let steps = bytes.div_ceil(STEP_BYTES).min(Semaphore::MAX_PERMITS);
        Self(Arc::new(Semaphore::new(steps)))
    }

    fn take(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        let steps = u32::try_from(bytes.div_ceil(STEP_BYTES)).ok()?;
        Arc::clone(&self.0).try_acquire_many_owned(steps).ok()
    }
}

/// A body that was read.
pub(super) struct Taken {
    pub(super) bytes: Vec<u8>,
    /// Given back when the request is answered: what is made of a body is as large as it is.
    pub(super) room: Option<OwnedSemaphorePermit>,
}

/// Reads the body that a route takes, as long as it may take.
pub(super) async fn read(
    state: &State,
    route: &Route,
    headers: &HeaderMap,
    body: Incoming,
) -> Result<Taken, Refusal> {
    check_media(route, headers)?;
    let within = state.timeout();
    let read = tokio::time::timeout(within, read_all(state, route, headers, body));
    read.await.map_err(|_| too_slow())?
}

/// Reads on for a moment, and keeps nothing: a connection that is closed while
/// bytes are under way takes the answer with it.
fn let_run_out(mut body: Incoming) {
    let run_out = async move { while let Some(Ok(_)) = body.frame().await {} };
    tokio::spawn(tokio::time::timeout(LINGER, run_out));
}

fn check_media(route: &Route, headers: &HeaderMap) -> Result<(), Refusal> {
    let (Body::Json(_) | Body::MaybeJson(_)) = route.body else {
        return Ok(());
    };
    let media = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let media = media.map(|it| it.split(';').next().unwrap_or_default().trim());
    match media {
        Some(media) if media.eq_ignore_ascii_case("application/json") => Ok(()),
        None if matches!(route.body, Body::MaybeJson(_)) => Ok(()),
        _ => Err(Refusal::misused(
            415,
            "the body is not said to be JSON",
            "Send `Content-Type: application/json`.",
        )),
    }
}

async fn read_all(
    state: &State,
    route: &Route,
    headers: &HeaderMap,
    mut body: Incoming,
) -> Result<Taken, Refusal> {
    let max = state.config().body_bytes_max;
    let told = headers.get(CONTENT_LENGTH).and_then(|it| it.to_str().ok());
    let told: Option<u64> = told.and_then(|it| it.parse().ok());
    if told.is_some_and(|told| told > max as u64) {
        // Who waits for leave to send is not to be given it.
        if !headers.contains_key(EXPECT) {
            let_run_out(body);
        }
        return Err(too_large(max));
    }
    let mut taken = Taken {
        bytes: Vec::new(),
        room: None,
    };
    if body.is_end_stream() || route.body == Body::None {
        return Ok(taken);
    }
    // By what has come, not by what is announced: an announcement would hold room for nothing.
    let mut room_bytes = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| {
            Refusal::misused(400, "the body ended before it was whole", "Send it again.")
        })?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        let length = taken.bytes.len() + data.len();
        if length > max {
            let_run_out(body);
            return Err(too_large(max));
        }
        if length > room_bytes {
            let more = (length - room_bytes).next_multiple_of(STEP_BYTES);
            let Some(room) = state.room.take(more) else {
                let_run_out(body);
                return Err(no_room());
            };
            room_bytes += more;
            match &mut taken.room {
                Some(own) => own.merge(room),
                none => *none = Some(room),
            }
        }
        taken.bytes.extend_from_slice(&data);
    }
    Ok(taken)
}

fn too_large(max: usize) -> Refusal {
    let message = format!("the body has more than {max} bytes");
    let hint = "Send less at once, or raise server.body_bytes_max.";
    Refusal::limit(413, message, hint)
}

fn no_room() -> Refusal {
    let message = "other requests have bodies as large as may be held at once";
    let hint = "Send it again in a moment, or raise server.bodies_bytes_max.";
    Refusal::limit(503, message, hint).with("retry-after", "1".into())
}
