//! A conversation in Markdown or plain text: lines such as `**User:** …`,
//! `## Assistant` or `Human: …` say who speaks from there on.
//!
//! Only well-known names count, and none inside of a block of code, so that a
//! word before a colon is no speaker. Messages have no ids there: they are
//! named by the file, who spoke, the words, and how often that was said before.

use std::io::BufRead;

use mnemon::memory::Kind;
use mnemon::session::SessionDetails;
use mnemon::{Result, Time};
use serde_json::{Map, json};

use super::reading::{Message, Reading, plain_time};
use super::{ids, input};

/// Names of people, of models, and of neither.
const PEOPLE: [&str; 6] = ["user", "human", "you", "me", "prompt", "question"];
const MODELS: [&str; 15] = [
    "assistant",
    "ai",
    "bot",
    "chatgpt",
    "gpt",
    "gpt-4",
    "claude",
    "claude code",
    "gemini",
    "copilot",
    "github copilot",
    "model",
    "answer",
    "response",
    "cursor",
];
const OTHERS: [&str; 3] = ["system", "tool", "developer"];

/// Who speaks from a line on, and what the line says itself.
#[derive(Debug, PartialEq)]
pub(super) struct Speaker<'t> {
    role: &'static str,
    name: String,
    at: Option<Time>,
    rest: &'t str,
}

/// Whether people and models both speak in a text.
pub(super) fn looks_like_it(text: &str) -> bool {
    let mut roles: Vec<&str> = Vec::new();
    each_line(text, |_, line, in_code| {
        if !in_code && let Some(speaker) = speaker(line) {
            roles.push(speaker.role);
        }
    });
    roles.contains(&"user") && roles.contains(&"assistant")
}

/// Reads a conversation.
pub(super) fn read(input: &mut dyn BufRead, reading: &mut Reading<'_>) -> Result<()> {
    let whole = match input::text(input)? {
        Ok(whole) => whole,
        Err(problem) => return reading.problem("the file".into(), problem),
    };
    let mut turns: Vec<(u64, Option<Speaker<'_>>, String)> = vec![(1, None, String::new())];
    let mut title = None;
    each_line(&whole, |number, line, in_code| {
        let found = if in_code { None } else { speaker(line) };
        if let Some(found) = found {
            let rest = found.rest.to_owned();
            turns.push((number, Some(found), rest));
        } else if let Some((_, _, said)) = turns.last_mut() {
            said.push('\n');
            said.push_str(line);
        }
        if title.is_none() && number < 20 {
            title = line.strip_prefix("# ").map(|title| title.trim().to_owned());
        }
    });
    let first = turns.get(1).map_or("", |(_, _, said)| said.trim());
    let session = ids::readable("chat", reading.stem(), &[reading.stem(), first]);
    let details = SessionDetails {
        metadata: Map::from_iter([
            ("title".to_owned(), json!(title)),
            ("file".to_owned(), json!(reading.about.file)),
        ]),
        ..SessionDetails::default()
    };
    if turns.len() == 1 {
        let problem = "nobody speaks in it: no line begins with a name such as `User:`";
        return reading.problem("the file".into(), problem);
    }
    reading.session(session.clone(), details)?;
    let mut before = None;
    for (number, speaker, said) in turns {
        let said = trimmed(&said).to_owned();
        let (role, name, at) = match speaker {
            Some(speaker) => (speaker.role, speaker.name, speaker.at),
            // What stands before the first speaker: a title, where it comes from.
            None if said.is_empty() || Some(&said) == title.as_ref() => continue,
            None => ("preface", "unknown".to_owned(), None),
        };
        let nth = reading.occurrence(&[session.as_str(), role, &said]);
        let id = ids::memory(Kind::Conversation, &[session.as_str(), role, &said, &nth]);
        let mut message = Message::new(
            format!("line {number}"),
            id.clone(),
            Kind::Conversation,
            said,
        );
        message.author = if role == "user" {
            reading.about.user.to_owned()
        } else {
            name
        };
        message.at = at;
        message.body.insert("role".into(), json!(role));
        if role != "preface" && !message.text.is_empty() {
            message.parent = before.replace(id);
        }
        reading.message(message)?;
    }
    Ok(())
}

/// Without the rules that stand between turns.
fn trimmed(said: &str) -> &str {
    let mut said = said.trim();
    while let Some(rest) = ["---", "***", "___"].iter().find_map(|rule| {
        said.strip_suffix(rule)
            .filter(|rest| rest.is_empty() || rest.ends_with('\n'))
    }) {
        said = rest.trim_end();
    }
    said
}

/// Each line with its number and whether it stands in a block of code.
fn each_line<'t>(text: &'t str, mut each: impl FnMut(u64, &'t str, bool)) {
    let mut fence: Option<&str> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let start = line.trim_start();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => {
                each(number, line, true);
                fence = Some(mark);
            }
            (Some(open), Some(mark)) if open == mark => {
                each(number, line, true);
                fence = None;
            }
            _ => each(number, line, fence.is_some()),
        }
    }
}

