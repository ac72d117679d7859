//! What agents remember: made up, but always the same and like the real thing.
//!
//! Topics of software work, sentences of about 200 characters, a few tags
//! each, bodies where the kind has fields, links to what came before, times
//! over one year. The same position always gives the same memory.

pub(crate) mod natural;
mod vocabulary;
mod words;

use mnemon::Time;
use mnemon::memory::{
    Author, Body, Confidence, Draft, Importance, Kind, Link, MemoryId, Relation, Text,
};
use serde_json::{Map, Value, json};

use words::{AGENTS, COMPONENTS, FILES, SENTENCES, TOPICS};

/// 1 January 2026, in microseconds.
const BEGIN_MICROS: i64 = 1_767_225_600_000_000;

/// A hundred thousand memories fill a year.
const STEP_MICROS: i64 = 315_000_000;

/// How often each kind comes, of a hundred.
const KINDS: [(Kind, u64); 9] = [
    (Kind::Conversation, 40),
    (Kind::Finding, 12),
    (Kind::Decision, 12),
    (Kind::Fact, 12),
    (Kind::Learning, 8),
    (Kind::Preference, 6),
    (Kind::Event, 5),
    (Kind::Procedure, 3),
    (Kind::State, 2),
];

/// A stream of memories.
pub(crate) struct Corpus {
    random: Random,
    position: i64,
    /// What later memories of the same session may link to.
    recent: Vec<MemoryId>,
}

impl Corpus {
    pub(crate) fn new() -> Self {
        Self::seeded(0)
    }

    /// Another stream with other ids, for several writers of one store.
    pub(crate) fn seeded(seed: u64) -> Self {
        Self {
            random: Random(seed.wrapping_mul(0xD134_2543_DE82_EF95)),
            position: 0,
            recent: Vec::new(),
        }
    }

    /// From here on nothing links to what was before.
    pub(crate) fn start_session(&mut self) {
        self.recent.clear();
    }

    /// The next so many.
    pub(crate) fn take(&mut self, count: usize) -> Vec<Draft> {
        (0..count).map(|_| self.next()).collect()
    }

    /// The next memory.
    pub(crate) fn next(&mut self) -> Draft {
        let micros = BEGIN_MICROS + self.position * STEP_MICROS;
        self.position += 1;
        let kind = kind(&mut self.random);
        let (topic, subtopics) = self.random.of(&TOPICS);
        let agent = self.random.of(&AGENTS);
        let mut draft = Draft::new(kind, self.text(topic));
        let id = self.id(kind, micros);
        draft.id = Some(id.clone());
        draft.author = agent.parse::<Author>().ok();
        draft.importance = Importance::try_from(self.percent()).unwrap_or_default();
        draft.confidence = match self.random.below(3) {
            0 => Confidence::try_from(self.percent()).ok(),
            _ => None,
        };
        let subtopic = self.random.of(subtopics);
        draft.tags = [
            format!("{topic}.{subtopic}"),
            self.random.of(&COMPONENTS).into(),
        ]
        .iter()
        .filter_map(|tag| tag.parse().ok())
        .collect();
        draft.body = self.body(kind, topic, agent);
        draft.links = self.links();
        draft.pinned = self.random.below(50) == 0;
        if self.random.below(5) == 0 {
            draft
                .metadata
                .insert("ticket".into(), json!(self.random.below(4000)));
        }
        draft.created_at = Time::from_micros(micros).ok();
        if self.recent.len() == 64 {
            self.recent.remove(0);
        }
        self.recent.push(id);
        draft
    }

    fn id(&mut self, kind: Kind, micros: i64) -> MemoryId {
        let mut bytes = [0; 10];
        bytes[..8].copy_from_slice(&self.random.next().to_le_bytes());
        MemoryId::generate(kind, (micros / 1000).unsigned_abs(), bytes)
    }

    /// Sentences until there are about two hundred characters.
    fn text(&mut self, topic: &str) -> Text {
        let mut text = String::new();
        while text.len() < 160 {
            if !text.is_empty() {
                text.push(' ');
            }
            let sentence = self
                .random
                .of(&SENTENCES)
                .replace("{topic}", topic)
                .replace("{component}", self.random.of(&COMPONENTS))
                .replace("{agent}", self.random.of(&AGENTS))
                .replace("{file}", self.random.of(&FILES))
                .replace("{number}", &self.random.below(900).to_string());
            text.push_str(&sentence);
        }
        text.parse().expect("sentences are not empty")
    }

    fn body(&mut self, kind: Kind, topic: &str, agent: &str) -> Body {
        let fields = match kind {
            Kind::Conversation => json!({
                "role": if self.random.below(2) == 0 { "user" } else { "assistant" },
                "topic": topic,
                "tokens": 30 + self.random.below(60),
            }),
            Kind::Decision => json!({
                "rationale": format!("It keeps {topic} simple and can be taken back later."),
                "alternatives": ["leave it as it is", "wait for the next release"],
                "made_by": agent,
                "impact": self.random.of(&["low", "medium", "high"]),
                "reversible": self.random.below(4) > 0,
                "resolved": self.random.below(2) == 0,
            }),
            Kind::Finding => json!({
                "severity": self.random.of(&["low", "medium", "high", "critical"]),
                "category": topic,
                "discovered_by": agent,
                "location": {"artifact": self.random.of(&FILES), "line_numbers": [self.random.below(400)]},
                "status": self.random.of(&["open", "resolved"]),
            }),
            Kind::Preference => json!({
                "key": format!("{topic}.{}", self.random.of(&COMPONENTS)),
                "value": self.random.below(2) == 0,
                "confidence": self.random.of(&["explicit", "inferred"]),
            }),
            _ => Value::Null,
        };
        let map = match fields {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        Body::from_map(kind, map).expect("the fields are those of the kind")
    }

    /// One in five refers to something recent.
    fn links(&mut self) -> Vec<Link> {
        if self.recent.is_empty() || self.random.below(5) > 0 {
            return Vec::new();
        }
        let rel: Relation = self
            .random
            .of(&["related", "led_to", "resolves", "influenced"])
            .parse()
            .expect("these are relations");
        let place = self.random.index(self.recent.len());
        vec![Link {
            rel,
            to: self.recent[place].clone(),
        }]
    }

    fn percent(&mut self) -> f64 {
        crate::measure::float(self.random.below(101)) / 100.0
    }
}

/// A kind, as often as it comes.
fn kind(random: &mut Random) -> Kind {
    let mut place = random.below(100);
    for (kind, share) in KINDS {
        if place < share {
            return kind;
        }
        place -= share;
    }
    Kind::Fact
}

/// `SplitMix64`: small, and the same on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Another stream for each purpose and place.
    fn at(purpose: u64, place: usize) -> Self {
        let mut mixed = Self((purpose << 40) ^ place as u64);
        Self(mixed.next())
    }

    /// From 0 to 1, without the end.
    fn fraction(&mut self) -> f64 {
        crate::measure::float(self.next() >> 11) / crate::measure::float(1 << 53)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub(crate) fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap_or(0)
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.index(choices.len())]
    }
}
