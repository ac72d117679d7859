//! `mnemon retention`

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use mnemon::Error;
use mnemon::engine::RetentionResult;
use mnemon::memory::AgentId;
use mnemon::retention::RetentionPolicy;
use mnemon_wire::{PolicyShape, RetentionShape};

use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::human::{bytes, count};
use crate::whose::Whose;

/// How long what an agent has is kept
#[derive(Debug, Args)]
pub(crate) struct Retention {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Set(Box<Set>),
    Show(Show),
    Run(Run),
}

/// Say how long what an agent has is kept; what is not given stays as it is
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mnemon retention set --agent architect --long-term-max-age 180d --exempt-tag project"
)]
struct Set {
    #[command(flatten)]
    whose: Whose,
    /// Entries of working memory that are older go: 12d, 2w, 1y, or never
    #[arg(long, value_name = "AGE")]
    working_max_age: Option<String>,
    /// Long-term memories that are older are forgotten: 365d, 2w, 1y, or never
    #[arg(long, value_name = "AGE")]
    long_term_max_age: Option<String>,
    /// What was forgotten so long ago is removed for good
    #[arg(long, value_name = "AGE")]
    forgotten_retention: Option<String>,
    /// More snapshots than this are not kept; or never
    #[arg(long, value_name = "N")]
    max_snapshots: Option<String>,
    /// Snapshots that are older go: 30d, or never
    #[arg(long, value_name = "AGE")]
    snapshot_max_age: Option<String>,
    /// What matters at least this much is not forgotten for its age, from 0 to 1; or never
    #[arg(long, value_name = "N")]
    exempt_importance: Option<String>,
    /// What has this tag is not forgotten for its age (repeatable; replaces those before)
    #[arg(long, value_name = "T")]
    exempt_tag: Vec<String>,
    /// When maintenance carries it out, as cron writes it
    #[arg(long, value_name = "CRON")]
    schedule: Option<String>,
    /// Carry it out by command only
    #[arg(long, conflicts_with = "schedule")]
    manual: bool,
    /// Begin with the policy that holds by default, not with what was set before
    #[arg(long)]
    default: bool,
}

/// Show how long what an agent has is kept
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon retention show --agent architect")]
struct Show {
    #[command(flatten)]
    whose: Whose,
}

/// Carry out the policy of an agent, or of all, now
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon retention run --agent architect --dry-run")]
struct Run {
    #[command(flatten)]
    whose: Whose,
    /// Only tell what would go
    #[arg(long)]
    dry_run: bool,
}

impl Retention {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        match &self.command {
            Command::Set(command) => command.run(context),
            Command::Show(command) => command.run(context),
            Command::Run(command) => command.run(context),
        }
    }
}

impl Set {
    fn run(&self, context: &Context) -> Outcome {
        let caller = context.caller()?;
        let agent = self.whose.agent(context)?;
        let engine = context.writer()?;
        let before = engine.retention(&caller, &agent)?.filter(|_| !self.default);
        let policy = self.change(before.unwrap_or_default())?;
        engine.set_retention(&caller, &agent, &policy)?;
        answer(context, &agent, Some(&policy))
    }

    fn change(&self, mut policy: RetentionPolicy) -> Outcome<RetentionPolicy> {
        let age = |field, given: &Option<String>, own: &mut Option<u32>| -> Outcome {
            if let Some(given) = given {
                *own = unless_never(given).map(|it| days(field, it)).transpose()?;
            }
            Ok(())
        };
        age(
            "working-max-age",
            &self.working_max_age,
            &mut policy.working_max_age_days,
        )?;
        age(
            "long-term-max-age",
            &self.long_term_max_age,
            &mut policy.long_term_max_age_days,
        )?;
        age(
            "snapshot-max-age",
            &self.snapshot_max_age,
            &mut policy.snapshot_max_age_days,
        )?;
        if let Some(given) = &self.forgotten_retention {
            policy.forgotten_retention_days = days("forgotten-retention", given)?;
        }
        if let Some(given) = &self.max_snapshots {
            let number = |it: &str| {
                it.parse()
                    .map_err(|_| refused("max-snapshots", "a number", it))
            };
            policy.max_snapshots = unless_never(given).map(number).transpose()?;
        }
        if let Some(given) = &self.exempt_importance {
            let rule = "a number from 0 to 1";
            let number = |it: &str| {
                it.parse()
                    .map_err(|_| refused("exempt-importance", rule, it))
            };
            policy.exempt_importance = unless_never(given).map(number).transpose()?;
        }
        if !self.exempt_tag.is_empty() {
            let tags = self.exempt_tag.iter().map(|tag| tag.parse());
            policy.exempt_tags = tags.collect::<Result<_, Error>>()?;
        }
        if let Some(schedule) = &self.schedule {
            policy.schedule = schedule.parse()?;
            policy.auto_cleanup = true;
        }
        policy.auto_cleanup &= !self.manual;
        Ok(policy)
    }
}

