//! The queue: threads that write at the same time are served by one of them.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};

use super::Appended;
use super::appending::OpenLogs;
use crate::error::Result;
use crate::store::Batch;
use crate::store::local::LocalStore;

/// At most so many batches are served together, so that the lock is held briefly.
const GROUP_MAX: usize = 128;

/// Batches that wait for their turn.
#[derive(Debug, Default)]
pub(in crate::store::local) struct Queue {
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

impl LocalStore {
    /// Appends a batch, together with those of others who wait.
    pub(super) fn append_in_turn(&self, batch: Arc<Batch>) -> Result<Appended> {
        let answer = Arc::new(Mutex::new(None));
        let mut requests = self.queue.requests();
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
            requests = self.queue.requests();
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
