//! Anonymising: a session that can be handed on, without who and where.
//!
//! Users become `User-1`, projects `Project-A`, paths `/path/1`, e-mail
//! addresses `Email-1`, the same wherever they occur; secrets are redacted.
//! Kinds, times, scores, handles and links stay, and the original is not
//! touched. [`Anonymizer::key`] says what stands for what, for whoever may
//! know. `names` finds names in texts, `paths` paths, `fields` goes through a memory.

mod fields;
mod names;
mod paths;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};

use names::Names;

use crate::config::Config;
use crate::error::Result;
use crate::memory::{AgentId, Memory, MemoryId};
use crate::redact::Redactor;
use crate::session::Session;

/// What is replaced; by default everything.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each can be kept by itself")]
pub struct Options {
    /// Names of users.
    pub users: bool,
    /// Names of projects.
    pub projects: bool,
    /// Absolute paths, and paths from the home folder.
    pub paths: bool,
    /// E-mail addresses, phone numbers, IBANs and card numbers.
    pub contacts: bool,
    /// More names of people, as nothing but its writer knows who is spoken of.
    pub names: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            users: true,
            projects: true,
            paths: true,
            contacts: true,
            names: Vec::new(),
        }
    }
}

/// Names that say nothing about who it is.
const NOBODY: [&str; 12] = [
    "user",
    "users",
    "assistant",
    "system",
    "agent",
    "human",
    "admin",
    "anonymous",
    "unknown",
    "default",
    "me",
    "tool",
];

/// Replaces what says who and where, the same way throughout.
#[derive(Debug)]
pub struct Anonymizer {
    options: Options,
    redactor: Redactor,
    names: Names,
    /// What stands for what was found in texts, by class and text.
    found: HashMap<(&'static str, String), String>,
    /// How many of each class have a placeholder.
    counts: HashMap<&'static str, usize>,
    /// What stands for what, for whoever may know.
    key: BTreeMap<String, String>,
    ids: HashMap<MemoryId, MemoryId>,
    used_ids: HashSet<MemoryId>,
}

impl Anonymizer {
    /// Learns who takes part in a session, and what it is about.
    pub fn new(session: &Session, memories: &[Memory], options: Options) -> Self {
        let mut anonymizer = Self {
            redactor: Redactor::of_everything(&Config::default().privacy),
            names: Names::default(),
            found: HashMap::new(),
            counts: HashMap::new(),
            key: BTreeMap::new(),
            ids: HashMap::new(),
            used_ids: HashSet::new(),
            options,
        };
        if anonymizer.options.users {
            anonymizer.learn_users(session, memories);
        }
        if anonymizer.options.projects {
            let projects = memories.iter().flat_map(fields::projects);
            for project in session.details.project.iter().cloned().chain(projects) {
                anonymizer.learn("Project", &project);
            }
        }
        anonymizer
    }

    fn learn_users(&mut self, session: &Session, memories: &[Memory]) {
        let agents = &session.details.agents;
        let is_agent = |name: &str| agents.iter().any(|agent| agent == name);
        let said = session.details.user.iter().cloned();
        let named = self.options.names.clone();
        let people = memories.iter().flat_map(fields::people);
        for name in said.chain(named).chain(people) {
            let is_nobody = NOBODY.iter().any(|word| name.eq_ignore_ascii_case(word));
            if !is_agent(&name) && !is_nobody {
                self.learn("User", &name);
            }
        }
    }

    /// Gives a name its placeholder.
    fn learn(&mut self, class: &'static str, name: &str) {
        let name = name.trim();
        if name.is_empty() || self.names.knows(name) || name == "*" {
            return;
        }
        let placeholder = self.next(class);
        self.names.add(name, &placeholder, class == "User");
        self.found
            .insert(("Email", name.to_lowercase()), placeholder.clone());
        self.key.insert(placeholder, name.to_owned());
    }

    /// `User-1`, `User-2`; projects have letters.
    fn next(&mut self, class: &'static str) -> String {
        let count = self.counts.entry(class).or_default();
        *count += 1;
        match class {
            "Project" => format!("Project-{}", letters(*count)),
            "/path" => format!("/path/{count}"),
            _ => format!("{class}-{count}"),
        }
    }

