//! What is said about a service.

use std::time::Duration;

use mnemon::config::{EmbeddingConfig, Provider};

use crate::key::Key;

/// How a service is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `POST {url}/embeddings`, as OpenAI has it and many others do.
    OpenAi,
    /// `POST {url}/api/embed`, as Ollama has it.
    Ollama,
}

impl Style {
    /// As the settings name it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Ollama => "ollama",
        }
    }

    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::OpenAi => "/embeddings",
            Self::Ollama => "/api/embed",
        }
    }
}

/// A service, and how patient we are with it.
#[derive(Clone, Debug)]
pub struct Options {
    /// How it is spoken to.
    pub style: Style,
    /// Where it is, without the path of the call.
    pub url: String,
    /// Which of its models.
    pub model: String,
    /// How many numbers its vectors have.
    pub dimension: usize,
    /// What proves who asks.
    pub key: Option<Key>,
    /// Where the key is put, for whoever has to put it there.
    pub key_variable: String,
    /// The most texts of one request.
    pub batch_max: usize,
    /// The longest that one try may take.
    pub timeout: Duration,
    /// How often a request is tried again.
    pub retries: u32,
    /// The wait before the second try; it doubles from there.
    pub first_wait: Duration,
}

impl Options {
    /// What the settings say; none if they name no service.
    ///
    /// The key is looked up by the caller, who may read the environment.
    pub fn from_config(config: &EmbeddingConfig, key: Option<Key>) -> Option<Self> {
        let style = match config.provider {
            Provider::BuiltIn => return None,
            Provider::OpenAi => Style::OpenAi,
            Provider::Ollama => Style::Ollama,
        };
        Some(Self {
            style,
            url: config.url.clone(),
            model: config.model.clone(),
            dimension: config.dimension,
            key,
            key_variable: config.key_env.clone(),
            batch_max: config.batch,
            timeout: Duration::from_millis(config.timeout_ms),
            retries: config.retries,
            first_wait: Duration::from_millis(250),
        })
    }

    /// Where the call goes.
    pub(crate) fn address(&self) -> String {
        format!("{}{}", self.url.trim_end_matches('/'), self.style.path())
    }
}
