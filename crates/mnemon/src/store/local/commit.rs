//! Writing: the way of a batch from its caller to the disk.
//!
//! Threads that write at the same time are served together: whoever gets to
//! the front takes the batches of all who wait, appends them under one hold of
//! the lock and in one index transaction, and everybody shares the sync.
//!
//! Invariant: a caller is told "kept" only when the log is synced up to its
//! lines, and those lines are in the log that has the name now.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::Connection;
use sha2::{Digest, Sha256};

use super::LocalStore;
use super::disk::{DiskFile, Stat};
use super::index::position::Position;
use super::index::{self, apply, position};
use super::lock::Held;
use super::log::line::{self, Checksum, Line};
use super::log::record::Record;
use super::log::tail;
use super::plan::{Planned, Planner, Touched};
use super::sync::Ticket;
use crate::config::Durability;
use crate::error::{Error, Result};
use crate::memory::{MemoryId, Space};
use crate::store::{Batch, OnFull, Receipt};
use crate::time::Time;

/// At most so many batches are served together, so that the lock is held briefly.
const GROUP_MAX: usize = 128;

/// Logs that this process keeps open for writing.
const OPEN_MAX: usize = 64;

/// Batches that wait for their turn.
#[derive(Debug, Default)]
pub(super) struct Queue {
    requests: Mutex<VecDeque<Request>>,
    /// Held by the thread that serves the others.
    serving: Mutex<OpenLogs>,
}

#[derive(Debug)]
struct Request {
    batch: Batch,
    answer: Arc<Mutex<Option<Result<Appended>>>>,
}

/// A batch that is in the log and in the index, but maybe not on the disk.
#[derive(Debug)]
struct Appended {
    receipt: Receipt,
    /// None if nothing had to be written.
    proof: Option<Proof>,
}

/// How to find out whether appended lines are safe.
#[derive(Clone, Debug)]
struct Proof {
    ticket: Ticket,
    stat: Stat,
    /// The checksum of the last line.
    checksum: Checksum,
    refers_to: Vec<Space>,
}

/// Logs open for writing.
type OpenLogs = HashMap<Space, (Arc<dyn DiskFile>, Stat)>;

/// What is about to be appended to one log.
struct Appending {
    file: Arc<dyn DiskFile>,
    path: PathBuf,
    position: Position,
    /// Where the new bytes begin.
    begin: u64,
    bytes: Vec<u8>,
    folders: Vec<PathBuf>,
}

/// What became of one request of a group.
enum Fate {
    Refused(Error),
    Unchanged(Receipt),
    Planned {
        space: Space,
        receipt: Receipt,
        checksum: Checksum,
        refers_to: Vec<Space>,
    },
}

impl LocalStore {
    /// Commits, and tries again for a while if the disk can't take it.
    pub(super) fn commit_with_retries(&self, batch: Batch) -> Result<Receipt> {
        let mut pause = Duration::from_millis(self.options.retry_backoff_ms);
        if self.anything_waits()
            && self.write_what_waits().is_err()
            && batch.on_full == OnFull::Buffer
        {
            // Order matters: what came before could not be written either.
            let source = std::io::Error::from(std::io::ErrorKind::StorageFull);
            let full = Error::io("append to", self.layout.log(&batch.space))(source);
            return self.hold(batch, full);
        }
        let mut attempt = 1;
        loop {
            match self.commit_once(batch.clone()) {
                Err(error) if is_transient(&error) => {
                    if attempt >= self.options.write_attempts {
                        return match batch.on_full {
                            OnFull::Buffer => self.hold(batch, error),
                            OnFull::Refuse => Err(error),
                        };
                    }
                    attempt += 1;
                    std::thread::sleep(pause);
                    pause *= 2;
                }
                answer => return answer,
            }
        }
    }

    /// Appends, makes durable, and makes sure that the log was not replaced meanwhile.
    pub(super) fn commit_once(&self, batch: Batch) -> Result<Receipt> {
        loop {
            let appended = self.append_in_turn(batch.clone())?;
            let Some(proof) = appended.proof else {
                return Ok(appended.receipt);
            };
            let receipt = Receipt {
                durable: self.make_durable(&batch.space, &proof)?,
                ..appended.receipt
            };
            if self.is_still_there(&batch.space, &proof)? {
                return Ok(receipt);
            }
            // An editor saved its own copy over the log: keep it there too.
        }
    }

