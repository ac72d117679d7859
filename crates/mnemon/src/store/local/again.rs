//! A line is not where the index says: was its log just replaced, or is it damaged?
//!
//! Sessions are archived, opened and compacted while others ask. Between the
//! new log and the index that knows it lies a moment in which the index points
//! into a file that has gone. So a question is asked again until it is
//! answered; only what is still missing while nobody can replace anything,
//! because we have the lock, is damage.

use std::path::Path;

use super::LocalStore;
use super::current::ask_once;
use super::index::generation::{Borrowed, Generation};
use super::index::{self, apply};
use super::lock::{Held, Wait};
use crate::error::{Error, Result};

impl LocalStore {
    /// Answers for good a question that an index could not answer.
    pub(super) fn ask_again<T>(
        &self,
        generation: &Generation,
        question: &impl Fn(&Borrowed<'_>) -> Result<T>,
    ) -> Result<T> {
        if generation.is_in_memory() {
            return self.ask_in_memory(question);
        }
        let wait = Wait::begin();
        loop {
            match self.lock.try_acquire("read a log again") {
                Ok(Some(mut held)) => return self.ask_with_lock(&mut held, question),
                // Whoever replaced the log may be about to tell the index.
                Ok(None) => self.lock.pause(&wait)?,
                // Nobody can write here, so nobody tells the index either.
                Err(_) => return self.ask_in_memory(question),
            }
            let generation = self.settled_index()?;
            match ask_once(&generation, question) {
                Err(Error::Damaged { .. }) => {}
                answer => return answer,
            }
        }
    }

    /// Nobody replaces anything meanwhile, so this answer holds.
    fn ask_with_lock<T>(
        &self,
        held: &mut Held<'_>,
        question: &impl Fn(&Borrowed<'_>) -> Result<T>,
    ) -> Result<T> {
        self.loaded().looked = None;
        let Ok(generation) = self.index_for_writing(held) else {
            // The disk is full, or may not be written.
            return self.ask_in_memory(question);
        };
        match ask_once(&generation, question) {
            Err(Error::Damaged { path, .. }) => {
                // Whatever size and time say: the disk lost or changed bytes of it.
                let _ = self.read_anew(&generation, &path);
                ask_once(&generation, question)
            }
            answer => answer,
        }
    }

    /// Asks an index in memory; what it misses in a log that stays as it is, is damage.
    fn ask_in_memory<T>(&self, question: &impl Fn(&Borrowed<'_>) -> Result<T>) -> Result<T> {
        let wait = Wait::begin();
        loop {
            let generation = self.memory_index()?;
            let path = match ask_once(&generation, question) {
                Err(Error::Damaged { path, .. }) => path,
                answer => return answer,
            };
            let before = self.disk.stat(&path).map_err(Error::io("read", &path))?;
            let _ = self.read_anew(&generation, &path);
            let answer = ask_once(&generation, question);
            let after = self.disk.stat(&path).map_err(Error::io("read", &path))?;
            match answer {
                Err(Error::Damaged { .. }) if before != after => self.lock.pause(&wait)?,
                answer => return answer,
            }
        }
    }

    /// Reads all of a log into an index, in one transaction, so that nobody finds it half read.
    fn read_anew(&self, generation: &Generation, path: &Path) -> Result<()> {
        let mut spaces = self.spaces()?;
        spaces.retain(|space| self.layout.log(space) == path);
        let connection = generation.borrow()?;
        connection
            .execute_batch("BEGIN IMMEDIATE")
            .map_err(Error::index("index"))?;
        for space in &spaces {
            apply::start_over(&connection, space).map_err(Error::index("index"))?;
            self.catch_up_one(&connection, space)?;
        }
        index::commit(&connection).map_err(Error::index("index"))
    }
}

/// Whether a file is not there any more, or not the same, because somebody replaced it.
pub(super) fn is_replaced(error: &Error) -> bool {
    match error {
        Error::LogReplaced { .. } => true,
        Error::Io { source, .. } => source.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}
