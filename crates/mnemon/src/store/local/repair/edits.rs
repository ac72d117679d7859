//! Edits by hand that become the truth: each is signed, and takes no other memory's id or handle.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::memory::{Handle, Kind, Memory, MemoryId, Reference, Space};
use crate::store::local::LocalStore;
use crate::store::local::index::generation::Generation;
use crate::store::local::index::read;
use crate::store::local::log::line::sign_again;
use crate::store::local::log::record::Record;
use crate::time::Time;

/// The edits of all logs that one repair takes.
pub(super) struct Edits<'a> {
    store: &'a LocalStore,
    /// What the sound lines say.
    fresh: &'a Generation,
    /// The memories that edits keep which were taken before.
    accepted: HashSet<MemoryId>,
    /// The handles that such edits give, and to which memory.
    handles: HashMap<(Space, Handle), MemoryId>,
}

impl<'a> Edits<'a> {
    pub(super) fn new(store: &'a LocalStore, fresh: &'a Generation) -> Self {
        Self {
            store,
            fresh,
            accepted: HashSet::new(),
            handles: HashMap::new(),
        }
    }

    /// A line as a person left it, signed, with what they need not know filled in.
    pub(super) fn accept(&mut self, bytes: &[u8], space: &Space, before: Time) -> Result<Vec<u8>> {
        let (signed, line) =
            sign_again(bytes, |object| fill_in(object, space, before)).map_err(|_| {
                let input = String::from_utf8_lossy(bytes);
                Error::unparsable("a line of a log", &input, "it can't be read")
            })?;
        match Record::read(line)? {
            Record::Add(memory) | Record::Update { memory, .. } if memory.space != *space => {
                let given = memory.space.to_string();
                Err(Error::rule(
                    "space",
                    format!("{space}, like the log"),
                    &given,
                ))
            }
            Record::Add(memory)
                if self.is_kept_already(&memory.id, space)?
                    || !self.accepted.insert(memory.id.clone()) =>
            {
                Err(Error::IdTaken {
                    id: memory.id.to_string(),
                })
            }
            Record::Add(memory) | Record::Update { memory, .. }
                if self.has_the_handle_of_another(&memory)? =>
            {
                let given = memory.handle.map_or_else(String::new, |it| it.to_string());
                let rule = "one that no other memory of the session has";
                Err(Error::rule("handle", rule, &given))
            }
            _ => Ok(signed),
        }
    }

    /// Whether a memory was given a handle by which another one is known, or by another edit.
    fn has_the_handle_of_another(&mut self, memory: &Memory) -> Result<bool> {
        let (Some(session), Some(handle)) = (memory.space.session(), memory.handle) else {
            return Ok(false);
        };
        let index = || Error::index("index");
        let connection = self.fresh.borrow()?;
        let named = Reference::Handle(session.clone(), handle);
        let found = read::find(&connection, &named).map_err(index())?;
        if found.is_some_and(|found| found.id != memory.id.as_str()) {
            return Ok(true);
        }
        let place = (memory.space.clone(), handle);
        let first = self
            .handles
            .entry(place)
            .or_insert_with(|| memory.id.clone());
        Ok(*first != memory.id)
    }

    /// Whether a sound line keeps a memory of this id, which another must not take.
    fn is_kept_already(&self, id: &MemoryId, space: &Space) -> Result<bool> {
        let index = || Error::index("index");
        let connection = self.fresh.borrow()?;
        let found = read::find(&connection, &Reference::Id(id.clone())).map_err(index())?;
        let Some(pointer) = found else {
            return Ok(false);
        };
        if pointer.space != space.to_string() {
            return Ok(true);
        }
        let (offset, length) = read::first_line(&connection, pointer.n).map_err(index())?;
        let files = &self.store.files;
        let first = files.line(space, pointer.inode, offset, length, None)?;
        // If only a revision is left, it is the line that first kept the memory which was edited.
        Ok(first.is_some_and(|line| line.op.is_none()))
    }
}

fn fill_in(object: &mut Map<String, Value>, space: &Space, before: Time) {
    // The rewrite drops the commit of a transaction that was edited, and a
    // line that still waits for it would be cut as a torn tail.
    object.remove("tx");
    if object.contains_key("op") {
        return;
    }
    let mut missing = |member: &str, value: Value| {
        object.entry(member).or_insert(value);
    };
    let millis = u64::try_from(before.micros() / 1000).unwrap_or(0);
    let id = MemoryId::generate(Kind::Fact, millis, crate::random());
    missing("id", id.to_string().into());
    missing("kind", Kind::Fact.to_string().into());
    missing("space", space.to_string().into());
    missing("recorded_at", before.to_string().into());
    missing("version", 1.into());
}
