//! The queue: threads that write at the same time are served by one of them.
//!
//! Whoever comes first leads: it plans the batches of all who wait, and of those
//! who come while it plans ([`taking`]), appends them and sees to their sync;
//! who comes later is in the next group. A group that waits for the disk together
//! is larger, and so cheaper for each, than groups that are appended while others
//! wait. Other processes, whose batches came by post, are told by the one that
//! leads ([`answering`]).

mod answering;
mod taking;

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

use super::Appended;
use super::appending::OpenLogs;
use crate::config::Durability;
use crate::error::Result;
use crate::memory::Space;
use crate::store::local::LocalStore;
use crate::store::local::post::Asker;
use crate::store::{Batch, Receipt};
use answering::Answering;
pub(super) use taking::Taking;

/// At most so many batches are served together, so that the lock is held briefly.
const GROUP_MAX: usize = 128;

/// Whoever was answered is waited for so long at most: most come back with their next batch, and
/// a group that goes without them makes them wait for all of it.
const RETURN_MAX: Duration = Duration::from_micros(200);

/// Batches that wait for their turn.
#[derive(Debug, Default)]
pub(in crate::store::local) struct Queue {
    line: Mutex<Line>,
    /// The logs that whoever leads appends to.
    open: Mutex<OpenLogs>,
}

#[derive(Debug, Default)]
struct Line {
    /// The groups that can be joined; while somebody leads, the first is its own until it is closed.
    groups: VecDeque<Joining>,
    /// Whether somebody leads; then whoever comes waits to be woken.
    led: bool,
    /// How many were served last or waited then, and when the last of them was told.
    active: usize,
    served: Option<Instant>,
}

/// A group that can be joined.
#[derive(Debug)]
struct Joining {
    group: Arc<Group>,
    /// What was not taken by its leader yet.
    waiting: Vec<Request>,
    /// How many joined so far.
    joined: usize,
}

#[derive(Debug)]
pub(super) struct Request {
    pub(super) batch: Arc<Batch>,
    /// The process that it comes from, if that is another one.
    asker: Option<Asker>,
    /// Whether it was left out of a group before.
    again: bool,
}

impl Request {
    /// Whether nobody waits for it any more: then it is not written.
    pub(super) fn is_given_up(&self) -> bool {
        self.asker.as_ref().is_some_and(Asker::is_gone)
    }
}

/// What became of a request; none if it was left out, and has to be handed in again.
type Answer = Option<Result<Appended>>;

/// Threads that are served together. The one that came first leads them; the
/// others are woken all at once, which costs it much less than one by one.
#[derive(Debug)]
struct Group {
    leader: Thread,
    leads: AtomicBool,
    /// For each in the order in which they came, to be taken by them.
    answers: OnceLock<Vec<Mutex<Answer>>>,
}

/// What whoever joins the line has to do.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// Wait for the answer.
    Follow,
    /// Lead the group, once it is its turn.
    Lead,
}

/// The lead; handed on when it is dropped, even by a panic.
struct Lead<'a>(&'a Queue);

impl LocalStore {
    /// Appends a batch, together with those of others who wait.
    pub(in crate::store::local) fn append_in_turn(&self, batch: &Arc<Batch>) -> Result<Appended> {
        let mut again = false;
        loop {
            let (group, place, part) = self.queue.join(Request {
                batch: batch.clone(),
                asker: None,
                again,
            });
            self.take_part(&group, part);
            if let Some(answer) = group.answer(place) {
                return answer;
            }
            again = true;
        }
    }

    /// As [`Self::append_in_turn`], for another process, which is answered by whoever leads:
    /// a thread that only waited for that would be woken twice for each batch.
    pub(in crate::store::local) fn append_for(&self, batch: Arc<Batch>, asker: Asker) {
        let (group, _, part) = self.queue.join(Request {
            batch,
            asker: Some(asker),
            again: false,
        });
        self.take_part(&group, part);
    }

    fn take_part(&self, group: &Group, part: Part) {
        if let Part::Lead = part {
            while !group.leads.load(Ordering::Acquire) {
                std::thread::park();
            }
            self.lead(group);
        }
    }

    /// Appends batches if nobody else writes, and does not wait for the disk: what a power cut
    /// takes of it was worth no wait. False if somebody writes.
    pub(in crate::store::local) fn append_if_free(&self, batches: Vec<Batch>) -> Result<bool> {
        let Ok(mut open) = self.queue.open.try_lock() else {
            return Ok(false);
        };
        let Some(held) = self.lock.try_acquire("count accesses")? else {
            return Ok(false);
        };
        let requests: Vec<Request> = batches
            .into_iter()
            .map(|batch| Request {
                batch: Arc::new(batch),
                asker: None,
                again: false,
            })
            .collect();
        self.append_holding(held, &mut Taking::these(requests), &mut open)?;
        Ok(true)
    }

