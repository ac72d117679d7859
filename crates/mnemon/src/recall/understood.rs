//! What a question is about: names, dates, and what is left when they are gone.

use std::collections::BTreeSet;

use jiff::civil::Date;

use super::authors::{Author, Authors};
use super::document::name_words;
use super::probe::{Probe, Term};
use super::question::Question;
use super::stop_words::is_stop_word;
use super::when_words::year;
use super::words::words;

/// Authors of these names are roles that everybody has, not somebody.
const ROLES: [&str; 8] = [
    "agent",
    "ai",
    "assistant",
    "bot",
    "human",
    "system",
    "tool",
    "user",
];

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// A question, read with the knowledge of who writes in this store.
#[derive(Clone, Debug)]
pub(crate) struct Understood {
    /// What a text could contain of it; names last.
    pub(crate) terms: Vec<Term>,
    /// For each term the word as it was typed; none for phrases, wildcards and names.
    pub(crate) surface: Vec<Option<String>>,
    /// The author that is named, if it is one and no other.
    pub(crate) author: Option<u32>,
    /// The day, month or year that is asked about.
    pub(crate) date: Option<AskedDate>,
    /// Whether it asks for a time.
    pub(crate) asks_when: bool,
    /// What to embed: the question without the names.
    pub(crate) meaning: String,
}

/// A day of a month, a month, or a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AskedDate {
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
}

impl Understood {
    pub(crate) fn new(question: &Question, authors: &Authors) -> Self {
        let spoken: Vec<String> = words(question.text())
            .into_iter()
            .map(|word| word.folded)
            .collect();
        let named = named(question.text(), &spoken, authors);
        let name_parts: BTreeSet<String> = named
            .iter()
            .flat_map(|author| &author.words)
            .filter(|word| spoken.contains(word) && !is_stop_word(word))
            .cloned()
            .collect();
        let (terms, surface) = terms(question, &name_parts);
        Self {
            terms,
            surface,
            author: match named[..] {
                [only] => Some(only.number),
                _ => None,
            },
            date: AskedDate::of(question.text()),
            asks_when: asks_when(&spoken),
            meaning: meaning_of(question.text(), &name_parts),
        }
    }
}

/// Before a name that could be another word too: `what did billing say`.
const BEFORE_NAMES: [&str; 10] = [
    "ask", "asked", "by", "did", "does", "from", "had", "has", "tell", "told",
];

/// After one: `what architect decided`.
const AFTER_NAMES: [&str; 12] = [
    "asked",
    "decided",
    "found",
    "prefers",
    "proposed",
    "reported",
    "said",
    "say",
    "says",
    "suggested",
    "wants",
    "wrote",
];

/// What is left to mean something when the names are gone, or all of it if nothing is.
fn meaning_of(text: &str, names: &BTreeSet<String>) -> String {
    let left = without(text, names);
    if words(&left).iter().any(|word| !word.says_nothing) {
        left
    } else {
        text.to_owned()
    }
}

/// The authors whose whole name is in the question; if none is, those with a part of it.
///
/// Agents are often called by what they do (`search-agent`, `billing`): such a
/// name has to be there whole, and if it is one word, be used like a name.
fn named<'a>(text: &str, spoken: &[String], authors: &'a Authors) -> Vec<&'a Author> {
    let is_somebody = |word: &String| !is_stop_word(word) && !ROLES.contains(&word.as_str());
    let whole = |words: &[String]| spoken.windows(words.len()).any(|run| run == words);
    let part = |words: &[String]| {
        words.iter().any(|word| {
            is_somebody(word)
                && word.chars().count() >= 3
                && word.chars().all(char::is_alphabetic)
                && spoken.contains(word)
        })
    };
    let select = |fits: &dyn Fn(&Author) -> bool| -> Vec<&'a Author> {
        let somebody = |author: &&Author| author.words.iter().any(is_somebody);
        let fitting = authors.iter().filter(somebody);
        fitting.filter(|author| fits(author)).collect()
    };
    let found = select(&|author| match &author.words[..] {
        [word] if !author.is_proper_name() => is_used_as_name(word, text, spoken),
        words => whole(words),
    });
    if found.is_empty() {
        select(&|author| author.is_proper_name() && part(&author.words))
    } else {
        found
    }
}

/// Whether an ordinary word is meant as somebody: written large inside of the
/// text, after an @, before `'s`, or where names stand.
fn is_used_as_name(word: &str, text: &str, spoken: &[String]) -> bool {
    let runs = text.split_whitespace().enumerate();
    let is_marked = runs.into_iter().any(|(place, run)| {
        let belongs = run.ends_with("'s") || run.ends_with("’s");
        let is_large = place > 0 && run.starts_with(char::is_uppercase);
        // Most runs have no mark, so reading them comes last.
        let is_it = || name_words(run).first().is_some_and(|first| first == word);
        (run.starts_with('@') || belongs || is_large) && is_it()
    });
    let beside = |place: usize| {
        let before = place.checked_sub(1).and_then(|before| spoken.get(before));
        let after = spoken.get(place + 1);
        before.is_some_and(|before| BEFORE_NAMES.contains(&before.as_str()))
            || after.is_some_and(|after| AFTER_NAMES.contains(&after.as_str()))
    };
    let places = spoken.iter().enumerate();
    is_marked
        || places
            .into_iter()
            .any(|(place, own)| own == word && beside(place))
}

