//! Sizes with a unit: `10 MiB`, `1GB`.

/// Decimal units before the binary ones of the same letter; the case does not matter.
const UNITS: [(&str, i64); 9] = [
    ("B", 1),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];

/// The bytes that the text means: a whole number, with a unit or without.
pub(super) fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: i64 = number.parse().ok()?;
    let unit = unit.trim_start();
    if unit.is_empty() {
        return Some(number);
    }
    let (_, factor) = UNITS
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    number.checked_mul(*factor)
}

/// The size in the largest binary unit that leaves no remainder.
pub(super) fn show(bytes: i64) -> String {
    UNITS
        .iter()
        .rev()
        .filter(|(name, _)| name.contains('i'))
        .find(|(_, factor)| bytes > 0 && bytes % factor == 0)
        .map_or_else(
            || format!("{bytes} B"),
            |(name, factor)| format!("{} {name}", bytes / factor),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_decimal_or_binary_by_their_name() {
        for (text, bytes) in [
            ("0", Some(0)),
            ("65536", Some(65_536)),
            ("10 MiB", Some(10_485_760)),
            ("10mib", Some(10_485_760)),
            ("1GB", Some(1_000_000_000)),
            ("1 GiB", Some(1_073_741_824)),
            ("512 KiB", Some(524_288)),
            ("2 kB", Some(2_000)),
            (" 7 B ", Some(7)),
            ("3 TiB", Some(3 << 40)),
            ("", None),
            ("MiB", None),
            ("-1", None),
            ("+1", None),
            ("1.5 MiB", None),
            ("10 M", None),
            ("10 MiB free", None),
            ("10 miles", None),
            ("9223372036854775808", None),
            ("9223372036854775807 KB", None),
            ("1٣ KB", None),
        ] {
            assert_eq!(parse(text), bytes, "{text:?}");
        }
    }

    #[test]
    fn a_shown_size_reads_back() {
        for (bytes, shown) in [
            (0, "0 B"),
            (1, "1 B"),
            (1_000, "1000 B"),
            (65_536, "64 KiB"),
            (10_485_760, "10 MiB"),
            (1 << 40, "1 TiB"),
        ] {
            assert_eq!(show(bytes), shown);
            assert_eq!(parse(shown), Some(bytes));
        }
    }
}
