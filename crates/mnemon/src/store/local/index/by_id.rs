//! Finding a memory by its id, in a tree that has the newest at its end.
//!
//! An id begins with its kind, and goes on with the moment in which it was made up
//! (`dec_01J…`). In the order of its letters each kind has its own place in the
//! tree, so that a group of writers changes as many pages as it has kinds: seven
//! of seventeen for a group of thirteen. With the moment first they share one.

/// The tree.
pub(super) const TREE: &str =
    "CREATE UNIQUE INDEX memories_by_id ON memories (substr(id, instr(id, '_') + 1), id);";

/// The condition for the row `m` of the memory whose id is bound as `?1`.
pub(crate) const IS_IT: &str =
    "substr(m.id, instr(m.id, '_') + 1) = substr(?1, instr(?1, '_') + 1) AND m.id = ?1";

/// The condition for the row `m` of the memory whose id is the value of this expression.
pub(super) fn is(id: &str) -> String {
    IS_IT.replace("?1", &format!("({id})"))
}

#[cfg(test)]
mod tests {
    use super::super::open_memory;
    use super::*;

    #[test]
    fn an_id_is_looked_for_in_the_tree() {
        let connection = open_memory().unwrap();
        let questions = [
            format!("SELECT n FROM memories m WHERE {IS_IT}"),
            format!(
                "SELECT m.n FROM links k JOIN memories m ON {}",
                is("k.target")
            ),
        ];
        for sql in questions {
            let mut explain = connection
                .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
                .unwrap();
            let id = explain.parameter_count() == 1;
            let bound = rusqlite::params_from_iter(id.then_some("fact_1"));
            let steps = explain.query_map(bound, |row| row.get(3)).unwrap();
            let steps: Vec<String> = steps.map(Result::unwrap).collect();
            let step = steps.last().unwrap();
            assert!(
                step.starts_with("SEARCH m USING")
                    && step.ends_with("memories_by_id (<expr>=? AND id=?)"),
                "{sql}: {steps:?}"
            );
        }
    }
}
