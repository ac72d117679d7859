//! The queue: threads that write at the same time are served by one of them.
//!
//! Whoever comes first leads: it appends the batches of all who wait and sees
//! to their sync; those who come meanwhile are the next group. A group that
//! waits for the disk together is larger, and so cheaper for each, than groups
//! that are appended while others wait (measured: 14,000 a second against
//! 12,000 with sixteen threads), and a thread that waits is woken once. Other
//! processes, whose batches came by post, are told by the one that leads.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;

use super::Appended;
use super::appending::OpenLogs;
use crate::config::Durability;
use crate::error::{Error, Result};
use crate::memory::Space;
use crate::store::local::LocalStore;
use crate::store::local::post::Asker;
use crate::store::{Batch, Receipt};

/// At most so many batches are served together, so that the lock is held briefly.
const GROUP_MAX: usize = 128;

/// Batches that wait for their turn.
#[derive(Debug, Default)]
pub(in crate::store::local) struct Queue {
    line: Mutex<Line>,
    /// The logs that whoever leads appends to.
    open: Mutex<OpenLogs>,
}

#[derive(Debug, Default)]
struct Line {
    /// The groups that wait, with what each is to write.
    groups: VecDeque<(Arc<Group>, Vec<Request>)>,
    /// Whether somebody leads; then whoever comes waits to be woken.
    led: bool,
}

#[derive(Debug)]
pub(super) struct Request {
    pub(super) batch: Arc<Batch>,
    /// The process that it comes from, if that is another one.
    asker: Option<Asker>,
}

impl Request {
    /// Whether nobody waits for it any more: then it is not written.
    pub(super) fn is_given_up(&self) -> bool {
        self.asker.as_ref().is_some_and(Asker::is_gone)
    }
}

/// Threads that are served together. The one that came first leads them; the
/// others are woken all at once, which costs it much less than one by one.
#[derive(Debug)]
struct Group {
    leader: Thread,
    leads: AtomicBool,
    /// For each in the order in which they came, to be taken by them.
    answers: OnceLock<Vec<Mutex<Option<Result<Appended>>>>>,
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

/// Answers the members of a group, after a panic too.
struct Answering<'a> {
    group: &'a Group,
    requests: &'a [Request],
    /// Which other processes have their answer, by the place of their request.
    told: Vec<bool>,
}

impl LocalStore {
    /// Appends a batch, together with those of others who wait.
    pub(in crate::store::local) fn append_in_turn(&self, batch: Arc<Batch>) -> Result<Appended> {
        let (group, place, part) = self.queue.join(Request { batch, asker: None });
        self.take_part(&group, part);
        group.answer(place)
    }

    /// As [`Self::append_in_turn`], for another process, which is answered by whoever leads:
    /// a thread that only waited for that would be woken twice for each batch.
    pub(in crate::store::local) fn append_for(&self, batch: Arc<Batch>, asker: Asker) {
        let (group, _, part) = self.queue.join(Request {
            batch,
            asker: Some(asker),
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
            })
            .collect();
        self.append_holding(held, &requests, &mut open)?;
        Ok(true)
    }

    fn lead(&self, group: &Group) {
        let lead = Lead(&self.queue);
        let requests = self.queue.take_group();
        let answering = Answering {
            group,
            requests: &requests,
            told: vec![false; requests.len()],
        };
        let mut answers = match self.append_group(&requests, &mut self.queue.open()) {
            Ok(answers) => answers,
            Err(error) => requests.iter().map(|_| Err(error.clone())).collect(),
        };
        self.prove(&requests, &mut answers);
        let mut others = HashMap::new();
        answering.give(answers, |request, answer| {
            self.kept_for(request, answer, &mut others)
        });
        if requests.len() > 1 {
            // Those who write one thing after the other are back in a moment.
            std::thread::yield_now();
        }
        drop(lead);
    }

