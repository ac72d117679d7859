//! Which preferences are in force: of one that was set a thousand times, the last.
//!
//! A row says whether its preference was replaced, so that what is in force is
//! found without a look at all that was ever set with the same key.
//!
//! Invariant: `replaced` is what [`IS_REPLACED`] says, in every row with a key.

use std::sync::LazyLock;

use rusqlite::Connection;

use super::by_id::has_id;
use crate::memory::SUPERSEDES;

/// The tree of those that nothing replaces.
pub(super) const TREE: &str = "CREATE INDEX memories_in_force ON memories (preference_key, log)
    WHERE preference_key IS NOT NULL AND replaced = 0;";

/// The condition for preferences `m` in force whose key is bound.
pub(super) const IN_FORCE: &str = "m.preference_key = ? AND m.replaced = 0";

/// By another of its space that sets the same, and that is not forgotten.
static IS_REPLACED: LazyLock<String> = LazyLock::new(|| {
    format!(
        "EXISTS (SELECT 1 FROM links k JOIN memories s ON s.n = k.n
            WHERE k.target = m.id AND k.rel = '{SUPERSEDES}' AND s.log = m.log
                AND s.preference_key = m.preference_key AND s.forgotten IS NULL)"
    )
});

pub(super) static SETTLE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "UPDATE memories AS m SET replaced = NOT replaced
         WHERE {} AND preference_key IS NOT NULL AND replaced <> {}",
        has_id!(),
        *IS_REPLACED
    )
});

/// Notes whether this memory is replaced, if it is a preference with a key. To be called after
/// its key, a link to it, or whether the one that links it is forgotten has changed.
pub(super) fn settle(connection: &Connection, id: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(&SETTLE)?.execute([id])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::Durability;
    use crate::memory::body::preference::Preference;
    use crate::memory::{Body, Draft, Kind, Link, MemoryId, Revision};
    use crate::store::local::fixture::batch;
    use crate::store::local::{LocalOptions, LocalStore};
    use crate::store::{Filter, Store, Write};

    fn id(number: u32) -> MemoryId {
        format!("pref_{number}").parse().unwrap()
    }

    fn supersedes(older: u32) -> Link {
        Link {
            rel: "supersedes".parse().unwrap(),
            to: id(older),
        }
    }

    fn set(number: u32, key: &str, older: Option<u32>) -> Write {
        let mut draft = Draft::new(Kind::Preference, "So it is to be".parse().unwrap());
        draft.body = Body::Preference(Preference {
            key: Some(key.into()),
            ..Preference::default()
        });
        draft.links.extend(older.map(supersedes));
        Write::Add {
            id: id(number),
            draft: Box::new(draft),
        }
    }

    fn revise(number: u32, revision: Revision) -> Write {
        Write::Revise {
            id: id(number),
            expected: None,
            revision: Box::new(revision),
        }
    }

    fn forget(number: u32) -> Write {
        Write::Forget {
            id: id(number),
            reason: String::new(),
            recover_until: "2030-01-01T00:00:00Z".parse().unwrap(),
            earlier: None,
        }
    }

    fn in_force(store: &LocalStore, key: &str) -> Vec<String> {
        let count_wrong = format!(
            "SELECT count(*) FROM memories m WHERE preference_key IS NOT NULL AND replaced <> {}",
            *IS_REPLACED
        );
        let wrong: i64 = store
            .ask(|connection| {
                Ok(connection
                    .query_row(&count_wrong, [], |row| row.get(0))
                    .unwrap())
            })
            .unwrap();
        assert_eq!(wrong, 0);
        let filter = Filter {
            preference_key: Some(key.into()),
            ..Filter::all(0)
        };
        let mut found: Vec<String> = store
            .select(&filter)
            .unwrap()
            .memories
            .iter()
            .map(|memory| memory.id.to_string())
            .collect();
        found.sort();
        found
    }

    #[test]
    fn what_is_in_force_follows_every_change() {
        let folder = tempfile::tempdir().unwrap();
        let options = LocalOptions {
            durability: Durability::Os,
            ..LocalOptions::default()
        };
        let store = LocalStore::create(folder.path(), options).unwrap();
        let commit = |write: Write| store.commit(batch(vec![write])).unwrap();
        let with_key = |key: &str| Revision {
            body: json!({ "key": key }).as_object().unwrap().clone(),
            ..Revision::default()
        };
        commit(set(1, "indent", None));
        assert_eq!(in_force(&store, "indent"), ["pref_1"]);
        commit(set(2, "indent", Some(1)));
        assert_eq!(in_force(&store, "indent"), ["pref_2"]);
        commit(forget(2));
        assert_eq!(in_force(&store, "indent"), ["pref_1"]);
        commit(Write::Restore {
            id: id(2),
            reason: String::new(),
        });
        assert_eq!(in_force(&store, "indent"), ["pref_2"]);
        // One that sets something else replaces nothing.
        commit(revise(2, with_key("tabs")));
        assert_eq!(in_force(&store, "indent"), ["pref_1"]);
        assert_eq!(in_force(&store, "tabs"), ["pref_2"]);
        commit(revise(1, with_key("tabs")));
        assert_eq!(in_force(&store, "tabs"), ["pref_2"]);
        commit(revise(
            2,
            Revision {
                remove_links: vec![supersedes(1)],
                ..Revision::default()
            },
        ));
        assert_eq!(in_force(&store, "tabs"), ["pref_1", "pref_2"]);
        // A link may be there before what it leads to.
        commit(set(3, "tabs", Some(4)));
        commit(set(4, "tabs", None));
        assert_eq!(in_force(&store, "tabs"), ["pref_1", "pref_2", "pref_3"]);
        // An index that is made anew from the log says the same.
        let compared = store.verify(&mut |_| {}).unwrap();
        assert_eq!(compared.problems.len(), 0, "{compared:?}");
    }
}
