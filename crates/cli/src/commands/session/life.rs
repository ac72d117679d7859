//! `mnemon session activate`, `archive`, `restore`, `delete`, `undelete` and `purge`

use std::fmt::Write as _;

use clap::Args;
use mnemon::session::{DeletedSession, SessionState};
use mnemon_wire::{DeletedSessionShape, PurgedShape};

use super::show;
use crate::commands::after;
use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::human::ago::{ago, days_left};
use crate::human::count;

/// Put a session into use again, whether it is idle, decaying or archived
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon session activate review")]
pub(crate) struct Activate {
    /// Which
    #[arg(value_name = "S")]
    id: String,
}

/// Compress a session and leave a summary in its place
#[derive(Debug, Args)]
#[command(
    after_help = "Whoever names the session later gets it opened, to the byte as it was.\n\n\
    Example:\n  mnemon session archive review --reason \"released\""
)]
pub(crate) struct Archive {
    /// Which
    #[arg(value_name = "S")]
    id: String,
    /// Why
    #[arg(long)]
    reason: Option<String>,
}

/// Open an archived session, to the byte as it was, and bring back what was compacted
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon session restore review")]
pub(crate) struct Restore {
    /// Which
    #[arg(value_name = "S")]
    id: String,
}

/// Put a session into the trash
#[derive(Debug, Args)]
#[command(
    after_help = "It can be brought back for privacy.session_recovery_days.\n\n\
    Example:\n  mnemon session delete review --reason \"only a test\""
)]
pub(crate) struct Delete {
    /// Which
    #[arg(value_name = "S")]
    id: String,
    /// Why
    #[arg(long)]
    reason: String,
}

/// Take a session out of the trash
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon session undelete review --reason \"needed after all\"")]
pub(crate) struct Undelete {
    /// Which
    #[arg(value_name = "S")]
    id: String,
    /// Why
    #[arg(long)]
    reason: String,
}

/// Remove deleted sessions for good: those whose time is up, or a named one at once
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon session purge --dry-run\n  mnemon session purge\n  \
    mnemon session purge review --yes"
)]
pub(crate) struct Purge {
    /// This one, whether its time is up or not
    #[arg(value_name = "S")]
    id: Option<String>,
    /// Yes, without a way back
    #[arg(long)]
    yes: bool,
    /// Only show what would be removed
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

impl Activate {
    pub(super) fn run(&self, context: &Context) -> Outcome {
        let engine = context.reader()?;
        let session = engine.activate_session(&context.caller()?, &self.id.parse()?)?;
        show::answer(context, &engine, &session)
    }
}

impl Archive {
    pub(super) fn run(&self, context: &Context) -> Outcome {
        let (engine, id) = (context.reader()?, self.id.parse()?);
        let reason = self.reason.as_deref();
        let session = engine.archive_session(&context.caller()?, &id, reason)?;
        show::answer(context, &engine, &session)
    }
}

impl Restore {
    pub(super) fn run(&self, context: &Context) -> Outcome {
        let (engine, caller, id) = (context.reader()?, context.caller()?, self.id.parse()?);
        engine.restore_session(&caller, &id)?;
        let brought = engine.bring_back(&caller, &id, None, "restored by command")?;
        if !brought.is_empty() {
            let memories = count(brought.len() as u64, "memory", "memories");
            let note = format!("Brought back {memories} that had been compacted.");
            context.output.note(&note);
        }
        let session = engine.session(&caller, &id)?;
        show::answer(context, &engine, &session)?;
        after::a_write(context, &engine, &caller);
        Ok(())
    }
}

impl Delete {
    pub(super) fn run(&self, context: &Context) -> Outcome {
        let (engine, id) = (context.reader()?, self.id.parse()?);
        let deleted = engine.delete_session(&context.caller()?, &id, &self.reason)?;
        let shape = DeletedSessionShape::of(&deleted, SessionState::Deleted);
        context.output.answer(&shape, || {
            let left = days_left(deleted.recovery_deadline, engine.now());
            format!(
                "Deleted session {}; `mnemon session undelete {} --reason R` brings it back, {left}.",
                deleted.session_id, deleted.session_id
            )
        })
    }
}

impl Undelete {
    pub(super) fn run(&self, context: &Context) -> Outcome {
        let (engine, id) = (context.reader()?, self.id.parse()?);
        let caller = context.caller()?;
        if engine.deleted_session(&caller, &id)?.is_none() && engine.session(&caller, &id).is_ok() {
            return Err(Failure::misused(
                format!("session {id} is not deleted"),
                format!("It is there already; `mnemon session show {id}` shows it."),
            ));
        }
        let session = engine.undelete_session(&caller, &id, &self.reason)?;
        show::answer(context, &engine, &session)
    }
}

impl Purge {
    pub(super) fn run(&self, context: &Context) -> Outcome {
        let engine = context.reader()?;
        let caller = context.caller()?;
        let mut meant = match &self.id {
            Some(id) => vec![self.named(context, id)?],
            None => engine.overdue_sessions(&caller)?,
        };
        if !self.dry_run {
            for session in &mut meant {
                *session = engine.purge_session(&caller, &session.session_id)?;
            }
        }
        let shape = PurgedShape::of(&meant, self.dry_run);
        context.output.answer(&shape, || {
            let number = count(meant.len() as u64, "session", "sessions");
            let mut out = match (meant.is_empty(), self.dry_run) {
                (true, _) => return "No deleted session is past its time.".into(),
                (_, true) => format!("Would remove {number} for good:\n"),
                (_, false) => format!("Removed {number} for good:\n"),
            };
            for session in &meant {
                let memories = count(session.memories(), "memory", "memories");
                let when = ago(session.deleted_at, engine.now());
                let _ = writeln!(
                    out,
                    "  {}: {memories}, deleted {when} by {}",
                    session.session_id, session.deleted_by
                );
            }
            out
        })
    }

    /// The session that is named, if it is said that this is meant.
    fn named(&self, context: &Context, id: &str) -> Outcome<DeletedSession> {
        let engine = context.reader()?;
        let caller = context.caller()?;
        let id = id.parse()?;
        let Some(deleted) = engine.deleted_session(&caller, &id)? else {
            // What is not in the trash is not purged, whatever is said.
            return Err(match engine.session(&caller, &id) {
                Ok(_) => Failure::misused(
                    format!("session {id} is not deleted"),
                    format!("`mnemon session delete {id} --reason R` deletes it first."),
                ),
                Err(error) => error.into(),
            });
        };
        let is_overdue = deleted.recovery_deadline <= engine.now();
        if self.yes || self.dry_run || is_overdue {
            return Ok(deleted);
        }
        Err(Failure::misused(
            format!("session {id} can still be brought back, and it is not said that it shall not"),
            "Add --yes to remove it for good, or --dry-run to see what it holds.",
        ))
    }
}