    /// What another process is told of its request; none if it has to write itself.
    ///
    /// All who write wait meanwhile: another log is synced once for the group, and nothing is
    /// looked for. `others` are those logs, and whether they are safe.
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
                self.wait_for_disk(space, proof).unwrap_or(false)
                    && proof.is_in_place
                    && proof.refers_to.iter().all(&mut is_safe)
                    // That took long enough to look once more.
                    && (proof.refers_to.is_empty() || self.is_in_place(space, proof).unwrap_or(false))
            }
        };
        is_kept.then_some((appended.receipt, appended.together))
    }

    /// Waits for the disk, and looks whether the logs are still in place. What fails, each member
    /// finds out for itself.
    fn prove(&self, requests: &[Request], answers: &mut [Result<Appended>]) {
        let mut logs: HashMap<&Space, bool> = HashMap::new();
        for (request, answer) in requests.iter().zip(answers) {
            let Ok(Appended {
                proof: Some(proof), ..
            }) = answer
            else {
                continue;
            };
            let space = &request.batch.space;
            // A group appends to each log once, so one ticket of it stands for all.
            proof.is_in_place = *logs.entry(space).or_insert_with(|| {
                if self.options.durability == Durability::Always {
                    let _ = self.syncs.wait(&proof.ticket);
                }
                self.is_in_place(space, proof).unwrap_or(false)
            });
        }
    }
}

impl Queue {
    /// Joins the line: in which group, at which place there, and what to do.
    fn join(&self, request: Request) -> (Arc<Group>, usize, Part) {
        let mut line = self.line();
        if let Some((group, requests)) = line.groups.back_mut()
            && requests.len() < GROUP_MAX
        {
            requests.push(request);
            return (group.clone(), requests.len() - 1, Part::Follow);
        }
        let group = Arc::new(Group {
            leader: std::thread::current(),
            leads: AtomicBool::new(!line.led),
            answers: OnceLock::new(),
        });
        line.led = true;
        line.groups.push_back((group.clone(), vec![request]));
        (group, 0, Part::Lead)
    }

    /// What the group at the front is to write; whoever comes from now on is in another.
    fn take_group(&self) -> Vec<Request> {
        let front = self.line().groups.pop_front();
        front.map_or_else(Vec::new, |(_, requests)| requests)
    }

    /// How many requests wait for their turn while somebody leads; none if nobody does.
    #[cfg(test)]
    pub(in crate::store::local) fn waiting(&self) -> Option<usize> {
        let line = self.line();
        let waiting = line.groups.iter().map(|(_, requests)| requests.len());
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
    fn answer(&self, place: usize) -> Result<Appended> {
        let mut answer = self.answers.wait()[place]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        answer.take().expect("every member takes its answer once")
    }
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        let mut line = self.0.line();
        let next = line.groups.front().map(|(next, _)| next.clone());
        line.led = next.is_some();
        // Whoever is woken may run at once, and needs the line then.
        drop(line);
        if let Some(next) = next {
            next.leads.store(true, Ordering::Release);
            next.leader.unpark();
        }
    }
}

impl Answering<'_> {
    /// Threads of this process take their answers; what others are told is made of theirs.
    fn give(
        mut self,
        answers: Vec<Result<Appended>>,
        mut kept_for: impl FnMut(&Request, Result<Appended>) -> Option<(Receipt, usize)>,
    ) {
        let mut own = Vec::with_capacity(answers.len());
        let mut for_others = Vec::new();
        for (place, (request, answer)) in self.requests.iter().zip(answers).enumerate() {
            match &request.asker {
                Some(asker) => {
                    for_others.push((place, asker, answer));
                    own.push(Mutex::new(None));
                }
                None => own.push(Mutex::new(Some(answer))),
            }
        }
        let _ = self.group.answers.set(own);
        // Nobody waits for the sync of a log that only somebody else refers to.
        for_others.sort_by_key(|(_, _, answer)| refers_to_others(answer));
        for (place, asker, answer) in for_others {
            let kept = kept_for(&self.requests[place], answer);
            self.told[place] = true;
            asker.tell(kept);
        }
    }
}

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let refusal = || {
                let source = std::io::Error::other("the thread that wrote for others panicked");
                Mutex::new(Some(Err(Error::io("write for", "other threads")(source))))
            };
            let refusals = std::iter::repeat_with(refusal).take(self.requests.len());
            let _ = self.group.answers.set(refusals.collect());
            let untold = self.requests.iter().zip(&self.told);
            let untold = untold.filter(|(_, is_told)| !**is_told);
            let askers = untold.filter_map(|(request, _)| request.asker.as_ref());
            askers.for_each(|asker| asker.tell(None));
        }
    }
}

fn refers_to_others(answer: &Result<Appended>) -> bool {
    let proof = answer
        .as_ref()
        .ok()
        .and_then(|appended| appended.proof.as_ref());
    proof.is_some_and(|proof| !proof.refers_to.is_empty())
}
