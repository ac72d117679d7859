//! The table of settings: the only place that knows a key, its default and its limits.

use super::rule::{Rule, bytes, choice, number, text, variable, whole, words};
use crate::decay::{Model, Settings};
use crate::memory::ByKind;
use crate::redact::Subject;
use crate::retention::RetentionConfig;

const KIB: i64 = 1 << 10;
const MIB: i64 = 1 << 20;
const GIB: i64 = 1 << 30;

/// Ten years: longer than any wait that is meant, short enough for every sum of times.
const DAYS_MAX: i64 = 3_650;

/// Each setting, in the order in which people read them; a table's keys lie together.
pub(super) static KEYS: &[Key] = &[
    Key {
        name: "tier",
        rule: choice("enterprise", &["core", "writer_pro", "teams", "enterprise"]),
        comment: "What is licensed: long-term memory and kept snapshots need writer_pro, search by \
            meaning and retention policies teams. Long-term memory is 100 MiB under writer_pro, \
            1 GiB under teams, and unbounded under enterprise.",
    },
    Key {
        name: "storage.durability",
        rule: choice("always", &["always", "interval", "os"]),
        comment: "When a write is acknowledged: once it is on the disk (always), or at once \
            with a sync every sync_interval_ms (interval) or whenever the system does it \
            (os).",
    },
    Key {
        name: "storage.sync_interval_ms",
        rule: whole(1_000, 1, 60_000),
        comment: "With durability = \"interval\", the most that a power cut can take back.",
    },
    Key {
        name: "storage.session_bytes_max",
        rule: bytes(10 * MIB, 64 * KIB, i64::MAX),
        comment: "The most that a session's log and views may take.",
    },
    Key {
        name: "storage.warn_percent",
        rule: whole(80, 1, 100),
        comment: "The share of session_bytes_max from which on a session warns that it is \
            filling up.",
    },
    Key {
        name: "storage.write_attempts",
        rule: whole(3, 1, 10),
        comment: "How often a write that the file system refuses is tried in all; a failed \
            sync is never tried again.",
    },
    Key {
        name: "storage.retry_backoff_ms",
        rule: whole(100, 1, 10_000),
        comment: "The wait before such a write is tried again; it doubles each time.",
    },
    Key {
        name: "storage.buffer_bytes_max",
        rule: bytes(MIB, 0, GIB),
        comment: "The most that is held in memory while the disk is full, for callers that \
            ask for it.",
    },
    Key {
        name: "lock.timeout_ms",
        rule: whole(5_000, 0, 600_000),
        comment: "How long a writer waits for the others; 0 tries once.",
    },
    Key {
        name: "lock.retry_backoff_ms_max",
        rule: whole(20, 1, 1_000),
        comment: "The longest pause between two tries to get the lock.",
    },
    Key {
        name: "limits.session_entry_bytes_max",
        rule: bytes(MIB, KIB, 64 * MIB),
        comment: "The largest memory that a session takes.",
    },
    Key {
        name: "limits.long_term_entry_bytes_max",
        rule: bytes(10 * MIB, KIB, 64 * MIB),
        comment: "The largest memory that long-term memory takes.",
    },
    Key {
        name: "limits.future_skew_minutes",
        rule: whole(5, 0, 525_600),
        comment: "How far ahead of this machine's clock a time may lie before it is flagged.",
    },
    Key {
        name: "sessions.idle_after_hours",
        rule: whole(24, 1, DAYS_MAX * 24),
        comment: "Without use for this long, a session is idle.",
    },
    Key {
        name: "sessions.decaying_after_days",
        rule: whole(7, 1, DAYS_MAX),
        comment: "Without use for this long, a session is decaying.",
    },
    Key {
        name: "sessions.archive_after_days",
        rule: whole(30, 1, DAYS_MAX),
        comment: "Without use for this long, a session is due to be archived.",
    },
    Key {
        name: "decay.model",
        rule: choice("half_life", Model::WORDS),
        comment: "How memories fade: half_life (by kind and age), priority (also by access, and \
            held up where something is open or weighs much) or boosted (half-lives, raised by \
            accesses and importance).",
    },
    Key {
        name: "decay.enabled",
        rule: Rule::Flag { default: true },
        comment: "Whether memories fade at all.",
    },
    Key {
        name: "decay.min_factor",
        rule: number(0.1, 0.0, 1.0),
        comment: "Nothing fades below this part of its importance, under half_life and boosted.",
    },
    half_life(
        "decay.half_life_hours.conversation",
        HALF_LIFE_HOURS.conversation,
    ),
    half_life("decay.half_life_hours.decision", HALF_LIFE_HOURS.decision),
    half_life("decay.half_life_hours.finding", HALF_LIFE_HOURS.finding),
    half_life(
        "decay.half_life_hours.preference",
        HALF_LIFE_HOURS.preference,
    ),
    half_life("decay.half_life_hours.learning", HALF_LIFE_HOURS.learning),
    half_life("decay.half_life_hours.fact", HALF_LIFE_HOURS.fact),
    half_life("decay.half_life_hours.event", HALF_LIFE_HOURS.event),
    half_life("decay.half_life_hours.procedure", HALF_LIFE_HOURS.procedure),
    half_life("decay.half_life_hours.state", HALF_LIFE_HOURS.state),
    half_life("decay.half_life_hours.artifact", HALF_LIFE_HOURS.artifact),
    rate("decay.rate_per_day.conversation", RATE_PER_DAY.conversation),
    rate("decay.rate_per_day.decision", RATE_PER_DAY.decision),
    rate("decay.rate_per_day.finding", RATE_PER_DAY.finding),
    rate("decay.rate_per_day.preference", RATE_PER_DAY.preference),
    rate("decay.rate_per_day.learning", RATE_PER_DAY.learning),
    rate("decay.rate_per_day.fact", RATE_PER_DAY.fact),
    rate("decay.rate_per_day.event", RATE_PER_DAY.event),
    rate("decay.rate_per_day.procedure", RATE_PER_DAY.procedure),
    rate("decay.rate_per_day.state", RATE_PER_DAY.state),
    rate("decay.rate_per_day.artifact", RATE_PER_DAY.artifact),
    Key {
        name: "compaction.enabled",
        rule: Rule::Flag { default: true },
        comment: "Whether a session that fills up is compacted by itself, after the write that \
            filled it.",
    },
    Key {
        name: "compaction.gentle_at_percent",
        rule: whole(80, 1, 100),
        comment: "The share of session_bytes_max from which on a session is compacted gently.",
    },
    Key {
        name: "compaction.aggressive_at_percent",
        rule: whole(95, 1, 100),
        comment: "The share of session_bytes_max from which on a session is compacted \
            aggressively.",
    },
    Key {
        name: "compaction.gentle_percent",
        rule: whole(10, 1, 100),
        comment: "How much of its size a gentle compaction is to free.",
    },
    Key {
        name: "compaction.aggressive_percent",
        rule: whole(20, 1, 100),
        comment: "How much of its size an aggressive compaction is to free.",
    },
    Key {
        name: "compaction.faded_below",
        rule: number(0.3, 0.0, 1.0),
        comment: "What has less priority than this is faded, and goes first.",
    },
    Key {
        name: "compaction.conversation_after_days",
        rule: whole(7, 0, DAYS_MAX),
        comment: "Conversation older than this is replaced by a summary.",
    },
    Key {
        name: "compaction.keep_recent_hours",
        rule: whole(24, 0, DAYS_MAX * 24),
        comment: "Nothing younger than this is compacted.",
    },
    Key {
        name: "compaction.keep_accessed_hours",
        rule: whole(48, 0, DAYS_MAX * 24),
        comment: "Nothing that was asked for since then is compacted.",
    },
    Key {
        name: "compaction.keep_priority_above",
        rule: number(0.7, 0.0, 1.0),
        comment: "Nothing with more priority than this is compacted.",
    },
    Key {
        name: "search.timeout_ms",
        rule: whole(5_000, 1, 600_000),
        comment: "How long a question may take before it is given up.",
    },
    Key {
        name: "search.count_accesses",
        rule: Rule::Flag { default: true },
        comment: "Whether what a command shows counts as asked for. It is written down after the \
            answer, and only if nobody else writes.",
    },
    Key {
        name: "embedding.provider",
        rule: choice("built-in", &["built-in", "openai", "ollama"]),
        comment: "Who embeds texts: the model that comes with the program (built-in), or a \
            service that speaks like OpenAI's (openai) or Ollama's (ollama), to which every \
            text that is not sensitive is sent.",
    },
    Key {
        name: "embedding.url",
        rule: text("", 512),
        comment: "Where that service is, such as \"https://api.openai.com/v1\" or \
            \"http://localhost:11434\".",
    },
    Key {
        name: "embedding.model",
        rule: text("", 256),
        comment: "Its model, such as \"text-embedding-3-small\" or \"nomic-embed-text\".",
    },
    Key {
        name: "embedding.dimension",
        rule: whole(0, 0, 8_192),
        comment: "How many numbers a vector of that model has, such as 1536 or 768.",
    },
    Key {
        name: "embedding.key_env",
        rule: variable("MNEMON_EMBEDDING_KEY"),
        comment: "The environment variable that holds the key of the service, if it needs one.",
    },
    Key {
        name: "embedding.timeout_ms",
        rule: whole(30_000, 10, 600_000),
        comment: "How long one request to the service may take; a question waits 2 seconds at \
            most.",
    },
    Key {
        name: "embedding.batch",
        rule: whole(64, 1, 2_048),
        comment: "How many texts are sent in one request.",
    },
    Key {
        name: "embedding.retries",
        rule: whole(3, 0, 10),
        comment: "How often a request is tried again when the service is away or busy.",
    },
    Key {
        name: "privacy.redact",
        rule: words(&["secrets"], Subject::WORDS),
        comment: "What is taken out of everything before it is kept: secrets (keys, tokens, \
            passwords, card numbers), personal (email, phone, iban), or single ones of these; \
            [] for nothing.",
    },
    Key {
        name: "privacy.patterns",
        rule: Rule::Patterns,
        comment: "What else is taken out, each as 'class=regular expression', such as \
            'ticket=ACME-[0-9]+'.",
    },
    Key {
        name: "privacy.session_recovery_days",
        rule: whole(30, 0, DAYS_MAX),
        comment: "How long a deleted session, or a memory deleted from one, can be brought back.",
    },
    Key {
        name: "privacy.long_term_recovery_days",
        rule: whole(90, 0, DAYS_MAX),
        comment: "How long a memory deleted from long-term memory can be brought back.",
    },
    Key {
        name: "sealing.everything",
        rule: Rule::Flag { default: false },
        comment: "Whether all memories are sealed, and not only sensitive ones; questions then \
            open all of them first.",
    },
    Key {
        name: "sealing.key_file",
        rule: text("", 4_096),
        comment: "Where the master key is, if not where `mnemon key new` puts it; \
            MNEMON_KEY_FILE, MNEMON_KEY and MNEMON_PASSPHRASE overrule it.",
    },
    Key {
        name: "retention.enabled",
        rule: Rule::Flag { default: false },
        comment: "Whether memories are forgotten when they have not been used for long; what is \
            pinned, open or exempt never is.",
    },
    Key {
        name: "retention.exempt_importance",
        rule: number(0.9, 0.0, 1.1),
        comment: "What matters at least this much is kept; above 1 nothing is exempt by it.",
    },
    Key {
        name: "retention.exempt_tags",
        rule: Rule::Tags,
        comment: "What has one of these tags, or one below, is kept.",
    },
    retention("retention.days.conversation", RETENTION_DAYS.conversation),
    retention("retention.days.decision", RETENTION_DAYS.decision),
    retention("retention.days.finding", RETENTION_DAYS.finding),
    retention("retention.days.preference", RETENTION_DAYS.preference),
    retention("retention.days.learning", RETENTION_DAYS.learning),
    retention("retention.days.fact", RETENTION_DAYS.fact),
    retention("retention.days.event", RETENTION_DAYS.event),
    retention("retention.days.procedure", RETENTION_DAYS.procedure),
    retention("retention.days.state", RETENTION_DAYS.state),
    retention("retention.days.artifact", RETENTION_DAYS.artifact),
    Key {
        name: "maintenance.enabled",
        rule: Rule::Flag { default: true },
        comment: "Whether writing commands do a little of what is long overdue, after their own \
            work.",
    },
    Key {
        name: "maintenance.archive",
        rule: Rule::Schedule {
            default: "0 4 * * *",
        },
        comment: "When sessions that nobody uses are archived.",
    },
    Key {
        name: "maintenance.purge",
        rule: Rule::Schedule {
            default: "0 2 * * 0",
        },
        comment: "When deleted sessions and forgotten memories are removed whose time is up.",
    },
    Key {
        name: "maintenance.retention",
        rule: Rule::Schedule {
            default: "0 0 * * *",
        },
        comment: "When memories are forgotten whose retention is over.",
    },
    Key {
        name: "maintenance.index",
        rule: Rule::Schedule {
            default: "0 3 * * *",
        },
        comment: "When the index is put in order.",
    },
    Key {
        name: "backup.schedule",
        rule: Rule::Schedule { default: "" },
        comment: "When the store is backed up, by `mnemon maintain` or a server; never if empty.",
    },
    Key {
        name: "backup.folder",
        rule: text("", 4_096),
        comment: "Where: each back-up gets a folder of its own in this one, which begins with /.",
    },
    Key {
        name: "backup.keep",
        rule: whole(7, 1, 1_000),
        comment: "How many back-ups are kept there; older ones of this store are removed.",
    },
    Key {
        name: "server.listen",
        rule: text("127.0.0.1:7077", 128),
        comment: "Where `mnemon serve` listens. Anything but this machine itself needs a token \
            first.",
    },
    Key {
        name: "server.hosts",
        rule: Rule::Hosts,
        comment: "By which names the server is asked beside localhost and the address it listens \
            at; requests for other hosts are refused.",
    },
    Key {
        name: "server.origins",
        rule: Rule::Origins,
        comment: "From which pages browsers may ask; by default from none.",
    },
    Key {
        name: "server.body_bytes_max",
        rule: bytes(16 * MIB, KIB, GIB),
        comment: "The largest body of a request.",
    },
    Key {
        name: "server.bodies_bytes_max",
        rule: bytes(256 * MIB, KIB, 64 * GIB),
        comment: "How much of the bodies of all requests is held at once; one of the largest \
            always fits.",
    },
    Key {
        name: "server.json_depth_max",
        rule: whole(64, 4, 100),
        comment: "How deep JSON in a request may be nested.",
    },
    Key {
        name: "server.batch_max",
        rule: whole(1_000, 1, 100_000),
        comment: "How many memories, names or questions one request may hold.",
    },
    Key {
        name: "server.page_max",
        rule: whole(1_000, 1, 1_000_000),
        comment: "How many memories one answer may hold.",
    },
    Key {
        name: "server.rate_per_second",
        rule: whole(1_000, 0, 1_000_000),
        comment: "How many requests one token has each second, and as many saved up; 0 is \
            without bound.",
    },
    Key {
        name: "server.connections_max",
        rule: whole(1_024, 1, 65_536),
        comment: "How many connections there are at once, beside those that listen to events; \
            more of them wait.",
    },
    Key {
        name: "server.streams_max",
        rule: whole(1_024, 0, 65_536),
        comment: "How many clients listen to events at once.",
    },
    Key {
        name: "server.streams_per_token",
        rule: whole(64, 0, 65_536),
        comment: "How many of them with one token.",
    },
    Key {
        name: "server.heartbeat_ms",
        rule: whole(15_000, 10, 3_600_000),
        comment: "How often a stream of events on which nothing happens says that it lives, and \
            looks whether its token still holds.",
    },
    Key {
        name: "server.unread_ms",
        rule: whole(10_000, 10, 3_600_000),
        comment: "A client that takes nothing of a long answer for so long is cut off.",
    },
    Key {
        name: "server.timeout_ms",
        rule: whole(30_000, 10, 3_600_000),
        comment: "How long a request may take; upkeep, imports, exports and back-ups may take \
            longer.",
    },
    Key {
        name: "server.shutdown_ms",
        rule: whole(10_000, 0, 600_000),
        comment: "How long requests that have begun may take when the server is asked to end.",
    },
    Key {
        name: "log.level",
        rule: choice("info", &["off", "error", "warn", "info", "debug"]),
        comment: "How much the server tells on standard error, one JSON object a line.",
    },
    Key {
        name: "defaults.user",
        rule: text("user", 128),
        comment: "Who the user is where a session does not say.",
    },
];

