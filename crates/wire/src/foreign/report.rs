//! What became of all that was read, as it is counted and printed.

use std::collections::BTreeMap;

use mnemon::memory::SessionId;
use mnemon::redact::{self, Redaction};
use mnemon::{Code, Error};
use serde::Serialize;

use super::Program;
use crate::redact::RedactionShape;

/// No more problems than this are listed; the rest is counted.
const LISTED_MAX: usize = 100;

/// What became of the files of other programs.
///
/// What was read is what was kept, what was there already, what had been
/// erased, what was left out on purpose and what could not be read.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Pieces that were read.
    pub read: u64,
    /// Memories that are new.
    pub imported: u64,
    /// How many of those say something else than at the last time.
    pub changed: u64,
    /// Memories that were there already.
    pub already: u64,
    /// Memories whose text was erased here once.
    pub erased: u64,
    /// What was left out on purpose: how often, and where first.
    pub left_out: BTreeMap<String, (u64, String)>,
    /// What could not be read or kept.
    pub problems: Problems,
    /// Files by program.
    pub files: BTreeMap<&'static str, u64>,
    /// How many files nobody recognised.
    pub unknown_count: u64,
    /// The first of them.
    pub unknown_files: Vec<String>,
    /// Sessions that were made.
    pub sessions: Vec<SessionId>,
    /// What was taken out before it was kept.
    pub redacted: Vec<Redaction>,
    /// What to know about it.
    pub notes: Vec<String>,
}

/// What could not be read or kept, the first of them with their places.
#[derive(Clone, Debug, Default)]
pub struct Problems {
    /// How many.
    pub count: u64,
    /// The first of them.
    pub listed: Vec<Problem>,
}

/// Something that could not be read or kept.
#[derive(Clone, Debug, Serialize)]
pub struct Problem {
    /// The file.
    pub file: String,
    /// Where in it.
    pub place: String,
    code: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do next.
    pub hint: String,
}

impl Report {
    /// Counts a file of a program.
    pub fn file(&mut self, program: Program) {
        *self.files.entry(program.as_str()).or_default() += 1;
    }

    /// Counts a file that nobody recognised.
    pub fn unknown(&mut self, file: String) {
        self.unknown_count += 1;
        if self.unknown_files.len() < LISTED_MAX {
            self.unknown_files.push(file);
        }
    }

    /// Counts something that was left out on purpose.
    pub fn leave(&mut self, file: &str, place: &str, mut why: String) {
        // A reason may name what the file calls a thing, and a file may be made to flood us.
        if self.left_out.len() >= LISTED_MAX && !self.left_out.contains_key(&why) {
            "other things".clone_into(&mut why);
        }
        let first = || (0, format!("{file}, {place}"));
        self.left_out.entry(why).or_insert_with(first).0 += 1;
    }

    /// Counts something that could not be read.
    pub fn not_understood(&mut self, file: &str, place: &str, message: String) {
        let hint = "Look at that place of the file; all the rest of it was taken.".to_owned();
        self.problem(file, place, Code::InvalidFormat.as_str(), message, hint);
    }

    /// Counts something that could not be kept.
    pub fn refused(&mut self, file: &str, place: &str, error: &Error) {
        let code = error.code().as_str();
        self.problem(file, place, code, error.to_string(), error.hint());
    }

    fn problem(
        &mut self,
        file: &str,
        place: &str,
        code: &'static str,
        message: String,
        hint: String,
    ) {
        self.problems.count += 1;
        if self.problems.listed.len() < LISTED_MAX {
            self.problems.listed.push(Problem {
                file: file.to_owned(),
                place: place.to_owned(),
                code,
                message,
                hint,
            });
        }
    }

    /// How much was left out on purpose.
    pub fn left_out_count(&self) -> u64 {
        self.left_out.values().map(|(count, _)| count).sum()
    }

    /// Whether all that was read is accounted for.
    pub fn is_balanced(&self) -> bool {
        let known = self.imported + self.already + self.erased;
        self.read == known + self.left_out_count() + self.problems.count
    }

    /// What was taken out, each class once.
    pub fn redactions(&self) -> Vec<Redaction> {
        redact::sum(&self.redacted)
    }
}

/// A report in the shape that is printed.
#[derive(Debug, Serialize)]
pub struct TakenInShape<'a> {
    imported: u64,
    /// There already.
    skipped: u64,
    errors: &'a [Problem],
    /// Of which only the first are listed.
    error_count: u64,
    read: u64,
    changed: u64,
    erased: u64,
    left_out: Vec<LeftOutShape<'a>>,
    files: &'a BTreeMap<&'static str, u64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    unknown_files: &'a [String],
    unknown_count: u64,
    sessions: &'a [SessionId],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    redacted: Vec<RedactionShape<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'a [String],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
}

#[derive(Debug, Serialize)]
struct LeftOutShape<'a> {
    what: &'a str,
    count: u64,
    first: &'a str,
}

impl<'a> TakenInShape<'a> {
    /// The shape of a report; `redacted` is [`Report::redactions`].
    pub fn of(report: &'a Report, redacted: &'a [Redaction], dry_run: bool) -> Self {
        let left_out = report
            .left_out
            .iter()
            .map(|(what, (count, first))| LeftOutShape {
                what,
                count: *count,
                first,
            });
        Self {
            imported: report.imported,
            skipped: report.already,
            errors: &report.problems.listed,
            error_count: report.problems.count,
            read: report.read,
            changed: report.changed,
            erased: report.erased,
            left_out: left_out.collect(),
            files: &report.files,
            unknown_files: &report.unknown_files,
            unknown_count: report.unknown_count,
            sessions: &report.sessions,
            redacted: RedactionShape::all(redacted),
            notes: &report.notes,
            dry_run,
        }
    }
}
