//! Whatever the text is: no panic, a bounded amount of work, the same the second time.

use proptest::prelude::*;

use super::gap::WORK;
use super::*;
use crate::config::Config;

fn everything() -> Redactor {
    let mut config = Config::default().privacy;
    config.patterns = ["ticket=ACME-[0-9]+", "tail=[a-z]+!$", "wide=.*#|~"]
        .map(|pattern| pattern.parse().unwrap())
        .into();
    Redactor::of_everything(&config)
}

/// Pieces that detectors begin with, stop at or look for.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "password",
    "passwd: ",
    "pwd=",
    "token:",
    "secret = ",
    "api_key",
    "is ",
    " is ",
    "was",
    "--",
    "<password>",
    "</",
    ">",
    "\"",
    "'",
    "\\",
    "\\\"",
    ":",
    "=",
    "：",
    " ",
    "  ",
    "\n",
    "\t",
    "-",
    "_",
    ".",
    ",",
    ";",
    "&",
    "@",
    "://",
    "//",
    "/",
    "?",
    "#",
    "+",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "[REDACTED:",
    "[REDACTED:email]",
    "]",
    "eyJ",
    "eyJhbGciOiJIUzI1NiJ9",
    "AKIA",
    "AKIAIOSFODNN7EXAMPLE",
    "ghp_",
    "sk-",
    "sk-ant-",
    "xoxb-",
    "glpat-",
    "AIza",
    "SG.",
    "hooks.slack.com/services/",
    "-----BEGIN ",
    "PRIVATE KEY-----",
    "-----END ",
    "RSA ",
    "Bearer ",
    "Basic ",
    "authorization: ",
    "bob",
    "ada@example.com",
    "example.com",
    "müller",
    "密码",
    "日本語",
    "😀",
    "\u{202e}",
    "\u{0}",
    "é",
    "4111111111111111",
    "4111 1111 1111 1111",
    "4111-",
    "1111",
    "DE89",
    "DE89370400440532013000",
    "DE89 3704 0044 0532 0130 00",
    "+49 30 1234567",
    "(555) 123-4567",
    "555-123-4567",
    "0171 ",
    "1234567",
    "tel ",
    "call ",
    "12",
    "0",
    "9",
    "a",
    "Z",
    "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3",
    "hunter2",
    "Tr0ub4dor&3",
    "correct",
    "must",
    "postgres://user:pw@host/db",
    "user:pw@",
    "ACME-",
    "ACME-12",
    "x!",
    "~",
    "#",
    "$HOME",
    "${X}",
    "***",
];

fn assembled() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..24).prop_map(|pieces| pieces.concat())
}

/// Takes the placeholders out again and finds the rest, in order, in the original.
fn keeps_the_rest(original: &str, redacted: &str) -> bool {
    let mut from = 0;
    let mut rest = redacted;
    loop {
        let (kept, behind) = match rest.find("[REDACTED:") {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        match original[from..].find(kept) {
            Some(at) => from += at + kept.len(),
            None => return false,
        }
        match behind.find(']') {
            Some(end) => rest = &behind[end + 1..],
            None => return behind.is_empty() || original[from..].contains(behind),
        }
    }
}

fn check(text: &str) {
    let redactor = everything();
    let once = redactor.redact(text);
    let twice = redactor.redact(&once.text);
    assert_eq!(twice.text, once.text, "{text:?}");
    assert_eq!(twice.redactions, [], "{text:?}");
    assert_eq!(once.redactions.is_empty(), once.text == text, "{text:?}");
    assert!(
        keeps_the_rest(text, &once.text),
        "{text:?} → {:?}",
        once.text
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn redacting_twice_is_redacting_once_and_the_rest_stays(text in assembled()) {
        check(&text);
    }

    #[test]
    fn no_detector_finds_anything_in_a_plain_word(text in "[a-z_.-]{0,12}") {
        prop_assert!(is_plain_word(&text));
        let mut page = Page::new(&text);
        for (_, find) in DETECTORS {
            page.look(|gap, found| find(gap, &mut |range, class| found(range, class)));
        }
        prop_assert_eq!(page.taken(), 0);
    }

    #[test]
    fn any_text_can_be_redacted(text in any::<String>()) {
        check(&text);
    }
}

/// How often each byte was looked at, by all detectors together.
fn looks_per_byte(piece: &str, bytes: usize) -> u64 {
    let text = piece.repeat(bytes / piece.len());
    WORK.set(0);
    everything().redact(&text);
    WORK.get() / text.len() as u64
}

#[test]
fn each_byte_is_looked_at_a_bounded_number_of_times() {
    // What grows with the length would be seen thousands of times already.
    const BYTES: usize = 1 << 14;
    const TIMES_MAX: u64 = 400;
    let ends = [
        "",
        "-",
        ":",
        "=",
        "password=",
        "sk-",
        "@",
        "://x:",
        "eyJ.",
        "1 ",
    ];
    let most = PIECES
        .iter()
        .flat_map(|piece| ends.map(|end| format!("{piece}{end}")))
        .map(|piece| (looks_per_byte(&piece, BYTES), piece))
        .max()
        .unwrap();
    assert!(most.0 <= TIMES_MAX, "{most:?}");
}

#[test]
fn a_mebibyte_takes_no_more_looks_per_byte_than_a_few_kibibytes() {
    let pieces = [
        "a",
        "-----BEGIN ",
        "-----BEGIN RSA PRIVATE KEY-----",
        "sk-",
        "password:",
        "x://y:",
        "@",
        "4111 ",
        "eyJa.",
        "1.",
        "+4",
        "is ",
        "\"",
    ];
    for piece in pieces {
        let (few, many) = (
            looks_per_byte(piece, 1 << 13),
            looks_per_byte(piece, 1 << 20),
        );
        assert!(many <= few + few / 4 + 2, "{piece:?}: {few}, then {many}");
    }
}
