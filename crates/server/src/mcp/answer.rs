//! What a tool call comes back with: a text for the model, JSON for programs.

use mnemon::Error;
use mnemon_wire::ErrorShape;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock};
use serde_json::{Value, json};

/// The result of a tool call.
pub(super) struct Answer {
    text: String,
    structured: Option<Value>,
    is_error: bool,
}

impl Answer {
    pub(super) fn new(text: String, structured: Value) -> Self {
        Self {
            text,
            structured: Some(structured),
            is_error: false,
        }
    }

    /// An answer for the model alone.
    pub(super) fn text(text: String) -> Self {
        Self {
            text,
            structured: None,
            is_error: false,
        }
    }

    /// A refusal in words that a model knows from elsewhere.
    pub(super) fn refusal_text(text: String) -> Self {
        Self {
            is_error: true,
            ..Self::text(text)
        }
    }

    /// Without what is for programs, where a schema that others wrote leaves no room for it.
    pub(super) fn without_structure(mut self) -> Self {
        self.structured = None;
        self
    }

    /// A refusal with its three parts: code, sentence, next step.
    pub(super) fn error(error: &Error) -> Self {
        Self::refusal(
            format!("{}\nNext: {}", refused(error), error.hint()),
            &ErrorShape::of(error),
        )
    }

    /// A bug of ours.
    pub(super) fn bug(panic: &str) -> Self {
        let message = format!("this is a bug in mnemon: {panic}");
        let hint = "Please report it; what was acknowledged before is safe.";
        Self::refusal(
            format!("{}: {message}.\nNext: {hint}", ErrorShape::INTERNAL),
            &ErrorShape::new(ErrorShape::INTERNAL, message.clone(), hint.to_owned()),
        )
    }

    fn refusal(text: String, shape: &ErrorShape) -> Self {
        Self {
            text,
            structured: Some(json!(shape)),
            is_error: true,
        }
    }

    /// With one more line for the model.
    pub(super) fn with_line(mut self, line: &str) -> Self {
        self.text.push('\n');
        self.text.push_str(line);
        self
    }

    /// With one more member for programs.
    pub(super) fn with_member(mut self, name: &str, value: Value) -> Self {
        if let Some(Value::Object(members)) = &mut self.structured {
            members.insert(name.to_owned(), value);
        }
        self
    }
}

/// Code and sentence; one that asks back has its sign already.
pub(super) fn refused(error: &Error) -> String {
    let mut said = format!("{}: {error}", error.code());
    if !said.ends_with(['.', '?', '!']) {
        said.push('.');
    }
    said
}

impl From<Answer> for CallToolResponse {
    fn from(answer: Answer) -> Self {
        let content = vec![ContentBlock::text(answer.text)];
        let mut result = if answer.is_error {
            CallToolResult::error(content)
        } else {
            CallToolResult::success(content)
        };
        result.structured_content = answer.structured;
        result.into()
    }
}
