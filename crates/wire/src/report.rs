//! What commands report: counts, problems, and what was done about them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mnemon::engine::{Conflict, Embedded, EmbeddingReport, Imported, Remembered};
use mnemon::memory::{Handle, Kind, MemoryId, SessionId, Space};
use mnemon::store::{AuditEntry, Cleaned, Erased, Located, Reindexed, Repair, Stats, Verification};
use mnemon::{Code, Time};
use serde::Serialize;

use crate::redact::RedactionShape;

/// What became of a memory that was handed in.
#[derive(Debug, Serialize)]
pub struct RememberedShape<'a> {
    id: &'a MemoryId,
    handle: Option<Handle>,
    space: &'a Space,
    durable: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    redacted: Vec<RedactionShape<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

impl<'a> RememberedShape<'a> {
    /// The shape of a receipt.
    pub fn of(kept: &'a Remembered) -> Self {
        Self {
            id: &kept.id,
            handle: kept.handle,
            space: &kept.space,
            durable: kept.durable,
            redacted: RedactionShape::all(&kept.redacted),
            notes: kept.notes(),
        }
    }
}

/// What was forgotten or brought back.
#[derive(Debug, Serialize)]
pub struct ForgottenShape<'a> {
    count: usize,
    ids: &'a [MemoryId],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    put_away: Vec<WhereaboutsShape<'a>>,
}

/// Where a memory lies that no question finds.
#[derive(Debug, Serialize)]
struct WhereaboutsShape<'a> {
    id: &'a MemoryId,
    space: &'a Space,
    at: &'static str,
}

impl<'a> ForgottenShape<'a> {
    /// The shape of a list of ids; `dry_run` if they were only looked up.
    pub fn of(ids: &'a [MemoryId], dry_run: bool) -> Self {
        Self {
            count: ids.len(),
            ids,
            dry_run,
            put_away: Vec::new(),
        }
    }

    /// With where those of them lie that are put away.
    #[must_use]
    pub fn with_put_away(mut self, located: &'a [Located]) -> Self {
        let put_away = located.iter().filter_map(|it| {
            Some(WhereaboutsShape {
                id: &it.memory.id,
                space: &it.memory.space,
                at: it.at.as_str()?,
            })
        });
        self.put_away = put_away.collect();
        self
    }
}

/// What was erased, and the receipt for it.
#[derive(Debug, Serialize)]
pub struct ErasedShape<'a> {
    count: usize,
    ids: &'a [MemoryId],
    #[serde(skip_serializing_if = "<[MemoryId]>::is_empty")]
    renewed: &'a [MemoryId],
    receipt: ReceiptShape<'a>,
}

#[derive(Debug, Serialize)]
struct ReceiptShape<'a> {
    cleaned: Vec<CleanedShape<'a>>,
    files_searched: u64,
    bytes_searched: u64,
    also_in: &'a [PathBuf],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    not_cleaned: &'a [String],
}

#[derive(Debug, Serialize)]
struct CleanedShape<'a> {
    place: &'a Path,
    how: &'a str,
}

impl<'a> ErasedShape<'a> {
    /// The shape of an erasure.
    pub fn of(erased: &'a Erased) -> Self {
        let cleaned = |own: &'a Cleaned| CleanedShape {
            place: &own.place,
            how: own.how,
        };
        Self {
            count: erased.ids.len(),
            ids: &erased.ids,
            renewed: &erased.renewed,
            receipt: ReceiptShape {
                cleaned: erased.cleaned.iter().map(cleaned).collect(),
                files_searched: erased.files_searched,
                bytes_searched: erased.bytes_searched,
                also_in: &erased.also_in,
                not_cleaned: &erased.not_cleaned,
            },
        }
    }
}

/// What was forgotten, brought back and erased, and what became of sessions.
#[derive(Debug, Serialize)]
pub struct AuditShape<'a> {
    entries: Vec<AuditEntryShape<'a>>,
    total: usize,
}

