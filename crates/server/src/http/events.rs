//! What happens, as it happens: server-sent events for clients, and the
//! server's own ear for its log and metrics.
//!
//! An event is named `RUN-NUMBER`, because numbers begin anew with each run of
//! the server. Who comes back with one gets what it missed, as far as it is
//! still known, and is told plainly if there was more.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::header::HeaderMap;
use mnemon::Caller;
use mnemon::config::LogLevel;
use mnemon::event::{Event, Published, Received, Subscription};
use mnemon::token::Admission;
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

use super::answer::Done;
use super::listeners::Full;
use super::reply::{Content, Payload, Reply};
use super::state::State;
use super::status::Refusal;
use super::visit::Visit;
use crate::blocking::on_blocking_thread;

/// So many pieces wait for a slow client before its events wait, and are dropped at last.
const PIECES: usize = 16;

/// Where a client goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// With what happens from now on.
    Now,
    /// Behind this event.
    Event(u64),
    /// Behind something of another run, of which nothing is known.
    Unknown,
}

/// Which event a client saw last, as it says.
pub(super) fn after(headers: &HeaderMap, query: &[(String, String)]) -> Option<String> {
    let header = headers.get("last-event-id").and_then(|it| it.to_str().ok());
    let named = query.iter().find(|(name, _)| name == "after");
    let named = named.map(|(_, value)| value.as_str());
    header.or(named).map(str::to_owned)
}

fn place(run: &str, after: Option<&str>) -> After {
    let Some(text) = after else {
        return After::Now;
    };
    let number = text.rsplit_once('-').filter(|(own, _)| *own == run);
    let number = number.and_then(|(_, number)| number.parse().ok());
    number.map_or(After::Unknown, After::Event)
}

/// A client that wants to listen.
pub(super) struct Stream {
    pub(super) caller: Caller,
    /// What it asks with, looked at again and again.
    pub(super) token: Option<String>,
    pub(super) after: Option<String>,
}

impl Stream {
    /// Begins to tell it.
    pub(super) async fn begin(
        self,
        state: &Arc<State>,
        visit: &Arc<Visit>,
        who: &str,
    ) -> Result<Done, Refusal> {
        let place = state.listeners.enter(who).map_err(full)?;
        let from = self::place(&state.run, self.after.as_deref());
        let after = match from {
            After::Now => None,
            After::Event(number) => Some(number),
            After::Unknown => Some(0),
        };
        let (engine, caller) = (Arc::clone(&state.opened.engine), self.caller.clone());
        let subscribed =
            on_blocking_thread(move || engine.subscribe(&caller, Subscription::CAPACITY, after));
        let subscription = match subscribed.await {
            Ok(Ok(subscription)) => subscription,
            Ok(Err(error)) => return Ok(Done::Reply(Reply::error(&error))),
            Err(_) => return Ok(Done::Reply(Reply::bug("events"))),
        };
        let (pieces, body) = mpsc::channel(PIECES);
        let mut text = String::from(": mnemon\nretry: 2000\n\n");
        if from == After::Unknown {
            missed(&mut text, None);
        }
        let _ = pieces.try_send(text.into());
        visit.listen(place);
        tokio::spawn(self.tell(Arc::clone(state), Arc::clone(visit), subscription, pieces));
        let reply = Reply {
            status: 200,
            // Its connection has no place among those that ask any longer.
            headers: vec![
                ("x-accel-buffering", "no".into()),
                ("connection", "close".into()),
            ],
            content: Content::Whole("text/event-stream", Vec::new()),
        };
        let (mut response, _) = reply.into_response();
        *response.body_mut() = Payload::Pieces(body);
        Ok(Done::Response(response))
    }

    async fn tell(
        self,
        state: Arc<State>,
        visit: Arc<Visit>,
        subscription: Subscription,
        to: mpsc::Sender<bytes::Bytes>,
    ) {
        let ready = notified(&subscription);
        // So often a silent stream says that it lives, and looks whether it may still.
        let heartbeat = Duration::from_millis(state.config().heartbeat_ms);
        let mut looked = Instant::now();
        loop {
            let mut text = String::new();
            while let Some(received) = subscription.try_next() {
                match received {
                    Received::Missed(count) => missed(&mut text, Some(count)),
                    Received::Event(published) => told(&mut text, &state.run, &published),
                }
            }
            // However much happens: a token that was revoked hears nothing for longer than this.
            if !text.is_empty() && looked.elapsed() >= heartbeat {
                if !self.may_go_on(&state).await {
                    break;
                }
                looked = Instant::now();
            }
            if !text.is_empty() && !sent(&state, &to, text.into()).await {
                visit.cut();
                break;
            }
            tokio::select! {
                () = ready.notified() => {}
                () = state.stopped() => break,
                () = to.closed() => break,
                () = tokio::time::sleep(heartbeat.saturating_sub(looked.elapsed())) => {
                    let lives = bytes::Bytes::from_static(b": \n\n");
                    if !self.may_go_on(&state).await {
                        break;
                    }
                    if !sent(&state, &to, lives).await {
                        visit.cut();
                        break;
                    }
                    looked = Instant::now();
                }
            }
        }
    }

