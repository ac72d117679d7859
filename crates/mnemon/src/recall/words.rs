//! Words: how a text is cut, folded and stemmed, for memories and questions alike.
//!
//! A word is a run of letters and digits, folded to lower case without
//! accents; English words are stemmed (Porter2). Scripts that put no spaces
//! between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese) are cut into
//! overlapping pairs of characters, so that any two neighbours are found.

use std::cell::RefCell;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::stop_words::is_stop_word;
use super::when_words::says_when;
use crate::embed::pieces::Piece;
use crate::known_words::KnownWords;
use crate::plain_letters::plain_letters;

/// Longer runs than this are no words that anybody looks for.
const WORD_CHARS_MAX: usize = 64;

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
}

/// What is known of a folded word, whatever text it is in.
#[derive(Clone, Debug)]
pub(crate) struct Sense {
    /// What it is found by.
    pub(crate) stem: String,
    /// Whether it says nothing about what is looked for.
    pub(crate) says_nothing: bool,
    /// Whether it says when something was or will be.
    pub(crate) says_when: bool,
    /// What it is compared with other words by; nothing if it says nothing.
    pub(crate) pieces: Vec<Piece>,
}

impl Sense {
    fn of(folded: &str) -> Self {
        let says_nothing = is_stop_word(folded);
        Self {
            stem: stem(folded),
            says_nothing,
            says_when: says_when(folded),
            pieces: if says_nothing {
                Vec::new()
            } else {
                Piece::all_of(folded)
            },
        }
    }
}

/// The words of a text, in order.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    each_word(text, &mut |folded, sense| {
        found.push(Word {
            folded: folded.to_owned(),
            stem: sense.stem.clone(),
            says_nothing: sense.says_nothing,
        });
    });
    found
}

/// Hands over the words of a text, folded and in order, with what is known of them.
///
/// What is called must not look for words itself.
pub(crate) fn each_word(text: &str, each: &mut dyn FnMut(&str, &Sense)) {
    thread_local! {
        static KNOWN: RefCell<KnownWords<Sense>> = RefCell::new(KnownWords::new());
    }
    KNOWN.with_borrow_mut(|known| {
        let mut each = |folded: &str| each(folded, known.get(folded, Sense::of));
        each_run(text, &mut |run| {
            if run.chars().next().is_some_and(is_unspaced) {
                each_pair(run, &mut each);
            } else if !run.contains('\'') || is_stop_word(run) {
                each(run);
            } else {
                // What belongs to somebody is found by who it is: `Ada's`, `O'Neill`.
                let own = run.strip_suffix("'s").unwrap_or(run);
                let parts = own.split('\'').filter(|part| !part.is_empty());
                parts.for_each(&mut each);
            }
        });
    });
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
    let mut runs = Runs {
        run: String::new(),
        length: 0,
        unspaced: false,
        each,
    };
    let text = text.to_ascii_lowercase();
    let mut rest = text.as_str();
    // Plain letters stay what they are whatever stands beside them, and no mark
    // that would make another letter of one is left by `without_accents`. So what
    // lies between them can be folded on its own.
    while !rest.is_empty() {
        rest = runs.take_plain(rest);
        let others = rest.bytes().position(|byte| byte.is_ascii());
        let (others, plain) = rest.split_at(others.unwrap_or(rest.len()));
        if !others.is_empty() {
            runs.take_others(others);
        }
        rest = plain;
    }
    runs.end();
}

/// The run that is being read.
struct Runs<'a> {
    run: String,
    /// Of its letters, without apostrophes.
    length: usize,
    unspaced: bool,
    each: &'a mut dyn FnMut(&str),
}

impl Runs<'_> {
    /// Takes what is ASCII at the beginning of a text in lower case, and gives back
    /// the rest: most texts are nothing else, and most of their words stand there
    /// as they are handed over.
    fn take_plain<'t>(&mut self, text: &'t str) -> &'t str {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(byte) = bytes.get(at).filter(|byte| byte.is_ascii()) {
            let end = at + plain_letters(&bytes[at..]);
            if at == end {
                self.take_between(char::from(*byte));
                at += 1;
                continue;
            }
            let letters = &text[at..end];
            let is_whole = bytes
                .get(end)
                .is_none_or(|next| next.is_ascii() && *next != b'\'');
            if is_whole && self.run.is_empty() {
                if letters.len() <= WORD_CHARS_MAX {
                    (self.each)(letters);
                }
            } else {
                self.take_letters(letters);
            }
            at = end;
        }
        &text[at..]
    }

    fn take_letters(&mut self, letters: &str) {
        if self.unspaced {
            self.end();
            self.unspaced = false;
        }
        self.run.push_str(letters);
        self.length += letters.len();
    }

    /// Takes text of any characters.
    fn take_others(&mut self, text: &str) {
        for character in without_accents(text).nfc() {
            for lower in character.to_lowercase() {
                match plain(lower) {
                    "" => self.take(lower),
                    letters => letters.chars().for_each(|it| self.take(it)),
                }
            }
        }
    }

    fn take(&mut self, character: char) {
        // Marks that are left make the letter: vowels of Hindi, tones of Thai.
        if !character.is_alphanumeric() && !is_combining_mark(character) {
            return self.take_between(character);
        }
        let unspaced = is_unspaced(character);
        if unspaced != self.unspaced || (unspaced && self.length == WORD_CHARS_MAX) {
            self.end();
            self.unspaced = unspaced;
        }
        self.run.push(character);
        self.length += 1;
    }

    /// Takes what is no letter.
    fn take_between(&mut self, character: char) {
        if is_apostrophe(character) && !self.run.is_empty() && !self.run.ends_with('\'') {
            self.run.push('\'');
        } else {
            self.end();
        }
    }

    fn end(&mut self) {
        if self.length > 0 && self.length <= WORD_CHARS_MAX {
            (self.each)(self.run.trim_end_matches('\''));
        }
        self.run.clear();
        self.length = 0;
    }
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
fn each_pair(run: &str, each: &mut dyn FnMut(&str)) {
    let begins = run.char_indices().map(|(begin, _)| begin);
    let ends = begins.clone().skip(2).chain([run.len()]);
    begins
        .zip(ends)
        .for_each(|(begin, end)| each(&run[begin..end]));
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
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn plain_letters_are_taken_as_all_others_are(text in text()) {
            let (mut fast, mut general) = (Vec::new(), Vec::new());
            each_run(&text, &mut |run| fast.push(run.to_owned()));
            let mut runs = Runs {
                run: String::new(),
                length: 0,
                unspaced: false,
                each: &mut |run| general.push(run.to_owned()),
            };
            runs.take_others(&text);
            runs.end();
            prop_assert_eq!(fast, general);
        }
    }

    /// Plain letters and others beside each other, marks without a letter among them.
    fn text() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<String>(),
            "[ -~\\x00-\\x1f]{0,200}",
            "[a-cI'’. <=\\p{M}\u{301}\u{327}\u{338}水がßé]{0,60}",
            "[xY]{60,70}('|’|水|é)?[ab']{0,70}",
        ]
    }

    #[test]
    fn endless_runs_are_no_words() {
        assert!(words(&"a".repeat(65)).is_empty());
        assert_eq!(words(&"a".repeat(64)).len(), 1);
        // Text without spaces has no words to be too long.
        assert_eq!(words(&"水".repeat(200)).len(), 63 * 3 + 7);
    }
}
