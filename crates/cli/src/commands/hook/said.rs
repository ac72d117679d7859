//! What a client tells a hook, in the words of each of them.

use std::io::Read;
use std::path::PathBuf;

use mnemon::memory::SessionId;
use mnemon::{Error, Result};
use mnemon_wire::foreign::live::Speaker;
use serde_json::Value;

use super::Client;
use crate::failure::{Failure, Outcome};

/// More than a client has to say.
const INPUT_BYTES_MAX: u64 = 16 << 20;

/// What a client says of itself and of the conversation.
pub(super) struct Said {
    /// The client's id of the conversation.
    conversation: Option<String>,
    pub(super) transcript: Option<PathBuf>,
    /// The folder in which it works.
    pub(super) project: String,
    /// What tells this moment of the conversation from others.
    pub(super) moment: String,
    /// What the person asked.
    pub(super) prompt: Option<String>,
    /// What the model answered.
    pub(super) response: Option<String>,
    /// Whether it is Cursor that speaks, whose hooks it is or not.
    pub(super) is_cursor: bool,
}

impl Said {
    pub(super) fn read(client: Client) -> Outcome<Self> {
        let mut bytes = Vec::new();
        std::io::stdin()
            .lock()
            .take(INPUT_BYTES_MAX)
            .read_to_end(&mut bytes)
            .map_err(Failure::file("read", "standard input"))?;
        Ok(Self::parse(client, &bytes)?)
    }

    fn parse(client: Client, bytes: &[u8]) -> Result<Self> {
        // Cursor begins with a byte order mark on some systems.
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let value: Value = serde_json::from_slice(bytes).map_err(|error| Error::Unparsable {
            what: "what a hook is told",
            input: String::new(),
            problem: error.to_string(),
        })?;
        let text = |name: &str| {
            let text = value[name].as_str().filter(|text| !text.is_empty());
            text.map(str::to_owned)
        };
        let root = value["workspace_roots"][0].as_str().map(str::to_owned);
        let is_at_cursor = client == Client::Cursor;
        let conversation = text("conversation_id").filter(|_| is_at_cursor);
        let project = root.filter(|_| is_at_cursor).or_else(|| text("cwd"));
        let (moment, response) = if is_at_cursor {
            ("generation_id", "text")
        } else {
            ("timestamp", "prompt_response")
        };
        Ok(Self {
            conversation: conversation.or_else(|| text("session_id")),
            transcript: text("transcript_path").map(PathBuf::from),
            project: project.unwrap_or_default(),
            moment: text(moment).unwrap_or_default(),
            prompt: text("prompt"),
            response: text(response),
            is_cursor: text("cursor_version").is_some(),
        })
    }

    /// The client's id of the conversation.
    pub(super) fn conversation(&self) -> Result<&str> {
        self.conversation
            .as_deref()
            .ok_or_else(|| Error::Unparsable {
                what: "what a hook is told",
                input: String::new(),
                problem: "it names no conversation".into(),
            })
    }

    /// The session in which the conversation is kept.
    pub(super) fn session_id(&self, client: Client) -> Result<SessionId> {
        let own = self.conversation()?;
        match client {
            Client::ClaudeCode => format!("claude-{own}").parse(),
            Client::Codex => format!("codex-{own}").parse(),
            Client::Cursor => Ok(Speaker::Cursor.session(own)),
            Client::Gemini => Ok(Speaker::Gemini.session(own)),
        }
    }

    /// The folder in which the client works, if it is one here.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        let folder = PathBuf::from(&self.project);
        (folder.is_absolute() && folder.is_dir()).then_some(folder)
    }

    /// The same, as a session keeps it.
    pub(super) fn project(&self) -> Option<String> {
        Some(self.project.clone()).filter(|project| !project.is_empty())
    }
}
