//! Texts by their lines: numbered, cut out, replaced and inserted.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

/// So many lines are shown before and after an edit.
const CONTEXT: usize = 4;

/// How many lines a text has; what follows the last line break counts if it is not empty.
pub(super) fn count(text: &str) -> usize {
    text.split_inclusive('\n').count()
}

/// Lines with their numbers, the first of which is 1.
pub(super) fn numbered(text: &str, shown: RangeInclusive<usize>) -> String {
    let mut out = String::new();
    let lines = text.split_inclusive('\n').enumerate();
    for (place, line) in lines.skip(shown.start().saturating_sub(1)) {
        if place + 1 > *shown.end() {
            break;
        }
        let line = line.strip_suffix('\n').unwrap_or(line);
        let _ = writeln!(out, "{:>6}\t{line}", place + 1);
    }
    out.truncate(out.trim_end_matches('\n').len());
    out
}

/// The lines that are asked for, of so many; all of them if nothing is said.
pub(super) fn range(
    asked: Option<(i64, i64)>,
    total: usize,
) -> Result<RangeInclusive<usize>, String> {
    let Some((first, last)) = asked else {
        return Ok(1..=total);
    };
    let end = if last == -1 {
        Some(total)
    } else {
        usize::try_from(last).ok()
    };
    match (usize::try_from(first).ok(), end) {
        // A last line behind the end means the end.
        (Some(start), Some(end)) if start >= 1 && start <= end && start <= total.max(1) => {
            Ok(start..=end.min(total))
        }
        _ => Err(wrong_range(&format!("[{first}, {last}]"))),
    }
}

/// The refusal of a range that makes no sense.
pub(super) fn wrong_range(given: &str) -> String {
    format!(
        "Error: Invalid `view_range` parameter: {given}. It should be two line numbers, the first \
         at least 1 and not after the last; -1 stands for the end"
    )
}

/// The numbers of the lines in which a text begins; nothing is nowhere.
pub(super) fn occurrences(text: &str, wanted: &str) -> Vec<usize> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let found = text.match_indices(wanted);
    found
        .map(|(at, _)| text[..at].matches('\n').count() + 1)
        .collect()
}

/// The lines around an edit that begins in one line and is so many lines long.
pub(super) fn around(text: &str, line: usize, lines: usize) -> RangeInclusive<usize> {
    let first = line.saturating_sub(CONTEXT).max(1);
    let last = (line + lines.saturating_sub(1) + CONTEXT).min(count(text));
    first..=last
}

/// With lines inserted after that line; 0 is before the first.
pub(super) fn insert(text: &str, after: usize, inserted: &str) -> String {
    let at: usize = text.split_inclusive('\n').take(after).map(str::len).sum();
    let (before, behind) = text.split_at(at);
    let mut edited = before.to_owned();
    if !before.is_empty() && !before.ends_with('\n') {
        edited.push('\n');
    }
    edited.push_str(inserted);
    if !behind.is_empty() && !inserted.ends_with('\n') {
        edited.push('\n');
    }
    edited + behind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_and_numbered_from_one() {
        assert_eq!(
            ["", "a", "a\n", "a\n\n", "a\nb"].map(count),
            [0, 1, 1, 2, 2]
        );
        assert_eq!(numbered("a\nb\nc\n", 2..=3), "     2\tb\n     3\tc");
        assert_eq!(numbered("", 1..=1), "");
        assert_eq!(numbered("\n\n", 1..=2), "     1\t\n     2\t");
    }

    #[test]
    fn a_range_may_end_behind_the_end_and_begin_nowhere_else() {
        assert_eq!(range(None, 5), Ok(1..=5));
        assert_eq!(range(Some((2, -1)), 5), Ok(2..=5));
        assert_eq!(range(Some((2, 99)), 5), Ok(2..=5));
        for wrong in [(0, 1), (3, 2), (6, 7), (1, -2), (-1, 3)] {
            assert!(
                range(Some(wrong), 5).unwrap_err().contains("view_range"),
                "{wrong:?}"
            );
        }
    }

    #[test]
    fn an_insertion_is_lines_of_its_own() {
        for (text, after, inserted, expected) in [
            ("", 0, "x", "x"),
            ("a\nb\n", 0, "x", "x\na\nb\n"),
            ("a\nb\n", 1, "x\n", "a\nx\nb\n"),
            ("a\nb\n", 2, "x\n", "a\nb\nx\n"),
            ("a\nb", 2, "x", "a\nb\nx"),
        ] {
            assert_eq!(insert(text, after, inserted), expected, "{text:?} {after}");
        }
    }

    #[test]
    fn a_text_is_found_where_it_begins() {
        assert_eq!(occurrences("a\nb a\nab", "a"), [1, 2, 3]);
        assert_eq!(occurrences("a\nb\nc", "b\nc"), [2]);
        assert_eq!(occurrences("a", ""), [] as [usize; 0]);
    }
}
