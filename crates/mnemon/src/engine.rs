//! The verbs: what can be done with memories.
//!
//! [`Mnemon`] is the door to a store. Every operation is asked on behalf of a
//! [`Caller`]; whatever the store, rules and defaults are the same, because
//! they are applied here.

mod access;
mod agent_key;
mod aggregate;
mod backup;
mod compact;
mod consolidate;
mod context;
mod desk;
mod embed;
mod erase;
mod events;
mod export;
mod filling;
mod forget;
mod import;
mod json_paper;
mod keys;
mod life;
mod locate;
mod long_term;
mod maintain;
mod outside;
mod query;
mod recall;
mod related;
mod remember;
mod requests;
mod retention;
mod rights;
mod sessions;
mod shown;
mod similar;
mod snapshots;
mod supersede;
mod tier;
mod tokens;
mod turn;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub use backup::bring_back;
pub use compact::CompactionReport;
pub use desk::{Clearing, NewEntry, NewItem};
pub use embed::{Embedded, EmbeddingReport};
pub use filling::Filling;
pub use import::{
    Base, Conflict, ErasedTexts, IMPORTED_AT_ONCE, ImportItem, ImportOptions, Imported, Incoming,
    TakenIn,
};
pub use keys::{Sealed, Sealing};
pub use long_term::LongTermStats;
pub use maintain::{Expired, MaintainOptions, Maintained, ScheduledBackup};
pub use remember::{Action, Remembered};
pub use requests::Begun;
pub use retention::RetentionResult;
pub use sessions::NewSession;
pub use snapshots::{RestoreOptions, Restored, SNAPSHOTS_LISTED, SnapshotOptions, SnapshotStats};
pub use turn::{AfterTurn, KeptTurn};

use crate::caller::{Caller, Operation, Sight};
use crate::clock::Clock;
use crate::compact::Reach;
use crate::config::{self, Config, Sources};
use crate::decay::{At, Faded, Rules};
use crate::embed::{BuiltIn, Embedder};
use crate::error::{Code, Error, Result};
use crate::event::Bus;
use crate::memory::{Limits, Memory, MemoryId, Reference, SessionId, Shut, Space};
use crate::random;
use crate::redact::Redactor;
use crate::seal::SealProblem;
use crate::store::local::{LocalOptions, LocalStore};
use crate::store::{
    Batch, Change, Filter, OnFull, Place, Progress, Receipt, Reindexed, Repair, RepairOptions,
    Selection, Stats, Store, Verification, What, Write,
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
    /// When accesses last went along with a write, by space.
    went_along: Mutex<HashMap<Space, i64>>,
    /// Sessions that filled up, and how much they are to be compacted.
    due: Mutex<HashMap<SessionId, Reach>>,
    /// Who wants to know what happens.
    events: Bus,
}

/// Where random bytes come from; tests bring their own.
pub type Random = Arc<dyn Fn() -> [u8; 10] + Send + Sync>;

