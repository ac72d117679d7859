//! `balanced`: a sum of parts, each from 0 to 1, that says where the answer is.
//!
//! First every candidate is scored by what is exactly there; then the best of
//! them are looked at closely, and words count that mean nearly the same.
//! docs/retrieval.md says what each part brings, measured.

use jiff::civil::Date;
use jiff::{Timestamp, tz::TimeZone};

use super::soft::SoftMatch;
use super::{Scored, Why, follow, scored, sorted};
use crate::decay::{self, Faded, Reason};
use crate::memory::Space;
use crate::recall::hit::Part;
use crate::recall::probe::{Candidate, Candidates, Term};
use crate::recall::query::{Profile, Query};
use crate::recall::understood::Understood;
use crate::session;

/// What a memory takes from those before and after it in its session. Nothing after counts more
/// than anything before, so that both together are in the order of what they count.
const BEFORE: [f64; 3] = [0.7, 0.5, 0.4];
const AFTER: [f64; 3] = [0.4, 0.3, 0.2];

/// So many candidates are looked at closely; the others stay behind them.
const CLOSE_LOOKS: usize = 64;

/// From this cosine on something is near in meaning, even if all else is farther away.
const FAR_AWAY: f64 = 0.2;

/// Any two words are a little alike; from this share on something of the question is said.
const NEARLY_SAID: f64 = 0.25;

/// A session's best matches speak for it.
const BEST_OF_SESSION: usize = 3;

/// The parts of a score and what each is worth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    found: f64,
    meaning: f64,
    session: f64,
    answer: f64,
    author: f64,
    date: f64,
    when: f64,
    question: f64,
    priority: f64,
    /// Which rule gave the priority.
    fading: Reason,
    place: f64,
    pinned: f64,
    open: f64,
    superseded: f64,
}

/// Each part's name, what it is worth, and what it says, in the order of [`Parts::values`].
const WEIGHED: [(&str, f64, &str); 13] = [
    (
        "match",
        1.0,
        "how much of the question is said here or just around it (× 1)",
    ),
    (
        "meaning",
        0.5,
        "how near it is in meaning, 1 for the nearest if anything is near (× 0.5)",
    ),
    (
        "session",
        0.4,
        "how well the best of its session fit (× 0.4)",
    ),
    (
        "answer",
        0.3,
        "how well the question fits that it follows (× 0.3)",
    ),
    ("author", 0.4, "1 if it is by the one who is named (× 0.4)"),
    (
        "date",
        0.7,
        "1 if it is of the date that is named, less soon after (× 0.7)",
    ),
    (
        "when",
        0.25,
        "1 if a time is asked for and it says one (× 0.25)",
    ),
    ("question", -0.1, "1 if it only asks, itself (× -0.1)"),
    ("priority", 0.15, "importance that time has left"),
    (
        "place",
        0.1,
        "1 while its session is in use, less as it fades (× 0.1)",
    ),
    ("pinned", 0.1, "1 if it is pinned (× 0.1)"),
    ("open", 0.05, "1 if it is still open (× 0.05)"),
    (
        "superseded",
        -0.5,
        "1 if another memory took its place (× -0.5)",
    ),
];

impl Parts {
    fn values(&self) -> [f64; 13] {
        [
            self.found,
            self.meaning,
            self.session,
            self.answer,
            self.author,
            self.date,
            self.when,
            self.question,
            self.priority,
            self.place,
            self.pinned,
            self.open,
            self.superseded,
        ]
    }

    fn score(&self) -> f64 {
        let weighed = self.values().into_iter().zip(WEIGHED);
        weighed.map(|(value, (_, weight, _))| value * weight).sum()
    }

    /// The parts that there are, with their reasons.
    pub(super) fn why(&self) -> Vec<Part> {
        let parts = self.values().into_iter().zip(WEIGHED);
        parts
            .filter(|(value, _)| *value != 0.0)
            .map(|(value, (name, weight, says))| match name {
                "priority" => {
                    let says = format!("{says}: {} (× {weight})", self.fading);
                    Part::new(name, value, says)
                }
                _ => Part::new(name, value, says),
            })
            .collect()
    }

    /// Whether words here, around or in the session, a name or a date make it an answer.
    fn speak_for_it(&self) -> bool {
        let other = [self.session, self.answer, self.author, self.date];
        self.found >= NEARLY_SAID || other.into_iter().any(|part| part > 0.0)
    }

    /// How well words and meaning fit, from 0 to 1, for profiles that ask for just that.
    fn quality(&self) -> f64 {
        ((self.found + 0.5 * self.meaning) / 1.5).clamp(0.0, 1.0)
    }
}

