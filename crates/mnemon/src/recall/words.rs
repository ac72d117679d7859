//! Words: how a text is cut, folded and stemmed, for memories and questions alike.
//!
//! A word is a run of letters and digits, folded to lower case without
//! accents; English words are stemmed (Porter2). Scripts that put no spaces
//! between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese) are cut into
//! overlapping pairs of characters, so that any two neighbours are found.

use std::cell::RefCell;
use std::collections::HashMap;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::stop_words::is_stop_word;

/// Longer runs than this are no words that anybody looks for.
const WORD_CHARS_MAX: usize = 64;

/// A thread remembers so many words with their stems, and then starts over:
/// texts use the same words again and again, and stemming is most of the work.
const KNOWN_MAX: usize = 4096;

/// One word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// As it was written, folded.
    pub(crate) folded: String,
    /// What it is found by.
    pub(crate) stem: String,
    /// Whether it says nothing about what is looked for.
    pub(crate) says_nothing: bool,
}

impl Word {
    /// Whether it is two characters of a script without spaces.
    pub(crate) fn is_pair(&self) -> bool {
        let mut characters = self.folded.chars();
        characters.next().is_some_and(is_unspaced) && characters.next().is_some()
    }

    /// The character, if it is one alone of a script without spaces.
    pub(crate) fn single(&self) -> Option<char> {
        let mut characters = self.folded.chars();
        let first = characters.next().filter(|first| is_unspaced(*first));
        first.filter(|_| characters.next().is_none())
    }

    fn new(folded: &str) -> Self {
        thread_local! {
            static KNOWN: RefCell<HashMap<String, Word>> = RefCell::new(HashMap::new());
        }
        KNOWN.with_borrow_mut(|known| {
            if let Some(word) = known.get(folded) {
                return word.clone();
            }
            if known.len() >= KNOWN_MAX {
                known.clear();
            }
            let word = Self {
                stem: stem(folded),
                says_nothing: is_stop_word(folded),
                folded: folded.to_owned(),
            };
            known.insert(folded.to_owned(), word.clone());
            word
        })
    }
}

/// The words of a text, in order.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    each_run(text, &mut |run| {
        if run.chars().next().is_some_and(is_unspaced) {
            pairs(run, &mut found);
        } else if !run.contains('\'') || is_stop_word(run) {
            found.push(Word::new(run));
        } else {
            // What belongs to somebody is found by who it is: `Ada's`, `O'Neill`.
            let own = run.strip_suffix("'s").unwrap_or(run);
            let parts = own.split('\'').filter(|part| !part.is_empty());
            found.extend(parts.map(Word::new));
        }
    });
    found
}

/// The stem of a folded word.
pub(crate) fn stem(word: &str) -> String {
    thread_local! {
        static ENGLISH: RefCell<Stemmer> = RefCell::new(Stemmer::create(Algorithm::English));
    }
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        ENGLISH.with_borrow(|stemmer| stemmer.stem(word).into_owned())
    } else {
        word.to_owned()
    }
}

/// Hands over each run of letters, digits and inner apostrophes, folded; a run
/// is of one way of writing.
fn each_run(text: &str, each: &mut dyn FnMut(&str)) {
    let mut run = String::new();
    let mut length = 0;
    let mut unspaced = false;
    let mut flush = |run: &mut String, length: &mut usize| {
        if *length > 0 && *length <= WORD_CHARS_MAX {
            each(run.trim_end_matches('\''));
        }
        run.clear();
        *length = 0;
    };
    let mut take = |character: char, run: &mut String, length: &mut usize| {
        // Marks that are left make the letter: vowels of Hindi, tones of Thai.
        if character.is_alphanumeric() || is_combining_mark(character) {
            let now_unspaced = is_unspaced(character);
            if now_unspaced != unspaced || (now_unspaced && *length == WORD_CHARS_MAX) {
                flush(run, length);
                unspaced = now_unspaced;
            }
            run.push(character);
            *length += 1;
        } else if is_apostrophe(character) && !run.is_empty() && !run.ends_with('\'') {
            run.push('\'');
        } else {
            flush(run, length);
        }
    };
    if text.is_ascii() {
        for byte in text.bytes() {
            take(byte.to_ascii_lowercase() as char, &mut run, &mut length);
        }
    } else {
        for character in without_accents(text).nfc() {
            for lower in character.to_lowercase() {
                match plain(lower) {
                    "" => take(lower, &mut run, &mut length),
                    letters => letters
                        .chars()
                        .for_each(|it| take(it, &mut run, &mut length)),
                }
            }
        }
    }
    // A space, so that the last run ends too.
    take(' ', &mut run, &mut length);
}

