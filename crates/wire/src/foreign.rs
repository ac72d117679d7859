//! Files of other programs: what people said there, as memories of ours.
//!
//! A reader goes through one file and hands on [`Piece`]s in order: sessions,
//! memories, and whatever it leaves out with the reason. One module for each
//! program; `reading` is what they share, `ids` makes names that are the same
//! at every run, `sketch` tells the programs apart (`docs/import.md`).
//!
//! Invariant: every message of the file becomes a piece, none is passed over.

mod bmad;
mod chat;
mod chatgpt;
mod claude_ai;
pub mod claude_code;
mod codex;
mod gemini;
mod graph;
pub(crate) mod ids;
mod input;
pub mod live;
mod mem0;
mod reading;
mod report;
mod sketch;
mod tool;
mod tree;

use std::io::BufRead;

use mnemon::memory::{Draft, SessionId, Space};
use mnemon::session::SessionDetails;
use mnemon::{Error, Result, Time};

pub use report::{Problem, Report, TakenInShape};
pub use sketch::{PREFIX_BYTES, Seen, recognise};
pub use tree::{TreeFile, is_tree, read_tree};

use reading::Reading;

/// A program whose files are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Program {
    /// Transcripts of Claude Code.
    ClaudeCode,
    /// The export of ChatGPT.
    ChatGpt,
    /// The export of Claude.ai.
    ClaudeAi,
    /// Rollouts of Codex CLI.
    Codex,
    /// Chats of Gemini CLI.
    Gemini,
    /// The file of the MCP reference memory server.
    McpMemory,
    /// Memories of mem0.
    Mem0,
    /// A conversation in Markdown or plain text.
    Chat,
    /// A conversation log of BMAD.
    Bmad,
}

impl Program {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::ClaudeCode,
        Self::ChatGpt,
        Self::ClaudeAi,
        Self::Codex,
        Self::Gemini,
        Self::McpMemory,
        Self::Mem0,
        Self::Chat,
        Self::Bmad,
    ];

    /// What it is called in commands and in metadata.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ChatGpt => "chatgpt",
            Self::ClaudeAi => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::McpMemory => "mcp-memory",
            Self::Mem0 => "mem0",
            Self::Chat => "chat",
            Self::Bmad => "bmad",
        }
    }

    /// What people call its files.
    pub fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "a transcript of Claude Code",
            Self::ChatGpt => "an export of ChatGPT",
            Self::ClaudeAi => "an export of Claude.ai",
            Self::Codex => "a rollout of Codex CLI",
            Self::Gemini => "a chat of Gemini CLI",
            Self::McpMemory => "a graph of the MCP reference memory server",
            Self::Mem0 => "memories of mem0",
            Self::Chat => "a conversation in Markdown",
            Self::Bmad => "a conversation log of BMAD",
        }
    }
}

/// Something that was found in a file.
#[derive(Clone, Debug)]
pub enum Piece {
    /// A session that the memories after it belong to.
    Session {
        /// Which.
        id: SessionId,
        /// What is known of it.
        details: Box<SessionDetails>,
    },
    /// A memory, under an id that is the same at every run.
    Memory {
        /// Where in the file it stands.
        place: String,
        /// Where it goes.
        space: Space,
        /// What it is.
        draft: Box<Draft>,
    },
    /// Something that is no memory.
    Left {
        /// Where in the file it stands.
        place: String,
        /// Why.
        why: Why,
    },
}

/// Why something is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It holds nothing that anybody said.
    OnPurpose(String),
    /// It could not be read.
    NotUnderstood(String),
}

/// What a reader knows of a file beside its bytes.
#[derive(Clone, Debug)]
pub struct About<'a> {
    /// The name of the file, as people know it.
    pub file: &'a str,
    /// Who talks with the models.
    pub user: &'a str,
    /// When what has no time of its own was said, at the earliest.
    pub file_time: Time,
    /// Where everything goes, whatever the file says.
    pub space: Option<Space>,
    /// Whether decisions, findings and wishes are taken out of what was said.
    pub extract: bool,
}

/// Reads a file of a program to its end, or until `take` fails.
pub fn read(
    program: Program,
    input: &mut dyn BufRead,
    about: &About<'_>,
    take: &mut dyn FnMut(Piece) -> Result<()>,
) -> Result<()> {
    let mut reading = Reading::new(program, about, take);
    match program {
        Program::ClaudeCode => claude_code::read(input, &mut reading),
        Program::ChatGpt => chatgpt::read(input, &mut reading),
        Program::ClaudeAi => claude_ai::read(input, &mut reading),
        Program::Codex => codex::read(input, &mut reading),
        Program::Gemini => gemini::read(input, &mut reading),
        Program::McpMemory => graph::read(input, &mut reading),
        Program::Mem0 => mem0::read(input, &mut reading),
        Program::Chat => chat::read(input, &mut reading),
        Program::Bmad => bmad::read(input, &mut reading),
    }
}

/// What an error is when it is only about one piece.
pub(crate) fn told(error: &Error) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests;
