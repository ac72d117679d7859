//! What was decided, found out and wished for, out of what was said.
//!
//! Rules only: a line that says what it is (`Decision: …`, `**CRITICAL:** …`,
//! `- Preference: …`), or a sentence that begins as such sentences do. Each
//! find names its rule, so that a person can judge it; what is guessed from a
//! sentence is marked as inferred.

use mnemon::memory::Kind;

/// Something that a turn says.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Extracted {
    /// What it is.
    pub(in super::super) kind: Kind,
    /// The words.
    pub(in super::super) text: String,
    /// Why it is taken for that.
    pub(in super::super) rule: &'static str,
    /// How sure that is.
    pub(in super::super) confidence: f64,
    /// `explicit` or `inferred`.
    pub(in super::super) sureness: &'static str,
    /// How bad a finding is.
    pub(in super::super) severity: Option<&'static str>,
    /// What the log calls it, such as `DEC-001`.
    pub(in super::super) name: Option<String>,
}

/// Shorter than this says nothing, longer is no sentence.
const CHARS: std::ops::RangeInclusive<usize> = 8..=600;

/// Labels that say what a line is.
const LABELS: [(&str, Kind, Option<&str>); 19] = [
    ("decision", Kind::Decision, None),
    ("decided", Kind::Decision, None),
    ("agreed", Kind::Decision, None),
    ("resolution", Kind::Decision, None),
    ("finding", Kind::Finding, None),
    ("issue", Kind::Finding, None),
    ("problem", Kind::Finding, None),
    ("bug", Kind::Finding, None),
    ("risk", Kind::Finding, None),
    ("concern", Kind::Finding, None),
    ("critical", Kind::Finding, Some("critical")),
    ("blocker", Kind::Finding, Some("critical")),
    ("important", Kind::Finding, Some("important")),
    ("high", Kind::Finding, Some("high")),
    ("medium", Kind::Finding, Some("medium")),
    ("minor", Kind::Finding, Some("minor")),
    ("low", Kind::Finding, Some("low")),
    ("preference", Kind::Preference, None),
    ("prefers", Kind::Preference, None),
];

/// How sentences of people begin that tell a decision.
const DECIDING: [&str; 9] = [
    "we decided ",
    "we have decided ",
    "i decided ",
    "let's go with ",
    "let us go with ",
    "we'll go with ",
    "we will go with ",
    "we agreed ",
    "decision to ",
];

/// How sentences of people begin that tell what they like or demand.
const WISHING: [&str; 14] = [
    "i prefer ",
    "i'd prefer ",
    "i would prefer ",
    "we prefer ",
    "please always ",
    "please never ",
    "always ",
    "never ",
    "from now on",
    "i don't like ",
    "i do not like ",
    "i'd rather ",
    "i like it when ",
    "in the future, please ",
];

/// How sentences begin that tell a finding.
const FINDING: [&str; 5] = [
    "i found that ",
    "we found that ",
    "it turns out that ",
    "the root cause is ",
    "the root cause was ",
];

/// What a turn says; `is_person` if the user said it.
pub(in super::super) fn extract(text: &str, is_person: bool) -> Vec<Extracted> {
    let mut found: Vec<Extracted> = Vec::new();
    let mut in_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        let labelled = labelled(line);
        let taken = labelled.is_some();
        found.extend(labelled);
        if !taken {
            found.extend(sentences(line).filter_map(|it| begun(it, is_person)));
        }
    }
    let mut seen = std::collections::HashSet::new();
    // What a turn says and then lists as kept is one thing.
    found.retain(|it| seen.insert((it.kind, it.name.clone(), key(it))));
    found
}

fn key(found: &Extracted) -> String {
    match &found.name {
        Some(_) => String::new(),
        None => found.text.to_lowercase(),
    }
}

/// `- **CRITICAL:** No MFA requirement specified [FIND-001]`
fn labelled(line: &str) -> Option<Extracted> {
    let (name, line) = named(line.trim());
    let bare = bare(line);
    let Some((label, rest)) = bare.split_once(':') else {
        return by_name(bare, name);
    };
    let label = label.trim().trim_matches('*').to_lowercase();
    let rest = rest.trim().trim_start_matches('*').trim();
    let found = LABELS.iter().find(|(word, ..)| *word == label);
    let Some((_, kind, severity)) = found else {
        // `- Decision to use multi-agent review [DEC-001]`
        return by_name(bare, name);
    };
    fits(rest).then(|| Extracted {
        kind: *kind,
        text: rest.to_owned(),
        rule: "the line says so: a label before a colon",
        confidence: 0.9,
        sureness: "explicit",
        severity: *severity,
        name,
    })
}

