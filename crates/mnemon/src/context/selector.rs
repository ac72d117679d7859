//! Selectors: what a workflow file says that it wants to read.

use std::str::FromStr;

use super::ContextRequest;
use crate::error::{Error, Result};

/// One line of `memory_requirements.read_access`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// `conversation.last_20_turns`
    LastTurns(usize),
    /// `decisions.by_topic:verification`
    Decisions(By),
    /// `findings.by_severity:critical`
    Findings(By),
    /// `preferences.workflow_depth`, or `preferences` for all of them.
    Preferences(Option<String>),
    /// `agent_states.veritas`, or `agent_states` for the asking agent's.
    State(Option<String>),
    /// `long_term.by_topic:billing`: what the asking agent and everybody knows.
    LongTerm(By),
    /// A question in plain words, as of a phase or a hint.
    Ask {
        /// The question.
        query: String,
        /// What the answer is for.
        purpose: Option<String>,
    },
}

/// Which ones of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// The usual choice: by the topic of the request, open ones.
    Request,
    /// About this.
    Topic(String),
    /// With this tag, or one below it.
    Tag(String),
    /// Findings this bad.
    Severity(String),
    /// Open or resolved.
    Status(String),
    /// By this agent or user.
    Author(String),
}

/// What a workflow may ask for, for whoever asked for something else.
const KNOWN: &str = "conversation.last_N_turns, decisions, findings and long_term with \
    .by_topic:T, .by_tag:T, .by_author:A, .by_status:S (findings also .by_severity:S), \
    preferences[.KEY], agent_states[.AGENT]";

impl FromStr for Selector {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let unknown = || Error::InvalidQuery {
            field: "memory_requirements.read_access".into(),
            problem: format!("`{text}` is no selector (there are {KNOWN})"),
        };
        let (what, which) = match text.split_once('.') {
            Some((what, which)) if !which.is_empty() => (what, Some(which)),
            Some(_) => return Err(unknown()),
            None => (text, None),
        };
        match what {
            "conversation" | "conversation_history" => match which {
                None => Ok(Self::LastTurns(ContextRequest::TURNS)),
                Some(which) => turns(which).map(Self::LastTurns).ok_or_else(unknown),
            },
            "decisions" => Ok(Self::Decisions(by(which, false).ok_or_else(unknown)?)),
            "findings" => Ok(Self::Findings(by(which, true).ok_or_else(unknown)?)),
            "long_term" => Ok(Self::LongTerm(by(which, false).ok_or_else(unknown)?)),
            "preferences" => Ok(Self::Preferences(which.map(Into::into))),
            "agent_states" => Ok(Self::State(which.map(Into::into))),
            _ => Err(unknown()),
        }
    }
}

/// `last_20_turns`, at least one and at most a thousand.
fn turns(which: &str) -> Option<usize> {
    let number = which.strip_prefix("last_")?.strip_suffix("_turns")?;
    let number = number.parse().ok()?;
    (1..=1000).contains(&number).then_some(number)
}

fn by(which: Option<&str>, of_findings: bool) -> Option<By> {
    let Some(which) = which else {
        return Some(By::Request);
    };
    let (how, value) = which.split_once(':')?;
    let value = value.trim();
    if value.is_empty() {
        return None;
    }
    match how {
        "by_topic" => Some(By::Topic(value.into())),
        "by_tag" => Some(By::Tag(value.into())),
        "by_author" | "by_agent" => Some(By::Author(value.into())),
        "by_status" if ["open", "resolved"].contains(&value) => Some(By::Status(value.into())),
        "by_severity" if of_findings => Some(By::Severity(value.into())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_selector_of_a_workflow_is_understood() {
        let cases = [
            ("conversation.last_20_turns", Selector::LastTurns(20)),
            ("conversation", Selector::LastTurns(20)),
            (
                "decisions.by_topic:verification",
                Selector::Decisions(By::Topic("verification".into())),
            ),
            (
                "findings.by_severity:critical",
                Selector::Findings(By::Severity("critical".into())),
            ),
            (
                "findings.by_status:open",
                Selector::Findings(By::Status("open".into())),
            ),
            ("findings", Selector::Findings(By::Request)),
            (
                "preferences.workflow_depth",
                Selector::Preferences(Some("workflow_depth".into())),
            ),
            ("preferences", Selector::Preferences(None)),
            (
                "agent_states.veritas",
                Selector::State(Some("veritas".into())),
            ),
            (
                "long_term.by_tag:billing.refunds",
                Selector::LongTerm(By::Tag("billing.refunds".into())),
            ),
        ];
        for (text, selector) in cases {
            assert_eq!(text.parse::<Selector>().unwrap(), selector);
        }
    }

    #[test]
    fn another_selector_is_refused_by_name() {
        for text in [
            "",
            "turns",
            "conversation.",
            "conversation.last_0_turns",
            "conversation.last_many_turns",
            "decisions.by_severity:critical",
            "decisions.by_topic:",
            "findings.by_mood:bad",
            "findings.by_status:maybe",
        ] {
            let refused = text.parse::<Selector>().unwrap_err().to_string();
            assert!(refused.contains(&format!("`{text}`")), "{refused}");
        }
    }
}
