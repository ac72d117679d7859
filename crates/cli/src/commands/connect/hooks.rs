//! The hooks of clients: what is remembered comes in when a session starts,
//! and what was said is kept as it goes on and when it ends.

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
    form: Form,
}

/// How a client writes a hook in the list of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// In a group of hooks, with a limit in seconds.
    Group,
    /// In a group of hooks, with a name by which it can be turned off, and a limit in milliseconds.
    NamedGroup,
    /// Alone, with a limit in seconds, in a file that says its version.
    Alone,
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
    form: Form::Group,
};

/// Those of Codex, where not every version tells that a session ends.
pub(super) const CODEX: Hooks = Hooks {
    events: &[
        ("SessionStart", "session-start"),
        ("Stop", "stop"),
        ("PreCompact", "pre-compact"),
    ],
    client: " --client codex",
    form: Form::Group,
};

/// Those of Cursor, which hands over what was said one by one.
///
/// It leaves the whole file aside for one event that it does not know.
pub(super) const CURSOR: Hooks = Hooks {
    events: &[
        ("sessionStart", "session-start"),
        ("beforeSubmitPrompt", "prompt"),
        ("afterAgentResponse", "response"),
        ("sessionEnd", "session-end"),
    ],
    client: " --client cursor",
    form: Form::Alone,
};

/// Those of Gemini CLI.
pub(super) const GEMINI: Hooks = Hooks {
    events: &[
        ("SessionStart", "session-start"),
        ("AfterAgent", "stop"),
        ("PreCompress", "pre-compact"),
        ("SessionEnd", "session-end"),
    ],
    client: " --client gemini",
    form: Form::NamedGroup,
};

/// With a hook of ours for each event, in place of any that was there.
pub(super) fn set(hooks: Hooks, text: &str, entry: &Entry) -> Result<String, String> {
    let mut text = versioned(hooks, text)?;
    for (event, own) in hooks.events {
        let command = entry.hook(own) + hooks.client;
        let document = Document::parse(&text)?;
        let ours = ours(hooks, &document, event);
        if let [only] = ours.as_slice()
            && commands(hooks, document.items(&["hooks", event])[*only]) == [command.as_str()]
        {
            continue;
        }
        text = without(hooks, &text, event)?;
        text = Document::parse(&text)?.push(&["hooks", event], &item(hooks, &command))?;
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
            let commands = commands(hooks, items[place]).into_iter();
            found.extend(commands.map(|command| (*event, command)));
        }
    }
    found
}

/// With hooks as another text has them.
pub(super) fn put_back(
    hooks: Hooks,
    text: &str,
    present: &[(&'static str, String)],
) -> Result<String, String> {
    if present.is_empty() {
        return Ok(text.to_owned());
    }
    let mut text = versioned(hooks, text)?;
    for (event, command) in present {
        text = Document::parse(&text)?.push(&["hooks", event], &item(hooks, command))?;
    }
    Ok(text)
}

/// With the version of the file, where the client wants one.
fn versioned(hooks: Hooks, text: &str) -> Result<String, String> {
    let document = Document::parse(text)?;
    match hooks.form {
        Form::Alone if document.get(&["version"]).is_none() => document.set(&["version"], "1"),
        _ => Ok(text.to_owned()),
    }
}

/// A hook, as the client takes it into the list of an event.
fn item(hooks: Hooks, command: &str) -> String {
    let command = Value::from(command);
    let (name, limit) = match hooks.form {
        Form::Alone => {
            return format!("{{\n  \"command\": {command},\n  \"timeout\": 10\n}}");
        }
        Form::Group => ("", 10),
        Form::NamedGroup => ("      \"name\": \"mnemon\",\n", 10_000),
    };
    format!(
        "{{\n  \"hooks\": [\n    {{\n{name}      \"type\": \"command\",\n      \
         \"command\": {command},\n      \"timeout\": {limit}\n    }}\n  ]\n}}"
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

/// Where in the list of an event items stand that hold nothing but a hook of ours.
fn ours(hooks: Hooks, document: &Document<'_>, event: &str) -> Vec<usize> {
    let items = document.items(&["hooks", event]);
    let is_ours = |item: &str| {
        let commands = commands(hooks, item);
        !commands.is_empty() && commands.iter().all(|command| is_own(hooks, command, event))
    };
    let places = items.iter().enumerate().filter(|(_, item)| is_ours(item));
    places.map(|(place, _)| place).collect()
}

/// The commands of an item.
fn commands(hooks: Hooks, item: &str) -> Vec<String> {
    let Ok(item) = serde_json::from_str::<Value>(item) else {
        return Vec::new();
    };
    let own = match hooks.form {
        Form::Alone => vec![item],
        Form::Group | Form::NamedGroup => item["hooks"].as_array().cloned().unwrap_or_default(),
    };
    let commands = own.iter().filter_map(|hook| hook["command"].as_str());
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
