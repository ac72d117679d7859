//! Sight in SQL: what an agent sees of `memories m` in `logs l`.
//!
//! The rule is [`Sight::sees`]; the column `private_to` holds
//! [`Memory::private_to`] as lines, so that a name is found whole.

use rusqlite::Connection;
use rusqlite::types::Value;

use crate::caller::Sight;
use crate::memory::{AgentId, Memory, Space};

/// Two names to be bound: the agent's space, and its line in `private_to`.
const SEEN: &str = "((substr(l.space, 1, 6) <> 'agent/' OR l.space = ?) \
    AND (m.private_to IS NULL OR instr(m.private_to, ?) > 0))";

/// What the column holds; no agent has a line break in its name.
pub(super) fn names(memory: &Memory) -> Option<String> {
    let mut names = memory.private_to()?;
    names.retain(|name| !name.contains('\n'));
    Some(format!("\n{}\n", names.join("\n")))
}

/// The condition, with what is to be bound; none if nothing is hidden.
pub(super) fn condition(sight: &Sight) -> Option<(String, [Value; 2])> {
    let (not, id) = match sight {
        Sight::Everything => return None,
        Sight::Agent(id) => ("", id),
        Sight::HiddenFrom(id) => ("NOT ", id),
    };
    let space = Space::Agent(id.clone()).to_string();
    Some((format!("{not}{SEEN}"), [space.into(), line(id).into()]))
}

/// The numbers of the logs of other agents, in their order.
pub(in crate::store::local) fn logs_of_others(
    connection: &Connection,
    id: &AgentId,
) -> rusqlite::Result<Vec<u32>> {
    let space = Space::Agent(id.clone()).to_string();
    connection
        .prepare_cached(
            "SELECT n FROM logs WHERE substr(space, 1, 6) = 'agent/' AND space <> ?1 ORDER BY n",
        )?
        .query_map([space], |row| row.get(0))?
        .collect()
}

/// The numbers of what is private, and not to others.
pub(in crate::store::local) fn own_private(
    connection: &Connection,
    id: &AgentId,
) -> rusqlite::Result<Vec<u32>> {
    connection
        .prepare_cached(
            "SELECT n FROM memories WHERE private_to IS NOT NULL AND instr(private_to, ?1) > 0",
        )?
        .query_map([line(id)], |row| row.get(0))?
        .collect()
}

fn line(id: &AgentId) -> String {
    format!("\n{id}\n")
}
