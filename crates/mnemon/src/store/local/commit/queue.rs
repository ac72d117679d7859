//! The queue: threads that write at the same time are served by one of them.
//!
//! Whoever comes first leads: it plans the batches of all who wait, and of those
//! who come while it plans ([`Taking`]), appends them and sees to their sync;
//! who comes later is in the next group. A group that waits for the disk together
//! is larger, and so cheaper for each, than groups that are appended while others
//! wait, and a thread that waits is woken once. Other processes, whose batches
//! came by post, are told by the one that leads.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

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
    /// The groups that can be joined; the first may be led already.
    groups: VecDeque<Joining>,
    /// Whether somebody leads; then whoever comes waits to be woken.
    led: bool,
    /// How many were served last or waited then, and when that was.
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
    /// For each in the order in which they came, to be taken by them; none for those who were
    /// not served after all.
    answers: OnceLock<Vec<Mutex<Option<Result<Appended>>>>>,
}

/// What whoever leads is to write, as it comes.
pub(super) struct Taking<'a> {
    /// None once nobody joins any more.
    queue: Option<&'a Queue>,
    pub(super) requests: Vec<Request>,
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
    taking: Taking<'a>,
    /// Which other processes have their answer, by the place of their request.
    told: Vec<bool>,
}

impl LocalStore {
    /// Appends a batch, together with those of others who wait.
    pub(in crate::store::local) fn append_in_turn(&self, batch: &Arc<Batch>) -> Result<Appended> {
        loop {
            let (group, place, part) = self.queue.join(Request {
                batch: batch.clone(),
                asker: None,
            });
            self.take_part(&group, part);
            if let Some(answer) = group.answer(place) {
                return answer;
            }
        }
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
        self.append_holding(held, &mut Taking::these(requests), &mut open)?;
        Ok(true)
    }

