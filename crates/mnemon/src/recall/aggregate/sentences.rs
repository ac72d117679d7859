//! Sentences: where a text can be cut so that each piece can be quoted.

/// Words after which a point ends nothing.
const ABBREVIATIONS: &[&str] = &[
    "approx", "cf", "dr", "e.g", "eg", "etc", "fig", "i.e", "ie", "jr", "mr", "mrs", "ms", "no",
    "prof", "sr", "st", "vs",
];

/// The sentences of a text, each as it was written, without white space around it.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut begin = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((place, character)) = characters.next() {
        let mut end = place + character.len_utf8();
        let ends = match character {
            '\n' | '\u{2028}' | '\u{2029}' | '。' | '！' | '？' => true,
            '.' | '!' | '?' | '…' => {
                // Whatever closes the sentence belongs to it: `?!`, `."`, `...)`.
                while let Some((next, closer)) = characters.next_if(|(_, c)| closes(*c)) {
                    end = next + closer.len_utf8();
                }
                let at_gap = characters.peek().is_none_or(|(_, c)| c.is_whitespace());
                let lone_point = character == '.' && end == place + 1;
                at_gap && !(lone_point && is_abbreviation(&text[begin..place]))
            }
            _ => false,
        };
        if ends {
            found.extend(trimmed(&text[begin..end]));
            begin = end;
        }
    }
    found.extend(trimmed(&text[begin..]));
    found
}

fn trimmed(piece: &str) -> Option<&str> {
    let piece = piece.trim();
    piece.chars().any(char::is_alphanumeric).then_some(piece)
}

fn closes(character: char) -> bool {
    matches!(
        character,
        '.' | '!' | '?' | '…' | '"' | '\'' | ')' | ']' | '”' | '’' | '»'
    )
}

/// Whether a text ends in `Dr`, `e.g` or a lone letter, so that a point says nothing.
fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or(before);
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    let initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase) && word != "I";
    initial || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_where_sentences_end() {
        let cases: &[(&str, &[&str])] = &[
            ("One. Two! Three?", &["One.", "Two!", "Three?"]),
            (
                "Really?! \"Yes.\" (No...) So",
                &["Really?!", "\"Yes.\"", "(No...)", "So"],
            ),
            (
                "Dr. No met J. Bond at 3.5 m, e.g. here. So did I. Yes",
                &[
                    "Dr. No met J. Bond at 3.5 m, e.g. here.",
                    "So did I.",
                    "Yes",
                ],
            ),
            ("- a point\n- another\n\n...", &["- a point", "- another"]),
            ("今日は雨。明日は？", &["今日は雨。", "明日は？"]),
            (
                "see example.com/a.b?c=d now",
                &["see example.com/a.b?c=d now"],
            ),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(sentences(text), *expected, "{text}");
        }
    }
}
