//! What the server does by itself: maintenance when its schedules say so, and
//! forgetting what became of old requests.

use std::sync::Arc;
use std::time::Duration;

use mnemon::config::LogLevel;
use mnemon::engine::Maintained;
use mnemon::{Error, Result};
use serde_json::json;

use super::state::State;
use crate::blocking::on_blocking_thread;

/// Schedules tell minutes.
const EVERY: Duration = Duration::from_secs(60);

/// Looks every minute until it is dropped; one thing at a time.
pub(super) async fn look_after(state: Arc<State>) {
    loop {
        tokio::time::sleep(EVERY).await;
        let shared = Arc::clone(&state);
        match on_blocking_thread(move || do_what_is_due(&shared)).await {
            Ok(Ok(done)) => tell(&state, &done),
            Ok(Err(error)) => failed(&state, &error),
            Err(_) => state.say(LogLevel::Error, "upkeep", "A bug ended it", json!({})),
        }
    }
}

fn do_what_is_due(state: &State) -> Result<Maintained> {
    let (engine, user) = (&state.opened.engine, &state.opened.caller);
    engine.drop_old_requests(user, engine.requests_kept_since())?;
    engine.maintain_due(user, &state.zone)
}

fn failed(state: &State, error: &Error) {
    let more = json!({ "code": error.code().as_str() });
    state.say(LogLevel::Error, "upkeep", "Maintenance failed", more);
}

fn tell(state: &State, done: &Maintained) {
    done.failures.iter().for_each(|it| failed(state, it));
    let is_nothing = done.tended.is_none()
        && done.policies.is_none()
        && done.forgotten.is_empty()
        && done.purged.is_empty()
        && done.purged_sessions.is_empty()
        && done.archived.is_empty()
        && done.snapshots.is_empty()
        && done.backup.is_none();
    if is_nothing {
        return;
    }
    let more = json!({
        "forgotten": done.forgotten.len(),
        "purged": done.purged.len(),
        "purged_sessions": done.purged_sessions.len(),
        "archived_sessions": done.archived.len(),
        "snapshots": done.snapshots.len(),
        "backed_up": done.backup.is_some(),
        "complete": done.complete,
    });
    state.say(LogLevel::Info, "upkeep", "Maintenance completed", more);
}
