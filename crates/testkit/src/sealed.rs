//! Stores with a key.

use std::path::Path;
use std::sync::Arc;

use mnemon::seal::{Keyring, Ring, Secret, Source};
use mnemon::store::Store;
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::{Caller, Config, Mnemon};

/// The master key of all of them: 32 bytes in base64.
pub const KEY: &str = "bW5lbW9uIHRlc3RzIHVzZSB0aGlzIGtleSBvbmx5ISE=";

/// That key.
pub fn source() -> Source {
    Source::Text(Secret::new(KEY.to_owned()))
}

/// Options of somebody who has the key.
pub fn options(everything: bool) -> LocalOptions {
    LocalOptions {
        keyring: Arc::new(Keyring::new(vec![source()], everything)),
        ..LocalOptions::default()
    }
}

/// Gives the store a ring, unless it has one.
pub fn make_ring(store: &dyn Store) {
    if store.ring().expect("a ring that can be read").is_none() {
        let master = source().master(None).expect("a key");
        store
            .change_ring(&mut |_| Ok(Ring::new(&master, None)))
            .expect("the first ring");
    }
}

/// A store with a ring, as somebody with the key opens it.
pub fn store(root: &Path, options: LocalOptions) -> LocalStore {
    let store = LocalStore::create(root, options).expect("a store");
    make_ring(&store);
    store
}

/// The engine on a store, for somebody with the key.
pub fn open(root: &Path) -> Mnemon {
    Mnemon::new(Arc::new(store(root, options(false))), Config::default())
}

/// The engine on a store, for somebody without the key.
pub fn open_without_key(root: &Path) -> Mnemon {
    let store = LocalStore::open(root, LocalOptions::default()).expect("a store");
    Mnemon::new(Arc::new(store), Config::default())
}

/// Who asks.
pub fn me() -> Caller {
    Caller::user("ada")
}