impl Drop for Mnemon {
    fn drop(&mut self) {
        self.store.be_left();
    }
}

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
            went_along: Mutex::default(),
            due: Mutex::default(),
            events: Bus::default(),
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
        caller.may(Operation::Get)?;
        let memory = self.find(caller, name, session)?;
        if memory.state.forgotten.is_some() {
            return Err(Error::Forgotten {
                id: memory.id.to_string(),
            });
        }
        self.count_access(&memory);
        self.publish_retrieval(&memory);
        Ok(memory)
    }

    /// The memories of these names; what is not found is left out.
    pub fn get_many(
        &self,
        caller: &Caller,
        names: &[String],
        session: Option<&SessionId>,
    ) -> Result<Vec<Memory>> {
        caller.may(Operation::GetMany)?;
        let mut found = Vec::with_capacity(names.len());
        for name in names {
            match self.get(caller, name, session) {
                Err(error) if error.code() == Code::NotFound => {}
                memory => found.push(memory?),
            }
        }
        Ok(found)
    }

    /// As [`Self::get`], but forgotten memories too, and without counting as an access.
    ///
    /// If it lies in an archived session, that is opened.
    pub fn find(&self, caller: &Caller, name: &str, session: Option<&SessionId>) -> Result<Memory> {
        caller.may(Operation::Find)?;
        let references = Reference::parse(name, session)?;
        let deadline = self.deadline();
        loop {
            let mut places = Vec::new();
            for reference in &references {
                match self.place(caller, reference)? {
                    Place::Here(memory) => return refuse_altered(*memory),
                    Place::Nowhere => {}
                    place => {
                        // What it means first may be there; only then it can mean something else.
                        places.push(place);
                        break;
                    }
                }
            }
            let archived = archived_among(name, places)?;
            // Somebody may archive it again before we look.
            self.open_session(caller, &archived)?;
            if Instant::now() >= deadline {
                return Err(Error::QueryTimeout);
            }
        }
    }

    /// The memory of that id if it is at hand, forgotten or not; no archive is opened for it.
    pub fn peek(&self, caller: &Caller, id: &MemoryId) -> Result<Option<Memory>> {
        caller.may(Operation::Peek)?;
        self.seen(caller, &Reference::Id(id.clone()))
    }

    /// The memories that fit a filter.
    pub fn list(&self, caller: &Caller, filter: &Filter) -> Result<Selection> {
        caller.may(Operation::List)?;
        self.list_within(caller, filter, Some(self.patience()))
    }

    /// As [`Self::list`], however long it takes if no time is given.
    fn list_within(
        &self,
        caller: &Caller,
        filter: &Filter,
        patience: Option<Duration>,
    ) -> Result<Selection> {
        self.require_spaces(caller, &filter.spaces)?;
        filter.check()?;
        self.with_open(caller, &filter.spaces, || {
            self.store.select(&Filter {
                patience,
                ..self.ruled(caller, filter)?
            })
        })
    }

    /// What time has left of a memory, and which rule says so.
    pub fn fade(&self, memory: &Memory) -> Result<Faded> {
        let at = At {
            rules: &*self.current_rules()?,
            now_micros: self.clock.now_micros(),
        };
        Ok(at.fade(memory))
    }

    /// The filter with the caller's sight and the settings of this store, and of its sessions
    /// where they count.
    fn ruled(&self, caller: &Caller, filter: &Filter) -> Result<Filter> {
        let decay = if filter.asks_priority() {
            self.current_rules()?
        } else {
            self.rules.clone()
        };
        Ok(Filter {
            decay,
            sight: Sight::of(caller),
            only_open: true,
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
        caller.may(Operation::History)?;
        let sight = Sight::of(caller);
        let deadline = self.deadline();
        loop {
            let memory = self.find(caller, name, session)?;
            let mut changes = self.store.history(&memory.id)?;
            if !changes.is_empty() {
                // Earlier versions may have been private to somebody else.
                changes.retain(|change| match &change.what {
                    What::Kept(then) | What::Revised(then) => sight.sees(then),
                    What::Forgotten { .. } | What::Restored { .. } => true,
                });
                return Ok((memory, changes));
            }
            // Its session was archived or deleted since it was found.
            if Instant::now() >= deadline {
                return Err(Error::QueryTimeout);
            }
        }
    }

    /// Counts and sizes.
    pub fn stats(&self, caller: &Caller) -> Result<Stats> {
        caller.may(Operation::Stats)?;
        self.seen_stats(caller, self.store.stats()?)
    }

    /// Checks everything that is kept.
    pub fn verify(
        &self,
        caller: &Caller,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Verification> {
        caller.may(Operation::Verify)?;
        self.store.verify(progress)
    }

    /// Sets damage aside and makes what is derived anew.
    pub fn repair(
        &self,
        caller: &Caller,
        options: RepairOptions,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Repair> {
        caller.may(Operation::Repair)?;
        self.store.repair(options, progress)
    }

    /// Makes what is derived anew.
    pub fn reindex(
        &self,
        caller: &Caller,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Reindexed> {
        caller.may(Operation::Reindex)?;
        self.store.reindex(progress)
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
        let accesses = self.accesses_to_go_along(&space);
        all.extend(accesses.iter().map(|(id, (_, count, last))| Write::Access {
            id: id.clone(),
            count: *count,
            last: *last,
        }));
        let mut kept = self
            .store
            .commit(self.batch(caller, space.clone(), all.clone(), on_full));
        // What a compaction frees is only estimated before: as long as one frees anything, the
        // next may free what is still missing.
        while let Err(full @ Error::SessionFull { .. }) = &kept
            && self.make_room(caller, &space, full)
        {
            let batch = self.batch(caller, space.clone(), all.clone(), on_full);
            kept = self.store.commit(batch);
        }
        if matches!(kept, Err(Error::NotFound { .. })) && !accesses.is_empty() {
            // One that was asked for may be gone for good by now; that is no reason to refuse.
            all.truncate(asked);
            kept = self
                .store
                .commit(self.batch(caller, space, all.clone(), on_full));
        }
        match kept {
            Ok(mut receipt) => {
                receipt.outcomes.truncate(asked);
                self.note_growth(&session_space, receipt.grown);
                self.publish_writes(caller, &session_space, &all[..asked], &receipt);
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
        let quota_bytes = self.quota_of(caller, &space);
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

    fn due(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, Reach>> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What was altered is not shown as if nobody had given the key.
fn refuse_altered(memory: Memory) -> Result<Memory> {
    match memory.closed() {
        Some(closed) if closed.why == Shut::Altered => {
            Err(Error::Crypto(SealProblem::of(closed.why, &memory.id)))
        }
        _ => Ok(memory),
    }
}

/// The archived session that is to be opened for a name; an error if that would not help.
fn archived_among(name: &str, places: Vec<Place>) -> Result<SessionId> {
    let mut refusal = None;
    for place in places {
        let reason = match place {
            Place::Archived(session) => return Ok(session),
            Place::Deleted(session) => Error::SessionDeleted {
                session: session.to_string(),
            },
            Place::Away(away) => Error::Compacted {
                id: away.id.to_string(),
                session: away.session.to_string(),
                since: away.since,
            },
            Place::Here(_) | Place::Nowhere => continue,
        };
        refusal.get_or_insert(reason);
    }
    Err(refusal.unwrap_or_else(|| Reference::not_found(name)))
}
