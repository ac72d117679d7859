//! The timeline: what happened when.

use std::collections::BTreeSet;

use super::oldest_first;
use super::topics::About;
use crate::memory::{Body, Kind, Memory, SessionId};
use crate::time::Time;

const HOUR_MICROS: i64 = 3_600_000_000;

/// What happened, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// The events, the earliest first.
    pub events: Vec<TimelineEvent>,
    /// The hours in which there was one, the earliest first.
    pub buckets: Vec<Bucket>,
}

/// One memory as something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineEvent {
    /// When it came into being.
    pub at: Time,
    /// What sort of thing it is.
    pub kind: Kind,
    /// Its handle if it has one, else its id.
    pub name: String,
    /// Its author first, then whoever else its body names.
    pub participants: Vec<String>,
    /// What it is about.
    pub topics: Vec<String>,
    /// How bad it is, where that makes sense.
    pub severity: Option<String>,
    /// What it says.
    pub text: String,
}

/// An hour of UTC.
#[derive(Clone, Debug, PartialEq)]
pub struct Bucket {
    /// When it begins.
    pub hour: Time,
    /// The names of its events, in order.
    pub names: Vec<String>,
}

/// What happened, in order; handles of the session `within` are bare.
pub fn timeline<'a>(
    memories: impl IntoIterator<Item = &'a Memory>,
    within: Option<&SessionId>,
) -> Timeline {
    let ordered = oldest_first(memories);
    let about = About::of(&ordered);
    let mut timeline = Timeline {
        events: Vec::with_capacity(ordered.len()),
        buckets: Vec::new(),
    };
    for (place, memory) in ordered.into_iter().enumerate() {
        let name = memory.name(within);
        let hour = hour_of(memory.created_at);
        match timeline.buckets.last_mut() {
            Some(bucket) if bucket.hour == hour => bucket.names.push(name.clone()),
            _ => timeline.buckets.push(Bucket {
                hour,
                names: vec![name.clone()],
            }),
        }
        timeline.events.push(TimelineEvent {
            at: memory.created_at,
            kind: memory.kind(),
            name,
            participants: participants(memory),
            topics: about.names_at(place),
            severity: severity(memory).map(str::to_owned),
            text: memory.text.as_str().to_owned(),
        });
    }
    timeline
}

fn hour_of(time: Time) -> Time {
    Time::nearest_to_micros(time.micros().div_euclid(HOUR_MICROS) * HOUR_MICROS)
}

/// How bad a finding or an event is.
pub(super) fn severity(memory: &Memory) -> Option<&str> {
    match &memory.body {
        Body::Finding(finding) => finding.severity.as_deref(),
        Body::Event(event) => event.severity.as_deref(),
        _ => None,
    }
}

fn participants(memory: &Memory) -> Vec<String> {
    let one = |name: &Option<String>| name.iter().cloned().collect::<Vec<_>>();
    let many = |names: &Option<Vec<String>>| names.clone().unwrap_or_default();
    let author = memory.author.iter().map(ToString::to_string);
    let others = match &memory.body {
        Body::Turn(turn) => one(&turn.speaker),
        Body::Decision(decision) => [
            one(&decision.made_by),
            many(&decision.agreed_by),
            many(&decision.approved_by),
            many(&decision.agents_involved),
        ]
        .concat(),
        Body::Finding(finding) => one(&finding.discovered_by),
        Body::Event(event) => many(&event.participants),
        Body::Artifact(artifact) => one(&artifact.made_by),
        _ => Vec::new(),
    };
    let mut seen = BTreeSet::new();
    author
        .chain(others)
        .filter(|name| seen.insert(name.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::examples::review;
    use super::*;

    #[test]
    fn events_are_in_order_with_who_and_what() {
        let mut all = review();
        all.reverse();
        let session = "s".parse().unwrap();
        let told: Vec<String> = timeline(&all, Some(&session))
            .events
            .iter()
            .map(|it| {
                let (who, what) = (it.participants.join(" "), it.topics.join(" "));
                let severity = it.severity.as_deref().unwrap_or("-");
                format!(
                    "{} {} {} [{who}] [{what}] {severity}",
                    it.at, it.kind, it.name
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                "2026-01-01T10:00:00Z conversation TURN-1 [dana] [security.authentication] -",
                "2026-01-01T10:30:00Z finding FIND-001 [rev] [limits security.authentication] critical",
                "2026-01-01T10:59:00Z decision DEC-001 [arc rev] [security.tokens] -",
                "2026-01-01T11:00:00Z decision DEC-002 [arc] [security security.tokens] -",
                "2026-01-01T11:01:00Z conversation TURN-2 [rev] [security.authentication] -",
            ]
        );
    }

    #[test]
    fn buckets_are_hours_of_utc() {
        let mut all = review();
        // 11:10 UTC, though the clock on the wall said 17:40.
        all[0].created_at = "2026-01-01T17:40:00+06:30".parse().unwrap();
        let told: Vec<String> = timeline(&all, None)
            .buckets
            .iter()
            .map(|bucket| format!("{} {}", bucket.hour, bucket.names.join(" ")))
            .collect();
        assert_eq!(
            told,
            [
                "2026-01-01T10:00:00Z s/FIND-001 s/DEC-001",
                "2026-01-01T11:00:00Z s/DEC-002 s/TURN-2 s/TURN-1",
            ]
        );
    }
}