    /// Whether the token still opens the door.
    async fn may_go_on(&self, state: &State) -> bool {
        let (engine, token) = (Arc::clone(&state.opened.engine), self.token.clone());
        let admission = on_blocking_thread(move || engine.admit(token.as_deref())).await;
        match admission {
            Ok(Ok(Admission::Bearer(token))) => token.caller() == self.caller,
            Ok(Ok(Admission::NoTokens)) => self.token.is_none(),
            _ => false,
        }
    }
}

/// False if the client is gone, or takes nothing.
async fn sent(state: &State, to: &mpsc::Sender<bytes::Bytes>, piece: bytes::Bytes) -> bool {
    let within = state.unread();
    let sent = tokio::time::timeout(within, to.send(piece)).await;
    matches!(sent, Ok(Ok(())))
}

fn full(full: Full) -> Refusal {
    match full {
        Full::InAll(most) => Refusal::limit(
            503,
            format!("{most} clients listen already"),
            "Try again later, or raise server.streams_max.",
        ),
        Full::WithThisToken(most) => Refusal::limit(
            429,
            format!("{most} clients listen with this token already"),
            "End one of them, or raise server.streams_per_token.",
        ),
    }
}

fn notified(subscription: &Subscription) -> Arc<Notify> {
    let ready = Arc::new(Notify::new());
    let wake = Arc::clone(&ready);
    subscription.on_ready(move || wake.notify_one());
    ready
}

fn told(out: &mut String, run: &str, published: &Published) {
    let data = serde_json::to_value(published).unwrap_or_default();
    let name = data["event"].as_str().unwrap_or("event");
    let number = published.sequence;
    let _ = write!(out, "id: {run}-{number}\nevent: {name}\ndata: {data}\n\n");
}

fn missed(out: &mut String, count: Option<u64>) {
    let _ = write!(
        out,
        "event: missed\ndata: {}\n\n",
        json!({ "missed": count })
    );
}

/// The server's own ear.
pub(super) async fn listen(state: Arc<State>) {
    let opened = state.opened.clone();
    let subscribed = on_blocking_thread(move || {
        let capacity = Subscription::CAPACITY;
        opened.engine.subscribe(&opened.caller, capacity, None)
    });
    let Ok(Ok(subscription)) = subscribed.await else {
        return;
    };
    let ready = notified(&subscription);
    loop {
        while let Some(received) = subscription.try_next() {
            match received {
                Received::Missed(count) => state.metrics.missed(count),
                Received::Event(published) => {
                    state.metrics.happened(&published.event);
                    note(&state, &published.event);
                }
            }
        }
        ready.notified().await;
    }
}

/// The messages of the sources, without what was said.
fn note(state: &State, event: &Event) {
    use LogLevel::{Debug, Info, Warn};
    let (level, message, more): (LogLevel, &str, Value) = match event {
        Event::MemoryStored {
            kind,
            text_bytes,
            encrypted,
            ..
        } => (
            Debug,
            "Stored memory entry",
            json!({ "type": kind, "size_bytes": text_bytes, "encrypted": encrypted }),
        ),
        Event::MemoryRetrieved { kind, .. } => {
            (Debug, "Retrieved memory entry", json!({ "type": kind }))
        }
        Event::SearchCompleted {
            query_chars,
            results,
            micros,
            ..
        } => (
            Debug,
            "Semantic search",
            json!({ "query_chars": query_chars, "results": results, "micros": micros }),
        ),
        Event::MemoryForgotten { permanent, .. } => (
            Info,
            "Memory entry forgotten",
            json!({ "permanent": permanent }),
        ),
        Event::QuotaWarning { percent, .. } => {
            (Warn, "Storage quota", json!({ "percent": percent }))
        }
        Event::SessionChanged { change, .. } => {
            (Info, "Session changed", json!({ "change": change }))
        }
        Event::SnapshotCreated { bytes, micros, .. } => (
            Debug,
            "Created snapshot",
            json!({ "bytes": bytes, "micros": micros }),
        ),
        Event::SnapshotPersisted { bytes, .. } => {
            (Info, "Persisted snapshot", json!({ "bytes": bytes }))
        }
        Event::SnapshotRestored {
            working_entries,
            micros,
            ..
        } => (
            Debug,
            "Restored working memory entries from snapshot",
            json!({ "count": working_entries, "micros": micros }),
        ),
        Event::RetentionCompleted {
            entries_deleted,
            bytes_freed,
            ..
        } => (
            Info,
            "Retention cleanup completed",
            json!({ "entries": entries_deleted, "bytes_freed": bytes_freed }),
        ),
        _ => return,
    };
    state.say(level, "memory", message, more);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_another_run_is_not_taken_for_one_of_ours() {
        assert_eq!(place("r1", None), After::Now);
        assert_eq!(place("r1", Some("r1-7")), After::Event(7));
        for foreign in [
            "r2-7",
            "7",
            "r1-",
            "r1-x",
            "",
            "r1--7",
            "r1-18446744073709551616",
        ] {
            assert_eq!(place("r1", Some(foreign)), After::Unknown, "{foreign}");
        }
    }
}
