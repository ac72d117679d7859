//! Requests that may come again, because their answer was lost: each is done once.
//!
//! That it begins is written down before it is done, and how it ended after.
//! If it ended, the same answer is given again. If it did not, the program died
//! in between, and whoever asks decides whether doing it again is safe. What is
//! written down are names and numbers; whoever ends one keeps content out of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::caller::{Caller, Operation};
use crate::engine::Mnemon;
use crate::engine::json_paper::{read, written};
use crate::error::Result;
use crate::memory::RequestId;
use crate::store::{Paper, PaperSort};
use crate::time::Time;

/// So long a request may come again.
const KEPT_MICROS: i64 = 24 * 3_600 * 1_000_000;

/// What is known of a request that is to begin.
#[derive(Clone, Debug, PartialEq)]
pub enum Begun {
    /// It never came before.
    Now,
    /// It began before, and nobody knows whether it was done.
    Before,
    /// It was done, and this was the answer.
    Done(Value),
    /// Another request came under the same name.
    Other,
}

#[derive(Serialize, Deserialize)]
struct Written {
    /// What tells this request from another of the same name.
    digest: String,
    begun_at: Time,
    answer: Option<Value>,
}

impl Mnemon {
    /// Writes down that a request begins, unless it did before.
    pub fn begin_request(&self, caller: &Caller, id: &RequestId, digest: &str) -> Result<Begun> {
        caller.may(Operation::BeginRequest)?;
        let paper = Paper::Request(id.clone());
        let mut begun = Begun::Now;
        self.store.edit_paper(&paper, &mut |before| {
            let Some(bytes) = before else {
                let own = Written {
                    digest: digest.to_owned(),
                    begun_at: self.clock.now(),
                    answer: None,
                };
                return Ok(Some(written(&own)));
            };
            let own: Written = read(&paper, bytes)?;
            begun = match own.answer {
                _ if own.digest != digest => Begun::Other,
                Some(answer) => Begun::Done(answer),
                None => Begun::Before,
            };
            Ok(Some(bytes.to_vec()))
        })?;
        Ok(begun)
    }

    /// Writes down how a request ended; without an answer it is as if it had never come.
    pub fn end_request(
        &self,
        caller: &Caller,
        id: &RequestId,
        answer: Option<&Value>,
    ) -> Result<()> {
        caller.may(Operation::EndRequest)?;
        let paper = Paper::Request(id.clone());
        self.store.edit_paper(&paper, &mut |before| {
            let (Some(bytes), Some(answer)) = (before, answer) else {
                return Ok(None);
            };
            let own = Written {
                answer: Some(answer.clone()),
                ..read::<Written>(&paper, bytes)?
            };
            Ok(Some(written(&own)))
        })
    }

    /// The moment from which on requests may still come again.
    pub fn requests_kept_since(&self) -> Time {
        Time::nearest_to_micros(self.clock.now_micros().saturating_sub(KEPT_MICROS))
    }

    /// Forgets the requests that began before that moment; how many they were.
    pub fn drop_old_requests(&self, caller: &Caller, before: Time) -> Result<usize> {
        caller.may(Operation::DropOldRequests)?;
        let mut dropped = 0;
        for paper in self.store.papers(PaperSort::Request)? {
            let Some(bytes) = self.store.paper(&paper)? else {
                continue;
            };
            let is_old = read::<Written>(&paper, &bytes).is_ok_and(|own| own.begun_at < before);
            if is_old {
                self.store.edit_paper(&paper, &mut |_| Ok(None))?;
                dropped += 1;
            }
        }
        Ok(dropped)
    }
}
