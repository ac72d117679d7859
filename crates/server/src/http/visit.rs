//! One connection, as the requests on it see it.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit};

use super::listeners::Listening;

/// A connection that was taken.
pub(super) struct Visit {
    /// The address by which we were reached.
    pub(super) reached: SocketAddr,
    /// What it takes up, until it ends.
    place: Mutex<Place>,
    cut: Notify,
}

/// A place among those that ask, or among those that listen.
enum Place {
    Asking { _place: OwnedSemaphorePermit },
    Listening { _place: Listening },
}

impl Visit {
    pub(super) fn new(reached: SocketAddr, place: OwnedSemaphorePermit) -> Self {
        Self {
            reached,
            place: Mutex::new(Place::Asking { _place: place }),
            cut: Notify::new(),
        }
    }

    /// Leaves its place to others: who only listens must keep nobody from asking.
    pub(super) fn listen(&self, place: Listening) {
        let mut own = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        *own = Place::Listening { _place: place };
    }

    /// Ends the connection, whatever is still to be sent: nobody takes it.
    pub(super) fn cut(&self) {
        self.cut.notify_one();
    }

    /// Waits until it is to be ended.
    pub(super) async fn is_cut(&self) {
        self.cut.notified().await;
    }
}
