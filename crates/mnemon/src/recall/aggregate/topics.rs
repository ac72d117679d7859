//! Topics: what memories are about.
//!
//! A memory is about its tags and about what its body calls its topic; dots
//! make subtopics, and a body's `authentication` is the tag
//! `security.authentication` if that is the only one that ends so. Memories
//! that say neither are about the words that several of them share.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::fillers::is_filler;
use super::oldest_first;
use crate::memory::{Kind, Memory, SessionId};
use crate::recall::stop_words::is_stop_word;
use crate::recall::words::words;
use crate::time::Time;

/// As many topics are made of words at most.
const WORD_TOPICS_MAX: usize = 10;

/// Something that memories are about.
#[derive(Clone, Debug, PartialEq)]
pub struct Topic {
    /// Its name, as it is written most often: `security.authentication`.
    pub name: String,
    /// How much of the whole it is, from 0 to 1: the importance of the
    /// memories about it, divided by that of all memories that were looked at.
    pub weight: f64,
    /// How many memories are about it or a subtopic.
    pub mentions: u64,
    /// When the first of them came into being.
    pub first: Time,
    /// When the last of them did.
    pub last: Time,
    /// The names of the topics right below it, in the order of this list.
    pub subtopics: Vec<String>,
    /// The memories about it, by kind, oldest first: handles if they have one, else ids.
    pub memories: BTreeMap<Kind, Vec<String>>,
}

/// What these memories are about, the weightiest first; then by mentions and name.
///
/// Handles of the session `within` are bare.
pub fn topics<'a>(
    memories: impl IntoIterator<Item = &'a Memory>,
    within: Option<&SessionId>,
) -> Vec<Topic> {
    let ordered = oldest_first(memories);
    let about = About::of(&ordered);
    let all: f64 = ordered.iter().map(|it| it.importance.get()).sum();
    let mut found: BTreeMap<&str, (f64, Topic)> = BTreeMap::new();
    for (memory, paths) in ordered.iter().zip(&about.paths) {
        for path in paths
            .iter()
            .flat_map(|path| within_path(path))
            .collect::<BTreeSet<_>>()
        {
            let (importance, topic) = found.entry(path).or_insert_with(|| {
                let topic = Topic {
                    name: about.name(path),
                    weight: 0.0,
                    mentions: 0,
                    first: memory.created_at,
                    last: memory.created_at,
                    subtopics: Vec::new(),
                    memories: BTreeMap::new(),
                };
                (0.0, topic)
            });
            *importance += memory.importance.get();
            topic.mentions += 1;
            topic.last = memory.created_at;
            let names = topic.memories.entry(memory.kind()).or_default();
            names.push(memory.name(within));
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "nobody has 2^52 memories")]
    let share = |importance: f64, mentions: u64| {
        // Where nothing matters, everything matters alike.
        let parts = if all > 0.0 {
            (importance, all)
        } else {
            (mentions as f64, ordered.len() as f64)
        };
        (parts.0 / parts.1).min(1.0)
    };
    for (importance, topic) in found.values_mut() {
        topic.weight = share(*importance, topic.mentions);
    }
    let mut sorted: Vec<(&str, Topic)> = found
        .into_iter()
        .map(|(path, (_, it))| (path, it))
        .collect();
    sorted.sort_by(|(_, a), (_, b)| {
        (b.weight.total_cmp(&a.weight))
            .then(b.mentions.cmp(&a.mentions))
            .then_with(|| a.name.cmp(&b.name))
    });
    let parents: Vec<(String, String)> = sorted
        .iter()
        .filter_map(|(path, topic)| Some((path.rsplit_once('.')?.0.to_owned(), topic.name.clone())))
        .collect();
    for (path, topic) in &mut sorted {
        let below = parents.iter().filter(|(parent, _)| parent == path);
        topic.subtopics = below.map(|(_, name)| name.clone()).collect();
    }
    sorted.into_iter().map(|(_, topic)| topic).collect()
}

/// What each of some memories is about.
pub(super) struct About {
    /// For each memory the paths that it is about, without those above them.
    paths: Vec<BTreeSet<String>>,
    /// How often each path is written which way.
    spellings: BTreeMap<String, BTreeMap<String, u64>>,
}

