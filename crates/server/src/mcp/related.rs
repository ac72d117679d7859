//! `related`: follows what a memory names, and what names it.

use mnemon::Result;
use mnemon::recall::related::{Direction, Step};
use mnemon::recall::{RelatedHit, RelatedOptions};
use mnemon::store::Filter;
use mnemon_wire::kind_from_word;
use serde_json::{Value, json};

use super::Shared;
use super::answer::Answer;
use super::brief::{Brief, enclosed};
use super::door::Need;
use super::fields::{self, Arguments};

/// As many as `recall` shows.
const LIMIT: u64 = 10;
const LIMIT_MAX: u64 = 1000;

/// Answers with the memories around one.
pub(super) fn related(shared: &Shared, arguments: Arguments) -> Answer {
    answer(shared, arguments).unwrap_or_else(|error| shared.refused(&error))
}

fn answer(shared: &Shared, mut arguments: Arguments) -> Result<Answer> {
    fields::only(&arguments, &["id", "session", "depth", "kind", "limit"])?;
    let name = fields::needed(&mut arguments, "id")?;
    let session = shared.session_of(&mut arguments)?;
    let depth_max = u64::from(RelatedOptions::DEPTH_MAX);
    let depth = fields::whole(&mut arguments, "depth", 1, depth_max)?;
    let limit = fields::whole(&mut arguments, "limit", 0, LIMIT_MAX)?;
    let kinds = fields::texts(&mut arguments, "kind")?;
    let opened = shared.opened(Need::There)?;
    let mut filter = Filter::all(opened.engine.now().micros());
    filter.kinds = kinds
        .iter()
        .map(|word| kind_from_word(word))
        .collect::<Result<_>>()?;
    filter.limit = usize::try_from(limit.unwrap_or(LIMIT)).unwrap_or(usize::MAX);
    let mut options = RelatedOptions::new(filter);
    if let Some(depth) = depth.and_then(|depth| u32::try_from(depth).ok()) {
        options.depth = depth;
    }
    let (engine, caller) = (&opened.engine, &opened.caller);
    let related = engine.related(caller, &name, session.as_ref(), &options)?;
    let origin = related.origin.name(None);
    let structured = json!({
        "id": related.origin.id,
        "hits": related.hits.iter().map(shape).collect::<Vec<Value>>(),
        "total": related.total,
    });
    if related.hits.is_empty() {
        return Ok(Answer::new(
            format!("Nothing is related to {origin}."),
            structured,
        ));
    }
    let intro = format!(
        "{} of {} related to {origin}, nearest first; → is named, ← names.",
        related.hits.len(),
        related.total
    );
    Ok(Answer::new(
        enclosed(&intro, related.hits.iter().map(line)),
        structured,
    ))
}

/// `→ supersedes review/DEC-001 decision, architect, 2026-01-10: …`
fn line(hit: &RelatedHit) -> String {
    let step = |step: &Step| match step.direction {
        Direction::Out => format!("→ {} ", step.rel),
        Direction::In => format!("← {} ", step.rel),
    };
    let way: String = hit.via.iter().map(step).collect();
    way + &Brief::LINE.line(&hit.memory).0
}

fn shape(hit: &RelatedHit) -> Value {
    let step = |step: &Step| json!({ "rel": step.rel, "direction": step.direction.as_str(), "from": step.from });
    json!({
        "distance": hit.distance,
        "via": hit.via.iter().map(step).collect::<Vec<Value>>(),
        "memory": Brief::LINE.shape(&hit.memory),
    })
}
