//! `mnemon snapshot schedule`

use clap::Args;
use mnemon::agent::Routine;
use mnemon::memory::AgentId;
use mnemon_wire::RoutineShape;

use crate::context::Context;
use crate::failure::Outcome;
use crate::human::count;
use crate::whose::Whose;

/// Say when snapshots are taken by themselves, or see it
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon --as dev snapshot schedule \"0 * * * *\" --keep 24\n  \
    mnemon --as dev snapshot schedule\n  mnemon --as dev snapshot schedule --off\n\n\
    They are taken by `mnemon maintain`, by a server, and by commands that keep memories, once\n\
    their time has come."
)]
pub(crate) struct Schedule {
    /// When, as cron writes it, in UTC: "0 * * * *" is every hour, @daily every midnight
    #[arg(value_name = "CRON", conflicts_with = "off")]
    when: Option<String>,
    /// How many are kept; older ones go [default: 7]
    #[arg(long, value_name = "N", requires = "when")]
    keep: Option<u32>,
    /// Note which long-term memories there are, too
    #[arg(long, requires = "when")]
    long_term: bool,
    /// Take no more
    #[arg(long)]
    off: bool,
    #[command(flatten)]
    whose: Whose,
}

impl Schedule {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let agent = self.whose.agent(context)?;
        let caller = context.caller()?;
        if let Some(when) = &self.when {
            let mut routine = Routine::new(when.parse()?);
            routine.long_term = self.long_term;
            routine.keep = self.keep.unwrap_or(routine.keep);
            let engine = context.writer()?;
            engine.set_snapshot_routine(&caller, &agent, Some(&routine))?;
            return answer(context, &agent, Some(&routine));
        }
        if self.off {
            context
                .writer()?
                .set_snapshot_routine(&caller, &agent, None)?;
            return answer(context, &agent, None);
        }
        let routine = context.reader()?.snapshot_routine(&caller, &agent)?;
        answer(context, &agent, routine.as_ref())
    }
}

fn answer(context: &Context, agent: &AgentId, routine: Option<&Routine>) -> Outcome {
    let shape = RoutineShape::of(agent, routine);
    context.output.answer(&shape, || match routine {
        None => format!("No snapshots of {agent} are taken by themselves.\n"),
        Some(routine) => {
            let kept = count(routine.keep.into(), "is kept", "are kept");
            let when = &routine.schedule;
            format!("Snapshots of {agent} are taken at {when} (UTC); {kept}.\n")
        }
    })
}