/// The characters of a text, compatible forms made one, without marks that
/// people leave out when they type.
fn without_accents(text: &str) -> impl Iterator<Item = char> {
    let mut base = ' ';
    text.nfkd().filter(move |character| {
        if !is_combining_mark(*character) {
            base = *character;
            return true;
        }
        match *character {
            // Stress and the dots of the Cyrillic yo; points and vowels of Hebrew and Arabic.
            '\u{0301}'
            | '\u{0308}'
            | '\u{0591}'..='\u{05c7}'
            | '\u{064b}'..='\u{065f}'
            | '\u{0670}' => false,
            // Accents; but the Cyrillic short i is a letter of its own.
            '\u{0300}'..='\u{036f}' => ('\u{0400}'..='\u{052f}').contains(&base),
            _ => true,
        }
    })
}

/// Latin letters that are no others with an accent, as people type them; nothing for the rest.
fn plain(letter: char) -> &'static str {
    match letter {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'þ' => "th",
        'ı' => "i",
        _ => "",
    }
}

fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '\u{2018}' | '\u{2019}' | '\u{02bc}')
}

/// Overlapping pairs; a single character is a word of its own.
fn pairs(run: &str, found: &mut Vec<Word>) {
    let characters: Vec<char> = run.chars().collect();
    let mut push = |part: &[char]| {
        let text: String = part.iter().collect();
        found.push(Word {
            folded: text.clone(),
            stem: text,
            says_nothing: false,
        });
    };
    if let [single] = characters[..] {
        push(&[single]);
    }
    characters.windows(2).for_each(&mut push);
}

/// Whether words of this character's script are written without spaces.
fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{0e00}'..='\u{0eff}'        // Thai, Lao
        | '\u{1000}'..='\u{109f}'      // Burmese
        | '\u{1780}'..='\u{17ff}'      // Khmer
        | '\u{3040}'..='\u{30ff}'      // Hiragana, Katakana
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_folded_and_stemmed() {
        let cases: &[(&str, &[&str])] = &[
            (
                "The databases were running",
                &["the", "databas", "were", "run"],
            ),
            ("don't don’t O'Neill's", &["don't", "don't", "o", "neill"]),
            ("Ada's dogs' 'quoted'", &["ada", "dog", "quot"]),
            ("Café ZÜRICH naïve", &["cafe", "zurich", "naiv"]),
            (
                "x86_64 v1.2.3 foo-bar",
                &["x86", "64", "v1", "2", "3", "foo", "bar"],
            ),
            ("東京都に", &["東京", "京都", "都に"]),
            ("水", &["水"]),
            ("GPT4を使う", &["gpt4", "を使", "使う"]),
            ("Привет мир тёмную", &["привет", "мир", "темную"]),
            ("Straße in Łódź", &["strass", "in", "lodz"]),
            ("バリ パリ", &["バリ", "パリ"]),
            ("ม้า", &["ม\u{e49}", "\u{e49}า"]),
            ("मेरी कहानी", &["मेरी", "कहानी"]),
            ("한국어 문서", &["한국어", "문서"]),
            ("ﬁne １２", &["fine", "12"]),
            ("... !? ' \u{0}", &[]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            let stems: Vec<String> = words(text)
                .into_iter()
                .map(|word| {
                    if word.says_nothing {
                        word.folded
                    } else {
                        word.stem
                    }
                })
                .collect();
            assert_eq!(stems, *expected, "{text}");
        }
    }

    #[test]
    fn endless_runs_are_no_words() {
        assert!(words(&"a".repeat(65)).is_empty());
        assert_eq!(words(&"a".repeat(64)).len(), 1);
        // Text without spaces has no words to be too long.
        assert_eq!(words(&"水".repeat(200)).len(), 63 * 3 + 7);
    }
}
