//! Commands that people copy into a shell.

/// A word as a shell takes it for one.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_shell_takes_every_word_for_one() {
        for (word, expected) in [
            ("/usr/bin/mnemon", "/usr/bin/mnemon"),
            ("/my files/mnemon", "'/my files/mnemon'"),
            ("it's", "'it'\\''s'"),
            ("$(rm)", "'$(rm)'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}
