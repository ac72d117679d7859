//! `mnemon session`

mod life;
mod show;
mod size;
mod span;
mod summary;
mod timeline;
mod topics;

use clap::{Args, Subcommand};
use mnemon::engine::NewSession;
use mnemon::memory::SessionId;
use mnemon::session::{DeletedSession, Session as KnownSession, SessionDetails};
use mnemon::{Error, Time};
use mnemon_wire::{DeletedSessionsShape, SessionShape, SessionsShape};
use serde::Serialize;
use serde_json::Value;

use crate::as_of::AsOf;
use crate::context::Context;
use crate::failure::Outcome;
use crate::human::ago::{ago, days_left};
use crate::human::table::{Column, Table};
use crate::human::{LABEL, NAME, bytes, count};
use crate::input;

/// Make, list, show, sum up, archive and delete sessions
#[derive(Debug, Subcommand)]
pub(crate) enum Session {
    /// Make a session
    New(New),
    /// List the sessions, the latest first
    List(List),
    /// Show a session
    Show(Show),
    /// Close a session; whatever is kept in it later opens it again
    Close(Close),
    /// Tell what takes the space of a session, and how soon it is full
    Size(size::SessionSize),
    /// Put a session into use again, whether it is idle, decaying or archived
    Activate(life::Activate),
    /// Compress a session and leave a summary in its place
    Archive(life::Archive),
    /// Open an archived session, to the byte as it was, or bring back what was compacted
    Restore(life::Restore),
    /// Put a session into the trash
    Delete(life::Delete),
    /// Take a session out of the trash
    Undelete(life::Undelete),
    /// Remove deleted sessions for good: those whose time is up, or a named one at once
    Purge(life::Purge),
    /// Sum a session up: who, what was decided, what is open, what was said
    Summary(summary::Summary),
    /// Tell what happened in a session, hour by hour
    Timeline(timeline::Timeline),
    /// Tell what a session is about
    Topics(topics::Topics),
}

/// Make a session
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon session new\n  \
    mnemon session new --id review --agent architect --agent security --project checkout")]
pub(crate) struct New {
    /// Its id: letters, digits, _ and - [default: one that tells the day]
    #[arg(long)]
    id: Option<String>,
    /// The user
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// An agent that takes part (repeatable)
    #[arg(long, value_name = "NAME")]
    agent: Vec<String>,
    /// The project
    #[arg(long)]
    project: Option<String>,
    /// The phase of the project
    #[arg(long)]
    phase: Option<String>,
    /// A label (repeatable)
    #[arg(long)]
    tag: Vec<String>,
    #[arg(
        long,
        value_name = "K=V",
        help = "How its memories fade, such as half_life_hours=336 (repeatable)"
    )]
    decay: Vec<String>,
    #[arg(
        long,
        value_name = "K=V",
        help = "How it is compacted, such as enabled=false (repeatable)"
    )]
    compaction: Vec<String>,
}

/// List the sessions, the latest first
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon session list\n  mnemon session list --deleted")]
pub(crate) struct List {
    /// Those in the trash instead
    #[arg(long, conflicts_with = "as_of")]
    deleted: bool,
    #[command(flatten)]
    as_of: AsOf,
}

/// Show a session
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon session show review\n  \
    mnemon session show review --as-of yesterday")]
pub(crate) struct Show {
    /// Which
    #[arg(value_name = "S")]
    id: String,
    #[command(flatten)]
    as_of: AsOf,
}

/// Close a session; whatever is kept in it later opens it again
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon session close review")]
pub(crate) struct Close {
    /// Which
    #[arg(value_name = "S")]
    id: String,
}

#[derive(Serialize)]
struct Made<'a> {
    session_id: &'a SessionId,
}

impl Session {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        match self {
            Self::New(command) => command.run(context),
            Self::List(command) => command.run(context),
            Self::Show(command) => command.run(context),
            Self::Close(command) => command.run(context),
            Self::Size(command) => command.run(context),
            Self::Activate(command) => command.run(context),
            Self::Archive(command) => command.run(context),
            Self::Restore(command) => command.run(context),
            Self::Delete(command) => command.run(context),
            Self::Undelete(command) => command.run(context),
            Self::Purge(command) => command.run(context),
            Self::Summary(command) => command.run(context),
            Self::Timeline(command) => command.run(context),
            Self::Topics(command) => command.run(context),
        }
    }
}

