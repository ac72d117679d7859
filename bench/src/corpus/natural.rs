//! A corpus for search: sentences of a natural vocabulary, in sessions of fifty turns.
//!
//! Every memory follows from its position alone, so that questions can be
//! made of any of them. The times of all fill one year, however many there are.

use mnemon::Time;
use mnemon::memory::{Author, Draft, Importance, Kind, MemoryId, Text};

use super::vocabulary::Vocabulary;
use super::words::{AGENTS, COMPONENTS, TOPICS};
use super::{BEGIN_MICROS, Random, kind};
use crate::measure::float;

/// Memories of a session.
const TURNS: usize = 50;

/// Of the corpus, in microseconds.
const YEAR_MICROS: i64 = 365 * 24 * 3_600_000_000;

/// So many memories, and questions about them.
pub(crate) struct Natural {
    vocabulary: Vocabulary,
    count: usize,
}

/// One memory before it is kept.
pub(crate) struct Told {
    pub(crate) session: usize,
    pub(crate) created_micros: i64,
    pub(crate) kind: Kind,
    pub(crate) author: &'static str,
    pub(crate) tags: [String; 2],
    pub(crate) text: String,
    importance: f64,
    noise: u64,
}

/// A question of four to eight words, and who may answer it.
pub(crate) struct Asked {
    pub(crate) text: String,
    pub(crate) among: Among,
}

/// Which memories may answer.
#[derive(Clone, Debug)]
pub(crate) enum Among {
    All,
    KindSince(Kind, i64),
    Session(usize),
    Tag(String),
}

impl Natural {
    pub(crate) fn of(count: usize) -> Self {
        Self {
            vocabulary: Vocabulary::new(),
            count,
        }
    }

    /// The last moment, for what depends on the time.
    pub(crate) const fn now_micros() -> i64 {
        BEGIN_MICROS + YEAR_MICROS
    }

    pub(crate) fn sessions(&self) -> usize {
        self.count.div_ceil(TURNS)
    }

    pub(crate) fn session_name(number: usize) -> String {
        format!("talk-{number:05}")
    }

    /// All memories of a session.
    pub(crate) fn session(&self, number: usize) -> impl Iterator<Item = Told> {
        let end = (number * TURNS + TURNS).min(self.count);
        (number * TURNS..end).map(|position| self.told(position))
    }

    /// The memory at a position.
    pub(crate) fn told(&self, position: usize) -> Told {
        let session = position / TURNS;
        let topic = Random::at(1, session).index(TOPICS.len());
        let mut random = Random::at(2, position);
        let (name, parts) = TOPICS[topic];
        let share = position as u64 * YEAR_MICROS.unsigned_abs() / self.count as u64;
        Told {
            session,
            created_micros: BEGIN_MICROS.saturating_add_unsigned(share),
            kind: kind(&mut random),
            author: random.of(&AGENTS),
            tags: [
                format!("{name}.{}", random.of(parts)),
                random.of(&COMPONENTS).to_owned(),
            ],
            text: self.text(&mut random, topic),
            importance: float(random.below(101)) / 100.0,
            noise: random.next(),
        }
    }

    /// Eight to thirty words.
    fn text(&self, random: &mut Random, topic: usize) -> String {
        let mut text = String::new();
        for place in 0..8 + random.below(23) {
            if place > 0 {
                text.push(' ');
            }
            text.push_str(self.vocabulary.draw(random, topic));
        }
        text.push(if random.below(12) == 0 { '?' } else { '.' });
        text
    }

    /// Different questions, each about some memory; every second is asked of a part only.
    pub(crate) fn questions(&self, count: usize) -> Vec<Asked> {
        (0..count).map(|number| self.question(number)).collect()
    }

    fn question(&self, number: usize) -> Asked {
        let mut random = Random::at(3, number);
        let told = self.told(random.index(self.count));
        let among = match number % 6 {
            1 => Among::KindSince(told.kind, told.created_micros - YEAR_MICROS / 12),
            3 => Among::Session(told.session),
            5 => Among::Tag(told.tags[0].clone()),
            _ => Among::All,
        };
        let said = told.text.trim_end_matches(['.', '?']).split(' ');
        let mut said: Vec<&str> = said
            .filter(|word| Vocabulary::says_something(word))
            .collect();
        let mut words = vec![random.of(&["what", "when", "why", "how", "which"])];
        if random.below(8) == 0 {
            words.push(told.author);
        }
        for _ in 0..2 + random.below(3) {
            words.push(Vocabulary::draw_function_word(&mut random));
            if !said.is_empty() {
                words.push(said.swap_remove(random.index(said.len())));
            }
        }
        words.truncate(8);
        Asked {
            text: words.join(" ") + "?",
            among,
        }
    }
}

impl Told {
    /// What is handed to the engine.
    pub(crate) fn draft(&self) -> Draft {
        let text: Text = self.text.parse().expect("a sentence is not empty");
        let mut draft = Draft::new(self.kind, text);
        let mut bytes = [0; 10];
        bytes[..8].copy_from_slice(&self.noise.to_le_bytes());
        let millis = (self.created_micros / 1000).unsigned_abs();
        draft.id = Some(MemoryId::generate(self.kind, millis, bytes));
        draft.author = self.author.parse::<Author>().ok();
        draft.importance = Importance::try_from(self.importance).unwrap_or_default();
        draft.tags = self
            .tags
            .iter()
            .filter_map(|tag| tag.parse().ok())
            .collect();
        draft.pinned = self.noise.is_multiple_of(50);
        draft.created_at = Time::from_micros(self.created_micros).ok();
        draft
    }
}
