//! Embedding what waits for the embedder outside.
//!
//! No lock is held meanwhile, so a slow service keeps no writer waiting. What
//! was embedded is kept batch by batch: whoever is interrupted, or comes next,
//! goes on from there.

use std::time::Instant;

use super::outside::Outside;
use crate::caller::{Caller, Operation};
use crate::embed::{TextKey, Vector};
use crate::engine::Mnemon;
use crate::error::{EmbeddingFailure, Error, Result};
use crate::store::{Progress, SetState, WaitingText};

/// So many texts are looked up at a time.
const ROUND: usize = 1024;

/// What became of texts that waited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Embedded {
    /// How many have a vector now.
    pub embedded: u64,
    /// How many still wait.
    pub left: u64,
}

/// Who embeds, and how far it has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddingReport {
    /// The embedder that was chosen.
    pub embedder: String,
    /// How many numbers its vectors have.
    pub dimension: usize,
    /// The embedder that answers questions.
    pub answering: String,
    /// How many memories have no vector of the chosen one yet.
    pub waiting: u64,
}

/// One run over what waits.
struct Run<'a> {
    engine: &'a Mnemon,
    outside: &'a Outside,
    deadline: Option<Instant>,
    embedded: u64,
    /// Texts that the embedder took none of, and why.
    refused: Vec<(TextKey, Error)>,
}

impl Mnemon {
    /// Whether memories are kept first and embedded later, by [`Self::embed_pending`].
    pub fn embeds_later(&self) -> bool {
        self.outside.is_some()
    }

    /// Embeds texts that wait, at most so many and not beyond that moment.
    ///
    /// Progress is counted in texts. Without an embedder outside nothing ever waits.
    pub fn embed_pending(
        &self,
        caller: &Caller,
        limit: usize,
        deadline: Option<Instant>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Embedded> {
        caller.may(Operation::EmbedPending)?;
        let Some(outside) = self.outside.as_deref() else {
            return Ok(Embedded::default());
        };
        let mut run = Run {
            engine: self,
            outside,
            deadline,
            embedded: 0,
            refused: Vec::new(),
        };
        run.embed(limit, progress)?;
        run.give_up_refused()?;
        let left = self.store.waiting(&outside.set, 0)?.count;
        if left == 0 {
            self.store.complete_set(&outside.set)?;
        }
        Ok(Embedded {
            embedded: run.embedded,
            left,
        })
    }

    /// Who embeds, who answers questions, and how many memories wait.
    pub fn embedding(&self, caller: &Caller) -> Result<EmbeddingReport> {
        caller.may(Operation::Embedding)?;
        let Some(outside) = &self.outside else {
            return Ok(EmbeddingReport {
                embedder: self.embedder.id().to_owned(),
                dimension: self.embedder.dimension(),
                answering: self.embedder.id().to_owned(),
                waiting: 0,
            });
        };
        let mut state = SetState::default();
        self.store.look(&mut |view| {
            state = view.set_state(&outside.set)?;
            Ok(())
        })?;
        Ok(EmbeddingReport {
            embedder: outside.set.embedder.clone(),
            dimension: outside.set.dimension,
            answering: self.model(state.is_usable()).id().to_owned(),
            waiting: state.waiting,
        })
    }
}

impl Run<'_> {
    fn embed(&mut self, limit: usize, progress: &mut dyn FnMut(Progress)) -> Result<()> {
        let batch = self.engine.config.embedding.batch.max(1);
        loop {
            let room = limit.saturating_sub(usize::try_from(self.embedded).unwrap_or(usize::MAX));
            let mut waiting = self
                .engine
                .store
                .waiting(&self.outside.set, room.min(ROUND))?;
            let is_refused = |text: &WaitingText| self.refused.iter().any(|it| it.0 == text.key);
            waiting.texts.retain(|text| !is_refused(text));
            if waiting.texts.is_empty() {
                return Ok(());
            }
            let total = self.embedded + waiting.count;
            for texts in waiting.texts.chunks(batch) {
                if self
                    .deadline
                    .is_some_and(|deadline| Instant::now() >= deadline)
                {
                    return Ok(());
                }
                self.embed_some(texts)?;
                progress(Progress {
                    done: self.embedded,
                    total,
                });
            }
        }
    }

    /// Embeds these and keeps their vectors; if some are refused, finds out which.
    fn embed_some(&mut self, texts: &[WaitingText]) -> Result<()> {
        match self.vectors(texts) {
            Ok(vectors) => {
                self.engine.store.put_vectors(&self.outside.set, &vectors)?;
                self.embedded += vectors.len() as u64;
                Ok(())
            }
            Err(error) if is_about_texts(&error) && texts.len() > 1 => {
                let (some, others) = texts.split_at(texts.len() / 2);
                self.embed_some(some)?;
                self.embed_some(others)
            }
            Err(error) if is_about_texts(&error) => {
                self.refused.push((texts[0].key, error));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// The vectors of these; those that memories brought themselves are taken as they are.
    fn vectors(&self, texts: &[WaitingText]) -> Result<Vec<(TextKey, Option<Vector>)>> {
        let dimension = self.outside.set.dimension;
        let own = |text: &WaitingText| {
            let own = text.own.as_ref().filter(|own| own.len() == dimension)?;
            Vector::nearest_to(own)
        };
        let (brought, asked): (Vec<_>, Vec<_>) = texts
            .iter()
            .map(|text| (text, own(text)))
            .partition(|it| it.1.is_some());
        let asked_texts: Vec<&str> = asked.iter().map(|(text, _)| text.text.as_str()).collect();
        let embedder = &self.outside.embedder;
        let began = Instant::now();
        let found = match self.deadline {
            _ if asked_texts.is_empty() => Vec::new(),
            Some(deadline) => embedder.embed_once(&asked_texts, deadline)?,
            None => embedder.embed(&asked_texts)?,
        };
        self.outside.note_time(asked_texts.len(), began.elapsed());
        let brought = brought.into_iter().map(|(text, own)| (text.key, own));
        let asked = asked
            .iter()
            .zip(found)
            .map(|((text, _), vector)| (text.key, vector));
        Ok(brought.chain(asked).collect())
    }

    /// What is refused while others are taken is left without a vector, or it
    /// would wait for ever; if nothing is taken, it may be the settings.
    fn give_up_refused(&mut self) -> Result<()> {
        let none: Vec<_> = self.refused.iter().map(|(key, _)| (*key, None)).collect();
        match self.refused.drain(..).next() {
            None => Ok(()),
            Some((_, error)) if self.embedded == 0 => Err(error),
            Some(_) => self.engine.store.put_vectors(&self.outside.set, &none),
        }
    }
}

/// Whether it is these texts that are refused, and others may be taken.
pub(super) fn is_about_texts(error: &Error) -> bool {
    matches!(
        error,
        Error::Embedding {
            failure: EmbeddingFailure::Texts,
            ..
        }
    )
}
