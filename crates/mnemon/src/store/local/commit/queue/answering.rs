//! Telling those who were served what became of their requests.

use std::sync::Mutex;

use super::{Answer, Appended, Group, Lead, Queue, Request, Taking};
use crate::error::{Error, Result};
use crate::store::Receipt;

/// Answers the members of a group, after a panic too. The lead is with it, so that it is handed on
/// in any case, and never before the group is closed.
pub(super) struct Answering<'a> {
    group: &'a Group,
    queue: &'a Queue,
    pub(super) taking: Taking<'a>,
    /// Those who joined too late to be taken.
    left_out: Vec<Request>,
    /// Which other processes have their answer, by the place of their request.
    told: Vec<bool>,
    lead: Option<Lead<'a>>,
}

impl<'a> Answering<'a> {
    /// By whoever leads from now on.
    pub(super) fn new(group: &'a Group, queue: &'a Queue) -> Self {
        Self {
            group,
            queue,
            taking: Taking::of(queue),
            left_out: Vec::new(),
            told: Vec::new(),
            lead: Some(Lead(queue)),
        }
    }

    /// Hands the lead on, and lets threads of this process take their answers; what others are
    /// told is made of theirs. `refusal` is what kept all of them from being written.
    pub(super) fn give(
        mut self,
        answers: Vec<Result<Appended>>,
        refusal: Option<&Error>,
        mut kept_for: impl FnMut(&Request, Result<Appended>) -> Option<(Receipt, usize)>,
    ) {
        self.left_out = self.taking.close();
        let requests = &self.taking.requests;
        self.told = vec![false; requests.len() + self.left_out.len()];
        let mut own = Vec::with_capacity(self.told.len());
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
        own.extend(self.left_out.iter().map(|late| {
            // Twice is enough: nobody waits longer than for two leaders.
            let refused = refusal.filter(|_| late.again);
            Mutex::new(refused.map(|refusal| Err(refusal.clone())))
        }));
        // Whoever is woken may run at once, and leads if it is the first to be back.
        if let Some(lead) = self.lead.take() {
            lead.hand_on(requests.len());
        }
        let _ = self.group.answers.set(own);
        for (late, told) in self.left_out.iter().zip(&mut self.told[requests.len()..]) {
            *told = true;
            if let Some(asker) = &late.asker {
                asker.tell(None);
            }
        }
        // Nobody waits for the sync of a log that only somebody else refers to.
        for_others.sort_by_key(|(_, _, answer)| refers_to_others(answer));
        for (place, asker, answer) in for_others {
            let kept = kept_for(&requests[place], answer);
            self.told[place] = true;
            asker.tell(kept);
            // They are told one by one: whoever leads by now waits for the last of them too.
            self.queue.was_told();
        }
    }
}

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let refusal = || -> Answer {
                let source = std::io::Error::other("the thread that wrote for others panicked");
                Some(Err(Error::io("write for", "other threads")(source)))
            };
            self.left_out.extend(self.taking.close());
            let requests = self.taking.requests.iter().chain(&self.left_out);
            let refusals = requests.clone().map(|_| Mutex::new(refusal()));
            let _ = self.group.answers.set(refusals.collect());
            let is_told = |place: usize| self.told.get(place).copied().unwrap_or(false);
            let untold = requests.enumerate().filter(|(place, _)| !is_told(*place));
            let askers = untold.filter_map(|(_, request)| request.asker.as_ref());
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
