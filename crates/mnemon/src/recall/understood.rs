//! What a question is about: names, dates, and what is left when they are gone.

use std::collections::BTreeSet;

use jiff::civil::Date;

use super::authors::{Author, Authors};
use super::document::year;
use super::probe::{Probe, Term};
use super::question::Question;
use super::stop_words::is_stop_word;
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
        let named = named(&spoken, authors);
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
            meaning: without(question.text(), &name_parts),
        }
    }
}

/// The authors whose whole name is in the question; if none is, those with a part of it.
fn named<'a>(spoken: &[String], authors: &'a Authors) -> Vec<&'a Author> {
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
    let select = |fits: &dyn Fn(&[String]) -> bool| -> Vec<&'a Author> {
        let somebody = |author: &&Author| author.words.iter().any(is_somebody);
        let fitting = authors.iter().filter(somebody);
        fitting.filter(|author| fits(&author.words)).collect()
    };
    let found = select(&whole);
    if found.is_empty() {
        select(&part)
    } else {
        found
    }
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
    for (word, stem) in question.words().filter(|(word, _)| !names.contains(*word)) {
        take(Term::Stem(stem.to_owned()), Some(word));
    }
    for term in question.terms() {
        if !matches!(term, Term::Stem(_)) {
            take(term, None);
        }
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
        let typed: Vec<&str> = text
            .split(|character: char| !character.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let lower: Vec<String> = typed.iter().map(|word| word.to_lowercase()).collect();
        let month = typed.iter().zip(&lower).find_map(|(typed, lower)| {
            let number = MONTHS.iter().position(|name| name == lower)?;
            // Not everybody who may march asks for a month.
            let plain = matches!(lower.as_str(), "may" | "march");
            let meant = !plain || typed.starts_with(char::is_uppercase);
            i8::try_from(number + 1).ok().filter(|_| meant)
        });
        let date = Self {
            year: lower.iter().find_map(|word| year(word)),
            month,
            day: month.and_then(|_| lower.iter().find_map(|word| day(word))),
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
                Some(5),
                "did Tomas call   dept",
            ),
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
