//! The members of a memory as models write them.

use mnemon::nearest::nearest;
use mnemon::{Error, Result};
use mnemon_wire::parse::MEMBERS;
use serde_json::Value;

use super::fields::{self, Arguments};

/// What is offered here and unknown to the wire.
const OWN: [&str; 4] = ["ref", "session", "agent", "shared"];

/// Reads `tag` as `tags`, one tag as a list, and refuses what is not known.
///
/// A mistyped name would otherwise become a field of the body, where nobody
/// looks for it.
pub(crate) fn check(members: &mut Arguments) -> Result<()> {
    if let Some(tag) = fields::take(members, "tag") {
        if members.get("tags").is_some_and(|tags| !tags.is_null()) {
            return Err(Error::Rule {
                field: "tags",
                rule: "given once: `tag` is the same".into(),
                given: String::new(),
            });
        }
        members.insert("tags".into(), tag);
    }
    members.remove("tag");
    if let Some(tag @ Value::String(_)) = members.get("tags") {
        let list = Value::Array(vec![tag.clone()]);
        members.insert("tags".into(), list);
    }
    let known = || MEMBERS.into_iter().chain(OWN);
    match members.keys().find(|name| known().all(|own| own != *name)) {
        None => Ok(()),
        Some(name) => Err(Error::UnknownMember {
            nearest: nearest(name, known()).map(str::to_owned),
            name: fields::short(name),
        }),
    }
}
