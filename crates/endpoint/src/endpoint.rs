//! A service as an embedder: texts in batches, vectors in their order.

use std::time::{Duration, Instant};

use mnemon::Result;
use mnemon::embed::{Embedder, Vector};

use crate::options::Options;
use crate::request;

/// Longer texts are cut: models take some 8,000 tokens at most, a token has at
/// least one byte, and what a text is about is said in its beginning.
const TEXT_BYTES_MAX: usize = 8_000;

/// Services bound the tokens of a request too, so long texts come in smaller batches.
const BATCH_BYTES_MAX: usize = 256 << 10;

/// An embedding service. Making one costs nothing and asks nobody.
#[derive(Debug)]
pub struct Endpoint {
    options: Options,
    id: String,
    agent: ureq::Agent,
}

impl Endpoint {
    /// The service that the options describe.
    pub fn new(options: Options) -> Self {
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // A redirect would take the texts and the key somewhere else.
            .max_redirects(0)
            .max_redirects_will_error(false)
            // Else the transport would look for one in the environment.
            .proxy(None)
            .user_agent(concat!("mnemon/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        Self {
            id: format!(
                "{}:{}@{}",
                options.style.as_str(),
                options.model,
                options.dimension
            ),
            options,
            agent,
        }
    }

    /// The longest that one request with all its tries may take.
    fn patience(&self) -> Duration {
        self.options.timeout * (self.options.retries + 1)
    }

    fn embed_all(
        &self,
        texts: &[&str],
        retries: u32,
        deadline: impl Fn() -> Instant,
    ) -> Result<Vec<Option<Vector>>> {
        let mut vectors = vec![None; texts.len()];
        // Services refuse a text without anything in it.
        let said: Vec<(usize, &str)> = (0..)
            .zip(texts.iter().copied().map(cut))
            .filter(|(_, text)| !text.trim().is_empty())
            .collect();
        let mut rest = &said[..];
        while !rest.is_empty() {
            let (batch, others) = rest.split_at(self.batch_of(rest));
            let texts: Vec<&str> = batch.iter().map(|(_, text)| *text).collect();
            let found = request::ask(&self.agent, &self.options, &texts, retries, deadline())?;
            for ((place, _), vector) in batch.iter().zip(found) {
                vectors[*place] = vector;
            }
            rest = others;
        }
        Ok(vectors)
    }

    /// How many texts go into the next request.
    fn batch_of(&self, rest: &[(usize, &str)]) -> usize {
        let mut bytes = 0;
        let fitting = rest.iter().take(self.options.batch_max).take_while(|it| {
            bytes += it.1.len();
            bytes <= BATCH_BYTES_MAX
        });
        fitting.count().max(1)
    }
}

impl Embedder for Endpoint {
    /// Style, model and dimension; not the address, which may change for the same model.
    fn id(&self) -> &str {
        &self.id
    }

    fn dimension(&self) -> usize {
        self.options.dimension
    }

    fn is_instant(&self) -> bool {
        false
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Option<Vector>>> {
        let retries = self.options.retries;
        self.embed_all(texts, retries, || Instant::now() + self.patience())
    }

    fn embed_once(&self, texts: &[&str], deadline: Instant) -> Result<Vec<Option<Vector>>> {
        self.embed_all(texts, 0, || deadline)
    }

    /// Nobody has measured how its cosines lie, so they are shown as they are.
    fn similarity(&self, cosine: f32) -> f32 {
        cosine.clamp(0.0, 1.0)
    }

    fn cosine_for(&self, similarity: f32) -> f32 {
        similarity.clamp(0.0, 1.0)
    }
}

/// The beginning that a model takes, up to a whole character.
fn cut(text: &str) -> &str {
    let fits = |end: &usize| text.is_char_boundary(*end);
    let end = (0..=TEXT_BYTES_MAX.min(text.len())).rev().find(fits);
    &text[..end.unwrap_or(0)]
}
