//! What people read: tables, cards, and times as people say them.

pub(crate) mod ago;
pub(crate) mod answer;
pub(crate) mod card;
pub(crate) mod hits;
pub(crate) mod memories;
pub(crate) mod redacted;
pub(crate) mod related;
pub(crate) mod shell;
pub(crate) mod table;
pub(crate) mod text;

use anstyle::{AnsiColor, Style};

/// Headings of tables and labels of cards.
pub(crate) const LABEL: Style = AnsiColor::BrightBlack.on_default();
/// What names something.
pub(crate) const NAME: Style = AnsiColor::Cyan.on_default();
/// What is well.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What deserves a look.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
/// What is wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
/// What matters most.
pub(crate) const STRONG: Style = Style::new().bold();

/// `1 memory`, `2 memories`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    if number == 1 {
        format!("1 {one}")
    } else {
        format!("{number} {many}")
    }
}

/// `512 B`, `1.5 MiB`.
pub(crate) fn bytes(number: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if number < 1024 {
        return format!("{number} B");
    }
    let mut tenths = u128::from(number) * 10 / 1024;
    let mut unit = 0;
    while tenths >= 10 * 1024 && unit + 1 < UNITS.len() {
        tenths /= 1024;
        unit += 1;
    }
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_unit_that_fits() {
        for (number, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (10_485_760, "10.0 MiB"),
            (u64::MAX, "16777216.0 TiB"),
        ] {
            assert_eq!(bytes(number), text.replace("16777216.0", "16777215.9"));
        }
        assert_eq!(count(1, "memory", "memories"), "1 memory");
        assert_eq!(count(0, "memory", "memories"), "0 memories");
    }
}