impl About {
    pub(super) fn of(memories: &[&Memory]) -> Self {
        let mut about = Self {
            paths: vec![BTreeSet::new(); memories.len()],
            spellings: BTreeMap::new(),
        };
        for (memory, paths) in memories.iter().zip(&mut about.paths) {
            for tag in &memory.tags {
                paths.extend(take(tag.as_str(), &mut about.spellings));
            }
        }
        let tagged: BTreeSet<String> = about.spellings.keys().cloned().collect();
        for (memory, paths) in memories.iter().zip(&mut about.paths) {
            for text in said_topics(memory) {
                let Some(path) = path_of(&text) else { continue };
                match only_tag_that_ends_so(&path, &tagged) {
                    Some(longer) => paths.extend([longer]),
                    None => paths.extend(take(&text, &mut about.spellings)),
                }
            }
        }
        about.add_words(memories);
        about
    }

    /// The names of what the memory at this place is about.
    pub(super) fn names_at(&self, place: usize) -> Vec<String> {
        self.paths[place]
            .iter()
            .map(|path| self.name(path))
            .collect()
    }

    /// As it is written most often; of equals the first of the alphabet.
    fn name(&self, path: &str) -> String {
        let spellings = self.spellings.get(path).into_iter().flatten();
        let usual =
            spellings.min_by_key(|(spelling, count)| (std::cmp::Reverse(**count), *spelling));
        usual.map_or_else(|| path.to_owned(), |(spelling, _)| spelling.clone())
    }

    /// Memories that say nothing about their topic are about the words that they share.
    ///
    /// A word is the better a topic the more of them have it and the fewer of
    /// all have it: n · ln(N / n), which is highest for words in about a third.
    fn add_words(&mut self, memories: &[&Memory]) {
        let silent: Vec<usize> = (0..memories.len())
            .filter(|place| self.paths[*place].is_empty())
            .collect();
        let mut places: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        let mut forms: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
        let names: BTreeSet<String> = memories
            .iter()
            .filter_map(|memory| memory.author.as_ref())
            .flat_map(|author| words(author.as_str()))
            .map(|word| word.folded)
            .collect();
        // Who talks is no topic, and `mel` is Melanie.
        let is_name = |folded: &str| names.iter().any(|name| name.starts_with(folded));
        for place in silent {
            for word in words(memories[place].readable_text()) {
                if is_telling(&word.folded) && !is_name(&word.folded) {
                    places.entry(word.stem.clone()).or_default().insert(place);
                    *forms
                        .entry(word.stem)
                        .or_default()
                        .entry(word.folded)
                        .or_default() += 1;
                }
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "nobody has 2^52 memories")]
        let worth = |having: usize| having as f64 * (memories.len() as f64 / having as f64).ln();
        let mut shared: Vec<_> = places
            .into_iter()
            .filter(|(_, having)| having.len() > 1)
            .collect();
        shared.sort_by(|(a, a_places), (b, b_places)| {
            (worth(b_places.len()).total_cmp(&worth(a_places.len()))).then_with(|| a.cmp(b))
        });
        shared.truncate(WORD_TOPICS_MAX);
        for (stem, having) in shared {
            // A stem is no word that anybody reads, and could be a tag by chance.
            let path = format!("word:{stem}");
            self.spellings
                .insert(path.clone(), forms.remove(&stem).unwrap_or_default());
            for place in having {
                self.paths[place].insert(path.clone());
            }
        }
    }
}

/// The topics that a body tells: `topic` and `topics`, known to its kind or not.
fn said_topics(memory: &Memory) -> Vec<String> {
    let body = memory.body.to_map();
    let one = body.get("topic").into_iter();
    let many = body.get("topics").and_then(Value::as_array);
    one.chain(many.into_iter().flatten())
        .filter_map(|topic| Some(topic.as_str()?.to_owned()))
        .collect()
}

/// The path of a topic: in lower case, with `-` for spaces and `_`.
fn path_of(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let segments = lower.split('.').map(|segment| {
        let words = segment.split(|c: char| c.is_whitespace() || c == '_' || c == '-');
        words
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join("-")
    });
    let path: Vec<String> = segments.filter(|segment| !segment.is_empty()).collect();
    (!path.is_empty()).then(|| path.join("."))
}

/// The path of a topic, whose spelling is counted, and those above it.
fn take(text: &str, spellings: &mut BTreeMap<String, BTreeMap<String, u64>>) -> Option<String> {
    let path = path_of(text)?;
    let ends = text
        .match_indices('.')
        .map(|(end, _)| end)
        .chain([text.len()]);
    for above in ends.map(|end| text[..end].trim()) {
        if let Some(path) = path_of(above) {
            *spellings
                .entry(path)
                .or_default()
                .entry(above.to_owned())
                .or_default() += 1;
        }
    }
    Some(path)
}

