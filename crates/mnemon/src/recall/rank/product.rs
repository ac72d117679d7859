//! `product`: importance × decay × recency × match.

use super::{Scored, Why};
use crate::memory::Memory;
use crate::recall::hit::Part;
use crate::recall::query::Query;

/// What was asked for within a day counts so much more.
const RECENT: f64 = 1.5;
const RECENT_HOURS: f64 = 24.0;

pub(super) fn refine(query: &Query, scored: &mut Scored, memory: &Memory) {
    let now = query.filter.now_micros;
    let faded = query.filter.at().fade(memory);
    let importance = memory.importance.get();
    let decay = faded.factor;
    let hours = super::weighted::hours_since_access(memory, now);
    let recency = match hours {
        Some(hours) if hours < RECENT_HOURS => RECENT,
        _ => 1.0,
    };
    let found = scored.quality.clamp(0.0, 1.0);
    scored.why = Why::Told(vec![
        Part::new("match", found, "how well words and meaning fit"),
        Part::new(
            "importance",
            importance,
            "how much it mattered when it was kept",
        ),
        Part::new(
            "decay",
            decay,
            format!("how much of that time has left: {}", faded.reason),
        ),
        Part::new(
            "recency",
            recency,
            "1.5 if it was asked for within a day, else 1",
        ),
    ]);
    scored.score = importance * decay * recency * found;
}
