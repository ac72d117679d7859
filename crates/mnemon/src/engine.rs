//! The verbs: what can be done with memories.
//!
//! [`Mnemon`] is the door to a store. Every operation is asked on behalf of a
//! [`Caller`]; whatever the store, rules and defaults are the same, because
//! they are applied here.

mod aggregate;
mod compact;
mod embed;
mod erase;
mod forget;
mod life;
mod locate;
mod maintain;
mod outside;
mod query;
mod recall;
mod related;
mod remember;
mod sessions;
mod similar;
mod transfer;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

pub use compact::{CompactionReport, Filling};
pub use embed::{Embedded, EmbeddingReport};
pub use maintain::{Expired, MaintainOptions, Maintained};
pub use remember::{Action, Remembered};
pub use sessions::NewSession;
pub use transfer::{ErasedTexts, ImportItem, Imported};

use crate::caller::Caller;
use crate::clock::Clock;
use crate::compact::Reach;
use crate::config::{self, Config, Sources};
use crate::decay::{At, Faded, Rules};
use crate::embed::{BuiltIn, Embedder};
use crate::error::{Error, Result};
use crate::memory::{Limits, Memory, MemoryId, Reference, SessionId, Space};
use crate::random;
use crate::redact::Redactor;
use crate::store::local::{LocalOptions, LocalStore};
use crate::store::{
    Batch, Change, Filter, OnFull, Progress, Receipt, Reindexed, Repair, RepairOptions, Selection,
    Stats, Store, Verification, Write,
};
use crate::time::Time;
use outside::Outside;

/// A memory for agents, on any store.
pub struct Mnemon {
    store: Arc<dyn Store>,
    config: Config,
    clock: Clock,
    random: Random,
    /// Answers at once and always.
    embedder: Arc<dyn Embedder>,
    redactor: Redactor,
    /// How memories fade where no session says otherwise.
    rules: Arc<Rules>,
    /// The one that was chosen instead, which may be slow or away.
    outside: Option<Arc<Outside>>,
    /// What was asked for since the last write: how often, and when last.
    accesses: Mutex<HashMap<MemoryId, (Space, u64, Time)>>,
    /// Sessions that filled up, and how much they are to be compacted.
    due: Mutex<HashMap<SessionId, Reach>>,
}

/// More than this are not counted until something is written.
const ACCESSES_MAX: usize = 10_000;

/// Where random bytes come from; tests bring their own.
pub type Random = Arc<dyn Fn() -> [u8; 10] + Send + Sync>;

impl Mnemon {
    /// The engine over a store.
    pub fn new(store: Arc<dyn Store>, config: Config) -> Self {
        store.clone().be_shared();
        Self {
            store,
            redactor: Redactor::new(&config.privacy),
            rules: Arc::new(Rules::new(&config.decay, &[])),
            config,
            clock: Clock::system(),
            random: Arc::new(random),
            embedder: Arc::new(BuiltIn::new()),
            outside: None,
            accesses: Mutex::default(),
            due: Mutex::default(),
        }
    }

    /// Opens the store in a folder, or makes one there, with the settings of its `mnemon.toml`.
    ///
    /// A service that `embedding.*` names is asked only if [`Self::with_embedder`] brings it.
    pub fn open(root: &Path) -> Result<Self> {
        let file = root.join("mnemon.toml");
        let sources = Sources {
            user_file: None,
            root_file: Some(&file),
            environment: Vec::new(),
        };
        let config = config::load(&sources)?.config;
        let store = LocalStore::create(root, LocalOptions::from(&config))?;
        Ok(Self::new(Arc::new(store), config))
    }

    /// With another clock and other randomness than the machine's.
    #[must_use]
    pub fn with_sources(mut self, clock: Clock, random: Random) -> Self {
        self.clock = clock;
        self.random = random;
        self
    }

