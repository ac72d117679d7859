//! Writing: the way of a batch from its caller to the disk.
//!
//! Threads that write at the same time are served together: whoever gets to
//! the front takes the batches of all who wait, appends them under one hold of
//! the lock and in one index transaction, and everybody shares the sync.
//!
//! Invariant: a caller is told "kept" only when the log is synced up to its
//! lines, and those lines are in the log that has the name now.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use rusqlite::Connection;

use super::LocalStore;
use super::catch_up::is_last_line_there;
use super::disk::{DiskFile, Stat};
use super::index::position::Position;
use super::index::{self, apply, position};
use super::lock::Held;
use super::log::line::{self, Checksum, Line};
use super::log::record::Record;
use super::log::tail;
use super::log::transaction::{self, Signed};
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
    /// A group was served: its members have their answers, and the turn is free.
    served: Condvar,
}

#[derive(Debug)]
struct Request {
    batch: Arc<Batch>,
    answer: Arc<Mutex<Option<Result<Appended>>>>,
}

/// The right to serve the others; who waits is woken when it is given back, even by a panic.
struct Turn<'a> {
    queue: &'a Queue,
    /// None only while it is given back.
    open: Option<MutexGuard<'a, OpenLogs>>,
}

/// A batch that is in the log and in the index, but maybe not on the disk.
#[derive(Debug)]
struct Appended {
    receipt: Receipt,
    /// None if its log is empty.
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
    /// Nothing was asked for, and there is no log.
    Nothing(Receipt),
    /// Settled by lines of the log; all was so already if none of them is new.
    Settled {
        space: Space,
        receipt: Receipt,
        /// Of the last line; none if the log is empty.
        checksum: Option<Checksum>,
        refers_to: Vec<Space>,
    },
}

