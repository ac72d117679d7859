//! `mnemon session timeline`

use std::fmt::Write as _;

use clap::Args;
use mnemon::Time;
use mnemon::recall::aggregate::TimelineEvent;
use mnemon_wire::TimelineShape;

use super::span::Span;
use crate::context::Context;
use crate::failure::Outcome;
use crate::human::text::{fit, one_line, width};
use crate::human::{BAD, LABEL, NAME, STRONG, count};

/// Tell what happened in a session, hour by hour
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon session timeline review\n  \
    mnemon session timeline review --since 24h --limit 20")]
pub(crate) struct Timeline {
    #[command(flatten)]
    span: Span,
    /// At most so many events, the latest
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
}

impl Timeline {
    pub(super) fn run(&self, context: &Context) -> Outcome {
        let engine = self.span.reader(context)?;
        let filter = self.span.filter(context, &engine)?;
        let timeline = engine.timeline(&context.caller()?, &filter)?;
        let id = self.span.id.parse()?;
        let left_out = timeline.events.len().saturating_sub(self.limit);
        let shown = &timeline.events[left_out..];
        let shape = TimelineShape::of(Some(&id), &timeline, shown);
        context.output.answer(&shape, || {
            if timeline.events.is_empty() {
                return format!("Nothing happened in {id} yet.\n");
            }
            let mut out = String::new();
            let mut hour = String::new();
            for event in shown {
                let (own_hour, clock) = clock(context, event.at);
                if own_hour != hour {
                    let _ = writeln!(out, "{STRONG}{own_hour}{STRONG:#}");
                    hour = own_hour;
                }
                line(&mut out, event, &clock, context.output.columns);
            }
            let events = count(timeline.events.len() as u64, "event", "events");
            let line = match left_out {
                0 => events,
                _ => format!("the last {} of {events}; --limit shows more", shown.len()),
            };
            let _ = writeln!(out, "{LABEL}{line}{LABEL:#}");
            out
        })
    }
}

/// The day and hour, and the time of day, where the user is.
fn clock(context: &Context, at: Time) -> (String, String) {
    let local = at.timestamp().to_zoned(context.zone.clone());
    let hour = local.strftime("%Y-%m-%d %H:00 %:z").to_string();
    (hour, local.strftime("%H:%M").to_string())
}

fn line(out: &mut String, event: &TimelineEvent, clock: &str, room: usize) {
    let name = format!("{:<9}", event.name);
    let who = event.participants.first().map(|who| format!("{who}: "));
    let severity = event
        .severity
        .as_ref()
        .map(|severity| format!("{} ", one_line(severity)));
    let (who, severity) = (who.unwrap_or_default(), severity.unwrap_or_default());
    let begin: String = event.text.chars().take(1000).collect();
    let used = 2 + 5 + 2 + width(&name) + 2 + width(&severity);
    let text = fit(
        &one_line(&format!("{who}{begin}")),
        room.saturating_sub(used),
    );
    let _ = writeln!(
        out,
        "  {LABEL}{clock}{LABEL:#}  {NAME}{name}{NAME:#}  {BAD}{severity}{BAD:#}{text}"
    );
}
