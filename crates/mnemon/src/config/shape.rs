//! The settings as the library uses them: typed, checked, without their origin.
//!
//! Fields are filled by name from the rows of `keys`, which hold the defaults.

use serde::Deserialize;

use super::merge;
use crate::compact;
use crate::decay;
use crate::redact::{Pattern, Subject};
use crate::retention::RetentionConfig;
use crate::schedule::Schedule;
use crate::tier::Tier;

/// Every setting; the default is what holds without any file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Config {
    /// What is licensed.
    pub tier: Tier,
    /// How logs are written and how large they may become.
    pub storage: StorageConfig,
    /// How writers wait for each other.
    pub lock: LockConfig,
    /// What a single memory may look like.
    pub limits: LimitsConfig,
    /// When a session counts as idle and as decaying, and when it is archived.
    pub sessions: SessionsConfig,
    /// How memories fade.
    pub decay: decay::Settings,
    /// What leaves a session that fills up.
    pub compaction: compact::Settings,
    /// How questions are answered.
    pub search: SearchConfig,
    /// Who makes vectors of texts.
    pub embedding: EmbeddingConfig,
    /// What is not kept, and how long deleted things can be brought back.
    pub privacy: PrivacyConfig,
    /// What only the holder of a key can read.
    pub sealing: SealingConfig,
    /// What is forgotten because of its age.
    pub retention: RetentionConfig,
    /// When what is due is done.
    pub maintenance: MaintenanceConfig,
    /// When and where the store is backed up.
    pub backup: BackupConfig,
    /// How programs ask over a connection.
    pub server: ServerConfig,
    /// What is told while the server runs.
    pub log: LogConfig,
    /// What is assumed when the caller does not say.
    pub defaults: DefaultsConfig,
}

impl Default for Config {
    fn default() -> Self {
        merge::defaults()
    }
}

/// How logs are written and how large they may become.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct StorageConfig {
    /// When a write is acknowledged.
    #[serde(flatten)]
    pub durability: Durability,
    /// The most that a session's log and views may take.
    pub session_bytes_max: u64,
    /// The share of that from which on a warning is given.
    pub warn_percent: u8,
    /// How often a failing write is tried in all.
    pub write_attempts: u32,
    /// The wait before the second try; it doubles from there.
    pub retry_backoff_ms: u64,
    /// The most that the in-memory buffer holds, for callers that ask for it.
    pub buffer_bytes_max: u64,
}

/// When a write is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "durability", rename_all = "snake_case")]
pub enum Durability {
    /// Once it is synced to the disk.
    Always,
    /// At once; a sync follows.
    Interval {
        /// The longest time until that sync.
        #[serde(rename = "sync_interval_ms")]
        every_ms: u64,
    },
    /// At once; the operating system syncs when it likes.
    Os,
}

/// How writers wait for each other.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct LockConfig {
    /// The longest wait for the lock; 0 tries once.
    pub timeout_ms: u64,
    /// The longest pause between two tries.
    pub retry_backoff_ms_max: u64,
}

/// What a single memory may look like.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct LimitsConfig {
    /// The largest memory in a session.
    pub session_entry_bytes_max: u64,
    /// The largest memory in long-term memory.
    pub long_term_entry_bytes_max: u64,
    /// How far ahead a time may lie before it is flagged.
    pub future_skew_minutes: u32,
}

/// When a session counts as idle and as decaying, and when it is archived.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct SessionsConfig {
    /// Without use for this long, a session is idle.
    pub idle_after_hours: u32,
    /// Without use for this long, a session is decaying; never sooner than idle.
    pub decaying_after_days: u32,
    /// Without use for this long, a session is due to be archived; never sooner than decaying.
    pub archive_after_days: u32,
}

/// How questions are answered.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct SearchConfig {
    /// The longest that a question may take.
    pub timeout_ms: u64,
    /// Whether a program that answers and ends writes down what it was asked for.
    pub count_accesses: bool,
}