    /// With an embedder that may be slow or away, such as a service.
    ///
    /// Memories are kept without it and embedded by [`Self::embed_pending`];
    /// until then, and whenever it fails, the built-in model answers questions.
    #[must_use]
    pub fn with_embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.outside = Some(Arc::new(Outside::new(embedder)));
        self
    }

    /// The settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What takes out of everything that is written what must not be kept.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// What time it is for this engine.
    pub fn now(&self) -> Time {
        self.clock.now()
    }

    /// The memory of that name: an id, a handle within `session`, or `S/DEC-001`.
    ///
    /// A forgotten memory is not found; [`Self::find`] finds it.
    pub fn get(&self, caller: &Caller, name: &str, session: Option<&SessionId>) -> Result<Memory> {
        let memory = self.find(caller, name, session)?;
        if memory.state.forgotten.is_some() {
            return Err(Reference::not_found(name));
        }
        self.count_access(&memory);
        Ok(memory)
    }

    /// As [`Self::get`], but forgotten memories too, and without counting as an access.
    ///
    /// If it lies in an archived session, that is opened.
    pub fn find(&self, caller: &Caller, name: &str, session: Option<&SessionId>) -> Result<Memory> {
        let references = Reference::parse(name, session)?;
        for reference in &references {
            if let Some(memory) = self.store.find(reference)? {
                return Ok(memory);
            }
        }
        for reference in &references {
            if self.open_place_of(caller, reference)?
                && let Some(memory) = self.store.find(reference)?
            {
                return Ok(memory);
            }
        }
        self.refuse_compacted(&references)?;
        Err(Reference::not_found(name))
    }

    /// The memory of that id if it is at hand, forgotten or not; no archive is opened for it.
    pub fn peek(&self, _caller: &Caller, id: &MemoryId) -> Result<Option<Memory>> {
        self.store.find(&Reference::Id(id.clone()))
    }

    /// Opens the archived session that a name leads to; false if there is none.
    fn open_place_of(&self, caller: &Caller, reference: &Reference) -> Result<bool> {
        match reference {
            Reference::Id(id) => self.open_shelf_of(caller, id),
            Reference::Handle(session, _) => match self.store.session(session)? {
                Some(session) if session.archived.is_some() => {
                    self.open_session(caller, &session.id).map(|_| true)
                }
                Some(_) => Ok(false),
                None => match self.deleted_session(caller, session)? {
                    Some(deleted) => Err(Error::SessionDeleted {
                        session: deleted.session_id.to_string(),
                    }),
                    None => Ok(false),
                },
            },
        }
    }

    /// The memories that fit a filter.
    pub fn list(&self, caller: &Caller, filter: &Filter) -> Result<Selection> {
        filter.check()?;
        self.open_spaces(caller, &filter.spaces)?;
        self.store.select(&self.ruled(filter)?)
    }

    /// What time has left of a memory, and which rule says so.
    pub fn fade(&self, memory: &Memory) -> Result<Faded> {
        let at = At {
            rules: &*self.current_rules()?,
            now_micros: self.clock.now_micros(),
        };
        Ok(at.fade(memory))
    }

    /// The filter with the settings of this store, and of its sessions where they count.
    fn ruled(&self, filter: &Filter) -> Result<Filter> {
        let decay = if filter.asks_priority() {
            self.current_rules()?
        } else {
            self.rules.clone()
        };
        Ok(Filter {
            decay,
            ..filter.clone()
        })
    }

    /// The settings of this store, and what its sessions say of their own.
    fn current_rules(&self) -> Result<Arc<Rules>> {
        let mut own = Vec::new();
        self.store.look(&mut |view| {
            own = view.session_decay()?;
            Ok(())
        })?;
        if own.is_empty() {
            return Ok(self.rules.clone());
        }
        Ok(Arc::new(Rules::new(&self.config.decay, &own)))
    }

    /// What happened to a memory, oldest first.
    pub fn history(
        &self,
        caller: &Caller,
        name: &str,
        session: Option<&SessionId>,
    ) -> Result<(Memory, Vec<Change>)> {
        let memory = self.find(caller, name, session)?;
        let changes = self.store.history(&memory.id)?;
        Ok((memory, changes))
    }

    /// Counts and sizes.
    pub fn stats(&self, _caller: &Caller) -> Result<Stats> {
        self.store.stats()
    }

    /// Checks everything that is kept.
    pub fn verify(
        &self,
        _caller: &Caller,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Verification> {
        self.store.verify(progress)
    }

    /// Sets damage aside and makes what is derived anew.
    pub fn repair(
        &self,
        _caller: &Caller,
        options: RepairOptions,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Repair> {
        self.store.repair(options, progress)
    }

    /// Makes what is derived anew.
    pub fn reindex(
        &self,
        _caller: &Caller,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Reindexed> {
        self.store.reindex(progress)
    }

    /// Writes down what was counted, and what waits in memory.
    pub fn flush(&self, caller: &Caller) -> Result<()> {
        let mut by_space: HashMap<Space, Vec<Write>> = HashMap::new();
        for (id, (space, count, last)) in self.take_accesses() {
            by_space
                .entry(space)
                .or_default()
                .push(Write::Access { id, count, last });
        }
        for (space, writes) in by_space {
            match self
                .store
                .commit(self.batch(caller, space, writes, OnFull::Refuse))
            {
                // One of them is gone for good; what was counted of the others is no great loss.
                Err(Error::NotFound { .. }) => {}
                kept => drop(kept?),
            }
        }
        self.store.flush()
    }

    /// Commits writes, and with them what was asked for in that space since the last time.
    fn commit(
        &self,
        caller: &Caller,
        space: Space,
        writes: Vec<Write>,
        on_full: OnFull,
    ) -> Result<Receipt> {
        let asked = writes.len();
        let session_space = space.clone();
        let mut all = writes;
        let accesses = self.take_accesses_of(&space);
        all.extend(accesses.iter().map(|(id, (_, count, last))| Write::Access {
            id: id.clone(),
            count: *count,
            last: *last,
        }));
        let mut kept = self
            .store
            .commit(self.batch(caller, space.clone(), all.clone(), on_full));
        if let Err(full @ Error::SessionFull { .. }) = &kept
            && self.make_room(caller, &space, full)
        {
            let batch = self.batch(caller, space.clone(), all.clone(), on_full);
            kept = self.store.commit(batch);
        }
        if matches!(kept, Err(Error::NotFound { .. })) && !accesses.is_empty() {
            // One that was asked for may be gone for good by now; that is no reason to refuse.
            all.truncate(asked);
            kept = self.store.commit(self.batch(caller, space, all, on_full));
        }
        match kept {
            Ok(mut receipt) => {
                receipt.outcomes.truncate(asked);
                self.note_growth(&session_space, receipt.grown);
                Ok(receipt)
            }
            Err(error) => {
                // Nothing was kept, so the counts are still to be written.
                self.accesses().extend(accesses);
                Err(error)
            }
        }
    }

    fn batch(&self, caller: &Caller, space: Space, writes: Vec<Write>, on_full: OnFull) -> Batch {
        let quota_bytes = space
            .session()
            .map(|_| self.config.storage.session_bytes_max);
        Batch {
            space,
            by: caller.name().to_owned(),
            now: self.clock.now(),
            writes,
            limits: self.limits(),
            quota_bytes,
            on_full,
        }
    }

    fn limits(&self) -> Limits {
        Limits {
            session_entry_bytes_max: self.config.limits.session_entry_bytes_max,
            long_term_entry_bytes_max: self.config.limits.long_term_entry_bytes_max,
        }
    }

    /// Reading never waits for writing: the count goes along with the next write.
    pub(crate) fn count_access(&self, memory: &Memory) {
        let now = self.clock.now();
        let mut accesses = self.accesses();
        if accesses.len() >= ACCESSES_MAX && !accesses.contains_key(&memory.id) {
            return;
        }
        let entry = accesses
            .entry(memory.id.clone())
            .or_insert((memory.space.clone(), 0, now));
        entry.1 += 1;
        entry.2 = now;
    }

    fn take_accesses(&self) -> HashMap<MemoryId, (Space, u64, Time)> {
        std::mem::take(&mut *self.accesses())
    }

    fn take_accesses_of(&self, wanted: &Space) -> HashMap<MemoryId, (Space, u64, Time)> {
        let mut accesses = self.accesses();
        accesses
            .extract_if(|_, (space, _, _)| space == wanted)
            .collect()
    }

    fn due(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, Reach>> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn accesses(&self) -> std::sync::MutexGuard<'_, HashMap<MemoryId, (Space, u64, Time)>> {
        self.accesses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
