//! The counts are those of the library that the vocabulary is from.

use mnemon_tokens::{TOKENIZER, count, count_within, prefix};
use proptest::prelude::*;
use proptest::sample::select;
use tiktoken_rs::o200k_base_singleton;

fn expected(text: &str) -> usize {
    o200k_base_singleton().encode_ordinary(text).len()
}

fn check(text: &str) {
    let start: String = text.chars().take(80).collect();
    let tokens = expected(text);
    assert_eq!(count(text), tokens, "{start:?}");
    assert_eq!(count_within(text, tokens), Some(tokens), "{start:?}");
    let fewer = tokens.checked_sub(1);
    let within_fewer = fewer.and_then(|fewer| count_within(text, fewer));
    assert_eq!(within_fewer, None, "{start:?}");
}

/// The beginning of `text` for so many tokens is one that can't have a character more.
fn check_prefix(text: &str, most: usize) {
    let prefix = prefix(text, most);
    assert!(text.starts_with(prefix));
    let tokens = expected(prefix);
    assert!(tokens <= most, "{tokens} for {most}: {prefix:?}");
    if let Some(next) = text[prefix.len()..].chars().next() {
        let longer = &text[..prefix.len() + next.len_utf8()];
        assert!(expected(longer) > most, "{most}: {prefix:?}, {longer:?}");
    }
}

/// Texts in which something is unusual.
const AWKWARD: [&str; 40] = [
    "",
    " ",
    "a",
    "Hello, world!",
    "The quick brown fox jumps over the lazy dog.",
    "I'm sure they're here; we'll see, don't you? SHE'D'VE x'S 'tis ''s i'ſ o'clock l'L'",
    "camelCase PascalCase HTTPServer XMLHttpRequest iPhoneXR McDonald's ABCdefGHI",
    "🙂🙃 👩‍👩‍👧‍👦 👍🏽 🇩🇪🇫🇷 ☎️ 1️⃣",
    "机器学习是人工智能的一个分支。今日は良い天気ですね！한국어도 됩니다.",
    "文A 文AB 文ABc A文 aB文Cd 文's",
    "e\u{301}a\u{308}\u{323} \u{301}ABC \u{301}'s !\u{301} !!\u{301}!\u{301}a \n\u{301}",
    "Zalgo: h\u{31b}\u{317}e\u{30d}\u{353}l\u{336}l\u{35c}o\u{489}",
    "line one\r\nline two\r\n\r\n\r\nline three\n\n\n  indented\n\t\ttabs\r\r",
    "a  b   c    d     e                f",
    "  leading and trailing   ",
    "\t\t1 \t2\t 3 \t!\t\t?  4  !",
    "\u{a0}x \u{a0}\u{3000} y\u{2028}z\u{85}\u{2003}\u{2003}1\u{200b}\u{200b}",
    "0 12 123 1234 12345 123456 3.14159 1,000,000 0xDEADBEEF 1e-9 ٣٤٥٦ ½¾ Ⅷ ²³⁴⁵",
    "fn main() {\n    let x: Vec<u8> = vec![0; 16];\n    println!(\"{x:?}\"); // fine\n}\n",
    "def f(x):\n\treturn {k: v for k, v in x.items() if k != '__class__'}\n\n\n",
    "SELECT * FROM t WHERE a=1 AND b<>'it''s' /* c */ -- d\n;",
    "https://example.com/a/b/?q=1&r=%20#frag //\n/// \n//\r\n/x",
    "{\"key\": [1, 2.5, null, true], \"nested\": {\"a\": \"\\u00e9\\n\"}}",
    "TWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcmsuIE1hbnkgaGFuZHMgbWFrZSBsaWdodCB3b3JrLg==",
    "d41d8cd98f00b204e9800998ecf8427e 550e8400-e29b-41d4-a716-446655440000",
    "\u{200b}zero\u{200c}width\u{200d}join\u{feff}er\u{2060} \u{ad}soft",
    "NUL\0in\0\0side \0 \u{1}\u{7f}\u{1b}[31mred\u{1b}[0m",
    "مرحبا بالعالم، كيف حالك؟ שלום עולם \u{202e}reversed\u{202c} فارسی می‌نویسم",
    "नमस्ते दुनिया ขอบคุณครับ ລາວ မြန်မာ ខ្មែរ தமிழ் తెలుగు",
    "Привет, МИР! Ελληνικά ΑΒΓ Հայերեն ქართული ᏣᎳᎩ ꮳꮃꭹ",
    "ǅ ǈ ǋ ῼ ʰʲ ªº ߊߋ ˈa ꜰ",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟙𝟚𝟛𝟜 𐐀𐐨 𠜎𠜱𡃁 \u{10ffff}\u{e000}",
    "<|endoftext|> <|endofprompt|><|fim_prefix|>",
    "!!! ??? ... --- === *** ((())) [[]] {{}} <<>> @#$%^&*~`|\\",
    " !\n\n ?\r\n/ ...\n \n",
    "----------------------------------------------------------------------------------",
    "naïve café Ærøskøbing straße İstanbul ﬁne ﬀ ŉ",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis",
    "\u{378}\u{e0001}\u{fff9}\u{fffd}\u{ffff}",
];