/// The candidates, the best first.
pub(super) fn rank(
    query: &Query,
    understood: &Understood,
    candidates: &Candidates,
    unrelated: f32,
) -> Vec<Scored> {
    let list = &candidates.list;
    let coverage = coverage(understood, candidates);
    let mut parts = parts(query, understood, candidates, &coverage);
    let first: Vec<f64> = parts.iter().map(Parts::score).collect();
    let (close, others) = best_of(list, &first, CLOSE_LOOKS);
    let mut soft = SoftMatch::new(understood, candidates);
    for place in &close {
        let around = Around::of(list, *place);
        parts[*place].found = soft.of(*place, around.by_nearness());
    }
    let all = |places: Vec<usize>| -> Vec<Scored> {
        let answers = |place: &usize| {
            let is_related = list[*place]
                .cosine
                .is_some_and(|cosine| cosine >= unrelated);
            is_related || parts[*place].speak_for_it()
        };
        let scored = places.into_iter().filter(answers).map(|place| {
            let parts = &parts[place];
            Scored {
                quality: parts.quality(),
                ..scored(&list[place], parts.score(), Why::Balanced(*parts))
            }
        });
        sorted(scored.collect())
    };
    let mut ranked = all(close);
    let is_all_wanted = query.profile != Profile::Balanced || query.leaves_out();
    if is_all_wanted || query.reaches_behind(ranked.len()) {
        follow(&mut ranked, all(others));
    }
    ranked
}

/// The places with the highest scores, of equal ones the newest; and the others. Both in no order.
fn best_of(list: &[Candidate], scores: &[f64], most: usize) -> (Vec<usize>, Vec<usize>) {
    let tie = |place: usize| {
        let candidate = &list[place];
        (
            std::cmp::Reverse(candidate.created_micros),
            candidate.tie,
            place,
        )
    };
    let mut best: Vec<usize> = (0..list.len()).collect();
    if best.len() > most {
        best.select_nth_unstable_by(most - 1, |a, b| {
            scores[*b]
                .total_cmp(&scores[*a])
                .then_with(|| tie(*a).cmp(&tie(*b)))
        });
    }
    let others = best.split_off(best.len().min(most));
    (best, others)
}

/// The neighbours of a memory, with what they count there.
struct Around {
    before: [Option<usize>; 3],
    after: [Option<usize>; 3],
}

impl Around {
    fn of(list: &[Candidate], place: usize) -> Self {
        let walk = |next: fn(&Candidate) -> Option<usize>| {
            let first = next(&list[place]);
            let second = first.and_then(|at| next(&list[at]));
            let third = second.and_then(|at| next(&list[at]));
            [first, second, third]
        };
        Self {
            before: walk(|candidate| candidate.previous),
            after: walk(|candidate| candidate.next),
        }
    }

    /// What counts most comes first.
    fn by_nearness(&self) -> impl Iterator<Item = (usize, f64)> {
        let [b1, b2, b3] = self.before;
        let [a1, a2, a3] = self.after;
        let [w1, w2, w3] = BEFORE;
        let [v1, v2, v3] = AFTER;
        [(b1, w1), (b2, w2), (b3, w3), (a1, v1), (a2, v2), (a3, v3)]
            .into_iter()
            .filter_map(|(place, weight)| Some((place?, weight)))
    }
}

