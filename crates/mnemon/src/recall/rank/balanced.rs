//! `balanced`: a sum of parts, each from 0 to 1, that says where the answer is.
//!
//! First every candidate is scored by what is exactly there; then the best of
//! them are looked at closely, and words count that mean nearly the same.
//! docs/retrieval.md says what each part brings, measured.

use jiff::civil::Date;
use jiff::{Timestamp, tz::TimeZone};

use super::soft::SoftMatch;
use super::{Scored, scored};
use crate::decay;
use crate::memory::{Importance, Space};
use crate::recall::hit::Part;
use crate::recall::probe::{Candidate, Candidates, Term};
use crate::recall::query::Query;
use crate::recall::understood::Understood;
use crate::session;

/// What a memory takes from those before and after it in its session.
const BEFORE: [f64; 3] = [0.7, 0.5, 0.4];
const AFTER: [f64; 3] = [0.4, 0.3, 0.2];

/// So many candidates are looked at closely, if no page needs more.
const CLOSE_LOOKS: usize = 64;

/// A session's best matches speak for it.
const BEST_OF_SESSION: usize = 3;

/// The parts of a score and what each is worth.
#[derive(Clone, Debug)]
struct Parts {
    found: f64,
    meaning: f64,
    session: f64,
    answer: f64,
    author: f64,
    date: f64,
    when: f64,
    question: f64,
    priority: f64,
    place: f64,
    pinned: f64,
    open: f64,
    superseded: f64,
}

impl Parts {
    fn weighed(&self) -> [(&'static str, f64, f64, &'static str); 13] {
        [
            (
                "match",
                self.found,
                1.0,
                "how much of the question is said here or just around it",
            ),
            (
                "meaning",
                self.meaning,
                0.5,
                "how near it is in meaning, 1 for the nearest",
            ),
            (
                "session",
                self.session,
                0.4,
                "how well the best of its session fit",
            ),
            (
                "answer",
                self.answer,
                0.3,
                "how well the question fits that it follows",
            ),
            (
                "author",
                self.author,
                0.4,
                "1 if it is by the one who is named",
            ),
            (
                "date",
                self.date,
                0.7,
                "1 if it is of the date that is named, less soon after",
            ),
            (
                "when",
                self.when,
                0.25,
                "1 if a time is asked for and it says one",
            ),
            ("question", self.question, -0.1, "1 if it only asks, itself"),
            (
                "priority",
                self.priority,
                0.15,
                "importance that time has left",
            ),
            (
                "place",
                self.place,
                0.1,
                "1 while its session is in use, less as it fades",
            ),
            ("pinned", self.pinned, 0.1, "1 if it is pinned"),
            ("open", self.open, 0.05, "1 if it is still open"),
            (
                "superseded",
                self.superseded,
                -0.5,
                "1 if another memory took its place",
            ),
        ]
    }

    fn score(&self) -> f64 {
        self.weighed()
            .iter()
            .map(|(_, value, weight, _)| value * weight)
            .sum()
    }

    fn why(&self) -> Vec<Part> {
        let parts = self
            .weighed()
            .into_iter()
            .filter(|(_, value, _, _)| *value != 0.0);
        parts
            .map(|(name, value, weight, says)| {
                Part::new(name, value, format!("{says} (× {weight})"))
            })
            .collect()
    }

    /// How well words and meaning fit, from 0 to 1, for profiles that ask for just that.
    fn quality(&self) -> f64 {
        ((self.found + 0.5 * self.meaning) / 1.5).clamp(0.0, 1.0)
    }
}

/// All candidates with their scores, in no order.
pub(super) fn score(
    query: &Query,
    understood: &Understood,
    candidates: &Candidates,
) -> Vec<Scored> {
    let list = &candidates.list;
    let coverage = coverage(understood, candidates);
    let mut parts = parts(query, understood, candidates, &coverage);
    let mut order: Vec<usize> = (0..list.len()).collect();
    let first: Vec<f64> = parts.iter().map(Parts::score).collect();
    order.sort_by(|a, b| {
        let tie = |place: usize| {
            (
                std::cmp::Reverse(list[place].created_micros),
                list[place].tie,
            )
        };
        first[*b]
            .total_cmp(&first[*a])
            .then_with(|| tie(*a).cmp(&tie(*b)))
    });
    let wanted = query.filter.offset.saturating_add(query.filter.limit);
    order.truncate(wanted.max(CLOSE_LOOKS));
    let soft = SoftMatch::new(understood, candidates);
    for place in &order {
        parts[*place].found = soft.of(*place, &|place, value| spread(list, place, value));
    }
    order
        .into_iter()
        .map(|place| {
            let parts = &parts[place];
            Scored {
                quality: parts.quality(),
                ..scored(&list[place], parts.score(), parts.why())
            }
        })
        .collect()
}