    fn lead(&self, group: &Group) {
        let mut answering = Answering::new(group, &self.queue);
        // What keeps these from being written need not keep those who come later.
        answering.taking.take();
        let appended = self.append_group(&mut answering.taking, &mut self.queue.open());
        let (answers, refusal) = match appended {
            Ok(mut answers) => {
                self.prove(&answering.taking.requests, &mut answers);
                (answers, None)
            }
            Err(error) => {
                let requests = answering.taking.requests.iter();
                let refused = requests.map(|_| Err(error.clone()));
                (refused.collect(), Some(error))
            }
        };
        let mut others = HashMap::new();
        answering.give(answers, refusal.as_ref(), |request, answer| {
            self.kept_for(request, answer, &mut others)
        });
    }

    /// What another process is told of its request; none if it has to write itself.
    ///
    /// The others who are to be told wait meanwhile: another log is synced once for all of them,
    /// and nothing is looked for. `others` are those logs, and whether they are safe.
    fn kept_for(
        &self,
        request: &Request,
        answer: Result<Appended>,
        others: &mut HashMap<Space, bool>,
    ) -> Option<(Receipt, usize)> {
        let appended = answer.ok()?;
        let is_kept = match &appended.proof {
            None => true,
            Some(proof) => {
                let space = &request.batch.space;
                let mut is_safe = |other: &Space| {
                    let sync = || self.sync_referred(other).is_ok();
                    *others.entry(other.clone()).or_insert_with(sync)
                };
                // To sync other logs takes long enough to look once more.
                let is_known = proof.is_in_place && proof.refers_to.is_empty();
                self.wait_for_disk(space, proof).unwrap_or(false)
                    && proof.refers_to.iter().all(&mut is_safe)
                    && (is_known || self.is_in_place(space, proof).unwrap_or(false))
            }
        };
        is_kept.then_some((appended.receipt, appended.together))
    }

    /// Waits for the disk, and looks whether the log is still in place, if most of a group are
    /// for the same one. What fails, each member finds out for itself.
    ///
    /// Other logs are synced by those who wrote to them, side by side: to do it for them would
    /// be to sync one after the other.
    fn prove(&self, requests: &[Request], answers: &mut [Result<Appended>]) {
        let Some(log) = log_of_most(requests) else {
            return;
        };
        let mut is_in_place = None;
        for (request, answer) in requests.iter().zip(answers) {
            if let Ok(Appended {
                proof: Some(proof), ..
            }) = answer
                && request.batch.space == *log
            {
                // A group appends to a log once, so one ticket of it stands for all.
                proof.is_in_place = *is_in_place.get_or_insert_with(|| {
                    if self.options.durability == Durability::Always {
                        let _ = self.syncs.wait(&proof.ticket);
                    }
                    self.is_in_place(log, proof).unwrap_or(false)
                });
            }
        }
    }
}