#[test]
fn awkward_texts_are_as_many_tokens_as_the_library_says() {
    assert_eq!(TOKENIZER, "o200k_base");
    for text in AWKWARD {
        check(text);
    }
    check(&AWKWARD.concat());
}

#[test]
fn every_character_is_as_many_tokens_as_the_library_says() {
    let all: Vec<char> = ('\0'..=char::MAX).collect();
    for some in all.chunks(4096) {
        check(&some.iter().collect::<String>());
        let apart = some.iter().flat_map(|&character| ['A', character, 'b']);
        check(&apart.collect::<String>());
    }
}

#[test]
fn prefixes_of_awkward_texts_fit_and_are_not_too_short() {
    for text in AWKWARD {
        for most in 0..=expected(text) {
            check_prefix(text, most);
        }
    }
}

/// A word, a sign or a run, such as texts and code are made of; or anything.
fn part() -> impl Strategy<Value = String> {
    let runs = " \t\n\r/'!-=#a1A文\u{301}🙂".chars().collect::<Vec<_>>();
    prop_oneof![
        4 => "[ ]?[a-zA-Z]{1,12}",
        2 => select(&AWKWARD[..]).prop_map(str::to_owned),
        2 => "[ -~\t\r\n]{1,12}",
        2 => "[ \t\r\n\u{a0}\u{3000}]{1,6}",
        1 => "'(s|S|t|re|VE|m|Ll|d|ſ)",
        1 => "[0-9]{1,7}",
        1 => "[A-Za-z0-9+/]{8,60}={0,2}",
        2 => "[\\p{Lu}\\p{Lt}\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]{1,8}",
        2 => "\\PC{1,8}",
        1 => any::<String>(),
        1 => (select(runs), 1..200_usize).prop_map(|(run, length)| run.to_string().repeat(length)),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(part(), 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_as_many_tokens_as_the_library_says(text in text()) {
        check(&text);
    }

    #[test]
    fn any_prefix_fits_and_is_not_too_short(text in text(), most in 0..60_usize) {
        check_prefix(&text, most);
    }
}

/// One piece each, for the pattern or for the merging.
const UNBROKEN: [&str; 8] = ["a", " ", "🙂", "!?-#/.", "文", "\n", "Ab", "\u{301}A"];

#[test]
fn a_megabyte_without_a_break_is_as_many_tokens_as_the_library_says() {
    for unit in UNBROKEN {
        // The library's pattern fails at a million of white space.
        let bytes = if unit.trim().is_empty() {
            990_000
        } else {
            1 << 20
        };
        check(&unit.repeat(bytes / unit.len()));
    }
}

#[test]
fn a_mebibyte_of_white_space_is_counted_where_the_library_fails() {
    // The longest token of spaces is of 128, that of newlines of 16.
    let cases = [(" ", 8192), ("\n", 65536)];
    for (unit, tokens) in cases {
        assert_eq!(count(&unit.repeat(1 << 20)), tokens, "{unit:?}");
    }
}

#[test]
fn prefixes_of_texts_without_a_break_fit_and_are_not_too_short() {
    for unit in UNBROKEN {
        let text = unit.repeat((1 << 14) / unit.len());
        let tokens = count(&text);
        for most in [0, 1, 100, tokens - 1, tokens] {
            check_prefix(&text, most);
        }
    }
}

#[test]
fn a_prefix_of_a_megabyte_without_a_break_fits_and_is_not_too_short() {
    check_prefix(&"a".repeat(1 << 20), 1000);
}