/// The best of a memory's own value and what its neighbours give.
fn spread(list: &[Candidate], place: usize, value: &dyn Fn(usize) -> f64) -> f64 {
    let mut best = value(place);
    let mut step = |weights: [f64; 3], next: &dyn Fn(&Candidate) -> Option<usize>| {
        let mut at = Some(place);
        for weight in weights {
            at = at.and_then(|at| next(&list[at]));
            if let Some(at) = at {
                best = best.max(weight * value(at));
            }
        }
    };
    step(BEFORE, &|candidate| candidate.previous);
    step(AFTER, &|candidate| candidate.next);
    best
}

/// How much of what is asked, by weight, is there or just around.
fn coverage(understood: &Understood, candidates: &Candidates) -> Vec<f64> {
    let list = &candidates.list;
    let known = |term: &Term, memories: u64| memories > 0 || matches!(term, Term::Name { .. });
    let terms: Vec<(usize, &Term, f64)> = understood
        .terms
        .iter()
        .zip(&candidates.terms)
        .enumerate()
        .filter(|(_, (term, rarity))| known(term, rarity.memories))
        .map(|(place, (term, rarity))| (place, term, rarity.weight))
        .collect();
    let whole: f64 = terms.iter().map(|(_, _, weight)| weight).sum();
    let has = |place: usize, bit: usize| f64::from(u8::from(list[place].matched & (1 << bit) != 0));
    (0..list.len())
        .map(|place| {
            let worth = terms.iter().map(|(bit, term, weight)| match term {
                Term::Name { .. } => weight * has(place, *bit),
                _ => weight * spread(list, place, &|place| has(place, *bit)),
            });
            worth.sum::<f64>() / if whole > 0.0 { whole } else { 1.0 }
        })
        .collect()
}

fn parts(
    query: &Query,
    understood: &Understood,
    candidates: &Candidates,
    coverage: &[f64],
) -> Vec<Parts> {
    let list = &candidates.list;
    let best_text = super::best_text(candidates);
    let text = |place: usize| list[place].text / best_text;
    let cosine = |candidate: &Candidate| f64::from(candidate.cosine.unwrap_or(0.0).max(0.0));
    let best_cosine = list.iter().map(cosine).fold(0.0, f64::max).max(1e-9);
    let sessions = sessions(candidates, &text);
    let now = query.filter.now_micros;
    list.iter()
        .enumerate()
        .map(|(place, candidate)| {
            let home = &candidates.places[&candidate.place];
            let in_session = matches!(home.space, Space::Session(_));
            let asked_before = candidate
                .previous
                .filter(|before| list[*before].is_question);
            let flag = |is_so: bool| f64::from(u8::from(is_so));
            Parts {
                found: coverage[place],
                meaning: cosine(candidate) / best_cosine,
                session: sessions[place],
                answer: asked_before.map_or(0.0, text),
                author: flag(understood.author.is_some() && candidate.author == understood.author),
                date: understood
                    .date
                    .map_or(0.0, |date| date.fits(day(candidate.created_micros))),
                when: flag(understood.asks_when && candidate.has_time),
                question: flag(candidate.is_question),
                priority: priority(candidate, now),
                place: if in_session {
                    session::priority(home.last_written_micros, now)
                } else {
                    1.0
                },
                pinned: flag(candidate.pinned),
                open: flag(candidate.is_open),
                superseded: flag(candidate.is_superseded),
            }
        })
        .collect()
}

/// For each candidate how well the best of its session fit; outside of sessions each is alone.
fn sessions(candidates: &Candidates, text: &dyn Fn(usize) -> f64) -> Vec<f64> {
    let mut best: std::collections::BTreeMap<u32, Vec<f64>> = std::collections::BTreeMap::new();
    for (place, candidate) in candidates.list.iter().enumerate() {
        best.entry(candidate.place).or_default().push(text(place));
    }
    for texts in best.values_mut() {
        texts.sort_by(|a, b| b.total_cmp(a));
        texts.truncate(BEST_OF_SESSION);
    }
    let of = |(place, candidate): (usize, &Candidate)| {
        let home = &candidates.places[&candidate.place];
        if !matches!(home.space, Space::Session(_)) {
            return text(place);
        }
        let members = usize::try_from(home.memories).unwrap_or(usize::MAX);
        #[expect(clippy::cast_precision_loss, reason = "at most three")]
        let members = members.clamp(1, BEST_OF_SESSION) as f64;
        best[&candidate.place].iter().sum::<f64>() / members
    };
    candidates.list.iter().enumerate().map(of).collect()
}

fn priority(candidate: &Candidate, now_micros: i64) -> f64 {
    let facts = decay::Facts {
        kind: candidate.kind,
        importance: Importance::try_from(candidate.importance).unwrap_or_default(),
        created_micros: candidate.created_micros,
        pinned: candidate.pinned,
    };
    decay::priority(facts, now_micros)
}

/// The day in UTC.
fn day(micros: i64) -> Date {
    let moment = Timestamp::from_microsecond(micros).unwrap_or(Timestamp::UNIX_EPOCH);
    moment.to_zoned(TimeZone::UTC).date()
}