impl LocalStore {
    /// Commits, and tries again for a while if the disk can't take it.
    pub(super) fn commit_with_retries(&self, batch: Batch) -> Result<Receipt> {
        let batch = Arc::new(batch);
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
            match self.commit_once(&batch) {
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
    pub(super) fn commit_once(&self, batch: &Arc<Batch>) -> Result<Receipt> {
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

    fn append_in_turn(&self, batch: Arc<Batch>) -> Result<Appended> {
        let answer = Arc::new(Mutex::new(None));
        let mut requests = self.requests();
        requests.push_back(Request {
            batch,
            answer: answer.clone(),
        });
        loop {
            if let Some(answer) = answer.lock().unwrap_or_else(PoisonError::into_inner).take() {
                return answer;
            }
            // Whoever has an answer leaves with it; only who has none waits for the turn.
            let Some(mut turn) = self.queue.try_turn() else {
                requests = self
                    .queue
                    .served
                    .wait(requests)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let count = requests.len().min(GROUP_MAX);
            let group: Vec<Request> = requests.drain(..count).collect();
            drop(requests);
            self.serve(&group, &mut turn);
            drop(turn);
            requests = self.requests();
        }
    }

    /// Serves a group; each request gets its answer, whatever happens.
    fn serve(&self, group: &[Request], turn: &mut Turn<'_>) {
        let batches: Vec<&Batch> = group.iter().map(|request| &*request.batch).collect();
        let outcome = self.append_group(
            &batches,
            turn.open.as_mut().expect("there until it is given back"),
        );
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
        let growing: Vec<&Space> = logs
            .iter()
            .filter(|(_, log)| !log.bytes.is_empty())
            .map(|(space, _)| space)
            .collect();
        if !growing.is_empty() {
            held.note_appending(&growing)
                .map_err(Error::io("write", self.layout.lock()))
                .map_err(undo)?;
            if let Err(error) = self.write(&logs) {
                open.clear();
                return Err(undo(error));
            }
        }
        // A log that does not grow gets a ticket too: whoever wrote what is
        // repeated now may have died before it was synced.
        for (space, log) in &mut logs {
            log.position.stat = log
                .file
                .stat()
                .map_err(Error::io("read", &log.path))
                .map_err(undo)?;
            if !log.bytes.is_empty() {
                position::put(connection, &log.position)
                    .map_err(Error::index("index"))
                    .map_err(undo)?;
            }
            let folders = std::mem::take(&mut log.folders);
            let ticket =
                self.syncs
                    .appended(&log.file, &log.position.stat, log.path.clone(), folders);
            tickets.insert(space.clone(), (ticket, log.position.stat));
            open.insert(space.clone(), (log.file.clone(), log.position.stat));
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
                        let empty = Position::of_nothing();
                        let plan = Planner::new(connection, &self.files, &empty, &pending, batch);
                        match plan_within_quota(plan, 0) {
                            Err(error @ Error::Index { .. }) => return Err(error),
                            Err(refusal) => {
                                fates.push(Fate::Refused(refusal));
                                continue;
                            }
                            Ok((planned, lines)) if lines.is_empty() => {
                                fates.push(Fate::Nothing(Receipt {
                                    outcomes: planned.outcomes,
                                    durable: true,
                                }));
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
            let plan = Planner::new(connection, &self.files, &log.position, &pending, batch);
            let at = plan.at;
            fates.push(match plan_within_quota(plan, log.end()) {
                Ok((planned, lines)) => {
                    pending.extend(planned.touched);
                    Fate::Settled {
                        space: batch.space.clone(),
                        receipt: Receipt {
                            outcomes: planned.outcomes,
                            durable: true,
                        },
                        checksum: log.take(connection, &batch.space, lines, at)?,
                        refers_to: planned.refers_to,
                    }
                }
                Err(error @ Error::Index { .. }) => return Err(error),
                Err(refusal) => Fate::Refused(refusal),
            });
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
        if let Some(error) = self.syncs.failure_of(&named) {
            return Err(error);
        }
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
                folders = self.layout.folders(space);
                self.disk
                    .open_write(&path)
                    .map_err(Error::io("open", &path))?
            }
        };
        let mut position = match self.catch_up_one(connection, space)? {
            Some(position) if known.is_some() || is_last_line_there(&position, &*file) => position,
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
            self.sync_cut(space, &*file, &path)?;
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
        let file = tail::open_or_create(&*self.disk, &self.layout.folder(space), &path)?;
        let position = apply::start_over(connection, space).map_err(Error::index("index"))?;
        Ok(Appending {
            file,
            path,
            position,
            begin: 0,
            bytes: Vec::new(),
            // After a power cut a new file can exist without its name.
            folders: self.layout.folders(space),
        })
    }

    /// Writes all that was prepared; if one log fails, all are as before.
    fn write(&self, logs: &HashMap<Space, Appending>) -> Result<()> {
        let growing = || logs.iter().filter(|(_, log)| !log.bytes.is_empty());
        for (_, log) in growing() {
            if let Err(error) = log.file.write_at(&log.bytes, log.begin) {
                for (space, log) in growing() {
                    // If even this fails, the next writer cuts the tail.
                    if log.file.truncate(log.begin).is_ok() {
                        let _ = self.sync_cut(space, &*log.file, &log.path);
                    }
                }
                return Err(Error::io("append to", &log.path)(error));
            }
        }
        Ok(())
    }

    /// Makes a cut last before anything is written there: else a power cut
    /// could bring old lines back behind half of a new transaction, which
    /// would then look like one whose commit got damaged later on.
    fn sync_cut(&self, space: &Space, file: &dyn DiskFile, path: &Path) -> Result<()> {
        file.sync().map_err(Error::sync(path)).inspect_err(|error| {
            let marker = self.layout.poisoned();
            super::poison::mark(&*self.disk, &marker, space.to_string(), error);
        })
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
            Ok(file) => file.sync().map_err(Error::sync(&path))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(Error::io("open", &path)(error)),
        }
        // Whoever made that log may not have synced its name yet.
        for folder in self.layout.folders(space) {
            self.disk
                .sync_folder(&folder)
                .map_err(Error::sync(&folder))?;
        }
        Ok(())
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
        self.queue.requests()
    }
}

impl Queue {
    fn requests(&self) -> MutexGuard<'_, VecDeque<Request>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The right to serve, if nobody has it. Ask for it with the requests
    /// locked, as that is what makes waiting for `served` safe.
    fn try_turn(&self) -> Option<Turn<'_>> {
        let open = match self.serving.try_lock() {
            Ok(open) => open,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(Turn {
            queue: self,
            open: Some(open),
        })
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.open = None;
        // With the requests locked nobody is between its look at the turn and its wait.
        let _requests = self.queue.requests();
        self.queue.served.notify_all();
    }
}

impl Appending {
    /// Takes the lines of a batch in, to be written and into the index; the last one's checksum.
    fn take(
        &mut self,
        connection: &Connection,
        space: &Space,
        lines: Vec<Signed>,
        at: Time,
    ) -> Result<Option<Checksum>> {
        if !lines.is_empty() {
            self.begin_lines(connection, space, at)?;
        }
        for line in lines {
            self.append(connection, space, line)?;
        }
        Ok(self.position.last.map(|(_, _, checksum)| checksum))
    }

    fn append(&mut self, connection: &Connection, space: &Space, signed: Signed) -> Result<()> {
        let place = apply::Place {
            offset: self.end(),
            length: signed.bytes.len() as u64 - 1,
            number: self.position.end.start.number,
            checksum: signed.checksum,
            recorded_at: signed.line.recorded_at,
        };
        self.bytes.extend_from_slice(&signed.bytes);
        self.position.end.start.offset = self.end();
        self.position.end.start.number += 1;
        let record = Record::read(signed.line)?;
        apply::record(connection, space, &mut self.position, &place, record)
            .map_err(Error::index("index"))
    }

    /// What must come before the first new line: the header of a new log, or
    /// the newline that the last line was left without.
    fn begin_lines(&mut self, connection: &Connection, space: &Space, at: Time) -> Result<()> {
        if self.end() == 0 {
            let generation = super::unique(at.micros());
            let header = Line::header(space, &generation, &[], at);
            self.append(connection, space, Signed::new(header))?;
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
    fn answer(self, tickets: &HashMap<Space, (Ticket, Stat)>) -> Result<Appended> {
        match self {
            Self::Refused(error) => Err(error),
            Self::Nothing(receipt) => Ok(Appended {
                receipt,
                proof: None,
            }),
            Self::Settled {
                space,
                receipt,
                checksum,
                refers_to,
            } => {
                let (ticket, stat) = tickets
                    .get(&space)
                    .cloned()
                    .expect("every log that was prepared has a ticket");
                let proof = checksum.map(|checksum| Proof {
                    ticket,
                    stat,
                    checksum,
                    refers_to,
                });
                Ok(Appended { receipt, proof })
            }
        }
    }
}

/// Plans a batch, and refuses it if its lines don't fit into the session any more.
fn plan_within_quota(planner: Planner<'_>, used_bytes: u64) -> Result<(Planned, Vec<Signed>)> {
    let (batch, at) = (planner.batch, planner.at);
    let mut plan = planner.plan()?;
    let lines = transaction::sign(std::mem::take(&mut plan.lines), at);
    let (Some(session), Some(limit_bytes)) = (batch.space.session(), batch.quota_bytes) else {
        return Ok((plan, lines));
    };
    if lines.is_empty() || !batch.writes.iter().any(crate::store::Write::grows) {
        return Ok((plan, lines));
    }
    let needed_bytes: u64 = lines.iter().map(|line| line.bytes.len() as u64).sum();
    if used_bytes + needed_bytes > limit_bytes {
        return Err(Error::SessionFull {
            session: session.to_string(),
            used_bytes,
            needed_bytes,
            limit_bytes,
        });
    }
    Ok((plan, lines))
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
