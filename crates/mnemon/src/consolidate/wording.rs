//! Whether two texts say the same, by their words.
//!
//! Likeness alone is not enough: "wait 30 s" and "wait 60 s" share nearly all
//! words and are two things, as are "the mobile app" and "the desktop app". So
//! a word may be missing on one side, but not stand in the place of another;
//! numbers have to be the same, and so has what is denied or comes after
//! "before".

use std::collections::BTreeSet;

use crate::recall::words::{Word, stem, words};

/// Words that deny what follows.
const NEGATIONS: [&str; 19] = [
    "not",
    "no",
    "never",
    "none",
    "cannot",
    "without",
    "neither",
    "nor",
    "don't",
    "doesn't",
    "didn't",
    "isn't",
    "aren't",
    "wasn't",
    "won't",
    "can't",
    "couldn't",
    "shouldn't",
    "mustn't",
];

/// Words of which it matters what follows: "A before B" is not "B before A".
const POINTERS: [&str; 20] = [
    "than", "over", "instead", "before", "after", "rather", "from", "to", "into", "replace",
    "replaces", "calls", "call", "depends", "blocks", "beats", "versus", "by", "under", "above",
];

/// Little words of which one takes back what the other says.
const CONTRARIES: [(&str, &str); 6] = [
    ("in", "out"),
    ("on", "off"),
    ("up", "down"),
    ("before", "after"),
    ("more", "less"),
    ("over", "under"),
];

/// Verbs whose forms no stemmer brings together.
const IRREGULAR: [(&str, &str); 32] = [
    ("began", "begin"),
    ("begun", "begin"),
    ("broke", "break"),
    ("broken", "break"),
    ("brought", "bring"),
    ("built", "build"),
    ("chose", "choose"),
    ("chosen", "choose"),
    ("done", "do"),
    ("drew", "draw"),
    ("fell", "fall"),
    ("felt", "feel"),
    ("found", "find"),
    ("gave", "give"),
    ("given", "give"),
    ("held", "hold"),
    ("kept", "keep"),
    ("knew", "know"),
    ("known", "know"),
    ("lost", "lose"),
    ("made", "make"),
    ("meant", "mean"),
    ("ran", "run"),
    ("sent", "send"),
    ("shown", "show"),
    ("spent", "spend"),
    ("stuck", "stick"),
    ("taken", "take"),
    ("thrown", "throw"),
    ("took", "take"),
    ("written", "write"),
    ("wrote", "write"),
];

/// Two stems that begin with so many of the same letters are one word in two forms.
const SAME_LETTERS: usize = 5;

/// The words of a text, as it is compared by.
#[derive(Clone, Debug)]
pub(crate) struct Wording {
    /// All of them, in order, negations as `not`.
    order: Vec<String>,
    /// Those that say something, or all if none does.
    stems: BTreeSet<String>,
    /// Numbers and names with digits in them.
    numbers: BTreeSet<String>,
    /// What follows words of which that matters.
    pointed: BTreeSet<(&'static str, String)>,
    little: BTreeSet<&'static str>,
    negations: usize,
}

impl Wording {
    pub(crate) fn of(text: &str) -> Self {
        let all = words(text);
        let is_telling = |word: &Word| !word.says_nothing && !is_negation(word);
        let mut stems: BTreeSet<String> =
            all.iter().filter(|it| is_telling(it)).map(form).collect();
        if stems.is_empty() {
            stems = all.iter().map(form).collect();
        }
        let mut pointed = BTreeSet::new();
        for (place, word) in all.iter().enumerate() {
            if let Some(pointer) = pointer(word) {
                let next = all[place + 1..].iter().find(|it| is_telling(it));
                pointed.insert((pointer, next.map(form).unwrap_or_default()));
            }
        }
        let has = |little: &&str| all.iter().any(|word| word.folded == **little);
        let pairs = CONTRARIES.iter().flat_map(|(a, b)| [*a, *b]);
        Self {
            numbers: all
                .iter()
                .filter(|word| word.folded.bytes().any(|it| it.is_ascii_digit()))
                .map(|word| word.folded.clone())
                .collect(),
            negations: all.iter().filter(|word| is_negation(word)).count(),
            little: pairs.filter(has).collect(),
            order: all.iter().map(form).collect(),
            stems,
            pointed,
        }
    }

    /// The words that say something.
    pub(crate) fn stems(&self) -> &BTreeSet<String> {
        &self.stems
    }

