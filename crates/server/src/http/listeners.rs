//! Who listens to events: so many in all, and so many with one token.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// All who listen.
pub(super) struct Listeners {
    most: usize,
    /// With one token.
    each: usize,
    by: Mutex<HashMap<String, usize>>,
}

/// A place among them, given back when it is dropped.
pub(super) struct Listening {
    listeners: Arc<Listeners>,
    who: String,
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    InAll(usize),
    WithThisToken(usize),
}

impl Listeners {
    pub(super) fn new(most: usize, each: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            each,
            by: Mutex::default(),
        })
    }

    /// Takes a place; who has no token is the user, alone on this machine.
    pub(super) fn enter(self: &Arc<Self>, who: &str) -> Result<Listening, Full> {
        let mut by = self.by();
        if by.values().sum::<usize>() >= self.most {
            return Err(Full::InAll(self.most));
        }
        let own = by.get(who).copied().unwrap_or(0);
        if !who.is_empty() && own >= self.each {
            return Err(Full::WithThisToken(self.each));
        }
        by.insert(who.to_owned(), own + 1);
        Ok(Listening {
            listeners: Arc::clone(self),
            who: who.to_owned(),
        })
    }

    /// How many listen now.
    pub(super) fn count(&self) -> usize {
        self.by().values().sum()
    }

    fn by(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.by.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut by = self.listeners.by();
        if let Some(own) = by.get_mut(&self.who) {
            *own -= 1;
            if *own == 0 {
                by.remove(&self.who);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_so_many_places_and_gives_them_back() {
        let listeners = Listeners::new(4, 2);
        let enter = |who: &str| listeners.enter(who);
        let mut held = vec![enter("a").unwrap(), enter("a").unwrap()];
        assert_eq!(enter("a").err(), Some(Full::WithThisToken(2)));
        held.push(enter("b").unwrap());
        held.push(enter("").unwrap());
        assert_eq!(enter("b").err(), Some(Full::InAll(4)));
        held.remove(0);
        assert_eq!(listeners.count(), 3);
        held.push(enter("a").unwrap());
        drop(held);
        assert_eq!(listeners.count(), 0);
        let alone: Vec<Listening> = (0..4).map(|_| enter("").unwrap()).collect();
        assert_eq!(alone.len(), 4, "the user has all places");
    }
}
