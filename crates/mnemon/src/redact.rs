//! Redaction: what must not be kept is taken out before it is stored.
//!
//! A [`Redactor`] replaces what it finds by `[REDACTED:class]` and says how
//! much of each class it was, never what. Secrets are looked for unless the
//! settings say otherwise, personal data if they ask for it.
//!
//! Invariant: redacting twice is redacting once, and nothing outside of what
//! was found changes. Every detector works in a time linear in the text.
//! `page` keeps what was found, `gap` is what a detector sees of it.

mod assigned;
mod bearer;
mod bot_token;
mod card;
mod email;
mod fields;
mod gap;
mod iban;
mod known_key;
mod long_key;
mod page;
mod pattern;
mod phone;
mod private_key;
mod url;
mod web_token;

#[cfg(test)]
mod hostile;

use std::collections::HashMap;

pub use pattern::Pattern;

use gap::Gap;
use page::Page;
use serde::Deserialize;

use crate::config::PrivacyConfig;

/// What the settings can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// Keys, tokens, passwords and card numbers: whoever knows one can use it.
    Secrets,
    /// E-mail addresses, phone numbers and IBANs.
    Personal,
    /// Numbers of payment cards.
    Card,
    /// E-mail addresses.
    Email,
    /// International bank account numbers.
    Iban,
    /// Phone numbers.
    Phone,
}

impl Subject {
    /// The words for them, as the settings write them.
    pub const WORDS: &[&str] = &["secrets", "personal", "card", "email", "iban", "phone"];

    fn includes(self, other: Subject) -> bool {
        self == other
            || match self {
                Self::Secrets => other == Self::Card,
                Self::Personal => matches!(other, Self::Email | Self::Iban | Self::Phone),
                _ => false,
            }
    }
}

/// How much of one class was taken out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction {
    /// The class: `password`, `github_token`, `email`…
    pub class: String,
    /// How many.
    pub count: u64,
}

/// A text after redaction, and what was taken out of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted {
    /// What may be kept.
    pub text: String,
    /// What was taken out, in the order in which each class first occurs.
    pub redactions: Vec<Redaction>,
}

/// Finds what must not be kept.
#[derive(Clone, Debug)]
pub struct Redactor {
    subjects: Vec<Subject>,
    patterns: Vec<Pattern>,
}

/// Looks through a gap and hands on what it finds, with its class.
type Detector = fn(&Gap<'_>, &mut dyn FnMut(std::ops::Range<usize>, &'static str));

/// What each detector looks for, and the order: the surest first, because what
/// one has found the next ones do not see.
const DETECTORS: [(Subject, Detector); 12] = [
    (Subject::Secrets, private_key::find),
    (Subject::Secrets, known_key::find),
    (Subject::Secrets, bot_token::find),
    (Subject::Secrets, web_token::find),
    (Subject::Secrets, url::find),
    (Subject::Iban, iban::find),
    (Subject::Card, card::find),
    (Subject::Secrets, bearer::find),
    (Subject::Secrets, assigned::find),
    (Subject::Email, email::find),
    (Subject::Secrets, long_key::find),
    (Subject::Phone, phone::find),
];

/// How often a text is looked through again because the last time found something.
const ROUNDS_MAX: usize = 8;

impl Redactor {
    /// What the settings ask for.
    pub fn new(config: &PrivacyConfig) -> Self {
        Self {
            subjects: config.redact.clone(),
            patterns: config.patterns.clone(),
        }
    }

    /// Everything that is known, and the patterns of the settings.
    pub fn of_everything(config: &PrivacyConfig) -> Self {
        Self {
            subjects: vec![Subject::Secrets, Subject::Personal],
            patterns: config.patterns.clone(),
        }
    }

    /// Those who look for the secrets that the settings leave in; none if they leave none.
    pub(crate) fn of_secrets_left(&self) -> Option<Self> {
        (!self.looks_for(Subject::Secrets)).then(|| Self {
            subjects: vec![Subject::Secrets],
            patterns: Vec::new(),
        })
    }

    /// The text without what must not be kept.
    pub fn redact(&self, text: &str) -> Redacted {
        let mut report = Report::default();
        let text = self.redact_into(text, &mut report);
        Redacted {
            text: text.into_owned(),
            redactions: report.into_redactions(),
        }
    }

    /// What must not be kept, where it is and what it is, in order.
    pub(crate) fn find(&self, text: &str) -> Vec<(std::ops::Range<usize>, String)> {
        self.page(text).into_found()
    }

    /// As [`Self::redact`], for one text of many.
    fn redact_into<'t>(&self, text: &'t str, report: &mut Report) -> std::borrow::Cow<'t, str> {
        self.page(text).render(report)
    }

    fn page<'t>(&self, text: &'t str) -> Page<'t, '_> {
        let mut page = Page::new(text);
        if self.patterns.is_empty() && is_plain_word(text) {
            return page;
        }
        for pattern in &self.patterns {
            page.look_at_all(|text, found| pattern.find(text, found));
        }
        // How much was taken when each last looked; if no more is, it would find the same.
        let mut looked = [None; DETECTORS.len()];
        // What was found may have stood in the way of something beside it.
        for _ in 0..ROUNDS_MAX {
            let before = page.taken();
            for ((subject, find), looked) in DETECTORS.into_iter().zip(&mut looked) {
                if self.looks_for(subject) && *looked != Some(page.taken()) {
                    *looked = Some(page.taken());
                    page.look(|gap, found| find(gap, &mut |range, class| found(range, class)));
                }
            }
            if page.taken() == before {
                break;
            }
        }
        page
    }

    fn looks_for(&self, subject: Subject) -> bool {
        self.subjects.iter().any(|asked| asked.includes(subject))
    }
}

/// The longest word that is too short for a key.
const PLAIN_WORD_BYTES_MAX: usize = 12;

/// Whether no detector can find anything in it, as in most names of fields, and tags: no space,
/// no digit, no capital letter, no sign behind which a secret stands, and too short for a key.
fn is_plain_word(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || b"_.-".contains(&byte);
    text.len() <= PLAIN_WORD_BYTES_MAX && text.bytes().all(is_plain)
}

/// Counts by class, in the order of first occurrence.
#[derive(Debug, Default)]
struct Report {
    redactions: Vec<Redaction>,
    places: HashMap<String, usize>,
}

impl Report {
    fn count(&mut self, class: &str) {
        match self.places.get(class) {
            Some(place) => self.redactions[*place].count += 1,
            None => {
                self.places.insert(class.to_owned(), self.redactions.len());
                self.redactions.push(Redaction {
                    class: class.to_owned(),
                    count: 1,
                });
            }
        }
    }

    fn into_redactions(self) -> Vec<Redaction> {
        self.redactions
    }
}

/// Adds up what was taken out of several memories.
pub fn sum<'a>(redactions: impl IntoIterator<Item = &'a Redaction>) -> Vec<Redaction> {
    let mut total: Vec<Redaction> = Vec::new();
    for redaction in redactions {
        match total.iter_mut().find(|one| one.class == redaction.class) {
            Some(one) => one.count += redaction.count,
            None => total.push(redaction.clone()),
        }
    }
    total
}
