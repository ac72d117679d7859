//! How the server does, in the text form that Prometheus reads.
//!
//! The names are those of the sources with underscores for dots. Gauges are
//! looked up when they are asked for; what events tell is counted as it comes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mnemon::event::{Event, SessionChange};
use mnemon::{Code, Result};

use super::route::{Method, Route};
use crate::opened::Opened;

/// The upper ends of the buckets for times, in milliseconds.
const MILLIS: [f64; 12] = [
    0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 1_000.0, 5_000.0, 30_000.0,
];

/// The upper ends of the buckets for numbers of hits.
const RESULTS: [f64; 8] = [0.0, 1.0, 2.0, 5.0, 10.0, 25.0, 100.0, 1_000.0];

/// What was counted since the server began.
#[derive(Default)]
pub(crate) struct Metrics(Mutex<Counted>);

#[derive(Default)]
struct Counted {
    requests: BTreeMap<(&'static str, &'static str, u16), u64>,
    histograms: BTreeMap<&'static str, Histogram>,
    counters: BTreeMap<&'static str, u64>,
}

struct Histogram {
    ends: &'static [f64],
    counts: Vec<u64>,
    sum: f64,
    count: u64,
}

impl Histogram {
    fn new(ends: &'static [f64]) -> Self {
        Self {
            ends,
            counts: vec![0; ends.len()],
            sum: 0.0,
            count: 0,
        }
    }

    fn add(&mut self, value: f64) {
        for (end, count) in self.ends.iter().zip(&mut self.counts) {
            *count += u64::from(value <= *end);
        }
        self.sum += value;
        self.count += 1;
    }
}

const HISTOGRAMS: [(&str, &[f64], &str); 10] = [
    (
        "memory_operations_write_duration_ms",
        &MILLIS,
        "Requests that change something",
    ),
    (
        "memory_operations_query_duration_ms",
        &MILLIS,
        "Requests that only look",
    ),
    (
        "agents_memory_longterm_store_latency_ms",
        &MILLIS,
        "Requests that keep memories",
    ),
    (
        "agents_memory_longterm_retrieve_latency_ms",
        &MILLIS,
        "Requests that read memories by name",
    ),
    (
        "agents_memory_longterm_search_latency_ms",
        &MILLIS,
        "Questions",
    ),
    (
        "agents_memory_longterm_embedding_time_ms",
        &MILLIS,
        "Embedding what is kept",
    ),
    (
        "agents_memory_longterm_search_results",
        &RESULTS,
        "Hits of a question",
    ),
    (
        "agents_memory_snapshot_create_ms",
        &MILLIS,
        "Taking a snapshot",
    ),
    (
        "agents_memory_snapshot_restore_ms",
        &MILLIS,
        "Going back to a snapshot",
    ),
    (
        "mnemon_http_request_duration_ms",
        &MILLIS,
        "Every request, from its first byte to its answer",
    ),
];

const COUNTERS: [(&str, &str); 5] = [
    (
        "memory_locks_contention_count",
        "Requests that waited for the lock in vain",
    ),
    ("memory_compaction_count", "Sessions that were compacted"),
    (
        "memory_errors_corruption_count",
        "Requests that met damaged bytes",
    ),
    (
        "agents_memory_retention_bytes_freed",
        "Bytes that retention policies freed",
    ),
    (
        "mnemon_events_missed_total",
        "Events that came too fast to be counted",
    ),
];

impl Metrics {
    /// A request was answered.
    pub(crate) fn answered(&self, route: Option<&Route>, status: u16, took: Duration) {
        let millis = took.as_secs_f64() * 1e3;
        let mut counted = self.counted();
        let (method, path) = route.map_or(("-", "-"), |route| (route.method.as_str(), route.path));
        *counted.requests.entry((method, path, status)).or_default() += 1;
        counted.time("mnemon_http_request_duration_ms", millis);
        let Some(route) = route.filter(|route| !route.does.is_empty()) else {
            return;
        };
        let name = if route.does[0].needs() == mnemon::caller::Role::Reader {
            "memory_operations_query_duration_ms"
        } else {
            "memory_operations_write_duration_ms"
        };
        counted.time(name, millis);
        match (route.method, route.path) {
            (Method::Post, "/v1/memories" | "/v1/memories/batch" | "/v1/turns") => {
                counted.time("agents_memory_longterm_store_latency_ms", millis);
            }
            (Method::Get, "/v1/memories/{id}") | (Method::Post, "/v1/memories/get") => {
                counted.time("agents_memory_longterm_retrieve_latency_ms", millis);
            }
            _ => {}
        }
    }

    /// A request was refused by the library.
    pub(crate) fn refused(&self, code: Code) {
        let name = match code {
            Code::LockTimeout => "memory_locks_contention_count",
            Code::StorageCorrupt | Code::SessionCorrupt => "memory_errors_corruption_count",
            _ => return,
        };
        self.counted().count(name, 1);
    }

