//! How a client is told to start us.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::human::shell::quoted;

/// The name under which clients know us.
pub(super) const NAME: &str = "mnemon";

/// The program and what it is started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) program: String,
    /// Options that every command takes.
    pub(super) options: Vec<String>,
    pub(super) session: Option<String>,
}

impl Entry {
    /// The entry that a text holds, if it is one of ours.
    pub(super) fn read(text: &str) -> Option<Self> {
        let entry: Value = serde_json::from_str(text).ok()?;
        let mut options: Vec<String> = serde_json::from_value(entry["args"].clone()).ok()?;
        if options.is_empty() {
            return None;
        }
        options.remove(0);
        Some(Self {
            program: entry["command"].as_str()?.to_owned(),
            options,
            session: None,
        })
    }

    /// The arguments of the server.
    pub(super) fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["mcp".to_owned()];
        arguments.extend(self.options.iter().cloned());
        if let Some(session) = &self.session {
            arguments.extend(["--session".to_owned(), session.clone()]);
        }
        arguments
    }

    /// As an object, in the order in which people read it.
    pub(super) fn json(&self, typed: bool) -> String {
        let mut out = "{\n".to_owned();
        if typed {
            out.push_str("  \"type\": \"stdio\",\n");
        }
        let _ = write!(
            out,
            "  \"command\": {},\n  \"args\": [\n",
            json!(self.program)
        );
        let arguments = self.arguments();
        let arguments = arguments.iter().map(|it| format!("    {}", json!(it)));
        out.push_str(&arguments.collect::<Vec<_>>().join(",\n"));
        out.push_str("\n  ]\n}");
        out
    }

    /// The command line of a hook, for a shell.
    pub(super) fn hook(&self, event: &str) -> String {
        let words = [&self.program].into_iter().chain(&self.options);
        let words: Vec<String> = words.map(|word| quoted(word)).collect();
        format!("{} hook {event}", words.join(" "))
    }
}
