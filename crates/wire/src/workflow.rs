//! Workflow files: what a workflow says that it wants to read.
//!
//! A file of YAML, or a text with YAML in its front matter or in a fenced
//! block. `memory_requirements` stands at the top or below `workflow`; its
//! `read_access` are selectors, its `memory_hints` and the `memory_usage` of
//! phases are questions in plain words.

use mnemon::context::Selector;
use mnemon::{Error, Result};
use serde_json::Value;

use crate::import::yaml;

/// What `memory_requirements` may say.
const KNOWN: [&str; 3] = ["read_access", "write_access", "memory_hints"];

/// What a workflow may write, by the first word of an entry.
const WRITABLE: [&str; 6] = [
    "conversation",
    "decisions",
    "findings",
    "preferences",
    "learnings",
    "agent_states",
];

/// What the workflow in this text wants to read.
pub fn workflow_selectors(text: &str) -> Result<Vec<Selector>> {
    for part in parts(text) {
        for document in yaml::documents(&part)? {
            let workflow = document.get("workflow").unwrap_or(&document);
            let wanted = workflow.get("memory_requirements");
            let Some(wanted) = wanted.or_else(|| document.get("memory_requirements")) else {
                continue;
            };
            let mut selectors = required(wanted)?;
            selectors.extend(phases(workflow)?);
            return Ok(selectors);
        }
    }
    Err(refused(
        "memory_requirements",
        "there are none in this file".into(),
    ))
}

/// The YAML of a text: its front matter and fenced blocks, or all of it.
fn parts(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut lines = text.lines();
    if text.starts_with("---\n") {
        lines.next();
        let front: Vec<&str> = lines.by_ref().take_while(|line| *line != "---").collect();
        parts.push(front.join("\n"));
    }
    let mut block: Option<Vec<&str>> = None;
    for line in lines {
        let fence = line.trim_start().strip_prefix("```");
        match (&mut block, fence) {
            (None, Some("yaml" | "yml")) => block = Some(Vec::new()),
            (Some(own), Some(_)) => {
                parts.push(own.join("\n"));
                block = None;
            }
            (Some(own), None) => own.push(line),
            (None, _) => {}
        }
    }
    if parts.is_empty() {
        parts.push(text.to_owned());
    }
    parts
}

fn required(wanted: &Value) -> Result<Vec<Selector>> {
    let members = wanted.as_object().ok_or_else(|| {
        refused(
            "memory_requirements",
            "it must have read_access, write_access or memory_hints".into(),
        )
    })?;
    if let Some(other) = members.keys().find(|name| !KNOWN.contains(&name.as_str())) {
        let known = KNOWN.join(", ");
        return Err(refused(
            "memory_requirements",
            format!("`{other}` is unknown (known are {known})"),
        ));
    }
    let texts = |name: &str| {
        members
            .get(name)
            .map_or(Ok(Vec::new()), |value| texts(name, value))
    };
    let mut selectors = Vec::new();
    for text in texts("read_access")? {
        selectors.push(text.parse()?);
    }
    for text in texts("write_access")? {
        let first = text.split('.').next().unwrap_or_default();
        if !WRITABLE.contains(&first) {
            let known = WRITABLE.join(", ");
            return Err(refused(
                "memory_requirements.write_access",
                format!("`{text}` can't be written (known are {known})"),
            ));
        }
    }
    for hint in texts("memory_hints")? {
        selectors.push(Selector::Ask {
            query: hint.to_owned(),
            purpose: None,
        });
    }
    Ok(selectors)
}

/// The questions of the phases.
fn phases(workflow: &Value) -> Result<Vec<Selector>> {
    let mut selectors = Vec::new();
    let phases = workflow.get("phases").and_then(Value::as_array);
    for phase in phases.into_iter().flatten() {
        let usages = phase.get("memory_usage").and_then(Value::as_array);
        for usage in usages.into_iter().flatten() {
            let word = |name: &str| usage.get(name).and_then(Value::as_str);
            if word("type").is_some_and(|kind| kind != "read") {
                continue;
            }
            let Some(query) = word("query") else {
                return Err(refused(
                    "phases.memory_usage",
                    "every reading needs a `query`".into(),
                ));
            };
            selectors.push(Selector::Ask {
                query: query.to_owned(),
                purpose: word("purpose").map(Into::into),
            });
        }
    }
    Ok(selectors)
}

fn texts<'a>(name: &str, value: &'a Value) -> Result<Vec<&'a str>> {
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
    match texts {
        Some(texts) if value.is_array() => Ok(texts),
        _ => Err(refused(
            &format!("memory_requirements.{name}"),
            "it must be a list of texts".into(),
        )),
    }
}

fn refused(field: &str, problem: String) -> Error {
    Error::InvalidQuery {
        field: field.to_owned().into(),
        problem,
    }
}

#[cfg(test)]
mod tests {
    use mnemon::context::selector::By;

    use super::*;

    const WORKFLOW: &str = r#"
workflow:
  metadata:
    id: "deep-verify-v6"
  memory_requirements:
    read_access:
      - "conversation.last_20_turns"
      - "decisions.by_topic:verification"
      - "findings.by_severity:critical"
      - "preferences.workflow_depth"
    write_access:
      - "findings"
      - "agent_states.veritas"
    memory_hints:
      - "Load past verification findings for comparison"
  phases:
    - name: "Phase 0: Self-Check"
      memory_usage:
        - type: "read"
          query: "past verifications on similar content"
          purpose: "Check for consistency in verification rigor"
"#;

    #[test]
    fn every_selector_of_a_workflow_file_is_read() {
        let wanted = vec![
            Selector::LastTurns(20),
            Selector::Decisions(By::Topic("verification".into())),
            Selector::Findings(By::Severity("critical".into())),
            Selector::Preferences(Some("workflow_depth".into())),
            Selector::Ask {
                query: "Load past verification findings for comparison".into(),
                purpose: None,
            },
            Selector::Ask {
                query: "past verifications on similar content".into(),
                purpose: Some("Check for consistency in verification rigor".into()),
            },
        ];
        let in_markdown = format!("# Deep verify\n\nText.\n\n```yaml\n{WORKFLOW}```\n\nMore.\n");
        let in_front = format!("---\n{WORKFLOW}---\n# Deep verify\n");
        for text in [WORKFLOW, &in_markdown, &in_front] {
            assert_eq!(workflow_selectors(text).unwrap(), wanted, "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_refused_with_its_place() {
        let cases = [
            ("a: b", "memory_requirements", "none in this file"),
            ("memory_requirements: 7", "memory_requirements", "must have"),
            (
                "memory_requirements: {read_acess: []}",
                "memory_requirements",
                "`read_acess` is unknown",
            ),
            (
                "memory_requirements: {read_access: x}",
                "memory_requirements.read_access",
                "a list of texts",
            ),
            (
                "memory_requirements: {read_access: [moods.by_day:monday]}",
                "memory_requirements.read_access",
                "`moods.by_day:monday` is no selector",
            ),
            (
                "memory_requirements: {write_access: [everything]}",
                "memory_requirements.write_access",
                "`everything` can't be written",
            ),
            (
                "memory_requirements: {}\nphases: [{memory_usage: [{type: read}]}]",
                "phases.memory_usage",
                "needs a `query`",
            ),
        ];
        for (text, place, problem) in cases {
            let Err(Error::InvalidQuery {
                field,
                problem: said,
            }) = workflow_selectors(text)
            else {
                panic!("{text} was taken");
            };
            assert_eq!(field, place, "{text}");
            assert!(said.contains(problem), "{said}");
        }
    }
}
