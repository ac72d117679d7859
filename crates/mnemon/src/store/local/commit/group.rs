//! A group of batches: planned, appended and indexed under one hold of the lock.

use std::collections::HashMap;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use rusqlite::Connection;

use super::appending::{Appending, OpenLogs};
use super::queue::Taking;
use super::{Appended, Proof};
use crate::config::Durability;
use crate::error::{Error, Result};
use crate::memory::{MemoryId, Space};
use crate::store::local::LocalStore;
use crate::store::local::disk::Stat;
use crate::store::local::index;
use crate::store::local::index::generation::Borrowed;
use crate::store::local::index::position::Position;
use crate::store::local::lock::Held;
use crate::store::local::log::line::Checksum;
use crate::store::local::log::transaction::{self, Signed};
use crate::store::local::plan::{Known, Planned, Planner, Touched};
use crate::store::local::sync::Ticket;
use crate::store::{Batch, Grown, Receipt};

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
    /// Appends the batches of a group under one hold of the lock.
    pub(super) fn append_group(
        &self,
        taking: &mut Taking<'_>,
        open: &mut OpenLogs,
    ) -> Result<Vec<Result<Appended>>> {
        let held = self.lock.acquire("write")?;
        if held.others_had_it {
            self.met_others();
        }
        self.append_holding(held, taking, open)
    }

    /// As [`Self::append_group`], by whoever has the lock already.
    pub(super) fn append_holding(
        &self,
        mut held: Held<'_>,
        taking: &mut Taking<'_>,
        open: &mut OpenLogs,
    ) -> Result<Vec<Result<Appended>>> {
        crate::store::local::poison::refuse(&*self.disk, &self.layout)?;
        self.format
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .check_again(&*self.disk, &self.layout)?;
        let generation = self.index_for_writing(&mut held)?;
        self.wrote.store(true, Ordering::Relaxed);
        let answer = self.append_with_index(taking, open, &mut held, &generation.borrow_at_once()?);
        match answer {
            Ok((answers, Ok(()))) => {
                held.clear_note();
                Ok(answers)
            }
            // The lines are true, but the index does not know them: whoever asks next catches up.
            Ok((answers, Err(error))) => {
                if is_unusable(&error) {
                    self.distrust(&generation);
                }
                held.keep_note();
                Ok(answers)
            }
            Err(error) => {
                if is_unusable(&error) {
                    self.distrust(&generation);
                }
                Err(error)
            }
        }
    }

    /// Plans, appends, indexes; also tells whether the index took it.
    ///
    /// The disk is busy with the new lines while the index takes them in.
    fn append_with_index(
        &self,
        taking: &mut Taking<'_>,
        open: &mut OpenLogs,
        held: &mut Held<'_>,
        connection: &Borrowed<'_>,
    ) -> Result<(Vec<Result<Appended>>, Result<()>)> {
        index::run(connection, "BEGIN IMMEDIATE").map_err(Error::index("index"))?;
        let undo = |error| {
            let _ = connection.execute_batch("ROLLBACK");
            error
        };
        let mut logs: HashMap<Space, Appending> = HashMap::new();
        let fates = self
            .plan_group(taking, open, connection, &mut logs)
            .map_err(undo)?;
        let together = taking.requests.len();
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
        let mut tickets = HashMap::new();
        // A log that does not grow gets a ticket too: whoever wrote what is
        // repeated now may have died before it was synced.
        for (space, log) in &mut logs {
            log.position.stat = log
                .file
                .stat()
                .map_err(Error::io("read", &log.path))
                .map_err(undo)?;
            let folders = std::mem::take(&mut log.folders);
            let ticket =
                self.syncs
                    .appended(&log.file, &log.position.stat, log.path.clone(), folders);
            // The disk begins while the index takes the lines in.
            if self.options.durability == Durability::Always && !log.bytes.is_empty() {
                log.file.will_sync(log.begin, log.bytes.len() as u64);
            }
            tickets.insert(space.clone(), (ticket, log.position.stat));
            open.insert(space.clone(), (log.file.clone(), log.position.stat));
        }
        // The lines are already true: a failure from here on must not make the caller repeat them.
        let indexed = self.put_into_index(connection, &mut logs).map_err(undo);
        let answers = fates
            .into_iter()
            .map(|fate| fate.answer(&tickets, together))
            .collect();
        Ok((answers, indexed))
    }

    /// Makes the index know the new lines of all logs of a group.
    fn put_into_index(
        &self,
        connection: &Borrowed<'_>,
        logs: &mut HashMap<Space, Appending>,
    ) -> Result<()> {
        for (space, log) in logs {
            self.preparer.add(log.memories());
            log.put_into_index(connection, space)?;
        }
        let waiting = self.fill_if_far_behind(connection);
        index::commit(connection).map_err(Error::index("index"))?;
        self.fill_beside(connection.generation(), waiting);
        Ok(())
    }

    /// As [`Self::prepare_log`]; if it fails, the index transaction is as before.
    fn prepare_alone(
        &self,
        space: &Space,
        open: &mut OpenLogs,
        connection: &Connection,
    ) -> Result<Option<Appending>> {
        if let Some(log) = self.log_as_left(space, open, connection)? {
            return Ok(Some(log));
        }
        index::whole_or_not(
            connection,
            |error| Error::index("index")(error),
            || self.prepare_log(space, open, connection),
        )
    }

    /// Decides what each batch comes to.
    fn plan_group(
        &self,
        taking: &mut Taking<'_>,
        open: &mut OpenLogs,
        connection: &Connection,
        logs: &mut HashMap<Space, Appending>,
    ) -> Result<Vec<Fate>> {
        let mut pending: HashMap<MemoryId, Touched> = HashMap::new();
        let mut fates = Vec::new();
        loop {
            for request in &taking.requests[fates.len()..] {
                let fate = if request.is_given_up() {
                    Fate::Refused(given_up())
                } else {
                    self.plan_one(&request.batch, open, connection, logs, &mut pending)?
                };
                fates.push(fate);
            }
            if !taking.take_more() {
                return Ok(fates);
            }
        }
    }

    /// Decides what one batch comes to, after those before it.
    fn plan_one(
        &self,
        batch: &Batch,
        open: &mut OpenLogs,
        connection: &Connection,
        logs: &mut HashMap<Space, Appending>,
        pending: &mut HashMap<MemoryId, Touched>,
    ) -> Result<Fate> {
        if !logs.contains_key(&batch.space) {
            match self.prepare_alone(&batch.space, open, connection) {
                Ok(Some(log)) => drop(logs.insert(batch.space.clone(), log)),
                Err(error @ Error::Index { .. }) => return Err(error),
                // What is wrong with one log is no matter for those who write to others.
                Err(error) => return Ok(Fate::Refused(error)),
                // A new log is made only once something is to be written to it.
                Ok(None) => {
                    if let Some(fate) = self.fate_without_log(batch, connection, pending)? {
                        return Ok(fate);
                    }
                    let log = self.create_log(&batch.space, connection)?;
                    logs.insert(batch.space.clone(), log);
                }
            }
        }
        let log = logs.get_mut(&batch.space).expect("prepared above");
        let known = log.known.clone();
        let plan = Planner::new(
            connection,
            &self.files,
            &log.position,
            pending,
            batch,
            log.edge.recorded_micros,
            known,
        );
        let at = plan.at;
        match plan_within_quota(plan, log.edge.start.offset) {
            Ok((planned, lines)) => {
                pending.extend(planned.touched);
                log.known = planned.known;
                let from_bytes = log.edge.start.offset;
                let checksum = log.take(&batch.space, lines, at);
                let to_bytes = log.edge.start.offset;
                Ok(Fate::Settled {
                    space: batch.space.clone(),
                    receipt: Receipt {
                        outcomes: planned.outcomes,
                        durable: true,
                        grown: Some(Grown {
                            from_bytes,
                            to_bytes,
                        }),
                    },
                    checksum,
                    refers_to: planned.refers_to,
                })
            }
            Err(error @ Error::Index { .. }) => Err(error),
            Err(refusal) => Ok(Fate::Refused(refusal)),
        }
    }

    /// What a batch comes to that needs no log, because it is refused or writes nothing.
    fn fate_without_log(
        &self,
        batch: &Batch,
        connection: &Connection,
        pending: &HashMap<MemoryId, Touched>,
    ) -> Result<Option<Fate>> {
        let empty = Position::of_nothing();
        let plan = Planner::new(
            connection,
            &self.files,
            &empty,
            pending,
            batch,
            empty.recorded_micros,
            Known::default(),
        );
        match plan_within_quota(plan, 0) {
            Err(error @ Error::Index { .. }) => Err(error),
            Err(refusal) => Ok(Some(Fate::Refused(refusal))),
            Ok((planned, lines)) => Ok(lines.is_empty().then(|| {
                Fate::Nothing(Receipt {
                    outcomes: planned.outcomes,
                    durable: true,
                    grown: None,
                })
            })),
        }
    }
}

