//! What changes, line by line.

use std::fmt::Write as _;

/// So many lines around a change are shown.
const CONTEXT: usize = 3;

/// The lines between the first and the last that differ, with some around them.
///
/// Our changes lie together, so what is equal in between is not looked for.
pub(super) fn diff(before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let pairs = || old.iter().zip(&new);
    let head = pairs().take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let backwards = old.iter().rev().zip(new.iter().rev());
    let tail = backwards.take(rest).take_while(|(a, b)| a == b).count();
    let mut out = String::new();
    for line in &old[head.saturating_sub(CONTEXT)..head] {
        let _ = writeln!(out, "  {line}");
    }
    for line in &old[head..old.len() - tail] {
        let _ = writeln!(out, "- {line}");
    }
    for line in &new[head..new.len() - tail] {
        let _ = writeln!(out, "+ {line}");
    }
    for line in new[new.len() - tail..].iter().take(CONTEXT) {
        let _ = writeln!(out, "  {line}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::diff;

    #[test]
    fn only_what_differs_is_shown_with_some_lines_around() {
        assert_eq!(diff("a\n", "a\n"), "");
        assert_eq!(diff("", "a\nb\n"), "+ a\n+ b\n");
        assert_eq!(
            diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n"),
            "  2\n  3\n  4\n- 5\n+ x\n  6\n  7\n  8\n"
        );
        assert_eq!(diff("a\na\n", "a\n"), "  a\n- a\n");
    }
}
