//! The hooks of Claude Code and of Codex, which have the same form: what is
//! remembered comes in when a session starts, and what was said is kept when
//! it pauses, shrinks or ends.

use serde_json::Value;

use super::entry::Entry;
use super::jsonc::Document;

/// The hooks of one client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hooks {
    /// The client's name of each event, and ours.
    events: &'static [(&'static str, &'static str)],
    /// What tells the client apart, at the end of the command.
    client: &'static str,
}

/// Those of Claude Code.
pub(super) const CLAUDE_CODE: Hooks = Hooks {
    events: &[
        ("SessionStart", "session-start"),
        ("Stop", "stop"),
        ("PreCompact", "pre-compact"),
        ("SessionEnd", "session-end"),
    ],
    client: "",
};

/// Those of Codex, where not every version tells that a session ends.
pub(super) const CODEX: Hooks = Hooks {
    events: &[
        ("SessionStart", "session-start"),
        ("Stop", "stop"),
        ("PreCompact", "pre-compact"),
    ],
    client: " --client codex",
};

/// With a hook of ours for each event, in place of any that was there.
pub(super) fn set(hooks: Hooks, text: &str, entry: &Entry) -> Result<String, String> {
    let mut text = text.to_owned();
    for (event, own) in hooks.events {
        let command = entry.hook(own) + hooks.client;
        let document = Document::parse(&text)?;
        let ours = ours(hooks, &document, event);
        if let [only] = ours.as_slice()
            && commands(document.items(&["hooks", event])[*only]) == [command.as_str()]
        {
            continue;
        }
        text = without(hooks, &text, event)?;
        text = Document::parse(&text)?.push(&["hooks", event], &group(&command))?;
    }
    Ok(text)
}

/// Without any hook of ours.
pub(super) fn remove(hooks: Hooks, text: &str) -> Result<String, String> {
    let mut text = text.to_owned();
    for (event, _) in hooks.events {
        text = without(hooks, &text, event)?;
    }
    Ok(text)
}

/// The events for which a text has a hook of ours, and what each runs.
pub(super) fn present(hooks: Hooks, text: &str) -> Vec<(&'static str, String)> {
    let Ok(document) = Document::parse(text) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (event, _) in hooks.events {
        let items = document.items(&["hooks", event]);
        for place in ours(hooks, &document, event) {
            let commands = commands(items[place]).into_iter();
            found.extend(commands.map(|command| (*event, command)));
        }
    }
    found
}

/// With hooks as another text has them.
pub(super) fn put_back(text: &str, hooks: &[(&'static str, String)]) -> Result<String, String> {
    let mut text = text.to_owned();
    for (event, command) in hooks {
        text = Document::parse(&text)?.push(&["hooks", event], &group(command))?;
    }
    Ok(text)
}

fn group(command: &str) -> String {
    let command = Value::from(command);
    format!(
        "{{\n  \"hooks\": [\n    {{\n      \"type\": \"command\",\n      \"command\": {command},\n      \
         \"timeout\": 10\n    }}\n  ]\n}}"
    )
}

fn without(hooks: Hooks, text: &str, event: &str) -> Result<String, String> {
    let path = ["hooks", event];
    let mut text = text.to_owned();
    loop {
        let document = Document::parse(&text)?;
        let Some(place) = ours(hooks, &document, event).last().copied() else {
            return Ok(text);
        };
        let shorter = document.remove_item(&path, place);
        let Some(shorter) = shorter else {
            return Ok(text);
        };
        text = shorter;
        let document = Document::parse(&text)?;
        if document.items(&path).is_empty() {
            let shorter = document.remove(&path);
            text = shorter.unwrap_or(text);
        }
        let document = Document::parse(&text)?;
        if document.get(&["hooks"]) == Some("{}") {
            let shorter = document.remove(&["hooks"]);
            text = shorter.unwrap_or(text);
        }
    }
}

/// Where in the list of an event groups stand that hold nothing but a hook of ours.
fn ours(hooks: Hooks, document: &Document<'_>, event: &str) -> Vec<usize> {
    let items = document.items(&["hooks", event]);
    let is_ours = |group: &str| {
        let commands = commands(group);
        !commands.is_empty() && commands.iter().all(|command| is_own(hooks, command, event))
    };
    let places = items.iter().enumerate().filter(|(_, group)| is_ours(group));
    places.map(|(place, _)| place).collect()
}

/// The commands of a group.
fn commands(group: &str) -> Vec<String> {
    let Ok(group) = serde_json::from_str::<Value>(group) else {
        return Vec::new();
    };
    let hooks = group["hooks"].as_array().cloned().unwrap_or_default();
    let commands = hooks.iter().filter_map(|hook| hook["command"].as_str());
    commands.map(str::to_owned).collect()
}

fn is_own(hooks: Hooks, command: &str, event: &str) -> bool {
    let own = hooks.events.iter().find(|(name, _)| *name == event);
    let program = command.split_whitespace().any(|word| {
        let word = word.trim_matches('\'');
        word == "mnemon" || word.ends_with("/mnemon") || word.ends_with("\\mnemon.exe")
    });
    program
        && own.is_some_and(|(_, name)| command.ends_with(&format!(" hook {name}{}", hooks.client)))
}
