//! Texts of others on our terminal: nothing in them may steer it.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The text with every character made visible that could steer a terminal or
/// reorder what stands beside it; line breaks stay.
pub(crate) fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push('\n'),
            '\t' => out.push_str("    "),
            // Windows' line ends are no news to anybody.
            '\r' => {}
            '\u{0}'..='\u{1f}' => {
                out.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('␀'));
            }
            '\u{7f}' => out.push('␡'),
            '\u{2028}' | '\u{2029}' => out.push(' '),
            c if c.is_control() || is_bidi_control(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// Right-to-left text is welcome; marks that reorder what is around it are not.
fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
}

/// The same on one line: white space of any sort becomes one space.
pub(crate) fn one_line(text: &str) -> String {
    let text = harmless(text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How many columns a text takes.
pub(crate) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// At most so many columns of a text, with `…` where something is left out.
pub(crate) fn fit(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut used = 0;
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if used + wide + 1 > columns {
            break;
        }
        used += wide;
        short.push(c);
    }
    // Joined emoji are measured together, so the sum of their parts can be too much.
    while width(&short) + 1 > columns && short.pop().is_some() {}
    short.push('…');
    short
}

/// Lines of at most so many columns, broken between words where possible.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in harmless(text).split('\n') {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            let needed = width(&line) + 1 + width(word);
            if !line.is_empty() && needed > columns {
                lines.push(std::mem::take(&mut line));
            } else if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_passes() {
        for (given, shown) in [
            ("\u{1b}[31mred\u{1b}[0m", "␛[31mred␛[0m"),
            ("a\u{0}b\u{7}c\u{7f}", "a␀b␇c␡"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("\u{202e}evil", "\\u{202e}evil"),
            ("a\r\nb\tc", "a\nb    c"),
            ("مرحبا 👩‍💻", "مرحبا 👩‍💻"),
        ] {
            assert_eq!(harmless(given), shown);
        }
    }

    #[test]
    fn what_does_not_fit_ends_in_an_ellipsis() {
        for (text, columns, shown) in [
            ("short", 5, "short"),
            ("longer", 5, "long…"),
            ("日本語テキスト", 5, "日本…"),
            ("", 5, ""),
        ] {
            assert_eq!(fit(text, columns), shown);
            assert!(width(&fit(text, columns)) <= columns);
        }
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("a\n\nb", 7), ["a", "", "b"]);
    }
}