fn terms(question: &Question, names: &BTreeSet<String>) -> (Vec<Term>, Vec<Option<String>>) {
    let mut terms = Vec::new();
    let mut surface = Vec::new();
    let mut take = |term: Term, word: Option<&str>| {
        if terms.len() < Probe::TERMS_MAX && !terms.contains(&term) {
            terms.push(term);
            surface.push(word.map(ToOwned::to_owned));
        }
    };
    // What has to be there comes first, so that no excess of words crowds it out.
    for term in question.terms() {
        if !matches!(term, Term::Stem(_)) {
            take(term, None);
        }
    }
    for (word, stem) in question.words().filter(|(word, _)| !names.contains(*word)) {
        take(Term::Stem(stem.to_owned()), Some(word));
    }
    for name in names {
        let stem = super::words::stem(name);
        let word = name.clone();
        take(Term::Name { word, stem }, None);
    }
    (terms, surface)
}

/// The text with some words blanked out, and what shows that they own something.
fn without(text: &str, names: &BTreeSet<String>) -> String {
    if names.is_empty() {
        return text.to_owned();
    }
    let is_part =
        |character: char| character.is_alphanumeric() || "'\u{2018}\u{2019}".contains(character);
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let split = rest
            .find(|character| !is_part(character))
            .unwrap_or(rest.len());
        let (run, behind) = rest.split_at(split);
        let is_name = words(run).iter().all(|word| names.contains(&word.folded));
        kept.push_str(if is_name && !run.is_empty() { " " } else { run });
        let next = behind.find(is_part).unwrap_or(behind.len());
        kept.push_str(&behind[..next]);
        rest = &behind[next..];
    }
    kept
}

fn asks_when(spoken: &[String]) -> bool {
    const UNITS: [&str; 6] = ["date", "day", "month", "time", "week", "year"];
    let pair = |fits: &dyn Fn(&str, &str) -> bool| {
        let pairs = spoken.windows(2);
        pairs.into_iter().any(|pair| fits(&pair[0], &pair[1]))
    };
    spoken.iter().take(2).any(|word| word == "when")
        || pair(&|first, second| first == "how" && second == "long")
        || pair(&|first, second| matches!(first, "what" | "which") && UNITS.contains(&second))
}

