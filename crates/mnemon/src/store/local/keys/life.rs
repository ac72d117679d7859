//! Keys that come and go: the ring is replaced, and a key ends with its space.

use crate::error::Result;
use crate::memory::Space;
use crate::seal::Ring;
use crate::store::PaperSort;
use crate::store::local::log::line;
use crate::store::local::{LocalStore, commit, format, whole_file};

impl LocalStore {
    /// Replaces the ring; the first one makes it a store that older programs leave alone.
    pub(in crate::store::local) fn replace_ring(
        &self,
        change: &mut dyn FnMut(Option<&Ring>) -> Result<Ring>,
    ) -> Result<()> {
        let _held = self.lock.acquire("change keys")?;
        let ring = self.keys.ring()?;
        let next = change(ring.as_deref())?;
        if ring.is_none() {
            format::raise_to_sealed(&*self.disk, &self.layout)?;
        }
        self.keys.replace(&next)
    }

    /// Destroys the key of a space, under the lock that the caller holds.
    pub(in crate::store::local) fn destroy_key_of(&self, space: &Space) -> Result<()> {
        self.destroy_keys(&|own| own == space)
    }

    /// The same if nothing is left that it sealed: everything in the space was erased.
    pub(in crate::store::local) fn destroy_key_if_idle(&self, space: &Space) -> Result<()> {
        let ring = self.keys.ring()?;
        let Some(id) = ring.as_ref().and_then(|ring| ring.key_id(space)) else {
            return Ok(());
        };
        if self.is_key_in_use(space, id)? {
            return Ok(());
        }
        self.destroy_key_of(space)
    }

    /// What a purge that was cut short left.
    pub(in crate::store::local) fn destroy_keys_of_gone_sessions(&self) -> Result<()> {
        let mut there = self.session_folders(&self.layout.sessions())?;
        there.extend(self.session_folders(&self.layout.trash())?);
        self.destroy_keys(&|space| {
            space
                .session()
                .is_some_and(|session| !there.contains(session))
        })
    }

    fn destroy_keys(&self, is_meant: &dyn Fn(&Space) -> bool) -> Result<()> {
        let Some(ring) = self.keys.ring()? else {
            return Ok(());
        };
        let spaces = ring.spaces().filter_map(|space| space.parse().ok());
        let meant: Vec<Space> = spaces.filter(is_meant).collect();
        if meant.is_empty() {
            return Ok(());
        }
        let mut ring = (*ring).clone();
        for space in &meant {
            ring.destroy(space);
        }
        self.keys.replace(&ring)
    }

    /// Whether anything names the key: a line in the log, on a shelf, in the trash or set aside, or
    /// a snapshot.
    fn is_key_in_use(&self, space: &Space, id: &str) -> Result<bool> {
        let names = |bytes: Option<Vec<u8>>| {
            bytes.is_some_and(|bytes| line::find(&bytes, id.as_bytes()).is_some())
        };
        if names(whole_file::read(&*self.disk, &self.layout.log(space))?) {
            return Ok(true);
        }
        if let Some(session) = space.session() {
            for source in self.sources_of(session)? {
                let file = self.open_source(&source)?;
                if commit::holds(&*file, id.as_bytes())
                    .map_err(crate::Error::io("read", &source.path))?
                {
                    return Ok(true);
                }
            }
        }
        for snapshot in self.list_papers(PaperSort::Snapshot)? {
            if names(self.read_paper(&snapshot)?) {
                return Ok(true);
            }
        }
        let quarantine = self.layout.quarantine();
        let list = self.disk.list(&quarantine);
        for name in list.map_err(crate::Error::io("read", &quarantine))? {
            if names(whole_file::read(&*self.disk, &quarantine.join(name))?) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