    fn append_in_turn(&self, batch: Batch) -> Result<Appended> {
        let answer = Arc::new(Mutex::new(None));
        self.requests().push_back(Request {
            batch,
            answer: answer.clone(),
        });
        let mut open = self
            .queue
            .serving
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(answer) = answer.lock().unwrap_or_else(PoisonError::into_inner).take() {
                return answer;
            }
            let group: Vec<Request> = {
                let mut requests = self.requests();
                let count = requests.len().min(GROUP_MAX);
                requests.drain(..count).collect()
            };
            self.serve(group, &mut open);
        }
    }

    /// Serves a group; each request gets its answer, whatever happens.
    fn serve(&self, group: Vec<Request>, open: &mut OpenLogs) {
        let batches: Vec<&Batch> = group.iter().map(|request| &request.batch).collect();
        let outcome = self.append_group(&batches, open);
        let mut answers = match outcome {
            Ok(answers) => answers.into_iter().map(Some).collect::<Vec<_>>(),
            Err(error) => group.iter().map(|_| Some(Err(error.clone()))).collect(),
        };
        for (request, answer) in group.iter().zip(&mut answers) {
            *request
                .answer
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = answer.take();
        }
    }

    /// Appends the batches of a group under one hold of the lock.
    fn append_group(
        &self,
        batches: &[&Batch],
        open: &mut OpenLogs,
    ) -> Result<Vec<Result<Appended>>> {
        let mut held = self.lock.acquire("write", super::wall_text())?;
        super::poison::refuse(&*self.disk, &self.layout)?;
        self.format
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .check_again(&*self.disk, &self.layout)?;
        let generation = self.index_for_writing(&mut held)?;
        let answer = self.append_with_index(batches, open, &mut held, &*generation.borrow()?);
        match answer {
            Ok((answers, true)) => {
                held.clear_note();
                Ok(answers)
            }
            // The lines are true, but the index does not know them: whoever asks next catches up.
            Ok((answers, false)) => {
                held.keep_note();
                Ok(answers)
            }
            Err(Error::Index { source, path }) if index::is_unusable(&source) => {
                self.distrust(&generation);
                Err(Error::Index { source, path })
            }
            Err(error) => Err(error),
        }
    }

    /// Plans, appends, indexes; also tells whether the index took it.
    fn append_with_index(
        &self,
        batches: &[&Batch],
        open: &mut OpenLogs,
        held: &mut Held<'_>,
        connection: &Connection,
    ) -> Result<(Vec<Result<Appended>>, bool)> {
        connection
            .execute_batch("BEGIN IMMEDIATE")
            .map_err(Error::index("index"))?;
        let undo = |error| {
            let _ = connection.execute_batch("ROLLBACK");
            error
        };
        let mut logs: HashMap<Space, Appending> = HashMap::new();
        let fates = self
            .plan_group(batches, open, connection, &mut logs)
            .map_err(undo)?;
        let mut tickets = HashMap::new();
        logs.retain(|_, log| !log.bytes.is_empty());
        if !logs.is_empty() {
            held.note_appending(&logs.keys().collect::<Vec<_>>())
                .map_err(Error::io("write", self.layout.lock()))
                .map_err(undo)?;
            if let Err(error) = self.write(&mut logs) {
                open.clear();
                return Err(undo(error));
            }
            for (space, log) in &mut logs {
                log.position.stat = log
                    .file
                    .stat()
                    .map_err(Error::io("read", &log.path))
                    .map_err(undo)?;
                position::put(connection, &log.position)
                    .map_err(Error::index("index"))
                    .map_err(undo)?;
                let folders = std::mem::take(&mut log.folders);
                let ticket =
                    self.syncs
                        .appended(&log.file, &log.position.stat, log.path.clone(), folders);
                tickets.insert(space.clone(), (ticket, log.position.stat));
                open.insert(space.clone(), (log.file.clone(), log.position.stat));
            }
        }
        // The lines are already true: a failure from here on must not make the caller repeat them.
        let indexed = connection.execute_batch("COMMIT").is_ok();
        let answers = fates
            .into_iter()
            .map(|fate| fate.answer(&tickets))
            .collect();
        Ok((answers, indexed))
    }

    /// Decides what each batch comes to, and puts it into the open index transaction.
    fn plan_group(
        &self,
        batches: &[&Batch],
        open: &mut OpenLogs,
        connection: &Connection,
        logs: &mut HashMap<Space, Appending>,
    ) -> Result<Vec<Fate>> {
        let mut pending: HashMap<MemoryId, Touched> = HashMap::new();
        let mut fates = Vec::with_capacity(batches.len());
        for batch in batches {
            if !logs.contains_key(&batch.space) {
                match self.prepare_log(&batch.space, open, connection)? {
                    Some(log) => drop(logs.insert(batch.space.clone(), log)),
                    // A new log is made only once something is to be written to it.
                    None => {
                        let planned = plan_for_new_log(connection, &self.files, &pending, batch)
                            .and_then(|planned| within_quota(planned, 0, batch));
                        match planned {
                            Err(error @ Error::Index { .. }) => return Err(error),
                            Err(refusal) => {
                                fates.push(Fate::Refused(refusal));
                                continue;
                            }
                            Ok(planned) if planned.lines.is_empty() => {
                                fates.push(Fate::unchanged(planned));
                                continue;
                            }
                            Ok(_) => {}
                        }
                        let log = self.create_log(&batch.space, connection)?;
                        logs.insert(batch.space.clone(), log);
                    }
                }
            }
            let log = logs.get_mut(&batch.space).expect("prepared above");
            let planner = Planner::new(connection, &self.files, &log.position, &pending, batch);
            let at = planner.at;
            fates.push(
                match planner
                    .plan()
                    .and_then(|planned| within_quota(planned, log.end(), batch))
                {
                    Ok(planned) => log.take(connection, batch, planned, at, &mut pending)?,
                    Err(error @ Error::Index { .. }) => return Err(error),
                    Err(refusal) => Fate::Refused(refusal),
                },
            );
        }
        Ok(fates)
    }

    /// The log of a space, checked to be what the index knows and cleaned of a torn tail; none if there is none.
    fn prepare_log(
        &self,
        space: &Space,
        open: &mut OpenLogs,
        connection: &Connection,
    ) -> Result<Option<Appending>> {
        let path = self.layout.log(space);
        let read = || Error::io("read", &path);
        let Some(named) = self.disk.stat(&path).map_err(read())? else {
            return Ok(None);
        };
        let known = open
            .get(space)
            .filter(|(_, stat)| stat.is_same_file(&named))
            .cloned();
        let mut folders = Vec::new();
        let file = match &known {
            Some((file, _)) => file.clone(),
            None => {
                if open.len() >= OPEN_MAX {
                    open.clear();
                    self.syncs.tidy();
                }
                // Whoever made this log may have died before its name was safe.
                folders = self
                    .layout
                    .folder(space)
                    .ancestors()
                    .take(3)
                    .map(Into::into)
                    .collect();
                self.disk
                    .open_write(&path)
                    .map_err(Error::io("open", &path))?
            }
        };
        let mut position = match self.catch_up_one(connection, space)? {
            Some(position) if known.is_some() || is_last_line_sound(&position, &*file) => position,
            // After a power cut the index can know more than the log: read it all again.
            _ => {
                apply::start_over(connection, space).map_err(Error::index("index"))?;
                match self.catch_up_one(connection, space)? {
                    Some(position) => position,
                    None => return Ok(None),
                }
            }
        };
        if let Some(tail) = position.end.tail.take() {
            let name = tail::quarantine_name(space, &super::unique(super::wall_micros()), "torn");
            tail::cut(
                &*self.disk,
                &*file,
                &path,
                &self.layout.quarantine(),
                &name,
                &tail,
            )?;
        }
        Ok(Some(Appending {
            begin: position.end.start.offset,
            file,
            path,
            position,
            bytes: Vec::new(),
            folders,
        }))
    }

    /// Makes a log; its header is written together with its first lines.
    fn create_log(&self, space: &Space, connection: &Connection) -> Result<Appending> {
        let path = self.layout.log(space);
        let (file, folders) = tail::open_or_create(&*self.disk, &self.layout.folder(space), &path)?;
        let position = apply::start_over(connection, space).map_err(Error::index("index"))?;
        Ok(Appending {
            file,
            path,
            position,
            begin: 0,
            bytes: Vec::new(),
            folders,
        })
    }

    /// Writes all that was prepared; if one log fails, all are as before.
    fn write(&self, logs: &mut HashMap<Space, Appending>) -> Result<()> {
        for log in logs.values() {
            if let Err(error) = log.file.write_at(&log.bytes, log.begin) {
                // If even this fails, the next writer cuts the tail.
                for log in logs.values() {
                    let _ = log.file.truncate(log.begin);
                }
                return Err(Error::io("append to", &log.path)(error));
            }
        }
        Ok(())
    }

    /// Waits for the disk as the settings say; true if the lines are on it.
    fn make_durable(&self, space: &Space, proof: &Proof) -> Result<bool> {
        if self.options.durability != Durability::Always {
            return Ok(false);
        }
        let synced = self.syncs.wait(&proof.ticket).and_then(|()| {
            proof
                .refers_to
                .iter()
                .try_for_each(|other| self.sync_other(other))
        });
        match synced {
            Ok(()) => Ok(true),
            Err(error) => {
                super::poison::mark(
                    &*self.disk,
                    &self.layout.poisoned(),
                    space.to_string(),
                    &error,
                );
                Err(error)
            }
        }
    }

    /// A line that refers to another log counts only once that log is safe up to there.
    fn sync_other(&self, space: &Space) -> Result<()> {
        let path = self.layout.log(space);
        match self.disk.open_read(&path) {
            Ok(file) => file.sync().map_err(Error::io("sync", &path)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Error::io("open", &path)(error)),
        }
    }

    /// Syncs whatever this process has appended.
    pub(super) fn sync_everything(&self) -> Result<()> {
        self.syncs.sync_all().inspect_err(|error| {
            super::poison::mark(&*self.disk, &self.layout.poisoned(), "a log".into(), error);
        })
    }

    /// Whether the lines are in the file that has the log's name now.
    fn is_still_there(&self, space: &Space, proof: &Proof) -> Result<bool> {
        let path = self.layout.log(space);
        let named = self.disk.stat(&path).map_err(Error::io("read", &path))?;
        if named.is_some_and(|named| named.is_same_file(&proof.stat)) {
            return Ok(true);
        }
        // A rewrite of ours copies every line; only somebody else's loses some.
        let _held = self.lock.acquire("look for a line", super::wall_text())?;
        let Ok(file) = self.disk.open_read(&path) else {
            return Ok(false);
        };
        let size = file.stat().map_err(Error::io("read", &path))?.size;
        let mut bytes = vec![0; usize::try_from(size).unwrap_or(0)];
        let count = file
            .read_at(&mut bytes, 0)
            .map_err(Error::io("read", &path))?;
        Ok(line::find(&bytes[..count], &line::hex(&proof.checksum)).is_some())
    }

    fn requests(&self) -> MutexGuard<'_, VecDeque<Request>> {
        self.queue
            .requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Appending {
    /// Takes a planned batch in: its lines to be written, and the index.
    fn take(
        &mut self,
        connection: &Connection,
        batch: &Batch,
        planned: Planned,
        at: Time,
        pending: &mut HashMap<MemoryId, Touched>,
    ) -> Result<Fate> {
        let receipt = Receipt {
            outcomes: planned.outcomes,
            durable: true,
        };
        pending.extend(planned.touched);
        let count = planned.lines.len() as u64;
        let tx = (count > 1).then(|| super::unique(at.micros()));
        let mut digest = Sha256::new();
        let mut last = None;
        if count > 0 {
            self.begin_lines(connection, &batch.space, at)?;
        }
        for mut line in planned.lines {
            line.tx.clone_from(&tx);
            let checksum = self.append(connection, &batch.space, line)?;
            digest.update(checksum);
            last = Some(checksum);
        }
        if let Some(tx) = &tx {
            let digest = line::hex(&digest.finalize().into());
            last = Some(self.append(
                connection,
                &batch.space,
                Line::commit(tx, count, &digest, at),
            )?);
        }
        Ok(match last {
            None => Fate::Unchanged(receipt),
            Some(checksum) => Fate::Planned {
                space: batch.space.clone(),
                receipt,
                checksum,
                refers_to: planned.refers_to,
            },
        })
    }

    fn append(&mut self, connection: &Connection, space: &Space, line: Line) -> Result<Checksum> {
        let (bytes, checksum) = line.encode();
        let place = apply::Place {
            offset: self.end(),
            length: bytes.len() as u64 - 1,
            number: self.position.end.start.number,
            checksum,
            recorded_at: line.recorded_at,
        };
        self.bytes.extend_from_slice(&bytes);
        self.position.end.start.offset = self.end();
        self.position.end.start.number += 1;
        let record = Record::read(line)?;
        apply::record(connection, space, &mut self.position, &place, record)
            .map_err(Error::index("index"))?;
        Ok(checksum)
    }

    /// What must come before the first new line: the header of a new log, or
    /// the newline that the last line was left without.
    fn begin_lines(&mut self, connection: &Connection, space: &Space, at: Time) -> Result<()> {
        if self.end() == 0 {
            let generation = super::unique(at.micros());
            self.append(connection, space, Line::header(space, &generation, &[], at))?;
        } else if std::mem::take(&mut self.position.end.newline_missing) {
            self.bytes.push(b'\n');
            self.position.end.start.offset = self.end();
            self.position.end.start.number += 1;
        }
        Ok(())
    }

    fn end(&self) -> u64 {
        self.begin + self.bytes.len() as u64
    }
}

