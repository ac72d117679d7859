//! The summary: who, when, how much, what was decided and is open, and the
//! sentences at the centre. It quotes and counts; it makes up nothing.

use std::collections::BTreeMap;

use super::agents::{AgentActivity, agents};
use super::lexrank::central;
use super::oldest_first;
use super::sentences::sentences;
use super::timeline::severity;
use super::topics::{Topic, topics};
use crate::memory::body::finding::badness;
use crate::memory::{Body, Kind, Memory, SessionId};
use crate::recall::stop_words::is_stop_word;
use crate::recall::words::words;
use crate::time::Time;

/// Longer sentences are no summary.
const SENTENCE_CHARS_MAX: usize = 300;

/// Shorter ones say too little, unless there is nothing else.
const SENTENCE_WORDS_MIN: usize = 4;

/// How much of everything is wanted.
#[derive(Clone, Copy, Debug)]
pub struct SummaryOptions {
    /// Sentences of the conversation.
    pub sentences: usize,
    /// Decisions, findings and preferences, of each sort.
    pub items: usize,
    /// Topics.
    pub topics: usize,
}

impl Default for SummaryOptions {
    fn default() -> Self {
        Self {
            sentences: 5,
            items: 10,
            topics: 5,
        }
    }
}

/// What some memories come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// How many memories there are.
    pub memories: u64,
    /// When the first and the last of them came into being.
    pub span: Option<(Time, Time)>,
    /// Memories by kind.
    pub by_kind: BTreeMap<Kind, u64>,
    /// Who wrote, who wrote most first.
    pub participants: Vec<AgentActivity>,
    /// What it is about, the weightiest first, without topics that are all in one subtopic.
    pub topics: Vec<Topic>,
    /// Decisions that are open, the most important first, then the newest.
    pub open_decisions: Vec<Memory>,
    /// Decisions that are settled, in the same order.
    pub resolved_decisions: Vec<Memory>,
    /// Findings that are open, the most severe first, then as above.
    pub open_findings: Vec<Memory>,
    /// How many findings are settled.
    pub resolved_findings: u64,
    /// Preferences, the most important first.
    pub preferences: Vec<Memory>,
    /// The most central sentences of the conversation (of everything, if there is none), in order.
    pub sentences: Vec<Quote>,
}

/// A sentence as somebody wrote it.
#[derive(Clone, Debug, PartialEq)]
pub struct Quote {
    /// The memory that it is in: its handle if it has one, else its id.
    pub name: String,
    /// Who wrote it.
    pub author: Option<String>,
    /// When.
    pub at: Time,
    /// The sentence.
    pub text: String,
    /// How central it is; the most central one has 1.
    pub centrality: f64,
}

/// What these memories come to; handles of the session `within` are bare.
pub fn summary(
    memories: &[Memory],
    within: Option<&SessionId>,
    options: &SummaryOptions,
) -> Summary {
    let ordered = oldest_first(memories);
    let mut by_kind = BTreeMap::new();
    for memory in &ordered {
        *by_kind.entry(memory.kind()).or_default() += 1;
    }
    let of = |kind, open: Option<bool>| {
        let mut some: Vec<Memory> = ordered
            .iter()
            .filter(|it| it.kind() == kind && it.body.is_open() == open)
            .map(|it| (*it).clone())
            .collect();
        some.sort_by(|a, b| {
            (severity_rank(a).cmp(&severity_rank(b)))
                .then(b.importance.get().total_cmp(&a.importance.get()))
                .then(b.created_at.micros().cmp(&a.created_at.micros()))
                .then_with(|| a.id.cmp(&b.id))
        });
        some
    };
    let few = |mut some: Vec<Memory>| {
        some.truncate(options.items);
        some
    };
    let mut about = topics(memories, within);
    // A subtopic that is all there is of a topic says more than the topic.
    let mentions: BTreeMap<String, u64> = about
        .iter()
        .map(|it| (it.name.clone(), it.mentions))
        .collect();
    about.retain(|it| {
        !it.subtopics
            .iter()
            .any(|below| mentions[below] == it.mentions)
    });
    about.truncate(options.topics);
    Summary {
        memories: ordered.len() as u64,
        span: ordered
            .first()
            .zip(ordered.last())
            .map(|(a, b)| (a.created_at, b.created_at)),
        by_kind,
        participants: agents(memories),
        topics: about,
        open_decisions: few(of(Kind::Decision, Some(true))),
        resolved_decisions: few(of(Kind::Decision, Some(false))),
        open_findings: few(of(Kind::Finding, Some(true))),
        resolved_findings: of(Kind::Finding, Some(false)).len() as u64,
        preferences: few(of(Kind::Preference, None)),
        sentences: quotes(&ordered, within, options.sentences),
    }
}

/// 0 for the worst; words that nobody knows come after those that everybody does.
fn severity_rank(memory: &Memory) -> u8 {
    severity(memory).and_then(badness).unwrap_or(u8::MAX)
}

