//! A memory as a program hands it in, read and checked before anything is kept.

use std::collections::HashSet;

use jiff::tz::TimeZone;
use mnemon::Result;
use mnemon::memory::{Draft, Space};
use mnemon::time::expression::parse_expression;
use mnemon_wire::parse_memory;
use serde_json::{Value, json};

use super::fields::{self, Arguments};
use super::links;
use crate::opened::Opened;

/// Reads memories for a store.
pub(crate) struct Reader<'a> {
    pub(crate) opened: &'a Opened,
    /// The zone of times without one.
    pub(crate) zone: &'a TimeZone,
    /// Where what says nothing of it goes.
    pub(crate) default: &'a Space,
    /// The ids of what is kept by the same call, which others of it may name.
    pub(crate) own_ids: &'a HashSet<String>,
}

impl Reader<'_> {
    /// A memory, and where it goes: to `space`, to where it says itself, or to the default.
    pub(crate) fn read(
        &self,
        space: Option<Space>,
        mut members: Arguments,
    ) -> Result<(Space, Draft)> {
        self.moment(&mut members)?;
        let session = space.as_ref().unwrap_or(self.default).session();
        links::resolve(self.opened, session, self.own_ids, &mut members)?;
        let parsed = parse_memory(Value::Object(members))?;
        // Other programs say it in their own ways, which the wire knows.
        let space = space.or(parsed.space);
        let space = space.unwrap_or_else(|| self.default.clone());
        let mut draft = parsed.draft;
        // Handles are given out by the store.
        draft.handle = None;
        self.opened.engine.check(&space, &mut draft)?;
        Ok((space, draft))
    }

    /// Times that people and models write, such as `yesterday`, as those of the wire.
    fn moment(&self, members: &mut Arguments) -> Result<()> {
        if let Some(text) = fields::text(members, "created_at")? {
            let moment = parse_expression(&text, self.opened.engine.now(), self.zone)?;
            members.insert("created_at".into(), json!(moment.start));
        }
        Ok(())
    }
}

/// The ids that memories of one call bring along.
pub(crate) fn ids_of<'a>(all: impl Iterator<Item = &'a Arguments>) -> HashSet<String> {
    all.filter_map(|members| Some(members.get("id")?.as_str()?.to_owned()))
        .collect()
}
