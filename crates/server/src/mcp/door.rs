//! The door to the store: opened by the first call that needs it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mnemon::{Code, Error, Result};

use crate::opened::Opened;

/// What a call needs of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// It must be there, because it is to be asked.
    There,
    /// It is made if it is not there, because something is to be kept.
    Made,
}

pub(super) struct Door {
    open: Box<dyn Fn(Need) -> Result<Opened> + Send + Sync>,
    opened: Mutex<Option<Arc<Opened>>>,
    /// Whether it ever was open.
    was_open: AtomicBool,
}

impl Door {
    pub(super) fn new(open: Box<dyn Fn(Need) -> Result<Opened> + Send + Sync>) -> Self {
        Self {
            open,
            opened: Mutex::default(),
            was_open: AtomicBool::new(false),
        }
    }

    /// The store; a failure is forgotten, so that the next call tries again.
    pub(super) fn opened(&self, need: Need) -> Result<Arc<Opened>> {
        let mut opened = self.handle();
        if let Some(there) = &*opened {
            return Ok(Arc::clone(there));
        }
        let fresh = Arc::new((self.open)(need)?);
        self.was_open.store(true, Ordering::Relaxed);
        Ok(Arc::clone(opened.insert(fresh)))
    }

    /// Leaves nothing behind that is only in memory.
    pub(super) fn close(&self) {
        if let Some(opened) = self.handle().take() {
            opened.engine.flush_accesses_if_free(&opened.caller);
        }
    }

    /// Whether there was a store before.
    pub(super) fn was_open(&self) -> bool {
        self.was_open.load(Ordering::Relaxed)
    }

    /// Refuses if the store is gone: an open one whose files were removed is only empty.
    pub(super) fn require(&self) -> Result<()> {
        (self.open)(Need::There).map(drop)
    }

    /// Opens anew for the next call if it was the disk that failed: a server
    /// runs for days, and the store's folder may be moved or made again meanwhile.
    pub(super) fn failed(&self, error: &Error) {
        if error.code() == Code::StorageIo {
            *self.handle() = None;
        }
    }

    fn handle(&self) -> MutexGuard<'_, Option<Arc<Opened>>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
