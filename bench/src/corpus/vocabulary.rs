//! Words as often as people use them: few come all the time, most hardly ever.

use std::collections::HashSet;

use super::Random;
use super::words::{AGENTS, COMPONENTS, SENTENCES, TOPICS};
use crate::measure::float;

/// Distinct words.
const WORDS: usize = 30_000;

/// The words that hold sentences together, the most frequent first.
const FUNCTION_WORDS: [&str; 48] = [
    "the", "to", "of", "and", "a", "in", "it", "is", "that", "for", "on", "was", "with", "we",
    "as", "be", "at", "not", "this", "by", "are", "from", "or", "have", "an", "had", "but", "they",
    "which", "will", "you", "all", "there", "been", "has", "were", "when", "who", "if", "out",
    "so", "would", "what", "up", "about", "into", "than", "them",
];

const ONSETS: [&str; 18] = [
    "b", "br", "c", "d", "f", "g", "h", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "tr", "v",
];
const VOWELS: [&str; 8] = ["a", "e", "i", "o", "u", "ai", "ea", "ou"];
const ENDS: [&str; 10] = ["", "", "n", "r", "l", "s", "t", "m", "nd", "ck"];

/// All words, the most frequent first, and how to draw them.
pub(crate) struct Vocabulary {
    words: Vec<String>,
    /// How much all words up to each weigh together.
    weights: Vec<f64>,
}

impl Vocabulary {
    pub(crate) fn new() -> Self {
        let mut words: Vec<String> = Vec::with_capacity(WORDS);
        let mut known: HashSet<String> = AGENTS.iter().map(ToString::to_string).collect();
        let mut take = |word: String| {
            if words.len() < WORDS && known.insert(word.clone()) {
                words.push(word);
            }
            words.len() < WORDS
        };
        let topics = TOPICS.iter().flat_map(|(topic, parts)| {
            let parts = parts.iter().flat_map(|part| part.split('-'));
            std::iter::once(*topic).chain(parts)
        });
        let spoken = SENTENCES.iter().flat_map(|sentence| sentence.split(' '));
        let plain = |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase());
        let real = FUNCTION_WORDS.into_iter().chain(topics).chain(COMPONENTS);
        for word in real.chain(spoken).filter(plain) {
            take(word.to_owned());
        }
        let mut random = Random(17);
        while take(made_up(&mut random)) {}
        let mut whole = 0.0;
        let weights = (0_u64..)
            .take(words.len())
            .map(|rank| {
                // Zipf's law, flattened at the top as Mandelbrot found it.
                whole += 1.0 / (float(rank) + 2.7);
                whole
            })
            .collect();
        Self { words, weights }
    }

    /// A word, as likely as it is frequent; some of the rarer ones belong to a topic.
    pub(crate) fn draw(&self, random: &mut Random, topic: usize) -> &str {
        let whole = self.weights.last().copied().unwrap_or(0.0);
        let wanted = random.fraction() * whole;
        let place = self.weights.partition_point(|upto| *upto < wanted);
        let first = FUNCTION_WORDS.len();
        let own = if place >= first && random.below(10) < 4 {
            // Every tenth word is of this topic: take the nearest.
            first + (place - first) / TOPICS.len() * TOPICS.len() + topic
        } else {
            place
        };
        &self.words[own.min(self.words.len() - 1)]
    }

    /// A word that says nothing.
    pub(crate) fn draw_function_word(random: &mut Random) -> &'static str {
        random.of(&FUNCTION_WORDS)
    }

    /// Whether a word says anything.
    pub(crate) fn says_something(word: &str) -> bool {
        !FUNCTION_WORDS.contains(&word)
    }
}

/// Two to four syllables.
fn made_up(random: &mut Random) -> String {
    let mut word = String::new();
    for _ in 0..2 + random.below(3) {
        word.push_str(random.of(&ONSETS));
        word.push_str(random.of(&VOWELS));
    }
    word.push_str(random.of(&ENDS));
    word
}