const HALF_LIFE_HOURS: ByKind<f64> = Settings::HALF_LIFE_HOURS;
const RATE_PER_DAY: ByKind<f64> = Settings::RATE_PER_DAY;

const fn half_life(name: &'static str, hours: f64) -> Key {
    Key {
        name,
        rule: number(hours, 0.0, 1e6),
        comment: "Half of it goes in so many hours; 0 is never under half_life, 1440 under boosted.",
    }
}

const RETENTION_DAYS: ByKind<u32> = RetentionConfig::DAYS;

const fn retention(name: &'static str, days: u32) -> Key {
    Key {
        name,
        rule: whole(days as i64, 0, DAYS_MAX),
        comment: "How many days without access one is kept; 0 is for ever.",
    }
}

const fn rate(name: &'static str, per_day: f64) -> Key {
    Key {
        name,
        rule: number(per_day, 0.0, 10.0),
        comment: "What a day without access takes, under priority.",
    }
}

/// One row.
#[derive(Debug)]
pub(super) struct Key {
    /// The dotted name: `storage.durability`.
    pub(super) name: &'static str,
    /// The values that are possible, and the one that holds by default.
    pub(super) rule: Rule,
    /// One sentence for the person who reads the file.
    pub(super) comment: &'static str,
}

impl Key {
    /// The row of this name.
    pub(super) fn find(name: &str) -> Option<&'static Key> {
        KEYS.iter().find(|key| key.name == name)
    }

    /// The environment variable that overrules the files: `MNEMON_STORAGE_DURABILITY`.
    pub(super) fn variable(&self) -> String {
        format!("MNEMON_{}", self.name.replace('.', "_").to_uppercase())
    }

    /// The table in the file, and the name within it.
    pub(super) fn split(&self) -> (&'static str, &'static str) {
        self.name.rsplit_once('.').unwrap_or(("", self.name))
    }
}

