//! The JSON of mnemon: how memories, sessions, reports and errors look outside.
//!
//! The command line, HTTP and MCP print and read these shapes and no others.
//! Nothing here touches a file or a terminal: text comes in, values go out.
//! [`parse`] reads one memory, [`import`] a whole file, [`MemoryShape`] and
//! its neighbours are what is printed.

mod agent;
mod aggregate;
mod anonymize;
mod backup;
mod compaction;
mod context;
mod duplicates;
mod error;
mod export;
pub mod foreign;
pub mod halves;
mod history;
pub mod import;
mod long_term;
mod maintain;
mod memory;
pub mod parse;
mod query;
mod recall;
mod redact;
mod related;
mod report;
pub mod request;
mod retention;
mod sealing;
mod session;
mod strict;
mod token;
mod turn;
mod workflow;

pub use agent::{
    AddedShape, EntryShape, RestoredShape, RoutineShape, SnapshotStatsShape, SnapshotsShape,
    WindowShape, WorkingSetShape, WorkingShape,
};
pub use aggregate::{ActivityShape, SummaryShape, TimelineShape, TopicsShape};
pub use anonymize::AnonymizedShape;
pub use backup::{BackedUpShape, BroughtBackShape};
pub use compaction::{CompactedShape, SizeShape};
pub use context::ContextShape;
pub use duplicates::{ConsolidatedShape, DuplicatesShape};
pub use error::ErrorShape;
pub use export::{ExportFormat, ExportWriter, SessionLine, memory_line, session_line};
pub use history::HistoryShape;
pub use import::{Format, read_import};
pub use long_term::LongTermShape;
pub use maintain::MaintainedShape;
pub use memory::{MemoriesShape, MemoryShape};
pub use parse::{Parsed, kind_from_word, parse_memory};
pub use query::AnswerShape;
pub use recall::{BatchLine, HitShape, RecalledShape, note_texts};
pub use redact::{RedactedShape, RedactionShape};
pub use related::{RelatedShape, SimilarShape};
pub use report::{
    AuditShape, EmbeddedShape, ErasedShape, ForgottenShape, ImportedShape, ReindexedShape,
    RememberedShape, RepairShape, StatsShape, VerificationShape,
};
pub use request::{RecallRequest, parse_structured, parse_structured_text};
pub use retention::{PolicyShape, RetentionShape};
pub use sealing::SealingShape;
pub use session::{
    DeletedSessionShape, DeletedSessionsShape, DeletedShape, PurgedShape, SessionShape,
    SessionsShape,
};
pub use strict::parse_strictly;
pub use token::{NewTokenShape, TokenShape, TokensShape};
pub use turn::{KeptTurnShape, parse_turn};
pub use workflow::workflow_selectors;
