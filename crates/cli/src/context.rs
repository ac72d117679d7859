//! What commands share: the store, the settings, who asks, and where answers go.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use jiff::tz::TimeZone;
use mnemon::config::{self, Loaded, Sources};
use mnemon::memory::SessionId;
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::{Caller, Config, Mnemon, Result};
use mnemon_endpoint::{Endpoint, Key, Options};

use crate::arguments::Global;
use crate::environment::{self, Environment};
use crate::failure::{Failure, Outcome};
use crate::output::Output;
use crate::pager::Pager;
use crate::root::Root;

/// What commands share.
pub(crate) struct Context {
    pub(crate) root: Root,
    /// The folder in which the command was typed.
    pub(crate) here: PathBuf,
    pub(crate) output: Output,
    /// The user's time zone.
    pub(crate) zone: TimeZone,
    /// The agent that asks, as it was named.
    pub(crate) agent: Option<String>,
    pub(crate) environment: Environment,
    loaded: OnceLock<Loaded>,
}

impl Context {
    pub(crate) fn new(global: &Global) -> Outcome<Self> {
        let here = std::env::current_dir().map_err(Failure::file("read", "."))?;
        Self::at(global, here)
    }

    /// As if the command had been typed in that folder.
    pub(crate) fn at(global: &Global, here: PathBuf) -> Outcome<Self> {
        let environment = Environment::read();
        if let Some(store) = global.store.as_ref().or(environment.store.as_ref()) {
            let message = format!("stores elsewhere are not available yet (given: {store})");
            let hint = "Leave --store and MNEMON_STORE out; --root chooses a folder.";
            return Err(Failure::misused(message, hint));
        }
        Ok(Self {
            root: Root::find(global.root.as_deref(), &environment, &here),
            here,
            output: Output::new(
                global.json,
                environment.columns,
                pager(global, &environment),
            ),
            zone: TimeZone::system(),
            agent: global
                .asked_as
                .clone()
                .or_else(|| environment.agent.clone()),
            environment,
            loaded: OnceLock::new(),
        })
    }

    /// The settings, read when they are first needed.
    pub(crate) fn loaded(&self) -> Result<&Loaded> {
        if let Some(loaded) = self.loaded.get() {
            return Ok(loaded);
        }
        let root_file = self.root_config();
        let loaded = config::load(&Sources {
            user_file: self.user_config().map(PathBuf::as_path),
            root_file: Some(&root_file),
            environment: self.environment.settings.clone(),
        })?;
        Ok(self.loaded.get_or_init(|| loaded))
    }

    pub(crate) fn config(&self) -> Result<&Config> {
        Ok(&self.loaded()?.config)
    }

    /// How far ahead of the clock a time may be before it is flagged.
    pub(crate) fn future_skew_minutes(&self) -> Result<u64> {
        Ok(self.config()?.limits.future_skew_minutes.into())
    }

    /// The settings file of the store.
    pub(crate) fn root_config(&self) -> PathBuf {
        self.root.path.join("mnemon.toml")
    }

    /// The settings file of the user.
    pub(crate) fn user_config(&self) -> Option<&PathBuf> {
        self.environment.user_config.as_ref()
    }

    /// Who asks.
    pub(crate) fn caller(&self) -> Result<Caller> {
        match &self.agent {
            Some(agent) => Ok(Caller::agent(agent.parse()?)),
            None => Ok(Caller::user(&self.config()?.defaults.user)),
        }
    }

    /// The store, which must be there.
    pub(crate) fn reader(&self) -> Result<Mnemon> {
        let options = self.options()?;
        self.engine(LocalStore::open(&self.root.path, options)?)
    }

    /// The store, made if it is not there.
    pub(crate) fn writer(&self) -> Result<Mnemon> {
        let options = self.options()?;
        self.engine(LocalStore::create(&self.root.path, options)?)
    }

    pub(crate) fn options(&self) -> Result<LocalOptions> {
        Ok(LocalOptions {
            keyring: Arc::new(self.keyring()?),
            ..LocalOptions::from(self.config()?)
        })
    }

    /// The engine over a store, with the embedder that the settings choose.
    pub(crate) fn engine(&self, store: LocalStore) -> Result<Mnemon> {
        let engine = Mnemon::new(Arc::new(store), self.config()?.clone());
        Ok(match self.endpoint()? {
            Some(endpoint) => engine.with_embedder(Arc::new(endpoint)),
            None => engine,
        })
    }

    /// The service that embeds, if the settings name one.
    pub(crate) fn endpoint(&self) -> Result<Option<Endpoint>> {
        let settings = &self.config()?.embedding;
        let key = environment::secret(&settings.key_env);
        let key = key.and_then(|text| Key::new(&text));
        Ok(Options::from_config(settings, key).map(Endpoint::new))
    }
}

/// How long answers are shown, unless somebody wants them at once.
fn pager(global: &Global, environment: &Environment) -> Option<Pager> {
    (!global.no_pager).then(|| Pager {
        program: environment.pager.clone(),
        has_less: environment.has_less,
    })
}

/// The session within which bare handles are looked up.
pub(crate) fn session_of(text: Option<&String>) -> Outcome<Option<SessionId>> {
    Ok(text.map(|text| text.parse()).transpose()?)
}