/// The log that more than half of them are for.
fn log_of_most(requests: &[Request]) -> Option<&Space> {
    let mut counts: HashMap<&Space, usize> = HashMap::new();
    for request in requests {
        *counts.entry(&request.batch.space).or_default() += 1;
    }
    let (log, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    (2 * count > requests.len()).then_some(log)
}

impl Queue {
    /// Joins the line: in which group, at which place there, and what to do.
    fn join(&self, request: Request) -> (Arc<Group>, usize, Part) {
        let mut line = self.line();
        if let Some(last) = line.groups.back_mut()
            && last.joined < GROUP_MAX
        {
            last.waiting.push(request);
            last.joined += 1;
            return (last.group.clone(), last.joined - 1, Part::Follow);
        }
        let group = Arc::new(Group {
            leader: std::thread::current(),
            leads: AtomicBool::new(!line.led),
            answers: OnceLock::new(),
        });
        line.led = true;
        line.groups.push_back(Joining {
            group: group.clone(),
            waiting: vec![request],
            joined: 1,
        });
        (group, 0, Part::Lead)
    }

    /// Takes note that somebody was told just now.
    fn was_told(&self) {
        self.line().served = Some(Instant::now());
    }

    /// How many requests wait for their turn while somebody leads; none if nobody does.
    #[cfg(test)]
    pub(in crate::store::local) fn waiting(&self) -> Option<usize> {
        let line = self.line();
        let waiting = line.groups.iter().map(|next| next.waiting.len());
        line.led.then(|| waiting.sum())
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) -> MutexGuard<'_, OpenLogs> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Group {
    /// Waits until it was served; what became of the request at this place.
    fn answer(&self, place: usize) -> Answer {
        let mut answer = self.answers.wait()[place]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        answer.take()
    }
}

impl Line {
    fn joined(&self) -> usize {
        self.groups.iter().map(|group| group.joined).sum()
    }

    /// Whether it is no use to wait for more.
    fn is_due(&self) -> bool {
        let is_late = |served: Instant| served.elapsed() > RETURN_MAX;
        self.joined() >= self.active.min(GROUP_MAX) || self.served.is_none_or(is_late)
    }
}

impl Lead<'_> {
    /// Hands it on after so many were served, who may be back in a moment.
    fn hand_on(self, served: usize) {
        let mut line = self.0.line();
        line.active = served + line.joined();
        line.served = Some(Instant::now());
    }
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        let mut line = self.0.line();
        let next = line.groups.front().map(|next| next.group.clone());
        line.led = next.is_some();
        // Whoever is woken may run at once, and needs the line then.
        drop(line);
        if let Some(next) = next {
            next.leads.store(true, Ordering::Release);
            next.leader.unpark();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::thread;

    use super::*;
    use crate::error::Error;
    use crate::memory::{Draft, Kind};
    use crate::store::Write;
    use crate::store::local::LocalOptions;
    use crate::store::local::fixture::batch;

    fn open(root: &Path, lock_timeout_ms: u64) -> LocalStore {
        let options = LocalOptions {
            lock_timeout_ms,
            ..LocalOptions::default()
        };
        LocalStore::create(root, options).unwrap()
    }

    fn add(id: &str) -> Arc<Batch> {
        let draft = Draft::new(Kind::Fact, format!("about {id}").parse().unwrap());
        Arc::new(batch(vec![Write::Add {
            id: id.parse().unwrap(),
            draft: Box::new(draft),
        }]))
    }

    fn wait_for(store: &LocalStore, waiting: usize) {
        while store.queue.waiting() != Some(waiting) {
            thread::yield_now();
        }
    }

    #[test]
    fn who_comes_before_the_leader_has_planned_is_in_its_group() {
        let folder = tempfile::tempdir().unwrap();
        let (store, other) = (open(folder.path(), 60_000), open(folder.path(), 60_000));
        let held = other.lock.acquire("keep others waiting").unwrap();
        let together = thread::scope(|scope| {
            let store = &store;
            let write = |id: &'static str| scope.spawn(move || store.append_in_turn(&add(id)));
            let first = write("fact_1");
            // It leads, has taken its own, and waits for the lock.
            wait_for(store, 0);
            let more = [write("fact_2"), write("fact_3")];
            wait_for(store, 2);
            drop(held);
            let all = [first].into_iter().chain(more);
            all.map(|one| one.join().unwrap().unwrap().together)
                .collect::<Vec<_>>()
        });
        assert_eq!(together, [3, 3, 3]);
    }

    #[test]
    fn who_came_later_than_the_leader_is_not_refused_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let (store, other) = (open(folder.path(), 1000), open(folder.path(), 1000));
        let held = other.lock.acquire("keep others waiting").unwrap();
        thread::scope(|scope| {
            let store = &store;
            let first = scope.spawn(|| store.append_in_turn(&add("fact_1")));
            wait_for(store, 0);
            let second = scope.spawn(|| store.append_in_turn(&add("fact_2")));
            wait_for(store, 1);
            let refused = first.join().unwrap().unwrap_err();
            assert!(matches!(refused, Error::LockTimeout { .. }), "{refused}");
            drop(held);
            let appended = second.join().unwrap().unwrap();
            assert!(appended.receipt.outcomes[0].changed);
        });
    }

    #[test]
    fn nobody_waits_longer_than_for_two_leaders() {
        let folder = tempfile::tempdir().unwrap();
        let (store, other) = (open(folder.path(), 1000), open(folder.path(), 1000));
        let held = other.lock.acquire("keep others waiting").unwrap();
        let (answer, answers) = std::sync::mpsc::channel();
        thread::scope(|scope| {
            let store = &store;
            let write = |id: &'static str| {
                let answer = answer.clone();
                scope.spawn(move || answer.send(store.append_in_turn(&add(id))).unwrap());
            };
            write("fact_1");
            wait_for(store, 0);
            let more = ["fact_2", "fact_3", "fact_4", "fact_5", "fact_6"];
            more.into_iter().for_each(write);
            wait_for(store, more.len());
            let is_refused = |answer| matches!(answer, Err(Error::LockTimeout { .. }));
            assert!(is_refused(answers.recv().unwrap()), "who led first");
            assert!(is_refused(answers.recv().unwrap()), "who led then");
            // The others were refused with it, and did not begin to wait again.
            drop(held);
            for _ in 1..more.len() {
                assert!(is_refused(answers.recv().unwrap()));
            }
        });
    }

    #[test]
    fn writers_of_several_logs_are_served_together() {
        let folder = tempfile::tempdir().unwrap();
        let (store, other) = (open(folder.path(), 60_000), open(folder.path(), 60_000));
        let held = other.lock.acquire("keep others waiting").unwrap();
        let to = |space: &str, id: &str| Batch {
            space: space.parse().unwrap(),
            ..(*add(id)).clone()
        };
        let receipts = thread::scope(|scope| {
            let store = &store;
            let write = |batch: Batch| scope.spawn(move || store.commit_once(&Arc::new(batch)));
            let first = write(to("shared", "fact_1"));
            wait_for(store, 0);
            let second = write(to("agent/ann", "fact_2"));
            wait_for(store, 1);
            drop(held);
            [first, second].map(|one| one.join().unwrap().unwrap())
        });
        for receipt in receipts {
            assert!(receipt.durable && receipt.outcomes[0].changed);
        }
        assert_eq!(store.syncs.unsynced(), 0);
    }
}
