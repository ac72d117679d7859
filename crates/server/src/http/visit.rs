//! One connection, as the requests on it see it.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use tokio::sync::OwnedSemaphorePermit;

/// A connection that was taken.
pub(super) struct Visit {
    /// The address by which we were reached.
    pub(super) reached: SocketAddr,
    /// Its place among all connections.
    place: Mutex<Option<OwnedSemaphorePermit>>,
}

impl Visit {
    pub(super) fn new(reached: SocketAddr, place: OwnedSemaphorePermit) -> Self {
        Self {
            reached,
            place: Mutex::new(Some(place)),
        }
    }

    /// Leaves its place to others: who only listens must keep nobody from asking.
    pub(super) fn give_place(&self) {
        *self.place.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
