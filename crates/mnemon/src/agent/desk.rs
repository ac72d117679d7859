//! A desk as it is written down: one JSON object that people can read and edit.

use serde::{Deserialize, Serialize};

use super::{Window, Working};
use crate::error::{Error, Result};
use crate::memory::AgentId;
use crate::store::Paper;
use crate::time::Time;

/// The newest shape of it that this program knows.
const FORMAT: u32 = 1;

/// A desk is written as a whole with every change, so it stays small.
pub const DESK_BYTES_MAX: usize = 4 << 20;

/// What an agent holds now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Desk {
    format: u32,
    /// Values by name.
    #[serde(default)]
    pub working: Working,
    /// What is before its eyes.
    #[serde(default)]
    pub window: Window,
    /// When it was last put back to what a snapshot says, the latest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restored_at: Vec<Time>,
}

impl Desk {
    /// What a paper says; an empty desk if there is none.
    pub fn read(agent: &AgentId, bytes: Option<&[u8]>) -> Result<Self> {
        let Some(bytes) = bytes else {
            return Ok(Self::default());
        };
        let damaged = |problem: String| Error::Paper {
            paper: Paper::Working(agent.clone()).to_string(),
            problem,
        };
        let desk: Self = serde_json::from_slice(bytes).map_err(|it| damaged(it.to_string()))?;
        if desk.format > FORMAT {
            let newer = format!("it has format {}, and {FORMAT} is known here", desk.format);
            return Err(damaged(newer));
        }
        Ok(desk)
    }

    /// What the paper says then; no paper if there is nothing on the desk.
    #[expect(clippy::missing_panics_doc, reason = "its fields are plain")]
    pub fn write(&self) -> Result<Option<Vec<u8>>> {
        if *self == Self::default() {
            return Ok(None);
        }
        let mut bytes = serde_json::to_vec_pretty(self).expect("plain fields");
        bytes.push(b'\n');
        if bytes.len() > DESK_BYTES_MAX {
            return Err(Error::Rule {
                field: "working memory",
                rule: format!("at most {DESK_BYTES_MAX} bytes in all"),
                given: format!("{} bytes", bytes.len()),
            });
        }
        Ok(Some(bytes))
    }
}

impl Default for Desk {
    fn default() -> Self {
        Self {
            format: FORMAT,
            working: Working::default(),
            window: Window::default(),
            restored_at: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent() -> AgentId {
        "ann".parse().unwrap()
    }

    #[test]
    fn an_empty_desk_is_no_paper_and_no_paper_is_an_empty_desk() {
        assert_eq!(Desk::default().write().unwrap(), None);
        assert_eq!(Desk::read(&agent(), None).unwrap(), Desk::default());
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut desk = Desk::default();
        desk.window.set_budget(77).unwrap();
        let bytes = desk.write().unwrap().unwrap();
        assert_eq!(Desk::read(&agent(), Some(&bytes)).unwrap(), desk);
    }

    #[test]
    fn a_paper_that_is_no_desk_is_told_and_a_newer_one_is_refused() {
        for (bytes, told) in [
            ("{", "EOF"),
            ("[]", "Desk"),
            (r#"{"format":2}"#, "it has format 2, and 1 is known here"),
            (
                r#"{"format":1,"working":{"a b":{}}}"#,
                "names such as task/step",
            ),
        ] {
            let error = Desk::read(&agent(), Some(bytes.as_bytes())).unwrap_err();
            let text = error.to_string();
            assert!(text.contains(told) && text.contains("ann"), "{text}");
        }
    }
}
