//! Taking in what other programs kept, and saying what became of all of it.

use std::fmt::Write as _;
use std::path::Path;

use mnemon::engine::ImportOptions;
use mnemon::memory::Space;
use mnemon::{Caller, Mnemon};
use mnemon_wire::foreign::{Program, Report, Seen, TakenInShape};

use super::taker::Taker;
use super::walk::Walk;
use crate::commands::after;
use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::human::count;
use crate::human::text::harmless;
use crate::output::Output;
use crate::progress::Bar;

/// How many problems, and how many files, a person reads.
const SHOWN_MAX: usize = 10;

/// What is to be taken in, and how.
pub(crate) struct Wish {
    /// The program, if that was said.
    pub(crate) from: Option<Program>,
    /// Whose files are taken, if not everybody's.
    pub(crate) only: &'static [Program],
    /// Where everything goes, if that was said.
    pub(crate) space: Option<Space>,
    /// The project of sessions whose file names none.
    pub(crate) project: Option<String>,
    pub(crate) options: ImportOptions,
    /// Whether decisions, findings and wishes are taken out of what was said.
    pub(crate) extract: bool,
}

/// Takes in what lies at a path.
pub(crate) fn take_path(context: &Context, path: &Path, wish: Wish) -> Outcome {
    take(context, wish, |walk| walk.path(path))
}

/// Takes in what came on standard input.
pub(crate) fn take_bytes(context: &Context, bytes: &[u8], wish: Wish) -> Outcome {
    take(context, wish, |walk| walk.bytes("standard input", bytes))
}

/// Keeps what a file of a program says, and tells nobody about it.
pub(crate) fn keep(
    context: &Context,
    engine: &Mnemon,
    caller: &Caller,
    path: &Path,
    program: Program,
    project: Option<String>,
) -> Outcome {
    let wish = Wish {
        from: Some(program),
        only: &[],
        space: None,
        project,
        options: ImportOptions::default(),
        extract: false,
    };
    walked(context, engine, caller, wish, |walk| walk.path(path)).map(drop)
}

fn take(context: &Context, wish: Wish, go: impl FnOnce(&mut Walk<'_, '_>) -> Outcome) -> Outcome {
    let engine = if wish.options.dry_run {
        context.reader()?
    } else {
        context.writer()?
    };
    let caller = context.caller()?;
    let dry_run = wish.options.dry_run;
    let (report, seen) = walked(context, &engine, &caller, wish, go)?;
    tell(context, &report, &seen, dry_run)?;
    if !dry_run {
        after::a_write(context, &engine, &caller);
    }
    // The answer says what is missing.
    if report.problems.count == 0 {
        Ok(())
    } else {
        Err(Failure::Unsound)
    }
}

fn walked(
    context: &Context,
    engine: &Mnemon,
    caller: &Caller,
    wish: Wish,
    go: impl FnOnce(&mut Walk<'_, '_>) -> Outcome,
) -> Outcome<(Report, Vec<(String, Seen)>)> {
    let mut bar = Bar::new(&context.output, "Importing");
    let mut taker = Taker::new(engine, caller, wish.options);
    taker.project = wish.project;
    let user = &engine.config().defaults.user;
    let mut walk = Walk::new(&mut taker, &mut bar, user, engine.now());
    walk.from = wish.from;
    walk.only = wish.only;
    walk.space = wish.space;
    walk.extract = wish.extract;
    go(&mut walk)?;
    let seen = walk.seen;
    let report = taker.report;
    debug_assert!(report.is_balanced(), "{report:?}");
    Ok((report, seen))
}

fn tell(context: &Context, report: &Report, seen: &[(String, Seen)], dry_run: bool) -> Outcome {
    let redacted = report.redactions();
    if dry_run {
        context.output.to_be_redacted(&redacted);
    } else {
        context.output.redacted(&redacted);
    }
    if !context.output.is_json() {
        if let [(file, seen)] = seen {
            let (what, because) = (seen.program.title(), seen.because);
            let file = harmless(file);
            context
                .output
                .note(&format!("{file} is {what}: {because}."));
        }
        for note in &report.notes {
            Output::say("note", note);
        }
        let problems = &report.problems;
        let mut last: Option<&String> = None;
        for problem in problems.listed.iter().take(SHOWN_MAX) {
            let text = format!("{}, {}: {}", problem.file, problem.place, problem.message);
            Output::say("not read", &text);
            if last != Some(&problem.hint) {
                Output::say("hint", &problem.hint);
                last = Some(&problem.hint);
            }
        }
        let more = problems.count.saturating_sub(SHOWN_MAX as u64);
        if more > 0 {
            Output::say(
                "not read",
                &format!("{more} more; --json lists the first 100"),
            );
        }
    }
    let shape = TakenInShape::of(report, &redacted, dry_run);
    context.output.answer(&shape, || told(report, dry_run))
}

/// What became of everything, in a few lines.
fn told(report: &Report, dry_run: bool) -> String {
    let files = report.files.iter().map(|(program, number)| {
        let files = count(*number, "file", "files");
        format!("{files} of {program}")
    });
    let files: Vec<String> = files.collect();
    if files.is_empty() {
        return format!(
            "Nothing was recognised.{}\n`--from PROGRAM` says who wrote it; \
             `mnemon import --help` lists the programs.",
            unknown(report)
        );
    }
    let pieces = count(report.read, "piece", "pieces");
    let mut out = format!("Read {pieces} in {}.\n", files.join(", "));
    let did = if dry_run {
        "Would have imported"
    } else {
        "Imported"
    };
    let _ = write!(
        out,
        "{did} {}",
        count(report.imported, "memory", "memories")
    );
    match report.sessions.len() as u64 {
        0 => {}
        made => {
            let _ = write!(out, ", made {}", count(made, "session", "sessions"));
        }
    }
    if report.already > 0 {
        let _ = write!(out, ", {} already there", report.already);
    }
    if report.changed > 0 {
        let _ = write!(
            out,
            "; {} say something else than before and stand beside the older ones",
            report.changed
        );
    }
    if report.erased > 0 {
        let _ = write!(
            out,
            ", left out {} that had been erased (--even-erased takes them)",
            report.erased
        );
    }
    out.push_str(".\n");
    if !report.left_out.is_empty() {
        let _ = writeln!(out, "Left out {}:", report.left_out_count());
        for (what, (number, _)) in &report.left_out {
            let _ = writeln!(out, "  {number:>6} {what}");
        }
    }
    if report.problems.count > 0 {
        let _ = writeln!(out, "Could not take {}.", report.problems.count);
    }
    out + unknown(report).trim_start()
}

fn unknown(report: &Report) -> String {
    let files = &report.unknown_files;
    if files.is_empty() {
        return String::new();
    }
    let mut out = format!("\nNot recognised, and left alone: {}", report.unknown_count);
    let names: Vec<String> = files
        .iter()
        .take(SHOWN_MAX)
        .map(|it| harmless(it))
        .collect();
    let more = if files.len() > SHOWN_MAX { ", …" } else { "" };
    let _ = write!(out, " ({}{more}).", names.join(", "));
    out
}