#[derive(Debug, Serialize)]
struct AuditEntryShape<'a> {
    at: Time,
    op: &'static str,
    by: &'a str,
    reason: &'a str,
    memories: u64,
    ids: &'a [String],
    spaces: Vec<String>,
}

impl<'a> AuditShape<'a> {
    /// The shape of some of so many deeds.
    pub fn of(shown: &'a [AuditEntry], total: usize) -> Self {
        let entry = |own: &'a AuditEntry| AuditEntryShape {
            at: own.at,
            op: own.deed.as_str(),
            by: &own.by,
            reason: &own.reason,
            memories: own.memories,
            ids: &own.ids,
            spaces: own.spaces.iter().map(ToString::to_string).collect(),
        };
        Self {
            entries: shown.iter().map(entry).collect(),
            total,
        }
    }
}

/// What an import did.
#[derive(Debug, Serialize)]
pub struct ImportedShape<'a> {
    imported: u64,
    /// Changed in the file since it was exported, and now changed here.
    revised: u64,
    /// There already, and as they were.
    skipped: u64,
    /// How many of those were changed here since.
    older: u64,
    /// How many of those lie in the archive of their session.
    archived: u64,
    sessions: &'a [SessionId],
    dangling_links: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    redacted: Vec<RedactionShape<'a>>,
    /// Left out because their text was erased here once.
    erased: u64,
    /// Changed here and in the file; what else can't be taken refuses the whole import.
    errors: Vec<ConflictShape<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
}

#[derive(Debug, Serialize)]
struct ConflictShape<'a> {
    line: u64,
    id: &'a MemoryId,
    code: &'static str,
    message: String,
    hint: String,
}

impl<'a> ImportedShape<'a> {
    /// The shape of an import's report; `dry_run` if it was only looked at.
    pub fn of(imported: &'a Imported, dry_run: bool) -> Self {
        let conflict = |own: &'a Conflict| ConflictShape {
            line: own.line,
            id: &own.id,
            code: Code::ConcurrentMod.as_str(),
            message: own.to_string(),
            hint: own.hint(),
        };
        Self {
            imported: imported.imported,
            revised: imported.revised,
            skipped: imported.skipped,
            older: imported.older,
            archived: imported.archived,
            sessions: &imported.sessions,
            dangling_links: imported.dangling,
            redacted: RedactionShape::all(&imported.redacted),
            erased: imported.erased,
            errors: imported.conflicts.iter().map(conflict).collect(),
            notes: imported.filling.iter().map(ToString::to_string).collect(),
            dry_run,
        }
    }
}

/// What a check of everything found.
#[derive(Debug, Serialize)]
pub struct VerificationShape<'a> {
    ok: bool,
    checked: u64,
    problems: Vec<ProblemShape<'a>>,
    notes: &'a [String],
}

#[derive(Debug, Serialize)]
struct ProblemShape<'a> {
    space: &'a str,
    line: Option<u64>,
    code: &'static str,
    message: &'a str,
}

impl<'a> VerificationShape<'a> {
    /// The shape of a verification.
    pub fn of(verification: &'a Verification) -> Self {
        let problems = verification.problems.iter();
        Self {
            ok: verification.is_ok(),
            checked: verification.checked,
            problems: problems
                .map(|problem| ProblemShape {
                    space: &problem.space,
                    line: problem.line,
                    code: problem.code.as_str(),
                    message: &problem.message,
                })
                .collect(),
            notes: &verification.notes,
        }
    }
}

/// What a repair did.
#[derive(Debug, Serialize)]
pub struct RepairShape<'a> {
    checked: u64,
    quarantined: Vec<QuarantinedShape<'a>>,
    accepted: &'a [String],
    rewritten: &'a [Space],
    gone: Vec<GoneShape<'a>>,
    unpoisoned: bool,
    removed: &'a [PathBuf],
}

#[derive(Debug, Serialize)]
struct QuarantinedShape<'a> {
    space: &'a Space,
    line: u64,
    bytes: u64,
    problem: &'a str,
    file: &'a Path,
}

#[derive(Debug, Serialize)]
struct GoneShape<'a> {
    space: &'a Space,
    memories: u64,
}

