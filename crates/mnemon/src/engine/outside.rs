//! The embedder outside of the program: asked with patience by who embeds,
//! and without by questions, which have another model to turn to.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::embed::is_about_texts;
use crate::embed::{Embedder, SetName, TextKey, Vector};
use crate::engine::Mnemon;
use crate::error::{Code, Error, Result};
use crate::memory::Memory;
use crate::recall::understood::Understood;
use crate::recall::{Asked, Mode, Note, Query};
use crate::store::{SetState, View};

/// The longest that a question waits for it, if the question's own time is not shorter.
const QUESTION_WAIT: Duration = Duration::from_secs(2);

/// So long it is left alone after it failed a question: the next ones don't wait for it too.
const PAUSE: Duration = Duration::from_secs(10);

/// An embedder that may be slow or away.
#[derive(Debug)]
pub(super) struct Outside {
    pub(super) embedder: Arc<dyn Embedder>,
    pub(super) set: SetName,
    /// When it may be asked again, and why not before.
    paused: Mutex<Option<(Instant, String)>>,
    /// How many texts it embedded, and how long that took.
    spent: Mutex<(u32, Duration)>,
}

impl Outside {
    pub(super) fn new(embedder: Arc<dyn Embedder>) -> Self {
        Self {
            set: SetName::of(&*embedder),
            embedder,
            paused: Mutex::default(),
            spent: Mutex::default(),
        }
    }

    /// Notes how long it took to embed so many texts.
    pub(super) fn note_time(&self, texts: usize, took: Duration) {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        spent.0 = spent
            .0
            .saturating_add(u32::try_from(texts).unwrap_or(u32::MAX));
        spent.1 += took;
    }

    /// How long a text took on average, in milliseconds.
    pub(super) fn mean_ms(&self) -> Option<f64> {
        let spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        let (texts, took) = *spent;
        (texts > 0).then(|| took.as_secs_f64() * 1000.0 / f64::from(texts))
    }

    fn embed_question(&self, text: &str, deadline: Instant) -> Result<Option<Vector>, String> {
        let now = Instant::now();
        let mut paused = self.paused.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, why)) = paused.as_ref().filter(|(until, _)| now < *until) {
            return Err(why.clone());
        }
        *paused = None;
        drop(paused);
        // Half of the time is left for whoever answers instead.
        let wait = QUESTION_WAIT.min(deadline.saturating_duration_since(now) / 2);
        match self.embedder.embed_once(&[text], now + wait) {
            Ok(found) => Ok(found.into_iter().next().flatten()),
            Err(error) => {
                let why = error.to_string();
                // Another text it may well take.
                if !is_about_texts(&error) {
                    let mut paused = self.paused.lock().unwrap_or_else(PoisonError::into_inner);
                    *paused = Some((Instant::now() + PAUSE, why.clone()));
                }
                Err(why)
            }
        }
    }
}

impl Mnemon {
    /// The model that compares: the one outside, or the built-in one.
    pub(super) fn model(&self, is_outside: bool) -> &dyn Embedder {
        match &self.outside {
            Some(outside) if is_outside => &*outside.embedder,
            _ => &*self.embedder,
        }
    }

    /// What a question means to the embedder outside, if it answers this one; and
    /// what is to be said about it.
    ///
    /// It is asked between two looks at the store: nobody waits for it while
    /// somebody holds a view.
    pub(super) fn ask_outside(
        &self,
        query: &Query,
        deadline: Instant,
    ) -> Result<(Option<Asked>, Option<Note>)> {
        let question = &query.question;
        let has_meaning =
            query.mode != Mode::Text && !question.is_everything() && !question.terms().is_empty();
        let Some(outside) = self.outside.as_ref().filter(|_| has_meaning) else {
            return Ok((None, None));
        };
        let mut meaning = String::new();
        let looked = self.look_outside(outside, &mut |view| {
            meaning = Understood::new(question, &*view.authors()?).meaning;
            Ok(())
        })?;
        let note = match looked {
            Ok(note) => note,
            Err(note) => return Ok((None, Some(note))),
        };
        match outside.embed_question(&meaning, deadline) {
            Ok(vector) => {
                let set = outside.set.clone();
                Ok((Some(Asked { set, vector }), note))
            }
            Err(problem) => Ok((None, Some(Note::Failed { problem }))),
        }
    }

    /// The vector that a memory has in the set of the embedder outside, with its note.
    ///
    /// Nobody is asked: what has no vector yet is compared by the built-in model.
    pub(super) fn vector_outside(&self, memory: &Memory) -> Result<(Option<Asked>, Option<Note>)> {
        let Some(outside) = &self.outside else {
            return Ok((None, None));
        };
        let mut vector = None;
        let looked = self.look_outside(outside, &mut |view| {
            if let Some(key) = TextKey::of(memory) {
                vector = view.vector_in(&outside.set, key)?;
            }
            Ok(())
        })?;
        let embedder = outside.set.embedder.clone();
        Ok(match (looked, vector) {
            (Err(note), _) => (None, Some(note)),
            (Ok(_), None) => (None, Some(Note::NoVector { embedder })),
            (Ok(note), vector) => {
                let set = outside.set.clone();
                (Some(Asked { set, vector }), note)
            }
        })
    }

    /// A look at a set that answers questions, with what is to be said about it;
    /// or why it does not answer.
    fn look_outside(
        &self,
        outside: &Outside,
        look: &mut dyn FnMut(&dyn View) -> Result<()>,
    ) -> Result<Result<Option<Note>, Note>> {
        let mut state = SetState::default();
        let looked = self.store.look(&mut |view| {
            state = view.set_state(&outside.set)?;
            look(view)
        });
        match looked {
            // Only the set is amiss; questions have other vectors.
            Err(error) if error.code() == Code::Embedding => {
                return Ok(Err(Note::Failed {
                    problem: error.to_string(),
                }));
            }
            looked => looked?,
        }
        let embedder = outside.set.embedder.clone();
        let waiting = state.waiting;
        Ok(match (state.is_usable(), waiting) {
            (false, _) => Err(Note::NotEmbedded { embedder, waiting }),
            (true, 0) => Ok(None),
            (true, _) => Ok(Some(Note::Waiting { embedder, waiting })),
        })
    }

    /// Refuses a vector that can't be compared with those of the model in use.
    pub(super) fn check_dimension(&self, own: Option<&[f32]>) -> Result<()> {
        let model = self.model(true);
        match own {
            Some(own) if own.len() != model.dimension() => Err(Error::Dimension {
                given: own.len(),
                expected: model.dimension(),
                embedder: model.id().to_owned(),
            }),
            _ => Ok(()),
        }
    }
}
