//! `mnemon session size`

use std::fmt::Write as _;

use clap::Args;
use mnemon::compact::{Gain, Size};
use mnemon::memory::SessionId;
use mnemon_wire::SizeShape;

use crate::context::Context;
use crate::failure::Outcome;
use crate::human::ago::ago;
use crate::human::table::{Column, Table};
use crate::human::{NAME, STRONG, bytes, count};

/// Further ahead than this, nobody can tell.
const DAYS_TOLD_MAX: f64 = 1_000.0;

/// Tell what takes the space of a session, and how soon it is full
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon session size review\n  \
    mnemon session size review --json")]
pub(crate) struct SessionSize {
    /// Which
    #[arg(value_name = "S")]
    id: String,
}

impl SessionSize {
    pub(super) fn run(&self, context: &Context) -> Outcome {
        let engine = context.reader()?;
        let caller = context.caller()?;
        let id = engine.session(&caller, &self.id.parse()?)?.id;
        let size = engine.session_size(&caller, &id)?;
        context.output.answer(&SizeShape::of(&id, &size), || {
            let mut out = told(&id, &size, context.output.columns);
            if let Some(at) = size.compacted_at {
                let _ = writeln!(out, "last compacted {}", ago(at, engine.now()));
            }
            out
        })
    }
}

fn told(id: &SessionId, size: &Size, columns: usize) -> String {
    let percent = size.total_bytes.saturating_mul(100) / size.quota_bytes.max(1);
    let mut out = format!(
        "{NAME}{id}{NAME:#}  {STRONG}{} of {} ({percent} %){STRONG:#}; not counted: {} in the \
         archive, about {} of the index\n\n",
        bytes(size.total_bytes),
        bytes(size.quota_bytes),
        bytes(size.archive_bytes),
        bytes(size.index_bytes)
    );
    let mut parts = Table::new(vec![
        Column::new("part").styled(NAME),
        Column::new("size").right(),
        Column::new("%").right(),
    ]);
    let share = |part: u64| (part.saturating_mul(100) / size.total_bytes.max(1)).to_string();
    for (component, part) in &size.components {
        let name = component.as_str().replace('_', " ");
        parts.row(&[name, bytes(*part), share(*part)]);
    }
    out.push_str(&parts.render(columns));
    let mut largest = Table::new(vec![
        Column::new("largest").styled(NAME),
        Column::new("kind"),
        Column::new("size").right(),
        Column::new("%").right(),
    ]);
    for item in &size.largest {
        let name = item
            .handle
            .map_or_else(|| item.id.to_string(), |handle| handle.to_string());
        largest.row(&[
            name,
            item.kind.to_string(),
            bytes(item.bytes),
            share(item.bytes),
        ]);
    }
    if !size.largest.is_empty() {
        let _ = write!(out, "\n{}", largest.render(columns));
    }
    out.push('\n');
    out.push_str(&outlook(size.days_to_quota));
    for (name, gain) in [("gentle", size.gentle), ("aggressive", size.aggressive)] {
        out.push_str(&prospect(name, gain));
    }
    out
}

/// How soon it is full.
fn outlook(days_to_quota: Option<f64>) -> String {
    match days_to_quota {
        Some(days) if days < 1.0 => {
            "full within a day if it goes on growing as in the last month\n".into()
        }
        Some(days) if days < DAYS_TOLD_MAX => {
            format!("full in about {days:.0} days if it goes on growing as in the last month\n")
        }
        Some(_) => "growing so slowly that it is not full for years\n".into(),
        None => "not growing\n".into(),
    }
}

/// What a compaction would do.
fn prospect(name: &str, gain: Gain) -> String {
    let aim = bytes(gain.target_bytes);
    if gain.memories == 0 {
        return format!("{name} compaction: nothing may go now (it aims at {aim})\n");
    }
    let memories = count(gain.memories, "memory goes", "memories go");
    let freed = bytes(gain.freed_bytes);
    format!(
        "{name} compaction: {memories} to the archive, which frees {freed} (it aims at {aim})\n"
    )
}
