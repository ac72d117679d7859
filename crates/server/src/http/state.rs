//! What all requests share.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::tz::TimeZone;
use mnemon::config::{LogLevel, ServerConfig};
use serde_json::Value;
use tokio::sync::{Semaphore, watch};

use super::body::Room;
use super::guard::Guard;
use super::listeners::Listeners;
use super::log::Log;
use super::metrics::Metrics;
use super::rate::Rate;
use super::retry::Doing;
use crate::background::Background;
use crate::opened::Opened;

pub(crate) struct State {
    /// The store, and the user on whose behalf the server itself works.
    pub(crate) opened: Opened,
    pub(crate) zone: TimeZone,
    /// Where it listens.
    pub(crate) address: SocketAddr,
    pub(crate) background: Background,
    pub(crate) guard: Guard,
    pub(crate) rate: Rate,
    pub(crate) metrics: Metrics,
    pub(crate) log: Log,
    /// What tells this run of the server from others.
    pub(crate) run: String,
    pub(crate) requests: AtomicU64,
    pub(crate) doing: Doing,
    pub(super) listeners: Arc<Listeners>,
    pub(super) room: Room,
    /// For answers that are written piece by piece: each holds a thread while it is.
    pub(crate) writing: Arc<Semaphore>,
    /// True once the server is asked to end.
    pub(crate) stopping: watch::Receiver<bool>,
}

impl State {
    pub(crate) fn config(&self) -> &ServerConfig {
        &self.opened.engine.config().server
    }

    /// How long a request may take.
    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_millis(self.config().timeout_ms)
    }

    /// How long a client may take nothing of what is sent.
    pub(crate) fn unread(&self) -> Duration {
        Duration::from_millis(self.config().unread_ms)
    }

    /// Waits until the server is asked to end.
    pub(crate) async fn stopped(&self) {
        let mut stopping = self.stopping.clone();
        // A sender that is gone stops it as well.
        let _ = stopping.wait_for(|is_stopping| *is_stopping).await;
    }

    /// A name for a request, for logs and answers.
    pub(crate) fn next_request(&self) -> String {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        format!("{}-{number}", self.run)
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "callers make it in place, for the line alone"
    )]
    pub(crate) fn say(&self, level: LogLevel, component: &str, message: &str, more: Value) {
        let now = self.opened.engine.now();
        self.log.say(level, now, component, message, &more);
    }
}