impl Fate {
    /// Nothing has to be written.
    fn unchanged(planned: Planned) -> Self {
        Self::Unchanged(Receipt {
            outcomes: planned.outcomes,
            durable: true,
        })
    }

    fn answer(self, tickets: &HashMap<Space, (Ticket, Stat)>) -> Result<Appended> {
        match self {
            Self::Refused(error) => Err(error),
            Self::Unchanged(receipt) => Ok(Appended {
                receipt,
                proof: None,
            }),
            Self::Planned {
                space,
                receipt,
                checksum,
                refers_to,
            } => {
                let (ticket, stat) = tickets
                    .get(&space)
                    .cloned()
                    .expect("planned lines were written");
                Ok(Appended {
                    receipt,
                    proof: Some(Proof {
                        ticket,
                        stat,
                        checksum,
                        refers_to,
                    }),
                })
            }
        }
    }
}

/// Plans a batch as if its log were there and empty, to see whether it is refused.
fn plan_for_new_log(
    connection: &Connection,
    files: &super::files::LogFiles,
    pending: &HashMap<MemoryId, Touched>,
    batch: &Batch,
) -> Result<Planned> {
    let empty = Position::of_nothing();
    Planner::new(connection, files, &empty, pending, batch).plan()
}

fn within_quota(planned: Planned, used_bytes: u64, batch: &Batch) -> Result<Planned> {
    let (Some(session), Some(limit_bytes)) = (batch.space.session(), batch.quota_bytes) else {
        return Ok(planned);
    };
    if planned.lines.is_empty() || !batch.writes.iter().any(crate::store::Write::grows) {
        return Ok(planned);
    }
    let needed_bytes: u64 = planned
        .lines
        .iter()
        .map(|line| line.encode().0.len() as u64)
        .sum();
    if used_bytes + needed_bytes > limit_bytes {
        return Err(Error::SessionFull {
            session: session.to_string(),
            used_bytes,
            needed_bytes,
            limit_bytes,
        });
    }
    Ok(planned)
}

/// At the first touch by this process: is the last line that the index knows there?
fn is_last_line_sound(position: &Position, file: &dyn DiskFile) -> bool {
    let Some((offset, length, checksum)) = position.last else {
        return true;
    };
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
    let count = file.read_at(&mut bytes, offset).unwrap_or(0);
    Line::decode(&bytes[..count]).is_ok_and(|(_, found)| found == checksum)
}

/// Whether the same write may succeed a moment later. A failed sync never does.
fn is_transient(error: &Error) -> bool {
    use std::io::ErrorKind;
    match error {
        Error::Full { .. } => true,
        Error::Io { action, source, .. } => {
            *action != "sync"
                && !matches!(
                    source.kind(),
                    ErrorKind::PermissionDenied
                        | ErrorKind::ReadOnlyFilesystem
                        | ErrorKind::NotFound
                        | ErrorKind::NotADirectory
                        | ErrorKind::IsADirectory
                )
        }
        // A damaged index was taken out of use; the next try makes another.
        Error::Index { source, .. } => index::is_unusable(source),
        _ => false,
    }
}
