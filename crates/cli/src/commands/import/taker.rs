//! Pieces of other programs' files, on their way into the store.
//!
//! They are gathered until a session ends or enough of them are there, and
//! then taken in together. A conversation that is too long for one session
//! goes on in the next: `chatgpt-…-2`.

use std::collections::HashSet;

use mnemon::engine::{ImportOptions, Incoming};
use mnemon::memory::{MemoryId, SessionId, Space};
use mnemon::session::SessionDetails;
use mnemon::{Caller, Error, Mnemon, Result};
use mnemon_wire::foreign::{Piece, Report, Why};
use serde_json::json;

/// So many memories are written together at most.
const BATCH: usize = 500;
const BATCH_BYTES: usize = 1 << 20;
/// Beside its text a line has so many bytes.
const LINE_BYTES: usize = 600;
/// The share of a session's quota, in percent, that an import fills: what is old and full is
/// compacted, and nobody imports for that.
const FULL_PERCENT: u64 = 60;
/// The longest id of a session.
const SESSION_CHARS_MAX: usize = 64;

/// Takes pieces in.
pub(super) struct Taker<'a> {
    engine: &'a Mnemon,
    caller: &'a Caller,
    options: ImportOptions,
    pub(super) report: Report,
    /// The project of sessions whose file names none.
    pub(super) project: Option<String>,
    file: String,
    session: Option<(SessionId, SessionDetails)>,
    waiting: Vec<(String, Incoming)>,
    waiting_bytes: usize,
    /// What a dry run would have written.
    told: HashSet<MemoryId>,
    made: HashSet<SessionId>,
}

impl<'a> Taker<'a> {
    pub(super) fn new(engine: &'a Mnemon, caller: &'a Caller, options: ImportOptions) -> Self {
        Self {
            engine,
            caller,
            options,
            report: Report::default(),
            project: None,
            file: String::new(),
            session: None,
            waiting: Vec::new(),
            waiting_bytes: 0,
            told: HashSet::new(),
            made: HashSet::new(),
        }
    }

    /// What follows comes from this file.
    pub(super) fn enter(&mut self, file: &str) -> Result<()> {
        self.flush()?;
        self.session = None;
        file.clone_into(&mut self.file);
        Ok(())
    }

    /// Takes a piece.
    pub(super) fn take(&mut self, piece: Piece) -> Result<()> {
        match piece {
            Piece::Session { id, mut details } => {
                self.flush()?;
                let project = || self.project.clone();
                details.project = details.project.or_else(project);
                self.session = Some((id, *details));
            }
            Piece::Left { place, why } => {
                self.report.read += 1;
                match why {
                    Why::OnPurpose(why) => self.report.leave(&self.file, &place, why),
                    Why::NotUnderstood(problem) => {
                        self.report.not_understood(&self.file, &place, problem);
                    }
                }
            }
            Piece::Memory {
                place,
                space,
                draft,
            } => {
                self.report.read += 1;
                self.waiting_bytes += draft.text.as_str().len() + LINE_BYTES;
                let draft = *draft;
                self.waiting.push((place, Incoming { space, draft }));
                if self.waiting.len() >= BATCH || self.waiting_bytes >= BATCH_BYTES {
                    self.flush()?;
                }
            }
        }
        Ok(())
    }

    /// Writes what waits.
    pub(super) fn flush(&mut self) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let bytes = std::mem::take(&mut self.waiting_bytes) as u64;
        if self.options.dry_run {
            // Nothing is written that a second one could meet.
            self.waiting.retain(|(_, it)| {
                let is_first = it
                    .draft
                    .id
                    .as_ref()
                    .is_none_or(|id| self.told.insert(id.clone()));
                self.report.already += u64::from(!is_first);
                is_first
            });
        }
        let (places, mut incoming): (Vec<String>, Vec<Incoming>) =
            std::mem::take(&mut self.waiting).into_iter().unzip();
        let session = match &self.session {
            Some((id, details)) => Some(self.with_room(id, details, bytes)?),
            None => None,
        };
        if let (Some((own, _)), Some((chosen, _))) = (&self.session, &session)
            && own != chosen
        {
            for it in &mut incoming {
                if it.space.session() == Some(own) {
                    it.space = Space::Session(chosen.clone());
                }
            }
        }
        let taken = self
            .engine
            .take_in(self.caller, session.as_ref(), incoming, self.options)?;
        let report = &mut self.report;
        report.imported += taken.kept;
        report.changed += taken.beside;
        report.already += taken.already;
        report.erased += taken.erased;
        report.redacted.extend(taken.redacted);
        for (place, error) in &taken.refused {
            report.refused(&self.file, places.get(*place).map_or("", |it| it), error);
        }
        for id in taken.sessions {
            if self.made.insert(id.clone()) {
                report.sessions.push(id);
            }
        }
        Ok(())
    }

    /// The session, or the first part after it that has room for so many bytes.
    fn with_room(
        &self,
        id: &SessionId,
        details: &SessionDetails,
        bytes: u64,
    ) -> Result<(SessionId, SessionDetails)> {
        let limit = self.engine.config().storage.session_bytes_max / 100 * FULL_PERCENT;
        for part in 1_u32.. {
            let chosen = part_id(id, part)?;
            let used = match self.engine.session(self.caller, &chosen) {
                Ok(known) => known
                    .archived
                    .map_or(known.activity.log_bytes, |it| it.bytes),
                Err(Error::SessionNotFound { .. }) => 0,
                // Told when it is taken in, for each memory.
                Err(_) => return Ok((chosen, details.clone())),
            };
            if used == 0 || used + bytes <= limit {
                let mut details = details.clone();
                if part > 1 {
                    details.metadata.insert("part".into(), json!(part));
                    details.metadata.insert("part_of".into(), json!(id));
                }
                return Ok((chosen, details));
            }
        }
        Ok((id.clone(), details.clone()))
    }
}

fn part_id(id: &SessionId, part: u32) -> Result<SessionId> {
    if part == 1 {
        return Ok(id.clone());
    }
    let tail = format!("-{part}");
    let head: String = id
        .as_str()
        .chars()
        .take(SESSION_CHARS_MAX - tail.len())
        .collect();
    (head + &tail).parse()
}