/// Who speaks, if a line says so.
pub(super) fn speaker(line: &str) -> Option<Speaker<'_>> {
    let line = line.trim();
    // Quotes, lists and tables tell what others said.
    if line.starts_with(['>', '-', '|']) {
        return None;
    }
    let bare = line.trim_start_matches('#').trim_start();
    let is_heading = bare.len() < line.len();
    let marks = ["**", "__"];
    let (name, rest, is_marked) = match marks.iter().find_map(|mark| bare.strip_prefix(mark)) {
        Some(inner) => {
            let end = inner.find("**").or_else(|| inner.find("__"))?;
            (&inner[..end], &inner[end + 2..], true)
        }
        None if is_heading => (bare, "", true),
        None => {
            let (name, rest) = bare.split_once(':')?;
            (name, rest, false)
        }
    };
    let has_colon = name.trim_end().ends_with(':') || rest.trim_start().starts_with(':');
    let (name, at) = with_time(name.trim_end().trim_end_matches(':'));
    let rest = rest.trim_start();
    let rest = rest.strip_prefix(':').unwrap_or(rest).trim_start();
    let said = name
        .strip_suffix(" said")
        .or_else(|| name.strip_suffix(" Said"));
    let name = said
        .unwrap_or(name)
        .trim_matches(|c: char| !c.is_alphanumeric());
    // A word in bold within a sentence is nobody.
    if is_marked && !has_colon && !is_heading && !rest.is_empty() {
        return None;
    }
    let lower = name.to_lowercase();
    let role = if PEOPLE.contains(&lower.as_str()) {
        "user"
    } else if MODELS.contains(&lower.as_str()) {
        "assistant"
    } else {
        *OTHERS.iter().find(|other| **other == lower)?
    };
    Some(Speaker {
        role,
        name: lower,
        at,
        rest,
    })
}

/// A name, and the time in brackets behind it.
fn with_time(name: &str) -> (&str, Option<Time>) {
    let Some(start) = name.find(['(', '[']) else {
        return (name, None);
    };
    let inner = name[start + 1..].trim_end_matches([')', ']', ' ']);
    let at = inner.parse().ok().or_else(|| plain_time(inner));
    match at {
        Some(at) => (name[..start].trim_end(), Some(at)),
        None => (name, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_known_names_speak_and_other_words_do_not() {
        let cases = [
            ("**User:** hello", "user", "hello"),
            ("**User**: hello", "user", "hello"),
            ("**Human**", "user", ""),
            ("## Human", "user", ""),
            ("### Assistant:", "assistant", ""),
            ("#### You said:", "user", ""),
            ("ChatGPT said:", "assistant", ""),
            ("Claude: yes", "assistant", "yes"),
            ("> User: quoted", "", ""),
            ("User", "", ""),
            ("**user** names are long", "", ""),
            ("Note: this is", "", ""),
            ("## Humans", "", ""),
            ("the user: me", "", ""),
        ];
        for (line, role, rest) in cases {
            let found = speaker(line);
            let found = found.as_ref().map_or(("", ""), |it| (it.role, it.rest));
            assert_eq!(found, (role, rest), "{line}");
        }
        let timed = speaker("## User (2026-01-10 10:00)").unwrap();
        assert_eq!(timed.at.unwrap().to_string(), "2026-01-10T10:00:00Z");
    }
}