impl AskedDate {
    fn of(text: &str) -> Option<Self> {
        if let Some(written) = text.split_whitespace().find_map(iso_date) {
            return Some(written);
        }
        let typed: Vec<&str> = text
            .split(|character: char| !character.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let lower: Vec<String> = typed.iter().map(|word| word.to_lowercase()).collect();
        let number_at = |place: usize| lower.get(place).and_then(|word| day(word));
        let month = (0..typed.len()).find_map(|place| {
            let number = month(typed[place], &lower[place])?;
            // `8 March`, `8th of March`, `March 8`: other numbers count something else.
            let before = place.checked_sub(1);
            let of = before.filter(|before| lower[*before] == "of");
            let before = of.and_then(|of| of.checked_sub(1)).or(before);
            let day = before.and_then(number_at).or_else(|| number_at(place + 1));
            Some((number, day))
        });
        let date = Self {
            year: lower.iter().find_map(|word| year(word)),
            month: month.map(|(month, _)| month),
            day: month.and_then(|(_, day)| day),
        };
        (date.year.is_some() || date.month.is_some()).then_some(date)
    }

    /// 1 if a day lies in what is asked for, less if it comes soon after, 0 if not.
    pub(crate) fn fits(self, day: Date) -> f64 {
        match self.year {
            Some(year) => self.fits_in(year, day),
            // Last December may be nearer than the next one.
            None => f64::max(
                self.fits_in(day.year(), day),
                self.fits_in(day.year() - 1, day),
            ),
        }
    }

    fn fits_in(self, year: i16, day: Date) -> f64 {
        /// What is told soon after is worth something too, for two weeks.
        const SOON: f64 = 0.8;
        const SOON_DAYS: f64 = 14.0;
        let Some((first, last)) = self.span(year) else {
            return 0.0;
        };
        if day < first {
            return 0.0;
        }
        if day <= last {
            return 1.0;
        }
        let late = f64::from((day - last).get_days());
        SOON * f64::max(0.0, 1.0 - late / SOON_DAYS)
    }

    /// The first and the last day; the whole month if it has no such day.
    fn span(self, year: i16) -> Option<(Date, Date)> {
        let Some(month) = self.month else {
            return Some((Date::new(year, 1, 1).ok()?, Date::new(year, 12, 31).ok()?));
        };
        if let Some(day) = self.day.and_then(|day| Date::new(year, month, day).ok()) {
            return Some((day, day));
        }
        let first = Date::new(year, month, 1).ok()?;
        Some((first, first.last_of_month()))
    }
}

/// A month's name, or the beginning of it: `March`, `Mar`, `Sept`.
fn month(typed: &str, lower: &str) -> Option<i8> {
    let is_short = (3..=4).contains(&lower.len());
    let number = MONTHS
        .iter()
        .position(|name| *name == lower || (is_short && name.starts_with(lower)))?;
    // Not everybody who may march asks for a month.
    let plain = matches!(lower, "may" | "march") || (is_short && MONTHS[number] != lower);
    let meant = !plain || typed.starts_with(char::is_uppercase);
    i8::try_from(number + 1).ok().filter(|_| meant)
}

/// `2026-05-21`, or `2026-05`.
fn iso_date(word: &str) -> Option<AskedDate> {
    let word = word.trim_matches(|character: char| !character.is_ascii_digit());
    let mut parts = word.split('-');
    let (year, month) = (year(parts.next()?)?, parts.next()?);
    let month: i8 = month.parse().ok().filter(|_| month.len() == 2)?;
    let date = AskedDate {
        year: Some(year),
        month: Some(month).filter(|month| (1..=12).contains(month)),
        day: parts.next().and_then(day),
    };
    date.month.map(|_| date)
}

/// `8`, `8th`, `23rd`.
fn day(word: &str) -> Option<i8> {
    let endings = ["st", "nd", "rd", "th"];
    let ending = endings.iter().find_map(|ending| word.strip_suffix(ending));
    let digits = ending.unwrap_or(word);
    let day: i8 = digits.parse().ok().filter(|_| digits.len() <= 2)?;
    (1..=31).contains(&day).then_some(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn understand(text: &str, authors: &[&str]) -> Understood {
        let authors = Authors::new((1..).zip(authors.iter().map(ToString::to_string)));
        Understood::new(&Question::parse(text).unwrap(), &authors)
    }

    #[test]
    fn names_are_told_from_other_words() {
        let authors = ["Priya", "Tomas Berg", "user", "agent-9", "billing"];
        let cases = [
            (
                "What colour is Tomas's boat?",
                Some(2),
                "What colour is   boat?",
            ),
            ("When did Tomas Berg start?", Some(2), "When did     start?"),
            ("did Priya call Tomas", Some(1), "did   call Tomas"),
            (
                "did Tomas call billing dept",
                Some(2),
                "did   call billing dept",
            ),
            ("billing address", None, "billing address"),
            ("ask @billing about it", Some(5), "ask @  about it"),
            ("is this billing's job", Some(5), "is this   job"),
            ("agent findings", None, "agent findings"),
            ("Priya", Some(1), "Priya"),
            ("what did the user report", None, "what did the user report"),
            ("agent-9 findings", Some(4), " -  findings"),
            ("What did billing say", Some(5), "What did   say"),
            ("dark mode", None, "dark mode"),
        ];
        for (text, author, meaning) in cases {
            let understood = understand(text, &authors);
            assert_eq!(understood.author, author, "{text}");
            assert_eq!(understood.meaning, meaning, "{text}");
        }
        let terms = understand("did Tomas Berg call Priya", &authors).terms;
        let names = terms
            .iter()
            .filter(|term| matches!(term, Term::Name { .. }));
        assert_eq!(names.count(), 3);
    }

    #[test]
    fn a_date_is_read_and_compared() {
        let day = |text: &str| text.parse::<Date>().unwrap();
        let cases = [
            ("in May 2024", "2024-05-12", 1.0),
            ("in May 2024", "2024-06-07", 0.8 * 0.5),
            ("in May 2024", "2024-04-30", 0.0),
            ("what may happen", "2024-05-12", 0.0),
            ("on 8 March 2025", "2025-03-08", 1.0),
            ("on March 8th", "2025-03-09", 0.8 * (1.0 - 1.0 / 14.0)),
            ("in December", "2025-01-07", 0.8 * 0.5),
            ("on 31 June 2025", "2025-06-03", 1.0),
            ("in 2023", "2023-12-31", 1.0),
            ("shipped on 2026-05-21?", "2026-05-21", 1.0),
            ("shipped on 2026-05-21?", "2026-03-02", 0.0),
            ("in 2026-05", "2026-05-02", 1.0),
            ("in Mar 2026", "2026-03-30", 1.0),
            ("in Mar 2026", "2026-02-28", 0.0),
            ("the mar is 5", "2026-03-05", 0.0),
            ("which 3 things in May 2026", "2026-05-21", 1.0),
            ("the 8th of March 2025", "2025-03-08", 1.0),
            ("the 8th of March 2025", "2025-03-07", 0.0),
        ];
        for (text, on, expected) in cases {
            let fits = AskedDate::of(text).map_or(0.0, |date| date.fits(day(on)));
            assert!((fits - expected).abs() < 1e-12, "{text} {on}: {fits}");
        }
    }

    #[test]
    fn a_question_for_a_time_is_recognised() {
        for text in [
            "When did it start",
            "since when",
            "how long is it",
            "which year was it",
        ] {
            assert!(understand(text, &[]).asks_when, "{text}");
        }
        for text in ["tell me when", "what happened", "how many years"] {
            assert!(!understand(text, &[]).asks_when, "{text}");
        }
    }
}