/// A line of a list that ends with the name of a memory.
fn by_name(bare: &str, name: Option<String>) -> Option<Extracted> {
    let handle: mnemon::memory::Handle = name.as_deref()?.parse().ok()?;
    let is_known = [Kind::Decision, Kind::Finding, Kind::Preference].contains(&handle.kind);
    (is_known && fits(bare)).then(|| Extracted {
        kind: handle.kind,
        text: bare.to_owned(),
        rule: "the line ends with the name of a memory",
        confidence: 0.9,
        sureness: "explicit",
        severity: None,
        name,
    })
}

/// A line without the name at its end, and the name.
fn named(line: &str) -> (Option<String>, &str) {
    let Some((before, name)) = line
        .strip_suffix(']')
        .and_then(|line| line.rsplit_once('['))
    else {
        return (None, line);
    };
    match name.parse::<mnemon::memory::Handle>() {
        Ok(handle) => (Some(handle.to_string()), before.trim_end()),
        Err(_) => (None, line),
    }
}

/// Without the marks of lists, quotes and headings.
fn bare(line: &str) -> &str {
    let line = line.trim_start_matches(['-', '*', '+', '>', '#', ' ', '\t']);
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let line = if digits.len() < line.len() {
        digits
            .strip_prefix(". ")
            .or_else(|| digits.strip_prefix(") "))
            .unwrap_or(line)
    } else {
        line
    };
    line.trim_start_matches('*').trim()
}

/// Sentences end before white space, so that a version is not cut in two.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = bare(line);
    std::iter::from_fn(move || {
        let is_end = |(place, c): (usize, char)| {
            let after = &rest[place + c.len_utf8()..];
            let ends = matches!(c, '.' | '!' | '?' | ';');
            (ends && (after.is_empty() || after.starts_with(char::is_whitespace)))
                .then_some(place + c.len_utf8())
        };
        let end = rest.char_indices().find_map(is_end).unwrap_or(rest.len());
        let sentence = rest[..end].trim();
        rest = rest[end..].trim_start();
        (!sentence.is_empty()).then_some(sentence)
    })
}

/// A sentence that begins as such sentences do.
fn begun(sentence: &str, is_person: bool) -> Option<Extracted> {
    let lower = sentence.to_lowercase();
    let begins = |starts: &[&str]| starts.iter().any(|start| lower.starts_with(start));
    let (kind, rule) = if begins(&DECIDING) {
        (Kind::Decision, "the sentence begins as a decision does")
    } else if is_person && begins(&WISHING) {
        (
            Kind::Preference,
            "the user's sentence begins as a wish does",
        )
    } else if begins(&FINDING) {
        (Kind::Finding, "the sentence begins as a finding does")
    } else {
        return None;
    };
    let is_asked = sentence.ends_with('?');
    (!is_asked && fits(sentence)).then(|| Extracted {
        kind,
        text: sentence.to_owned(),
        rule,
        confidence: 0.6,
        sureness: "inferred",
        severity: None,
        name: None,
    })
}

fn fits(text: &str) -> bool {
    CHARS.contains(&text.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_line_says_of_itself_is_taken() {
        let turn = "I've identified concerns:\n\n\
            1. **CRITICAL:** No MFA requirement specified [FIND-001]\n\
            2. **MINOR:** Password rules are vague\n\n\
            **Memory Stored:**\n\
            - Finding: Missing MFA requirement [FIND-001]\n\
            - Decision to use multi-agent review [DEC-001]\n";
        let found = extract(turn, false);
        let told: Vec<_> = found
            .iter()
            .map(|it| (it.kind, it.text.as_str(), it.severity, it.name.as_deref()))
            .collect();
        assert_eq!(
            told,
            [
                (
                    Kind::Finding,
                    "No MFA requirement specified",
                    Some("critical"),
                    Some("FIND-001")
                ),
                (
                    Kind::Finding,
                    "Password rules are vague",
                    Some("minor"),
                    None
                ),
                (
                    Kind::Decision,
                    "Decision to use multi-agent review",
                    None,
                    Some("DEC-001")
                ),
            ]
        );
        assert!(found.iter().all(|it| it.sureness == "explicit"));
    }

    #[test]
    fn sentences_are_taken_with_less_trust_and_questions_not_at_all() {
        let found = extract(
            "Good. I prefer tabs over spaces! Let's go with OAuth 2.0.",
            true,
        );
        let told: Vec<_> = found
            .iter()
            .map(|it| (it.kind, it.text.as_str(), it.sureness))
            .collect();
        assert_eq!(
            told,
            [
                (Kind::Preference, "I prefer tabs over spaces!", "inferred"),
                (Kind::Decision, "Let's go with OAuth 2.0.", "inferred"),
            ]
        );
        for nothing in [
            "I prefer what?",
            "```\nDecision: code is no decision\n```",
            "We never decided anything about that topic.",
            "Decision: no",
        ] {
            assert_eq!(extract(nothing, true), [], "{nothing}");
        }
        // What a model likes is no preference of the user.
        assert_eq!(extract("I prefer tabs over spaces.", false), []);
    }
}
