//! The order in which the index keeps ids: the newest at the end.
//!
//! An id begins with its kind, and then with the moment in which it was made up
//! (`dec_01J…`). In the order of its letters each kind has its own place in the
//! tree, so that a group of writers changes as many pages as it has kinds: seven
//! of seventeen for a group of thirteen. With the moment first they share one.

use std::cmp::Ordering;

use rusqlite::Connection;

/// Makes the order `newest_last` known to a connection.
pub(super) fn add(connection: &Connection) -> rusqlite::Result<()> {
    connection.create_collation("newest_last", newest_last)
}

/// By what is behind the kind; ids that are the same there by the kind.
fn newest_last(one: &str, other: &str) -> Ordering {
    let behind_kind = |id: &'_ str| id.find('_').map_or(0, |at| at + 1);
    let (kind, other_kind) = (behind_kind(one), behind_kind(other));
    let by_moment = one.as_bytes()[kind..].cmp(&other.as_bytes()[other_kind..]);
    by_moment.then_with(|| one.cmp(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_equal_only_if_they_are_the_same() {
        let ids = [
            "", "_", "a", "a_", "_a", "a_b", "b_a", "a_a", "a_b_c", "c_b", "fact_7", "dec_7",
        ];
        for one in ids {
            for other in ids {
                let order = newest_last(one, other);
                assert_eq!(order == Ordering::Equal, one == other, "{one} {other}");
                assert_eq!(order, newest_last(other, one).reverse(), "{one} {other}");
            }
        }
    }

    #[test]
    fn a_newer_id_comes_later_whatever_its_kind() {
        let mut ids = ["fact_01J2", "dec_01J9", "pref_01J1", "dec_01J2"];
        ids.sort_by(|one, other| newest_last(one, other));
        assert_eq!(ids, ["pref_01J1", "dec_01J2", "fact_01J2", "dec_01J9"]);
    }
}
