//! Keys: made, changed, destroyed, and asked for where something is sensitive.

use std::path::Path;

use serde_json::{Map, Value};

use crate::caller::{Caller, Operation, Sight};
use crate::engine::Mnemon;
use crate::engine::agent_key::is_sealed;
use crate::error::{Error, Result};
use crate::memory::{Draft, Revision, Space};
use crate::seal::{Keyring, Master, Ring, SealProblem, Secret, Source, Stretch, rotation};
use crate::store::{AuditEntry, Deed, PaperSort};

/// What is known of the keys of a store; no key is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sealing {
    /// Whether the store has keys.
    pub has_keys: bool,
    /// Which master key wraps them.
    pub master_id: Option<String>,
    /// Whether that comes of a passphrase.
    pub by_passphrase: bool,
    /// Where this process looks for the master key, in words.
    pub source: Option<String>,
    /// Whether all memories are sealed, and not only sensitive ones.
    pub everything: bool,
    /// The spaces that have a data key.
    pub spaces: Vec<String>,
    /// How many memories are sealed, without those in archives.
    pub sealed: u64,
}

/// What a sweep sealed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sealed {
    /// Memories that are sealed now and were not before.
    pub sealed: u64,
    /// Desks of agents, likewise.
    pub desks: u64,
}

impl Mnemon {
    /// What is known of the keys.
    pub fn sealing(&self, caller: &Caller) -> Result<Sealing> {
        caller.may(Operation::Sealing)?;
        let keyring = self.store.keyring();
        let mut sealing = Sealing {
            everything: keyring.is_some_and(Keyring::seals_everything),
            sealed: self.store.stats()?.sealed,
            ..Sealing::default()
        };
        if let Some(ring) = self.store.ring()? {
            let source = keyring.and_then(|keyring| keyring.source_for(&ring));
            sealing.source = source.map(Source::name);
            sealing.has_keys = true;
            sealing.master_id = Some(ring.master_id().to_owned());
            sealing.by_passphrase = ring.stretch().is_some();
            // Which other agents there are is not told to one.
            let sight = Sight::of(caller);
            let is_told = |it: &&str| it.parse().is_ok_and(|space| sight.reaches(&space));
            sealing.spaces = ring
                .spaces()
                .filter(is_told)
                .map(ToOwned::to_owned)
                .collect();
            sealing.spaces.sort();
        }
        Ok(sealing)
    }

    /// The master key, if the one that was given fits.
    pub fn master(&self, caller: &Caller) -> Result<Option<Master>> {
        caller.may(Operation::Master)?;
        self.own_master()
    }

    /// The master key, for what the engine itself seals.
    pub(super) fn own_master(&self) -> Result<Option<Master>> {
        match (self.store.keyring(), self.store.ring()?) {
            (Some(keyring), Some(ring)) => keyring.master(&ring),
            _ => Ok(None),
        }
    }

    /// Gives the store keys, wrapped by a new key in this file.
    pub fn make_keys_for_file(&self, caller: &Caller, path: &Path) -> Result<()> {
        caller.may(Operation::MakeKeysForFile)?;
        self.refuse_second_ring()?;
        // Durable before anything depends on it.
        let master = Master::random();
        master.write(path)?;
        self.store.change_ring(&mut |ring| match ring {
            Some(_) => Err(Error::Crypto(SealProblem::RingExists)),
            None => Ok(Ring::new(&master, None)),
        })?;
        self.enter(caller, Deed::KeysMade, None, String::new())
    }

    /// Gives the store keys, wrapped by the key that this source has already.
    pub fn make_keys_for(&self, caller: &Caller, source: &Source) -> Result<()> {
        caller.may(Operation::MakeKeysFor)?;
        self.refuse_second_ring()?;
        let stretch = matches!(source, Source::Passphrase(_)).then(Stretch::random);
        let master = source.master(stretch.as_ref())?;
        self.store.change_ring(&mut |ring| match ring {
            Some(_) => Err(Error::Crypto(SealProblem::RingExists)),
            None => Ok(Ring::new(&master, stretch.clone())),
        })?;
        self.enter(caller, Deed::KeysMade, None, String::new())
    }

    /// Wraps the data keys by a new key in a file: the one that is there is replaced, or a new
    /// file made.
    pub fn rotate_keys_to_file(&self, caller: &Caller, path: &Path) -> Result<()> {
        caller.may(Operation::RotateKeysToFile)?;
        let old = self.needed_master(caller)?;
        let next = rotation::prepare(path)?;
        self.rewrap(&old, &next, None)?;
        rotation::finish(path)?;
        self.enter(caller, Deed::KeysRotated, None, String::new())
    }

    /// Wraps the data keys by a key that comes of a passphrase.
    pub fn rotate_keys_to_passphrase(&self, caller: &Caller, passphrase: Secret) -> Result<()> {
        caller.may(Operation::RotateKeysToPassphrase)?;
        let old = self.needed_master(caller)?;
        let stretch = Stretch::random();
        let next = Source::Passphrase(passphrase).master(Some(&stretch))?;
        self.rewrap(&old, &next, Some(&stretch))?;
        self.enter(caller, Deed::KeysRotated, None, String::new())
    }