impl New {
    fn run(&self, context: &Context) -> Outcome {
        let id = self.id.as_ref().map(|id| id.parse()).transpose()?;
        let details = SessionDetails {
            agents: self.agent.clone(),
            compaction: input::settings("compaction", &self.compaction)?,
            decay: input::settings("decay", &self.decay)?,
            phase: self.phase.clone(),
            project: self.project.clone(),
            tags: input::tags(&self.tag)?,
            user: self.user.clone(),
            ..SessionDetails::default()
        };
        let engine = context.writer()?;
        let id = engine.create_session(&context.caller()?, NewSession { id, details })?;
        let answer = Made { session_id: &id };
        context
            .output
            .answer(&answer, || format!("Made session {id}."))
    }
}

impl List {
    fn run(&self, context: &Context) -> Outcome {
        if self.deleted {
            return Self::run_deleted(context);
        }
        let engine = self.as_of.reader(context)?;
        let quota = context.config()?.storage.session_bytes_max;
        let sessions = engine.sessions(&context.caller()?)?;
        let shapes = sessions
            .iter()
            .map(|session| {
                SessionShape::of(session, engine.session_state(session), engine.now(), quota)
            })
            .collect();
        context.output.answer(&SessionsShape::of(shapes), || {
            if sessions.is_empty() {
                return "No sessions yet; `mnemon session new` makes one.".into();
            }
            let title = |session: &KnownSession| {
                let title = session.details.metadata.get("title");
                title.and_then(Value::as_str).map(str::to_owned)
            };
            // What came from elsewhere has titles, which tell more than who took part.
            let has_titles = sessions.iter().any(|session| title(session).is_some());
            let about = if has_titles { "title" } else { "who" };
            let mut table = Table::new(vec![
                Column::new("session").styled(NAME).whole(),
                Column::new("state"),
                Column::new(about).flexible(),
                Column::new("memories").right(),
                Column::new("size").right(),
                Column::new("last activity").styled(LABEL),
            ]);
            for session in &sessions {
                let user = session.details.user.iter();
                let who: Vec<_> = user.chain(&session.details.agents).cloned().collect();
                let title = title(session).filter(|_| has_titles);
                table.row(&[
                    session.id.to_string(),
                    engine.session_state(session).as_str().into(),
                    title.unwrap_or_else(|| who.join(", ")),
                    session.activity.memories().to_string(),
                    bytes(session.activity.log_bytes),
                    ago(session.last_activity, engine.now()),
                ]);
            }
            let total = count(sessions.len() as u64, "session", "sessions");
            format!(
                "{}{LABEL}{total}{LABEL:#}\n",
                table.render(context.output.columns)
            )
        })
    }
}

impl List {
    fn run_deleted(context: &Context) -> Outcome {
        let engine = context.reader()?;
        let deleted = engine.deleted_sessions(&context.caller()?)?;
        context
            .output
            .answer(&DeletedSessionsShape::of(&deleted), || {
                if deleted.is_empty() {
                    return "No session is deleted.".into();
                }
                let total = count(deleted.len() as u64, "session", "sessions");
                let table = deleted_table(&deleted, engine.now());
                format!(
                    "{}{LABEL}{total}{LABEL:#}\n",
                    table.render(context.output.columns)
                )
            })
    }
}

/// Deleted sessions, one a row.
pub(super) fn deleted_table(deleted: &[DeletedSession], now: Time) -> Table {
    let mut table = Table::new(vec![
        Column::new("session").styled(NAME).whole(),
        Column::new("memories").right(),
        Column::new("deleted"),
        Column::new("by"),
        Column::new("reason").flexible(),
        Column::new("recoverable").styled(LABEL),
    ]);
    for session in deleted {
        table.row(&[
            session.session_id.to_string(),
            session.memories().to_string(),
            ago(session.deleted_at, now),
            session.deleted_by.clone(),
            session.reason.clone(),
            days_left(session.recovery_deadline, now),
        ]);
    }
    table
}

impl Show {
    fn run(&self, context: &Context) -> Outcome {
        let engine = self.as_of.reader(context)?;
        let (caller, id) = (context.caller()?, self.id.parse()?);
        match engine.session(&caller, &id) {
            Err(error @ Error::SessionDeleted { .. }) => {
                match engine.deleted_session(&caller, &id)? {
                    Some(deleted) => show::answer_deleted(context, &engine, &deleted),
                    None => Err(error.into()),
                }
            }
            session => show::answer(context, &engine, &session?),
        }
    }
}

impl Close {
    fn run(&self, context: &Context) -> Outcome {
        let id = self.id.parse()?;
        let engine = context.reader()?;
        let session = engine.close_session(&context.caller()?, &id)?;
        show::answer(context, &engine, &session)
    }
}
