//! What whoever leads is to write, as it comes.

use super::{Queue, Request};

/// The requests of the group that is led, and of those who join it meanwhile.
pub(in crate::store::local::commit) struct Taking<'a> {
    /// None once nobody joins any more.
    queue: Option<&'a Queue>,
    pub(in crate::store::local::commit) requests: Vec<Request>,
}

impl<'a> Taking<'a> {
    /// Those of the group at the front, which is that of whoever leads.
    pub(super) fn of(queue: &'a Queue) -> Self {
        Self {
            queue: Some(queue),
            requests: Vec::new(),
        }
    }

    /// Just these.
    pub(super) fn these(requests: Vec<Request>) -> Self {
        Self {
            queue: None,
            requests,
        }
    }

    /// Takes what came since; whether that was anything.
    pub(super) fn take(&mut self) -> bool {
        let Some(queue) = self.queue else {
            return false;
        };
        let mut line = queue.line();
        let came = line.groups.front_mut().map(|first| &mut first.waiting);
        let came = came.filter(|came| !came.is_empty());
        came.is_some_and(|came| {
            self.requests.append(came);
            true
        })
    }

    /// As [`Self::take`], but waits for those who were served a moment ago, because most of them
    /// write again. False if that is all: then nobody joins any more.
    pub(in crate::store::local::commit) fn take_more(&mut self) -> bool {
        while let Some(queue) = self.queue {
            if self.take() {
                return true;
            }
            let mut line = queue.line();
            let nobody_waits = line.groups.front().is_none_or(|it| it.waiting.is_empty());
            if nobody_waits && line.is_due() {
                line.groups.pop_front();
                self.queue = None;
            } else {
                drop(line);
                std::thread::yield_now();
            }
        }
        false
    }

    /// Lets nobody join any more; those who did and were not taken.
    pub(super) fn close(&mut self) -> Vec<Request> {
        let queue = self.queue.take();
        let joining = queue.and_then(|queue| queue.line().groups.pop_front());
        joining.map_or_else(Vec::new, |joining| joining.waiting)
    }
}
