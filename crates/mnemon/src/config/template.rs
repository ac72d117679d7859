//! The file that `config init` writes.

use super::keys::{KEYS, tables};

const COLUMNS: usize = 78;

const HEAD: &str = "\
# Settings of mnemon. Take away the # before a setting to change it.
# Sizes are bytes, or text with a unit such as \"10 MiB\".
# Variables such as MNEMON_LOCK_TIMEOUT_MS overrule this file.
";

/// A file with every setting, its comment and its default, commented out.
pub fn template() -> String {
    let mut lines = vec![HEAD.to_owned()];
    for table in tables() {
        if !table.is_empty() {
            lines.push(format!("[{table}]"));
        }
        for key in KEYS.iter().filter(|key| key.split().0 == table) {
            lines.extend(wrap(key.comment).iter().map(|line| format!("# {line}")));
            // The empty line tells which comment belongs to which setting.
            lines.push(format!("# {} = {}\n", key.split().1, key.rule.default()));
        }
    }
    lines.join("\n")
}

/// Breaks between words, so that the file reads well in a terminal.
fn wrap(sentence: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in sentence.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len() + 1 + word.len() <= COLUMNS => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{Config, check_text};
    use super::*;

    #[test]
    fn the_template_changes_nothing() {
        let loaded = check_text(&template(), Path::new("t.toml")).unwrap();
        assert_eq!(loaded.config, Config::default());
    }

    #[test]
    fn every_setting_of_the_template_can_be_switched_on() {
        let template = template();
        let lines: Vec<_> = template
            .lines()
            .map(|line| match line.strip_prefix("# ") {
                Some(rest) if is_setting(rest) => rest,
                _ => line,
            })
            .collect();
        let loaded = check_text(&lines.join("\n"), Path::new("t.toml")).unwrap();
        assert_eq!(loaded.config, Config::default());
        for setting in &loaded.settings {
            assert!(
                setting.origin.to_string().starts_with("t.toml:"),
                "{}",
                setting.key
            );
        }
    }

    fn is_setting(line: &str) -> bool {
        KEYS.iter()
            .any(|key| line.starts_with(&format!("{} = ", key.split().1)))
    }

    #[test]
    fn the_template_reads_like_a_file_made_by_hand() {
        let text = template();
        assert!(text.contains(
            "\n[lock]\n\
             # How long a writer waits for the others; 0 tries once.\n\
             # timeout_ms = 5000\n"
        ));
        assert!(text.contains("\n# durability = \"always\"\n"));
        assert!(text.lines().all(|line| line.len() <= COLUMNS + 2));
    }
}