fn only_tag_that_ends_so(path: &str, tagged: &BTreeSet<String>) -> Option<String> {
    if path.contains('.') || tagged.contains(path) {
        return None;
    }
    let mut longer = tagged
        .iter()
        .filter(|tag| tag.rsplit('.').next() == Some(path));
    match (longer.next(), longer.next()) {
        (Some(only), None) => Some(only.clone()),
        _ => None,
    }
}

/// A path and all above it.
fn within_path(path: &str) -> impl Iterator<Item = &str> {
    let ends = path
        .match_indices('.')
        .map(|(end, _)| end)
        .chain([path.len()]);
    ends.map(|end| &path[..end])
}

/// Whether a word could be what a text is about.
fn is_telling(folded: &str) -> bool {
    folded.chars().count() > 2
        && folded.chars().any(char::is_alphabetic)
        && !is_stop_word(folded)
        && !is_filler(folded)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::examples::{memory, review, with};
    use super::*;

    fn told(topics: &[Topic]) -> Vec<String> {
        let line = |it: &Topic| {
            let memories: Vec<String> = it.memories.values().map(|names| names.join(" ")).collect();
            let below = it.subtopics.join(" ");
            let (name, weight) = (&it.name, it.weight);
            format!(
                "{name} {weight:.3} {} [{below}] {}",
                it.mentions,
                memories.join(", ")
            )
        };
        topics.iter().map(line).collect()
    }

    #[test]
    fn tags_and_topics_make_a_tree_with_weights() {
        // All importances: 0.5 + 1 + 0.5 + 0.75 + 0.25 = 3. Everything is about
        // security; authentication is 0.5 + 1 + 0.25, tokens 0.5 + 0.75, limits 1.
        let session = "s".parse().unwrap();
        assert_eq!(
            told(&topics(&review(), Some(&session))),
            [
                "security 1.000 5 [security.authentication security.tokens] TURN-1 TURN-2, DEC-001 DEC-002, FIND-001",
                "security.authentication 0.583 3 [] TURN-1 TURN-2, FIND-001",
                "security.tokens 0.417 2 [] DEC-001 DEC-002",
                "limits 0.333 1 [] FIND-001",
            ]
        );
        let all = topics(&review(), None);
        let first = &all[3];
        assert_eq!(first.memories[&Kind::Finding], ["s/FIND-001"]);
        let security = &all[0];
        assert_eq!(security.first.to_string(), "2026-01-01T10:00:00Z");
        assert_eq!(security.last.to_string(), "2026-01-01T11:01:00Z");
    }

    #[test]
    fn spellings_of_one_topic_are_one_topic() {
        let said = |number, topic: &str| {
            let turn = memory(Kind::Conversation, number, number.into(), "dana", "x");
            with(turn, &[], 0.0, json!({"topic": topic}))
        };
        let mut all = vec![
            said(1, "Rate limit"),
            said(2, "rate_limit"),
            said(3, "rate_limit"),
        ];
        // Nothing matters, so each counts alike.
        let session = "s".parse().unwrap();
        assert_eq!(
            told(&topics(&all, Some(&session))),
            ["rate_limit 1.000 3 [] TURN-1 TURN-2 TURN-3"]
        );
        // Two tags end so: the bare word is neither.
        let tags = ["a.rate-limit", "b.rate-limit"];
        all.push(with(
            memory(Kind::Fact, 1, 9, "dana", "x"),
            &tags,
            0.0,
            json!({}),
        ));
        let names: Vec<String> = topics(&all, None).into_iter().map(|it| it.name).collect();
        assert_eq!(
            names,
            ["rate_limit", "a", "a.rate-limit", "b", "b.rate-limit"]
        );
    }

    #[test]
    fn memories_that_say_nothing_are_about_the_words_they_share() {
        let texts = [
            "I signed up for a pottery class",
            "Pottery sounds great! Is the class far?",
            "Great, dana. See you there, dan",
            "The running helps me think",
            "We ran far, dan",
        ];
        let all: Vec<Memory> = (1..)
            .zip(texts)
            .map(|(number, text)| memory(Kind::Conversation, number, number.into(), "dana", text))
            .collect();
        let session = "s".parse().unwrap();
        assert_eq!(
            told(&topics(&all, Some(&session))),
            [
                "class 0.400 2 [] TURN-1 TURN-2",
                "pottery 0.400 2 [] TURN-1 TURN-2",
            ]
        );
    }

    #[test]
    fn no_memories_have_no_topics() {
        assert_eq!(topics(&[], None), []);
    }
}