    /// Whether both are the same words in the same order.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.order == other.order
    }

    /// How many of the words of both are in both, from 0 to 1.
    pub(crate) fn likeness(&self, other: &Self) -> f64 {
        let shared = self.stems.intersection(&other.stems).count();
        let all = self.stems.len() + other.stems.len() - shared;
        #[expect(clippy::cast_precision_loss, reason = "numbers of words")]
        let likeness = shared as f64 / all.max(1) as f64;
        likeness
    }

    /// Whether one says something else than the other, however alike the words are.
    pub(crate) fn differs(&self, other: &Self) -> bool {
        self.numbers != other.numbers
            || self.negations % 2 != other.negations % 2
            || self.has_words_in_place_of(other)
            || self.takes_back(other)
            || self.points_elsewhere(other)
    }

    /// Whether both have a word that the other lacks in every form.
    fn has_words_in_place_of(&self, other: &Self) -> bool {
        let lacks = |a: &Self, b: &Self| {
            let mut own = a.stems.difference(&b.stems);
            own.any(|own| !b.stems.iter().any(|it| are_forms_of_one(own, it)))
        };
        lacks(self, other) && lacks(other, self)
    }

    fn takes_back(&self, other: &Self) -> bool {
        let only_in =
            |a: &Self, b: &Self, word| a.little.contains(word) && !b.little.contains(word);
        CONTRARIES.iter().any(|(a, b)| {
            (only_in(self, other, a) && only_in(other, self, b))
                || (only_in(self, other, b) && only_in(other, self, a))
        })
    }

    /// Whether a word that both have points at another one here than there.
    fn points_elsewhere(&self, other: &Self) -> bool {
        let at = |of: &Self, pointer: &str| -> BTreeSet<String> {
            let own = of.pointed.iter().filter(|(it, _)| *it == pointer);
            own.map(|(_, next)| next.clone()).collect()
        };
        let mut pointers = self.pointed.iter().map(|(pointer, _)| pointer);
        pointers.any(|pointer| {
            let (own, others) = (at(self, pointer), at(other, pointer));
            !others.is_empty() && own != others
        })
    }
}

fn is_negation(word: &Word) -> bool {
    NEGATIONS.contains(&word.folded.as_str())
}

/// The word of which it matters what follows, if it is one; all that deny are `not`.
fn pointer(word: &Word) -> Option<&'static str> {
    if is_negation(word) {
        return Some(NEGATIONS[0]);
    }
    let mut known = POINTERS.iter().copied();
    known.find(|known| *known == word.folded)
}

/// A word in the form that all its forms have.
fn form(word: &Word) -> String {
    if is_negation(word) {
        return NEGATIONS[0].to_owned();
    }
    let found = IRREGULAR.binary_search_by_key(&word.folded.as_str(), |(form, _)| form);
    found.map_or_else(|_| word.stem.clone(), |place| stem(IRREGULAR[place].1))
}

fn are_forms_of_one(a: &str, b: &str) -> bool {
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b);
    same.count() >= SAME_LETTERS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(a: &str, b: &str, differs: bool) {
        let (a, b) = (Wording::of(a), Wording::of(b));
        assert_eq!(a.differs(&b), differs);
        assert_eq!(b.differs(&a), differs, "the same both ways");
    }

    #[test]
    fn numbers_negations_contraries_and_order_make_a_difference() {
        check("wait 30 seconds", "wait 60 seconds", true);
        check("use tabs", "do not use tabs", true);
        check("enable the cache", "disable the cache", true);
        check("Redis over Postgres", "Postgres over Redis", true);
        check(
            "migrate from a.rs to b.rs",
            "migrate from b.rs to a.rs",
            true,
        );
    }

    #[test]
    fn other_words_for_the_same_and_another_order_where_it_says_nothing_do_not() {
        check(
            "The login form has an SQL injection",
            "SQL injection in the login form",
            false,
        );
        check("never commit secrets", "Do not commit secrets!", false);
        check("Retry 3 times", "retry three or 3 times", false);
    }

    #[test]
    fn likeness_is_the_part_of_the_words_that_both_have() {
        let likeness = |a, b| Wording::of(a).likeness(&Wording::of(b));
        assert!((likeness("cache the tokens", "the token cache") - 1.0).abs() < 1e-9);
        assert!((likeness("cache tokens", "cache pages") - 1.0 / 3.0).abs() < 1e-9);
        assert!(likeness("", "cache").abs() < 1e-9);
    }
}
