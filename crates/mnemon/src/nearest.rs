//! The known name that someone probably meant.

/// Beyond this nobody mistyped a name of ours, and comparing would only cost time.
const GIVEN_CHARS_MAX: usize = 100;

/// How much a wrong table weighs at most, in letters: less than another name.
const TABLE_COST_MAX: usize = 4;

/// The known name nearest to the given one, if it is near enough to be meant.
///
/// What comes after the last dot must resemble; the table before it only
/// decides between equals, because a right name under the wrong table is the
/// commonest mistake of all.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if given.chars().nth(GIVEN_CHARS_MAX).is_some() {
        return None;
    }
    let given = given.to_lowercase();
    let (given_table, given_name) = split(&given);
    known
        .into_iter()
        .filter_map(|candidate| {
            let lower = candidate.to_lowercase();
            let (table, name) = split(&lower);
            let distance = distance(given_name, name);
            let longer = given_name.chars().count().max(name.chars().count());
            let table_distance = self::distance(given_table, table);
            let cost = distance + table_distance.min(TABLE_COST_MAX);
            (distance <= (longer * 2 / 5).max(1)).then_some((cost, table_distance, candidate))
        })
        .min_by_key(|(cost, table_distance, _)| (*cost, *table_distance))
        .map(|(_, _, candidate)| candidate)
}

fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or(("", name))
}

/// How many letters to add, drop, change or swap with their neighbour.
fn distance(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().collect();
    let to: Vec<char> = to.chars().collect();
    let mut before_last = vec![0; to.len() + 1];
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1; to.len() + 1];
        for (j, b) in to.iter().enumerate() {
            let changed = last[j] + usize::from(a != b);
            row[j + 1] = changed.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                row[j + 1] = row[j + 1].min(before_last[j - 1] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_single_mistakes() {
        for (from, to, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "abc", 0),
            ("abc", "acb", 1),
            ("abc", "abcd", 1),
            ("kitten", "sitting", 3),
            ("größe", "grosse", 3),
        ] {
            assert_eq!(distance(from, to), expected, "{from} {to}");
            assert_eq!(distance(to, from), expected, "{to} {from}");
        }
    }

    #[test]
    fn a_very_long_name_is_near_to_nothing() {
        assert_eq!(nearest(&"user".repeat(1_000_000), ["user"]), None);
    }
}
