//! What is taken out of texts, and what is left alone.

#[path = "redact/cases.rs"]
mod cases;
#[path = "redact/corpus.rs"]
mod corpus;
#[path = "redact/fields.rs"]
mod fields;

use cases::{KEPT, PERSONAL_KEPT, PERSONAL_TAKEN, TAKEN};
use mnemon::Config;
use mnemon::redact::{Redaction, Redactor, Subject, sum};

fn secrets() -> Redactor {
    Redactor::new(&Config::default().privacy)
}

fn everything() -> Redactor {
    Redactor::of_everything(&Config::default().privacy)
}

/// What differs from what was expected, all at once: a table is mended as a whole.
fn differences<'a>(
    redactor: &Redactor,
    cases: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Vec<String> {
    cases
        .into_iter()
        .filter_map(|(text, expected)| {
            let got = redactor.redact(text).text;
            (got != expected).then(|| format!("{text}\n  → {got}\n  ≠ {expected}"))
        })
        .collect()
}

#[test]
fn secrets_are_taken_out_and_the_sentence_stays_readable() {
    let wrong = differences(&secrets(), TAKEN.iter().copied());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_only_looks_like_a_secret_is_kept() {
    let wrong = differences(&secrets(), KEPT.iter().map(|text| (*text, *text)));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn personal_data_is_taken_out_when_asked_and_only_then() {
    let wrong = differences(&everything(), PERSONAL_TAKEN.iter().copied());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let kept = PERSONAL_TAKEN.iter().map(|(text, _)| (*text, *text));
    let wrong = differences(&secrets(), kept);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_only_looks_like_personal_data_is_kept() {
    let all = PERSONAL_KEPT.iter().chain(KEPT);
    let wrong = differences(&everything(), all.map(|text| (*text, *text)));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_tables_are_as_long_as_they_claim() {
    let cases = TAKEN.len() + KEPT.len() + PERSONAL_TAKEN.len() + PERSONAL_KEPT.len();
    assert!(cases >= 200, "{cases}");
}

#[test]
fn the_report_has_classes_and_counts_and_nothing_else() {
    let text = "mail ada@example.com and bob@example.com, password: hunter2";
    let redacted = everything().redact(text);
    let redaction = |class: &str, count| Redaction {
        class: class.to_owned(),
        count,
    };
    assert_eq!(
        redacted.redactions,
        [redaction("email", 2), redaction("password", 1)]
    );
    let twice = redacted.redactions.iter().chain(&redacted.redactions);
    assert_eq!(
        sum(twice),
        [redaction("email", 4), redaction("password", 2)]
    );
}

#[test]
fn single_subjects_can_be_chosen() {
    let text = "ada@example.com +49 30 1234567 DE89370400440532013000 4111111111111111 \
                AKIAIOSFODNN7EXAMPLE";
    for (subjects, left) in [
        (vec![], 5),
        (vec![Subject::Email], 4),
        (vec![Subject::Phone], 4),
        (vec![Subject::Iban], 4),
        (vec![Subject::Card], 4),
        (vec![Subject::Secrets], 3),
        (vec![Subject::Personal], 2),
        (vec![Subject::Email, Subject::Card], 3),
        (vec![Subject::Secrets, Subject::Personal], 0),
    ] {
        let mut config = Config::default().privacy;
        config.redact.clone_from(&subjects);
        let redacted = Redactor::new(&config).redact(text);
        let taken: u64 = redacted.redactions.iter().map(|one| one.count).sum();
        assert_eq!(5 - taken, left, "{subjects:?}: {}", redacted.text);
    }
}

#[test]
fn patterns_of_ones_own_come_first_and_match_within_a_line() {
    let mut config = Config::default().privacy;
    config.patterns = ["ticket=ACME-[0-9]+", "key=^AKIA.*$", "placeholder=REDACTED"]
        .map(|pattern| pattern.parse().unwrap())
        .into();
    let redactor = Redactor::new(&config);
    let cases = [
        (
            "see ACME-12 and ACME-7",
            "see [REDACTED:ticket] and [REDACTED:ticket]",
        ),
        (
            "first\nAKIAIOSFODNN7EXAMPLE and more\nlast",
            "first\n[REDACTED:key]\nlast",
        ),
        ("a [REDACTED:email] stays", "a [REDACTED:email] stays"),
    ];
    let wrong = differences(&redactor, cases);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Longer than what is searched at once, without a place to cut it.
    for before in [4_090, 4_096, 5_000, 70_000] {
        let text = format!("{}ACME-123456{}", "x".repeat(before), "y".repeat(5_000));
        let redacted = redactor.redact(&text).text;
        assert!(!redacted.contains("ACME"), "{before}");
        assert_eq!(redacted.matches("[REDACTED:ticket]").count(), 1, "{before}");
    }
}