    /// Something happened.
    pub(crate) fn happened(&self, event: &Event) {
        #[expect(clippy::cast_precision_loss, reason = "times and counts are small")]
        let number = |number: u64| number as f64;
        let millis = |micros: u64| number(micros) / 1e3;
        let mut counted = self.counted();
        match event {
            Event::MemoryStored {
                embedding_micros: Some(micros),
                ..
            } => counted.time("agents_memory_longterm_embedding_time_ms", millis(*micros)),
            Event::SearchCompleted {
                results, micros, ..
            } => {
                counted.time("agents_memory_longterm_search_latency_ms", millis(*micros));
                counted.time("agents_memory_longterm_search_results", number(*results));
            }
            Event::SessionChanged {
                change: SessionChange::Compacted,
                ..
            } => counted.count("memory_compaction_count", 1),
            Event::SnapshotCreated { micros, .. } => {
                counted.time("agents_memory_snapshot_create_ms", millis(*micros));
            }
            Event::SnapshotRestored { micros, .. } => {
                counted.time("agents_memory_snapshot_restore_ms", millis(*micros));
            }
            Event::RetentionCompleted { bytes_freed, .. } => {
                counted.count("agents_memory_retention_bytes_freed", *bytes_freed);
            }
            _ => {}
        }
    }

    pub(crate) fn missed(&self, events: u64) {
        self.counted().count("mnemon_events_missed_total", events);
    }

    /// Everything, and the gauges of the store and of who listens.
    pub(crate) fn text(&self, opened: &Opened, listeners: u64) -> Result<String> {
        let mut gauges = gauges(opened)?;
        gauges.push(("mnemon_event_streams", "Clients that listen", listeners));
        let counted = self.counted();
        let mut out = String::new();
        for (name, about, value) in gauges {
            head(&mut out, name, "gauge", about);
            let _ = writeln!(out, "{name} {value}");
        }
        for (name, about) in COUNTERS {
            head(&mut out, name, "counter", about);
            let value = counted.counters.get(name).copied().unwrap_or(0);
            let _ = writeln!(out, "{name} {value}");
        }
        for (name, ends, about) in HISTOGRAMS {
            head(&mut out, name, "histogram", about);
            let empty = Histogram::new(ends);
            let own = counted.histograms.get(name).unwrap_or(&empty);
            for (end, count) in own.ends.iter().zip(&own.counts) {
                let _ = writeln!(out, "{name}_bucket{{le=\"{end}\"}} {count}");
            }
            let _ = writeln!(out, "{name}_bucket{{le=\"+Inf\"}} {}", own.count);
            let _ = writeln!(out, "{name}_sum {}\n{name}_count {}", own.sum, own.count);
        }
        let name = "mnemon_http_requests_total";
        head(&mut out, name, "counter", "Requests by route and status");
        for ((method, route, status), count) in &counted.requests {
            let labels = format!("method=\"{method}\",route=\"{route}\",status=\"{status}\"");
            let _ = writeln!(out, "{name}{{{labels}}} {count}");
        }
        Ok(out)
    }

    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counted {
    fn time(&mut self, name: &'static str, value: f64) {
        let known = HISTOGRAMS.iter().find(|(own, ..)| *own == name);
        let ends = known.map_or(&MILLIS[..], |(_, ends, _)| ends);
        let own = self.histograms.entry(name);
        own.or_insert_with(|| Histogram::new(ends)).add(value);
    }

    fn count(&mut self, name: &'static str, more: u64) {
        *self.counters.entry(name).or_default() += more;
    }
}

fn head(out: &mut String, name: &str, sort: &str, about: &str) {
    let _ = writeln!(out, "# HELP {name} {about}\n# TYPE {name} {sort}");
}

/// What the store holds now.
fn gauges(opened: &Opened) -> Result<Vec<(&'static str, &'static str, u64)>> {
    use mnemon::memory::Space;
    use mnemon::session::SessionState;
    let (engine, caller) = (&opened.engine, &opened.caller);
    let stats = engine.stats(caller)?;
    let sessions = engine.sessions(caller)?;
    let active = sessions
        .iter()
        .filter(|it| engine.session_state(it) == SessionState::Active)
        .count() as u64;
    let agents = || {
        let spaces = stats.spaces.iter();
        spaces.filter(|it| matches!(it.space, Space::Agent(_)))
    };
    let snapshots = engine.snapshot_stats(caller, None)?;
    Ok(vec![
        ("memory_sessions_active", "Active sessions", active),
        ("memory_entries_total", "Memories", stats.memories),
        ("memory_size_bytes", "Bytes of the logs", stats.log_bytes),
        (
            "agents_memory_longterm_entries",
            "Long-term memories",
            agents().map(|it| it.memories).sum(),
        ),
        (
            "agents_memory_longterm_storage_bytes",
            "Bytes of long-term memory",
            agents().map(|it| it.log_bytes).sum(),
        ),
        (
            "agents_memory_snapshots_total",
            "Snapshots",
            snapshots.snapshots,
        ),
        (
            "agents_memory_snapshots_size_bytes",
            "Bytes of snapshots",
            snapshots.bytes,
        ),
    ])
}
