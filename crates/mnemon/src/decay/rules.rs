//! Which settings hold where: those of the store, and a session's own.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Facts, Faded, Model, Settings};
use crate::memory::{Memory, SessionId, Space};

/// The settings of a store, and those of sessions that have their own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    /// Where no session says otherwise.
    pub everywhere: Settings,
    /// By session.
    pub sessions: BTreeMap<SessionId, Settings>,
}

impl Rules {
    /// The default settings everywhere.
    pub fn shared_default() -> Arc<Self> {
        static DEFAULT: LazyLock<Arc<Rules>> = LazyLock::new(Arc::default);
        DEFAULT.clone()
    }

    /// The settings, with what sessions say of their own; what they say wrong holds for nothing.
    pub fn new(everywhere: &Settings, own: &[(SessionId, Map<String, Value>)]) -> Self {
        let sessions = own
            .iter()
            .filter_map(|(id, own)| Some((id.clone(), everywhere.with_session(own).ok()?)))
            .collect();
        Self {
            everywhere: everywhere.clone(),
            sessions,
        }
    }

    /// The settings of a space.
    pub fn of(&self, space: &Space) -> &Settings {
        space
            .session()
            .and_then(|session| self.sessions.get(session))
            .unwrap_or(&self.everywhere)
    }

    /// Whether anything depends on how often a memory was asked for.
    pub fn need_access(&self) -> bool {
        let mut all = self.sessions.values().chain([&self.everywhere]);
        all.any(|settings| settings.model != Model::HalfLife)
    }
}

/// Rules at a moment.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// Which settings hold where.
    pub rules: &'a Rules,
    /// In microseconds since 1970.
    pub now_micros: i64,
}

impl At<'_> {
    /// What is left of a memory.
    pub fn fade(&self, memory: &Memory) -> Faded {
        let settings = self.rules.of(&memory.space);
        settings.fade(&Facts::from(memory), self.now_micros)
    }

    /// How much a memory matters now.
    pub fn priority(&self, memory: &Memory) -> f64 {
        self.fade(memory).priority
    }
}