/// Who makes vectors of texts.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct EmbeddingConfig {
    /// Who.
    pub provider: Provider,
    /// The address of the service; empty for the built-in model.
    pub url: String,
    /// The name that the service knows its model by.
    pub model: String,
    /// How many numbers a vector has.
    pub dimension: usize,
    /// The environment variable that holds the key; never the key itself.
    pub key_env: String,
    /// The longest that one request may take.
    pub timeout_ms: u64,
    /// The most texts of one request.
    pub batch: usize,
    /// How often a request is tried again.
    pub retries: u32,
}

/// Who embeds texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// The model that comes with the program.
    #[serde(rename = "built-in")]
    BuiltIn,
    /// A service that speaks like that of OpenAI.
    OpenAi,
    /// A service that speaks like Ollama.
    Ollama,
}

/// What only the holder of a key can read.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct SealingConfig {
    /// Seal all memories, and not only sensitive ones.
    pub everything: bool,
    /// Where the master key is; empty for the place that the program chooses.
    pub key_file: String,
}

/// What is not kept, and how long deleted things can be brought back.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct PrivacyConfig {
    /// What is taken out of everything that is written.
    pub redact: Vec<Subject>,
    /// What else is.
    pub patterns: Vec<Pattern>,
    /// For memories of a session and for sessions.
    pub session_recovery_days: u32,
    /// For long-term memory.
    pub long_term_recovery_days: u32,
}

/// When what is due is done.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct MaintenanceConfig {
    /// Whether writing commands do a little of what is long overdue.
    pub enabled: bool,
    /// When unused sessions are archived.
    pub archive: Schedule,
    /// When what was deleted and is past recovery is removed.
    pub purge: Schedule,
    /// When memories are forgotten whose retention is over.
    pub retention: Schedule,
    /// When the index is put in order.
    pub index: Schedule,
}

/// When and where the store is backed up.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct BackupConfig {
    /// When; never if nothing is said.
    #[serde(deserialize_with = "schedule_or_none")]
    pub schedule: Option<Schedule>,
    /// In a folder of its own in this one.
    pub folder: String,
    /// How many are kept.
    pub keep: u32,
}

fn schedule_or_none<'de, D>(from: D) -> Result<Option<Schedule>, D::Error>
where
    D: serde::Deserializer<'de>,
{
    let text = String::deserialize(from)?;
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(serde::de::Error::custom)
}

/// How programs ask over a connection.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ServerConfig {
    /// Where it listens: an address and a port.
    pub listen: String,
    /// By which names it is asked, beside those of this machine.
    pub hosts: Vec<String>,
    /// From which pages browsers may ask.
    pub origins: Vec<String>,
    /// The largest body.
    pub body_bytes_max: usize,
    /// How much of all bodies is held at once.
    pub bodies_bytes_max: usize,
    /// How deep JSON may be nested.
    pub json_depth_max: usize,
    /// How many things one request may hold.
    pub batch_max: usize,
    /// How many memories one answer may hold.
    pub page_max: usize,
    /// How many requests one token has each second; 0 is without bound.
    pub rate_per_second: u32,
    /// How many connections there are at once.
    pub connections_max: usize,
    /// How many listen to events at once.
    pub streams_max: usize,
    /// How many of them with one token.
    pub streams_per_token: usize,
    /// How often a silent stream says that it lives.
    pub heartbeat_ms: u64,
    /// How long a client may take nothing of a long answer.
    pub unread_ms: u64,
    /// How long a request may take.
    pub timeout_ms: u64,
    /// How long what has begun may take when the server ends.
    pub shutdown_ms: u64,
}

/// What is told while the server runs.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct LogConfig {
    /// How much.
    pub level: LogLevel,
}

/// How much is told, from nothing to everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogLevel {
    /// Nothing.
    Off,
    /// What failed and needs somebody.
    Error,
    /// Also what is likely to fail.
    Warn,
    /// Also what happened, in large.
    Info,
    /// Also every request.
    Debug,
}

/// What is assumed when the caller does not say.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct DefaultsConfig {
    /// The user's name.
    pub user: String,
}
