//! What becomes of each line of a file of which something is erased.

use std::collections::{HashMap, HashSet};

use super::Intent;
use super::traces::Traces;
use crate::memory::MemoryId;
use crate::session::Archived;
use crate::store::local::log::line::Line;
use crate::store::local::log::scan::Placed;
use crate::store::local::rewrite::{Piece, Verdict};

/// Decides about the lines of one file, in their order.
pub(super) struct Judge<'a> {
    erased: HashSet<&'a str>,
    renewed: HashMap<&'a str, &'a Line>,
    traces: &'a Traces,
    /// Which of the renewed have said all that they say.
    said: HashSet<String>,
    /// How the session is archived once the file is written, if it is a short log.
    archived: Option<&'a Archived>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(intent: &'a Intent, traces: &'a Traces) -> Self {
        let renewed = intent.renewed.iter();
        Self {
            erased: intent.ids.iter().map(MemoryId::as_str).collect(),
            renewed: renewed
                .filter_map(|it| Some((it.id.as_deref()?, it)))
                .collect(),
            traces,
            said: HashSet::new(),
            archived: None,
        }
    }

    /// Of a short log, which is to tell of another shelf.
    pub(super) fn of_short_log(
        intent: &'a Intent,
        traces: &'a Traces,
        archived: &'a Archived,
    ) -> Self {
        Self {
            archived: Some(archived),
            ..Self::new(intent, traces)
        }
    }

    pub(super) fn verdict(&mut self, piece: &Piece<'_>, bytes: &[u8]) -> Verdict {
        match piece {
            Piece::Record(placed) => self.of_record(placed),
            Piece::Damage(_) if self.traces.are_in(bytes) => Verdict::Drop,
            Piece::Damage(_) => Verdict::Keep,
        }
    }

    fn of_record(&mut self, placed: &Placed) -> Verdict {
        let line = &placed.line;
        if let (Some(archived), Some(_)) = (self.archived, &line.archived) {
            let archived = Some(Box::new(archived.clone()));
            return Verdict::Replace(
                Line {
                    archived,
                    ..line.clone()
                }
                .encode()
                .0,
            );
        }
        let Some(id) = line.id.as_deref() else {
            return Verdict::Keep;
        };
        if self.erased.contains(id) {
            return Verdict::Drop;
        }
        let Some(renewal) = self.renewed.get(id) else {
            return Verdict::Keep;
        };
        if !matches!(line.op.as_deref(), None | Some("update")) {
            return Verdict::Keep;
        }
        // Whatever else it said, in any version, may quote what is gone.
        if !self.said.insert(id.to_owned()) {
            return Verdict::Drop;
        }
        let renewed = line.renewed(renewal);
        if renewed == *line {
            return Verdict::Keep;
        }
        Verdict::Replace(renewed.encode().0)
    }
}
