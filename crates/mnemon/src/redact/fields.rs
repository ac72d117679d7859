//! Redaction of everything that is written: texts, bodies, metadata, tags, reasons.
//!
//! Ids, authors, times and relations stay as they are: other memories and
//! questions name them. A vector or a count of tokens goes with its text.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::page::placeholder;
use super::{Redaction, Redactor, Report, Subject, assigned};
use crate::error::Result;
use crate::memory::{Body, Draft, Resolution, Revision, Tag, Text};
use crate::session::SessionDetails;

/// Deeper than this nothing is kept, so nothing needs to be looked at.
const DEPTH_MAX: usize = 100;

impl Redactor {
    /// Takes out of a draft what must not be kept, and says what that was.
    pub fn redact_draft(&self, draft: &mut Draft) -> Result<Vec<Redaction>> {
        let mut report = Report::default();
        if self.text(&mut draft.text, &mut report)? {
            draft.embedding = None;
            draft.tokens = None;
        }
        if !draft.body.is_empty() {
            let mut body = draft.body.to_map();
            if self.map(&mut body, &mut report) {
                draft.body = Body::from_map(draft.body.kind(), body)?;
            }
        }
        self.map(&mut draft.metadata, &mut report);
        self.tags(&mut draft.tags, &mut report);
        Ok(report.into_redactions())
    }

    /// As [`Self::redact_draft`], for what a revision brings along.
    pub fn redact_revision(&self, revision: &mut Revision) -> Result<Vec<Redaction>> {
        let mut report = Report::default();
        if let Some(text) = &mut revision.text
            && self.text(text, &mut report)?
        {
            revision.embedding = None;
        }
        self.map(&mut revision.body, &mut report);
        self.map(&mut revision.metadata, &mut report);
        self.tags(&mut revision.add_tags, &mut report);
        if let Some(Resolution::Resolve(how)) = &mut revision.resolution {
            self.string(how, &mut report);
        }
        Ok(report.into_redactions())
    }

    /// As [`Self::redact_draft`], for what is said about a session.
    pub fn redact_details(&self, details: &mut SessionDetails) -> Vec<Redaction> {
        let mut report = Report::default();
        for text in [&mut details.project, &mut details.phase]
            .into_iter()
            .flatten()
        {
            self.string(text, &mut report);
        }
        self.map(&mut details.metadata, &mut report);
        self.map(&mut details.preferences, &mut report);
        self.tags(&mut details.tags, &mut report);
        report.into_redactions()
    }

    /// As [`Self::redact`], in place.
    pub fn redact_text(&self, text: &mut String) -> Vec<Redaction> {
        let mut report = Report::default();
        self.string(text, &mut report);
        report.into_redactions()
    }

    /// Takes out of a value of this name what must not be kept.
    pub fn redact_value(&self, name: &str, value: &mut Value) -> Vec<Redaction> {
        let mut report = Report::default();
        self.value(name, value, 0, &mut report);
        report.into_redactions()
    }

    fn text(&self, text: &mut Text, report: &mut Report) -> Result<bool> {
        let Cow::Owned(redacted) = self.redact_into(text.as_str(), report) else {
            return Ok(false);
        };
        *text = redacted.try_into()?;
        Ok(true)
    }

    fn string(&self, text: &mut String, report: &mut Report) -> bool {
        match self.redact_into(text, report) {
            Cow::Borrowed(_) => false,
            Cow::Owned(redacted) => {
                *text = redacted;
                true
            }
        }
    }

    fn tags(&self, tags: &mut [Tag], report: &mut Report) {
        for tag in tags {
            if let Cow::Owned(redacted) = self.redact_into(tag.as_str(), report) {
                // Several placeholders may be longer than a tag; one says enough.
                *tag = redacted
                    .parse()
                    .or_else(|_| placeholder("tag").parse())
                    .expect("a placeholder is a tag");
            }
        }
    }

    fn map(&self, map: &mut Map<String, Value>, report: &mut Report) -> bool {
        self.members(map, 0, report)
    }

    /// The members of an object, and their names; says whether any changed.
    fn members(&self, map: &mut Map<String, Value>, depth: usize, report: &mut Report) -> bool {
        // {"key": "password", "value": …} says it in two members.
        let said = ["key", "name"]
            .iter()
            .find_map(|name| Some(map.get(*name)?.as_str()?.to_owned()));
        let mut changed = false;
        let mut renamed = Vec::new();
        for (name, value) in map.iter_mut() {
            let announced = match &said {
                Some(said) if name == "value" => said,
                _ => name,
            };
            changed |= self.value(announced, value, depth, report);
            let new = self.redact_into(name, report);
            if new != name.as_str() {
                renamed.push((name.clone(), new.into_owned()));
            }
        }
        for (old, new) in renamed {
            changed = true;
            let Some(value) = map.remove(&old) else {
                continue;
            };
            let mut free = new.clone();
            let mut number = 2;
            while map.contains_key(&free) {
                free = format!("{new} {number}");
                number += 1;
            }
            map.insert(free, value);
        }
        changed
    }

    fn value(&self, name: &str, value: &mut Value, depth: usize, report: &mut Report) -> bool {
        if depth > DEPTH_MAX {
            return false;
        }
        match value {
            Value::String(text) => self.named_string(name, text, report),
            Value::Number(number) => {
                let mut text = number.to_string();
                let changed = self.named_string(name, &mut text, report);
                if changed {
                    *value = Value::String(text);
                }
                changed
            }
            Value::Array(items) => {
                let mut changed = false;
                for item in items {
                    changed |= self.value(name, item, depth + 1, report);
                }
                changed
            }
            Value::Object(members) => self.members(members, depth + 1, report),
            Value::Null | Value::Bool(_) => false,
        }
    }

    /// A text that a name stands before: the name may say that it is a secret.
    fn named_string(&self, name: &str, text: &mut String, report: &mut Report) -> bool {
        if self.string(text, report) {
            return true;
        }
        let class = assigned::class_of(name, text)
            .filter(|_| self.looks_for(Subject::Secrets) && !text.starts_with("[REDACTED:"));
        if let Some(class) = class {
            report.count(class);
            *text = placeholder(class);
        }
        class.is_some()
    }
}
