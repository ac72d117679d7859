//! Profiles: which tools a server offers, over the same store.

use std::str::FromStr;

use mnemon::{Error, Result};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};

use super::table::{Entry, Turn};
use super::{Shared, fields, files, reference, resources, tools};

/// A set of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Our own.
    Memory,
    /// Those of the reference memory server, so that it can be replaced.
    Reference,
    /// The commands of the file tool that models know as their memory.
    Files,
}

impl Profile {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Memory, Self::Reference, Self::Files];

    /// Their names, in the same order.
    pub(crate) const NAMES: [&str; 3] = [
        Self::Memory.as_str(),
        Self::Reference.as_str(),
        Self::Files.as_str(),
    ];

    /// As it is asked for.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Reference => "reference",
            Self::Files => "files",
        }
    }

    /// The names of its tools, and whether each only looks.
    pub fn tool_names(self) -> impl Iterator<Item = (&'static str, bool)> {
        let tools = self.tools().iter();
        tools.map(|tool| (tool.name, tool.turn == Turn::Beside))
    }

    pub(super) fn tools(self) -> &'static [Entry] {
        match self {
            Self::Memory => &tools::TOOLS,
            Self::Reference => &reference::TOOLS,
            Self::Files => &files::TOOLS,
        }
    }

    pub(super) fn instructions(self) -> Option<&'static str> {
        match self {
            Self::Memory => Some(tools::INSTRUCTIONS),
            Self::Reference => None,
            Self::Files => Some(files::INSTRUCTIONS),
        }
    }

    pub(super) fn has_prompts(self) -> bool {
        self == Self::Memory
    }

    pub(super) fn has_resources(self) -> bool {
        self != Self::Files
    }

    pub(super) fn list_resources(self) -> fn(&Shared) -> Result<Vec<Resource>> {
        match self {
            Self::Memory => resources::list,
            Self::Reference => reference::resource::list,
            Self::Files => |_| Ok(Vec::new()),
        }
    }

    pub(super) fn resource_templates(self) -> Vec<ResourceTemplate> {
        match self {
            Self::Memory => resources::templates(),
            Self::Reference | Self::Files => Vec::new(),
        }
    }

    pub(super) fn read_resource(self) -> fn(&Shared, &str) -> Result<ResourceContents> {
        match self {
            Self::Memory => resources::read,
            Self::Reference => reference::resource::read,
            Self::Files => |_, uri| {
                Err(Error::NotFound {
                    reference: fields::short(uri),
                })
            },
        }
    }
}

impl FromStr for Profile {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let named = Self::ALL.into_iter().find(|it| it.as_str() == text);
        named.ok_or_else(|| Error::InvalidQuery {
            field: "profile".into(),
            problem: format!("must be one of {}", Self::NAMES.join(", ")),
        })
    }
}