    /// What stands for this; the same each time.
    fn stand_in(&mut self, class: &'static str, original: &str) -> String {
        let known = (class, original.to_lowercase());
        if let Some(placeholder) = self.found.get(&known) {
            return placeholder.clone();
        }
        let placeholder = self.next(class);
        self.found.insert(known, placeholder.clone());
        self.key.insert(placeholder.clone(), original.to_owned());
        placeholder
    }

    /// A text without who and where.
    pub fn text(&mut self, text: &str) -> String {
        let mut pieces = vec![Piece::Left(text.to_owned())];
        pieces = self.contacts(pieces);
        if self.options.paths {
            pieces = each_left(pieces, |text| {
                paths::find(text)
                    .into_iter()
                    .map(|range| (range.clone(), self.stand_in("/path", &text[range])))
                    .collect()
            });
        }
        pieces = each_left(pieces, |text| self.names.find(text));
        pieces
            .into_iter()
            .map(|piece| match piece {
                Piece::Left(text) | Piece::Done(text) => text,
            })
            .collect()
    }

    /// Secrets are redacted; what reaches a person gets a placeholder of its own.
    fn contacts(&mut self, pieces: Vec<Piece>) -> Vec<Piece> {
        let redactor = self.redactor.clone();
        each_left(pieces, |text| {
            let found = redactor.find(text);
            found
                .into_iter()
                .filter_map(|(range, class)| {
                    let of_a_person = match class.as_str() {
                        "email" => "Email",
                        "phone" => "Phone",
                        "iban" => "Iban",
                        "card" => "Card",
                        secret => return Some((range, format!("[REDACTED:{secret}]"))),
                    };
                    self.options
                        .contacts
                        .then(|| (range.clone(), self.stand_in(of_a_person, &text[range])))
                })
                .collect()
        })
    }

    /// What stands for what: the placeholder, and the original.
    pub fn key(&self) -> &BTreeMap<String, String> {
        &self.key
    }

    /// An agent keeps its name, unless a user has the same.
    fn agent(&mut self, agent: &AgentId) -> AgentId {
        let text = self.text(agent.as_str());
        text.parse().unwrap_or_else(|_| agent.clone())
    }
}

/// A session that can be handed on.
#[derive(Clone, Debug)]
pub struct Anonymized {
    /// The session.
    pub session: Session,
    /// Its memories that are not forgotten, in the order in which they were kept.
    pub memories: Vec<Memory>,
    /// What stands for what: the placeholder, and the original.
    pub key: BTreeMap<String, String>,
}

impl Anonymized {
    /// Of a session with these memories.
    pub fn of(session: &Session, memories: &[Memory], options: Options) -> Result<Self> {
        let mut anonymizer = Anonymizer::new(session, memories, options);
        let new = memories.iter().map(|memory| anonymizer.memory(memory));
        let memories = new.collect::<Result<_>>()?;
        Ok(Self {
            session: anonymizer.session(session),
            memories,
            key: anonymizer.key,
        })
    }
}

/// A part of a text: still to be looked at, or done.
enum Piece {
    Left(String),
    Done(String),
}

/// Looks at what is left, and replaces what is found there.
fn each_left(
    pieces: Vec<Piece>,
    mut find: impl FnMut(&str) -> Vec<(std::ops::Range<usize>, String)>,
) -> Vec<Piece> {
    let mut all = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let Piece::Left(text) = piece else {
            all.push(piece);
            continue;
        };
        let mut from = 0;
        for (range, placeholder) in find(&text) {
            all.push(Piece::Left(text[from..range.start].to_owned()));
            all.push(Piece::Done(placeholder));
            from = range.end;
        }
        all.push(Piece::Left(text[from..].to_owned()));
    }
    all
}

/// A to Z, then AA.
fn letters(number: usize) -> String {
    let mut rest = number;
    let mut letters = Vec::new();
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'A' + u8::try_from(rest % 26).unwrap_or(0)));
        rest /= 26;
    }
    letters.iter().rev().collect()
}