impl<'a> RepairShape<'a> {
    /// The shape of a repair.
    pub fn of(repair: &'a Repair) -> Self {
        let pieces = repair.quarantined.iter();
        let gone = repair.gone.iter();
        Self {
            checked: repair.checked,
            quarantined: pieces
                .map(|piece| QuarantinedShape {
                    space: &piece.space,
                    line: piece.line,
                    bytes: piece.bytes,
                    problem: &piece.problem,
                    file: &piece.file,
                })
                .collect(),
            accepted: &repair.accepted,
            rewritten: &repair.rewritten,
            gone: gone
                .map(|log| GoneShape {
                    space: &log.space,
                    memories: log.memories,
                })
                .collect(),
            unpoisoned: repair.unpoisoned,
            removed: &repair.removed,
        }
    }
}

/// What a rebuild of the index did.
#[derive(Debug, Serialize)]
pub struct ReindexedShape {
    logs: u64,
    memories: u64,
    bytes: u64,
}

impl ReindexedShape {
    /// The shape of a rebuild.
    pub fn of(reindexed: &Reindexed) -> Self {
        Self {
            logs: reindexed.logs,
            memories: reindexed.memories,
            bytes: reindexed.bytes,
        }
    }
}

/// What became of texts that waited for vectors.
#[derive(Debug, Serialize)]
pub struct EmbeddedShape {
    embedded: u64,
    left: u64,
}

impl EmbeddedShape {
    /// The shape of a run.
    pub fn of(embedded: Embedded) -> Self {
        Self {
            embedded: embedded.embedded,
            left: embedded.left,
        }
    }
}

/// Counts and sizes of a store.
#[derive(Debug, Serialize)]
pub struct StatsShape<'a> {
    memories: u64,
    forgotten: u64,
    sessions: usize,
    by_kind: &'a BTreeMap<Kind, u64>,
    spaces: Vec<SpaceShape<'a>>,
    log_bytes: u64,
    index_bytes: u64,
    damaged_lines: u64,
    #[serde(skip_serializing_if = "is_zero")]
    sealed: u64,
    archived: PutAwayShape,
    deleted: PutAwayShape,
    embedding: EmbeddingShape<'a>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the serializer hands over references"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Sessions in archives or in the trash.
#[derive(Debug, Serialize)]
struct PutAwayShape {
    sessions: u64,
    bytes: u64,
}

#[derive(Debug, Serialize)]
struct EmbeddingShape<'a> {
    embedder: &'a str,
    dimension: usize,
    answering: &'a str,
    waiting: u64,
}

#[derive(Debug, Serialize)]
struct SpaceShape<'a> {
    space: &'a Space,
    memories: u64,
    log_bytes: u64,
    damaged_lines: u64,
}

impl<'a> StatsShape<'a> {
    /// The shape of the statistics.
    pub fn of(stats: &'a Stats, embedding: &'a EmbeddingReport) -> Self {
        let spaces = stats.spaces.iter();
        Self {
            memories: stats.memories,
            forgotten: stats.forgotten,
            sessions: stats
                .spaces
                .iter()
                .filter(|space| space.space.session().is_some())
                .count(),
            by_kind: &stats.by_kind,
            spaces: spaces
                .map(|space| SpaceShape {
                    space: &space.space,
                    memories: space.memories,
                    log_bytes: space.log_bytes,
                    damaged_lines: space.damaged_lines,
                })
                .collect(),
            log_bytes: stats.log_bytes,
            index_bytes: stats.index_bytes,
            damaged_lines: stats.damaged_lines,
            sealed: stats.sealed,
            archived: PutAwayShape {
                sessions: stats.archived_sessions,
                bytes: stats.archive_bytes,
            },
            deleted: PutAwayShape {
                sessions: stats.deleted_sessions,
                bytes: stats.trash_bytes,
            },
            embedding: EmbeddingShape {
                embedder: &embedding.embedder,
                dimension: embedding.dimension,
                answering: &embedding.answering,
                waiting: embedding.waiting,
            },
        }
    }
}