/// The most central sentences of memories in their order, in that order: of the
/// conversation, or of everything if there is none.
pub(crate) fn quotes(ordered: &[&Memory], within: Option<&SessionId>, wanted: usize) -> Vec<Quote> {
    let turns = ordered.iter().filter(|it| matches!(it.body, Body::Turn(_)));
    let mut sources: Vec<&Memory> = turns.copied().collect();
    if sources.is_empty() {
        let said = |it: &&&Memory| !matches!(it.body, Body::State(_) | Body::Artifact(_));
        sources = ordered.iter().filter(said).copied().collect();
    }
    let all: Vec<(&Memory, &str, Vec<String>)> = sources
        .into_iter()
        .flat_map(|memory| {
            let cut = sentences(memory.readable_text()).into_iter();
            cut.map(move |sentence| (memory, sentence, telling_stems(sentence)))
        })
        .filter(|(_, sentence, stems)| {
            let is_said = !(sentence.starts_with('[') && sentence.ends_with(']'));
            is_said && !stems.is_empty() && sentence.chars().count() <= SENTENCE_CHARS_MAX
        })
        .collect();
    let long: Vec<_> = all
        .iter()
        .filter(|(_, _, stems)| stems.len() >= SENTENCE_WORDS_MIN)
        .collect();
    let candidates: Vec<_> = if long.is_empty() {
        all.iter().collect()
    } else {
        long
    };
    let stems: Vec<Vec<String>> = candidates
        .iter()
        .map(|(_, _, stems)| stems.clone())
        .collect();
    let mut chosen = central(&stems, wanted);
    chosen.sort_by_key(|(place, _)| *place);
    chosen
        .into_iter()
        .map(|(place, centrality)| {
            let (memory, sentence, _) = candidates[place];
            Quote {
                name: memory.name(within),
                author: memory.author.as_ref().map(ToString::to_string),
                at: memory.created_at,
                text: (*sentence).to_owned(),
                centrality,
            }
        })
        .collect()
}

/// The stems of the words that say something.
fn telling_stems(sentence: &str) -> Vec<String> {
    words(sentence)
        .into_iter()
        .filter(|word| !is_stop_word(&word.folded))
        .map(|word| word.stem)
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::examples::{memory, review, with};
    use super::*;

    fn names(memories: &[Memory]) -> Vec<&str> {
        memories.iter().map(|it| it.id.as_str()).collect()
    }

    #[test]
    fn a_summary_counts_sorts_and_quotes() {
        let session = "s".parse().unwrap();
        let mut all = review();
        let finding = |number, minute, severity: &str| {
            let finding = memory(Kind::Finding, number, minute, "rev", "x");
            with(finding, &[], 0.5, json!({"severity": severity}))
        };
        all.extend([
            finding(2, 5, "odd"),
            finding(3, 6, "low"),
            finding(4, 7, "HIGH"),
        ]);
        all.push(with(
            memory(Kind::Finding, 5, 8, "rev", "x"),
            &[],
            0.5,
            json!({"status": "resolved"}),
        ));
        all.push(memory(Kind::Preference, 1, 9, "dana", "Short answers"));
        let found = summary(&all, Some(&session), &SummaryOptions::default());
        assert_eq!(found.memories, 10);
        let (first, last) = found.span.unwrap();
        assert_eq!(first.to_string(), "2026-01-01T10:00:00Z");
        assert_eq!(last.to_string(), "2026-01-01T11:01:00Z");
        assert_eq!(names(&found.open_decisions), ["dec_2"]);
        assert_eq!(names(&found.resolved_decisions), ["dec_1"]);
        assert_eq!(
            names(&found.open_findings),
            ["find_1", "find_4", "find_3", "find_2"]
        );
        assert_eq!(found.resolved_findings, 1);
        assert_eq!(names(&found.preferences), ["pref_1"]);
        assert_eq!(found.participants.len(), 3);
        assert_eq!(found.topics[0].name, "security");
        let quoted: Vec<_> = found
            .sentences
            .iter()
            .map(|it| (it.name.as_str(), it.text.as_str()))
            .collect();
        assert_eq!(
            quoted,
            [
                ("TURN-1", "How do people sign in?"),
                ("TURN-2", "That is better.")
            ]
        );
    }

    #[test]
    fn quotes_are_parts_of_what_was_written() {
        let texts = [
            "Hi! We store tokens in the phone's keychain for an hour.",
            "Tokens in the keychain live for one hour? Fine.",
            "Yes. The weather in Lisbon was lovely and warm last week.",
        ];
        let all: Vec<Memory> = (1..)
            .zip(texts)
            .map(|(number, text)| memory(Kind::Conversation, number, number.into(), "dana", text))
            .collect();
        let options = SummaryOptions {
            sentences: 2,
            ..SummaryOptions::default()
        };
        let found = summary(&all, None, &options).sentences;
        let quoted: Vec<_> = found
            .iter()
            .map(|it| (it.name.as_str(), it.text.as_str()))
            .collect();
        assert_eq!(
            quoted,
            [
                (
                    "s/TURN-1",
                    "We store tokens in the phone's keychain for an hour."
                ),
                (
                    "s/TURN-3",
                    "The weather in Lisbon was lovely and warm last week."
                ),
            ]
        );
    }

    #[test]
    fn nothing_comes_to_nothing() {
        let found = summary(&[], None, &SummaryOptions::default());
        assert_eq!((found.memories, found.span), (0, None));
        assert_eq!(found.sentences, []);
    }
}