/// How much of what is asked, by weight, is there or just around.
fn coverage(understood: &Understood, candidates: &Candidates) -> Vec<f64> {
    let list = &candidates.list;
    let known = |term: &Term, memories: u64| memories > 0 || matches!(term, Term::Name { .. });
    let terms: Vec<(usize, bool, f64)> = understood
        .terms
        .iter()
        .zip(&candidates.terms)
        .enumerate()
        .filter(|(_, (term, rarity))| known(term, rarity.memories))
        .map(|(bit, (term, rarity))| (bit, matches!(term, Term::Name { .. }), rarity.weight))
        .collect();
    let whole: f64 = terms.iter().map(|(_, _, weight)| weight).sum();
    let whole = if whole > 0.0 { whole } else { 1.0 };
    let weight_of = |bits: u64| -> f64 {
        let met = terms.iter().filter(|(bit, _, _)| bits & (1 << bit) != 0);
        met.map(|(_, _, weight)| weight).sum()
    };
    let all = terms.iter().fold(0, |bits, (bit, _, _)| bits | (1 << bit));
    let names = terms.iter().filter(|(_, is_name, _)| *is_name);
    let names = names.fold(0, |bits, (bit, _, _)| bits | (1 << bit));
    (0..list.len())
        .map(|place| {
            let own = list[place].matched & all;
            let mut worth = weight_of(own);
            // A neighbour's word counts as at the nearest that has it; a neighbour's name says nothing.
            let mut wanted = all & !own & !names;
            for (at, nearness) in Around::of(list, place).by_nearness() {
                let met = list[at].matched & wanted;
                if met != 0 {
                    worth += nearness * weight_of(met);
                    wanted &= !met;
                }
            }
            worth / whole
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
    // The nearest of what is far away is not near.
    let best_cosine = list.iter().map(cosine).fold(FAR_AWAY, f64::max);
    let now = query.filter.now_micros;
    let homes = Homes::of(candidates, &text, now);
    list.iter()
        .enumerate()
        .map(|(place, candidate)| {
            let home = homes.home(place);
            let asked_before = candidate
                .previous
                .filter(|before| list[*before].is_question);
            let flag = |is_so: bool| f64::from(u8::from(is_so));
            let faded = fade(query, candidates, candidate);
            Parts {
                found: coverage[place],
                meaning: cosine(candidate) / best_cosine,
                session: if home.is_session {
                    home.best
                } else {
                    text(place)
                },
                answer: asked_before.map_or(0.0, text),
                author: flag(understood.author.is_some() && candidate.author == understood.author),
                date: understood.date.map_or(0.0, |date| {
                    date.fits(day(candidate.created_micros, &query.zone))
                }),
                when: flag(understood.asks_when && candidate.has_time),
                question: flag(candidate.is_question),
                priority: faded.priority,
                fading: faded.reason,
                place: home.priority,
                pinned: flag(candidate.pinned),
                open: flag(candidate.is_open),
                superseded: flag(candidate.is_superseded),
            }
        })
        .collect()
}

/// Where candidates live, each place looked at once.
struct Homes {
    list: Vec<Home>,
    /// For each candidate, which of the list.
    of: Vec<usize>,
}

struct Home {
    is_session: bool,
    /// How well the best of the session fit; outside of sessions each is alone.
    best: f64,
    priority: f64,
}

impl Homes {
    fn of(candidates: &Candidates, text: &dyn Fn(usize) -> f64, now_micros: i64) -> Self {
        let numbers: Vec<u32> = candidates.places.keys().copied().collect();
        let mut latest = 0;
        let mut home_of = |candidate: &Candidate| {
            // The next one is mostly of the same session.
            if numbers[latest] != candidate.place {
                latest = numbers
                    .binary_search(&candidate.place)
                    .expect("every candidate has a place");
            }
            latest
        };
        let of: Vec<usize> = candidates.list.iter().map(&mut home_of).collect();
        let mut best = vec![[0.0_f64; BEST_OF_SESSION]; numbers.len()];
        for (place, home) in of.iter().enumerate() {
            let mut text = text(place);
            for best in &mut best[*home] {
                if text > *best {
                    std::mem::swap(best, &mut text);
                }
            }
        }
        let homes = candidates.places.values().zip(best);
        let by_place = homes.map(|(place, best)| {
            let is_session = matches!(place.space, Space::Session(_));
            let members = usize::try_from(place.memories).unwrap_or(usize::MAX);
            #[expect(clippy::cast_precision_loss, reason = "at most three")]
            let members = members.clamp(1, BEST_OF_SESSION) as f64;
            Home {
                is_session,
                best: best.iter().sum::<f64>() / members,
                priority: if is_session {
                    session::priority(place.last_written_micros, now_micros)
                } else {
                    1.0
                },
            }
        });
        Self {
            list: by_place.collect(),
            of,
        }
    }

    fn home(&self, place: usize) -> &Home {
        &self.list[self.of[place]]
    }
}

/// What time has left of a candidate, by the settings of the place where it lives.
fn fade(query: &Query, candidates: &Candidates, candidate: &Candidate) -> Faded {
    let filter = &query.filter;
    let settings = if filter.decay.sessions.is_empty() {
        &filter.decay.everywhere
    } else {
        let place = candidates.places.get(&candidate.place);
        place.map_or(&filter.decay.everywhere, |place| {
            filter.decay.of(&place.space)
        })
    };
    let facts = decay::Facts {
        kind: candidate.kind,
        class: candidate.class,
        importance: candidate.importance,
        created_micros: candidate.created_micros,
        pinned: candidate.pinned,
        access: candidate.access,
    };
    settings.fade(&facts, filter.now_micros)
}

/// The day where the user is.
fn day(micros: i64, zone: &TimeZone) -> Date {
    let moment = Timestamp::from_microsecond(micros).unwrap_or(Timestamp::UNIX_EPOCH);
    moment.to_zoned(zone.clone()).date()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_says_what_it_is_worth() {
        for (name, weight, says) in WEIGHED {
            let is_told = says.ends_with(&format!(" (× {weight})"));
            // What it says depends on the memory.
            assert!(is_told || name == "priority", "{name}");
        }
    }
}
