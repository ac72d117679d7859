//! `recall`: finds memories by words and meaning.

use mnemon::recall::{Hit, Recalled};
use mnemon::{Error, Result};
use mnemon_wire::{RecallRequest, note_texts};
use serde_json::{Value, json};

use super::Shared;
use super::answer::Answer;
use super::brief::{Brief, enclosed};
use super::door::Need;
use super::fields::{self, Arguments};

/// More hits than anybody reads; a page is asked for with `offset`.
pub(super) const HITS_MAX: usize = 1000;

/// Answers the question that the arguments hold.
pub(super) fn recall(shared: &Shared, arguments: Arguments) -> Answer {
    let empty = || json!({ "hits": [], "total": 0 });
    answer(shared, arguments).unwrap_or_else(|error| shared.unanswered(&error, empty))
}

fn answer(shared: &Shared, mut arguments: Arguments) -> Result<Answer> {
    let full = fields::flag(&mut arguments, "full")?;
    let request = RecallRequest::parse(Value::Object(arguments))?;
    request.question()?;
    if let Some(limit) = request.limit.filter(|limit| *limit > HITS_MAX) {
        return Err(Error::InvalidQuery {
            field: "limit".into(),
            problem: format!("must be a whole number from 0 to {HITS_MAX} (given: {limit})"),
        });
    }
    let opened = shared.opened(Need::There)?;
    let now = opened.engine.now();
    let past = match request.as_of(now, &shared.zone)? {
        Some(moment) => Some(opened.engine.as_of(moment)?),
        None => None,
    };
    let engine = past.as_ref().unwrap_or(&opened.engine);
    let query = request.to_query(engine.now(), &shared.zone)?;
    let recalled = engine.recall(&opened.caller, &query)?;
    if !recalled.notes.is_empty() {
        shared.background.embed(&opened);
    }
    if recalled.hits.is_empty() {
        shared.door.require()?;
    }
    let order = if query.sort.is_none() && !query.question.is_everything() {
        ", best first"
    } else {
        ""
    };
    let brief = if full {
        Brief::whole(recalled.hits.len())
    } else {
        Brief::LINE
    };
    let page = Page {
        recalled,
        limit: query.filter.limit,
        offset: query.filter.offset,
        order,
        brief,
    };
    let notes = note_texts(&page.recalled.notes);
    let mut answer = Answer::new(page.text(), page.structured());
    for note in &notes {
        answer = answer.with_line(&format!("Note: {note}."));
    }
    if notes.is_empty() {
        return Ok(answer);
    }
    Ok(answer.with_member("notes", json!(notes)))
}

/// The hits of an answer.
struct Page {
    recalled: Recalled,
    limit: usize,
    offset: usize,
    /// In which order they come, if it says something about them.
    order: &'static str,
    brief: Brief,
}

impl Page {
    fn text(&self) -> String {
        let hits = &self.recalled.hits;
        let total = self.recalled.total;
        if hits.is_empty() {
            return match (total, self.limit, self.offset) {
                (0, 1.., 0) => "Nothing in memory answers that.".into(),
                (0, ..) => "Nothing on this page.".into(),
                _ => format!("Nothing on this page; {total} in all."),
            };
        }
        let shown = hits.len();
        let count = match shown {
            _ if ((self.offset + shown) as u64) < total => format!("{shown} of {total} memories"),
            1 => "1 memory".into(),
            _ => format!("{shown} memories"),
        };
        let (lines, cuts): (Vec<String>, Vec<bool>) =
            hits.iter().map(|hit| self.brief.line(&hit.memory)).unzip();
        let mut text = enclosed(&format!("{count}{}.", self.order), lines);
        if cuts.contains(&true) {
            text.push_str(
                "\nFor the rest of what is [cut] recall with full: true and a small limit.",
            );
        }
        text
    }

    /// What a program can use; a model may read it too, so it is as brief.
    fn structured(&self) -> Value {
        let hits: Vec<Value> = self.recalled.hits.iter().map(|hit| self.hit(hit)).collect();
        json!({ "hits": hits, "total": self.recalled.total })
    }

    fn hit(&self, hit: &Hit) -> Value {
        let rounded = |number: f64| (number * 1e4).round() / 1e4;
        json!({
            "rank": hit.rank,
            "score": rounded(hit.score),
            "similarity": hit.similarity.map(rounded),
            "memory": self.brief.shape(&hit.memory),
        })
    }
}