    fn lead(&self, group: &Group) {
        let lead = Lead(&self.queue);
        let mut answering = Answering {
            group,
            taking: Taking::of(&self.queue),
            told: Vec::new(),
        };
        // What keeps these from being written need not keep those who come later.
        answering.taking.take();
        let appended = self.append_group(&mut answering.taking, &mut self.queue.open());
        let requests = &answering.taking.requests;
        let mut answers = match appended {
            Ok(answers) => answers,
            Err(error) => requests.iter().map(|_| Err(error.clone())).collect(),
        };
        // Several logs are synced by those who wrote to them, side by side.
        if is_one_log(requests) {
            self.prove(requests, &mut answers);
        }
        self.queue.was_served(requests.len());
        let mut others = HashMap::new();
        answering.give(answers, lead, |request, answer| {
            self.kept_for(request, answer, &mut others)
        });
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
                // To sync other logs takes long enough to look once more.
                let is_known = proof.is_in_place && proof.refers_to.is_empty();
                self.wait_for_disk(space, proof).unwrap_or(false)
                    && proof.refers_to.iter().all(&mut is_safe)
                    && (is_known || self.is_in_place(space, proof).unwrap_or(false))
            }
        };
        is_kept.then_some((appended.receipt, appended.together))
    }

    /// Waits for the disk, and looks whether the one log of a group is still in place. What
    /// fails, each member finds out for itself.
    fn prove(&self, requests: &[Request], answers: &mut [Result<Appended>]) {
        let mut is_in_place = None;
        for (request, answer) in requests.iter().zip(answers) {
            let Ok(Appended {
                proof: Some(proof), ..
            }) = answer
            else {
                continue;
            };
            // A group appends to a log once, so one ticket of it stands for all.
            proof.is_in_place = *is_in_place.get_or_insert_with(|| {
                if self.options.durability == Durability::Always {
                    let _ = self.syncs.wait(&proof.ticket);
                }
                self.is_in_place(&request.batch.space, proof)
                    .unwrap_or(false)
            });
        }
    }
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

    /// Takes note of how many may be back in a moment.
    fn was_served(&self, count: usize) {
        let mut line = self.line();
        let waiting: usize = line.groups.iter().map(|next| next.joined).sum();
        line.active = count + waiting;
        line.served = Some(Instant::now());
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
    /// Waits until it was served; what became of the request at this place, if it was taken.
    fn answer(&self, place: usize) -> Option<Result<Appended>> {
        let mut answer = self.answers.wait()[place]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        answer.take()
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

impl<'a> Taking<'a> {
    /// The requests of the group at the front, and of those who join it meanwhile.
    fn of(queue: &'a Queue) -> Self {
        Self {
            queue: Some(queue),
            requests: Vec::new(),
        }
    }

    /// Just these.
    fn these(requests: Vec<Request>) -> Self {
        Self {
            queue: None,
            requests,
        }
    }

    /// Takes what came since.
    fn take(&mut self) {
        if let Some(queue) = self.queue
            && let Some(first) = queue.line().groups.front_mut()
        {
            self.requests.append(&mut first.waiting);
        }
    }

    /// As [`Self::take`], but waits for those who were served a moment ago, because most of them
    /// write again. False if that is all: then nobody joins any more.
    pub(super) fn take_more(&mut self) -> bool {
        while let Some(queue) = self.queue {
            let mut line = queue.line();
            let is_due = line.is_due();
            let Some(first) = line.groups.front_mut() else {
                break;
            };
            if !first.waiting.is_empty() {
                self.requests.append(&mut first.waiting);
                return true;
            }
            if is_due {
                line.groups.pop_front();
                self.queue = None;
                break;
            }
            drop(line);
            std::thread::yield_now();
        }
        false
    }

    /// Lets nobody join any more; those who did and were not taken.
    fn close(&mut self) -> Vec<Request> {
        let queue = self.queue.take();
        let joining = queue.and_then(|queue| queue.line().groups.pop_front());
        joining.map_or_else(Vec::new, |joining| joining.waiting)
    }
}

impl Line {
    /// Whether it is no use to wait for more.
    fn is_due(&self) -> bool {
        let joined: usize = self.groups.iter().map(|group| group.joined).sum();
        let is_late = |served: Instant| served.elapsed() > RETURN_MAX;
        joined >= self.active.min(GROUP_MAX) || self.served.is_none_or(is_late)
    }
}

impl Answering<'_> {
    /// Hands the lead on, and lets threads of this process take their answers; what others are
    /// told is made of theirs.
    fn give(
        mut self,
        answers: Vec<Result<Appended>>,
        lead: Lead<'_>,
        mut kept_for: impl FnMut(&Request, Result<Appended>) -> Option<(Receipt, usize)>,
    ) {
        let left_out = self.taking.close();
        let requests = &self.taking.requests;
        self.told = vec![false; requests.len()];
        let mut own = Vec::with_capacity(answers.len() + left_out.len());
        let mut for_others = Vec::new();
        for (place, (request, answer)) in requests.iter().zip(answers).enumerate() {
            match &request.asker {
                Some(asker) => {
                    for_others.push((place, asker, answer));
                    own.push(Mutex::new(None));
                }
                None => own.push(Mutex::new(Some(answer))),
            }
        }
        own.extend(left_out.iter().map(|_| Mutex::new(None)));
        // Whoever is woken may run at once, and leads if it is the first to be back.
        drop(lead);
        let _ = self.group.answers.set(own);
        let askers = left_out.iter().filter_map(|request| request.asker.as_ref());
        askers.for_each(|asker| asker.tell(None));
        // Nobody waits for the sync of a log that only somebody else refers to.
        for_others.sort_by_key(|(_, _, answer)| refers_to_others(answer));
        for (place, asker, answer) in for_others {
            let kept = kept_for(&requests[place], answer);
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
            let left_out = self.taking.close();
            let requests = self.taking.requests.iter().chain(&left_out);
            let refusals = requests.clone().map(|_| refusal()).collect();
            let _ = self.group.answers.set(refusals);
            let is_told = |place: usize| self.told.get(place).copied().unwrap_or(false);
            let untold = requests.enumerate().filter(|(place, _)| !is_told(*place));
            let askers = untold.filter_map(|(_, request)| request.asker.as_ref());
            askers.for_each(|asker| asker.tell(None));
        }
    }
}

/// Whether all of them are for the same log.
fn is_one_log(requests: &[Request]) -> bool {
    let mut logs = requests.iter().map(|request| &request.batch.space);
    let first = logs.next();
    logs.all(|log| Some(log) == first)
}

fn refers_to_others(answer: &Result<Appended>) -> bool {
    let proof = answer
        .as_ref()
        .ok()
        .and_then(|appended| appended.proof.as_ref());
    proof.is_some_and(|proof| !proof.refers_to.is_empty())
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::thread;

    use super::*;
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