/// What nobody hears: whoever would be told has hung up.
fn given_up() -> Error {
    let source = std::io::Error::from(std::io::ErrorKind::ConnectionAborted);
    Error::io("write for", "another process")(source)
}

/// Whether the index is damaged, so that another one must be made.
fn is_unusable(error: &Error) -> bool {
    matches!(error, Error::Index { source, .. } if index::is_unusable(source))
}

impl Fate {
    fn answer(self, tickets: &HashMap<Space, (Ticket, Stat)>, together: usize) -> Result<Appended> {
        match self {
            Self::Refused(error) => Err(error),
            Self::Nothing(receipt) => Ok(Appended {
                receipt,
                proof: None,
                together,
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
                    is_in_place: false,
                });
                Ok(Appended {
                    receipt,
                    proof,
                    together,
                })
            }
        }
    }
}

/// Plans a batch, and refuses it if its lines don't fit into the space any more.
fn plan_within_quota(planner: Planner<'_>, used_bytes: u64) -> Result<(Planned, Vec<Signed>)> {
    let (batch, at) = (planner.batch, planner.at);
    let mut plan = planner.plan()?;
    let lines = transaction::sign(std::mem::take(&mut plan.lines), at);
    let Some(limit_bytes) = batch.quota_bytes else {
        return Ok((plan, lines));
    };
    if lines.is_empty() || !batch.writes.iter().any(crate::store::Write::grows) {
        return Ok((plan, lines));
    }
    let needed_bytes: u64 = lines.iter().map(|line| line.bytes.len() as u64).sum();
    if used_bytes + needed_bytes > limit_bytes {
        return Err(Error::full(
            &batch.space,
            used_bytes,
            needed_bytes,
            limit_bytes,
        ));
    }
    Ok((plan, lines))
}