/// Whether the file may have a table of this name.
pub(super) fn is_table(name: &str) -> bool {
    KEYS.iter().any(|key| {
        key.name
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with('.'))
    })
}

/// The tables that hold keys, each once.
pub(super) fn tables() -> Vec<&'static str> {
    let mut tables: Vec<_> = KEYS.iter().map(|key| key.split().0).collect();
    tables.dedup();
    tables
}

#[cfg(test)]
mod tests {
    use crate::nearest::nearest;
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn rows_are_told_apart_by_key_and_by_variable() {
        let names: BTreeSet<_> = KEYS.iter().map(|key| key.name).collect();
        let variables: BTreeSet<_> = KEYS.iter().map(Key::variable).collect();
        assert_eq!((names.len(), variables.len()), (KEYS.len(), KEYS.len()));
    }

    #[test]
    fn the_keys_of_a_table_lie_together() {
        let tables = tables();
        let distinct: BTreeSet<_> = tables.iter().collect();
        assert_eq!(distinct.len(), tables.len());
        // In a file, what is in no table stands before all tables.
        assert!(!tables[1..].contains(&""), "a key outside any table");
    }

    #[test]
    fn comments_are_one_sentence_on_one_line() {
        for key in KEYS {
            assert!(
                key.comment.ends_with('.') && !key.comment.contains('\n'),
                "{}",
                key.name
            );
        }
    }

    #[test]
    fn keys_are_found_by_what_people_type() {
        for (given, meant) in [
            ("storage.durablity", Some("storage.durability")),
            ("storage.durable", Some("storage.durability")),
            ("Storage.Durability", Some("storage.durability")),
            ("durability", Some("storage.durability")),
            ("lock.durability", Some("storage.durability")),
            ("locks.timeout_ms", Some("lock.timeout_ms")),
            ("lock.timeout", Some("lock.timeout_ms")),
            ("lock.retry_backoff_ms", Some("lock.retry_backoff_ms_max")),
            (
                "privacy.recovery_days",
                Some("privacy.session_recovery_days"),
            ),
            ("defaults.uesr", Some("defaults.user")),
            ("storage.encoding", None),
            ("x", None),
            ("", None),
        ] {
            let known = KEYS.iter().map(|key| key.name);
            assert_eq!(nearest(given, known), meant, "{given}");
        }
        for (given, meant) in [
            ("storge", Some("storage")),
            ("session", Some("sessions")),
            ("decays", Some("decay")),
            ("colour", None),
        ] {
            assert_eq!(nearest(given, tables()), meant, "{given}");
        }
    }
}
