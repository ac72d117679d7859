//! A store in a folder, and the service that embeds for it.

use std::sync::Arc;
use std::time::Duration;

use mnemon::config::Config;
use mnemon::embed::SetName;
use mnemon::memory::{Draft, Kind, Space};
use mnemon::recall::{Mode, Query, Question, Recalled};
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::store::{Filter, Store};
use mnemon::{Caller, Mnemon, Result};
use mnemon_endpoint::{Endpoint, Options, Style};
use tempfile::TempDir;

pub(crate) fn me() -> Caller {
    Caller::user("ada")
}

pub(crate) struct Stage {
    root: Arc<TempDir>,
    options: Options,
}

impl Stage {
    pub(crate) fn at(url: &str, model: &str) -> Self {
        Self {
            root: Arc::new(TempDir::new().unwrap()),
            options: Options {
                style: Style::OpenAi,
                url: url.into(),
                model: model.into(),
                dimension: 8,
                key: None,
                key_variable: "THE_KEY".into(),
                batch_max: 64,
                timeout: Duration::from_secs(60),
                retries: 0,
                first_wait: Duration::from_millis(1),
            },
        }
    }

    /// The same store with another model.
    pub(crate) fn with_model(&self, model: &str) -> Self {
        Self {
            root: self.root.clone(),
            options: Options {
                model: model.into(),
                ..self.options.clone()
            },
        }
    }

    pub(crate) fn endpoint(&self) -> Endpoint {
        Endpoint::new(self.options.clone())
    }

    /// One more handle on the store.
    pub(crate) fn store(&self) -> LocalStore {
        // Few pending ones, so that questions meet searchable rows too.
        let options = LocalOptions {
            pending_max: 2,
            ..mnemon_testkit::sealed::options(false)
        };
        LocalStore::create(self.root.path(), options).unwrap()
    }

    pub(crate) fn engine(&self) -> Mnemon {
        Mnemon::new(Arc::new(self.store()), Config::default())
            .with_embedder(Arc::new(self.endpoint()))
    }

    /// How many vectors a set has, each key once.
    pub(crate) fn vectors(&self, set: &SetName) -> u64 {
        let mut found = 0;
        let store = self.store();
        let mut look = |view: &dyn mnemon::store::View| {
            let state = view.set_state(set)?;
            found = state.memories - state.waiting;
            Ok(())
        };
        store.look(&mut look).unwrap();
        found
    }
}

pub(crate) fn draft(id: &str, text: &str) -> Draft {
    let mut draft = Draft::new(Kind::Fact, text.parse().unwrap());
    draft.id = Some(id.parse().unwrap());
    draft
}

pub(crate) fn put(engine: &Mnemon, draft: Draft) -> Result<()> {
    engine.remember(&me(), &Space::Shared, draft).map(drop)
}

pub(crate) fn keep(engine: &Mnemon, id: &str, text: &str) {
    put(engine, draft(id, text)).unwrap();
}

/// Embeds everything, which succeeds.
pub(crate) fn embed_all(engine: &Mnemon) {
    let done = engine.embed_pending(&me(), usize::MAX, None, &mut |_| ());
    assert_eq!(done.unwrap().left, 0);
}

pub(crate) fn ask(engine: &Mnemon, text: &str, mode: Mode) -> Recalled {
    let filter = Filter::all(engine.now().micros());
    let mut query = Query::new(Question::parse(text).unwrap(), filter);
    query.mode = mode;
    engine.recall(&me(), &query).unwrap()
}

/// The ids of the hits.
pub(crate) fn found(recalled: &Recalled) -> Vec<String> {
    let hits = recalled.hits.iter();
    hits.map(|hit| hit.memory.id.to_string()).collect()
}

/// Eight directions, told apart by the colour that a text begins with.
pub(crate) fn by_first_word(text: &str) -> Vec<f32> {
    let colours = ["red", "blue", "green"];
    let first = text.split(' ').next().unwrap_or_default();
    let place = colours.iter().position(|colour| *colour == first);
    let mut numbers = vec![0.0; 8];
    numbers[place.unwrap_or(7)] = 1.0;
    numbers
}
