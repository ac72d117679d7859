//! What programs hand in, whatever the connection: the members of a memory, of
//! a change, and of other objects, each refused under its own name.

pub(crate) mod draft;
pub(crate) mod fields;
pub(crate) mod links;
pub(crate) mod members;
pub(crate) mod revision;
pub(crate) mod scope;