impl Show {
    fn run(&self, context: &Context) -> Outcome {
        let caller = context.caller()?;
        let agent = self.whose.agent(context)?;
        let policy = context.reader()?.retention(&caller, &agent)?;
        answer(context, &agent, policy.as_ref())
    }
}

impl Run {
    fn run(&self, context: &Context) -> Outcome {
        let caller = context.caller()?;
        let agent = self.whose.maybe(context)?;
        let result = context
            .reader()?
            .run_retention(&caller, agent.as_ref(), self.dry_run)?;
        let shape = RetentionShape::of(&result);
        context.output.answer(&shape, || told(&result))
    }
}

fn answer(context: &Context, agent: &AgentId, policy: Option<&RetentionPolicy>) -> Outcome {
    let shape = PolicyShape::of(agent, policy.cloned());
    context.output.answer(&shape, || match policy {
        None => format!("nobody said how long what {agent} has is kept\n"),
        Some(policy) => described(policy),
    })
}

fn described(policy: &RetentionPolicy) -> String {
    let age =
        |days: Option<u32>| days.map_or_else(|| "for ever".into(), |days| format!("{days} days"));
    let mut out = format!(
        "working memory   {}\nlong-term memory {}\nforgotten        {} days\nsnapshots        {}",
        age(policy.working_max_age_days),
        age(policy.long_term_max_age_days),
        policy.forgotten_retention_days,
        age(policy.snapshot_max_age_days),
    );
    if let Some(most) = policy.max_snapshots {
        let _ = write!(out, ", {most} at most");
    }
    out.push('\n');
    if let Some(least) = policy.exempt_importance {
        let _ = writeln!(out, "exempt           importance {least} and more");
    }
    for tag in &policy.exempt_tags {
        let _ = writeln!(out, "exempt           #{tag}");
    }
    let when = if policy.auto_cleanup {
        policy.schedule.to_string()
    } else {
        "by command only".into()
    };
    let _ = writeln!(out, "carried out      {when}");
    out
}

pub(super) fn told(result: &RetentionResult) -> String {
    let verb = if result.dry_run { "would be" } else { "were" };
    let mut out = format!(
        "{}: {} forgotten for their age, {} removed for good, {} of working memory and {} {verb} \
         deleted{}\n",
        count(result.agents_processed, "agent", "agents"),
        count(result.long_term_entries_deleted, "memory", "memories"),
        result.forgotten_entries_purged,
        count(result.working_entries_deleted, "entry", "entries"),
        count(result.snapshots_deleted, "snapshot", "snapshots"),
        if result.dry_run {
            String::new()
        } else {
            format!(", {} freed", bytes(result.bytes_freed))
        },
    );
    for id in &result.memories {
        let _ = writeln!(out, "  {id}");
    }
    for error in &result.errors {
        let _ = writeln!(out, "{error}");
    }
    out
}

fn unless_never(given: &str) -> Option<&str> {
    (!matches!(given, "never" | "none")).then_some(given)
}

/// `30d`, `2w`, `1y`, or a number of days.
fn days(field: &'static str, given: &str) -> Outcome<u32> {
    let number = given.trim_end_matches(|it: char| it.is_ascii_alphabetic());
    let each = match given[number.len()..].trim() {
        "" | "d" | "day" | "days" => 1,
        "w" | "week" | "weeks" => 7,
        "y" | "year" | "years" => 365,
        _ => 0,
    };
    let number: Option<u32> = number.trim().parse().ok();
    number
        .and_then(|number| number.checked_mul(each))
        .filter(|_| each > 0)
        .ok_or_else(|| refused(field, "a number of days, such as 30d, 2w or 1y", given))
}

fn refused(field: &'static str, rule: &str, given: &str) -> Failure {
    Failure::from(Error::Rule {
        field,
        rule: rule.to_owned(),
        given: given.chars().take(60).collect(),
    })
}