    fn rewrap(&self, old: &Master, next: &Master, stretch: Option<&Stretch>) -> Result<()> {
        self.store.change_ring(&mut |ring| {
            let ring = ring.ok_or(Error::Crypto(SealProblem::NoRing))?;
            // A rotation that was cut short got as far as this.
            if ring.master_id() == next.id() {
                return Ok(ring.clone());
            }
            ring.rewrapped(old, next, stretch.cloned())
        })
    }

    fn needed_master(&self, caller: &Caller) -> Result<Master> {
        if self.store.ring()?.is_none() {
            return Err(Error::Crypto(SealProblem::NoRing));
        }
        let what = || "the ring of keys".to_owned();
        self.master(caller)?
            .ok_or_else(|| Error::Crypto(SealProblem::Locked { what: what() }))
    }

    fn refuse_second_ring(&self) -> Result<()> {
        match self.store.ring()? {
            Some(_) => Err(Error::Crypto(SealProblem::RingExists)),
            None => Ok(()),
        }
    }

    /// Destroys the key of a space: nothing that it sealed opens any more, wherever a copy is.
    ///
    /// False if the space has none.
    pub fn destroy_key(&self, caller: &Caller, space: &Space) -> Result<bool> {
        caller.may(Operation::DestroyKey)?;
        let mut destroyed = false;
        self.store.change_ring(&mut |ring| {
            let mut ring = ring.ok_or(Error::Crypto(SealProblem::NoRing))?.clone();
            destroyed = ring.destroy(space);
            Ok(ring)
        })?;
        if destroyed {
            self.enter(caller, Deed::KeyDestroyed, Some(space), String::new())?;
        }
        Ok(destroyed)
    }

    /// Enters into the audit what no log tells of: what was done to keys and tokens, and by whom.
    pub(super) fn enter(
        &self,
        caller: &Caller,
        deed: Deed,
        space: Option<&Space>,
        reason: String,
    ) -> Result<()> {
        self.store.enter(&AuditEntry {
            at: self.clock.now(),
            deed,
            by: caller.name().to_owned(),
            reason,
            memories: 0,
            ids: Vec::new(),
            spaces: space.into_iter().cloned().collect(),
        })
    }

    /// Seals what is to be sealed and is not yet, in all its versions, as if it always had been.
    ///
    /// What lies in archives and in the trash stays as it is.
    pub fn seal_what_is_clear(&self, caller: &Caller) -> Result<Sealed> {
        caller.may(Operation::SealWhatIsClear)?;
        self.needed_master(caller)?;
        let sealed = self.store.seal_what_is_clear()?;
        let mut desks = 0;
        if self.seals_everything() {
            for paper in self.store.papers(PaperSort::Working)? {
                let is_clear = self.store.paper(&paper)?.is_some_and(|it| !is_sealed(&it));
                if let Some(agent) = paper.agent().filter(|_| is_clear) {
                    self.at_desk(caller, agent, |_| Ok(()))?;
                    desks += 1;
                }
            }
        }
        if sealed + desks > 0 {
            let what = format!("memories: {sealed}, desks: {desks}");
            self.enter(caller, Deed::Sealed, None, what)?;
        }
        Ok(Sealed { sealed, desks })
    }

    /// Whether all memories and desks are sealed.
    pub(super) fn seals_everything(&self) -> bool {
        self.store.keyring().is_some_and(Keyring::seals_everything)
    }

    /// What is sensitive is sealed or not kept at all.
    pub(super) fn refuse_unsealed(&self, is_sensitive: bool) -> Result<()> {
        let Some(keyring) = self.store.keyring() else {
            return Ok(());
        };
        if !is_sensitive && !keyring.seals_everything() {
            return Ok(());
        }
        match self.store.ring()? {
            Some(ring) if keyring.source_for(&ring).is_some() => Ok(()),
            _ => Err(Error::Crypto(SealProblem::NoKey)),
        }
    }

    /// Sensitive by its metadata, or by a secret that the settings leave in.
    pub(super) fn note_sensitive(&self, draft: &mut Draft) -> Result<()> {
        if draft.sensitive {
            return Ok(());
        }
        draft.sensitive = says_sensitive(&draft.metadata);
        if let Some(redactor) = self.redactor.of_secrets_left() {
            draft.sensitive |= !redactor.redact_draft(&mut draft.clone())?.is_empty();
        }
        Ok(())
    }

    /// As [`Self::note_sensitive`], for what a revision brings along.
    pub(super) fn note_sensitive_revision(&self, revision: &mut Revision) -> Result<()> {
        if revision.sensitive.is_some() {
            return Ok(());
        }
        let mut found = says_sensitive(&revision.metadata);
        if let Some(redactor) = self.redactor.of_secrets_left() {
            found |= !redactor.redact_revision(&mut revision.clone())?.is_empty();
        }
        if found {
            revision.sensitive = Some(true);
        }
        Ok(())
    }
}

/// Whether the caller says so beside it: `"sensitive": true`, or the word as a text.
fn says_sensitive(metadata: &Map<String, Value>) -> bool {
    match metadata.get("sensitive") {
        Some(Value::Bool(said)) => *said,
        Some(Value::String(said)) => said == "true",
        _ => false,
    }
}
