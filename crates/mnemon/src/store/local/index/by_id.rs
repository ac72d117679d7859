//! Finding a memory by its id, in a tree that has the newest at its end.
//!
//! An id begins with its kind, and goes on with the moment in which it was made up
//! (`dec_01J…`). In the order of its letters each kind has its own place in the
//! tree, so that a group of writers changes as many pages as it has kinds: seven
//! of seventeen for a group of thirteen. With the moment first they share one.
//!
//! Invariant: who looks for an id writes [`has_id!`]; an `id = ?` alone would go
//! through all memories.

use rusqlite::Connection;

/// The tree.
pub(super) const TREE: &str =
    "CREATE UNIQUE INDEX memories_by_id ON memories (substr(id, instr(id, '_') + 1), id);";

/// The condition for the row `m` of the memory whose id is bound as `?1`, or is the value of
/// another expression.
macro_rules! has_id {
    () => {
        $crate::store::local::index::by_id::has_id!("?1")
    };
    ($id:literal) => {
        concat!(
            "substr(m.id, instr(m.id, '_') + 1) = substr(",
            $id,
            ", instr(",
            $id,
            ", '_') + 1) AND m.id = ",
            $id
        )
    };
}
pub(crate) use has_id;

const IS_NEW: &str = concat!(
    "SELECT NOT EXISTS (SELECT 1 FROM memories m WHERE ",
    has_id!(),
    ") AND NOT EXISTS (SELECT 1 FROM shelved WHERE id = ?1)"
);

/// Whether no row has this id, neither of a log, be it about to leave, nor of a shelf: so it is
/// with nearly all that are kept.
pub(crate) fn is_new(connection: &Connection, id: &str) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(IS_NEW)?
        .query_row([id], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::super::{apply, in_force, leaving, open_memory, read, shelves, terms};

    #[test]
    fn whoever_looks_for_an_id_looks_in_the_tree() {
        let connection = open_memory().unwrap();
        let questions = [
            apply::COUNT_ACCESSES,
            apply::ROW_OF,
            &leaving::NO_LONGER_SUPERSEDED,
            &read::FIND,
            read::SPACE_ELSEWHERE,
            shelves::FIND,
            super::IS_NEW,
            terms::MAKE_PENDING,
            &in_force::SETTLE,
        ];
        for sql in questions {
            let mut explain = connection
                .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
                .unwrap();
            for number in 1..=explain.parameter_count() {
                explain.raw_bind_parameter(number, "fact_1").unwrap();
            }
            let mut rows = explain.raw_query();
            let mut steps: Vec<String> = Vec::new();
            while let Some(row) = rows.next().unwrap() {
                steps.push(row.get(3).unwrap());
            }
            let by_id = |step: &&String| step.ends_with("memories_by_id (<expr>=? AND id=?)");
            assert!(steps.iter().any(|step| by_id(&step)), "{sql}: {steps:?}");
            let is_scan = |step: &String| step == "SCAN m" || step.starts_with("SCAN m ");
            assert!(!steps.iter().any(is_scan), "{sql}: {steps:?}");
        }
    }
}
